/* Every ?ormbr and ?unmbr as programs call them: products with the Q of a bidiagonal form, or with its P, or
 * with their adjoints, from the left or from the right. Q is ?ormqr's, and P^H that of an LQ factorization,
 * whose reflections are rows. See reflections.h. Reference LAPACK 3.12 defines the arguments and info. */
#include "lib/abi/reflections.h"

#include "lavablas_lapack.h"

struct ormbr_arguments {
    enum lava_routine routine;
    int vect, side, trans; /* characters */
    int64_t m, n, k, lda, ldc, lwork;
    const void *a, *tau;
    void *c, *work;
    void *info; /* an integer of the routine's */
};

static bool is_q(const struct ormbr_arguments *x) {
    return x->vect == 'Q' || x->vect == 'q';
}

static bool is_left(const struct ormbr_arguments *x) {
    return lava_options_read_side(x->routine, x->side) == LAVA_SIDE_LEFT;
}

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct ormbr_arguments *x) {
    int64_t order = is_left(x) ? x->m : x->n, others = is_left(x) ? x->n : x->m;
    const struct {
        bool is_wrong;
        int number;
    } checks[] = {{!is_q(x) && x->vect != 'P' && x->vect != 'p', 1},
                  {!lava_options_read_side(x->routine, x->side), 2},
                  {!lava_options_has_adjoint(x->routine, x->trans), 3},
                  {x->m < 0, 4},
                  {x->n < 0, 5},
                  {x->k < 0, 6},
                  {lava_options_is_short(x->lda, is_q(x) ? order : lava_minimum(order, x->k)), 8},
                  {lava_options_is_short(x->ldc, x->m), 11},
                  {lava_workspace_is_short(x->lwork, others), 13}};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (checks[i].is_wrong)
            return checks[i].number;
    return 0;
}

/* Reflections that begin beside the diagonal leave the first row of op(C) as it is. */
static struct lava_reflections_arguments translate(const struct ormbr_arguments *x) {
    enum lava_type type = lava_routine_type(x->routine);
    int64_t order = is_left(x) ? x->m : x->n,
            by = order > 0 && (is_q(x) ? order < x->k : order <= x->k) ? 1 : 0, rows = is_left(x) ? by : 0,
            columns = is_left(x) ? 0 : by;
    const struct lava_lapack_matrix c = {x->m - rows, x->n - columns,
                                         lava_operation_element(x->c, type, rows, columns, x->ldc), x->ldc};
    struct lava_operation operation =
        lava_lapack_operation(x->routine, is_left(x) ? LAVA_OPERATION_QR_LEFT : LAVA_OPERATION_QR_RIGHT, c);
    operation.k = by ? order - 1 : x->k;
    operation.tau = (void *)(uintptr_t)x->tau;
    operation.adjoint = lava_options_read_trans(x->routine, x->trans) != LAVA_TRANS_NO;
    const struct lava_operand reflections = {
        .first = lava_operation_element(x->a, type, is_q(x) ? by : 0, is_q(x) ? 0 : by, x->lda),
        .ld = x->lda,
        .op = is_left(x) == is_q(x) ? LAVA_OP_N : LAVA_OP_T};
    *(is_left(x) ? &operation.a : &operation.b) = reflections;
    bool is_empty = x->m == 0 || x->n == 0;
    return (struct lava_reflections_arguments){
        x->routine, find_wrong(x), x->lwork, is_empty ? 0 : is_left(x) ? x->n : x->m,
        x->work,    x->info,       operation};
}

#define LIST(integer, type)                                                                                  \
    (const char *vect, const char *side, const char *trans, const integer *m, const integer *n,              \
     const integer *k, const LAVA_ELEMENT_##type *a, const integer *lda, const LAVA_ELEMENT_##type *tau,     \
     LAVA_ELEMENT_##type *c, const integer *ldc, LAVA_ELEMENT_##type *work, const integer *lwork,            \
     integer *info)
#define NAMES (vect, side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info)
#define ARGUMENTS(entry)                                                                                     \
    translate(&(const struct ormbr_arguments){LAVA_ROUTINE_##entry, *vect, *side, *trans, *m, *n, *k, *lda,  \
                                              *ldc, *lwork, a, tau, c, work, info})

#define ORMBR_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type), NAMES, 3, lava_reflections,                               \
                       lava_workspace_is_query(*lwork) ||                                                    \
                           lava_threshold_forwards_reflections((double)*m, (double)*n, (double)*k),          \
                       ARGUMENTS(entry))

LAVA_ORMBR_ROUTINES(LAVA_ENTRY_OF)
