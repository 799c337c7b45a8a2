/* Finds the nearest of some names by counting changed letters (Levenshtein's distance). Called by config.c.
 */
#include "lib/base/near_name.h"

#include <stdbool.h>
#include <string.h>

#define FEW_LETTERS 2

/* Returns how many letters have to be changed, added or left out to make one name of the other. Both are
 * shorter than LAVA_NEAR_NAME_BYTES. */
static int count_changes(const char *a, const char *b) {
    int row[LAVA_NEAR_NAME_BYTES];
    for (int j = 0; j < LAVA_NEAR_NAME_BYTES; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; b[j - 1]; j++) {
            int replaced = diagonal + (a[i - 1] != b[j - 1]),
                other = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = replaced < other + 1 ? replaced : other + 1;
        }
    }
    return row[strlen(b)];
}

const char *lava_near_name_find(const char *name, const char *const *known, size_t count) {
    const char *nearest = NULL;
    int least = FEW_LETTERS + 1;
    for (size_t i = 0; i < count; i++) {
        int changes = count_changes(name, known[i]);
        bool begins_so = !strncmp(name, known[i], strlen(known[i]));
        if (!strcmp(name, known[i]))
            return NULL;
        if (changes < least || (begins_so && !nearest)) {
            nearest = known[i];
            least = changes;
        }
    }
    return nearest;
}
