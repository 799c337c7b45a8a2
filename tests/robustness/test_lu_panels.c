/* The forms of LU's panels: all have the same bits, and workgroups that wait in vain for others give up.
 * test_device_lu.c tests the results of whatever form is chosen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/robustness/device_test.h"
#include "tests/robustness/factors.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

/* Two workgroups of lavapipe can run at the same time, also if there is one processor. */
static int open_engine(void **state) {
    (void)state;
    problem_seed = device_test_seed();
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        setenv("LP_NUM_THREADS", "2", 1);
    return device_test_open(false, &factors_engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(factors_engine);
    return 0;
}

static int64_t below(int64_t most) {
    return rand_r(&problem_seed) % most;
}

static const struct device_test_form plain = {.choice.form = 1 + LAVA_PANEL_COLUMNS};

static enum lava_status run_form(struct factors *factors, const struct device_test_form *form) {
    const struct device_test_form before = device_test_set_form(factors_engine, form);
    enum lava_status status = factors_try(factors);
    device_test_set_form(factors_engine, &before);
    return status;
}

/* The bits are the same, but those of NaN. */
static void check_same(const struct matrix *got, const struct matrix *want) {
    for (int64_t j = 0; j < want->columns; j++)
        for (int64_t i = 0; i < want->rows; i++) {
            const struct value a = matrix_get(got, i, j), b = matrix_get(want, i, j);
            bool same_re = isnan(b.re) ? isnan(a.re) : a.re == b.re && signbit(a.re) == signbit(b.re),
                 same_im = isnan(b.im) ? isnan(a.im) : a.im == b.im && signbit(a.im) == signbit(b.im);
            if (!same_re || !same_im)
                fail_msg("%s: element %lld, %lld is %Lg %Lg, not %Lg %Lg", lava_type_name(want->type),
                         (long long)i, (long long)j, a.re, a.im, b.re, b.im);
        }
}

/* A panel takes as many workgroups as it has rows for. Some elements are special. */
static void check_form(enum lava_type type, int64_t rows, int64_t columns,
                       const struct device_test_form *form, int special) {
    static const double specials[] = {NAN, INFINITY, -INFINITY, 0};
    struct factors factors = factors_new(type, rows, columns);
    size_t bytes = (size_t)factors.order * sizeof *factors.pivots;
    uint32_t *pivots = malloc(bytes);
    assert_non_null(pivots);
    for (int times = 0; times < special; times++)
        matrix_set(&factors.a, below(rows), below(columns), specials[below(4)], 0);
    assert_int_equal(run_form(&factors, &plain), LAVA_OK);
    struct matrix want = matrix_copy(&factors.lu);
    memcpy(pivots, factors.pivots, bytes);
    assert_int_equal(run_form(&factors, form), LAVA_OK);
    assert_memory_equal(factors.pivots, pivots, bytes);
    check_same(&factors.lu, &want);
    free(pivots);
    free(want.all);
    factors_free(&factors);
}

/* All forms have the same bits. If two workgroups wait for each other, a busy machine takes long for a
 * column. */
static void forms(void **state) {
    const struct device_test_form alone = {{1 + LAVA_PANEL_ALONE, 256}, 1, 0},
                                  one = {{1 + LAVA_PANEL_GRID, 256}, 2, UINT32_MAX},
                                  two = {{1 + LAVA_PANEL_GRID, 128}, 2, UINT32_MAX};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        for (int special = 0; special < 40; special += 13) {
            check_form(types[t], 256, 150, &alone, special);
            check_form(types[t], 96, 101, &alone, special);
            check_form(types[t], 256, 70, &one, special);
            check_form(types[t], 65, 65, &one, special);
        }
        check_form(types[t], 256, t == 0 ? 34 : 5, &two, 0);
        check_form(types[t], 129 + below(100), 2 + below(5), &two, 1);
        check_form(types[t], 160, 12, &two, 20);
    }
}

/* Workgroups that do not run at the same time give up: no panel is written, no pivot is out of range, and
 * from then on panels take another form. lavapipe has at most 32 threads, and each stays with a workgroup. */
static void check_stalled(enum lava_type type, int64_t columns) {
    uint32_t polls = device_test_polls_in_vain(factors_engine, 1 + (uint32_t)below(1000));
    const struct device_test_form grid = {{1 + LAVA_PANEL_GRID, 64}, 256, polls};
    struct factors factors = factors_new(type, 64 * 64, columns);
    _Atomic bool *stalled = &factors_engine->device->shared->stalled;
    assert_int_equal(run_form(&factors, &grid), LAVA_ERROR_STALLED);
    assert_true(*stalled);
    if (columns <= LAVA_LU_PANEL)
        assert_memory_equal(factors.lu.all, factors.a.all, factors.a.bytes);
    assert_int_equal(run_form(&factors, &grid), LAVA_OK);
    struct matrix got = matrix_copy(&factors.lu);
    assert_int_equal(run_form(&factors, &plain), LAVA_OK);
    check_same(&got, &factors.lu);
    free(got.all);
    *stalled = false;
    factors_free(&factors);
}

static void stalled(void **state) {
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        check_stalled(types[t], 2 + below(LAVA_LU_PANEL - 1));
        check_stalled(types[t], 70);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(stalled)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
