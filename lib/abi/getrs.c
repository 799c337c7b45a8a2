/* Every ?getrs and ?gesv as programs call them: the X with A X = B for a general A, by its factors L and U.
 * ?getrs also solves with a transposed A; ?gesv factors A first. If no device is worth it, the CPU's own
 * routine gets the arguments unchanged. If no CPU library has one, lib/host computes. Reference LAPACK 3.12
 * defines the arguments and info. */
#include <stdlib.h>

#include "lib/abi/lapack.h"
#include "lib/host/cpu_systems.h"
#include "lib/offload/vectors.h"

#include "lavablas_lapack.h"

struct getrs_arguments {
    enum lava_routine routine;
    int trans; /* a character; ?gesv: 'N' */
    int64_t n, nrhs, lda, ldb;
    const void *a; /* ?gesv writes to A and ipiv */
    const void *ipiv;
    void *b;
    void *info; /* an integer of the routine's, as those of ipiv */
};

static bool is_gesv(const struct getrs_arguments *x) {
    return lava_routine_row(x->routine)->family == LAVA_FAMILY_GESV;
}

/* Returns the first wrong argument in Fortran's count, 0 for none. ?gesv has no trans. */
static int find_wrong(const struct getrs_arguments *x) {
    int missing = is_gesv(x) ? 1 : 0;
    if (!lava_options_read_trans(x->routine, x->trans))
        return 1;
    if (x->n < 0)
        return 2 - missing;
    if (x->nrhs < 0)
        return 3 - missing;
    if (lava_options_is_short(x->lda, x->n))
        return 5 - missing;
    return lava_options_is_short(x->ldb, x->n) ? 8 - missing : 0;
}

static struct lava_operation translate(const struct getrs_arguments *x, int64_t *pivots) {
    const struct lava_lapack_matrix a = {x->n, x->n, x->a, x->lda};
    struct lava_operation operation = lava_lapack_operation(x->routine, LAVA_OPERATION_LU, a);
    int trans = lava_options_read_trans(x->routine, x->trans);
    operation.pivots = pivots;
    operation.sides.first = x->b;
    operation.sides.ld = x->ldb;
    operation.sides.count = x->nrhs;
    operation.sides.op = trans == LAVA_TRANS_NO ? LAVA_OP_N : LAVA_OP_T;
    operation.sides.conjugate = trans == LAVA_TRANS_CONJUGATE && lava_type_is_complex(operation.type);
    operation.sides.factored = !is_gesv(x);
    return operation;
}

/* Makes room for the pivots, and reads those of ?getrs. NULL: the arguments are wrong, there is nothing to
 * solve, a pivot is no row, or no memory. */
static int64_t *new_pivots(const struct getrs_arguments *x) {
    if (find_wrong(x))
        return NULL;
    return is_gesv(x) ? lava_integers_new(x->n) : lava_lapack_pivots(x->routine, x->ipiv, x->n);
}

static void write_results(const struct getrs_arguments *x, const int64_t *pivots, int64_t info) {
    for (int64_t i = 0; i < x->n && is_gesv(x); i++)
        lava_integers_write(x->routine, (void *)(uintptr_t)x->ipiv, i, pivots[i] + 1);
    lava_integers_write(x->routine, x->info, 0, info);
}

/* ?gesv without right-hand sides is the CPU's: OpenBLAS leaves A as it is, the reference factors it. So the
 * device gets nothing. */
static bool getrs_begin(const struct getrs_arguments *arguments, struct lava_call *call) {
    int64_t *pivots = new_pivots(arguments);
    *call = (struct lava_call){
        .routine = arguments->routine, .valid = pivots, .operation = translate(arguments, pivots)};
    if (arguments->nrhs == 0 && is_gesv(arguments))
        call->operation.m = call->operation.n = call->operation.k = 0;
    lava_vectors_adopt(call);
    bool finished = lava_offload_begin(call) || lava_by_products_take(call);
    if (finished)
        write_results(arguments, pivots, call->info);
    free(pivots);
    call->operation.pivots = NULL;
    return finished;
}

static void getrs_compute(const struct getrs_arguments *arguments) {
    int64_t *pivots = new_pivots(arguments);
    const struct lava_operation operation = translate(arguments, pivots);
    int wrong = find_wrong(arguments);
    if (wrong)
        lava_xerbla(arguments->routine, wrong);
    if (pivots)
        write_results(arguments, pivots,
                      lava_cpu_systems_run(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0}));
    else
        lava_integers_write(arguments->routine, arguments->info, 0,
                            wrong ? -wrong : lava_integers_missing(arguments->n));
    free(pivots);
}

#define GETRS_LIST(integer, type)                                                                            \
    (const char *trans, const integer *n, const integer *nrhs, const LAVA_ELEMENT_##type *a,                 \
     const integer *lda, const integer *ipiv, LAVA_ELEMENT_##type *b, const integer *ldb, integer *info)
#define GETRS_NAMES (trans, n, nrhs, a, lda, ipiv, b, ldb, info)
#define GETRS_ARGUMENTS(entry)                                                                               \
    { LAVA_ROUTINE_##entry, *trans, *n, *nrhs, *lda, *ldb, a, ipiv, b, info }
#define GETRS_FORWARDS(type)                                                                                 \
    (lava_threshold_forwards_square(1, (double)*n, (double)*nrhs) &&                                         \
     lava_threshold_forwards_sides((double)*n, (double)*nrhs, LAVA_BYTES_##type))
#define GETRS_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, GETRS_LIST(integer, type), GETRS_NAMES, 1, getrs, GETRS_FORWARDS(type),        \
                       GETRS_ARGUMENTS(entry))

#define GESV_LIST(integer, type)                                                                             \
    (const integer *n, const integer *nrhs, LAVA_ELEMENT_##type *a, const integer *lda, integer *ipiv,       \
     LAVA_ELEMENT_##type *b, const integer *ldb, integer *info)
#define GESV_NAMES (n, nrhs, a, lda, ipiv, b, ldb, info)
#define GESV_ARGUMENTS(entry)                                                                                \
    { LAVA_ROUTINE_##entry, 'N', *n, *nrhs, *lda, *ldb, a, ipiv, b, info }
/* It has no characters, so no lengths follow. */
#define GESV_FORTRAN(entry, integer, type, ...)                                                              \
    LAVA_ENTRY_CBLAS(entry, GESV_LIST(integer, type), GESV_NAMES, getrs,                                     \
                     lava_threshold_forwards_systems((double)*n, (double)*nrhs), GESV_ARGUMENTS(entry))

LAVA_GETRS_ROUTINES(LAVA_ENTRY_OF)
LAVA_GESV_ROUTINES(LAVA_ENTRY_OF)
