/* Every ?getrf as programs call it: L and U of a general matrix, with partial pivoting. If no device is worth
 * it, the CPU's own routine gets the arguments unchanged. If no CPU library has one, lib/host/cpu_lu.h
 * computes. Reference LAPACK 3.12 defines the arguments and info. */
#include <stdlib.h>

#include "lib/abi/lapack.h"
#include "lib/host/cpu_lu.h"

#include "lavablas_lapack.h"

struct getrf_arguments {
    enum lava_routine routine;
    int64_t m, n, lda;
    void *a;
    void *ipiv, *info; /* integers of the routine's */
};

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct getrf_arguments *x) {
    if (x->m < 0)
        return 1;
    if (x->n < 0)
        return 2;
    return lava_options_is_short(x->lda, x->m) ? 4 : 0;
}

/* pivots: room for the smaller one of m and n. */
static bool translate(const struct getrf_arguments *x, int64_t *pivots, struct lava_operation *operation) {
    const struct lava_lapack_matrix a = {x->m, x->n, x->a, x->lda};
    *operation = lava_lapack_operation(x->routine, LAVA_OPERATION_LU, a);
    operation->pivots = pivots;
    return pivots && !find_wrong(x);
}

/* NULL: the arguments are wrong, there is nothing to factor, or no memory. */
static int64_t *new_pivots(const struct getrf_arguments *x) {
    return find_wrong(x) ? NULL : lava_integers_new(lava_minimum(x->m, x->n));
}

static void write_results(const struct getrf_arguments *x, const int64_t *pivots, int64_t info) {
    for (int64_t i = 0; i < lava_minimum(x->m, x->n); i++)
        lava_integers_write(x->routine, x->ipiv, i, pivots[i] + 1);
    lava_integers_write(x->routine, x->info, 0, info);
}

/* Without room for pivots the CPU's routine gets the call. */
static bool getrf_begin(const struct getrf_arguments *arguments, struct lava_call *call) {
    int64_t *pivots = new_pivots(arguments);
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, pivots, &call->operation);
    bool finished = lava_offload_begin(call) || lava_by_products_take(call);
    if (finished)
        write_results(arguments, pivots, call->info);
    free(pivots);
    call->operation.pivots = NULL;
    return finished;
}

static void getrf_compute(const struct getrf_arguments *arguments) {
    int64_t *pivots = new_pivots(arguments);
    struct lava_operation operation;
    int wrong = find_wrong(arguments);
    if (wrong)
        lava_xerbla(arguments->routine, wrong);
    if (translate(arguments, pivots, &operation))
        write_results(arguments, pivots,
                      lava_cpu_lu_run(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0}));
    else
        lava_integers_write(arguments->routine, arguments->info, 0,
                            wrong ? -wrong : lava_integers_missing(lava_minimum(arguments->m, arguments->n)));
    free(pivots);
}

#define LIST(integer, type)                                                                                  \
    (const integer *m, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda, integer *ipiv,          \
     integer *info)
#define NAMES (m, n, a, lda, ipiv, info)
#define ARGUMENTS(entry)                                                                                     \
    { LAVA_ROUTINE_##entry, *m, *n, *lda, a, ipiv, info }

/* It has no characters, so no lengths follow. */
#define GETRF_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_CBLAS(entry, LIST(integer, type), NAMES, getrf,                                               \
                     lava_threshold_forwards_factorization((double)*m, (double)*n), ARGUMENTS(entry))

LAVA_GETRF_ROUTINES(LAVA_ENTRY_OF)
