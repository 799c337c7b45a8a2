/* Every ?gebrd as programs call it: a general matrix becomes bidiagonal. See reflections.h. The CPU's own
 * routine also gets matrices with a number that is not finite. Reference LAPACK 3.12 defines the arguments
 * and info. */
#include "lib/abi/reflections.h"

#include "lavablas_lapack.h"

struct gebrd_arguments {
    enum lava_routine routine;
    int64_t m, n, lda, lwork;
    void *a, *d, *e, *tauq, *taup, *work;
    void *info; /* an integer of the routine's */
};

/* Returns the least workspace, in elements. */
static int64_t least_work(const struct gebrd_arguments *x) {
    return lava_minimum(x->m, x->n) == 0 ? 0 : lava_maximum(x->m, x->n);
}

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct gebrd_arguments *x) {
    if (x->m < 0)
        return 1;
    if (x->n < 0)
        return 2;
    if (lava_options_is_short(x->lda, x->m))
        return 4;
    return lava_workspace_is_short(x->lwork, least_work(x)) ? 10 : 0;
}

static struct lava_reflections_arguments translate(const struct gebrd_arguments *x) {
    const struct lava_lapack_matrix a = {x->m, x->n, x->a, x->lda};
    struct lava_operation operation = lava_lapack_operation(x->routine, LAVA_OPERATION_BIDIAGONAL, a);
    operation.tau = x->tauq;
    operation.tau_rows = x->taup;
    operation.diagonal = x->d;
    operation.beside = x->e;
    return (struct lava_reflections_arguments){
        x->routine, find_wrong(x), x->lwork, least_work(x) == 0 ? 0 : x->m + x->n,
        x->work,    x->info,       operation};
}

#define LIST(integer, type)                                                                                  \
    (const integer *m, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda,                         \
     LAVA_LAPACK_REAL_##type *d, LAVA_LAPACK_REAL_##type *e, LAVA_ELEMENT_##type *tauq,                      \
     LAVA_ELEMENT_##type *taup, LAVA_ELEMENT_##type *work, const integer *lwork, integer *info)
#define NAMES (m, n, a, lda, d, e, tauq, taup, work, lwork, info)
#define ARGUMENTS(entry)                                                                                     \
    translate(&(const struct gebrd_arguments){LAVA_ROUTINE_##entry, *m, *n, *lda, *lwork, a, d, e, tauq,     \
                                              taup, work, info})

/* It has no characters, so no lengths follow. */
#define GEBRD_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_CBLAS(entry, LIST(integer, type), NAMES, lava_reflections,                                    \
                     lava_workspace_is_query(*lwork) ||                                                      \
                         lava_threshold_forwards_factorization((double)*m, (double)*n),                      \
                     ARGUMENTS(entry))

LAVA_GEBRD_ROUTINES(LAVA_ENTRY_OF)
