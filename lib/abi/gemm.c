/* Every ?gemm as programs call it: the names of lib/base/routines.h, in Fortran's argument list and in
 * CBLAS's. entry.h says how a call goes. */
#include "lavablas.h"
#include "lavablas_cblas.h"

#include "lib/abi/arguments.h"
#include "lib/abi/entry.h"

/* These have the form that entry.h describes. */
#define gemm_arguments lava_arguments
#define gemm_begin     lava_arguments_begin
#define gemm_compute   lava_arguments_compute

#define CBLAS_LIST(layout_type, op_type, integer, type, type_c, scalar)                                      \
    (layout_type layout, op_type transa, op_type transb, integer m, integer n, integer k,                    \
     LAVA_VALUE_##scalar alpha, const LAVA_ELEMENT_##type *a, integer lda, const LAVA_ELEMENT_##type *b,     \
     integer ldb, LAVA_VALUE_##scalar beta, LAVA_ELEMENT_##type_c *c, integer ldc)
#define CBLAS_NAMES (layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define CBLAS_ARGUMENTS(entry, scalar)                                                                       \
    {                                                                                                        \
        LAVA_ROUTINE_##entry, (int)layout, (int)transa, (int)transb, m, n, k, lda, ldb, ldc,                 \
            LAVA_ADDRESS_##scalar(alpha), LAVA_ADDRESS_##scalar(beta), a, b, c, 0                            \
    }

#define FORTRAN_LIST(integer, type, type_c, scalar)                                                          \
    (const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,           \
     const LAVA_ELEMENT_##scalar *alpha, const LAVA_ELEMENT_##type *a, const integer *lda,                   \
     const LAVA_ELEMENT_##type *b, const integer *ldb, const LAVA_ELEMENT_##scalar *beta,                    \
     LAVA_ELEMENT_##type_c *c, const integer *ldc)
#define FORTRAN_NAMES (transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *transa, *transb, *m, *n, *k, *lda, *ldb, *ldc, alpha, beta, a, b, c, 0 }

#define FORWARDS(m, n, k) lava_threshold_forwards((double)(m), (double)(n), (double)(k))

#define CBLAS(entry, layout_type, op_type, integer, type, type_c, scalar)                                    \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(layout_type, op_type, integer, type, type_c, scalar), CBLAS_NAMES,    \
                     gemm, FORWARDS(m, n, k), CBLAS_ARGUMENTS(entry, scalar))
#define GEMM_CBLAS(entry, integer, type, type_c, scalar)                                                     \
    CBLAS(entry, CBLAS_LAYOUT, CBLAS_TRANSPOSE, integer, type, type_c, scalar)
#define GEMM_OWN(entry, integer, type, type_c, scalar) CBLAS(entry, int, int, integer, type, type_c, scalar)
#define GEMM_FORTRAN(entry, integer, type, type_c, scalar)                                                   \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type, type_c, scalar), FORTRAN_NAMES, 2, gemm,           \
                       FORWARDS(*m, *n, *k), FORTRAN_ARGUMENTS(entry))

LAVA_GEMM_ROUTINES(LAVA_ENTRY_OF)
