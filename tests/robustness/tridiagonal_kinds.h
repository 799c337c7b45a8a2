/* Tridiagonal matrices of many kinds, and how wrong their eigenvalues and vectors are, beside LAPACK's
 * ?stedc. For the tests of divide and conquer; after <cmocka.h>, math.h and dlfcn.h. */
#ifndef LAVA_TESTS_ROBUSTNESS_TRIDIAGONAL_KINDS_H
#define LAVA_TESTS_ROBUSTNESS_TRIDIAGONAL_KINDS_H

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"

enum kinds_kind {
    KINDS_RANDOM,
    KINDS_GRADED,    /* from 1 down to the unit's square */
    KINDS_RISING,    /* the same the other way */
    KINDS_CLUSTERED, /* values near 1, and e of some units */
    KINDS_IDENTITY,
    KINDS_ZERO,
    KINDS_TOEPLITZ,  /* 1, 2, 1 */
    KINDS_WILKINSON, /* W+: |i - m|, 1 */
    KINDS_GLUED,     /* W+ of 21 rows, joined by small elements */
    KINDS_HUGE,
    KINDS_TINY,
    KINDS_SUBNORMAL,
    KINDS_EQUAL, /* d, and e mostly 0 */
    KINDS_NO_DIAGONAL,
    KINDS_HALF, /* the upper half is much smaller than the lower one */
    KINDS
};

static inline const char *kinds_name(enum kinds_kind kind) {
    static const char *const names[KINDS] = {"random", "graded",    "rising",    "clustered",   "identity",
                                             "zero",   "toeplitz",  "wilkinson", "glued",       "huge",
                                             "tiny",   "subnormal", "equal",     "no diagonal", "half"};
    return names[kind];
}

struct kinds_problem {
    enum lava_type type;
    enum kinds_kind kind;
    int64_t order;
    void *d, *e;
};

static inline long double kinds_get(const struct kinds_problem *x, const void *vector, int64_t i) {
    return x->type == LAVA_TYPE_FP32 ? (long double)((const float *)vector)[i] : ((const double *)vector)[i];
}

static inline void kinds_set(const struct kinds_problem *x, void *vector, int64_t i, double number) {
    if (x->type == LAVA_TYPE_FP32)
        ((float *)vector)[i] = (float)number;
    else
        ((double *)vector)[i] = number;
}

/* Element i of the diagonal, or beside it. */
static inline double kinds_element(const struct kinds_problem *x, int64_t i, bool is_diagonal) {
    bool narrow = x->type == LAVA_TYPE_FP32;
    double number = problem_uniform(-1, 1), unit = lava_type_facts(x->type)->unit;
    double share = (double)i / (double)x->order;
    switch (x->kind) {
    case KINDS_GRADED:
        return number * pow(unit, 2 * share);
    case KINDS_RISING:
        return number * pow(unit, 2 - 2 * share);
    case KINDS_CLUSTERED:
        return is_diagonal ? 1 + 4 * unit * number : 10 * unit * number;
    case KINDS_IDENTITY:
        return is_diagonal;
    case KINDS_ZERO:
        return 0;
    case KINDS_TOEPLITZ:
        return is_diagonal ? 2 : 1;
    case KINDS_WILKINSON:
        return is_diagonal ? fabs((double)i - (double)(x->order - 1) / 2) : 1;
    case KINDS_GLUED:
        return is_diagonal ? fabs((double)(i % 21) - 10) : i % 21 == 20 ? sqrt(unit) : 1;
    case KINDS_HUGE:
        return number * (narrow ? 1e37 : 1e300);
    case KINDS_TINY:
        return number * (narrow ? 1e-36 : 1e-300);
    case KINDS_SUBNORMAL:
        return number * (narrow ? 100 * 0x1p-149 : 1e5 * 0x1p-1074);
    case KINDS_EQUAL:
        return is_diagonal ? (double)(i % 3) : i % 5 == 0 ? 0.5 : 0;
    case KINDS_NO_DIAGONAL:
        return is_diagonal ? 0 : number;
    case KINDS_HALF:
        return i < x->order / 2 ? number * 1e-8 : number;
    default:
        return number;
    }
}

static inline struct kinds_problem kinds_new(enum lava_type type, enum kinds_kind kind, int64_t order) {
    struct kinds_problem x = {.type = type, .kind = kind, .order = order};
    x.d = malloc((size_t)order * 8);
    x.e = malloc((size_t)order * 8);
    for (int64_t i = 0; i < order; i++)
        kinds_set(&x, x.d, i, kinds_element(&x, i, true));
    for (int64_t i = 0; i < order; i++) /* the last one is not read */
        kinds_set(&x, x.e, i, kinds_element(&x, i, false));
    return x;
}

static inline void kinds_free(struct kinds_problem *x) {
    free(x->d);
    free(x->e);
}

/* ||T Q - Q L|| / ||T|| and ||Q^T Q - I||, in units of the type's last place, the largest of any column. */
struct kinds_errors {
    long double residual, orthogonality;
    bool is_known;
};

/* The largest sum of a row; 1 if T is zero. */
static inline long double kinds_norm(const struct kinds_problem *x) {
    long double norm = 0;
    for (int64_t i = 0; i < x->order; i++)
        norm = fmaxl(norm, fabsl(kinds_get(x, x->d, i)) + (i > 0 ? fabsl(kinds_get(x, x->e, i - 1)) : 0) +
                               (i < x->order - 1 ? fabsl(kinds_get(x, x->e, i)) : 0));
    return norm > 0 ? norm : 1;
}

static inline long double kinds_residual(const struct kinds_problem *x, long double value,
                                         const long double *q) {
    long double square = 0, norm = kinds_norm(x);
    for (int64_t i = 0; i < x->order; i++) {
        long double sum = (kinds_get(x, x->d, i) - value) / norm * q[i];
        if (i > 0)
            sum += kinds_get(x, x->e, i - 1) / norm * q[i - 1];
        if (i < x->order - 1)
            sum += kinds_get(x, x->e, i) / norm * q[i + 1];
        square += sum * sum;
    }
    return sqrtl(square);
}

/* The vectors are multiplied by random numbers for the second error: y <- Q^T (Q z) - z, |y| / |z|. */
static inline struct kinds_errors kinds_errors_of(const struct kinds_problem *x, const void *values,
                                                  const void *q, int64_t ld, double uniform(double, double)) {
    int64_t n = x->order;
    long double unit = lava_type_facts(x->type)->unit;
    struct kinds_errors errors = {.is_known = true};
    long double *columns = malloc((size_t)(n * n) * sizeof *columns);
    long double *z = malloc((size_t)n * sizeof *z), *y = malloc((size_t)n * sizeof *y);
    for (int64_t i = 0; i < n * n; i++)
        columns[i] = kinds_get(x, q, i / n * ld + i % n);
    for (int64_t j = 0; j < n; j++) {
        long double residual = kinds_residual(x, kinds_get(x, values, j), columns + j * n);
        bool is_sorted = j == 0 || kinds_get(x, values, j - 1) <= kinds_get(x, values, j);
        errors.residual = residual >= 0 && is_sorted ? fmaxl(errors.residual, residual) : INFINITY;
    }
    for (int turn = 0; turn < 5; turn++) {
        long double of_z = 0, of_y = 0;
        memset(y, 0, (size_t)n * sizeof *y);
        for (int64_t j = 0; j < n; j++) {
            z[j] = uniform(-1, 1);
            of_z += z[j] * z[j];
            for (int64_t i = 0; i < n; i++)
                y[i] += columns[j * n + i] * z[j];
        }
        for (int64_t j = 0; j < n; j++) {
            long double sum = -z[j];
            for (int64_t i = 0; i < n; i++)
                sum += columns[j * n + i] * y[i];
            of_y += sum * sum;
        }
        long double error = sqrtl(of_y / of_z);
        errors.orthogonality = error >= 0 ? fmaxl(errors.orthogonality, error) : INFINITY;
    }
    errors.residual /= unit;
    errors.orthogonality /= unit;
    free(columns);
    free(z);
    free(y);
    return errors;
}

typedef void kinds_stedc(const char *, const int *, void *, void *, void *, const int *, void *, const int *,
                         int *, const int *, int *, size_t);

/* Those of a LAPACK on this machine, if there is one. */
static inline struct kinds_errors kinds_errors_of_library(const struct kinds_problem *x,
                                                          double uniform(double, double)) {
    static void *handle;
    if (!handle)
        handle = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        handle = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    void *found = handle ? dlsym(handle, x->type == LAVA_TYPE_FP32 ? "sstedc_" : "dstedc_") : NULL;
    if (!found)
        return (struct kinds_errors){0};
    kinds_stedc *stedc;
    memcpy(&stedc, &found, sizeof stedc);
    int n = (int)x->order, lwork = 1 + 4 * n + n * n, liwork = 3 + 5 * n, info = 0;
    size_t bytes = (size_t)n * 8;
    void *d = malloc(bytes), *e = malloc(bytes), *z = malloc(bytes * (size_t)n);
    void *work = malloc((size_t)lwork * 8);
    int *iwork = malloc((size_t)liwork * sizeof *iwork);
    memcpy(d, x->d, (size_t)n * lava_type_bytes(x->type));
    memcpy(e, x->e, (size_t)n * lava_type_bytes(x->type));
    stedc("I", &n, d, e, z, &n, work, &lwork, iwork, &liwork, &info, 1);
    struct kinds_errors errors = {0};
    if (info == 0)
        errors = kinds_errors_of(x, d, z, n, uniform);
    free(d);
    free(e);
    free(z);
    free(work);
    free(iwork);
    return errors;
}

/* At most twice LAPACK's errors. Both are of few units, and by chance: below some units they are not
 * compared. */
static inline void kinds_judge(const struct kinds_problem *x, const struct kinds_errors *ours,
                               const struct kinds_errors *theirs) {
    long double least = 3 + sqrtl((long double)x->order) / 4;
    long double most_residual = fmaxl(least, theirs->is_known ? 2 * theirs->residual : 10 * least),
                most_orthogonality = fmaxl(least, theirs->is_known ? 2 * theirs->orthogonality : 10 * least);
    if (!(ours->residual <= most_residual && ours->orthogonality <= most_orthogonality))
        fail_msg("%s %s %d: residual %Lg (LAPACK %Lg), orthogonality %Lg (%Lg)", lava_type_name(x->type),
                 kinds_name(x->kind), (int)x->order, ours->residual, theirs->residual, ours->orthogonality,
                 theirs->orthogonality);
}

#endif
