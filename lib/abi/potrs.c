/* Every ?potrs and ?posv as programs call them: the X with A X = B for a symmetric or Hermitian A that is
 * positive definite, by its Cholesky factor. ?posv factors A first. If no device is worth it, or the matrix
 * is not positive definite, the CPU's own routine gets the arguments unchanged. If no CPU library has one,
 * lib/host computes. Reference LAPACK 3.12 defines the arguments and info. */
#include "lib/abi/lapack.h"
#include "lib/host/cpu_systems.h"
#include "lib/offload/vectors.h"

#include "lavablas_lapack.h"

struct potrs_arguments {
    enum lava_routine routine;
    int uplo; /* a character */
    int64_t n, nrhs, lda, ldb;
    const void *a; /* ?posv writes to it */
    void *b;
    void *info; /* an integer of the routine's */
};

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct potrs_arguments *x) {
    if (!lava_options_read_uplo(x->routine, x->uplo))
        return 1;
    if (x->n < 0)
        return 2;
    if (x->nrhs < 0)
        return 3;
    if (lava_options_is_short(x->lda, x->n))
        return 5;
    return lava_options_is_short(x->ldb, x->n) ? 7 : 0;
}

static struct lava_operation translate(const struct potrs_arguments *x) {
    const struct lava_lapack_matrix a = {x->n, x->n, x->a, x->lda};
    struct lava_operation operation = lava_lapack_operation(x->routine, LAVA_OPERATION_CHOLESKY, a);
    operation.c.region = lava_lapack_region(x->routine, x->uplo);
    operation.c.real_diagonal = lava_type_is_complex(operation.type);
    operation.sides.first = x->b;
    operation.sides.ld = x->ldb;
    operation.sides.count = x->nrhs;
    operation.sides.factored = lava_routine_row(x->routine)->family == LAVA_FAMILY_POTRS;
    return operation;
}

static bool potrs_begin(const struct potrs_arguments *arguments, struct lava_call *call) {
    *call = (struct lava_call){
        .routine = arguments->routine, .valid = !find_wrong(arguments), .operation = translate(arguments)};
    lava_vectors_adopt(call);
    return lava_lapack_begin(call, arguments->info);
}

static void potrs_compute(const struct potrs_arguments *arguments) {
    const struct lava_operation operation = translate(arguments);
    int wrong = find_wrong(arguments);
    if (wrong)
        lava_xerbla(arguments->routine, wrong);
    int64_t info =
        wrong ? -wrong : lava_cpu_systems_run(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0});
    lava_integers_write(arguments->routine, arguments->info, 0, info);
}

#define LIST(integer, type, qualifier)                                                                       \
    (const char *uplo, const integer *n, const integer *nrhs, qualifier LAVA_ELEMENT_##type *a,              \
     const integer *lda, LAVA_ELEMENT_##type *b, const integer *ldb, integer *info)
#define NAMES (uplo, n, nrhs, a, lda, b, ldb, info)
#define ARGUMENTS(entry)                                                                                     \
    { LAVA_ROUTINE_##entry, *uplo, *n, *nrhs, *lda, *ldb, a, b, info }

#define FORWARDS(type)                                                                                       \
    (lava_threshold_forwards_square(1, (double)*n, (double)*nrhs) &&                                         \
     lava_threshold_forwards_sides((double)*n, (double)*nrhs, LAVA_BYTES_##type))
#define POTRS_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type, const), NAMES, 1, potrs, FORWARDS(type), ARGUMENTS(entry))
#define POSV_FORTRAN(entry, integer, type, ...)                                                              \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type, ), NAMES, 1, potrs,                                        \
                       lava_threshold_forwards_systems((double)*n, (double)*nrhs), ARGUMENTS(entry))

LAVA_POTRS_ROUTINES(LAVA_ENTRY_OF)
LAVA_POSV_ROUTINES(LAVA_ENTRY_OF)
