/* Every ?sytrd and ?hetrd as programs call them: a symmetric or Hermitian matrix becomes tridiagonal. See
 * reflections.h. The CPU's own routine also gets matrices with a number that is not finite. Reference LAPACK
 * 3.12 defines the arguments and info. */
#include "lib/abi/reflections.h"

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

static struct lava_reflections_arguments translate(const struct sytrd_arguments *x) {
    const struct lava_lapack_matrix a = {x->n, x->n, x->a, x->lda};
    struct lava_operation operation = lava_lapack_operation(x->routine, LAVA_OPERATION_TRIDIAGONAL, a);
    operation.c.region = lava_lapack_region(x->routine, x->uplo);
    operation.c.real_diagonal = lava_type_is_complex(operation.type);
    operation.tau = x->tau;
    operation.diagonal = x->d;
    operation.beside = x->e;
    return (struct lava_reflections_arguments){x->routine, find_wrong(x), x->lwork, x->n,
                                               x->work,    x->info,       operation};
}

#define LIST(integer, type)                                                                                  \
    (const char *uplo, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda,                         \
     LAVA_LAPACK_REAL_##type *d, LAVA_LAPACK_REAL_##type *e, LAVA_ELEMENT_##type *tau,                       \
     LAVA_ELEMENT_##type *work, const integer *lwork, integer *info)
#define NAMES (uplo, n, a, lda, d, e, tau, work, lwork, info)
#define ARGUMENTS(entry)                                                                                     \
    translate(&(const struct sytrd_arguments){LAVA_ROUTINE_##entry, *uplo, *n, *lda, *lwork, a, d, e, tau,   \
                                              work, info})

#define SYTRD_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type), NAMES, 1, lava_reflections,                               \
                       lava_workspace_is_query(*lwork) ||                                                    \
                           lava_threshold_forwards_factorization((double)*n, (double)*n),                    \
                       ARGUMENTS(entry))

LAVA_SYTRD_ROUTINES(LAVA_ENTRY_OF)
