/* The routines of eigenvalues and singular values for perf/side_times, with vectors or without, of
 * tridiagonal and bidiagonal forms, and QR with column pivoting. The workspace is as large as the routine
 * asks for, those of reals and integers are ample.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "side_call.h"

struct side_values {
    void *values, *left, *right, *work, *rwork, *iwork; /* values: real; left: vectors of the columns */
    int64_t work_elements, real_elements, integers;
};

/* What complex routines have beside real ones, and the end of lists. */
#define RWORK_SIZES v->rwork, &v->real_elements
#define LAST        v->iwork, &v->integers, &info
/* clang-format off */
typedef void sytrd_function(const char *, integer *, void *, integer *, void *, void *, void *, void *, integer *,
                            int64_t *, size_t);
typedef void gebrd_function(integer *, integer *, void *, integer *, void *, void *, void *, void *, void *, integer *,
                            int64_t *);
typedef void syevd_function(const char *, const char *, integer *, void *, integer *, void *, void *, integer *,
                            void *, integer *, int64_t *, size_t, size_t);
typedef void heevd_function(const char *, const char *, integer *, void *, integer *, void *, void *, integer *,
                            void *, integer *, void *, integer *, int64_t *, size_t, size_t);
typedef void syevr_function(const char *, const char *, const char *, integer *, void *, integer *, const void *,
                            const void *, integer *, integer *, const void *, int64_t *, void *, void *, integer *,
                            void *, void *, integer *, void *, integer *, int64_t *, size_t, size_t, size_t);
typedef void heevr_function(const char *, const char *, const char *, integer *, void *, integer *, const void *,
                            const void *, integer *, integer *, const void *, int64_t *, void *, void *, integer *,
                            void *, void *, integer *, void *, integer *, void *, integer *, int64_t *, size_t, size_t,
                            size_t);
typedef void sygvd_function(integer *, const char *, const char *, integer *, void *, integer *, void *, integer *,
                            void *, void *, integer *, void *, integer *, int64_t *, size_t, size_t);
typedef void hegvd_function(integer *, const char *, const char *, integer *, void *, integer *, void *, integer *,
                            void *, void *, integer *, void *, integer *, void *, integer *, int64_t *, size_t, size_t);
typedef void stedc_function(const char *, integer *, void *, void *, void *, integer *, void *, integer *, void *,
                            integer *, int64_t *, size_t);
typedef void cstedc_function(const char *, integer *, void *, void *, void *, integer *, void *, integer *, void *,
                             integer *, void *, integer *, int64_t *, size_t);
typedef void gesdd_function(const char *, integer *, integer *, void *, integer *, void *, void *, integer *, void *,
                            integer *, void *, integer *, void *, int64_t *, size_t);
typedef void cgesdd_function(const char *, integer *, integer *, void *, integer *, void *, void *, integer *, void *,
                             integer *, void *, integer *, void *, void *, int64_t *, size_t);
typedef void gelsd_function(integer *, integer *, integer *, void *, integer *, void *, integer *, void *, const void *,
                            int64_t *, void *, integer *, void *, int64_t *);
typedef void cgelsd_function(integer *, integer *, integer *, void *, integer *, void *, integer *, void *, const void *,
                             int64_t *, void *, integer *, void *, void *, int64_t *);
typedef void geqp3_function(integer *, integer *, void *, integer *, void *, void *, void *, integer *, int64_t *);
typedef void cgeqp3_function(integer *, integer *, void *, integer *, void *, void *, void *, integer *, void *,
                             int64_t *);
/* clang-format on */

static void *behind(const struct call *x) {
    return (char *)x->c + (size_t)(x->m * x->n) * x->element;
}

static int64_t least_of(const struct call *x) {
    return x->m < x->n ? x->m : x->n;
}

/* D, E and tau take the places of results. */
static void call_sytrd(struct call *x) {
    const struct side_values *v = x->values;
    int64_t info = 0;
    ((sytrd_function *)x->routine)(x->letters[0], &x->n, x->c, &x->n, v->values, v->rwork, v->left, v->work,
                                   &v->work_elements, &info, 1);
}

/* So do D, E, tauq and taup. */
static void call_gebrd(struct call *x) {
    const struct side_values *v = x->values;
    int64_t info = 0;
    ((gebrd_function *)x->routine)(&x->m, &x->n, x->c, &x->m, v->values, v->rwork, v->left, v->right, v->work,
                                   &v->work_elements, &info);
}

static void call_syevd(struct call *x) {
    const struct side_values *v = x->values;
    int64_t info = 0;
    if (x->is_complex)
        ((heevd_function *)x->routine)(x->letters[0], x->letters[1], &x->n, x->c, &x->n, v->values, v->work,
                                       &v->work_elements, RWORK_SIZES, LAST, 1, 1);
    else
        ((syevd_function *)x->routine)(x->letters[0], x->letters[1], &x->n, x->c, &x->n, v->values, v->work,
                                       &v->work_elements, LAST, 1, 1);
}

/* The vectors' support goes to `right`, which has more room than 2 n integers. */
static void call_syevr(struct call *x) {
    const struct side_values *v = x->values;
    const double zero = 0;
    const int64_t one = 1;
    int64_t info = 0, found = 0;
    if (x->is_complex)
        ((heevr_function *)x->routine)(x->letters[0], "A", x->letters[1], &x->n, x->c, &x->n, &zero, &zero,
                                       &one, &one, &zero, &found, v->values, v->left, &x->n, v->right,
                                       v->work, &v->work_elements, RWORK_SIZES, LAST, 1, 1, 1);
    else
        ((syevr_function *)x->routine)(x->letters[0], "A", x->letters[1], &x->n, x->c, &x->n, &zero, &zero,
                                       &one, &one, &zero, &found, v->values, v->left, &x->n, v->right,
                                       v->work, &v->work_elements, LAST, 1, 1, 1);
}

static void call_sygvd(struct call *x) {
    const struct side_values *v = x->values;
    const int64_t problem = x->letters[0][0] - '0';
    int64_t info = 0;
    if (x->is_complex)
        ((hegvd_function *)x->routine)(&problem, x->letters[1], x->letters[2], &x->n, x->c, &x->n, behind(x),
                                       &x->n, v->values, v->work, &v->work_elements, RWORK_SIZES, LAST, 1, 1);
    else
        ((sygvd_function *)x->routine)(&problem, x->letters[1], x->letters[2], &x->n, x->c, &x->n, behind(x),
                                       &x->n, v->values, v->work, &v->work_elements, LAST, 1, 1);
}

/* D and E are about those that a random symmetric matrix becomes by ?sytrd: few columns deflate. */
static void call_stedc(struct call *x) {
    const struct side_values *v = x->values;
    int64_t info = 0;
    for (int64_t i = 0; i < x->n; i++) {
        double d = x->is_single ? ((float *)x->c)[i] : ((double *)x->c)[i],
               e = sqrt((double)(x->n - i)) * (1 + 0.1 * d);
        if (x->is_single)
            ((float *)v->values)[i] = (float)d, ((float *)v->right)[i] = (float)e;
        else
            ((double *)v->values)[i] = d, ((double *)v->right)[i] = e;
    }
    if (x->is_complex)
        ((cstedc_function *)x->routine)(x->letters[0], &x->n, v->values, v->right, x->c, &x->n, v->work,
                                        &v->work_elements, RWORK_SIZES, LAST, 1);
    else
        ((stedc_function *)x->routine)(x->letters[0], &x->n, v->values, v->right, x->c, &x->n, v->work,
                                       &v->work_elements, LAST, 1);
}

static void call_gesdd(struct call *x) {
    const struct side_values *v = x->values;
    const int64_t least = least_of(x);
    int64_t info = 0;
    if (x->is_complex)
        ((cgesdd_function *)x->routine)(x->letters[0], &x->m, &x->n, x->c, &x->m, v->values, v->left, &x->m,
                                        v->right, &least, v->work, &v->work_elements, v->rwork, v->iwork,
                                        &info, 1);
    else
        ((gesdd_function *)x->routine)(x->letters[0], &x->m, &x->n, x->c, &x->m, v->values, v->left, &x->m,
                                       v->right, &least, v->work, &v->work_elements, v->iwork, &info, 1);
}

static void call_gelsd(struct call *x) {
    const struct side_values *v = x->values;
    const double condition = -1;
    const float condition_fp32 = -1;
    const void *rcond = x->is_single ? (const void *)&condition_fp32 : &condition;
    int64_t info = 0, rank = 0;
    if (x->is_complex)
        ((cgelsd_function *)x->routine)(&x->m, &x->n, &x->other, x->c, &x->m, behind(x), &x->m, v->values,
                                        rcond, &rank, v->work, &v->work_elements, v->rwork, v->iwork, &info);
    else
        ((gelsd_function *)x->routine)(&x->m, &x->n, &x->other, x->c, &x->m, behind(x), &x->m, v->values,
                                       rcond, &rank, v->work, &v->work_elements, v->iwork, &info);
}

/* All columns are free. */
static void call_geqp3(struct call *x) {
    const struct side_values *v = x->values;
    int64_t info = 0;
    memset(x->pivots, 0, (size_t)x->n * sizeof *x->pivots);
    if (x->is_complex)
        ((cgeqp3_function *)x->routine)(&x->m, &x->n, x->c, &x->m, x->pivots, v->left, v->work,
                                        &v->work_elements, v->rwork, &info);
    else
        ((geqp3_function *)x->routine)(&x->m, &x->n, x->c, &x->m, x->pivots, v->left, v->work,
                                       &v->work_elements, &info);
}

static const struct family families[] = {
    {"sytrd", 1, "n", SOURCE_GENERAL, call_sytrd},   {"hetrd", 1, "n", SOURCE_GENERAL, call_sytrd},
    {"syevd", 2, "n", SOURCE_GENERAL, call_syevd},   {"heevd", 2, "n", SOURCE_GENERAL, call_syevd},
    {"syevr", 2, "n", SOURCE_GENERAL, call_syevr},   {"heevr", 2, "n", SOURCE_GENERAL, call_syevr},
    {"sygvd", 3, "n", SOURCE_GENERAL, call_sygvd},   {"hegvd", 3, "n", SOURCE_GENERAL, call_sygvd},
    {"stedc", 1, "n", SOURCE_GENERAL, call_stedc},   {"gesdd", 1, "mn", SOURCE_GENERAL, call_gesdd},
    {"gelsd", 0, "mno", SOURCE_GENERAL, call_gelsd}, {"geqp3", 0, "mn", SOURCE_GENERAL, call_geqp3},
    {"gebrd", 0, "mn", SOURCE_GENERAL, call_gebrd},
};

const struct family *side_values_find(const char *name) {
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(name, families[i].name) == 0)
            return &families[i];
    return NULL;
}

int64_t side_values_columns(const struct call *x) {
    return x->family->call == call_sygvd ? x->n : x->family->call == call_gelsd ? x->other : 0;
}

bool side_values_has_factor(const struct call *x) {
    return x->family->call == call_sygvd;
}

/* Asks the routine for the size of its workspace, which it writes into the first element. */
static int64_t ask_for_work(struct call *x) {
    struct side_values *v = x->values;
    const int64_t sizes[] = {v->real_elements, v->integers};
    v->work_elements = v->real_elements = v->integers = -1;
    x->family->call(x);
    v->real_elements = sizes[0];
    v->integers = sizes[1];
    return (int64_t)(x->is_single ? *(float *)v->work : *(double *)v->work);
}

bool side_values_place(struct call *x) {
    const int64_t m = x->m, n = x->n, least = least_of(x), largest = m > n ? m : n;
    if (!side_values_find(x->family->name))
        return true;
    struct side_values *v = x->values = calloc(1, sizeof *v);
    if (!v)
        return false;
    v->real_elements = 10 * least * least + 400 * largest + n * x->other; /* of the one that needs most */
    v->integers = 128 * largest;
    v->values = calloc((size_t)largest, sizeof(double));
    v->left = calloc((size_t)(m * least), x->element);
    v->right = calloc((size_t)(least * n + 16), x->element);
    v->rwork = calloc((size_t)v->real_elements, sizeof(double));
    v->iwork = calloc((size_t)v->integers, sizeof(int64_t));
    v->work = calloc(1, x->element);
    if (!v->values || !v->left || !v->right || !v->rwork || !v->iwork || !v->work)
        return false;
    v->work_elements = ask_for_work(x);
    free(v->work);
    v->work = calloc((size_t)v->work_elements, x->element);
    return v->work;
}

void side_values_free(struct call *x) {
    struct side_values *v = x->values;
    if (!v)
        return;
    free(v->values);
    free(v->left);
    free(v->right);
    free(v->rwork);
    free(v->iwork);
    free(v->work);
    free(v);
}
