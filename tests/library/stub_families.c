/* A CPU BLAS for tests with every name of level 3 but ?gemm's, and of batches. It only notes its
 * arguments. */
#include "tests/library/called_families.h"
#include "tests/library/family_lists.h"

#define VISIBLE __attribute__((visibility("default")))

extern struct families_note stub_families_last;
VISIBLE struct families_note stub_families_last;

#define ENTRY(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)                    \
    VISIBLE void prefix##routine##suffix FAMILIES_##family##_##convention##_LIST(integer, type, scalar);     \
    void prefix##routine##suffix FAMILIES_##family##_##convention##_LIST(integer, type, scalar) {            \
        struct families_note *note = &stub_families_last;                                                    \
        *note = (struct families_note){.calls = note->calls + 1, .name = #prefix #routine #suffix};          \
        FAMILIES_##family##_##convention##_PUT                                                               \
    }

LAVA_OTHER_ROUTINES(ENTRY)
