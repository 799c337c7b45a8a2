/* QR factorization on the device: every type, square, tall and wide, at the sizes around panels and blocks;
 * the matrix Q and products with it. A is a block of a larger matrix with NaN around it; tau and scratch lie
 * between elements that must not change. reflections.h says how errors are measured, and what is allowed.
 *
 *     test_device_qr [columns]
 *
 * columns: every panel takes a dispatch per column. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/arithmetic.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/qr_run.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

static bool by_columns;

static int open_engine(void **state) {
    (void)state;
    problem_seed = device_test_seed();
    int failed = device_test_open(false, &factors_engine);
    if (!failed && by_columns)
        factors_engine->panels.form = 1 + LAVA_PANEL_COLUMNS;
    return failed;
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(factors_engine);
    return 0;
}

static void check_random(enum lava_type type, int64_t rows, int64_t columns) {
    struct qr qr = qr_new(type, rows, columns);
    qr_factor(&qr);
    reflections_check(&qr);
    qr_free(&qr);
}

static void sizes(void **state) {
    static const int64_t squares[] = {1, 2, 3, 16, 31, 32, 33, 63, 64, 65, 128, 129, 200};
    static const int64_t others[][2] = {{1, 7},   {9, 1},    {33, 32},  {32, 33},  {70, 129}, {129, 70},
                                        {500, 3}, {40, 150}, {700, 40}, {257, 97}, {300, 300}};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        for (size_t i = 0; i < COUNT(squares); i++)
            check_random(types[t], squares[i], squares[i]);
        for (size_t i = 0; i < COUNT(others); i++)
            check_random(types[t], others[i][0], others[i][1]);
        reflections_tell(types[t]);
    }
}

/* More rows than workgroups have invocations at a time. */
static void many_rows(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT(types); t += 3) {
        check_random(types[t], LAVA_QR_GROUPS * LAVA_QR_INVOCATIONS + 300, 5);
        reflections_tell(types[t]);
    }
}

/* Columns that are zero: of the matrix, or below the diagonal. Then tau is 0, and H is the unit matrix. Of
 * complex types, an imaginary diagonal element takes a reflection. */
static void check_zeros(enum lava_type type, int64_t m, int64_t n) {
    struct qr qr = qr_new(type, m, n);
    int64_t zero = reflections_below(n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            if (j == zero || i > j)
                matrix_set(&qr.a, i, j, 0, 0);
    for (int64_t i = 0; i < qr.order; i++)
        matrix_set(&qr.a, i, i, (double)(i % 3 - 1), i % 2 ? 0.75 : 0);
    qr_factor(&qr);
    reflections_check(&qr);
    for (int64_t i = 0; i < qr.order; i++) {
        struct value tau = matrix_get(&qr.tau, i, 0);
        bool is_real = !lava_type_is_complex(type) || i % 2 == 0;
        assert_true((tau.re == 0 && tau.im == 0) == is_real);
        if (is_real)
            assert_true(matrix_get(&qr.now, i, i).re == (long double)(i % 3 - 1));
    }
    qr_free(&qr);
}

/* The last row of a real square matrix has nothing to reflect; the zero matrix neither. */
static void check_nothing(enum lava_type type) {
    struct qr qr = qr_new(type, 70, 70), zero = qr_new(type, 150, 140);
    qr_factor(&qr);
    struct value tau = matrix_get(&qr.tau, 69, 0);
    assert_int_equal(tau.re == 0 && tau.im == 0, !lava_type_is_complex(type));
    for (int64_t j = 0; j < zero.columns; j++)
        for (int64_t i = 0; i < zero.rows; i++)
            matrix_set(&zero.a, i, j, 0, 0);
    qr_factor(&zero);
    for (int64_t j = 0; j < zero.columns; j++) {
        assert_true(problem_size_of(matrix_get(&zero.tau, j, 0)) == 0);
        for (int64_t i = 0; i < zero.rows; i++)
            assert_true(problem_size_of(matrix_get(&zero.now, i, j)) == 0);
    }
    qr_free(&qr);
    qr_free(&zero);
}

static void zeros(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        check_zeros(types[t], 20, 20);
        check_zeros(types[t], 150, 140);
        check_zeros(types[t], 140, 150);
        check_nothing(types[t]);
    }
}

/* Columns or rows each smaller than the one before, and small or large matrices. */
static void check_scaled(enum lava_type type, double base, int exponent, bool by_rows) {
    struct qr qr = qr_new(type, 170, 150);
    for (int64_t j = 0; j < qr.columns; j++)
        for (int64_t i = 0; i < qr.rows; i++) {
            double scale = ldexp(pow(base, (double)(by_rows ? i : j)), exponent);
            matrix_set(&qr.a, i, j, scale * problem_uniform(-1, 1), scale * problem_uniform(-1, 1));
        }
    qr_factor(&qr);
    reflections_check(&qr);
    qr_free(&qr);
}

/* Nearly all columns are nearly sums of a few. */
static void check_near_singular(enum lava_type type) {
    struct qr qr = qr_new(type, 170, 150);
    const double rest = lava_type_facts(type)->unit * 8;
    for (int64_t j = 5; j < qr.columns; j++)
        for (int64_t i = 0; i < qr.rows; i++) {
            struct value a = matrix_get(&qr.a, i, j % 5), b = matrix_get(&qr.a, i, (j + 1) % 5);
            matrix_set(&qr.a, i, j, (double)(a.re + b.re / 2) + rest * problem_uniform(-1, 1),
                       (double)(a.im - b.im / 4));
        }
    qr_factor(&qr);
    reflections_check(&qr);
    qr_free(&qr);
}

static void ill_conditioned(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        bool narrow = lava_type_real(types[t]) == LAVA_TYPE_FP32;
        for (int by_rows = 0; by_rows < 2; by_rows++)
            check_scaled(types[t], narrow ? 0.75 : 0.25, 0, by_rows);
        check_scaled(types[t], 1, narrow ? 118 : 1014, false);
        check_scaled(types[t], 1, narrow ? -96 : -960, false);
        check_near_singular(types[t]);
        reflections_tell(types[t]);
    }
}

/* One column of the largest or the smallest numbers, whose squares the type does not have. */
static void check_extreme(enum lava_type type, int exponent) {
    for (int64_t m = 2; m < 900; m = m * 4 + 3) {
        struct qr qr = qr_new(type, m, 1);
        for (int64_t i = 0; i < m; i++)
            matrix_set(&qr.a, i, 0,
                       ldexp(problem_uniform(0.5, 1) * (reflections_below(2) ? 1 : -1), exponent),
                       ldexp(problem_uniform(0.5, 1) * (reflections_below(2) ? 1 : -1), exponent));
        qr_factor(&qr);
        reflections_check(&qr);
        qr_free(&qr);
    }
}

/* The first element outweighs the rest by more than the type's numbers can: beta is that element. */
static void check_outweighed(enum lava_type type) {
    bool narrow = lava_type_real(type) == LAVA_TYPE_FP32;
    struct qr qr = qr_new(type, 300, 1);
    for (int64_t i = 0; i < qr.rows; i++)
        matrix_set(&qr.a, i, 0, ldexp(1, i == 0 ? (narrow ? 120 : 1000) : (narrow ? -100 : -900)), 0);
    qr_factor(&qr);
    reflections_check(&qr);
    assert_true(matrix_get(&qr.now, 0, 0).re == -matrix_get(&qr.a, 0, 0).re);
    qr_free(&qr);
}

static void extremes(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        bool narrow = lava_type_real(types[t]) == LAVA_TYPE_FP32;
        check_extreme(types[t], narrow ? 122 : 1018);
        check_extreme(types[t], narrow ? -100 : -966);
        check_outweighed(types[t]);
        reflections_tell(types[t]);
    }
}

/* NaN and Inf reach what depends on them, and nothing hangs or is written elsewhere; columns on the left of
 * them are as they should be. */
static void check_special(enum lava_type type, double special) {
    struct qr qr = qr_new(type, 150, 140);
    int64_t column = reflections_below(140);
    struct qr left = qr_new(type, 150, 140);
    memcpy(left.a.all, qr.a.all, qr.a.bytes);
    matrix_set(&qr.a, column + reflections_below(150 - column), column, special, 0);
    qr_factor(&qr);
    qr_factor(&left);
    for (int64_t j = 0; j < column / LAVA_QR_PANEL * LAVA_QR_PANEL; j++)
        assert_memory_equal(matrix_element(&qr.now, 0, j), matrix_element(&left.now, 0, j),
                            (size_t)qr.rows * lava_type_bytes(type));
    long double found = matrix_get(&qr.now, column, column).re;
    assert_true(isnan(found) || isinf(found));
    qr_free(&qr);
    qr_free(&left);
}

static void not_numbers(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        check_special(types[t], NAN);
        check_special(types[t], INFINITY);
        check_special(types[t], -INFINITY);
    }
}

/* Two runs have the same bits, and few workgroups that take turns are as good. */
static void same_bits(void **state) {
    uint32_t *most = &factors_engine->device->capabilities.max_workgroups, before = *most;
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        struct qr qr = qr_new(types[t], 700, 150);
        qr_factor(&qr);
        struct matrix first = matrix_copy(&qr.now), tau = matrix_copy(&qr.tau);
        qr_factor(&qr);
        assert_memory_equal(qr.now.all, first.all, first.bytes);
        assert_memory_equal(qr.tau.all, tau.all, tau.bytes);
        for (uint32_t groups = 1; groups < 3; groups++) {
            *most = groups;
            qr_factor(&qr);
            *most = before;
            reflections_check(&qr);
        }
        free(first.all);
        free(tau.all);
        qr_free(&qr);
    }
}

/* Q's first columns, of reflections that are fewer than they, or as many. */
static void check_form(enum lava_type type, int64_t m, int64_t n, int64_t k) {
    struct qr qr = qr_new(type, m, k);
    struct matrix q = matrix_new(type, m, n);
    struct value *unit = reflections_values(m * n);
    struct qr_run run;
    qr_factor(&qr);
    reflections_fill(&q); /* columns beyond the reflections are not read */
    for (int64_t j = 0; j < k; j++)
        memcpy(matrix_element(&q, 0, j), matrix_element(&qr.now, 0, j), (size_t)m * lava_type_bytes(type));
    qr_begin(&run, &q, &qr.tau, n);
    assert_int_equal(lava_device_qr_form(&run.stream, &run.qr), LAVA_OK);
    matrix_download(&run.stream, &run.wholes[0], &q);
    qr_end(&run);
    assert_true(matrix_frame_is_untouched(&q));
    for (int64_t j = 0; j < n; j++)
        unit[j * m + j].re = 1;
    reflections_check_product(&qr, &q, unit, false, false);
    free(unit);
    free(q.all);
    qr_free(&qr);
}

static void forms(void **state) {
    static const int64_t sizes_of[][3] = {{1, 1, 1},     {40, 40, 40},    {40, 40, 17},   {150, 70, 70},
                                          {300, 260, 1}, {300, 300, 256}, {290, 270, 260}};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        for (size_t i = 0; i < COUNT(sizes_of); i++)
            check_form(types[t], sizes_of[i][0], sizes_of[i][1], sizes_of[i][2]);
        reflections_tell(types[t]);
    }
}

/* Products with Q of k reflections of m rows, and a C with n other rows or columns. */
static void check_multiply(enum lava_type type, int64_t m, int64_t k, int64_t others, int way) {
    bool adjoint = way & 1, on_right = way & 2;
    struct qr qr = qr_new(type, m, k);
    struct matrix c = on_right ? matrix_new(type, others, m) : matrix_new(type, m, others);
    struct value *y = reflections_values(m * others);
    struct qr_run run;
    qr_factor(&qr);
    reflections_fill(&c);
    for (int64_t j = 0; j < others; j++)
        for (int64_t i = 0; i < m; i++) {
            y[j * m + i] = on_right ? matrix_get(&c, j, i) : matrix_get(&c, i, j);
            y[j * m + i].im *= on_right ? -1 : 1;
        }
    qr_begin(&run, &qr.now, &qr.tau, others);
    const struct lava_device_qr_product product = {.q = run.qr,
                                                   .c = matrix_upload(&run.stream, &c, &run.wholes[3]),
                                                   .adjoint = adjoint,
                                                   .on_right = on_right};
    assert_int_equal(lava_device_qr_multiply(&run.stream, &product), LAVA_OK);
    matrix_download(&run.stream, &run.wholes[3], &c);
    qr_end(&run);
    assert_true(matrix_frame_is_untouched(&c));
    reflections_check_product(&qr, &c, y, adjoint != on_right, on_right);
    free(y);
    free(c.all);
    qr_free(&qr);
}

static void multiplies(void **state) {
    static const int64_t sizes_of[][3] = {{1, 1, 1},     {40, 40, 3},    {150, 17, 40},
                                          {70, 70, 129}, {300, 257, 33}, {290, 128, 7}};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        for (size_t i = 0; i < COUNT(sizes_of); i++)
            for (int way = 0; way < 4; way++)
                check_multiply(types[t], sizes_of[i][0], sizes_of[i][1], sizes_of[i][2], way);
        reflections_tell(types[t]);
    }
}

static void refused(void **state) {
    struct lava_device_matrix a, half, others, words;
    struct lava_stream stream;
    (void)state;
    struct lava_engine *engine = factors_engine;
    int64_t enough = lava_device_qr_work_elements(LAVA_TYPE_FP64, 64, 64);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, 64, 64, &a), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP16, 64, 64, &half), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, 64 + enough, 1, &others), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP32, 2 * enough, 1, &words), LAVA_OK);
    lava_stream_open(&stream, engine, false);
    const struct lava_device_matrix tau = lava_device_matrix_block(&others, 0, 64, 0, 1);
    const struct lava_device_matrix work = lava_device_matrix_block(&others, 64, enough, 0, 1);
    const struct lava_device_matrix few = lava_device_matrix_block(&others, 0, 62, 0, 1);
    const struct lava_device_matrix little = lava_device_matrix_block(&others, 64, enough - 2, 0, 1);
    const struct lava_device_matrix inside = lava_device_matrix_block(&a, 0, 64, 63, 1);
    const struct lava_device_matrix wide = lava_device_matrix_block(&a, 0, 32, 0, 64);
    const struct lava_device_matrix narrow = lava_device_matrix_block(&a, 0, 64, 0, 32);
    struct lava_device_matrix odd = narrow;
    odd.offset += 8;
    odd.rows = 32;
    const struct lava_device_qr qrs[] = {
        {.a = half, .tau = tau, .work = work}, {.a = a, .tau = few, .work = work},
        {.a = a, .tau = tau, .work = little},  {.a = odd, .tau = tau, .work = work},
        {.a = a, .tau = inside, .work = work}, {.a = a, .tau = words, .work = work},
        {.a = a, .tau = tau, .work = words},   {.a = a, .tau = work, .work = work}};
    for (size_t i = 0; i < COUNT(qrs); i++) {
        assert_int_equal(lava_device_qr(&stream, &qrs[i]), LAVA_ERROR_UNAVAILABLE);
        assert_false(stream.recording);
    }
    /* columns beside more columns than rows have nothing below R; with as many they may stand there */
    const struct lava_device_qr beside = {.a = wide, .beside = 31, .tau = few, .work = work},
                                few_beside = {.a = wide, .beside = 65, .tau = few, .work = work};
    assert_int_equal(lava_device_qr(&stream, &beside), LAVA_ERROR_UNAVAILABLE);
    assert_int_equal(lava_device_qr(&stream, &few_beside), LAVA_ERROR_UNAVAILABLE);
    const struct lava_device_qr wrong[] = {{.a = wide, .tau = few, .work = work}, /* more columns than rows */
                                           {.a = narrow, .tau = tau, .work = work}}; /* too many tau */
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(lava_device_qr_form(&stream, &wrong[i]), LAVA_ERROR_UNAVAILABLE);
    const struct lava_device_qr q = {.a = narrow, .tau = inside, .work = work};
    struct lava_device_qr_product products[] = {
        {.q = q, .c = narrow}, {.q = q, .c = wide}, {.q = q, .c = half}};
    products[1].q.tau.rows = products[2].q.tau.rows = 32;
    for (size_t i = 0; i < COUNT(products); i++)
        assert_int_equal(lava_device_qr_multiply(&stream, &products[i]), LAVA_ERROR_UNAVAILABLE);
    const struct lava_device_qr empty = {
        .a = lava_device_matrix_block(&a, 0, 64, 0, 0), .tau = tau, .work = work};
    assert_int_equal(lava_device_qr(&stream, &empty), LAVA_OK);
    assert_false(stream.recording);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    struct lava_device_matrix *all[] = {&a, &half, &others, &words};
    for (size_t i = 0; i < COUNT(all); i++)
        lava_device_matrix_free(engine, all[i]);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes),      cmocka_unit_test(many_rows),
                                       cmocka_unit_test(zeros),      cmocka_unit_test(ill_conditioned),
                                       cmocka_unit_test(extremes),   cmocka_unit_test(not_numbers),
                                       cmocka_unit_test(same_bits),  cmocka_unit_test(forms),
                                       cmocka_unit_test(multiplies), cmocka_unit_test(refused)};
    by_columns = count > 1 && !strcmp(arguments[1], "columns");
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
