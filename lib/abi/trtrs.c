/* Every ?trtrs as programs call it: the X with op(A) X = B for an upper or lower triangular A. If no device
 * is worth it, or an element of the diagonal is exactly zero, the CPU's own routine gets the arguments
 * unchanged. If no CPU library has one, lib/host/cpu_structured.h computes. Reference LAPACK 3.12 defines the
 * arguments and info. */
#include "lib/abi/lapack.h"
#include "lib/blas/structured_call.h"
#include "lib/host/cpu_parts.h"
#include "lib/offload/vectors.h"

#include "lavablas_lapack.h"

struct trtrs_arguments {
    enum lava_routine routine;
    int uplo, trans, diag; /* characters */
    int64_t n, nrhs, lda, ldb;
    const void *a;
    void *b;
    void *info; /* an integer of the routine's */
};

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct trtrs_arguments *x) {
    if (!lava_options_read_uplo(x->routine, x->uplo))
        return 1;
    if (!lava_options_read_trans(x->routine, x->trans))
        return 2;
    if (!lava_options_read_diag(x->routine, x->diag))
        return 3;
    if (x->n < 0)
        return 4;
    if (x->nrhs < 0)
        return 5;
    if (lava_options_is_short(x->lda, x->n))
        return 7;
    return lava_options_is_short(x->ldb, x->n) ? 9 : 0;
}

static bool translate(const struct trtrs_arguments *x, struct lava_operation *operation) {
    enum lava_type type = lava_routine_type(x->routine);
    int trans = lava_options_read_trans(x->routine, x->trans);
    if (find_wrong(x))
        return false;
    *operation = (struct lava_operation){
        .kind = LAVA_OPERATION_SOLVE,
        .type = type,
        .m = x->n,
        .n = x->nrhs,
        .k = x->n,
        .a = {.first = x->a,
              .ld = x->lda,
              .op = trans == LAVA_TRANS_NO ? LAVA_OP_N : LAVA_OP_T,
              .conjugate = trans == LAVA_TRANS_CONJUGATE && lava_type_is_complex(type),
              .structure = LAVA_STRUCTURE_TRIANGULAR,
              .stored = lava_lapack_region(x->routine, x->uplo),
              .unit_diagonal = lava_options_read_diag(x->routine, x->diag) == LAVA_DIAG_UNIT},
        .b = {.first = x->b, .ld = x->ldb},
        .c = {.first = x->b, .ld = x->ldb, .type = type},
        .alpha.real = 1};
    return true;
}

static bool trtrs_begin(const struct trtrs_arguments *arguments, struct lava_call *call) {
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    call->refuses_zeros = true;
    lava_vectors_adopt(call);
    bool finished = lava_structured_begin(call);
    if (finished)
        lava_integers_write(arguments->routine, arguments->info, 0, 0);
    return finished;
}

static void trtrs_compute(const struct trtrs_arguments *arguments) {
    struct lava_operation operation = {0};
    int wrong = find_wrong(arguments);
    if (wrong)
        lava_xerbla(arguments->routine, wrong);
    int64_t info = translate(arguments, &operation) ? lava_cpu_parts_find_zero(&operation) : -wrong;
    if (info == 0 && operation.m > 0 && operation.n > 0)
        lava_cpu_blas_run(lava_cpu_blas_get(), &operation);
    lava_integers_write(arguments->routine, arguments->info, 0, info);
}

#define LIST(integer, type)                                                                                  \
    (const char *uplo, const char *trans, const char *diag, const integer *n, const integer *nrhs,           \
     const LAVA_ELEMENT_##type *a, const integer *lda, LAVA_ELEMENT_##type *b, const integer *ldb,           \
     integer *info)
#define NAMES (uplo, trans, diag, n, nrhs, a, lda, b, ldb, info)
#define ARGUMENTS(entry)                                                                                     \
    { LAVA_ROUTINE_##entry, *uplo, *trans, *diag, *n, *nrhs, *lda, *ldb, a, b, info }

#define FORWARDS(type)                                                                                       \
    (lava_threshold_forwards_triangular(1, (double)*n, (double)*nrhs) &&                                     \
     lava_threshold_forwards_sides((double)*n, (double)*nrhs, LAVA_BYTES_##type))
#define TRTRS_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type), NAMES, 3, trtrs, FORWARDS(type), ARGUMENTS(entry))

LAVA_TRTRS_ROUTINES(LAVA_ENTRY_OF)
