/* Every ?sytrd and ?hetrd as programs call them: a symmetric or Hermitian matrix becomes tridiagonal. If no
 * device is worth it, or a number is not finite, the CPU's own routine gets the arguments unchanged, as it
 * gets every query for the size of the workspace, whose answer must suit it. If no CPU library has one,
 * lib/host/cpu_tridiagonal.h computes. Reference LAPACK 3.12 defines the arguments and info. */
#include "lib/abi/lapack.h"
#include "lib/abi/workspace.h"
#include "lib/host/cpu_tridiagonal.h"

#include "lavablas_lapack.h"

struct sytrd_arguments {
    enum lava_routine routine;
    int uplo; /* a character */
    int64_t n, lda, lwork;
    void *a, *d, *e, *tau, *work;
    void *info; /* an integer of the routine's */
};

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct sytrd_arguments *x) {
    if (!lava_options_read_uplo(x->routine, x->uplo))
        return 1;
    if (x->n < 0)
        return 2;
    if (lava_options_is_short(x->lda, x->n))
        return 4;
    return lava_workspace_is_short(x->lwork, 1) ? 9 : 0;
}

/* A query is forwarded by the entry point, and computes nothing. */
static bool translate(const struct sytrd_arguments *x, struct lava_operation *operation) {
    const struct lava_lapack_matrix a = {x->n, x->n, x->a, x->lda};
    *operation = lava_lapack_operation(x->routine, LAVA_OPERATION_TRIDIAGONAL, a);
    operation->c.region = lava_lapack_region(x->routine, x->uplo);
    operation->c.real_diagonal = lava_type_is_complex(operation->type);
    operation->tau = x->tau;
    operation->diagonal = x->d;
    operation->beside = x->e;
    return !find_wrong(x) && !lava_workspace_is_query(x->lwork);
}

static void write_results(const struct sytrd_arguments *x) {
    lava_workspace_tell(x->routine, x->work, x->n);
    lava_integers_write(x->routine, x->info, 0, 0);
}

static bool sytrd_begin(const struct sytrd_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    bool finished = lava_offload_begin(call);
    if (finished)
        write_results(arguments);
    return finished;
}

static void sytrd_compute(const struct sytrd_arguments *arguments) {
    struct lava_operation operation;
    if (lava_lapack_complains(arguments->routine, arguments->info, find_wrong(arguments)))
        return;
    if (translate(arguments, &operation) && operation.n > 0)
        lava_cpu_tridiagonal_run(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0});
    write_results(arguments);
}

/* D and E are real. */
#define REAL_FP32  float
#define REAL_FP64  double
#define REAL_CFP32 float
#define REAL_CFP64 double

#define LIST(integer, type)                                                                                  \
    (const char *uplo, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda, REAL_##type *d,         \
     REAL_##type *e, LAVA_ELEMENT_##type *tau, LAVA_ELEMENT_##type *work, const integer *lwork,              \
     integer *info)
#define NAMES (uplo, n, a, lda, d, e, tau, work, lwork, info)
#define ARGUMENTS(entry)                                                                                     \
    { LAVA_ROUTINE_##entry, *uplo, *n, *lda, *lwork, a, d, e, tau, work, info }

#define SYTRD_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type), NAMES, 1, sytrd,                                          \
                       lava_workspace_is_query(*lwork) ||                                                    \
                           lava_threshold_forwards_factorization((double)*n, (double)*n),                    \
                       ARGUMENTS(entry))

LAVA_SYTRD_ROUTINES(LAVA_ENTRY_OF)
