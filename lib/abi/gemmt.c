/* Every ?gemmt and ?gemmtr as programs call it: one triangle of C <- alpha op(A) op(B) + beta C, which is
 * n x n. If no device is worth it, the CPU's own routine gets the arguments untouched; if it has none,
 * its ?gemm computes the triangle (lib/host/cpu_triangle.h). */
#include "lib/abi/arguments.h"
#include "lib/abi/entry.h"
#include "lib/abi/letters.h"
#include "lib/abi/validate.h"
#include "lib/abi/xerbla.h"
#include "lib/blas/triangle_call.h"
#include "lib/host/cpu_blas.h"

#include "lavablas_cblas.h"

/* ?gemm's, of n x n results. */
#define gemmt_arguments lava_arguments

/* For matrices by rows the transpose is computed, whose lower triangle is the upper one. */
static bool translate(const struct lava_arguments *x, struct lava_operation *triangle) {
    bool by_rows = lava_options_is_by_rows(x->routine, x->layout);
    int uplo = lava_options_read_uplo(x->routine, x->uplo);
    if (!uplo || !lava_arguments_translate(x, triangle))
        return false;
    bool is_lower = (uplo == LAVA_UPLO_LOWER) != by_rows;
    triangle->c.region = is_lower ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
    return true;
}

/* The list is ?gemm's with uplo before the operations, and m left out after them. */
static void complain(const struct lava_arguments *x) {
    int cblas = !lava_options_is_fortran(x->routine);
    int number = lava_arguments_find_wrong(x);
    if (number == LAVA_VALIDATE_LAYOUT)
        number = 0;
    else if (!lava_options_read_uplo(x->routine, x->uplo))
        number = 1;
    else if (number <= 3)
        number++;
    lava_xerbla(x->routine, number + cblas);
}

static bool gemmt_begin(const struct lava_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    return lava_triangle_begin(call);
}

static void gemmt_compute(const struct lava_arguments *arguments) {
    struct lava_operation triangle;
    if (translate(arguments, &triangle))
        lava_cpu_blas_run(lava_cpu_blas_get(), &triangle);
    else
        complain(arguments);
}

#define CBLAS_LIST(integer, type, scalar)                                                                    \
    (CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, integer n,        \
     integer k, LAVA_VALUE_##scalar alpha, const LAVA_ELEMENT_##type *a, integer lda,                        \
     const LAVA_ELEMENT_##type *b, integer ldb, LAVA_VALUE_##scalar beta, LAVA_ELEMENT_##type *c,            \
     integer ldc)
#define CBLAS_NAMES (layout, uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define CBLAS_ARGUMENTS(entry, scalar)                                                                       \
    {                                                                                                        \
        LAVA_ROUTINE_##entry, (int)layout, (int)transa, (int)transb, n, n, k, lda, ldb, ldc,                 \
            LAVA_ADDRESS_##scalar(alpha), LAVA_ADDRESS_##scalar(beta), a, b, c, (int)uplo                    \
    }

#define FORTRAN_LIST(integer, type, scalar)                                                                  \
    (const char *uplo, const char *transa, const char *transb, const integer *n, const integer *k,           \
     const LAVA_ELEMENT_##scalar *alpha, const LAVA_ELEMENT_##type *a, const integer *lda,                   \
     const LAVA_ELEMENT_##type *b, const integer *ldb, const LAVA_ELEMENT_##scalar *beta,                    \
     LAVA_ELEMENT_##type *c, const integer *ldc)
#define FORTRAN_NAMES (uplo, transa, transb, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *transa, *transb, *n, *n, *k, *lda, *ldb, *ldc, alpha, beta, a, b, c, *uplo }

#define GEMMT_CBLAS(entry, integer, type, type_c, scalar)                                                    \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type, scalar), CBLAS_NAMES, gemmt,                           \
                     lava_threshold_forwards_triangle((double)n, (double)k), CBLAS_ARGUMENTS(entry, scalar))
#define GEMMT_FORTRAN(entry, integer, type, type_c, scalar)                                                  \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type, scalar), FORTRAN_NAMES, 3, gemmt,                  \
                       lava_threshold_forwards_triangle((double)*n, (double)*k), FORTRAN_ARGUMENTS(entry))

LAVA_GEMMT_ROUTINES(LAVA_ENTRY_OF)
