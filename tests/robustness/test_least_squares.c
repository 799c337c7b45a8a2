/* Least squares by QR from host memory to host memory: values, what the CPU makes of a result that is there
 * in part, matrices without full rank, those that LAPACK scales, and, with fault injection, that each failure
 * leaves columns with which the CPU can go on.
 *
 *     test_least_squares [faults] */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/solve.h"
#include "lib/host/cpu_least_squares.h"
#include "lib/lapack/families.h"
#include "lib/offload/complete.h"
#include "lib/offload/offload.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/lapack_sweep.h"
#include "tests/robustness/reflections.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* Columns that are downloaded in more than one piece. */
#define COLUMNS (LAVA_SOLVE_TRAPEZOID + 40)

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
static struct lava_engine *engine;
static bool has_faults;

static int open_engine(void **state) {
    (void)state;
    return device_test_open(true, &engine);
}

static int begin(void **state) {
    problem_seed = device_test_seed();
    return open_engine(state);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

/* What a call is given in place of a matrix A of at least as many rows as columns. */
enum way {
    PLAIN,        /* A */
    ADJOINT,      /* A, and the adjoint is asked for */
    WIDE,         /* A's adjoint; so that is of A */
    WIDE_ADJOINT, /* A's adjoint, and its adjoint is asked for */
    WAYS
};

/* A and tau are the reflections'; B before and now. What is asked for is X with A, or with A's adjoint. */
struct call {
    struct qr qr;
    struct matrix before, now;
    bool is_wide, of_adjoint;
    struct matrix wide_before, wide; /* A's adjoint */
    struct lava_operation operation;
};

/* What is not given of B is NaN. A square matrix is not wide. */
static struct call new_call(enum lava_type type, int64_t m, int64_t n, int64_t sides, enum way way) {
    way = m > n || way < WIDE ? way : way == WIDE ? PLAIN : ADJOINT;
    struct call call = {.qr = qr_new(type, m, n),
                        .before = matrix_new(type, m, sides),
                        .is_wide = way == WIDE || way == WIDE_ADJOINT,
                        .of_adjoint = way == ADJOINT || way == WIDE};
    for (int64_t j = 0; j < sides; j++)
        for (int64_t i = 0; i < (call.of_adjoint ? n : m); i++)
            matrix_set(&call.before, i, j, problem_uniform(-1, 1), problem_uniform(-1, 1));
    call.now = matrix_copy(&call.before);
    call.wide_before = matrix_new(type, n, m);
    call.wide = matrix_new(type, n, m);
    struct matrix *c = call.is_wide ? &call.wide : &call.qr.now;
    call.operation = (struct lava_operation){
        .kind = LAVA_OPERATION_QR,
        .type = type,
        .m = call.is_wide ? n : m,
        .n = call.is_wide ? m : n,
        .k = n,
        .c = {.first = matrix_element(c, 0, 0), .ld = c->ld, .type = type},
        .alpha.real = 1,
        .tau = matrix_element(&call.qr.tau, 0, 0),
        .adjoint = way == ADJOINT || way == WIDE_ADJOINT,
        .sides = {.first = matrix_element(&call.now, 0, 0), .ld = call.now.ld, .count = sides}};
    return call;
}

static void free_call(struct call *call) {
    qr_free(&call->qr);
    free(call->before.all);
    free(call->now.all);
    free(call->wide_before.all);
    free(call->wide.all);
}

static void turn(const struct matrix *from, struct matrix *to) {
    for (int64_t j = 0; j < from->columns; j++)
        for (int64_t i = 0; i < from->rows; i++) {
            const struct value z = matrix_get(from, i, j);
            matrix_set(to, j, i, (double)z.re, -(double)z.im);
        }
}

static void reset(struct call *call) {
    memcpy(call->qr.now.all, call->qr.a.all, call->qr.a.bytes);
    memcpy(call->now.all, call->before.all, call->before.bytes);
    turn(&call->qr.a, &call->wide_before);
    memcpy(call->wide.all, call->wide_before.all, call->wide.bytes);
}

/* Returns whether a part of the matrix may be written: a wide one is whole, or as it was. */
static bool has_parts(const struct call *call) {
    return !call->is_wide;
}

static enum lava_status run(void *tested, struct lava_progress *progress) {
    struct call *call = tested;
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1, 1, 1}};
    const struct lava_overrides overrides = {0};
    struct lava_plan plan;
    reset(call);
    lava_policy_choose(&call->operation, &engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    enum lava_status status = lava_qr_runner_run(engine, &call->operation, &plan, progress);
    if (call->is_wide)
        turn(&call->wide, &call->qr.now);
    return status;
}

static void check_frames(const struct call *call) {
    assert_true(matrix_frame_is_untouched(&call->qr.now));
    assert_true(matrix_frame_is_untouched(&call->qr.tau));
    assert_true(matrix_frame_is_untouched(&call->now));
    assert_true(matrix_frame_is_untouched(&call->wide));
}

static void check_result(const struct call *call, bool solves) {
    check_frames(call);
    reflections_check(&call->qr);
    if (!call->of_adjoint)
        reflections_check_least_squares(&call->qr, &call->before, &call->now, solves);
    else if (solves)
        reflections_check_least_norm(&call->qr, &call->before, &call->now);
    else
        assert_memory_equal(call->now.all, call->before.all, call->before.bytes);
}

static void assert_untouched(const struct call *call) {
    const struct matrix *c = call->is_wide ? &call->wide : &call->qr.now,
                        *before = call->is_wide ? &call->wide_before : &call->qr.a;
    assert_memory_equal(c->all, before->all, before->bytes);
    assert_memory_equal(call->now.all, call->before.all, call->before.bytes);
}

/* What is written of a matrix with that many whole columns is the result's. */
static void set_columns(struct matrix *matrix, const struct matrix *whole, int64_t columns) {
    if (columns > 0)
        memcpy(matrix_element(matrix, 0, 0), matrix_element(whole, 0, 0),
               (size_t)((columns - 1) * matrix->ld + matrix->rows) * lava_type_bytes(matrix->type));
}

/* The CPU's own way, from that many columns of A, and of B, which a device may have written. */
static void complete_from(struct call *call, const struct call *whole, int64_t columns, int64_t sides) {
    const struct lava_progress progress = {.rows = call->qr.rows, .column = columns, .sides = sides};
    reset(call);
    set_columns(&call->qr.now, &whole->qr.now, columns);
    set_columns(&call->now, &whole->now, sides);
    memcpy(call->qr.tau.all, whole->qr.tau.all, whole->qr.tau.bytes);
    assert_int_equal(lava_complete_on_cpu(&call->operation, &progress), 0);
    check_result(call, true);
}

/* The CPU goes on after a failure. If nothing is written, everything is as it was. The measure takes long:
 * if the device computed everything, once is enough. */
static void check_after(void *tested, bool came, bool is_new, const struct lava_progress *progress) {
    struct call *call = tested;
    bool goes_on = came && progress->column > 0;
    assert_true(!goes_on || has_parts(call));
    if (came && !goes_on)
        assert_untouched(call);
    if (goes_on) {
        assert_true(progress->sides == 0 || progress->column == call->operation.n);
        assert_int_equal(lava_complete_on_cpu(&call->operation, progress), 0);
    }
    if (goes_on || is_new)
        check_result(call, true);
}

static void judge(const void *tested, const struct lapack_counts *counts) {
    assert_true(!has_parts(tested) || (counts->partly > 0 && counts->solved > 0));
}

static void fail_everywhere(struct call *call) {
    const struct lapack_sweep sweep = {&engine, open_engine, call, call->operation.n,
                                       run,     check_after, judge};
    lapack_sweep_run(&sweep);
}

static void check_way(enum lava_type type, int64_t m, int64_t n, int64_t sides, enum way way) {
    struct call call = new_call(type, m, n, sides, way), whole = new_call(type, m, n, sides, way);
    struct lava_progress progress;
    assert_int_equal(run(&call, &progress), LAVA_OK);
    assert_int_equal(progress.column, call.operation.n);
    assert_int_equal(progress.sides, sides);
    check_result(&call, true);
    if (!has_parts(&call)) {
        free_call(&call);
        free_call(&whole);
        return;
    }
    set_columns(&whole.qr.now, &call.qr.now, n);
    set_columns(&whole.now, &call.now, sides);
    memcpy(whole.qr.tau.all, call.qr.tau.all, call.qr.tau.bytes);
    complete_from(&call, &whole, 0, 0);
    complete_from(&call, &whole, 1 + reflections_below(n), 0);
    complete_from(&call, &whole, n, reflections_below(sides));
    complete_from(&call, &whole, n, sides);
    free_call(&call);
    free_call(&whole);
}

/* Every way. */
static void check(enum lava_type type, int64_t m, int64_t n, int64_t sides) {
    for (enum way way = PLAIN; way < WAYS; way++)
        check_way(type, m, n, sides, way);
}

/* A tall and a wide one, the others in other runs. With little staging memory both are downloaded in several
 * pieces. */
static void fail_in_some_ways(void) {
    for (enum way way = reflections_below(2) ? PLAIN : ADJOINT; way < WAYS; way += 2) {
        struct call call = new_call(LAVA_TYPE_FP64, 300, 130, 140, way);
        fail_everywhere(&call);
        free_call(&call);
    }
}

static void values(void **state) {
    (void)state;
    if (has_faults) {
        fail_in_some_ways();
        return;
    }
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        check(types[t], 300, 77, 33);
        check(types[t], 140 + reflections_below(200), 140, 1);
        check(types[t], 70, 40, COLUMNS);
        check(types[t], 5, 1, 3);
        check(types[t], 1, 1, 1);
        reflections_tell(types[t]);
    }
    /* once: the measure takes long */
    check_way(LAVA_TYPE_FP64, COLUMNS + 9, COLUMNS, 20, (enum way)reflections_below(WAYS));
}

/* A column of zeros: R has a zero on its diagonal. The device leaves the factors, B is as it was, and what
 * the CPU leaves there is Q^H B, or B as it was if the adjoint is asked for. Of a wide matrix nothing is
 * written. */
static void check_rank(enum lava_type type, enum way way) {
    struct call call = new_call(type, 200, 150, 7, way);
    struct lava_progress progress;
    int64_t zero = reflections_below(150);
    for (int64_t i = 0; i < 200; i++)
        matrix_set(&call.qr.a, i, zero, 0, 0);
    assert_int_equal(run(&call, &progress), LAVA_ERROR_SINGULAR);
    assert_int_equal(progress.column, has_parts(&call) ? 150 : 0);
    assert_int_equal(progress.sides, 0);
    assert_memory_equal(call.now.all, call.before.all, call.before.bytes);
    if (has_parts(&call)) {
        assert_int_equal(lava_complete_on_cpu(&call.operation, &progress), zero + 1);
        check_result(&call, false);
    } else {
        assert_untouched(&call);
    }
    free_call(&call);
}

static void without_full_rank(void **state) {
    (void)state;
    if (has_faults)
        skip();
    for (size_t t = 0; t < COUNT(types); t++)
        for (enum way way = PLAIN; way < WAYS; way++)
            check_rank(types[t], way);
}

static bool flushes(enum lava_type type) {
    return lava_solve_least(&engine->capabilities, type) > 0;
}

/* What LAPACK scales, what has NaN, and what is too small for a device that flushes is found while the device
 * computes; nothing is written. The largest value decides, and a B of zeros is as good as any. */
static void scaled(void **state) {
    struct lava_progress progress;
    (void)state;
    if (has_faults)
        skip();
    for (size_t t = 0; t < COUNT(types); t++) {
        bool is_fp32 = lava_type_real(types[t]) == LAVA_TYPE_FP32;
        double least = is_fp32 ? (double)(FLT_MIN / FLT_EPSILON) : DBL_MIN / DBL_EPSILON;
        const struct {
            double a, b;
            bool is_scaled;
        } cases[] = {
            {least / 2, 1, true},  {1, least / 2, true}, {4 / least, 1, true},     {1, 4 / least, true},
            {0, 1, true},          {NAN, 1, true},       {1, NAN, true},           {INFINITY, 1, true},
            {least * 2, 1, false}, {1, 0, false},        {1 / least / 4, 1, false}};
        for (size_t i = 0; i < COUNT(cases); i++) {
            enum way way = (enum way)reflections_below(WAYS);
            int64_t sides = reflections_below(2) ? 1 : 4;
            struct call call = new_call(types[t], 150, 140, sides, way);
            bool is_complex = lava_type_is_complex(types[t]);
            for (int64_t j = 0; j < 140; j++)
                for (int64_t row = 0; row < 150; row++)
                    matrix_set(&call.qr.a, row, j, 0, 0);
            for (int64_t j = 0; j < sides; j++)
                for (int64_t row = 0; row < (call.of_adjoint ? 140 : 150); row++)
                    matrix_set(&call.before, row, j, 0, 0);
            for (int64_t j = 0; j < 140; j++)
                matrix_set(&call.qr.a, j, j, cases[i].a / 2, 0);
            int64_t at = reflections_below(140);
            matrix_set(&call.qr.a, at, at, is_complex ? 0 : cases[i].a, is_complex ? cases[i].a : 0);
            matrix_set(&call.before, reflections_below(call.of_adjoint ? 140 : 150), reflections_below(sides),
                       -cases[i].b, 0);
            bool underflows = cases[i].a == least * 2 && flushes(types[t]);
            enum lava_status refused = cases[i].is_scaled ? LAVA_ERROR_SCALED : LAVA_ERROR_UNDERFLOW;
            bool is_refused = cases[i].is_scaled || underflows;
            assert_int_equal(run(&call, &progress), is_refused ? refused : LAVA_OK);
            assert_int_equal(progress.column, is_refused ? 0 : call.operation.n);
            assert_int_equal(progress.sides, is_refused ? 0 : sides);
            if (is_refused)
                assert_untouched(&call);
            else
                check_result(&call, true);
            check_frames(&call);
            free_call(&call);
        }
    }
}

/* Workgroups that wait for others in vain give up. Matrices remain as they are. */
static void stalled(void **state) {
    const struct device_test_form form = {.choice = {1 + LAVA_PANEL_GRID, LAVA_PANEL_LEAST_INVOCATIONS},
                                          .resident = LAVA_PANEL_GROUPS,
                                          .polls = device_test_polls_in_vain(engine, 100)};
    struct lava_progress progress;
    (void)state;
    if (has_faults)
        skip();
    struct call call =
        new_call(LAVA_TYPE_FP64, 64 * 40, 20 + reflections_below(40), 3, (enum way)reflections_below(WAYS));
    engine->device->shared->stalled = false;
    const struct device_test_form before = device_test_set_form(engine, &form);
    assert_int_equal(run(&call, &progress), LAVA_ERROR_STALLED);
    assert_int_equal(progress.column, 0);
    assert_int_equal(progress.sides, 0);
    assert_untouched(&call);
    assert_false(engine->device->shared->failed);
    assert_int_equal(run(&call, &progress), LAVA_OK);
    check_result(&call, true);
    free_call(&call);
    engine->device->shared->stalled = false;
    device_test_set_form(engine, &before);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(without_full_rank),
                                       cmocka_unit_test(scaled), cmocka_unit_test(stalled)};
    has_faults = count > 1 && !strcmp(arguments[1], "faults");
    return cmocka_run_group_tests(tests, begin, close_engine);
}
