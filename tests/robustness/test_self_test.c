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
#include "lib/offload/self_test.h"
#include "lib/offload/steps.h"
#include "lib/offload/ways.h"
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

/* The linker's names: `wrap` is called instead of the function, which is now `real`. */
typedef enum lava_status download_function(struct lava_stream *stream,
                                           const struct lava_device_matrix *matrix, enum lava_region region,
                                           void *host, int64_t ld);
lava_family_run __real_lava_ways_run, __wrap_lava_ways_run;
download_function __real_lava_device_matrix_download, __wrap_lava_device_matrix_download;

/* Eigenvectors are not in C. */
enum lava_status __wrap_lava_ways_run(struct lava_engine *user, const struct lava_operation *operation,
                                      const struct lava_plan *plan, struct lava_progress *progress) {
    const struct lava_result *c = &operation->c;
    bool has_spectrum = lava_operation_row(operation)->has_values && operation->spectrum.vectors;
    enum lava_status status = __real_lava_ways_run(user, operation, plan, progress);
    if (!status && spoiled.is_set && operation->kind == spoiled.kind && operation->type == spoiled.type)
        spoil(c->type, has_spectrum ? LAVA_REGION_ALL : c->region,
              has_spectrum ? operation->spectrum.vectors : c->first, operation->m, operation->n,
              has_spectrum ? operation->spectrum.ld : c->ld);
    return status;
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

static enum lava_status run(enum lava_step step) {
    struct lava_self_test test = {.engine = engine, .type = LAVA_TYPE_FP32, .step = step, .tell = note};
    largest = 0;
    spoiled.times = 0;
    return step == LAVA_STEP_PLAIN ? test_first_kernel(&test, NULL) : lava_steps[step].test(&test, NULL);
}

static void right_results(void **state) {
    (void)state;
    spoiled.is_set = false;
    for (int i = 0; i < LAVA_STEP_COUNT; i++) { /* in the order in which one step needs another */
        assert_int_equal(run((enum lava_step)i), LAVA_OK);
        assert_true(largest > 0 && largest <= 1);
    }
}

static void spoiled_results(void **state) {
    static const struct {
        enum lava_step step;
        enum lava_operation_kind kind;
    } cases[] = {{LAVA_STEP_PLAIN, LAVA_OPERATION_PRODUCT},
                 {LAVA_STEP_STRUCTURED, LAVA_OPERATION_PRODUCT},
                 {LAVA_STEP_STRUCTURED, LAVA_OPERATION_SOLVE},
                 {LAVA_STEP_FACTORS, LAVA_OPERATION_CHOLESKY},
                 {LAVA_STEP_FACTORS, LAVA_OPERATION_LU},
                 {LAVA_STEP_INVERSES, LAVA_OPERATION_INVERT_TRIANGLE},
                 {LAVA_STEP_INVERSES, LAVA_OPERATION_INVERT_CHOLESKY},
                 {LAVA_STEP_INVERSES, LAVA_OPERATION_INVERT_LU},
                 {LAVA_STEP_QR, LAVA_OPERATION_QR},
                 {LAVA_STEP_QR, LAVA_OPERATION_QR_FORM},
                 {LAVA_STEP_VECTORS, LAVA_OPERATION_MATRIX_VECTOR},
                 {LAVA_STEP_TRIDIAGONAL, LAVA_OPERATION_TRIDIAGONAL},
                 {LAVA_STEP_EIGEN, LAVA_OPERATION_EIGENVECTORS},
                 {LAVA_STEP_GENERALIZED, LAVA_OPERATION_GENERALIZED_VECTORS},
                 {LAVA_STEP_PIVOTED_QR, LAVA_OPERATION_PIVOTED_QR},
                 {LAVA_STEP_SINGULAR, LAVA_OPERATION_SINGULAR_VECTORS},
                 {LAVA_STEP_BIDIAGONAL, LAVA_OPERATION_BIDIAGONAL}};
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
    for (int i = LAVA_STEP_FACTORS; i < LAVA_STEP_COUNT; i++)
        assert_int_equal(run((enum lava_step)i), LAVA_ERROR_UNAVAILABLE);
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
