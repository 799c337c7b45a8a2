/* Every ?gels as programs call it: the X for which op(A) X is nearest to B, by QR, or the smallest X with
 * op(A) X = B. Queries for the size of the workspace, and matrices that LAPACK scales, are the CPU's own
 * routine's, with the arguments unchanged. If no CPU library has one, lib/host/cpu_least_squares.h computes.
 * Reference LAPACK 3.12 defines the arguments, info, and what is left in A, B and work: tau, until the size
 * of the workspace takes the place of its first element. */
#include "lib/abi/lapack.h"
#include "lib/abi/workspace.h"
#include "lib/host/cpu_least_squares.h"

#include "lavablas_lapack.h"

struct gels_arguments {
    enum lava_routine routine;
    int trans; /* a character */
    int64_t m, n, nrhs, lda, ldb, lwork;
    void *a, *b, *work;
    void *info; /* an integer of the routine's */
};

/* Elements of the workspace, with blocks of n columns. */
static int64_t work_elements(const struct gels_arguments *x, int64_t block) {
    int64_t least = lava_minimum(x->m, x->n);
    return lava_maximum(1, least + lava_maximum(least, x->nrhs) * block);
}

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct gels_arguments *x) {
    const struct {
        bool is_wrong;
        int number;
    } checks[] = {
        {!lava_options_has_adjoint(x->routine, x->trans), 1},
        {x->m < 0, 2},
        {x->n < 0, 3},
        {x->nrhs < 0, 4},
        {lava_options_is_short(x->lda, x->m), 6},
        {lava_options_is_short(x->ldb, lava_maximum(x->m, x->n)), 8},
        {!lava_workspace_is_query(x->lwork) && x->lwork < work_elements(x, 1), 10},
    };
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (checks[i].is_wrong)
            return checks[i].number;
    return 0;
}

/* If there is no right-hand side LAPACK does not factor: nothing is to be computed. A query is forwarded
 * by the entry point. */
static struct lava_operation translate(const struct gels_arguments *x) {
    const struct lava_lapack_matrix a = {x->m, x->n, x->a, x->lda};
    struct lava_operation operation = lava_lapack_operation(x->routine, LAVA_OPERATION_QR, a);
    if (x->nrhs == 0)
        operation.k = 0;
    operation.tau = x->work;
    operation.adjoint = lava_options_read_trans(x->routine, x->trans) != LAVA_TRANS_NO;
    operation.sides.first = x->b;
    operation.sides.ld = x->ldb;
    operation.sides.count = x->nrhs;
    return operation;
}

/* If R has a zero on its diagonal LAPACK returns before it tells the size. */
static void write_results(const struct gels_arguments *x, int64_t info) {
    if (info == 0)
        lava_workspace_write(x->routine, x->work, work_elements(x, LAVA_WORKSPACE_BLOCK));
    lava_integers_write(x->routine, x->info, 0, info);
}

static bool gels_begin(const struct gels_arguments *arguments, struct lava_call *call) {
    *call = (struct lava_call){.routine = arguments->routine,
                               .valid = !find_wrong(arguments) && !lava_workspace_is_query(arguments->lwork),
                               .operation = translate(arguments)};
    bool finished = lava_offload_begin(call);
    if (finished)
        write_results(arguments, call->info);
    return finished;
}

static void gels_compute(const struct gels_arguments *arguments) {
    const struct lava_operation operation = translate(arguments);
    int64_t info = 0;
    if (lava_lapack_complains(arguments->routine, arguments->info, find_wrong(arguments)))
        return;
    if (!lava_workspace_is_query(arguments->lwork))
        info = lava_cpu_least_squares_compute(lava_cpu_blas_get(), &operation);
    write_results(arguments, lava_integers_told(info, arguments->n));
}

#define LIST(integer, type)                                                                                  \
    (const char *trans, const integer *m, const integer *n, const integer *nrhs, LAVA_ELEMENT_##type *a,     \
     const integer *lda, LAVA_ELEMENT_##type *b, const integer *ldb, LAVA_ELEMENT_##type *work,              \
     const integer *lwork, integer *info)
#define NAMES (trans, m, n, nrhs, a, lda, b, ldb, work, lwork, info)
#define ARGUMENTS(entry)                                                                                     \
    { LAVA_ROUTINE_##entry, *trans, *m, *n, *nrhs, *lda, *ldb, *lwork, a, b, work, info }

#define GELS_FORTRAN(entry, integer, type, ...)                                                              \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type), NAMES, 1, gels,                                           \
                       lava_workspace_is_query(*lwork) ||                                                    \
                           lava_threshold_forwards_least_squares((double)*m, (double)*n, (double)*nrhs),     \
                       ARGUMENTS(entry))

LAVA_GELS_ROUTINES(LAVA_ENTRY_OF)
