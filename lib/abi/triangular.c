/* Every ?trmm and ?trsm as programs call it: B <- alpha op(A) B, or alpha B op(A), and with the inverse of
 * op(A) instead, where A is upper or lower triangular. If no device is worth it, the CPU's own routine gets
 * the arguments unchanged. If the CPU BLAS has no such routine, lib/host/cpu_structured.h computes with its
 * ?gemm. Reference BLAS 3.12 defines the arguments and the error numbers. */
#include "lib/abi/triangular.h"

#include "lib/abi/arguments.h"
#include "lib/abi/entry.h"
#include "lib/abi/letters.h"
#include "lib/abi/validate.h"
#include "lib/abi/xerbla.h"
#include "lib/blas/structured_call.h"
#include "lib/host/cpu_blas.h"

#include "lavablas_cblas.h"

int lava_triangular_find_wrong(const struct lava_triangular_arguments *x) {
    int side = lava_options_read_side(x->routine, x->side);
    bool by_rows = lava_options_is_by_rows(x->routine, x->layout);
    if (lava_options_is_wrong_layout(x->routine, x->layout))
        return LAVA_VALIDATE_LAYOUT;
    if (!side)
        return 1;
    if (!lava_options_read_uplo(x->routine, x->uplo))
        return 2;
    if (!lava_options_read_trans(x->routine, x->trans))
        return 3;
    if (!lava_options_read_diag(x->routine, x->diag))
        return 4;
    if (x->m < 0)
        return 5;
    if (x->n < 0)
        return 6;
    if (lava_options_is_short(x->lda, side == LAVA_SIDE_LEFT ? x->m : x->n))
        return 9;
    return lava_options_is_short(x->ldb, by_rows ? x->n : x->m) ? 11 : 0;
}

/* For row-major matrices this is the operation on the transposes, which computes B's: A is on the other side,
 * and its triangle is the other one. The transpose of op(A) is op of A's transpose. */
bool lava_triangular_translate(const struct lava_triangular_arguments *x, struct lava_operation *operation) {
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    bool by_rows = lava_options_is_by_rows(x->routine, x->layout), solves = row->family != LAVA_FAMILY_TRMM;
    if (lava_triangular_find_wrong(x))
        return false;
    int trans = lava_options_read_trans(x->routine, x->trans);
    bool is_left = (lava_options_read_side(x->routine, x->side) == LAVA_SIDE_LEFT) != by_rows;
    bool is_lower = (lava_options_read_uplo(x->routine, x->uplo) == LAVA_UPLO_LOWER) != by_rows;
    const struct lava_operand general = {.first = x->b, .ld = x->ldb};
    const struct lava_operand triangular = {
        .first = x->a,
        .ld = x->lda,
        .op = trans == LAVA_TRANS_NO ? LAVA_OP_N : LAVA_OP_T,
        .conjugate = trans == LAVA_TRANS_CONJUGATE && lava_type_is_complex(row->type),
        .structure = LAVA_STRUCTURE_TRIANGULAR,
        .stored = is_lower ? LAVA_REGION_LOWER : LAVA_REGION_UPPER,
        .unit_diagonal = lava_options_read_diag(x->routine, x->diag) == LAVA_DIAG_UNIT};
    *operation = (struct lava_operation){.kind = solves ? LAVA_OPERATION_SOLVE : LAVA_OPERATION_PRODUCT,
                                         .in_place = !solves,
                                         .type = row->type,
                                         .c.type = row->type_c,
                                         .m = by_rows ? x->n : x->m,
                                         .n = by_rows ? x->m : x->n,
                                         .a = is_left ? triangular : general,
                                         .b = is_left ? general : triangular,
                                         .c.first = x->b,
                                         .c.ld = x->ldb};
    operation->k = is_left ? operation->m : operation->n;
    operation->alpha = lava_arguments_read_scalar(row->scalar, x->alpha);
    return true;
}

bool lava_triangular_begin(const struct lava_triangular_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = lava_triangular_translate(arguments, &call->operation);
    return lava_structured_begin(call);
}

void lava_triangular_compute(const struct lava_triangular_arguments *arguments) {
    struct lava_operation operation;
    if (lava_triangular_translate(arguments, &operation))
        lava_cpu_blas_run(lava_cpu_blas_get(), &operation);
    else
        lava_xerbla_counted(arguments->routine, lava_triangular_find_wrong(arguments));
}

#define CBLAS_LIST(integer, type, scalar)                                                                    \
    (CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_DIAG diag,         \
     integer m, integer n, LAVA_VALUE_##scalar alpha, const LAVA_ELEMENT_##type *a, integer lda,             \
     LAVA_ELEMENT_##type *b, integer ldb)
#define CBLAS_NAMES (layout, side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb)
#define CBLAS_ARGUMENTS(entry, scalar)                                                                       \
    {                                                                                                        \
        LAVA_ROUTINE_##entry, (int)layout, (int)side, (int)uplo, (int)transa, (int)diag, m, n, lda, ldb,     \
            LAVA_ADDRESS_##scalar(alpha), a, b                                                               \
    }

#define FORTRAN_LIST(integer, type, scalar)                                                                  \
    (const char *side, const char *uplo, const char *transa, const char *diag, const integer *m,             \
     const integer *n, const LAVA_ELEMENT_##scalar *alpha, const LAVA_ELEMENT_##type *a, const integer *lda, \
     LAVA_ELEMENT_##type *b, const integer *ldb)
#define FORTRAN_NAMES (side, uplo, transa, diag, m, n, alpha, a, lda, b, ldb)
#define FORTRAN_ARGUMENTS(entry)                                                                             \
    { LAVA_ROUTINE_##entry, 0, *side, *uplo, *transa, *diag, *m, *n, *lda, *ldb, alpha, a, b }

#define FORWARDS(is_left, m, n) lava_threshold_forwards_triangular(is_left, (double)(m), (double)(n))

#define TRMM_CBLAS(entry, integer, type, type_c, scalar)                                                     \
    LAVA_ENTRY_CBLAS(entry, CBLAS_LIST(integer, type, scalar), CBLAS_NAMES, lava_triangular,                 \
                     FORWARDS((int)side == LAVA_SIDE_LEFT, m, n), CBLAS_ARGUMENTS(entry, scalar))
#define TRMM_FORTRAN(entry, integer, type, type_c, scalar)                                                   \
    LAVA_ENTRY_FORTRAN(entry, FORTRAN_LIST(integer, type, scalar), FORTRAN_NAMES, 4, lava_triangular,        \
                       FORWARDS((*side | 0x20) == 'l', *m, *n), FORTRAN_ARGUMENTS(entry))
#define TRSM_CBLAS   TRMM_CBLAS
#define TRSM_FORTRAN TRMM_FORTRAN

LAVA_TRIANGULAR_ROUTINES(LAVA_ENTRY_OF)
