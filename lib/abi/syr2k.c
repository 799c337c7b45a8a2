/* Every ?syr2k and ?her2k as programs call it. It writes one triangle of C <- alpha A B' + alpha' B A' + beta
 * C, or of C <- alpha A' B + alpha' B' A + beta C. X' is X transposed; for ?her2k it is also conjugated, and
 * beta is real. If no device is worth it, the CPU's own routine gets the arguments unchanged. If the CPU BLAS
 * has no such routine, its ?gemm computes the triangle (lib/host/cpu_structured.h). Reference BLAS 3.12
 * defines the arguments and the error numbers. */
#include "lib/abi/entry.h"
#include "lib/abi/syrk.h"

#include "lavablas_cblas.h"

#define CBLAS_LIST(integer, type, scalar)                                                                    \
    (CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, integer n, integer k,                      \
     LAVA_VALUE_##type alpha, const LAVA_ELEMENT_##type *a, integer lda, const LAVA_ELEMENT_##type *b,       \
     integer ldb, LAVA_VALUE_##scalar beta, LAVA_ELEMENT_##type *c, integer ldc)
#define CBLAS_NAMES (layout, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define CBLAS_ARGUMENTS(entry, type, scalar)                                                                 \
    {                                                                                                        \
        LAVA_ROUTINE_##entry, (int)layout, (int)uplo, (int)trans, n, k, lda, ldb, ldc,                       \
            LAVA_ADDRESS_##type(alpha), LAVA_ADDRESS_##scalar(beta), a, b, c                                 \
    }

#define FORTRAN_LIST(integer, type, scalar)                                                                  \
    (const char *uplo, const char *trans, const integer *n, const integer *k,                                \
     const LAVA_ELEMENT_##type *alpha, const LAVA_ELEMENT_##type *a, const integer *lda,                     \
     const LAVA_ELEMENT_##type *b, const integer *ldb, const LAVA_ELEMENT_##scalar *beta,                    \
     LAVA_ELEMENT_##type *c, const integer *ldc)
#define FORTRAN_NAMES (uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *uplo, *trans, *n, *k, *lda, *ldb, *ldc, alpha, beta, a, b, c }

#define FORWARDS(n, k) lava_threshold_forwards_two_triangles((double)(n), (double)(k))

#define SYR2K_CBLAS(entry, integer, type, type_c, scalar)                                                    \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type, scalar), CBLAS_NAMES, lava_syrk, FORWARDS(n, k),       \
                     CBLAS_ARGUMENTS(entry, type, scalar))
#define SYR2K_FORTRAN(entry, integer, type, type_c, scalar)                                                  \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type, scalar), FORTRAN_NAMES, 2, lava_syrk,              \
                       FORWARDS(*n, *k), FORTRAN_ARGUMENTS(entry))

LAVA_SYR2K_ROUTINES(LAVA_ENTRY_OF)
