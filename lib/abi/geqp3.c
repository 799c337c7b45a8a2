/* Every ?geqp3 as programs call it: the QR factorization of a general matrix, whose columns change places. If
 * no device is worth it, the CPU's own routine gets the arguments unchanged, as it gets every query for the
 * size of the workspace, whose answer must suit it. If no CPU library has one, lib/host/cpu_qr.h computes.
 * Reference LAPACK 3.12 defines the arguments and info. */
#include <stdlib.h>

#include "lib/abi/lapack.h"
#include "lib/abi/workspace.h"
#include "lib/host/cpu_qr.h"

#include "lavablas_lapack.h"

struct geqp3_arguments {
    enum lava_routine routine;
    int64_t m, n, lda, lwork;
    void *a, *jpvt, *tau, *work;
    void *info; /* an integer of the routine's, as those of jpvt */
};

static bool is_complex(const struct geqp3_arguments *x) {
    return lava_type_is_complex(lava_routine_type(x->routine));
}

/* The least and the best size of the workspace, which has the norms of real types, too. */
static int64_t least_work(const struct geqp3_arguments *x) {
    return lava_minimum(x->m, x->n) == 0 ? 1 : (is_complex(x) ? 1 : 3) * x->n + 1;
}
static int64_t best_work(const struct geqp3_arguments *x) {
    if (lava_minimum(x->m, x->n) == 0)
        return 1;
    return (is_complex(x) ? 0 : 2) * x->n + (x->n + 1) * LAVA_WORKSPACE_BLOCK;
}

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct geqp3_arguments *x) {
    if (x->m < 0)
        return 1;
    if (x->n < 0)
        return 2;
    if (lava_options_is_short(x->lda, x->m))
        return 4;
    return !lava_workspace_is_query(x->lwork) && x->lwork < least_work(x) ? 8 : 0;
}

/* Returns the columns' numbers as they were given; NULL if nothing is to be computed, or there is no memory.
 */
static int64_t *new_order(const struct geqp3_arguments *x) {
    bool is_idle = find_wrong(x) || lava_workspace_is_query(x->lwork);
    int64_t *order = is_idle ? NULL : lava_integers_new(x->n);
    for (int64_t j = 0; j < x->n && order; j++)
        order[j] = lava_integers_read(x->routine, x->jpvt, j);
    return order;
}

static struct lava_operation operation_of(const struct geqp3_arguments *x, int64_t *order) {
    const struct lava_lapack_matrix a = {x->m, x->n, x->a, x->lda};
    struct lava_operation operation = lava_lapack_operation(x->routine, LAVA_OPERATION_PIVOTED_QR, a);
    operation.tau = x->tau;
    operation.pivots = order;
    return operation;
}

static void write_results(const struct geqp3_arguments *x, const int64_t *order) {
    for (int64_t j = 0; j < x->n && order; j++)
        lava_integers_write(x->routine, x->jpvt, j, order[j]);
    lava_workspace_write(x->routine, x->work, best_work(x));
    lava_integers_write(x->routine, x->info, 0, 0);
}

static bool geqp3_begin(const struct geqp3_arguments *arguments, struct lava_call *call) {
    int64_t *order = new_order(arguments);
    lava_offload_init(call, arguments->routine);
    call->valid = order != NULL;
    if (order)
        call->operation = operation_of(arguments, order);
    bool finished = lava_offload_begin(call);
    if (finished)
        write_results(arguments, order);
    free(order);
    call->operation.pivots = NULL;
    return finished;
}

static void geqp3_compute(const struct geqp3_arguments *arguments) {
    if (lava_lapack_complains(arguments->routine, arguments->info, find_wrong(arguments)))
        return;
    bool is_idle = lava_workspace_is_query(arguments->lwork) || lava_minimum(arguments->m, arguments->n) == 0;
    int64_t *order = is_idle ? NULL : new_order(arguments);
    if (order) {
        const struct lava_operation operation = operation_of(arguments, order);
        lava_cpu_qr_pivoted_run(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0});
    }
    write_results(arguments, order);
    if (!order && !is_idle)
        lava_integers_write(arguments->routine, arguments->info, 0, lava_integers_missing(arguments->n));
    free(order);
}

#define GEQP3_LIST(integer, type)                                                                            \
    (const integer *m, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda, integer *jpvt,          \
     LAVA_ELEMENT_##type *tau, LAVA_ELEMENT_##type *work, const integer *lwork, integer *info)
#define GEQP3_NAMES (m, n, a, lda, jpvt, tau, work, lwork, info)
/* Complex types have norms in a workspace of their own. */
#define CGEQP3_LIST(integer, type)                                                                           \
    (const integer *m, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda, integer *jpvt,          \
     LAVA_ELEMENT_##type *tau, LAVA_ELEMENT_##type *work, const integer *lwork,                              \
     LAVA_LAPACK_REAL_##type *rwork, integer *info)
#define CGEQP3_NAMES (m, n, a, lda, jpvt, tau, work, lwork, rwork, info)
#define GEQP3_ARGUMENTS(entry)                                                                               \
    { LAVA_ROUTINE_##entry, *m, *n, *lda, *lwork, a, jpvt, tau, work, info }
#define GEQP3_FORWARDS                                                                                       \
    lava_workspace_is_query(*lwork) || lava_threshold_forwards_factorization((double)*m, (double)*n)

/* They have no characters, so no lengths follow. */
#define GEQP3_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_CBLAS(entry, GEQP3_LIST(integer, type), GEQP3_NAMES, geqp3, GEQP3_FORWARDS,                   \
                     GEQP3_ARGUMENTS(entry))
#define CGEQP3_FORTRAN(entry, integer, type, ...)                                                            \
    LAVA_ENTRY_CBLAS(entry, CGEQP3_LIST(integer, type), CGEQP3_NAMES, geqp3, GEQP3_FORWARDS,                 \
                     GEQP3_ARGUMENTS(entry))

LAVA_GEQP3_ROUTINES(LAVA_ENTRY_OF)
