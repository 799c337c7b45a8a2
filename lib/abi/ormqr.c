/* Every ?ormqr and ?unmqr as programs call them: products with the Q of a QR factorization, or with its
 * adjoint, from the left or from the right. See reflections.h. Reference LAPACK 3.12 defines the arguments
 * and info. */
#include "lib/abi/reflections.h"

#include "lavablas_lapack.h"

struct ormqr_arguments {
    enum lava_routine routine;
    int side, trans; /* characters */
    int64_t m, n, k, lda, ldc, lwork;
    const void *a, *tau;
    void *c, *work;
    void *info; /* an integer of the routine's */
};

static bool is_left(const struct ormqr_arguments *x) {
    return lava_options_read_side(x->routine, x->side) == LAVA_SIDE_LEFT;
}

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct ormqr_arguments *x) {
    int64_t order = is_left(x) ? x->m : x->n, others = is_left(x) ? x->n : x->m;
    const struct {
        bool is_wrong;
        int number;
    } checks[] = {{!lava_options_read_side(x->routine, x->side), 1},
                  {!lava_options_has_adjoint(x->routine, x->trans), 2},
                  {x->m < 0, 3},
                  {x->n < 0, 4},
                  {x->k < 0 || x->k > order, 5},
                  {lava_options_is_short(x->lda, order), 7},
                  {lava_options_is_short(x->ldc, x->m), 10},
                  {lava_workspace_is_short(x->lwork, others), 12}};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (checks[i].is_wrong)
            return checks[i].number;
    return 0;
}

static struct lava_reflections_arguments translate(const struct ormqr_arguments *x) {
    const struct lava_lapack_matrix c = {x->m, x->n, x->c, x->ldc};
    struct lava_operation operation =
        lava_lapack_operation(x->routine, is_left(x) ? LAVA_OPERATION_QR_LEFT : LAVA_OPERATION_QR_RIGHT, c);
    operation.k = x->k;
    operation.tau = (void *)(uintptr_t)x->tau;
    operation.adjoint = lava_options_read_trans(x->routine, x->trans) != LAVA_TRANS_NO;
    const struct lava_operand reflections = {
        .first = x->a, .ld = x->lda, .op = is_left(x) ? LAVA_OP_N : LAVA_OP_T};
    *(is_left(x) ? &operation.a : &operation.b) = reflections;
    return (struct lava_reflections_arguments){x->routine, find_wrong(x), x->lwork, is_left(x) ? x->n : x->m,
                                               x->work,    x->info,       operation};
}

#define LIST(integer, type)                                                                                  \
    (const char *side, const char *trans, const integer *m, const integer *n, const integer *k,              \
     const LAVA_ELEMENT_##type *a, const integer *lda, const LAVA_ELEMENT_##type *tau,                       \
     LAVA_ELEMENT_##type *c, const integer *ldc, LAVA_ELEMENT_##type *work, const integer *lwork,            \
     integer *info)
#define NAMES (side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info)
#define ARGUMENTS(entry)                                                                                     \
    translate(&(const struct ormqr_arguments){LAVA_ROUTINE_##entry, *side, *trans, *m, *n, *k, *lda, *ldc,   \
                                              *lwork, a, tau, c, work, info})

#define ORMQR_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type), NAMES, 2, lava_reflections,                               \
                       lava_workspace_is_query(*lwork) ||                                                    \
                           lava_threshold_forwards_reflections((double)*m, (double)*n, (double)*k),          \
                       ARGUMENTS(entry))

LAVA_ORMQR_ROUTINES(LAVA_ENTRY_OF)
