/* A self-test refuses a result with one NaN that is not the last element. The linker puts a function between
 * each self-test and what computes, which writes that NaN; the tests of the steps before pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "lib/lapack/device_matrix.h"
#include "lib/lapack/families.h"
#include "lib/level2/vector.h"
#include "lib/offload/self_test.h"
#include "lib/offload/steps.h"
#include "lib/product/runner.h"
#include "tests/robustness/device_test.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Whose results get a NaN. */
static struct {
    bool is_set;
    enum lava_operation_kind kind; /* a solve: what is downloaded */
    enum lava_type type;
    int times;
} spoiled;

static struct lava_engine *engine;
static double largest;

/* As a NaN, all bits are set. */
static void spoil(enum lava_type type, enum lava_region region, void *matrix, int64_t rows, int64_t columns,
                  int64_t ld) {
    int64_t row = region == LAVA_REGION_LOWER ? 2 * rows / 3 : rows / 3,
            column = region == LAVA_REGION_LOWER ? columns / 3 : 2 * columns / 3;
    memset(lava_operation_element(matrix, type, row, column, ld), 0xff, lava_type_bytes(type));
    spoiled.times++;
}

static enum lava_status spoil_result(const struct lava_operation *operation, enum lava_status status) {
    const struct lava_result *c = &operation->c;
    if (!status && spoiled.is_set && operation->kind == spoiled.kind && operation->type == spoiled.type)
        spoil(c->type, c->region, c->first, operation->m, operation->n, c->ld);
    return status;
}

/* The linker's names: `wrap` is called instead of the function, which is now `real`. */
typedef enum lava_status plan_function(struct lava_engine *engine, const struct lava_operation *operation,
                                       const struct lava_plan *plan, struct lava_progress *progress);
typedef enum lava_status product_function(struct lava_engine *engine, const struct lava_operation *operation,
                                          const struct lava_plan *plan, struct lava_progress *progress,
                                          struct lava_timing *timing);
typedef enum lava_status download_function(struct lava_stream *stream,
                                           const struct lava_device_matrix *matrix, enum lava_region region,
                                           void *host, int64_t ld);
plan_function __real_lava_factorizer_run, __wrap_lava_factorizer_run;
plan_function __real_lava_inverter_run, __wrap_lava_inverter_run;
plan_function __real_lava_qr_runner_run, __wrap_lava_qr_runner_run;
plan_function __real_lava_vector_run, __wrap_lava_vector_run;
plan_function __real_lava_tridiagonal_runner_run, __wrap_lava_tridiagonal_runner_run;
plan_function __real_lava_eigen_runner_run, __wrap_lava_eigen_runner_run;
product_function __real_lava_runner_run, __wrap_lava_runner_run;
download_function __real_lava_device_matrix_download, __wrap_lava_device_matrix_download;

enum lava_status __wrap_lava_factorizer_run(struct lava_engine *user, const struct lava_operation *operation,
                                            const struct lava_plan *plan, struct lava_progress *progress) {
    return spoil_result(operation, __real_lava_factorizer_run(user, operation, plan, progress));
}

enum lava_status __wrap_lava_inverter_run(struct lava_engine *user, const struct lava_operation *operation,
                                          const struct lava_plan *plan, struct lava_progress *progress) {
    return spoil_result(operation, __real_lava_inverter_run(user, operation, plan, progress));
}

enum lava_status __wrap_lava_qr_runner_run(struct lava_engine *user, const struct lava_operation *operation,
                                           const struct lava_plan *plan, struct lava_progress *progress) {
    return spoil_result(operation, __real_lava_qr_runner_run(user, operation, plan, progress));
}

enum lava_status __wrap_lava_vector_run(struct lava_engine *user, const struct lava_operation *operation,
                                        const struct lava_plan *plan, struct lava_progress *progress) {
    return spoil_result(operation, __real_lava_vector_run(user, operation, plan, progress));
}

enum lava_status __wrap_lava_tridiagonal_runner_run(struct lava_engine *user,
                                                    const struct lava_operation *operation,
                                                    const struct lava_plan *plan,
                                                    struct lava_progress *progress) {
    return spoil_result(operation, __real_lava_tridiagonal_runner_run(user, operation, plan, progress));
}

/* Its result is not in C. */
enum lava_status __wrap_lava_eigen_runner_run(struct lava_engine *user,
                                              const struct lava_operation *operation,
                                              const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_operation vectors = *operation;
    vectors.c.first = operation->spectrum.vectors;
    vectors.c.ld = operation->spectrum.ld;
    vectors.c.region = LAVA_REGION_ALL;
    return spoil_result(&vectors, __real_lava_eigen_runner_run(user, operation, plan, progress));
}

enum lava_status __wrap_lava_runner_run(struct lava_engine *user, const struct lava_operation *operation,
                                        const struct lava_plan *plan, struct lava_progress *progress,
                                        struct lava_timing *timing) {
    return spoil_result(operation, __real_lava_runner_run(user, operation, plan, progress, timing));
}

enum lava_status __wrap_lava_device_matrix_download(struct lava_stream *stream,
                                                    const struct lava_device_matrix *matrix,
                                                    enum lava_region region, void *host, int64_t ld) {
    enum lava_status status = __real_lava_device_matrix_download(stream, matrix, region, host, ld);
    if (!status && spoiled.is_set && spoiled.kind == LAVA_OPERATION_SOLVE && matrix->type == spoiled.type)
        spoil(matrix->type, region, host, matrix->rows, matrix->columns, ld);
    return status;
}

static void note(const struct lava_self_test_result *result, void *unused) {
    (void)unused;
    assert_true(result->error >= 0);
    largest = fmax(largest, result->error);
}

/* Tests the first kernel of the type, and complex products by it. The others are refused meanwhile. */
static enum lava_status test_first_kernel(struct lava_self_test *test, bool (*stops)(void)) {
    const uint64_t refused = engine->capabilities.refused_kernels;
    lava_self_test_find_kernels(test);
    for (int i = 1; i < test->count; i++)
        lava_kernel_refuse(test->kernels[i], &engine->capabilities);
    enum lava_status result = LAVA_ERROR_UNAVAILABLE,
                     status = lava_self_test_begin(test, engine, LAVA_TYPE_FP32, stops);
    engine->capabilities.refused_kernels = refused;
    test->tell = note;
    if (!status && !lava_self_test_next(test, &result))
        status = LAVA_ERROR_UNAVAILABLE;
    lava_self_test_end(test);
    return status ? status : result;
}

typedef enum lava_status step_function(struct lava_self_test *test, bool (*stops)(void));

static enum lava_status run(step_function *step) {
    struct lava_self_test test = {.engine = engine, .type = LAVA_TYPE_FP32, .tell = note};
    largest = 0;
    spoiled.times = 0;
    return step(&test, NULL);
}

/* In the order in which one step needs another. */
static step_function *const steps[] = {
    test_first_kernel,          lava_self_test_structured, lava_self_test_factors,
    lava_self_test_inverses,    lava_self_test_qr,         lava_self_test_vectors,
    lava_self_test_tridiagonal, lava_self_test_eigen,      lava_self_test_generalized};

static void right_results(void **state) {
    (void)state;
    spoiled.is_set = false;
    for (size_t i = 0; i < COUNT(steps); i++) {
        assert_int_equal(run(steps[i]), LAVA_OK);
        assert_true(largest > 0 && largest <= 1);
    }
}

static void spoiled_results(void **state) {
    static const struct {
        step_function *step;
        enum lava_operation_kind kind;
    } cases[] = {{test_first_kernel, LAVA_OPERATION_PRODUCT},
                 {lava_self_test_structured, LAVA_OPERATION_PRODUCT},
                 {lava_self_test_structured, LAVA_OPERATION_SOLVE},
                 {lava_self_test_factors, LAVA_OPERATION_CHOLESKY},
                 {lava_self_test_factors, LAVA_OPERATION_LU},
                 {lava_self_test_inverses, LAVA_OPERATION_INVERT_TRIANGLE},
                 {lava_self_test_inverses, LAVA_OPERATION_INVERT_CHOLESKY},
                 {lava_self_test_inverses, LAVA_OPERATION_INVERT_LU},
                 {lava_self_test_qr, LAVA_OPERATION_QR},
                 {lava_self_test_qr, LAVA_OPERATION_QR_FORM},
                 {lava_self_test_vectors, LAVA_OPERATION_MATRIX_VECTOR},
                 {lava_self_test_tridiagonal, LAVA_OPERATION_TRIDIAGONAL},
                 {lava_self_test_eigen, LAVA_OPERATION_EIGENVECTORS},
                 {lava_self_test_generalized, LAVA_OPERATION_GENERALIZED_VECTORS}};
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_CFP32};
    (void)state;
    for (size_t i = 0; i < COUNT(cases) * COUNT(types); i++) {
        size_t at = i / COUNT(types);
        spoiled.is_set = true;
        spoiled.kind = cases[at].kind;
        spoiled.type = types[i % COUNT(types)];
        enum lava_status status = run(cases[at].step);
        if (status != LAVA_ERROR_SELF_TEST || spoiled.times != 1 || !isinf(largest))
            fail_msg("case %zu, %s: status %s, %d results with a NaN, error %g", at,
                     lava_type_name(spoiled.type), lava_status_name(status), spoiled.times, largest);
    }
}

/* What a device cannot run is not tested, and does not pass. */
static void lacking_device(void **state) {
    struct lava_capabilities *capabilities = &engine->capabilities;
    const struct lava_capabilities before = *capabilities;
    (void)state;
    spoiled.is_set = false;
    capabilities->max_workgroup_invocations = 64;
    for (size_t i = 2; i < COUNT(steps); i++)
        assert_int_equal(run(steps[i]), LAVA_ERROR_UNAVAILABLE);
    *capabilities = before;
}

static bool at_once(void) {
    return true;
}

static bool never(void) {
    return false;
}

/* A further device passes for what was asked, and for nothing else. */
static void what_is_needed(void **state) {
    const struct lava_operation factorization = {.kind = LAVA_OPERATION_LU, .type = LAVA_TYPE_FP64};
    const uint64_t needs[] = {lava_readiness_bit(LAVA_TYPE_FP32, LAVA_STEP_PLAIN),
                              lava_steps_needs(&factorization), 0};
    (void)state;
    spoiled.is_set = false;
    for (size_t i = 0; i < COUNT(needs); i++) {
        assert_int_equal(lava_steps_test(engine, needs[i], at_once), 0);
        assert_int_equal(lava_steps_test(engine, needs[i], never), needs[i]);
    }
}

static int open_engine(void **state) {
    (void)state;
    return device_test_open_with(false, false, &engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_results),
        cmocka_unit_test(spoiled_results),
        cmocka_unit_test(lacking_device),
        cmocka_unit_test(what_is_needed),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
