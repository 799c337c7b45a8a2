/* Every ?syrk_batch and ?syrk_batch_strided as programs call it. What goes to a device, and how, is
 * lib/abi/groups'; the rest gets the arguments untouched. */
#include "lib/abi/entry.h"
#include "lib/abi/groups.h"

#include "lavablas_cblas.h"

/* ?syrk_batch */

#define CBLAS_LIST(integer, type)                                                                            \
    (CBLAS_LAYOUT layout, const CBLAS_UPLO *uplo, const CBLAS_TRANSPOSE *trans, const integer *n,            \
     const integer *k, const LAVA_ELEMENT_##type *alpha, const LAVA_ELEMENT_##type **a, const integer *lda,  \
     const LAVA_ELEMENT_##type *beta, LAVA_ELEMENT_##type **c, const integer *ldc, integer group_count,      \
     const integer *group_size)
#define CBLAS_NAMES (layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc, group_count, group_size)

#define FORTRAN_LIST(integer, type)                                                                          \
    (const char *uplo, const char *trans, const integer *n, const integer *k,                                \
     const LAVA_ELEMENT_##type *alpha, const LAVA_ELEMENT_##type **a, const integer *lda,                    \
     const LAVA_ELEMENT_##type *beta, LAVA_ELEMENT_##type **c, const integer *ldc,                           \
     const integer *group_count, const integer *group_size)
#define FORTRAN_NAMES (uplo, trans, n, k, alpha, a, lda, beta, c, ldc, group_count, group_size)

#define ARGUMENTS(entry, group_layout, groups)                                                               \
    {                                                                                                        \
        .routine = LAVA_ROUTINE_##entry, .layout = (int)group_layout, .uplo = uplo, .transa = trans, .n = n, \
        .k = k, .lda = lda, .ldc = ldc, .alpha = alpha, .beta = beta, .a = a, .c = c, .count = groups,       \
        .sizes = group_size                                                                                  \
    }

/* One triangle of each C. */
#define FORWARDS(integer, groups)                                                                            \
    lava_threshold_forwards(                                                                                 \
        lava_group_reader_work(0.5, sizeof(integer) == sizeof(int64_t), groups, group_size, n, n, k), 1, 1)

#define SYRK_BATCH_CBLAS(entry, integer, type, ...)                                                          \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type), CBLAS_NAMES, lava_groups,                             \
                     FORWARDS(integer, group_count), ARGUMENTS(entry, layout, group_count))
#define SYRK_BATCH_FORTRAN(entry, integer, type, ...)                                                        \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type), FORTRAN_NAMES, 2, lava_groups,                    \
                       FORWARDS(integer, *group_count), ARGUMENTS(entry, 0, *group_count))

/* ?syrk_batch_strided */

#define STRIDED_CBLAS_LIST(integer, type)                                                                    \
    (CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, integer n, integer k,                      \
     LAVA_VALUE_##type alpha, const LAVA_ELEMENT_##type *a, integer lda, integer stridea,                    \
     LAVA_VALUE_##type beta, LAVA_ELEMENT_##type *c, integer ldc, integer stridec, integer batch_size)
#define STRIDED_CBLAS_NAMES                                                                                  \
    (layout, uplo, trans, n, k, alpha, a, lda, stridea, beta, c, ldc, stridec, batch_size)
#define STRIDED_CBLAS_ARGUMENTS(entry, type)                                                                 \
    {                                                                                                        \
        .routine = LAVA_ROUTINE_##entry, .layout = (int)layout, .uplo = &uplo, .transa = &trans, .n = &n,    \
        .k = &k, .lda = &lda, .ldc = &ldc, .alpha = LAVA_ADDRESS_##type(alpha),                              \
        .beta = LAVA_ADDRESS_##type(beta), .a = a, .c = c, .stride_a = &stridea, .stride_c = &stridec,       \
        .count = 1, .sizes = &batch_size                                                                     \
    }

#define STRIDED_FORTRAN_LIST(integer, type)                                                                  \
    (const char *uplo, const char *trans, const integer *n, const integer *k,                                \
     const LAVA_ELEMENT_##type *alpha, const LAVA_ELEMENT_##type *a, const integer *lda,                     \
     const integer *stridea, const LAVA_ELEMENT_##type *beta, LAVA_ELEMENT_##type *c, const integer *ldc,    \
     const integer *stridec, const integer *batch_size)
#define STRIDED_FORTRAN_NAMES (uplo, trans, n, k, alpha, a, lda, stridea, beta, c, ldc, stridec, batch_size)
#define STRIDED_FORTRAN_ARGUMENTS(entry)                                                                     \
    {                                                                                                        \
        .routine = LAVA_ROUTINE_##entry, .uplo = uplo, .transa = trans, .n = n, .k = k, .lda = lda,          \
        .ldc = ldc, .alpha = alpha, .beta = beta, .a = a, .c = c, .stride_a = stridea, .stride_c = stridec,  \
        .count = 1, .sizes = batch_size                                                                      \
    }

#define STRIDED_FORWARDS(n, k, count)                                                                        \
    lava_threshold_forwards_batch((double)(n) * (double)(n) / 2 * (double)(k), (double)(count))

#define SYRK_STRIDED_CBLAS(entry, integer, type, ...)                                                        \
    LAVA_ENTRY_CBLAS(entry, STRIDED_CBLAS_LIST(integer, type), STRIDED_CBLAS_NAMES, lava_groups,             \
                     STRIDED_FORWARDS(n, k, batch_size), STRIDED_CBLAS_ARGUMENTS(entry, type))
#define SYRK_STRIDED_FORTRAN(entry, integer, type, ...)                                                      \
    LAVA_ENTRY_FORTRAN(entry, STRIDED_FORTRAN_LIST(integer, type), STRIDED_FORTRAN_NAMES, 2, lava_groups,    \
                       STRIDED_FORWARDS(*n, *k, *batch_size), STRIDED_FORTRAN_ARGUMENTS(entry))

LAVA_SYRK_BATCH_ROUTINES(LAVA_ENTRY_OF)
