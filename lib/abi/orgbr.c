/* Every ?orgbr and ?ungbr as programs call them: the matrix Q of a bidiagonal form, or P^H. Q is ?orgqr's,
 * and P^H that of an LQ factorization, whose reflections are rows. See reflections.h. Reference LAPACK 3.12
 * defines the arguments and info. */
#include "lib/abi/reflections.h"

#include "lavablas_lapack.h"

struct orgbr_arguments {
    enum lava_routine routine;
    int vect; /* a character */
    int64_t m, n, k, lda, lwork;
    void *a;
    const void *tau;
    void *work;
    void *info; /* an integer of the routine's */
};

static bool is_q(const struct orgbr_arguments *x) {
    return x->vect == 'Q' || x->vect == 'q';
}

/* Returns the first wrong argument in Fortran's count, 0 for none. */
static int find_wrong(const struct orgbr_arguments *x) {
    int64_t longer = is_q(x) ? x->m : x->n, shorter = is_q(x) ? x->n : x->m;
    const struct {
        bool is_wrong;
        int number;
    } checks[] = {{!is_q(x) && x->vect != 'P' && x->vect != 'p', 1},
                  {x->m < 0, 2},
                  {x->n < 0 || shorter > longer || shorter < lava_minimum(longer, x->k), 3},
                  {x->k < 0, 4},
                  {lava_options_is_short(x->lda, x->m), 6},
                  {lava_workspace_is_short(x->lwork, lava_minimum(x->m, x->n)), 9}};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (checks[i].is_wrong)
            return checks[i].number;
    return 0;
}

/* Returns whether the reflections begin beside the diagonal: the matrix is square, and its first row and
 * column are those of the unit matrix. */
static bool is_shifted(const struct orgbr_arguments *x) {
    return x->n > 0 && (is_q(x) ? x->m < x->k : x->n <= x->k);
}

static struct lava_reflections_arguments translate(const struct orgbr_arguments *x) {
    enum lava_type type = lava_routine_type(x->routine);
    int64_t by = is_shifted(x) ? 1 : 0;
    const struct lava_lapack_matrix a = {x->m - by, x->n - by,
                                         lava_operation_element(x->a, type, by, by, x->lda), x->lda};
    struct lava_operation operation = lava_lapack_operation(x->routine, LAVA_OPERATION_QR_FORM, a);
    operation.tau = (void *)(uintptr_t)x->tau;
    operation.adjoint = !is_q(x);
    if (!by)
        operation.k = x->k;
    else
        operation.a = (struct lava_operand){
            .first = lava_operation_element(x->a, type, is_q(x) ? 1 : 0, is_q(x) ? 0 : 1, x->lda),
            .ld = x->lda};
    return (struct lava_reflections_arguments){x->routine, find_wrong(x), x->lwork, lava_minimum(x->m, x->n),
                                               x->work,    x->info,       operation};
}

/* The first row and column, if they are those of the unit matrix. */
static void write_unit(const struct orgbr_arguments *x) {
    enum lava_type type = lava_routine_type(x->routine);
    for (int64_t i = 0; i < x->m && is_shifted(x); i++) {
        const struct lava_number number = {i == 0, 0};
        lava_number_write(type, lava_operation_element(x->a, type, i, 0, x->lda), number);
        lava_number_write(type, lava_operation_element(x->a, type, 0, i, x->lda), number);
    }
}

static bool orgbr_begin(const struct orgbr_arguments *arguments, struct lava_call *call) {
    const struct lava_reflections_arguments reflections = translate(arguments);
    bool finished = lava_reflections_begin(&reflections, call);
    if (finished)
        write_unit(arguments);
    return finished;
}

static void orgbr_compute(const struct orgbr_arguments *arguments) {
    const struct lava_reflections_arguments reflections = translate(arguments);
    if (lava_reflections_compute(&reflections))
        write_unit(arguments);
}

#define LIST(integer, type)                                                                                  \
    (const char *vect, const integer *m, const integer *n, const integer *k, LAVA_ELEMENT_##type *a,         \
     const integer *lda, const LAVA_ELEMENT_##type *tau, LAVA_ELEMENT_##type *work, const integer *lwork,    \
     integer *info)
#define NAMES (vect, m, n, k, a, lda, tau, work, lwork, info)
#define ARGUMENTS(entry)                                                                                     \
    { LAVA_ROUTINE_##entry, *vect, *m, *n, *k, *lda, *lwork, a, tau, work, info }

#define ORGBR_FORTRAN(entry, integer, type, ...)                                                             \
    LAVA_ENTRY_FORTRAN(entry, LIST(integer, type), NAMES, 1, orgbr,                                          \
                       lava_workspace_is_query(*lwork) ||                                                    \
                           lava_threshold_forwards_reflections((double)*m, (double)*n, (double)*k),          \
                       ARGUMENTS(entry))

LAVA_ORGBR_ROUTINES(LAVA_ENTRY_OF)
