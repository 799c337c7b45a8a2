/* Every ?potrf, ?potri and ?lauum as programs call them: the Cholesky factor of a symmetric or Hermitian
 * matrix that is positive definite, the inverse by that factor, and a factor's product with itself. If no
 * device is worth it, the matrix is not positive definite, or the factor has a zero on its diagonal, the
 * CPU's own routine gets the arguments unchanged. If no CPU library has one, lib/host/cpu_cholesky.h and
 * lib/host/cpu_inverse.h compute. Reference LAPACK 3.12 defines the arguments and info. */
#include "lib/abi/lapack.h"
#include "lib/host/cpu_cholesky.h"
#include "lib/host/cpu_inverse.h"

#include "lavablas_lapack.h"

struct potrf_arguments {
    enum lava_routine routine;
    int uplo; /* a character */
    int64_t n, lda;
    void *a;
    void *info; /* an integer of the routine's */
};

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct potrf_arguments *x) {
    if (!lava_options_read_uplo(x->routine, x->uplo))
        return 1;
    if (x->n < 0)
        return 2;
    return lava_options_is_short(x->lda, x->n) ? 4 : 0;
}

static enum lava_operation_kind kind_of(const struct potrf_arguments *x) {
    switch (lava_routine_row(x->routine)->family) {
    case LAVA_FAMILY_LAUUM:
        return LAVA_OPERATION_SQUARE_TRIANGLE;
    case LAVA_FAMILY_POTRI:
        return LAVA_OPERATION_INVERT_CHOLESKY;
    default:
        return LAVA_OPERATION_CHOLESKY;
    }
}

static bool translate(const struct potrf_arguments *x, struct lava_operation *operation) {
    const struct lava_lapack_matrix a = {x->n, x->n, x->a, x->lda};
    *operation = lava_lapack_operation(x->routine, kind_of(x), a);
    operation->c.region = lava_lapack_region(x->routine, x->uplo);
    operation->c.real_diagonal = lava_type_is_complex(operation->type);
    return !find_wrong(x);
}

static bool potrf_begin(const struct potrf_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    call->refuses_zeros = call->valid && call->operation.kind == LAVA_OPERATION_INVERT_CHOLESKY;
    return lava_lapack_begin(call, arguments->info);
}

/* Returns info. */
static int64_t compute(const struct lava_operation *operation) {
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    if (operation->kind == LAVA_OPERATION_CHOLESKY)
        return lava_cpu_cholesky_run(blas, operation, (struct lava_cpu_done){0});
    bool inverts = operation->kind == LAVA_OPERATION_INVERT_CHOLESKY;
    int64_t zero = inverts ? lava_cpu_parts_find_zero(operation) : 0;
    if (zero == 0)
        lava_cpu_inverse_run(blas, operation, (struct lava_cpu_done){0});
    return zero;
}

static void potrf_compute(const struct potrf_arguments *arguments) {
    struct lava_operation operation;
    int wrong = find_wrong(arguments);
    if (wrong)
        lava_xerbla(arguments->routine, wrong);
    int64_t info = translate(arguments, &operation) ? compute(&operation) : -wrong;
    lava_integers_write(arguments->routine, arguments->info, 0, info);
}

#define LIST(integer, type)                                                                                  \
    (const char *uplo, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda, integer *info,          \
     size_t uplo_length)

#define NAMES (uplo, n, a, lda, info, uplo_length)
#define ARGUMENTS(entry)                                                                                     \
    { LAVA_ROUTINE_##entry, *uplo, *n, *lda, a, info }

/* The length is the sixth argument, in a register, where a compiler may keep something else once nobody reads
 * it; clang does. So the jump passes it on by name: no memory of the caller's is written. */
#define POTRF_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type), NAMES, 0, potrf,                                          \
                       lava_threshold_forwards_factorization((double)*n, (double)*n), ARGUMENTS(entry))

#define POTRI_FORTRAN POTRF_FORTRAN
#define LAUUM_FORTRAN POTRF_FORTRAN

LAVA_POTRF_ROUTINES(LAVA_ENTRY_OF)
LAVA_LAUUM_ROUTINES(LAVA_ENTRY_OF)
LAVA_POTRI_ROUTINES(LAVA_ENTRY_OF)
