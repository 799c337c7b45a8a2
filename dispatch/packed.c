/* The layout of packed operands. Called by blocking.c, cost.c and lib/product/stages.c. Every section begins
 * at a multiple of 16 bytes. */
#include "dispatch/packed.h"

#include "shaders/interface.h"

#define ARGUMENTS_BYTES 16

static uint64_t round_up(uint64_t bytes) {
    return (bytes + 15) / 16 * 16;
}

struct lava_packed lava_packed_layout(const struct lava_kernel *kernel, uint32_t panel, uint64_t width_padded,
                                      uint64_t k_padded) {
    const struct lava_scheme_row *scheme = lava_scheme(kernel->scheme);
    uint64_t elements = width_padded * k_padded;
    struct lava_packed packed = {.element_bytes = lava_type_bytes(kernel->type)};
    if (scheme->planes > 0)
        packed.element_bytes = scheme->planes * lava_type_bytes(scheme->type);
    packed.bytes = elements * packed.element_bytes;
    if (!scheme->screened)
        return packed;
    packed.panels = packed.bytes;
    packed.exponents = packed.panels + elements * lava_type_bytes(kernel->type);
    packed.exponent_words =
        (k_padded + LAVA_PACK_BLOCK_MATRIX - 1) / LAVA_PACK_BLOCK_MATRIX * (panel / LAVA_PACK_BLOCK_MATRIX);
    packed.arguments =
        packed.exponents + round_up(width_padded / panel * packed.exponent_words * sizeof(uint32_t));
    packed.bytes = packed.arguments + ARGUMENTS_BYTES;
    return packed;
}
