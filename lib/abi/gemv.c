/* Every ?gemv as programs call it: y <- alpha op(A) x + beta y. A matrix that is not on the device stays
 * where it is: the CPU's own routine gets the arguments unchanged. If the CPU BLAS has no such routine,
 * lib/host/cpu_vector.h computes. Reference BLAS 3.12 defines the arguments and the error numbers. */
#include "lib/abi/entry.h"
#include "lib/abi/letters.h"
#include "lib/abi/validate.h"
#include "lib/abi/vectors.h"
#include "lib/abi/xerbla.h"
#include "lib/host/cpu_vector.h"

#include "lavablas_cblas.h"

#define gemv_arguments lava_vectors_arguments

/* Returns the first wrong argument in Fortran's count, LAVA_VALIDATE_LAYOUT for the layout, 0 for none. */
static int find_wrong(const struct gemv_arguments *x) {
    if (lava_options_is_wrong_layout(x->routine, x->layout))
        return LAVA_VALIDATE_LAYOUT;
    if (!lava_options_read_trans(x->routine, x->option))
        return 1;
    if (x->m < 0)
        return 2;
    if (x->n < 0)
        return 3;
    if (lava_options_is_short(x->lda, lava_options_is_by_rows(x->routine, x->layout) ? x->n : x->m))
        return 6;
    if (x->incx == 0)
        return 8;
    return x->incy == 0 ? 11 : 0;
}

/* A matrix by rows is the transpose of one by columns. */
static bool translate(const struct gemv_arguments *x, struct lava_operation *operation) {
    if (find_wrong(x))
        return false;
    int trans = lava_options_read_trans(x->routine, x->option);
    bool is_n = trans == LAVA_TRANS_NO, by_rows = lava_options_is_by_rows(x->routine, x->layout);
    const struct lava_operand matrix = {.first = x->a,
                                        .ld = x->lda,
                                        .op = is_n != by_rows ? LAVA_OP_N : LAVA_OP_T,
                                        .conjugate = trans == LAVA_TRANS_CONJUGATE &&
                                                     lava_type_is_complex(lava_routine_type(x->routine))};
    lava_vectors_translate(x, &matrix, is_n ? x->m : x->n, is_n ? x->n : x->m, operation);
    return true;
}

static bool gemv_begin(const struct gemv_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    return lava_offload_begin(call);
}

static void gemv_compute(const struct gemv_arguments *arguments) {
    struct lava_operation operation;
    if (translate(arguments, &operation))
        lava_cpu_vector_run(&operation);
    else
        lava_xerbla_counted(arguments->routine, find_wrong(arguments));
}

#define CBLAS_LIST(integer, type, scalar)                                                                    \
    (CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, integer m, integer n, LAVA_VALUE_##scalar alpha,            \
     const LAVA_ELEMENT_##type *a, integer lda, const LAVA_ELEMENT_##type *x, integer incx,                  \
     LAVA_VALUE_##scalar beta, LAVA_ELEMENT_##type *y, integer incy)
#define CBLAS_NAMES (layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy)
#define CBLAS_ARGUMENTS(entry, scalar)                                                                       \
    {                                                                                                        \
        LAVA_ROUTINE_##entry, (int)layout, (int)trans, m, n, lda, incx, incy, LAVA_ADDRESS_##scalar(alpha),  \
            LAVA_ADDRESS_##scalar(beta), a, x, y                                                             \
    }

#define FORTRAN_LIST(integer, type, scalar)                                                                  \
    (const char *trans, const integer *m, const integer *n, const LAVA_ELEMENT_##scalar *alpha,              \
     const LAVA_ELEMENT_##type *a, const integer *lda, const LAVA_ELEMENT_##type *x, const integer *incx,    \
     const LAVA_ELEMENT_##scalar *beta, LAVA_ELEMENT_##type *y, const integer *incy)
#define FORTRAN_NAMES (trans, m, n, alpha, a, lda, x, incx, beta, y, incy)
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *trans, *m, *n, *lda, *incx, *incy, alpha, beta, a, x, y }

#define FORWARDS(m, n, type) lava_threshold_forwards_vector((double)(m), (double)(n), LAVA_BYTES_##type)

#define GEMV_CBLAS(entry, integer, type, type_c, scalar)                                                     \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type, scalar), CBLAS_NAMES, gemv, FORWARDS(m, n, type),      \
                     CBLAS_ARGUMENTS(entry, scalar))
#define GEMV_FORTRAN(entry, integer, type, type_c, scalar)                                                   \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type, scalar), FORTRAN_NAMES, 1, gemv,                   \
                       FORWARDS(*m, *n, type), FORTRAN_ARGUMENTS(entry))

LAVA_GEMV_ROUTINES(LAVA_ENTRY_OF)
