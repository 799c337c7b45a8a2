/* Divide and conquer on the device: eigenvalues and vectors of tridiagonal matrices of many kinds and orders,
 * in fp32 and fp64, beside those of the CPU's LAPACK. Q is a block of a larger matrix with NaN around it.
 *
 *     test_device_divide [tell|faults]
 *
 * tell: prints the errors. faults: each step fails once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/lapack/device_divide.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/factors.h"
#include "tests/robustness/lapack_sweep.h"
#include "tests/robustness/tridiagonal_kinds.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool tells;

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

/* What the device makes of a problem. */
struct run {
    struct kinds_problem *problem;
    void *values, *beside;
    struct matrix q;
};

static enum lava_status try_run(struct run *run) {
    struct kinds_problem *x = run->problem;
    struct lava_stream stream;
    struct lava_device_matrix whole, work;
    int64_t elements = lava_device_divide_work_elements(x->type, x->order);
    size_t bytes = lava_type_bytes(x->type);
    run->values = malloc((size_t)x->order * bytes);
    run->beside = malloc((size_t)x->order * bytes);
    memcpy(run->values, x->d, (size_t)x->order * bytes);
    memcpy(run->beside, x->e, (size_t)(x->order - 1) * bytes);
    run->q = matrix_new(x->type, x->order, x->order);
    assert_int_equal(lava_device_matrix_create(factors_engine, x->type, elements, 1, &work), LAVA_OK);
    lava_stream_open(&stream, factors_engine, false);
    const struct lava_device_divide divide = {.type = x->type,
                                              .order = x->order,
                                              .d = run->values,
                                              .e = run->beside,
                                              .q = matrix_upload(&stream, &run->q, &whole),
                                              .work = work};
    enum lava_status status = lava_device_divide(&stream, &divide);
    if (!status)
        matrix_download(&stream, &whole, &run->q);
    lava_stream_close(&stream, status);
    lava_device_matrix_free(factors_engine, &whole);
    lava_device_matrix_free(factors_engine, &work);
    return status;
}

static void free_run(struct run *run) {
    free(run->values);
    free(run->beside);
    free(run->q.all);
}

static void check(enum lava_type type, enum kinds_kind kind, int64_t order) {
    struct kinds_problem problem = kinds_new(type, kind, order);
    struct run run = {.problem = &problem};
    assert_int_equal(try_run(&run), LAVA_OK);
    assert_true(matrix_frame_is_untouched(&run.q));
    const struct kinds_errors ours =
        kinds_errors_of(&problem, run.values, matrix_element(&run.q, 0, 0), run.q.ld, problem_uniform);
    const struct kinds_errors theirs = kinds_errors_of_library(&problem, problem_uniform);
    if (tells)
        printf("%s %-12s %5d: residual %6.2Lf (%6.2Lf), orthogonality %6.2Lf (%6.2Lf)\n",
               lava_type_name(type), kinds_name(kind), (int)order, ours.residual, theirs.residual,
               ours.orthogonality, theirs.orthogonality);
    kinds_judge(&problem, &ours, &theirs);
    free_run(&run);
    kinds_free(&problem);
}

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64};

static void small_orders(void **state) {
    (void)state;
    for (int64_t order = 1; order <= 300; order += order < 8 ? 1 : 1 + (int64_t)problem_uniform(0, 12))
        check(types[(int)problem_uniform(0, 2)], (enum kinds_kind)problem_uniform(0, KINDS), order);
}

static void kinds(void **state) {
    static const int64_t orders[] = {5, 49, 64, 150, 201};
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++)
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t i = 0; i < COUNT(orders); i++)
                check(types[t], (enum kinds_kind)kind, orders[i]);
}

/* Merges that have products of their own. */
static void large_orders(void **state) {
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++) {
        check(types[t], KINDS_RANDOM, 700);
        check(types[t], KINDS_GLUED, 1050);
        check(types[t], KINDS_HALF, 600);
    }
    check(LAVA_TYPE_FP64, KINDS_TOEPLITZ, 1100);
}

static void same_bits(void **state) {
    uint32_t *most = &factors_engine->device->capabilities.max_workgroups, before = *most;
    (void)state;
    struct kinds_problem problem = kinds_new(LAVA_TYPE_FP64, KINDS_RANDOM, 230);
    struct run first = {.problem = &problem}, second = first;
    assert_int_equal(try_run(&first), LAVA_OK);
    *most = 3;
    assert_int_equal(try_run(&second), LAVA_OK);
    *most = before;
    assert_memory_equal(first.values, second.values, 230 * sizeof(double));
    for (int64_t j = 0; j < 230; j++)
        assert_memory_equal(matrix_element(&first.q, 0, j), matrix_element(&second.q, 0, j),
                            230 * sizeof(double));
    free_run(&first);
    free_run(&second);
    kinds_free(&problem);
}

static void not_numbers(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct kinds_problem problem = kinds_new(types[i / 2], KINDS_RANDOM, 100);
        struct run run = {.problem = &problem};
        kinds_set(&problem, i % 2 ? problem.d : problem.e, 98, i % 2 ? NAN : -INFINITY);
        assert_int_equal(try_run(&run), LAVA_ERROR_SCALED);
        free_run(&run);
        kinds_free(&problem);
    }
}

static void refused(void **state) {
    struct lava_device_matrix q, work;
    struct lava_stream stream;
    double d[70] = {0}, e[70] = {0};
    (void)state;
    int64_t elements = lava_device_divide_work_elements(LAVA_TYPE_FP64, 70);
    assert_int_equal(lava_device_matrix_create(factors_engine, LAVA_TYPE_FP64, 70, 70, &q), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(factors_engine, LAVA_TYPE_FP64, elements, 1, &work), LAVA_OK);
    lava_stream_open(&stream, factors_engine, false);
    for (int i = 0; i < 8; i++) {
        struct lava_device_divide divide = {
            .type = LAVA_TYPE_FP64, .order = 70, .d = d, .e = e, .q = q, .work = work};
        divide.type = i == 0 ? LAVA_TYPE_FP32 : divide.type;
        divide.order = i == 1 ? 69 : divide.order;
        divide.work.rows -= i == 2;
        divide.q.columns -= i == 3;
        divide.q.offset += i == 4 ? 8 : 0;
        divide.q.ld -= i == 7;
        divide.work = i == 5 ? (struct lava_device_matrix){q.buffer, q.offset, q.type, elements, 1, elements}
                             : divide.work;
        divide.type = divide.q.type = divide.work.type = i == 6 ? LAVA_TYPE_CFP64 : divide.type;
        divide.q.type = i == 6 ? LAVA_TYPE_CFP64 : LAVA_TYPE_FP64;
        divide.work.type = divide.q.type;
        assert_int_equal(lava_device_divide(&stream, &divide), LAVA_ERROR_UNAVAILABLE);
    }
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    lava_device_matrix_free(factors_engine, &q);
    lava_device_matrix_free(factors_engine, &work);
}

/* Orders of merges whose products are dispatches of a level, and of one with products of its own. */
#define FAULT_ORDERS 2
static const int64_t fault_orders[FAULT_ORDERS] = {150, 530};

/* What a caller does of it, of which each step may fail. */
static enum lava_status run_whole(void *problem, struct lava_progress *progress) {
    struct run *run = problem;
    const struct kinds_problem *x = run->problem;
    size_t bytes = lava_type_bytes(x->type);
    int64_t elements = lava_device_divide_work_elements(x->type, x->order);
    struct lava_device_matrix q = {0}, work = {0};
    struct lava_stream stream;
    *progress = (struct lava_progress){0};
    memcpy(run->values, x->d, (size_t)x->order * bytes);
    memcpy(run->beside, x->e, (size_t)(x->order - 1) * bytes);
    enum lava_status status = lava_device_matrix_create(factors_engine, x->type, x->order, x->order, &q);
    status = status ? status : lava_device_matrix_create(factors_engine, x->type, elements, 1, &work);
    if (!status) {
        lava_stream_open(&stream, factors_engine, false);
        const struct lava_device_divide divide = {
            .type = x->type, .order = x->order, .d = run->values, .e = run->beside, .q = q, .work = work};
        status = lava_device_divide(&stream, &divide);
        if (!status)
            status = lava_device_matrix_download(&stream, &q, LAVA_REGION_ALL, matrix_element(&run->q, 0, 0),
                                                 run->q.ld);
        status = lava_stream_close(&stream, status);
    }
    lava_device_matrix_free(factors_engine, &work);
    lava_device_matrix_free(factors_engine, &q);
    return status;
}

/* After a failure the next run is as good as ever. */
static void check_whole(void *problem, bool came, bool is_new, const struct lava_progress *progress) {
    const struct run *run = problem;
    (void)progress;
    if (came || !is_new)
        return;
    const struct kinds_errors ours =
        kinds_errors_of(run->problem, run->values, matrix_element(&run->q, 0, 0), run->q.ld, problem_uniform);
    kinds_judge(run->problem, &ours, &(const struct kinds_errors){0});
}

static void judge_none(const void *problem, const struct lapack_counts *counts) {
    (void)problem;
    assert_true(counts->passages > 1); /* one for each level, and the result */
}

static int open_copying(void **state) {
    (void)state;
    return device_test_open(true, &factors_engine);
}

static void faults(void **state) {
    lava_engine_destroy(factors_engine);
    assert_int_equal(open_copying(state), 0);
    for (int i = 0; i < FAULT_ORDERS; i++) {
        int64_t n = fault_orders[i];
        struct kinds_problem problem = kinds_new(types[i], KINDS_RANDOM, n);
        struct run run = {
            .problem = &problem, .values = malloc((size_t)n * 8), .beside = malloc((size_t)n * 8)};
        run.q = matrix_new(types[i], n, n);
        const struct lapack_sweep sweep = {&factors_engine, open_copying, &run,      n,
                                           run_whole,       check_whole,  judge_none};
        lapack_sweep_run(&sweep);
        free_run(&run);
        kinds_free(&problem);
    }
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_orders), cmocka_unit_test(kinds),
                                       cmocka_unit_test(large_orders), cmocka_unit_test(same_bits),
                                       cmocka_unit_test(not_numbers),  cmocka_unit_test(refused)};
    const struct CMUnitTest with_faults[] = {cmocka_unit_test(faults)};
    if (count > 1 && strcmp(arguments[1], "faults") == 0)
        return cmocka_run_group_tests(with_faults, open_engine, close_engine);
    tells = count > 1 && strcmp(arguments[1], "tell") == 0;
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
