/* The ways of the reduction to tridiagonal form: two dispatches for each column, and a panel as one dispatch
 * by workgroups that wait for each other. They come to the same bits, and workgroups that wait in vain give
 * up. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/lapack/device_tridiagonal.h"
#include "tests/library/tridiagonal_check.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/factors.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Units of the type's last place, times the norm of A. */
#define MOST_ERROR 30

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

/* As many workgroups of lavapipe as a test needs can run at the same time, however many processors there are.
 */
#define MOST_GROUPS 4
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

/* If workgroups wait for each other, a busy machine takes long for a column. */
static const struct device_test_form columns = {{1 + LAVA_PANEL_COLUMNS, 0}, 1, 0},
                                     alone = {{1 + LAVA_PANEL_ALONE, 0}, 1, 0},
                                     two = {{1 + LAVA_PANEL_GRID, 0}, 2, UINT32_MAX},
                                     three = {{1 + LAVA_PANEL_GRID, 0}, 3, UINT32_MAX};

/* A matrix whose other triangle is NaN, and what becomes of it. */
struct problem_of_form {
    enum lava_region stored;
    struct matrix a, now, form;
};

static struct problem_of_form new_problem(enum lava_type type, int64_t n, enum lava_region stored) {
    struct problem_of_form p = {.stored = stored, .a = matrix_new(type, n, n)};
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (stored == LAVA_REGION_LOWER ? i >= j : i <= j)
                matrix_set(&p.a, i, j, problem_uniform(-1, 1), i == j ? NAN : problem_uniform(-1, 1));
    return p;
}

static void free_result(struct problem_of_form *p) {
    free(p->now.all);
    free(p->form.all);
}

static enum lava_status run(struct problem_of_form *p, const struct device_test_form *form) {
    enum lava_type type = p->a.type;
    int64_t n = p->a.rows;
    struct lava_device_matrix wholes[3];
    struct lava_stream stream;
    struct matrix work = matrix_new(type, lava_device_tridiagonal_work_elements(type, n), 1);
    const struct device_test_form before = device_test_set_form(factors_engine, form);
    p->now = matrix_copy(&p->a);
    p->form = matrix_new(type, 3 * n, 1);
    lava_stream_open(&stream, factors_engine, false);
    const struct lava_device_tridiagonal how = {.a = matrix_upload(&stream, &p->a, &wholes[0]),
                                                .stored = p->stored,
                                                .form = matrix_upload(&stream, &p->form, &wholes[1]),
                                                .work = matrix_upload(&stream, &work, &wholes[2])};
    assert_int_equal(lava_device_tridiagonal(&stream, &how), LAVA_OK);
    matrix_download(&stream, &wholes[0], &p->now);
    matrix_download(&stream, &wholes[1], &p->form);
    matrix_download(&stream, &wholes[2], &work);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    assert_true(matrix_frame_is_untouched(&p->now));
    assert_true(matrix_frame_is_untouched(&p->form));
    assert_true(matrix_frame_is_untouched(&work));
    for (size_t i = 0; i < COUNT(wholes); i++)
        lava_device_matrix_free(factors_engine, &wholes[i]);
    free(work.all);
    device_test_set_form(factors_engine, &before);
    return lava_device_tridiagonal_check(factors_engine->device, type, matrix_element(&p->form, 0, 0), n);
}

static void check_error(const struct problem_of_form *p) {
    enum lava_type real = lava_type_real(p->a.type);
    int64_t n = p->a.rows;
    struct matrix vectors = matrix_new(real, n, 2);
    for (int64_t i = 0; i < n; i++) {
        matrix_set(&vectors, i, 0, (double)matrix_get(&p->form, 2 * n + i, 0).re, 0);
        matrix_set(&vectors, i, 1, (double)matrix_get(&p->form, n + i, 0).re, 0);
    }
    const struct tridiagonal x = {.type = p->a.type,
                                  .is_lower = p->stored == LAVA_REGION_LOWER,
                                  .n = n,
                                  .ld = p->a.ld,
                                  .before = matrix_element(&p->a, 0, 0),
                                  .after = matrix_element(&p->now, 0, 0),
                                  .tau = matrix_element(&p->form, 0, 0),
                                  .d = matrix_element(&vectors, 0, 0),
                                  .e = matrix_element(&vectors, 0, 1)};
    long double error = tridiagonal_error(&x, 5);
    if (!(error <= MOST_ERROR))
        fail_msg("%s, order %d: an error of %Lg units", lava_type_name(p->a.type), (int)n, error);
    free(vectors.all);
}

/* The last E is not written. */
static void check_same(const struct problem_of_form *one, const struct problem_of_form *other) {
    size_t bytes = lava_type_bytes(one->a.type);
    int64_t n = one->a.rows;
    assert_memory_equal(one->now.all, other->now.all, one->now.bytes);
    for (int64_t i = 0; i < 3 * n; i++)
        if (i != 2 * n - 1)
            assert_memory_equal(matrix_element(&one->form, i, 0), matrix_element(&other->form, i, 0), bytes);
}

static void check_forms(enum lava_type type, int64_t n, const struct device_test_form *const *forms) {
    enum lava_region stored = problem_uniform(0, 1) < 0.5 ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
    struct problem_of_form p = new_problem(type, n, stored);
    assert_int_equal(run(&p, &columns), LAVA_OK);
    check_error(&p);
    for (; *forms; forms++) {
        struct problem_of_form other = p;
        assert_int_equal(run(&other, *forms), LAVA_OK);
        check_same(&p, &other);
        free_result(&other);
    }
    free_result(&p);
    free(p.a.all);
}

static void same_bits(void **state) {
    static const struct device_test_form *const all[] = {&alone, &two, &three, NULL},
                                                *const one[] = {&alone, NULL}, *const pair[] = {&two, NULL};
    static const int64_t orders[] = {1, 2, 3, 65, 66, 129};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        for (size_t i = 0; i < COUNT(orders); i++)
            check_forms(types[t], orders[i], one);
        check_forms(types[t], 1 + (int64_t)problem_uniform(0, 5), all);
        if (t < 2) /* the types differ in their numbers alone, and every wait takes long on a busy machine */
            check_forms(types[t], 66, pair);
        check_forms(types[t], 200 + (int64_t)problem_uniform(0, 60), one);
    }
}

/* Workgroups that do not run at the same time give up, and from then on columns have dispatches. */
static void stalled(void **state) {
    _Atomic bool *is_stalled = &factors_engine->device->shared->stalled;
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        const struct device_test_form grid = {
            {0, 0}, 40, device_test_polls_in_vain(factors_engine, 1 + (uint32_t)problem_uniform(0, 1000))};
        struct problem_of_form p = new_problem(types[t], 150, LAVA_REGION_LOWER), other = p;
        assert_int_equal(run(&p, &grid), LAVA_ERROR_STALLED);
        free_result(&p);
        assert_true(*is_stalled);
        assert_int_equal(run(&p, &grid), LAVA_OK);
        assert_int_equal(run(&other, &columns), LAVA_OK);
        check_same(&p, &other);
        free_result(&p);
        free_result(&other);
        free(p.a.all);
        *is_stalled = false;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(stalled)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
