/* Cholesky factorization on the device: every type and triangle, at the sizes around panels and blocks. A is
 * a block of a larger matrix, with NaN in whatever must not be used: around it, in the other triangle, and in
 * the imaginary parts of its diagonal. The error is measured by the residual, in long double:
 *
 *     |A - L L^H| <= 4 (n + 1) u |L| |L^H|        element by element
 *
 * What fails must fail at the right minor. Elements (i, k), i >= k, are those of A and of L; of U they are
 * its conjugated elements (k, i). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lib/lapack/device_cholesky.h"
#include "lib/lapack/device_solve.h"
#include "shaders/interface.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/problem.h"
#include "tests/worst_error.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define RANK         20 /* of what a random A is made of, besides its diagonal */

static struct lava_engine *engine;
static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

static int open_engine(void **state) {
    (void)state;
    problem_seed = device_test_seed();
    return device_test_open(false, &engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

/* A matrix before and after its factorization. */
struct sample {
    enum lava_type type;
    enum lava_region stored;
    int64_t order;
    struct matrix a, l;
};

static const char *text_of(const struct sample *sample) {
    static char text[80];
    snprintf(text, sizeof text, "%s, %s, %lld", lava_type_name(sample->type),
             sample->stored == LAVA_REGION_LOWER ? "lower" : "upper", (long long)sample->order);
    return text;
}

static struct value get(const struct sample *sample, const struct matrix *matrix, int64_t i, int64_t k) {
    if (sample->stored == LAVA_REGION_LOWER)
        return matrix_get(matrix, i, k);
    struct value value = matrix_get(matrix, k, i);
    return (struct value){value.re, -value.im};
}

static void set(struct sample *sample, int64_t i, int64_t k, long double re, long double im) {
    if (sample->stored == LAVA_REGION_LOWER)
        matrix_set(&sample->a, i, k, (double)re, (double)im);
    else
        matrix_set(&sample->a, k, i, (double)re, (double)-im);
}

static struct sample sample_new(enum lava_type type, enum lava_region stored, int64_t order) {
    return (struct sample){.type = type,
                           .stored = stored,
                           .order = order,
                           .a = matrix_new(type, order, order),
                           .l = matrix_new(type, order, order)};
}

static void sample_free(struct sample *sample) {
    free(sample->a.all);
    free(sample->l.all);
}

/* From 2^-range to 2^range in steps that are powers of two. */
static double scale_of(int64_t i, int64_t n, double range) {
    return exp2(round(range * (2 * (double)i / (double)n - 1)));
}

/* G G^H + shift, where G has few columns; and rows and columns scaled. A range below 0 scales the other way
 * round. */
static void fill(struct sample *sample, double shift, double range) {
    int64_t n = sample->order;
    struct value *g = malloc((size_t)(n * RANK) * sizeof *g);
    assert_non_null(g);
    for (int64_t i = 0; i < n * RANK; i++)
        g[i] = (struct value){problem_uniform(-1, 1),
                              lava_type_is_complex(sample->type) ? problem_uniform(-1, 1) : 0};
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k <= i; k++) {
            struct value sum = {i == k ? shift : 0, 0};
            double scale = scale_of(i, n, range) * scale_of(k, n, range);
            for (int64_t p = 0; p < RANK; p++) {
                const struct value *a = &g[i * RANK + p], *b = &g[k * RANK + p];
                sum.re += a->re * b->re + a->im * b->im;
                sum.im += a->im * b->re - a->re * b->im;
            }
            set(sample, i, k, sum.re * scale, i == k ? NAN : sum.im * scale);
        }
    free(g);
}

static double moderate(enum lava_type type) {
    return lava_type_real(type) == LAVA_TYPE_FP32 ? 0.5 : 1e-3;
}

static void create(struct lava_device_matrix *matrix, enum lava_type type, int64_t rows, int64_t columns) {
    assert_int_equal(lava_device_matrix_create(engine, type, rows, columns, matrix), LAVA_OK);
}

/* A block of the host's size and place in a larger matrix. */
static struct lava_device_matrix block_of(const struct lava_device_matrix *whole, const struct matrix *host) {
    return lava_device_matrix_block(whole, host->before, host->rows, PROBLEM_FRAME_COLUMNS, host->columns);
}

/* What is beside the triangle has the same bits in both. */
static bool rest_is_same(const struct sample *sample) {
    bool is_lower = sample->stored == LAVA_REGION_LOWER;
    size_t bytes = lava_type_bytes(sample->type);
    for (int64_t j = 0; j < sample->order; j++) {
        int64_t first = is_lower ? 0 : j + 1, rows = is_lower ? j : sample->order - j - 1;
        if (rows > 0 && memcmp(matrix_element(&sample->a, first, j), matrix_element(&sample->l, first, j),
                               (size_t)rows * bytes))
            return false;
    }
    return matrix_frame_is_untouched(&sample->l);
}

/* Factors on the device, from a to l. Returns the status. */
static uint32_t run(struct sample *sample) {
    struct lava_device_matrix whole;
    struct lava_device_cholesky cholesky = {.stored = sample->stored};
    struct lava_stream stream;
    uint32_t status = 0;
    create(&whole, sample->type, sample->a.ld, sample->order + 2 * PROBLEM_FRAME_COLUMNS);
    create(&cholesky.status, LAVA_TYPE_FP32, 1, 1);
    cholesky.a = block_of(&whole, &sample->a);
    lava_stream_open(&stream, engine, false);
    assert_int_equal(lava_device_matrix_upload(&stream, &whole, sample->a.all, sample->a.ld), LAVA_OK);
    assert_int_equal(lava_device_matrix_upload(&stream, &cholesky.status, &status, 1), LAVA_OK);
    assert_int_equal(lava_device_cholesky(&stream, &cholesky), LAVA_OK);
    assert_int_equal(
        lava_device_matrix_download(&stream, &whole, LAVA_REGION_ALL, sample->l.all, sample->l.ld), LAVA_OK);
    assert_int_equal(lava_device_matrix_download(&stream, &cholesky.status, LAVA_REGION_ALL, &status, 1),
                     LAVA_OK);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    lava_device_matrix_free(engine, &whole);
    lava_device_matrix_free(engine, &cholesky.status);
    assert_true(rest_is_same(sample));
    return status & LAVA_CHOLESKY_TOO_SMALL
               ? 0
               : status; /* the CPU gets these, but factors as small are right, too */
}

/* L row by row, and the absolute values of its elements. */
struct rows {
    struct value *l;
    long double *sizes;
};

static struct rows rows_of(const struct sample *sample, const struct matrix *from) {
    size_t n = (size_t)sample->order;
    struct rows rows = {malloc(n * n * sizeof *rows.l), malloc(n * n * sizeof *rows.sizes)};
    assert_true(rows.l && rows.sizes);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++) {
            rows.l[i * n + k] = get(sample, from, (int64_t)i, (int64_t)k);
            rows.sizes[i * n + k] = problem_size_of(rows.l[i * n + k]);
        }
    return rows;
}

static void rows_free(struct rows *rows) {
    free(rows->l);
    free(rows->sizes);
}

/* |A - L L^H| / (|L| |L^H|) of element (i, k), in units of u. */
static long double error_at(const struct sample *sample, const struct rows *rows, int64_t i, int64_t k) {
    const struct value *a = rows->l + i * sample->order, *b = rows->l + k * sample->order;
    const long double *a_sizes = rows->sizes + i * sample->order, *b_sizes = rows->sizes + k * sample->order;
    bool is_complex = lava_type_is_complex(sample->type);
    struct value residual = get(sample, &sample->a, i, k);
    long double bound = 0;
    if (i == k)
        residual.im = 0;
    for (int64_t p = 0; p <= k; p++) {
        residual.re -= a[p].re * b[p].re;
        if (is_complex) {
            residual.re -= a[p].im * b[p].im;
            residual.im -= a[p].im * b[p].re - a[p].re * b[p].im;
        }
        bound += a_sizes[p] * b_sizes[p];
    }
    long double size = problem_size_of(residual);
    return size == 0 ? 0 : size / (bound * lava_type_facts(sample->type)->unit);
}

/* Returns the largest error of an element; Inf if one is not a number, or an imaginary part of the
 * diagonal is not zero. */
static long double error_of(const struct sample *sample, const struct matrix *l) {
    struct rows rows = rows_of(sample, l);
    long double worst = 0;
    for (int64_t i = 0; i < sample->order; i++)
        for (int64_t k = 0; k <= i; k++) {
            long double error = error_at(sample, &rows, i, k);
            if (i == k && rows.l[i * sample->order + i].im != 0)
                error = INFINITY;
            worst = worst_of(worst, error);
        }
    rows_free(&rows);
    return worst;
}

static void check(struct sample *sample) {
    uint32_t status = run(sample);
    long double error = error_of(sample, &sample->l), most = 4.0L * (sample->order + 1);
    if (status != 0 || !(error <= most))
        fail_msg("%s: status %u, the error is %Lg u, not %Lg", text_of(sample), (unsigned)status, error,
                 most);
}

static void for_all(void (*check_one)(enum lava_type type, enum lava_region stored)) {
    for (size_t i = 0; i < COUNT(types); i++) {
        check_one(types[i], LAVA_REGION_LOWER);
        check_one(types[i], LAVA_REGION_UPPER);
    }
}

static void check_sizes(enum lava_type type, enum lava_region stored) {
    static const int64_t orders[] = {1, 2, 5, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200, 257, 300};
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct sample sample = sample_new(type, stored, orders[i]);
        fill(&sample, moderate(type), 0);
        check(&sample);
        sample_free(&sample);
    }
}

static void every_way(void **state) {
    (void)state;
    for_all(check_sizes);
}

static void large(void **state) {
    static const int64_t orders[COUNT(types)] = {641, 800, 450, 400};
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) {
        bool is_lower = rand_r(&problem_seed) % 2;
        struct sample sample =
            sample_new(types[i], is_lower ? LAVA_REGION_LOWER : LAVA_REGION_UPPER, orders[i]);
        fill(&sample, moderate(types[i]), 0);
        check(&sample);
        sample_free(&sample);
    }
}

/* Two runs give the same bits. */
static void check_twice(enum lava_type type, enum lava_region stored) {
    struct sample sample = sample_new(type, stored, 275);
    fill(&sample, moderate(type), 0);
    run(&sample);
    struct matrix first = matrix_copy(&sample.l);
    run(&sample);
    assert_memory_equal(sample.l.all, first.all, first.bytes);
    free(first.all);
    sample_free(&sample);
}

static void same_bits(void **state) {
    (void)state;
    for_all(check_twice);
}

/* If L's elements are small integers, they are found exactly. */
static void check_exact(enum lava_type type, enum lava_region stored) {
    static const int64_t orders[] = {1, 40, 128, 290};
    for (size_t o = 0; o < COUNT(orders); o++) {
        struct sample sample = sample_new(type, stored, orders[o]);
        for (int64_t i = 0; i < sample.order; i++)
            for (int64_t k = 0; k <= i; k++)
                set(&sample, i, k, rand_r(&problem_seed) % (i == k ? 3 : 5) + (i == k ? 1 : -2),
                    i == k ? 0 : rand_r(&problem_seed) % 5 - 2);
        struct matrix l = matrix_copy(&sample.a);
        struct rows rows = rows_of(&sample, &l);
        for (int64_t i = 0; i < sample.order; i++)
            for (int64_t k = 0; k <= i; k++) {
                struct value sum = {0, 0}, *a = rows.l + i * sample.order, *b = rows.l + k * sample.order;
                for (int64_t p = 0; p <= k; p++) {
                    sum.re += a[p].re * b[p].re + a[p].im * b[p].im;
                    sum.im += a[p].im * b[p].re - a[p].re * b[p].im;
                }
                set(&sample, i, k, sum.re, sum.im);
            }
        assert_int_equal(run(&sample), 0);
        for (int64_t i = 0; i < sample.order; i++)
            for (int64_t k = 0; k <= i; k++) {
                struct value got = get(&sample, &sample.l, i, k), want = rows.l[i * sample.order + k];
                if (got.re != want.re || got.im != want.im)
                    fail_msg("%s: element %lld, %lld is %Lg %Lg, not %Lg %Lg", text_of(&sample), (long long)i,
                             (long long)k, got.re, got.im, want.re, want.im);
            }
        rows_free(&rows);
        free(l.all);
        sample_free(&sample);
    }
}

static void exact(void **state) {
    (void)state;
    for_all(check_exact);
}

/* Rounds to the type. */
static struct value rounded(enum lava_type type, struct value value) {
    if (lava_type_real(type) == LAVA_TYPE_FP32)
        return (struct value){(float)value.re, (float)value.im};
    return (struct value){(double)value.re, (double)value.im};
}

/* Factors row by row, with every result rounded to the type. */
static struct matrix factor_plainly(const struct sample *sample) {
    int64_t n = sample->order;
    struct rows rows = rows_of(sample, &sample->a);
    struct sample plain = *sample;
    plain.a = matrix_copy(&sample->a);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k <= i; k++) {
            struct value sum = rows.l[i * n + k], *a = rows.l + i * n, *b = rows.l + k * n;
            for (int64_t p = 0; p < k; p++) {
                struct value own =
                                 rounded(sample->type, (struct value){a[p].re * b[p].re, a[p].im * b[p].re}),
                             cross =
                                 rounded(sample->type, (struct value){a[p].im * b[p].im, a[p].re * b[p].im}),
                             term =
                                 rounded(sample->type, (struct value){own.re + cross.re, own.im - cross.im});
                sum = rounded(sample->type, (struct value){sum.re - term.re, sum.im - term.im});
            }
            sum = i == k ? (struct value){sqrtl(sum.re), 0}
                         : (struct value){sum.re / b[k].re, sum.im / b[k].re};
            rows.l[i * n + k] = rounded(sample->type, sum);
            set(&plain, i, k, rows.l[i * n + k].re, rows.l[i * n + k].im);
        }
    rows_free(&rows);
    return plain.a;
}

/* Nearly singular matrices, and graded ones. A block is as accurate as the plain loop. What products
 * contribute to larger matrices are sums, which are rounded before they are subtracted, as in LAPACK's
 * blocked factorization. */
static const int64_t ill_orders[] = {LAVA_CHOLESKY_ORDER, 190};
static long double worst_ratios[COUNT(ill_orders)];

static void check_ratio(struct sample *sample, bool is_block, long double *worst) {
    check(sample);
    struct matrix plain = factor_plainly(sample);
    long double ratio = error_of(sample, &sample->l) / error_of(sample, &plain);
    if (is_block && !(ratio <= 4))
        fail_msg("%s: %Lg times the error of a plain loop", text_of(sample), ratio);
    *worst = ratio > *worst ? ratio : *worst;
    free(plain.all);
}

static void check_ill(enum lava_type type, enum lava_region stored) {
    bool narrow = lava_type_real(type) == LAVA_TYPE_FP32;
    double shift = narrow ? 1e-2 : 1e-9, range = narrow ? 50 : 450;
    const double kinds[][2] = {{shift, 0}, {moderate(type), range}, {moderate(type), -range}};
    for (size_t o = 0; o < COUNT(ill_orders); o++)
        for (size_t i = 0; i < COUNT(kinds); i++) {
            struct sample sample = sample_new(type, stored, ill_orders[o]);
            fill(&sample, kinds[i][0], kinds[i][1]);
            check_ratio(&sample, ill_orders[o] <= LAVA_CHOLESKY_ORDER, &worst_ratios[o]);
            sample_free(&sample);
        }
}

static void ill_conditioned(void **state) {
    (void)state;
    for_all(check_ill);
    for (size_t o = 0; o < COUNT(ill_orders); o++)
        printf("order %lld: at most %.2Lf times the error of a plain loop\n", (long long)ill_orders[o],
               worst_ratios[o]);
}

/* What is wrong with a minor: a diagonal element, or one beside it. */
enum fault { NEGATIVE, MINUS_INFINITY, NOT_A_NUMBER, NOT_A_NUMBER_BESIDE, ZERO, FAULT_COUNT };
static void spoil(struct sample *sample, int64_t at, enum fault fault) {
    static const long double values[] = {-1e-3L, -INFINITY, NAN, 0, 0};
    if (fault == NOT_A_NUMBER_BESIDE && at > 0)
        set(sample, at, rand_r(&problem_seed) % at, NAN, 0);
    else
        set(sample, at, at, values[fault], NAN);
    for (int64_t k = 0; k < at && fault == ZERO; k++) /* zero remains zero */
        set(sample, at, k, 0, 0);
}

/* A second fault, after the first one, does not matter. */
static void check_fault(const struct sample *good, int64_t at, enum fault fault) {
    struct sample sample = *good;
    int64_t after = sample.order - at - 1;
    sample.a = matrix_copy(&good->a);
    spoil(&sample, at, fault);
    if (after > 0 && rand_r(&problem_seed) % 2)
        spoil(&sample, at + 1 + rand_r(&problem_seed) % after, NEGATIVE);
    uint32_t status = run(&sample);
    if (status != at + 1)
        fail_msg("%s: fault %d of minor %lld: the status is %u", text_of(&sample), fault, (long long)at + 1,
                 (unsigned)status);
    free(sample.a.all);
}

static void check_faults(enum lava_type type, enum lava_region stored) {
    static const int64_t orders[] = {1, 5, 128, 129, 200};
    for (size_t o = 0; o < COUNT(orders); o++) {
        const int64_t minors[] = {0, rand_r(&problem_seed) % orders[o], orders[o] - 1};
        struct sample sample = sample_new(type, stored, orders[o]);
        fill(&sample, moderate(type), 0);
        for (size_t i = 0; i < COUNT(minors); i++)
            for (int fault = 0; fault < FAULT_COUNT; fault++)
                check_fault(&sample, minors[i], (enum fault)fault);
        sample_free(&sample);
    }
}

static void not_positive(void **state) {
    (void)state;
    for_all(check_faults);
}

/* Inf on the diagonal counts as positive: what is below it becomes 0. Complex matrices are one block, because
 * a complex solve does not divide by Inf. */
static void check_infinity(enum lava_type type, enum lava_region stored) {
    struct sample sample = sample_new(type, stored, lava_type_is_complex(type) ? 100 : 250);
    int64_t at = rand_r(&problem_seed) % sample.order;
    fill(&sample, moderate(type), 0);
    set(&sample, at, at, INFINITY, NAN);
    assert_int_equal(run(&sample), 0);
    for (int64_t i = 0; i < sample.order; i++)
        for (int64_t k = 0; k <= i; k++) {
            struct value l = get(&sample, &sample.l, i, k);
            if (k == at)
                assert_true(l.re == (i == at ? INFINITY : 0) && l.im == 0);
            else
                assert_true(isfinite(l.re) && isfinite(l.im));
        }
    sample_free(&sample);
}

static void infinity(void **state) {
    (void)state;
    for_all(check_infinity);
}

/* In one stream: a factorization that fails, one that succeeds and leaves the status as it is, and the
 * solution of A X = B by the factor. */
static void chain(void **state) {
    const int64_t n = 170, sides = 7;
    struct sample sample = sample_new(LAVA_TYPE_FP64, LAVA_REGION_LOWER, n);
    struct matrix b = matrix_new(LAVA_TYPE_FP64, n, sides), x = matrix_copy(&b);
    struct lava_device_matrix whole[3], word;
    struct lava_stream stream;
    uint32_t status = 0;
    (void)state;
    for (int64_t j = 0; j < sides; j++)
        for (int64_t i = 0; i < n; i++)
            matrix_set(&b, i, j, problem_uniform(-1, 1), 0);
    fill(&sample, 1, 0);
    struct sample bad = sample;
    bad.a = matrix_copy(&sample.a);
    spoil(&bad, 140, NEGATIVE);
    const struct matrix *hosts[] = {&bad.a, &sample.a, &b};
    create(&word, LAVA_TYPE_FP32, 1, 1);
    lava_stream_open(&stream, engine, false);
    assert_int_equal(lava_device_matrix_upload(&stream, &word, &status, 1), LAVA_OK);
    for (int i = 0; i < 3; i++) {
        create(&whole[i], LAVA_TYPE_FP64, b.ld, hosts[i]->columns + 2 * PROBLEM_FRAME_COLUMNS);
        assert_int_equal(lava_device_matrix_upload(&stream, &whole[i], hosts[i]->all, hosts[i]->ld), LAVA_OK);
    }
    for (int i = 0; i < 2; i++) {
        const struct lava_device_cholesky cholesky = {
            .a = block_of(&whole[i], hosts[i]), .status = word, .stored = LAVA_REGION_LOWER};
        assert_int_equal(lava_device_cholesky(&stream, &cholesky), LAVA_OK);
    }
    struct lava_device_solve solve = {.a = block_of(&whole[1], &sample.a),
                                      .b = block_of(&whole[2], &b),
                                      .stored = LAVA_REGION_LOWER,
                                      .alpha.real = 1};
    assert_int_equal(lava_device_solve(&stream, &solve), LAVA_OK);
    solve.op = LAVA_OP_T;
    assert_int_equal(lava_device_solve(&stream, &solve), LAVA_OK);
    assert_int_equal(lava_device_matrix_download(&stream, &whole[2], LAVA_REGION_ALL, x.all, x.ld), LAVA_OK);
    assert_int_equal(lava_device_matrix_download(&stream, &word, LAVA_REGION_ALL, &status, 1), LAVA_OK);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    assert_int_equal(status, 141);
    for (int64_t j = 0; j < sides; j++)
        for (int64_t i = 0; i < n; i++) {
            long double residual = -matrix_get(&b, i, j).re, bound = 0;
            for (int64_t k = 0; k < n; k++) {
                long double a = matrix_get(&sample.a, i > k ? i : k, i > k ? k : i).re;
                residual += a * matrix_get(&x, k, j).re;
                bound += sqrtl(matrix_get(&sample.a, i, i).re * matrix_get(&sample.a, k, k).re) *
                         fabsl(matrix_get(&x, k, j).re);
            }
            assert_true(fabsl(residual) <= 12.0L * (n + 1) * 0x1p-53L * bound);
        }
    for (int i = 0; i < 3; i++)
        lava_device_matrix_free(engine, &whole[i]);
    lava_device_matrix_free(engine, &word);
    free(bad.a.all);
    free(b.all);
    free(x.all);
    sample_free(&sample);
}

static void refused(void **state) {
    struct lava_device_matrix a, half, word, wide;
    struct lava_stream stream;
    (void)state;
    create(&a, LAVA_TYPE_FP64, 64, 64);
    create(&half, LAVA_TYPE_FP16, 64, 64);
    create(&word, LAVA_TYPE_FP32, 1, 1);
    create(&wide, LAVA_TYPE_FP64, 1, 1);
    struct lava_device_matrix odd = lava_device_matrix_block(&a, 0, 32, 0, 32), within = word, pair = word;
    struct lava_device_matrix odd_word = word;
    odd.offset += 8;
    odd_word.offset += 2;
    within.buffer = a.buffer;
    pair.rows = 2;
    lava_stream_open(&stream, engine, false);
    const struct lava_device_cholesky refused_ones[] = {
        {.a = lava_device_matrix_block(&a, 0, 32, 0, 64), .status = word, .stored = LAVA_REGION_LOWER},
        {.a = a, .status = word}, /* no triangle */
        {.a = half, .status = word, .stored = LAVA_REGION_LOWER},
        {.a = odd, .status = word, .stored = LAVA_REGION_UPPER}, /* rows that are not at a word */
        {.a = a, .status = wide, .stored = LAVA_REGION_LOWER},
        {.a = a, .status = pair, .stored = LAVA_REGION_LOWER},
        {.a = a, .status = odd_word, .stored = LAVA_REGION_LOWER},
        {.a = a, .status = within, .stored = LAVA_REGION_LOWER}};
    for (size_t i = 0; i < COUNT(refused_ones); i++)
        assert_int_equal(lava_device_cholesky(&stream, &refused_ones[i]), LAVA_ERROR_UNAVAILABLE);
    const struct lava_device_cholesky empty = {
        .a = lava_device_matrix_block(&a, 0, 0, 0, 0), .status = word, .stored = LAVA_REGION_LOWER};
    assert_int_equal(lava_device_cholesky(&stream, &empty), LAVA_OK);
    assert_false(stream.recording);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    struct lava_device_matrix *all[] = {&a, &half, &word, &wide};
    for (size_t i = 0; i < COUNT(all); i++)
        lava_device_matrix_free(engine, all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way), cmocka_unit_test(large),           cmocka_unit_test(same_bits),
        cmocka_unit_test(exact),     cmocka_unit_test(ill_conditioned), cmocka_unit_test(not_positive),
        cmocka_unit_test(infinity),  cmocka_unit_test(chain),           cmocka_unit_test(refused)};
    return problem_run_tests(tests, COUNT(tests), open_engine, close_engine);
}
