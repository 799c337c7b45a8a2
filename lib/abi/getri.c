/* Every ?getri as programs call it: the inverse of a general matrix, by its factors L and U. A question for
 * the size of the workspace, which is not used on a device, is the CPU's own routine's. If no device is worth
 * it, or U has a zero on its diagonal, that routine gets the arguments unchanged. If no CPU library has one,
 * lib/host/cpu_inverse.h computes. Reference LAPACK 3.12 defines the arguments and info. */
#include <stdlib.h>

#include "lib/abi/lapack.h"
#include "lib/abi/workspace.h"
#include "lib/host/cpu_inverse.h"

#include "lavablas_lapack.h"

/* What lib/host asks for, in columns. */
#define WORK_COLUMNS 64

struct getri_arguments {
    enum lava_routine routine;
    int64_t n, lda, lwork;
    void *a, *work;
    const void *ipiv;
    void *info; /* an integer of the routine's, as those of ipiv */
};

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct getri_arguments *x) {
    if (x->n < 0)
        return 1;
    if (lava_options_is_short(x->lda, x->n))
        return 3;
    return lava_workspace_is_short(x->lwork, x->n) ? 6 : 0;
}

/* Returns the pivots, from 0 on; NULL if nothing is to be computed, there is no memory, or one is no row.
 */
static int64_t *new_pivots(const struct getri_arguments *x) {
    bool is_idle = find_wrong(x) || lava_workspace_is_query(x->lwork);
    return is_idle ? NULL : lava_lapack_pivots(x->routine, x->ipiv, x->n);
}

/* A query computes nothing. */
static struct lava_operation operation_of(const struct getri_arguments *x, int64_t *pivots) {
    int64_t n = lava_workspace_is_query(x->lwork) ? 0 : x->n;
    const struct lava_lapack_matrix a = {n, n, x->a, x->lda};
    struct lava_operation operation = lava_lapack_operation(x->routine, LAVA_OPERATION_INVERT_LU, a);
    operation.pivots = pivots;
    operation.work = x->work;
    operation.work_columns = n > 0 ? x->lwork / n : 0;
    return operation;
}

/* The size of the workspace, as ?getri tells it at its end. */
static void write_work(const struct getri_arguments *x, int64_t columns) {
    lava_workspace_write(x->routine, x->work, lava_maximum(x->n * columns, 1));
}

static bool getri_begin(const struct getri_arguments *arguments, struct lava_call *call) {
    int64_t *pivots = new_pivots(arguments);
    *call = (struct lava_call){.routine = arguments->routine, .refuses_zeros = true};
    call->operation = operation_of(arguments, pivots);
    call->valid = !find_wrong(arguments) && (pivots || call->operation.n == 0);
    bool finished = lava_offload_begin(call);
    if (finished) {
        write_work(arguments, 1);
        lava_integers_write(arguments->routine, arguments->info, 0, call->info);
    }
    free(pivots);
    call->operation.pivots = NULL;
    return finished;
}

static void getri_compute(const struct getri_arguments *arguments) {
    int64_t *pivots = new_pivots(arguments), n = arguments->n;
    const struct lava_operation operation = operation_of(arguments, pivots);
    int wrong = find_wrong(arguments);
    int64_t info = -wrong;
    if (wrong)
        lava_xerbla(arguments->routine, wrong);
    else if (pivots)
        info = lava_cpu_parts_find_zero(&operation);
    else if (!lava_workspace_is_query(arguments->lwork))
        info = lava_integers_missing(n);
    if (pivots && info == 0)
        lava_cpu_inverse_run(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0});
    if (info == 0)
        write_work(arguments, WORK_COLUMNS);
    lava_integers_write(arguments->routine, arguments->info, 0, info);
    free(pivots);
}

#define LIST(integer, type)                                                                                  \
    (const integer *n, LAVA_ELEMENT_##type *a, const integer *lda, const integer *ipiv,                      \
     LAVA_ELEMENT_##type *work, const integer *lwork, integer *info)
#define NAMES (n, a, lda, ipiv, work, lwork, info)
#define ARGUMENTS(entry)                                                                                     \
    { LAVA_ROUTINE_##entry, *n, *lda, *lwork, a, work, ipiv, info }

/* It has no characters, so no lengths follow. */
#define GETRI_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_CBLAS(entry, LIST(integer, type), NAMES, getri,                                               \
                     lava_threshold_forwards_factorization((double)*n, (double)*n), ARGUMENTS(entry))

LAVA_GETRI_ROUTINES(LAVA_ENTRY_OF)
