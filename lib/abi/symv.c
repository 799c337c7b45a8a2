/* Every ?symv and ?hemv as programs call it: y <- alpha A x + beta y, where one triangle of the symmetric or
 * Hermitian A is stored. As ?gemv else (gemv.c). */
#include "lib/abi/entry.h"
#include "lib/abi/letters.h"
#include "lib/abi/validate.h"
#include "lib/abi/vectors.h"
#include "lib/abi/xerbla.h"
#include "lib/host/cpu_vector.h"

#include "lavablas_cblas.h"

#define symv_arguments lava_vectors_arguments /* m is n */

/* Returns the first wrong argument in Fortran's count, LAVA_VALIDATE_LAYOUT for the layout, 0 for none. */
static int find_wrong(const struct symv_arguments *x) {
    if (lava_options_is_wrong_layout(x->routine, x->layout))
        return LAVA_VALIDATE_LAYOUT;
    if (!lava_options_read_uplo(x->routine, x->option))
        return 1;
    if (x->n < 0)
        return 2;
    if (lava_options_is_short(x->lda, x->n))
        return 5;
    if (x->incx == 0)
        return 7;
    return x->incy == 0 ? 10 : 0;
}

/* A matrix by rows is the transpose of one by columns, whose stored triangle is the other one. The transpose
 * of a Hermitian A is its conjugate. */
static bool translate(const struct symv_arguments *x, struct lava_operation *operation) {
    if (find_wrong(x))
        return false;
    bool by_rows = lava_options_is_by_rows(x->routine, x->layout);
    bool is_lower = (lava_options_read_uplo(x->routine, x->option) == LAVA_UPLO_LOWER) != by_rows;
    bool is_hermitian = lava_routine_row(x->routine)->family == LAVA_FAMILY_HEMV;
    const struct lava_operand matrix = {.first = x->a,
                                        .ld = x->lda,
                                        .conjugate = is_hermitian && by_rows,
                                        .structure = is_hermitian ? LAVA_STRUCTURE_HERMITIAN
                                                                  : LAVA_STRUCTURE_SYMMETRIC,
                                        .stored = is_lower ? LAVA_REGION_LOWER : LAVA_REGION_UPPER};
    lava_vectors_translate(x, &matrix, x->n, x->n, operation);
    return true;
}

static bool symv_begin(const struct symv_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    return lava_offload_begin(call);
}

static void symv_compute(const struct symv_arguments *arguments) {
    struct lava_operation operation;
    if (translate(arguments, &operation))
        lava_cpu_vector_run(&operation);
    else
        lava_xerbla_counted(arguments->routine, find_wrong(arguments));
}

#define CBLAS_LIST(integer, type, scalar)                                                                    \
    (CBLAS_LAYOUT layout, CBLAS_UPLO uplo, integer n, LAVA_VALUE_##scalar alpha,                             \
     const LAVA_ELEMENT_##type *a, integer lda, const LAVA_ELEMENT_##type *x, integer incx,                  \
     LAVA_VALUE_##scalar beta, LAVA_ELEMENT_##type *y, integer incy)
#define CBLAS_NAMES (layout, uplo, n, alpha, a, lda, x, incx, beta, y, incy)
#define CBLAS_ARGUMENTS(entry, scalar)                                                                       \
    {                                                                                                        \
        LAVA_ROUTINE_##entry, (int)layout, (int)uplo, n, n, lda, incx, incy, LAVA_ADDRESS_##scalar(alpha),   \
            LAVA_ADDRESS_##scalar(beta), a, x, y                                                             \
    }

#define FORTRAN_LIST(integer, type, scalar)                                                                  \
    (const char *uplo, const integer *n, const LAVA_ELEMENT_##scalar *alpha, const LAVA_ELEMENT_##type *a,   \
     const integer *lda, const LAVA_ELEMENT_##type *x, const integer *incx,                                  \
     const LAVA_ELEMENT_##scalar *beta, LAVA_ELEMENT_##type *y, const integer *incy)
#define FORTRAN_NAMES (uplo, n, alpha, a, lda, x, incx, beta, y, incy)
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *uplo, *n, *n, *lda, *incx, *incy, alpha, beta, a, x, y }

#define FORWARDS(n, type) lava_threshold_forwards_vector((double)(n), (double)(n), LAVA_BYTES_##type)

#define SYMV_CBLAS(entry, integer, type, type_c, scalar)                                                     \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type, scalar), CBLAS_NAMES, symv, FORWARDS(n, type),         \
                     CBLAS_ARGUMENTS(entry, scalar))
#define SYMV_FORTRAN(entry, integer, type, type_c, scalar)                                                   \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type, scalar), FORTRAN_NAMES, 1, symv,                   \
                       FORWARDS(*n, type), FORTRAN_ARGUMENTS(entry))
#define HEMV_CBLAS   SYMV_CBLAS
#define HEMV_FORTRAN SYMV_FORTRAN

LAVA_SYMV_ROUTINES(LAVA_ENTRY_OF)
