/* Every ?orgbr and ?ungbr as programs call them: the matrix Q of a bidiagonal form, or P^H. Q is ?orgqr's,
 * and P^H that of an LQ factorization, whose reflections are rows. If no device is worth it, the CPU's own
 * routine gets the arguments unchanged, as it gets every query for the size of the workspace, whose answer
 * must suit it. If no CPU library has one, lib/host/cpu_qr.h computes. Reference LAPACK 3.12 defines the
 * arguments and info. */
#include "lib/abi/lapack.h"
#include "lib/abi/workspace.h"
#include "lib/host/cpu_qr.h"

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

/* A query is forwarded by the entry point, and computes nothing. */
static bool translate(const struct orgbr_arguments *x, struct lava_operation *operation) {
    enum lava_type type = lava_routine_type(x->routine);
    int64_t by = is_shifted(x) ? 1 : 0;
    const struct lava_lapack_matrix a = {x->m - by, x->n - by,
                                         lava_operation_element(x->a, type, by, by, x->lda), x->lda};
    *operation = lava_lapack_operation(x->routine, LAVA_OPERATION_QR_FORM, a);
    operation->tau = (void *)(uintptr_t)x->tau;
    operation->adjoint = !is_q(x);
    if (!by)
        operation->k = x->k;
    else
        operation->a = (struct lava_operand){
            .first = lava_operation_element(x->a, type, is_q(x) ? 1 : 0, is_q(x) ? 0 : 1, x->lda),
            .ld = x->lda};
    return !find_wrong(x) && !lava_workspace_is_query(x->lwork);
}

static void write_results(const struct orgbr_arguments *x) {
    lava_workspace_tell(x->routine, x->work, lava_minimum(x->m, x->n));
    lava_integers_write(x->routine, x->info, 0, 0);
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
    lava_offload_init(call, arguments->routine);
    call->valid = translate(arguments, &call->operation);
    bool finished = lava_offload_begin(call);
    if (finished) {
        write_unit(arguments);
        write_results(arguments);
    }
    return finished;
}

static void orgbr_compute(const struct orgbr_arguments *arguments) {
    struct lava_operation operation;
    if (lava_lapack_complains(arguments->routine, arguments->info, find_wrong(arguments)))
        return;
    if (translate(arguments, &operation)) {
        if (operation.m > 0 && operation.n > 0)
            lava_cpu_qr_form_run(lava_cpu_blas_get(), &operation, (struct lava_cpu_done){0});
        write_unit(arguments);
    }
    write_results(arguments);
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
