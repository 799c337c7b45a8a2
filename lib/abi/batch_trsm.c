/* Every ?trsm_batch and ?trsm_batch_strided as programs call it. What goes to a device, and how, is
 * lib/abi/groups'; the rest gets the arguments untouched. */
#include "lib/abi/entry.h"
#include "lib/abi/groups.h"
#include "lib/abi/letters.h"

#include "lavablas_cblas.h"

/* ?trsm_batch */

#define CBLAS_LIST(integer, type)                                                                            \
    (CBLAS_LAYOUT layout, const CBLAS_SIDE *side, const CBLAS_UPLO *uplo, const CBLAS_TRANSPOSE *transa,     \
     const CBLAS_DIAG *diag, const integer *m, const integer *n, const LAVA_ELEMENT_##type *alpha,           \
     const LAVA_ELEMENT_##type **a, const integer *lda, LAVA_ELEMENT_##type **b, const integer *ldb,         \
     integer group_count, const integer *group_size)
#define CBLAS_NAMES (layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, group_count, group_size)

#define FORTRAN_LIST(integer, type)                                                                          \
    (const char *side, const char *uplo, const char *transa, const char *diag, const integer *m,             \
     const integer *n, const LAVA_ELEMENT_##type *alpha, const LAVA_ELEMENT_##type **a, const integer *lda,  \
     LAVA_ELEMENT_##type **b, const integer *ldb, const integer *group_count, const integer *group_size)
#define FORTRAN_NAMES (side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb, group_count, group_size)

#define ARGUMENTS(entry, group_layout, groups)                                                               \
    {                                                                                                        \
        .routine = LAVA_ROUTINE_##entry, .layout = (int)group_layout, .side = side, .uplo = uplo,            \
        .transa = transa, .diag = diag, .m = m, .n = n, .lda = lda, .ldc = ldb, .alpha = alpha, .a = a,      \
        .c = b, .count = groups, .sizes = group_size                                                         \
    }

#define FORWARDS(convention, integer, groups)                                                                \
    lava_threshold_forwards(lava_group_reader_solving(LAVA_CONVENTION_##convention,                          \
                                                      sizeof(integer) == sizeof(int64_t), groups,            \
                                                      group_size, side, m, n),                               \
                            1, 1)

#define TRSM_BATCH_CBLAS(entry, integer, type, ...)                                                          \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type), CBLAS_NAMES, lava_groups,                             \
                     FORWARDS(CBLAS, integer, group_count), ARGUMENTS(entry, layout, group_count))
#define TRSM_BATCH_FORTRAN(entry, integer, type, ...)                                                        \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type), FORTRAN_NAMES, 4, lava_groups,                    \
                       FORWARDS(FORTRAN, integer, *group_count), ARGUMENTS(entry, 0, *group_count))

/* ?trsm_batch_strided */

#define STRIDED_CBLAS_LIST(integer, type)                                                                    \
    (CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_DIAG diag,         \
     integer m, integer n, LAVA_VALUE_##type alpha, const LAVA_ELEMENT_##type *a, integer lda,               \
     integer stridea, LAVA_ELEMENT_##type *b, integer ldb, integer strideb, integer batch_size)
#define STRIDED_CBLAS_NAMES                                                                                  \
    (layout, side, uplo, transa, diag, m, n, alpha, a, lda, stridea, b, ldb, strideb, batch_size)
#define STRIDED_CBLAS_ARGUMENTS(entry, type)                                                                 \
    {                                                                                                        \
        .routine = LAVA_ROUTINE_##entry, .layout = (int)layout, .side = &side, .uplo = &uplo,                \
        .transa = &transa, .diag = &diag, .m = &m, .n = &n, .lda = &lda, .ldc = &ldb,                        \
        .alpha = LAVA_ADDRESS_##type(alpha), .a = a, .c = b, .stride_a = &stridea, .stride_c = &strideb,     \
        .count = 1, .sizes = &batch_size                                                                     \
    }

#define STRIDED_FORTRAN_LIST(integer, type)                                                                  \
    (const char *side, const char *uplo, const char *transa, const char *diag, const integer *m,             \
     const integer *n, const LAVA_ELEMENT_##type *alpha, const LAVA_ELEMENT_##type *a, const integer *lda,   \
     const integer *stridea, LAVA_ELEMENT_##type *b, const integer *ldb, const integer *strideb,             \
     const integer *batch_size)
#define STRIDED_FORTRAN_NAMES                                                                                \
    (side, uplo, transa, diag, m, n, alpha, a, lda, stridea, b, ldb, strideb, batch_size)
#define STRIDED_FORTRAN_ARGUMENTS(entry)                                                                     \
    {                                                                                                        \
        .routine = LAVA_ROUTINE_##entry, .side = side, .uplo = uplo, .transa = transa, .diag = diag, .m = m, \
        .n = n, .lda = lda, .ldc = ldb, .alpha = alpha, .a = a, .c = b, .stride_a = stridea,                 \
        .stride_c = strideb, .count = 1, .sizes = batch_size                                                 \
    }

#define STRIDED_FORWARDS(is_left, m, n, count)                                                               \
    lava_threshold_forwards_batch((double)(m) * (double)(n) * (double)((is_left) ? (m) : (n)) / 2,           \
                                  (double)(count))

#define TRSM_STRIDED_CBLAS(entry, integer, type, ...)                                                        \
    LAVA_ENTRY_CBLAS(entry, STRIDED_CBLAS_LIST(integer, type), STRIDED_CBLAS_NAMES, lava_groups,             \
                     STRIDED_FORWARDS((int)side == LAVA_SIDE_LEFT, m, n, batch_size),                        \
                     STRIDED_CBLAS_ARGUMENTS(entry, type))
#define TRSM_STRIDED_FORTRAN(entry, integer, type, ...)                                                      \
    LAVA_ENTRY_FORTRAN(entry, STRIDED_FORTRAN_LIST(integer, type), STRIDED_FORTRAN_NAMES, 4, lava_groups,    \
                       STRIDED_FORWARDS((*side | 0x20) == 'l', *m, *n, *batch_size),                         \
                       STRIDED_FORTRAN_ARGUMENTS(entry))

LAVA_TRSM_BATCH_ROUTINES(LAVA_ENTRY_OF)
