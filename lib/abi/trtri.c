/* Every ?trtri as programs call it: the inverse of an upper or lower triangular matrix. If no device is worth
 * it, or an element of the diagonal is exactly zero, the CPU's own routine gets the arguments unchanged. If
 * no CPU library has one, lib/host/cpu_inverse.h computes. Reference LAPACK 3.12 defines the arguments and
 * info.
 */
#include "lib/abi/lapack.h"
#include "lib/host/cpu_inverse.h"

#include "lavablas_lapack.h"

struct trtri_arguments {
    enum lava_routine routine;
    int uplo, diag; /* characters */
    int64_t n, lda;
    void *a;
    void *info; /* an integer of the routine's */
};

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct trtri_arguments *x) {
    if (!lava_options_read_uplo(x->routine, x->uplo))
        return 1;
    if (!lava_options_read_diag(x->routine, x->diag))
        return 2;
    if (x->n < 0)
        return 3;
    return lava_options_is_short(x->lda, x->n) ? 5 : 0;
}

static bool translate(const struct trtri_arguments *x, struct lava_operation *operation) {
    const struct lava_lapack_matrix a = {x->n, x->n, x->a, x->lda};
    *operation = lava_lapack_operation(x->routine, LAVA_OPERATION_INVERT_TRIANGLE, a);
    operation->c.region = lava_lapack_region(x->routine, x->uplo);
    operation->a.unit_diagonal = lava_options_read_diag(x->routine, x->diag) == LAVA_DIAG_UNIT;
    return !find_wrong(x);
}

static bool trtri_begin(const struct trtri_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->refuses_zeros = true;
    call->valid = translate(arguments, &call->operation);
    return lava_lapack_begin(call, arguments->info);
}

static void trtri_compute(const struct trtri_arguments *arguments) {
    struct lava_operation operation;
    int wrong = find_wrong(arguments);
    if (wrong)
        lava_xerbla(arguments->routine, wrong);
    int64_t info = translate(arguments, &operation) ? lava_cpu_parts_find_zero(&operation) : -wrong;
    if (info == 0)
        lava_cpu_inverse_run(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0});
    lava_integers_write(arguments->routine, arguments->info, 0, info);
}

#define LIST(integer, type)                                                                                  \
    (const char *uplo, const char *diag, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda,       \
     integer *info)
#define NAMES (uplo, diag, n, a, lda, info)
#define ARGUMENTS(entry)                                                                                     \
    { LAVA_ROUTINE_##entry, *uplo, *diag, *n, *lda, a, info }

#define TRTRI_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type), NAMES, 2, trtri,                                          \
                       lava_threshold_forwards_factorization((double)*n, (double)*n), ARGUMENTS(entry))

LAVA_TRTRI_ROUTINES(LAVA_ENTRY_OF)
