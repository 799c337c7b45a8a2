/* Estimates of the reduction to tridiagonal form and of eigenvalues on an H200, beside what it took. */
#include <math.h>

#include "random_plans.h"

/* A Hermitian matrix, by its lower triangle, or a tridiagonal one. */
static struct lava_operation eigen_of(enum lava_operation_kind kind, enum lava_type type, int64_t n) {
    struct lava_operation operation = product_of(type, type, n, n, n);
    operation.kind = kind;
    operation.a = operation.b = (struct lava_operand){0};
    if (!lava_operation_row(&operation)->of_tridiagonal)
        operation.c.region = LAVA_REGION_LOWER;
    return operation;
}

static struct lava_capabilities device_with_panels(void) {
    struct lava_capabilities device = device_h200();
    device.resident_groups = 132;
    device.group_exchange = true;
    return device;
}

/* From host memory to host memory, 16 cores, the best of several calls, ms (2026-11-28,
 * doc/notes/eigenvalues.md). */
static void test_estimates(void **state) {
    static const struct {
        enum lava_operation_kind kind;
        enum lava_type type;
        int64_t n;
        double ms;
    } measured[] = {
        {LAVA_OPERATION_EIGENVALUES, LAVA_TYPE_FP64, 256, 2.8},
        {LAVA_OPERATION_EIGENVALUES, LAVA_TYPE_FP64, 512, 5.2},
        {LAVA_OPERATION_EIGENVALUES, LAVA_TYPE_FP64, 1024, 10.7},
        {LAVA_OPERATION_EIGENVALUES, LAVA_TYPE_FP64, 2048, 26.4},
        {LAVA_OPERATION_EIGENVALUES, LAVA_TYPE_FP64, 4096, 95},
        {LAVA_OPERATION_EIGENVECTORS, LAVA_TYPE_FP64, 256, 3.8},
        {LAVA_OPERATION_EIGENVECTORS, LAVA_TYPE_FP64, 512, 6.8},
        {LAVA_OPERATION_EIGENVECTORS, LAVA_TYPE_FP64, 1024, 15.0},
        {LAVA_OPERATION_EIGENVECTORS, LAVA_TYPE_FP64, 2048, 40.5},
        {LAVA_OPERATION_EIGENVECTORS, LAVA_TYPE_FP64, 4096, 144},
        {LAVA_OPERATION_EIGENVECTORS, LAVA_TYPE_CFP64, 256, 5.2},
        {LAVA_OPERATION_EIGENVECTORS, LAVA_TYPE_CFP64, 512, 10.1},
        {LAVA_OPERATION_EIGENVECTORS, LAVA_TYPE_CFP64, 950, 23.2},
        {LAVA_OPERATION_EIGENVECTORS, LAVA_TYPE_CFP64, 2048, 71},
    };
    const struct lava_capabilities device = device_with_panels();
    (void)state;
    for (size_t i = 0; i < COUNT(measured); i++) {
        const struct lava_operation operation = eigen_of(measured[i].kind, measured[i].type, measured[i].n);
        double ms = choose(&operation, &device, LAVA_MODE_GPU, &none).gpu_ns / 1e6;
        print_message("%s of %s, %d: %.1f ms, measured %.1f\n", lava_kinds[measured[i].kind].text,
                      lava_type_name(measured[i].type), (int)measured[i].n, ms, measured[i].ms);
        assert_true(fabs(ms / measured[i].ms - 1) < 0.12);
        /* and so says whether a device is worth opening */
        assert_true(choose(&operation, lava_profiles_fastest(), LAVA_MODE_GPU, &none).gpu_ns / 1e6 == ms);
    }
}

/* More is done for vectors than for values, for a matrix than for a tridiagonal one, and for larger ones. */
static void test_order(void **state) {
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    static const enum lava_operation_kind kinds[][2] = {
        {LAVA_OPERATION_DIVIDE_VALUES, LAVA_OPERATION_EIGENVALUES},
        {LAVA_OPERATION_DIVIDE_VECTORS, LAVA_OPERATION_EIGENVECTORS},
        {LAVA_OPERATION_DIVIDE_VECTORS, LAVA_OPERATION_DIVIDE_TIMES},
        {LAVA_OPERATION_TRIDIAGONAL, LAVA_OPERATION_EIGENVECTORS}};
    const struct lava_capabilities device = device_with_panels();
    (void)state;
    for (size_t t = 0; t < COUNT(types); t++)
        for (size_t i = 0; i < COUNT(kinds); i++)
            for (int64_t n = 100; n < 20000; n = n * 3 / 2) {
                const struct lava_operation less = eigen_of(kinds[i][0], types[t], n),
                                            more = eigen_of(kinds[i][1], types[t], n),
                                            larger = eigen_of(kinds[i][0], types[t], n * 3 / 2);
                double ns = choose(&less, &device, LAVA_MODE_GPU, &none).gpu_ns;
                assert_true(ns > 0 && ns < choose(&more, &device, LAVA_MODE_GPU, &none).gpu_ns);
                assert_true(ns < choose(&larger, &device, LAVA_MODE_GPU, &none).gpu_ns);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_estimates), cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
