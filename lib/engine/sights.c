/* Compares samples of matrices. Called by lib/engine/residents.c. */
#include "lib/engine/sights.h"

#include <string.h>

bool lava_sights_compare(struct lava_sights *sights, const struct lava_host_matrix *matrix) {
    uint64_t column_bytes = (uint64_t)matrix->rows * matrix->element_bytes;
    size_t bytes = column_bytes < LAVA_SIGHTS_BYTES ? (size_t)column_bytes : LAVA_SIGHTS_BYTES;
    bool is_same_still = true;
    for (int i = 0; i < LAVA_SIGHTS; i++) {
        uint64_t column = (uint64_t)(matrix->columns - 1) * (uint64_t)i / (LAVA_SIGHTS - 1);
        uint64_t within = (column_bytes - bytes) / (LAVA_SIGHTS - 1) * (uint64_t)i;
        const char *place =
            (const char *)matrix->first + column * (uint64_t)matrix->ld * matrix->element_bytes + within;
        if (is_same_still && memcmp(sights->bytes[i], place, bytes) == 0)
            continue;
        is_same_still = false;
        memcpy(sights->bytes[i], place, bytes);
    }
    return is_same_still;
}
