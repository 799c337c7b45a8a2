/* Solves with a triangular matrix, ?trsm_, that several devices share: the bits are those of one device,
 * nothing else is written, and whatever fails the result is right. The matrix is 1 + N, where N has elements
 * in one quarter, so that N N is zero and X is alpha (B - N B). NaN is in the other triangle and between
 * columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/library/poison.h"
#include "tests/robustness/shared_calls.h"

typedef void trsm_type(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
                       const int *n, const void *alpha, const void *a, const int *lda, void *b,
                       const int *ldb);
trsm_type strsm_, dtrsm_, ctrsm_, ztrsm_;

struct solve {
    const char *name, *options; /* side, uplo, trans, diag */
    trsm_type *run;
    bool is_double, is_complex;
    int m, n;
    double alpha;
    int order, lda, ldb;
    void *a, *b0;
    long double *expected; /* m x n, real and imaginary parts in turn */
    double *bound;         /* of each element's error */
};

static size_t element_bytes(const struct solve *x) {
    return (x->is_double ? sizeof(double) : sizeof(float)) * (x->is_complex ? 2 : 1);
}

/* Part 1 is the imaginary one. */
static double get(const struct solve *x, const void *matrix, size_t at, int part) {
    size_t place = x->is_complex ? 2 * at + (size_t)part : at;
    if (part == 1 && !x->is_complex)
        return 0;
    return x->is_double ? ((const double *)matrix)[place] : ((const float *)matrix)[place];
}

static void put(const struct solve *x, void *matrix, size_t at, double real, double imaginary) {
    const double parts[2] = {real, imaginary};
    for (int part = 0; part < (x->is_complex ? 2 : 1); part++) {
        size_t place = x->is_complex ? 2 * at + (size_t)part : at;
        if (x->is_double)
            ((double *)matrix)[place] = parts[part];
        else
            ((float *)matrix)[place] = (float)parts[part];
    }
}

static size_t b_bytes(const void *call) {
    const struct solve *x = call;
    return (size_t)x->ldb * (size_t)x->n * element_bytes(x);
}

static double uniform(unsigned *seed) {
    return 2.0 * rand_r(seed) / RAND_MAX - 1;
}

/* Returns whether N has an element there: in the quarter below the diagonal, or above it. */
static bool is_in_quarter(const struct solve *x, int i, int j) {
    int half = x->order / 2;
    return x->options[1] == 'L' ? i >= half && j < half : i < half && j >= half;
}

static void fill_triangle(struct solve *x, unsigned *seed) {
    for (int j = 0; j < x->order; j++)
        for (int i = 0; i < x->order; i++) {
            bool is_stored = x->options[1] == 'L' ? i > j : i < j;
            double real = is_in_quarter(x, i, j) ? uniform(seed) : 0;
            if (i == j && x->options[3] == 'N')
                put(x, x->a, (size_t)(j * x->lda + i), 1, 0);
            if (is_stored)
                put(x, x->a, (size_t)(j * x->lda + i), real, real == 0 ? 0 : uniform(seed));
        }
}

/* op(N)'s element. */
static void element_of_n(const struct solve *x, int i, int j, double value[2]) {
    bool is_plain = x->options[2] == 'N';
    int row = is_plain ? i : j, column = is_plain ? j : i;
    value[0] = value[1] = 0;
    if (!is_in_quarter(x, row, column))
        return;
    for (int part = 0; part < 2; part++)
        value[part] = get(x, x->a, (size_t)(column * x->lda + row), part);
    if (x->options[2] == 'C')
        value[1] = -value[1];
}

/* X = alpha (B - op(N) B), or alpha (B - B op(N)), and a bound of the error of sums of n terms. */
static void expect_element(struct solve *x, int i, int j) {
    bool on_left = x->options[0] == 'L';
    size_t own = (size_t)(j * x->ldb + i), place = (size_t)(j * x->m + i);
    long double sum[2] = {get(x, x->b0, own, 0), get(x, x->b0, own, 1)};
    double most = hypot((double)sum[0], (double)sum[1]), unit = x->is_double ? 0x1p-53 : 0x1p-24;
    for (int l = 0; l < x->order; l++) {
        size_t at = (size_t)(on_left ? j * x->ldb + l : l * x->ldb + i);
        long double real = get(x, x->b0, at, 0), imaginary = get(x, x->b0, at, 1);
        double n[2];
        element_of_n(x, on_left ? i : l, on_left ? l : j, n);
        sum[0] -= n[0] * real - n[1] * imaginary;
        sum[1] -= n[0] * imaginary + n[1] * real;
        most += hypot(n[0], n[1]) * hypot((double)real, (double)imaginary);
    }
    for (size_t part = 0; part < 2; part++)
        x->expected[2 * place + part] = x->alpha * sum[part];
    x->bound[place] = 4 * (x->order + 4) * unit * fabs(x->alpha) * most;
}

static void expect(struct solve *x) {
    size_t elements = (size_t)(x->m * x->n);
    x->expected = calloc(2 * elements, sizeof *x->expected);
    x->bound = calloc(elements, sizeof *x->bound);
    if (!x->expected || !x->bound)
        abort();
    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < x->m; i++)
            expect_element(x, i, j);
}

static void make(void *call, unsigned seed) {
    struct solve *x = call;
    x->order = x->options[0] == 'L' ? x->m : x->n;
    x->lda = x->order + 1;
    x->ldb = x->m + 3;
    x->a = poison_new((size_t)x->lda * (size_t)x->order * element_bytes(x));
    x->b0 = poison_new(b_bytes(x));
    fill_triangle(x, &seed);
    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < x->m; i++)
            put(x, x->b0, (size_t)(j * x->ldb + i), uniform(&seed), uniform(&seed));
    expect(x);
}

static void end(void *call) {
    struct solve *x = call;
    free(x->a);
    free(x->b0);
    free(x->expected);
    free(x->bound);
}

static void *new_b(const void *call) {
    const struct solve *x = call;
    void *b = malloc(b_bytes(x));
    if (!b)
        abort();
    return memcpy(b, x->b0, b_bytes(x));
}

static void run(const void *call, void *b) {
    const struct solve *x = call;
    const float narrow[2] = {(float)x->alpha, 0};
    const double wide[2] = {x->alpha, 0};
    x->run(&x->options[0], &x->options[1], &x->options[2], &x->options[3], &x->m, &x->n,
           x->is_double ? (const void *)wide : (const void *)narrow, x->a, &x->lda, b, &x->ldb);
}

static bool check(const void *call, const void *b) {
    const struct solve *x = call;
    size_t bytes = element_bytes(x);
    for (int j = 0; j < x->n; j++) {
        for (int i = 0; i < x->m; i++)
            for (int part = 0; part < (x->is_complex ? 2 : 1); part++) {
                size_t place = (size_t)(j * x->m + i);
                double value = get(x, b, (size_t)(j * x->ldb + i), part),
                       error = (double)fabsl(value - x->expected[2 * place + (size_t)part]);
                if (!(error <= x->bound[place])) {
                    fprintf(stderr, "%s %s: element %d,%d: %g, wrong by %g\n", x->name, x->options, i, j,
                            value, error);
                    return false;
                }
            }
        size_t after = (size_t)(j * x->ldb + x->m) * bytes;
        if (memcmp((const char *)b + after, (const char *)x->b0 + after, (size_t)(x->ldb - x->m) * bytes)) {
            fprintf(stderr, "%s %s: more than X is written\n", x->name, x->options);
            return false;
        }
    }
    return true;
}

// clang-format off
#define CALL(function, letters, rows, columns, scale, of_double, of_complex)                               \
    {.name = #function, .options = letters, .run = function, .m = rows, .n = columns, .alpha = scale,       \
     .is_double = of_double, .is_complex = of_complex}
static struct solve solves[] = { /* by type */
    CALL(strsm_, "LLNN", 300, 1500, 1,  false, false),
    CALL(strsm_, "RUTU", 1400, 290, -1, false, false),
    CALL(dtrsm_, "LUNU", 280, 1100, 2,  true,  false),
    CALL(dtrsm_, "RLNN", 1000, 270, 1,  true,  false),
    CALL(dtrsm_, "LUTN", 560, 520, 1,   true,  false),
    CALL(ctrsm_, "LUCN", 200, 900,  1,  false, true),
    CALL(ctrsm_, "RLTN", 800, 190,  2,  false, true),
    CALL(ztrsm_, "LLTN", 190, 700,  -1, true,  true),
    CALL(ztrsm_, "RUNN", 600, 180,  1,  true,  true),
    CALL(ztrsm_, "RLCU", 400, 530, 2,   true,  true), /* by bands */
};
// clang-format on
#define SOLVES (int)(sizeof solves / sizeof solves[0])

static const struct test_case cases[] = {
    SHARED_CALLS_CASES("s"), SHARED_CALLS_CASES("d"), SHARED_CALLS_CASES("c"),
    SHARED_CALLS_CASES("z"), {.name = NULL},
};

int main(int argument_count, char **arguments) {
    struct shared_call shared[SOLVES];
    for (int i = 0; i < SOLVES; i++)
        shared[i] = (struct shared_call){solves[i].name, &solves[i], make, end, new_b, run, check, b_bytes};
    return shared_calls_main(argument_count, arguments, cases, shared, SOLVES);
}
