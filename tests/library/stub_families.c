/* A CPU BLAS for tests with every name of ?gemmt, ?gemm_batch and ?gemm_batch_strided. It only notes its
 * arguments. */
#define FAMILIES_ONLY_LISTS
#include "tests/library/families.h"

#define VISIBLE __attribute__((visibility("default")))

extern struct families_note stub_families_last;
VISIBLE struct families_note stub_families_last;

#define ENTRY(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)                    \
    VISIBLE void prefix##routine##suffix FAMILIES_##family##_##convention##_LIST(integer, scalar);           \
    void prefix##routine##suffix FAMILIES_##family##_##convention##_LIST(integer, scalar) {                  \
        struct families_note *note = &stub_families_last;                                                    \
        *note = (struct families_note){.calls = note->calls + 1, .name = #prefix #routine #suffix};          \
        FAMILIES_##family##_##convention##_PUT                                                               \
    }

FAMILIES_ROUTINES(ENTRY)
