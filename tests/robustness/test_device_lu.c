/* LU factorization with partial pivoting on the device: every type, square, tall and wide, at the sizes
 * around panels. A is a block of a larger matrix with NaN around it; pivots and scratch lie between words
 * that must not change. The error is measured in long double:
 *
 *     |P A - L U| <= 2 n u |L| |U|        element by element; complex: by absolute values, twice as much
 *     ||P A - L U|| <= 30 n u ||A||       in the Frobenius norm
 *
 * Matrices whose elimination is exact have one right answer, which is compared bit for bit. */
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

#include "dispatch/arithmetic.h"
#include "lib/lapack/device_lu.h"
#include "lib/lapack/device_solve.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/factors.h"
#include "tests/worst_error.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
static long double worst_element, worst_norm; /* as parts of what is allowed */

static int open_engine(void **state) {
    (void)state;
    problem_seed = device_test_seed();
    return device_test_open(false, &factors_engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(factors_engine);
    return 0;
}

/* |L| <= 1 but for rounding; complex elements may have absolute values of sqrt(2). */
static void check_growth(const struct factors *factors) {
    long double most = lava_type_is_complex(factors->type) ? sqrtl(2) : 1;
    struct value *l = factors_get(factors, true);
    for (int64_t i = 0; i < factors->rows * factors->order; i++)
        if (!(problem_size_of(l[i]) <= most * (1 + 4 * (long double)lava_type_facts(factors->type)->unit)))
            fail_msg("L's element %lld is %Lg %Lg", (long long)i, l[i].re, l[i].im);
    free(l);
}

static void check(const struct factors *factors) {
    long double n = factors->order, most = (lava_type_is_complex(factors->type) ? 4 : 2) * n, in_norm;
    long double error = factors_error(factors, &in_norm);
    check_growth(factors);
    if (!(error <= most && in_norm <= 30 * n))
        fail_msg("%s, %lld x %lld: the error is %Lg u |L| |U|, not %Lg; in norm %Lg u ||A||, not %Lg",
                 lava_type_name(factors->type), (long long)factors->rows, (long long)factors->columns, error,
                 most, in_norm, 30 * n);
    worst_element = fmaxl(worst_element, error / most);
    worst_norm = fmaxl(worst_norm, in_norm / (30 * n));
}

static void check_random(enum lava_type type, int64_t rows, int64_t columns) {
    struct factors factors = factors_new(type, rows, columns);
    factors_run(&factors);
    check(&factors);
    factors_free(&factors);
}

static void sizes(void **state) {
    static const int64_t squares[] = {1, 2, 3, 16, 31, 32, 33, 63, 64, 65, 100, 129, 200};
    static const int64_t others[][2] = {{1, 7},   {9, 1},    {33, 32},  {32, 33},  {70, 129}, {129, 70},
                                        {500, 3}, {40, 150}, {700, 40}, {257, 97}, {300, 300}};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        for (size_t i = 0; i < COUNT(squares); i++)
            check_random(types[t], squares[i], squares[i]);
        for (size_t i = 0; i < COUNT(others); i++)
            check_random(types[t], others[i][0], others[i][1]);
        printf("%s: the largest error is %.2Lf of what is allowed by element, %.4Lf in norm\n",
               lava_type_name(types[t]), worst_element, worst_norm);
        worst_element = worst_norm = 0;
    }
}

/* More rows than workgroups have invocations at a time. */
static void many_rows(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT(types); t += 3)
        check_random(types[t], LAVA_LU_GROUPS * LAVA_LU_INVOCATIONS + 300, 5);
}

static int64_t below(int64_t most) {
    return rand_r(&problem_seed) % most;
}

/* L's elements are quarters with |re| + |im| < 1, U's diagonal is powers of two, its other elements are small
 * integers. Then no other row of A may become a pivot, and the elimination is exact. */
static void fill_exact(struct factors *factors, struct matrix *lu) {
    bool is_complex = lava_type_is_complex(factors->type);
    for (int64_t j = 0; j < factors->columns; j++)
        for (int64_t i = 0; i < factors->rows; i++) {
            double re = (double)(below(7) - 3), im = is_complex ? (double)(below(7) - 3) : 0;
            if (i == j) {
                re = ldexp(below(2) ? 1 : -1, (int)below(3));
                im = is_complex && below(2) ? re : 0;
                re = im == 0 ? re : 0;
            } else if (i > j) {
                while (fabs(re) + fabs(im) > 3)
                    im = (double)(below(7) - 3);
                re /= 4;
                im /= 4;
            }
            matrix_set(lu, i, j, re, im);
        }
}

/* A <- the rows of L U in the order that the pivots undo. */
static void multiply_exactly(struct factors *factors, const struct matrix *lu, const uint32_t *pivots) {
    struct factors of = *factors;
    of.lu = *lu;
    of.pivots = (uint32_t *)pivots;
    int64_t n = factors->order, *rows = factors_permutation(&of);
    struct value *l = factors_get(&of, true), *u = factors_get(&of, false);
    for (int64_t i = 0; i < factors->rows; i++)
        for (int64_t j = 0; j < factors->columns; j++) {
            struct value sum = {0, 0};
            for (int64_t k = 0; k < n; k++) {
                struct value a = l[i * n + k], b = u[j * n + k];
                sum.re += a.re * b.re - a.im * b.im;
                sum.im += a.re * b.im + a.im * b.re;
            }
            matrix_set(&factors->a, rows[i], j, (double)sum.re, (double)sum.im);
        }
    free(l);
    free(u);
    free(rows);
}

static void check_exact(enum lava_type type, int64_t m, int64_t n) {
    struct factors factors = factors_new(type, m, n);
    struct matrix lu = matrix_new(type, m, n);
    uint32_t *pivots = malloc((size_t)factors.order * sizeof *pivots);
    assert_non_null(pivots);
    for (int64_t i = 0; i < factors.order; i++)
        pivots[i] = (uint32_t)(i + 1 + below(m - i));
    fill_exact(&factors, &lu);
    multiply_exactly(&factors, &lu, pivots);
    factors_run(&factors);
    assert_memory_equal(factors.pivots, pivots, (size_t)factors.order * sizeof *pivots);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            struct value got = matrix_get(&factors.lu, i, j), want = matrix_get(&lu, i, j);
            if (!(got.re == want.re && got.im == want.im))
                fail_msg("%s, %lld x %lld: element %lld, %lld is %Lg %Lg, not %Lg %Lg", lava_type_name(type),
                         (long long)m, (long long)n, (long long)i, (long long)j, got.re, got.im, want.re,
                         want.im);
        }
    free(pivots);
    free(lu.all);
    factors_free(&factors);
}

static void exact(void **state) {
    static const int64_t sizes_of[][2] = {{5, 5}, {40, 40}, {200, 200}, {150, 70}, {70, 150}, {700, 66}};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        for (size_t i = 0; i < COUNT(sizes_of); i++)
            check_exact(types[t], sizes_of[i][0], sizes_of[i][1]);
}

/* The pivots of elimination on the host; the first of equals. */
static void host_pivots(const struct factors *factors, uint32_t *pivots) {
    int64_t n = factors->rows;
    double *a = malloc((size_t)(n * n) * sizeof *a);
    assert_non_null(a);
    for (int64_t i = 0; i < n * n; i++)
        a[i] = (double)matrix_get(&factors->a, i / n, i % n).re;
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k; i < n; i++)
            pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
        pivots[k] = (uint32_t)(pivot + 1);
        for (int64_t j = 0; j < n; j++) {
            double swapped = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swapped;
        }
        for (int64_t i = k + 1; i < n; i++)
            for (int64_t j = n - 1; j >= k; j--)
                a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
    }
    free(a);
}

/* Hadamard's matrix of Sylvester's form, with random signs of rows and columns: its elimination is exact, and
 * most pivots have equals. */
static void check_hadamard(enum lava_type type, int64_t n) {
    struct factors factors = factors_new(type, n, n);
    uint32_t *pivots = malloc((size_t)n * sizeof *pivots);
    int *signs = malloc((size_t)(2 * n) * sizeof *signs);
    assert_true(pivots && signs);
    for (int64_t i = 0; i < 2 * n; i++)
        signs[i] = below(2) ? 1 : -1;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            matrix_set(&factors.a, i, j,
                       (__builtin_popcountll((unsigned long long)(i & j)) % 2 ? -1 : 1) * signs[i] *
                           signs[n + j],
                       0);
    host_pivots(&factors, pivots);
    factors_run(&factors);
    assert_memory_equal(factors.pivots, pivots, (size_t)n * sizeof *pivots);
    check(&factors);
    free(pivots);
    free(signs);
    factors_free(&factors);
}

/* Equals in the first column, in whatever rows. */
static void check_equals(enum lava_type type) {
    static const double parts[][2] = {{4, 0}, {0, -4}, {-1, 3}, {2, -2}};
    struct factors factors = factors_new(type, 700, 3);
    int64_t first = factors.rows;
    for (int times = 0; times < 4; times++) {
        int64_t row = below(factors.rows), which = lava_type_is_complex(type) ? below(4) : 0;
        matrix_set(&factors.a, row, 0, parts[which][0] * (below(2) ? 1 : -1), parts[which][1]);
        first = lava_minimum(first, row);
    }
    factors_run(&factors);
    assert_int_equal(factors.pivots[0], first + 1);
    check(&factors);
    factors_free(&factors);
}

static void equals(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        check_hadamard(types[t], 64);
        check_hadamard(types[t], 128);
        for (int times = 0; times < 5; times++)
            check_equals(types[t]);
    }
}

/* A column that is zero, and a matrix that is. */
static void check_zeros(enum lava_type type, int64_t m, int64_t n, bool all) {
    struct factors factors = factors_new(type, m, n);
    int64_t zero = below(factors.order);
    for (int64_t j = all ? 0 : zero; j < (all ? n : zero + 1); j++)
        for (int64_t i = 0; i < m; i++)
            matrix_set(&factors.a, i, j, 0, 0);
    factors_run(&factors);
    check(&factors);
    for (int64_t k = all ? 0 : zero; k < (all ? factors.order : zero + 1); k++) {
        assert_int_equal(factors.pivots[k], k + 1);
        for (int64_t i = 0; i < m; i++)
            assert_true(problem_size_of(matrix_get(&factors.lu, i, k)) == 0);
    }
    for (int64_t k = 0; k < factors.order; k++)
        assert_int_equal(problem_size_of(matrix_get(&factors.lu, k, k)) == 0, all || k == zero);
    factors_free(&factors);
}

static void zeros(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        for (int all = 0; all < 2; all++) {
            check_zeros(types[t], 20, 20, all);
            check_zeros(types[t], 150, 100, all);
            check_zeros(types[t], 100, 150, all);
        }
}

/* Reference BLAS takes NaN as a pivot only if it comes first. */
static void check_nan(enum lava_type type) {
    static const double special[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 2 * COUNT(special); i++) {
        struct factors factors = factors_new(type, 150, 100);
        for (int times = 0; times < (i < COUNT(special) ? 1 : 20); times++)
            matrix_set(&factors.a, below(150), below(100), special[i % COUNT(special)], 0);
        factors_run(&factors);
        factors_free(&factors);
    }
    for (int at = 0; at < 200; at += 199) {
        struct factors factors = factors_new(type, 200, 2);
        matrix_set(&factors.a, 77, 0, 5, 0);
        matrix_set(&factors.a, at, 0, 0, 0);
        matrix_set(&factors.a, at, 0, lava_type_is_complex(type) ? 0 : NAN, NAN);
        factors_run(&factors);
        assert_int_equal(factors.pivots[0], at == 0 ? 1 : 78);
        factors_free(&factors);
    }
}

static void not_numbers(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        check_nan(types[t]);
}

/* Wilkinson's matrix, whose last column doubles with every step. No rows are swapped. */
static void check_wilkinson(enum lava_type type) {
    struct factors factors = factors_new(type, 90, 90);
    for (int64_t j = 0; j < 90; j++)
        for (int64_t i = 0; i < 90; i++)
            matrix_set(&factors.a, i, j, i == j || j == 89 ? 1 : i > j ? -1 : 0, 0);
    factors_run(&factors);
    check(&factors);
    for (int64_t i = 0; i < 90; i++)
        assert_int_equal(factors.pivots[i], i + 1);
    assert_true(matrix_get(&factors.lu, 89, 89).re == ldexpl(1, 89));
    factors_free(&factors);
}

/* Rows or columns each smaller than the one before, by and large; and small or large matrices. */
static void check_scaled(enum lava_type type, double base, int exponent, bool by_rows) {
    struct factors factors = factors_new(type, 140, 130);
    for (int64_t j = 0; j < factors.columns; j++)
        for (int64_t i = 0; i < factors.rows; i++) {
            double scale = ldexp(pow(base, (double)(by_rows ? i : j)), exponent);
            matrix_set(&factors.a, i, j, scale * problem_uniform(-1, 1), scale * problem_uniform(-1, 1));
        }
    factors_run(&factors);
    check(&factors);
    factors_free(&factors);
}

/* A column of the smallest or the largest numbers: the reciprocal of its pivot may be too small for the type.
 */
static void check_extreme(enum lava_type type, int exponent) {
    struct factors factors = factors_new(type, 140, 1);
    for (int64_t i = 0; i < factors.rows; i++)
        matrix_set(&factors.a, i, 0, ldexp(problem_uniform(0.5, 1) * (below(2) ? 1 : -1), exponent),
                   ldexp(problem_uniform(0.5, 1) * (below(2) ? 1 : -1), exponent));
    factors_run(&factors);
    check(&factors);
    factors_free(&factors);
}

static void ill_conditioned(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        bool narrow = lava_type_real(types[t]) == LAVA_TYPE_FP32;
        check_wilkinson(types[t]);
        for (int by_rows = 0; by_rows < 2; by_rows++)
            check_scaled(types[t], narrow ? 0.75 : 0.25, 0, by_rows);
        check_scaled(types[t], 1, narrow ? 100 : 900, false);
        check_scaled(types[t], 1, narrow ? -98 : -900, false);
        check_extreme(types[t], narrow ? 126 : 1022);
        check_extreme(types[t], narrow ? -124 : -1020);
    }
}

/* Two runs, and few workgroups that take turns, have the same bits. */
static void check_bits(enum lava_type type) {
    struct factors factors = factors_new(type, 700, 150);
    uint32_t *most = &factors_engine->device->capabilities.max_workgroups, before = *most;
    size_t bytes = (size_t)factors.order * sizeof *factors.pivots;
    uint32_t *pivots = malloc(bytes);
    assert_non_null(pivots);
    factors_run(&factors);
    struct matrix first = matrix_copy(&factors.lu);
    memcpy(pivots, factors.pivots, bytes);
    for (uint32_t groups = 0; groups < 3; groups++) {
        *most = groups ? groups : before;
        factors_run(&factors);
        *most = before;
        assert_memory_equal(factors.lu.all, first.all, first.bytes);
        assert_memory_equal(factors.pivots, pivots, bytes);
    }
    free(pivots);
    free(first.all);
    factors_free(&factors);
}

static void same_bits(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        check_bits(types[t]);
}

/* The same matrix by a plain loop, on the host: rows `first` and so on are swapped with those of their
 * pivots. */
static void swap_on_host(struct matrix *matrix, const uint32_t *pivots, int64_t first, int64_t count) {
    size_t bytes = lava_type_bytes(matrix->type);
    for (int64_t i = first; i < first + count; i++)
        for (int64_t j = 0; j < matrix->columns; j++) {
            unsigned char element[16], *a = matrix_element(matrix, i, j),
                                       *b = matrix_element(matrix, pivots[i] - 1, j);
            memcpy(element, a, bytes);
            memmove(a, b, bytes);
            memcpy(b, element, bytes);
        }
}

/* Any pivots; those of a factorization are not above their own rows. */
static void check_swaps(enum lava_type type, int64_t columns, int64_t first, int64_t count, bool any) {
    struct factors factors = factors_new(type, 300, columns);
    struct lava_device_matrix whole;
    struct matrix want = matrix_copy(&factors.a);
    struct lava_stream stream;
    lava_stream_open(&stream, factors_engine, false);
    struct words words = words_new(&stream, first + count);
    uint32_t *pivots = words.host + FACTORS_GUARD;
    for (int64_t i = 0; i < first + count; i++)
        pivots[i] = (uint32_t)(any ? below(300) + 1 : i + 1 + below(300 - i));
    assert_int_equal(lava_device_matrix_upload(&stream, &words.inner, pivots, first + count), LAVA_OK);
    struct lava_device_swap swap = {.a = matrix_upload(&stream, &factors.a, &whole),
                                    .pivots = words.inner,
                                    .first = first,
                                    .count = count};
    swap_on_host(&want, pivots, first, count);
    assert_int_equal(lava_device_swap_rows(&stream, &swap), LAVA_OK);
    matrix_download(&stream, &whole, &factors.lu);
    assert_memory_equal(factors.lu.all, want.all, want.bytes);
    swap.backwards = true;
    assert_int_equal(lava_device_swap_rows(&stream, &swap), LAVA_OK);
    matrix_download(&stream, &whole, &factors.lu);
    assert_memory_equal(factors.lu.all, factors.a.all, factors.a.bytes);
    words_download(&stream, &words);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    lava_device_matrix_free(factors_engine, &whole);
    words_free(&words);
    free(want.all);
    factors_free(&factors);
}

static void swaps(void **state) {
    static const int64_t counts[] = {1, 2, 31, 32, 33, 64, 100, 263}, columns[] = {1, 7, 8, 33, 100};
    uint32_t *most = &factors_engine->device->capabilities.max_workgroups, before = *most;
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        for (size_t i = 0; i < 2 * COUNT(counts); i++) {
            *most = i % 5 == 0 ? 2 : before;
            check_swaps(types[t], columns[(size_t)below(COUNT(columns))], i % 3 ? 37 : 0, counts[i / 2],
                        i % 2);
        }
    *most = before;
}

/* In one stream, A X = B is solved: LU, swaps of B's rows, and solves with L and U. Then A's rows are swapped
 * back. Each call reads what those before have written. */
static void check_chain(enum lava_type type, int64_t n, int64_t sides) {
    struct factors a = factors_new(type, n, n), b = factors_new(type, n, sides);
    struct lava_device_matrix whole[2];
    struct lava_stream stream;
    lava_stream_open(&stream, factors_engine, false);
    struct words pivots = words_new(&stream, n),
                 work = words_new(&stream, lava_device_lu_work_words(type, n));
    const struct lava_device_lu lu = {
        .a = matrix_upload(&stream, &a.a, &whole[0]), .pivots = pivots.inner, .work = work.inner};
    const struct lava_device_swap swap = {
        .a = matrix_upload(&stream, &b.a, &whole[1]), .pivots = pivots.inner, .count = n};
    struct lava_device_solve solve = {
        .a = lu.a, .b = swap.a, .stored = LAVA_REGION_LOWER, .unit_diagonal = true, .alpha.real = 1};
    assert_int_equal(lava_device_lu(&stream, &lu), LAVA_OK);
    assert_int_equal(lava_device_swap_rows(&stream, &swap), LAVA_OK);
    assert_int_equal(lava_device_solve(&stream, &solve), LAVA_OK);
    solve.stored = LAVA_REGION_UPPER;
    solve.unit_diagonal = false;
    assert_int_equal(lava_device_solve(&stream, &solve), LAVA_OK);
    matrix_download(&stream, &whole[1], &b.lu);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    long double worst = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < sides; s++) {
            struct value residual = matrix_get(&b.a, i, s);
            long double bound = problem_size_of(residual);
            for (int64_t k = 0; k < n; k++) {
                struct value x = matrix_get(&a.a, i, k), y = matrix_get(&b.lu, k, s);
                residual.re -= x.re * y.re - x.im * y.im;
                residual.im -= x.re * y.im + x.im * y.re;
                bound += problem_size_of(x) * problem_size_of(y);
            }
            worst = worst_of(worst, problem_size_of(residual) / bound);
        }
    worst /= (long double)lava_type_facts(type)->unit;
    printf("%s: the solution's error is %Lg u |A| |X|\n", lava_type_name(type), worst);
    assert_true(worst <= 10 * n);
    for (int i = 0; i < 2; i++)
        lava_device_matrix_free(factors_engine, &whole[i]);
    words_free(&pivots);
    words_free(&work);
    factors_free(&a);
    factors_free(&b);
}

static void chain(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        check_chain(types[t], 170, 21);
}

static void refused(void **state) {
    struct lava_device_matrix a, half, words, others;
    struct lava_stream stream;
    (void)state;
    struct lava_engine *engine = factors_engine;
    int64_t enough = lava_device_lu_work_words(LAVA_TYPE_FP64, 64);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, 64, 64, &a), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP16, 64, 64, &half), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP32, 64 + enough, 1, &words), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, enough, 1, &others), LAVA_OK);
    lava_stream_open(&stream, engine, false);
    const struct lava_device_matrix pivots = lava_device_matrix_block(&words, 0, 64, 0, 1);
    const struct lava_device_matrix work = lava_device_matrix_block(&words, 64, enough, 0, 1);
    const struct lava_device_matrix few = lava_device_matrix_block(&words, 0, 63, 0, 1);
    const struct lava_device_matrix little = lava_device_matrix_block(&words, 64, enough - 1, 0, 1);
    const struct lava_device_matrix row = lava_device_matrix_block(&a, 0, 1, 0, 64);
    const struct lava_device_matrix inside = {a.buffer, a.offset, LAVA_TYPE_FP32, 64, 1, 64};
    struct lava_device_matrix odd = lava_device_matrix_block(&a, 0, 32, 0, 32), odd_pivots = pivots;
    odd.offset += 8;
    odd_pivots.offset += 4;
    const struct lava_device_lu lus[] = {
        {.a = half, .pivots = pivots, .work = work},  {.a = a, .pivots = few, .work = work},
        {.a = a, .pivots = pivots, .work = little},   {.a = odd, .pivots = pivots, .work = work},
        {.a = a, .pivots = odd_pivots, .work = work}, {.a = a, .pivots = others, .work = work}, /* types */
        {.a = a, .pivots = pivots, .work = others},   {.a = a, .pivots = inside, .work = work}, /* overlap */
        {.a = a, .pivots = work, .work = work}};
    for (size_t i = 0; i < COUNT(lus); i++)
        assert_int_equal(lava_device_lu(&stream, &lus[i]), LAVA_ERROR_UNAVAILABLE);
    const struct lava_device_swap swaps_of[] = {{.a = half, .pivots = pivots, .count = 2},
                                                {.a = a, .pivots = few, .count = 64},
                                                {.a = a, .pivots = pivots, .first = -1, .count = 2},
                                                {.a = a, .pivots = pivots, .count = -1},
                                                {.a = row, .pivots = pivots, .count = 2}, /* beyond A */
                                                {.a = odd, .pivots = pivots, .count = 2},
                                                {.a = a, .pivots = others, .count = 2},
                                                {.a = a, .pivots = inside, .count = 2}};
    for (size_t i = 0; i < COUNT(swaps_of); i++)
        assert_int_equal(lava_device_swap_rows(&stream, &swaps_of[i]), LAVA_ERROR_UNAVAILABLE);
    const struct lava_device_lu empty = {
        .a = lava_device_matrix_block(&a, 0, 64, 0, 0), .pivots = pivots, .work = work};
    const struct lava_device_swap nothing = {.a = a, .pivots = pivots};
    assert_int_equal(lava_device_lu(&stream, &empty), LAVA_OK);
    assert_int_equal(lava_device_swap_rows(&stream, &nothing), LAVA_OK);
    assert_false(stream.recording);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    struct lava_device_matrix *all[] = {&a, &half, &words, &others};
    for (size_t i = 0; i < COUNT(all); i++)
        lava_device_matrix_free(engine, all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),           cmocka_unit_test(many_rows), cmocka_unit_test(exact),
        cmocka_unit_test(equals),          cmocka_unit_test(zeros),     cmocka_unit_test(not_numbers),
        cmocka_unit_test(ill_conditioned), cmocka_unit_test(same_bits), cmocka_unit_test(swaps),
        cmocka_unit_test(chain),           cmocka_unit_test(refused)};
    return problem_run_tests(tests, COUNT(tests), open_engine, close_engine);
}
