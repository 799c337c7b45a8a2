/* QR factorizations, their matrices Q, and products with Q from host memory to host memory: values, what the
 * CPU makes of a result that is there in part, and, with fault injection, that each failure leaves either the
 * matrix as it was or columns with which the CPU can go on.
 *
 *     test_qr [faults] */
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
#include "lib/host/cpu_qr.h"
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

/* A call: the reflections, and for ?orgqr the matrix that begins with them and becomes Q. */
struct call {
    struct qr qr;
    struct matrix before, now; /* QR: A; QR_FORM: the reflections and what is beside them; else C */
    struct lava_operation operation;
};

static struct lava_operation operation_of(enum lava_operation_kind kind, struct matrix *c,
                                          struct matrix *tau) {
    return (struct lava_operation){.kind = kind,
                                   .type = c->type,
                                   .m = c->rows,
                                   .n = c->columns,
                                   .k = tau->rows,
                                   .c = {.first = matrix_element(c, 0, 0), .ld = c->ld, .type = c->type},
                                   .alpha.real = 1,
                                   .tau = matrix_element(tau, 0, 0)};
}

static struct call new_qr(enum lava_type type, int64_t m, int64_t n) {
    struct call call = {.qr = qr_new(type, m, n)};
    call.before = matrix_copy(&call.qr.a);
    call.now = matrix_copy(&call.qr.a);
    call.operation = operation_of(LAVA_OPERATION_QR, &call.now, &call.qr.tau);
    return call;
}

/* The k reflections are made by the CPU; columns beside them are not read. */
static struct call new_form(enum lava_type type, int64_t m, int64_t n, int64_t k) {
    struct call call = {.qr = qr_new(type, m, k), .before = matrix_new(type, m, n)};
    memcpy(call.qr.now.all, call.qr.a.all, call.qr.a.bytes);
    const struct lava_operation factor = operation_of(LAVA_OPERATION_QR, &call.qr.now, &call.qr.tau);
    lava_cpu_qr_run(lava_cpu_blas_get(), &factor, (struct lava_cpu_done){0});
    reflections_check(&call.qr);
    for (int64_t j = 0; j < k; j++)
        memcpy(matrix_element(&call.before, 0, j), matrix_element(&call.qr.now, 0, j),
               (size_t)m * lava_type_bytes(type));
    call.now = matrix_copy(&call.before);
    call.operation = operation_of(LAVA_OPERATION_QR_FORM, &call.now, &call.qr.tau);
    return call;
}

/* With Q of m rows; C's other side has `others` elements. */
static struct call new_product(enum lava_type type, int64_t m, int64_t k, int64_t others, int way) {
    bool adjoint = way & 1, on_right = way & 2;
    struct call call = {.qr = qr_new(type, m, k)};
    call.before = on_right ? matrix_new(type, others, m) : matrix_new(type, m, others);
    memcpy(call.qr.now.all, call.qr.a.all, call.qr.a.bytes);
    const struct lava_operation factor = operation_of(LAVA_OPERATION_QR, &call.qr.now, &call.qr.tau);
    lava_cpu_qr_run(lava_cpu_blas_get(), &factor, (struct lava_cpu_done){0});
    reflections_fill(&call.before);
    call.now = matrix_copy(&call.before);
    call.operation =
        operation_of(on_right ? LAVA_OPERATION_QR_RIGHT : LAVA_OPERATION_QR_LEFT, &call.now, &call.qr.tau);
    const struct lava_operand reflections = {.first = matrix_element(&call.qr.now, 0, 0),
                                             .ld = call.qr.now.ld,
                                             .op = on_right ? LAVA_OP_T : LAVA_OP_N};
    *(on_right ? &call.operation.b : &call.operation.a) = reflections;
    call.operation.adjoint = adjoint;
    return call;
}

static void free_call(struct call *call) {
    qr_free(&call->qr);
    free(call->before.all);
    free(call->now.all);
}

static enum lava_status run(void *tested, struct lava_progress *progress) {
    struct call *call = tested;
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1, 1, 1}};
    const struct lava_overrides overrides = {0};
    struct lava_plan plan;
    memcpy(call->now.all, call->before.all, call->before.bytes);
    lava_policy_choose(&call->operation, &engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    return lava_qr_runner_run(engine, &call->operation, &plan, progress);
}

static void check_multiplied(struct call *call) {
    bool on_right = call->operation.kind == LAVA_OPERATION_QR_RIGHT;
    int64_t m = call->qr.rows, others = on_right ? call->now.rows : call->now.columns;
    struct value *y = reflections_values(m * others);
    for (int64_t j = 0; j < others; j++)
        for (int64_t i = 0; i < m; i++) {
            y[j * m + i] = on_right ? matrix_get(&call->before, j, i) : matrix_get(&call->before, i, j);
            y[j * m + i].im *= on_right ? -1 : 1;
        }
    reflections_check_product(&call->qr, &call->now, y, call->operation.adjoint != on_right, on_right);
    free(y);
}

static void check_result(struct call *call) {
    assert_true(matrix_frame_is_untouched(&call->now));
    assert_true(matrix_frame_is_untouched(&call->qr.tau));
    if (lava_operation_row(&call->operation)->qr.multiplies) {
        check_multiplied(call);
        return;
    }
    if (call->operation.kind == LAVA_OPERATION_QR) {
        memcpy(call->qr.now.all, call->now.all, call->now.bytes);
        reflections_check(&call->qr);
        return;
    }
    struct value *unit = reflections_values(call->now.rows * call->now.columns);
    for (int64_t j = 0; j < call->now.columns; j++)
        unit[j * call->now.rows + j].re = 1;
    reflections_check_product(&call->qr, &call->now, unit, false, false);
    free(unit);
}

/* The CPU goes on after a failure. If nothing is written, the matrix is as it was. The measure takes long:
 * if the device computed everything, once is enough. */
static void check_after(void *tested, bool came, bool is_new, const struct lava_progress *progress) {
    struct call *call = tested;
    bool goes_on = came && progress->column > 0;
    if (came && !goes_on)
        assert_memory_equal(call->now.all, call->before.all, call->before.bytes);
    if (goes_on)
        assert_int_equal(lava_complete_on_cpu(&call->operation, progress), 0);
    if (goes_on || is_new)
        check_result(call);
}

static void judge(const void *tested, const struct lapack_counts *counts) {
    const struct call *call = tested;
    assert_true((counts->partly > 0) == (call->operation.kind != LAVA_OPERATION_QR_RIGHT));
}

static void fail_everywhere(struct call *call) {
    const struct lapack_sweep sweep = {&engine, open_engine, call, call->operation.n,
                                       run,     check_after, judge};
    lapack_sweep_run(&sweep);
}

/* The CPU's own way, from every number of columns that a device may have written. */
static void complete_from(struct call *call, const struct matrix *whole, const struct matrix *tau,
                          int64_t columns) {
    const struct lava_progress progress = {.rows = call->now.rows, .column = columns};
    bool descends = lava_operation_descends(&call->operation);
    memcpy(call->qr.tau.all, tau->all, tau->bytes);
    memcpy(call->now.all, call->before.all, call->before.bytes);
    memcpy(matrix_element(&call->now, 0, descends ? call->now.columns - columns : 0),
           matrix_element(whole, 0, descends ? call->now.columns - columns : 0),
           (size_t)(columns * call->now.ld - 2 * call->now.before) * lava_type_bytes(call->now.type));
    assert_int_equal(lava_complete_on_cpu(&call->operation, &progress), 0);
    check_result(call);
}

/* All of it on the CPU. */
static void run_on_cpu(struct call *call) {
    memcpy(call->now.all, call->before.all, call->before.bytes);
    lava_complete_on_cpu(&call->operation, &(const struct lava_progress){0});
    check_result(call);
}

static void check(struct call call) {
    struct lava_progress progress;
    int64_t n = call.now.columns;
    bool is_right = call.operation.kind == LAVA_OPERATION_QR_RIGHT;
    if (has_faults) {
        fail_everywhere(&call);
    } else {
        assert_int_equal(run(&call, &progress), LAVA_OK);
        assert_int_equal(progress.column, n);
        check_result(&call);
        struct matrix whole = matrix_copy(&call.now), tau = matrix_copy(&call.qr.tau);
        for (int i = 0; i < 3 && !is_right; i++)
            complete_from(&call, &whole, &tau, i == 2 ? n : 1 + reflections_below(n));
        free(whole.all);
        free(tau.all);
        run_on_cpu(&call);
    }
    free_call(&call);
}

static void factorizations(void **state) {
    (void)state;
    if (has_faults) {
        check(new_qr(LAVA_TYPE_FP32, 90, COLUMNS));
        return;
    }
    check(new_qr(LAVA_TYPE_FP64, COLUMNS, COLUMNS)); /* once: the measure takes long */
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        check(new_qr(types[t], 90, COLUMNS));
        check(new_qr(types[t], 300, 77));
        check(new_qr(types[t], 5, 1));
        reflections_tell(types[t]);
    }
}

static void forms(void **state) {
    (void)state;
    if (has_faults) {
        check(new_form(LAVA_TYPE_FP64, COLUMNS + 20, COLUMNS, 40));
        return;
    }
    check(new_form(LAVA_TYPE_FP32, COLUMNS, COLUMNS, COLUMNS));
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        check(new_form(types[t], COLUMNS + 3, COLUMNS, 40));
        check(new_form(types[t], 300, 77, 77));
        check(new_form(types[t], 5, 1, 1));
        reflections_tell(types[t]);
    }
}

static void products(void **state) {
    (void)state;
    if (has_faults) {
        check(new_product(LAVA_TYPE_FP32, 60, 40, COLUMNS, 1));
        check(new_product(LAVA_TYPE_FP32, COLUMNS, 40, 60, 2));
        return;
    }
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        for (int way = 0; way < 4; way++) {
            check(new_product(types[t], 150, 140, 33, way));
            check(new_product(types[t], 3, 2, 5, way));
        }
        check(new_product(types[t], 60, 40, COLUMNS, 1));
        check(new_product(types[t], COLUMNS, 40, 60, 2));
        reflections_tell(types[t]);
    }
}

/* Workgroups that wait for others in vain give up. The matrix remains as it is, and the next one has panels
 * of another form. */
static void stalled(void **state) {
    const struct lava_panel_choice choice = engine->panels;
    uint32_t groups = engine->capabilities.resident_groups, polls = engine->capabilities.resident_polls;
    struct lava_progress progress;
    (void)state;
    if (has_faults)
        skip();
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2) {
        struct call call = new_qr(types[t], 64 * 40, 20 + reflections_below(40));
        engine->device->shared->stalled = false;
        engine->capabilities.resident_groups = LAVA_PANEL_GROUPS;
        engine->capabilities.resident_polls = device_test_polls_in_vain(engine, 100);
        engine->panels = (struct lava_panel_choice){1 + LAVA_PANEL_GRID, LAVA_PANEL_LEAST_INVOCATIONS};
        assert_int_equal(run(&call, &progress), LAVA_ERROR_STALLED);
        assert_int_equal(progress.column, 0);
        assert_memory_equal(call.now.all, call.before.all, call.before.bytes);
        assert_true(matrix_frame_is_untouched(&call.qr.tau));
        assert_false(engine->device->shared->failed);
        run_on_cpu(&call);
        assert_int_equal(run(&call, &progress), LAVA_OK);
        check_result(&call);
        free_call(&call);
    }
    engine->device->shared->stalled = false;
    engine->capabilities.resident_groups = groups;
    engine->capabilities.resident_polls = polls;
    engine->panels = choice;
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(factorizations), cmocka_unit_test(forms),
                                       cmocka_unit_test(products), cmocka_unit_test(stalled)};
    has_faults = count > 1 && !strcmp(arguments[1], "faults");
    return cmocka_run_group_tests(tests, begin, close_engine);
}
