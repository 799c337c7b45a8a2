/* Every ?geqrf, and ?orgqr and ?ungqr, as programs call them: the QR factorization of a general matrix, and
 * the columns of its Q. See reflections.h. Reference LAPACK 3.12 defines the arguments and info. */
#include "lib/abi/reflections.h"

#include "lavablas_lapack.h"

struct geqrf_arguments {
    enum lava_routine routine;
    int64_t m, n, k, lda, lwork; /* k: of ?orgqr */
    void *a;
    const void *tau; /* ?geqrf writes it */
    void *work;
    void *info; /* an integer of the routine's */
};

static bool forms(const struct geqrf_arguments *x) {
    return lava_routine_row(x->routine)->family == LAVA_FAMILY_ORGQR;
}

/* Returns the first wrong argument in Fortran's count, 0 for none. ?orgqr has one argument more. */
static int find_wrong(const struct geqrf_arguments *x) {
    int more = forms(x) ? 1 : 0;
    if (x->m < 0)
        return 1;
    if (x->n < 0 || (more && x->n > x->m))
        return 2;
    if (more && (x->k < 0 || x->k > x->n))
        return 3;
    if (lava_options_is_short(x->lda, x->m))
        return 4 + more;
    int64_t columns = !more && x->m == 0 ? 0 : x->n;
    return lava_workspace_is_short(x->lwork, columns) ? 7 + more : 0;
}

static struct lava_reflections_arguments translate(const struct geqrf_arguments *x) {
    const struct lava_lapack_matrix a = {x->m, x->n, x->a, x->lda};
    struct lava_operation operation =
        lava_lapack_operation(x->routine, forms(x) ? LAVA_OPERATION_QR_FORM : LAVA_OPERATION_QR, a);
    operation.tau = (void *)(uintptr_t)x->tau;
    if (forms(x))
        operation.k = x->k;
    int64_t columns = !forms(x) && x->m == 0 ? 0 : x->n;
    return (struct lava_reflections_arguments){x->routine, find_wrong(x), x->lwork, columns,
                                               x->work,    x->info,       operation};
}

#define GEQRF_LIST(integer, type)                                                                            \
    (const integer *m, const integer *n, LAVA_ELEMENT_##type *a, const integer *lda,                         \
     LAVA_ELEMENT_##type *tau, LAVA_ELEMENT_##type *work, const integer *lwork, integer *info)
#define GEQRF_NAMES (m, n, a, lda, tau, work, lwork, info)
#define GEQRF_ARGUMENTS(entry)                                                                               \
    translate(                                                                                               \
        &(const struct geqrf_arguments){LAVA_ROUTINE_##entry, *m, *n, 0, *lda, *lwork, a, tau, work, info})

#define ORGQR_LIST(integer, type)                                                                            \
    (const integer *m, const integer *n, const integer *k, LAVA_ELEMENT_##type *a, const integer *lda,       \
     const LAVA_ELEMENT_##type *tau, LAVA_ELEMENT_##type *work, const integer *lwork, integer *info)
#define ORGQR_NAMES (m, n, k, a, lda, tau, work, lwork, info)
#define ORGQR_ARGUMENTS(entry)                                                                               \
    translate(                                                                                               \
        &(const struct geqrf_arguments){LAVA_ROUTINE_##entry, *m, *n, *k, *lda, *lwork, a, tau, work, info})

/* They have no characters, so no lengths follow. */
#define GEQRF_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_CBLAS(entry, GEQRF_LIST(integer, type), GEQRF_NAMES, lava_reflections,                        \
                     lava_workspace_is_query(*lwork) ||                                                      \
                         lava_threshold_forwards_factorization((double)*m, (double)*n),                      \
                     GEQRF_ARGUMENTS(entry))
#define ORGQR_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_CBLAS(entry, ORGQR_LIST(integer, type), ORGQR_NAMES, lava_reflections,                        \
                     lava_workspace_is_query(*lwork) ||                                                      \
                         lava_threshold_forwards_reflections((double)*m, (double)*n, (double)*k),            \
                     ORGQR_ARGUMENTS(entry))

LAVA_GEQRF_ROUTINES(LAVA_ENTRY_OF)
LAVA_ORGQR_ROUTINES(LAVA_ENTRY_OF)
