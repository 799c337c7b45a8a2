/* Every ?gemm_batch and ?gemm_batch_strided as programs call it. What goes to a device, and how, is
 * lib/abi/groups'; the rest gets the arguments untouched. */
#include "lib/abi/entry.h"
#include "lib/abi/groups.h"

#include "lavablas_cblas.h"

#define FORWARDS(integer, count, sizes, m, n, k)                                                             \
    lava_threshold_forwards(                                                                                 \
        lava_group_reader_work(1, sizeof(integer) == sizeof(int64_t), count, sizes, m, n, k), 1, 1)

/* ?gemm_batch */

#define CBLAS_LIST(integer, type, type_c, scalar)                                                            \
    (CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb, const integer *m,    \
     const integer *n, const integer *k, const LAVA_ELEMENT_##scalar *alpha, const LAVA_ELEMENT_##type **a,  \
     const integer *lda, const LAVA_ELEMENT_##type **b, const integer *ldb,                                  \
     const LAVA_ELEMENT_##scalar *beta, LAVA_ELEMENT_##type_c **c, const integer *ldc, integer group_count,  \
     const integer *group_size)
#define CBLAS_NAMES                                                                                          \
    (layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, group_count, group_size)

#define FORTRAN_LIST(integer, type, type_c, scalar)                                                          \
    (const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,           \
     const LAVA_ELEMENT_##scalar *alpha, const LAVA_ELEMENT_##type **a, const integer *lda,                  \
     const LAVA_ELEMENT_##type **b, const integer *ldb, const LAVA_ELEMENT_##scalar *beta,                   \
     LAVA_ELEMENT_##type_c **c, const integer *ldc, const integer *group_count, const integer *group_size)
#define FORTRAN_NAMES (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, group_count, group_size)

#define ARGUMENTS(entry, group_layout, group_count)                                                          \
    {                                                                                                        \
        .routine = LAVA_ROUTINE_##entry, .layout = (int)group_layout, .transa = transa, .transb = transb,    \
        .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc, .alpha = alpha, .beta = beta, .a = a,    \
        .b = b, .c = c, .count = group_count, .sizes = group_size                                            \
    }

#define BATCH_CBLAS(entry, integer, type, type_c, scalar)                                                    \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type, type_c, scalar), CBLAS_NAMES, lava_groups,             \
                     FORWARDS(integer, group_count, group_size, m, n, k),                                    \
                     ARGUMENTS(entry, layout, group_count))
#define BATCH_FORTRAN(entry, integer, type, type_c, scalar)                                                  \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type, type_c, scalar), FORTRAN_NAMES, 2, lava_groups,    \
                       FORWARDS(integer, *group_count, group_size, m, n, k),                                 \
                       ARGUMENTS(entry, 0, *group_count))

/* ?gemm_batch_strided */

#define STRIDED_CBLAS_LIST(integer, type, type_c, scalar)                                                    \
    (CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, integer m, integer n, integer k,   \
     LAVA_VALUE_##scalar alpha, const LAVA_ELEMENT_##type *a, integer lda, integer stridea,                  \
     const LAVA_ELEMENT_##type *b, integer ldb, integer strideb, LAVA_VALUE_##scalar beta,                   \
     LAVA_ELEMENT_##type_c *c, integer ldc, integer stridec, integer batch_size)
#define STRIDED_CBLAS_NAMES                                                                                  \
    (layout, transa, transb, m, n, k, alpha, a, lda, stridea, b, ldb, strideb, beta, c, ldc, stridec,        \
     batch_size)
#define STRIDED_CBLAS_ARGUMENTS(entry, scalar)                                                               \
    {                                                                                                        \
        .routine = LAVA_ROUTINE_##entry, .layout = (int)layout, .transa = &transa, .transb = &transb,        \
        .m = &m, .n = &n, .k = &k, .lda = &lda, .ldb = &ldb, .ldc = &ldc,                                    \
        .alpha = LAVA_ADDRESS_##scalar(alpha), .beta = LAVA_ADDRESS_##scalar(beta), .a = a, .b = b, .c = c,  \
        .stride_a = &stridea, .stride_b = &strideb, .stride_c = &stridec, .count = 1, .sizes = &batch_size   \
    }

#define STRIDED_FORTRAN_LIST(integer, type, type_c, scalar)                                                  \
    (const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,           \
     const LAVA_ELEMENT_##scalar *alpha, const LAVA_ELEMENT_##type *a, const integer *lda,                   \
     const integer *stridea, const LAVA_ELEMENT_##type *b, const integer *ldb, const integer *strideb,       \
     const LAVA_ELEMENT_##scalar *beta, LAVA_ELEMENT_##type_c *c, const integer *ldc,                        \
     const integer *stridec, const integer *batch_size)
#define STRIDED_FORTRAN_NAMES                                                                                \
    (transa, transb, m, n, k, alpha, a, lda, stridea, b, ldb, strideb, beta, c, ldc, stridec, batch_size)
#define STRIDED_FORTRAN_ARGUMENTS(entry)                                                                     \
    {                                                                                                        \
        .routine = LAVA_ROUTINE_##entry, .transa = transa, .transb = transb, .m = m, .n = n, .k = k,         \
        .lda = lda, .ldb = ldb, .ldc = ldc, .alpha = alpha, .beta = beta, .a = a, .b = b, .c = c,            \
        .stride_a = stridea, .stride_b = strideb, .stride_c = stridec, .count = 1, .sizes = batch_size       \
    }

#define STRIDED_CBLAS(entry, integer, type, type_c, scalar)                                                  \
    LAVA_ENTRY_CBLAS(entry, STRIDED_CBLAS_LIST(integer, type, type_c, scalar), STRIDED_CBLAS_NAMES,          \
                     lava_groups,                                                                            \
                     lava_threshold_forwards_batch((double)m *(double)n *(double)k, (double)batch_size),     \
                     STRIDED_CBLAS_ARGUMENTS(entry, scalar))
#define STRIDED_FORTRAN(entry, integer, type, type_c, scalar)                                                \
    LAVA_ENTRY_FORTRAN(                                                                                      \
        entry, STRIDED_FORTRAN_LIST(integer, type, type_c, scalar), STRIDED_FORTRAN_NAMES, 2, lava_groups,   \
        lava_threshold_forwards_batch((double)*m *(double)*n *(double)*k, (double)*batch_size),              \
        STRIDED_FORTRAN_ARGUMENTS(entry))

LAVA_BATCH_ROUTINES(LAVA_ENTRY_OF)
LAVA_STRIDED_ROUTINES(LAVA_ENTRY_OF)
