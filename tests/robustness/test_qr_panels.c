/* The forms of QR's panels: each result is as good as another one's, also if workgroups have rows of
 * different sizes, and workgroups that wait in vain for others give up. test_device_qr.c tests the results of
 * whatever form is chosen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/robustness/device_test.h"
#include "tests/robustness/qr_run.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

/* As many workgroups of lavapipe as a test needs can run at the same time, however many processors there are.
 */
#define MOST_GROUPS 18
static int open_engine(void **state) {
    char threads[16];
    (void)state;
    problem_seed = device_test_seed();
    snprintf(threads, sizeof threads, "%d", MOST_GROUPS);
    setenv("LP_NUM_THREADS", threads, 1);
    return device_test_open(false, &factors_engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(factors_engine);
    return 0;
}

/* If two workgroups wait for each other, a busy machine takes long for a column. */
static const struct device_test_form forms_of[] = {{{1 + LAVA_PANEL_COLUMNS, 0}, 1, 0},
                                                   {{1 + LAVA_PANEL_ALONE, 256}, 1, 0},
                                                   {{1 + LAVA_PANEL_GRID, 256}, 2, UINT32_MAX},
                                                   {{1 + LAVA_PANEL_GRID, 128}, 2, UINT32_MAX}},
                                     *const plain = &forms_of[0], *const one = &forms_of[2],
                                     *const two = &forms_of[3];

static enum lava_status run_form(struct qr *qr, const struct device_test_form *form) {
    const struct device_test_form before = device_test_set_form(factors_engine, form);
    enum lava_status status = qr_try(qr);
    device_test_set_form(factors_engine, &before);
    return status;
}

/* Columns beyond the first panel's are updated by its V and T. */
static void check_form(enum lava_type type, int64_t rows, int64_t columns,
                       const struct device_test_form *form) {
    struct qr qr = qr_new(type, rows, columns);
    assert_int_equal(run_form(&qr, form), LAVA_OK);
    reflections_check(&qr);
    qr_free(&qr);
}

static void forms(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        for (size_t i = 0; i < COUNT(forms_of); i++) {
            bool is_two = &forms_of[i] == two;
            check_form(types[t], 1, 1, &forms_of[i]);
            check_form(types[t], 33, 70, &forms_of[i]);
            check_form(types[t], 70, 65, &forms_of[i]);
            check_form(types[t], 129 + reflections_below(100), 1 + reflections_below(32), &forms_of[i]);
            check_form(types[t], 256, is_two ? 40 : 150, &forms_of[i]);
        }
        reflections_tell(types[t]);
    }
}

/* Enough workgroups that an invocation reads their sums in more than one go. Few columns, as a processor
 * takes long until all workgroups have had their turn. */
static void many_groups(void **state) {
    const struct device_test_form many = {{1 + LAVA_PANEL_GRID, 64}, MOST_GROUPS, UINT32_MAX};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        int64_t words = (int64_t)lava_type_bytes(types[t]) / 4,
                groups = 16 / words + 1 + reflections_below(2);
        check_form(types[t], 64 * (groups - 1) + 1 + reflections_below(64), 3, &many);
        reflections_tell(types[t]);
    }
}

/* Rows of one workgroup that are much larger or smaller than the other's, or zero. If all are zero, so are
 * all tau. */
static void check_uneven(enum lava_type type, double upper, double lower,
                         const struct device_test_form *form) {
    struct qr qr = qr_new(type, 200, 9);
    for (int64_t j = 0; j < qr.columns; j++)
        for (int64_t i = 0; i < qr.rows; i++) {
            struct value a = matrix_get(&qr.a, i, j);
            double scale = i < 128 ? upper : lower;
            matrix_set(&qr.a, i, j, scale * (double)a.re, scale * (double)a.im);
        }
    assert_int_equal(run_form(&qr, form), LAVA_OK);
    reflections_check(&qr);
    for (int64_t j = 0; j < qr.columns; j++) {
        struct value tau = matrix_get(&qr.tau, j, 0);
        assert_int_equal(tau.re == 0 && tau.im == 0, upper == 0 && lower == 0);
    }
    qr_free(&qr);
}

/* Columns of which only the diagonal is not zero, and one of zeros: tau is 0, unless the diagonal is not
 * real. */
static void check_diagonal(enum lava_type type, const struct device_test_form *form) {
    struct qr qr = qr_new(type, 200, 9);
    for (int64_t j = 0; j < qr.columns; j++)
        for (int64_t i = 0; i < qr.rows; i++)
            matrix_set(&qr.a, i, j, i == j && j != 4 ? 1 - 2 * (double)(j % 2) : 0,
                       i == j && j == 7 ? 0.5 : 0);
    assert_int_equal(run_form(&qr, form), LAVA_OK);
    reflections_check(&qr);
    for (int64_t j = 0; j < qr.columns; j++) {
        struct value tau = matrix_get(&qr.tau, j, 0), r = matrix_get(&qr.now, j, j);
        bool reflects = lava_type_is_complex(type) && j == 7;
        assert_int_equal(tau.re != 0 || tau.im != 0, reflects);
        assert_true(reflects || r.re == matrix_get(&qr.a, j, j).re);
    }
    qr_free(&qr);
}

static void uneven(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        bool narrow = lava_type_real(types[t]) == LAVA_TYPE_FP32;
        const double large = ldexp(1, narrow ? 116 : 1012), small = ldexp(1, narrow ? -96 : -960);
        const double pairs[][2] = {{large, 1},     {1, large},     {small, 1}, {1, small},
                                   {large, small}, {small, large}, {0, 1},     {1, 0},
                                   {large, large}, {small, small}, {0, 0}};
        for (size_t i = 0; i < COUNT(forms_of); i++) {
            for (size_t pair = 0; pair < COUNT(pairs); pair++)
                check_uneven(types[t], pairs[pair][0], pairs[pair][1], &forms_of[i]);
            check_diagonal(types[t], &forms_of[i]);
        }
        reflections_tell(types[t]);
    }
}

/* NaN and Inf in a column reach R's diagonal there, and no column on the left; no tau says that workgroups
 * stalled. */
static void check_special(enum lava_type type, double special, const struct device_test_form *form) {
    struct qr qr = qr_new(type, 200, 34), left = qr_new(type, 200, 34);
    int64_t column = reflections_below(34);
    memcpy(left.a.all, qr.a.all, qr.a.bytes);
    matrix_set(&qr.a, column + reflections_below(200 - column), column, special, 0);
    assert_int_equal(run_form(&qr, form), LAVA_OK);
    assert_int_equal(run_form(&left, form), LAVA_OK);
    for (int64_t j = 0; j < (column < 32 ? column : 32); j++)
        assert_memory_equal(matrix_element(&qr.now, 0, j), matrix_element(&left.now, 0, j),
                            (size_t)qr.rows * lava_type_bytes(type));
    long double found = matrix_get(&qr.now, column, column).re;
    assert_true(isnan(found) || isinf(found));
    qr_free(&qr);
    qr_free(&left);
}

static void specials(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        for (size_t i = 0; i < COUNT(forms_of); i++) {
            check_special(types[t], NAN, &forms_of[i]);
            check_special(types[t], INFINITY, &forms_of[i]);
            check_special(types[t], -INFINITY, &forms_of[i]);
        }
}

static void check_same(enum lava_type type, int64_t rows, const struct device_test_form *form,
                       const struct device_test_form *other) {
    struct qr qr = qr_new(type, rows, 40);
    assert_int_equal(run_form(&qr, form), LAVA_OK);
    struct matrix now = matrix_copy(&qr.now), tau = matrix_copy(&qr.tau);
    assert_int_equal(run_form(&qr, other), LAVA_OK);
    assert_memory_equal(qr.now.all, now.all, now.bytes);
    assert_memory_equal(qr.tau.all, tau.all, tau.bytes);
    free(now.all);
    free(tau.all);
    qr_free(&qr);
}

/* Workgroups that take turns otherwise come to the same bits. */
static void same_bits(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        check_same(types[t], 200, two, two);
        check_same(types[t], 200, one, one);
    }
}

/* Workgroups that do not run at the same time give up: no panel is written, and from then on panels take
 * another form. lavapipe has at most 32 threads, and each stays with a workgroup. */
static void check_stalled(enum lava_type type, int64_t columns) {
    uint32_t polls = device_test_polls_in_vain(factors_engine, 1 + (uint32_t)reflections_below(1000));
    const struct device_test_form grid = {{1 + LAVA_PANEL_GRID, 64}, 256, polls};
    struct qr qr = qr_new(type, 64 * 64, columns);
    _Atomic bool *stalled = &factors_engine->device->shared->stalled;
    assert_int_equal(run_form(&qr, &grid), LAVA_ERROR_STALLED);
    assert_true(*stalled);
    if (columns <= LAVA_QR_PANEL)
        assert_memory_equal(qr.now.all, qr.a.all, qr.a.bytes);
    assert_int_equal(run_form(&qr, &grid), LAVA_OK);
    struct matrix now = matrix_copy(&qr.now);
    assert_int_equal(run_form(&qr, plain), LAVA_OK);
    assert_memory_equal(qr.now.all, now.all, now.bytes);
    free(now.all);
    *stalled = false;
    qr_free(&qr);
}

static void stalled(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        check_stalled(types[t], 1);
        check_stalled(types[t], 2 + reflections_below(LAVA_QR_PANEL - 1));
        check_stalled(types[t], 70);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms),     cmocka_unit_test(many_groups),
                                       cmocka_unit_test(uneven),    cmocka_unit_test(specials),
                                       cmocka_unit_test(same_bits), cmocka_unit_test(stalled)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
