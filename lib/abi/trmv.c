/* Every ?trmv and ?trsv as programs call it: x <- op(A) x, and with the inverse of op(A) instead, where A is
 * upper or lower triangular. As ?gemv else (gemv.c). */
#include "lib/abi/entry.h"
#include "lib/abi/letters.h"
#include "lib/abi/validate.h"
#include "lib/abi/vectors.h"
#include "lib/abi/xerbla.h"
#include "lib/host/cpu_vector.h"

#include "lavablas_cblas.h"

struct trmv_arguments {
    enum lava_routine routine;
    int layout, uplo, trans, diag; /* enumerators; Fortran passes characters and no layout */
    int64_t n, lda, incx;
    const void *a;
    void *x;
};

/* Returns the first wrong argument in Fortran's count, LAVA_VALIDATE_LAYOUT for the layout, 0 for none. */
static int find_wrong(const struct trmv_arguments *x) {
    if (lava_options_is_wrong_layout(x->routine, x->layout))
        return LAVA_VALIDATE_LAYOUT;
    if (!lava_options_read_uplo(x->routine, x->uplo))
        return 1;
    if (!lava_options_read_trans(x->routine, x->trans))
        return 2;
    if (!lava_options_read_diag(x->routine, x->diag))
        return 3;
    if (x->n < 0)
        return 4;
    if (lava_options_is_short(x->lda, x->n))
        return 6;
    return x->incx == 0 ? 8 : 0;
}

/* A matrix by rows is the transpose of one by columns, whose stored triangle is the other one. */
static bool translate(const struct trmv_arguments *x, struct lava_operation *operation) {
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    bool by_rows = lava_options_is_by_rows(x->routine, x->layout), solves = row->family == LAVA_FAMILY_TRSV;
    if (find_wrong(x))
        return false;
    int trans = lava_options_read_trans(x->routine, x->trans);
    bool is_lower = (lava_options_read_uplo(x->routine, x->uplo) == LAVA_UPLO_LOWER) != by_rows;
    const struct lava_operand matrix = {
        .first = x->a,
        .ld = x->lda,
        .op = (trans == LAVA_TRANS_NO) != by_rows ? LAVA_OP_N : LAVA_OP_T,
        .conjugate = trans == LAVA_TRANS_CONJUGATE && lava_type_is_complex(row->type),
        .structure = LAVA_STRUCTURE_TRIANGULAR,
        .stored = is_lower ? LAVA_REGION_LOWER : LAVA_REGION_UPPER,
        .unit_diagonal = lava_options_read_diag(x->routine, x->diag) == LAVA_DIAG_UNIT};
    *operation = (struct lava_operation){
        .kind = solves ? LAVA_OPERATION_SOLVE_VECTOR : LAVA_OPERATION_TRIANGLE_VECTOR,
        .in_place = true,
        .type = row->type,
        .m = x->n,
        .n = 1,
        .k = x->n,
        .a = matrix,
        .c = {.first = lava_vectors_first(x->x, row->type, x->n, x->incx), .ld = x->incx, .type = row->type},
        .alpha.real = 1};
    return true;
}

static bool trmv_begin(const struct trmv_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    return lava_offload_begin(call);
}

static void trmv_compute(const struct trmv_arguments *arguments) {
    struct lava_operation operation;
    if (translate(arguments, &operation))
        lava_cpu_vector_run(&operation);
    else
        lava_xerbla_counted(arguments->routine, find_wrong(arguments));
}

#define CBLAS_LIST(integer, type)                                                                            \
    (CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, integer n,                \
     const LAVA_ELEMENT_##type *a, integer lda, LAVA_ELEMENT_##type *x, integer incx)
#define CBLAS_NAMES (layout, uplo, trans, diag, n, a, lda, x, incx)
#define CBLAS_ARGUMENTS(entry)                                                                               \
    { LAVA_ROUTINE_##entry, (int)layout, (int)uplo, (int)trans, (int)diag, n, lda, incx, a, x }

#define FORTRAN_LIST(integer, type)                                                                          \
    (const char *uplo, const char *trans, const char *diag, const integer *n, const LAVA_ELEMENT_##type *a,  \
     const integer *lda, LAVA_ELEMENT_##type *x, const integer *incx)
#define FORTRAN_NAMES (uplo, trans, diag, n, a, lda, x, incx)
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *uplo, *trans, *diag, *n, *lda, *incx, a, x }

#define FORWARDS(n, type) lava_threshold_forwards_vector((double)(n), (double)(n), LAVA_BYTES_##type)

#define TRMV_CBLAS(entry, integer, type, type_c, scalar)                                                     \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type), CBLAS_NAMES, trmv, FORWARDS(n, type),                 \
                     CBLAS_ARGUMENTS(entry))
#define TRMV_FORTRAN(entry, integer, type, type_c, scalar)                                                   \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type), FORTRAN_NAMES, 3, trmv, FORWARDS(*n, type),       \
                       FORTRAN_ARGUMENTS(entry))
#define TRSV_CBLAS   TRMV_CBLAS
#define TRSV_FORTRAN TRMV_FORTRAN

LAVA_TRMV_ROUTINES(LAVA_ENTRY_OF)
