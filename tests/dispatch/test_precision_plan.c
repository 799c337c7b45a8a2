/* policy.c: the requested precision decides which rows may compute an fp32 product. */
#include "products.h"

#include <math.h>

#include "dispatch/schemes.h"

static struct lava_operation product_in(enum lava_precision precision, int64_t m, int64_t n, int64_t k) {
    struct lava_operation operation = product(m, n, k);
    operation.precision = precision;
    return operation;
}

static enum lava_scheme scheme_of(const struct lava_plan *plan) {
    assert_non_null(plan->kernel);
    return plan->kernel->scheme;
}

/* The fastest row of the profile that serves the product. */
static double best_listed(const struct lava_profile *profile, const struct lava_operation *operation) {
    const struct lava_operation parts = lava_operation_of_parts(operation);
    double best = 0;
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *row = lava_kernels_find(profile->kernels[i].kernel);
        if (row->type == parts.type && lava_scheme_serves(lava_scheme(row->scheme), &parts))
            best = fmax(best, profile->kernels[i].flops_per_s);
    }
    return best;
}

/* A device with bf16 matrices, on which three planes are faster than fp32 and one plane is faster still. */
static void test_precision_decides(void **state) {
    (void)state;
    static const struct {
        int64_t k;
        enum lava_scheme schemes[LAVA_PRECISION_COUNT];
    } cases[] = {
        {4096, {LAVA_SCHEME_BF16X3, LAVA_SCHEME_NONE, LAVA_SCHEME_BF16X1}},
        {128, {LAVA_SCHEME_BF16X3, LAVA_SCHEME_NONE, LAVA_SCHEME_BF16X1}},
        {127, {LAVA_SCHEME_NONE, LAVA_SCHEME_NONE, LAVA_SCHEME_BF16X1}},
    };
    const struct lava_capabilities device = device_h200();
    struct lava_figures figures = sixteen_cores;
    figures.device.upload_bytes_per_s = figures.device.download_bytes_per_s = 1e13; /* arithmetic decides */
    for (size_t c = 0; c < COUNT(cases); c++) {
        double ns[LAVA_PRECISION_COUNT];
        for (int precision = 0; precision < LAVA_PRECISION_COUNT; precision++) {
            struct lava_operation operation =
                product_in((enum lava_precision)precision, 4096, 4096, cases[c].k);
            struct lava_plan plan = choose_by(&figures, &operation, &device, LAVA_MODE_GPU, &none);
            assert_int_equal(scheme_of(&plan), cases[c].schemes[precision]);
            assert_true(lava_kernel_serves(plan.kernel, &operation));
            ns[precision] = plan.gpu_ns;
        }
        assert_true(ns[LAVA_PRECISION_FAST] < ns[LAVA_PRECISION_STANDARD]);
        if (cases[c].k >= 128)
            assert_true(ns[LAVA_PRECISION_STANDARD] < ns[LAVA_PRECISION_IEEE]);
        else
            assert_memory_equal(&ns[LAVA_PRECISION_STANDARD], &ns[LAVA_PRECISION_IEEE], sizeof *ns);
    }
    /* also with the profile's own figures, and at every size that is offloaded */
    for (int64_t size = 2048; size <= 16384; size *= 2) {
        struct lava_operation operation = product(size, size, size);
        struct lava_plan plan = choose(&operation, &device, LAVA_MODE_AUTO, &none);
        assert_int_equal(plan.reason, LAVA_REASON_PROFITABLE);
        assert_int_equal(scheme_of(&plan), LAVA_SCHEME_BF16X3);
    }
    /* half types and fp64 have rows of their own */
    static const enum lava_type others[] = {LAVA_TYPE_BF16, LAVA_TYPE_FP64};
    for (int precision = 0; precision < LAVA_PRECISION_COUNT; precision++)
        for (size_t i = 0; i < COUNT(others); i++) {
            struct lava_operation other = product_of(others[i], LAVA_TYPE_FP32, 4096, 4096, 4096);
            other.precision = (enum lava_precision)precision;
            struct lava_plan plan = choose(&other, &device, LAVA_MODE_GPU, &none);
            assert_int_equal(plan.kernel->type, others[i]);
            assert_int_equal(scheme_of(&plan), LAVA_SCHEME_NONE);
        }
}

/* The same for complex elements of fp32, whose sums have twice as many products as K. Those of fp64 are never
 * split. */
static void test_precision_of_parts(void **state) {
    (void)state;
    static const struct {
        int64_t k;
        enum lava_scheme schemes[LAVA_PRECISION_COUNT];
    } cases[] = {
        {4096, {LAVA_SCHEME_BF16X3, LAVA_SCHEME_NONE, LAVA_SCHEME_BF16X1}},
        {64, {LAVA_SCHEME_BF16X3, LAVA_SCHEME_NONE, LAVA_SCHEME_BF16X1}},
        {63, {LAVA_SCHEME_NONE, LAVA_SCHEME_NONE, LAVA_SCHEME_BF16X1}},
    };
    const struct lava_capabilities device = device_h200();
    struct lava_figures figures = sixteen_cores;
    figures.device.upload_bytes_per_s = figures.device.download_bytes_per_s = 1e13;
    for (size_t c = 0; c < COUNT(cases); c++)
        for (int precision = 0; precision < LAVA_PRECISION_COUNT; precision++) {
            struct lava_operation operation =
                product_of(LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, 4096, 4096, cases[c].k);
            operation.precision = (enum lava_precision)precision;
            struct lava_plan plan = choose_by(&figures, &operation, &device, LAVA_MODE_GPU, &none);
            assert_int_equal(scheme_of(&plan), cases[c].schemes[precision]);
            operation.type = operation.c.type = LAVA_TYPE_CFP64;
            plan = choose_by(&figures, &operation, &device, LAVA_MODE_GPU, &none);
            assert_int_equal(plan.kernel->type, LAVA_TYPE_FP64);
        }
}

/* Planes are not used without matrices, if the row's results were wrong, or if plain fp32 is faster. */
static void test_devices_decide(void **state) {
    (void)state;
    struct lava_capabilities devices[] = {device_h200(), device_h200(), device_lavapipe(), device_rdna2()};
    devices[0].shape_count = 3; /* only fp16 */
    size_t count;
    const struct lava_kernel *rows = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].scheme != LAVA_SCHEME_NONE)
            lava_kernel_refuse(&rows[i], &devices[1]);
    for (size_t d = 0; d < COUNT(devices); d++) {
        for (int precision = 0; precision < LAVA_PRECISION_COUNT; precision++) {
            struct lava_operation operation = product_in((enum lava_precision)precision, 4096, 4096, 4096);
            struct lava_plan plan = choose(&operation, &devices[d], LAVA_MODE_GPU, &none);
            assert_int_equal(plan.place, LAVA_PLACE_GPU);
            assert_int_equal(scheme_of(&plan), LAVA_SCHEME_NONE);
        }
    }
    /* measured to be slow: the fastest of the other rows is chosen */
    const struct lava_capabilities device = device_h200();
    struct lava_figures figures = sixteen_cores;
    for (size_t i = 0; i < count; i++)
        if (rows[i].scheme != LAVA_SCHEME_NONE)
            figures.device.flops_per_s[i] = 1e12;
    struct lava_operation operation = product(8192, 8192, 8192);
    struct lava_plan plan = choose_by(&figures, &operation, &device, LAVA_MODE_GPU, &none);
    assert_int_equal(scheme_of(&plan), LAVA_SCHEME_NONE);
}

/* A requested row runs with any precision and any length of sum, but never with another type. It is not
 * replaced by other rows of its scheme. */
static void test_forced_rows(void **state) {
    (void)state;
    static const int64_t lengths[] = {1, 127, 4096};
    const struct lava_capabilities device = device_h200();
    size_t count;
    const struct lava_kernel *rows = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct lava_overrides forced = {.kernel = &rows[i]};
        for (int precision = 0; precision < LAVA_PRECISION_COUNT; precision++)
            for (size_t l = 0; l < COUNT(lengths); l++) {
                struct lava_operation operation =
                    product_in((enum lava_precision)precision, 1000, 1000, lengths[l]);
                operation.type = operation.c.type = rows[i].type;
                struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &forced);
                assert_int_equal(plan.reason, LAVA_REASON_FORCED);
                assert_ptr_equal(plan.kernel, &rows[i]);
                operation.type = operation.c.type =
                    rows[i].type == LAVA_TYPE_FP32 ? LAVA_TYPE_BF16 : LAVA_TYPE_FP32;
                plan = choose(&operation, &device, LAVA_MODE_GPU, &forced);
                assert_int_equal(plan.reason, LAVA_REASON_NO_KERNEL);
            }
    }
    const struct lava_overrides forced = {.kernel = lava_kernels_find("bf16x3_all_128x128")};
    struct lava_operation operation = product(4096, 4096, 4096);
    const struct lava_capabilities without = device_rdna2();
    assert_int_equal(choose(&operation, &without, LAVA_MODE_GPU, &forced).reason, LAVA_REASON_NO_KERNEL);
}

/* The plan includes the memory that planes of A and B need. */
static void test_memory_of_planes(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(8192, 8192, 8192);
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
    assert_int_equal(scheme_of(&plan), LAVA_SCHEME_BF16X3);
    assert_true(plan.blocking.packed_a_bytes > UINT64_C(10) * 8192 * 8192);
    struct lava_overrides overrides = {.kernel = plan.kernel, .memory_bytes = 64 << 20};
    plan = choose(&operation, &device, LAVA_MODE_GPU, &overrides);
    assert_ptr_equal(plan.kernel, overrides.kernel);
    assert_true(plan.blocking.total_bytes <= 64 << 20);
    assert_true(plan.blocking.packed_a_bytes + 2 * plan.blocking.packed_b_bytes < 64 << 20);
}

static void assert_described(const struct lava_operation *operation, const struct lava_plan *plan,
                             const char *begin) {
    char text[512];
    lava_policy_describe(operation, plan, text, sizeof text);
    if (strncmp(text, begin, strlen(begin)) != 0)
        fail_msg("\"%s\" does not begin with \"%s\"", text, begin);
}

/* The scheme, if there is one, is printed on the device, and for `explain` on the CPU. */
static void test_describe_schemes(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    static const char *const begins[LAVA_PRECISION_COUNT] = {
        [LAVA_PRECISION_STANDARD] = "fp32 by bf16x3 NN m 8192 n 8192 k 8192: GPU (",
        [LAVA_PRECISION_IEEE] = "fp32 NN m 8192 n 8192 k 8192: GPU (",
        [LAVA_PRECISION_FAST] = "fp32 by bf16x1 NN m 8192 n 8192 k 8192: GPU ("};
    for (int precision = 0; precision < LAVA_PRECISION_COUNT; precision++) {
        struct lava_operation operation = product_in((enum lava_precision)precision, 8192, 8192, 8192);
        struct lava_plan plan = choose(&operation, &device, LAVA_MODE_AUTO, &none);
        assert_described(&operation, &plan, begins[precision]);
    }
    struct lava_operation operation = product(8192, 8192, 8192);
    struct lava_overrides forced = {.kernel = lava_kernels_find("fp16x2_all_128x128")};
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &forced);
    assert_described(&operation, &plan, "fp32 by fp16x2_all NN m 8192 ");
    operation = product(200, 200, 200);
    forced.kernel = lava_kernels_find("bf16x3_64x64");
    plan = choose(&operation, &device, LAVA_MODE_AUTO, &forced);
    assert_described(&operation, &plan, "fp32 by bf16x3 NN m 200 n 200 k 200: CPU (");
    const struct lava_plan unplanned = {.reason = LAVA_REASON_STARTING};
    assert_described(&operation, &unplanned, "fp32 NN m 200 n 200 k 200: CPU (");
}

/* If arithmetic decides, a CPU that takes `share` of the time of one precision's best row is too fast for
 * that precision and for all whose best row is slower, and for no other. */
static void check_hopeless(const struct lava_capabilities *device, enum lava_type type, int64_t k) {
    const struct lava_profile *profile = lava_profiles_find(device);
    for (int slower = 0; slower < LAVA_PRECISION_COUNT; slower++) {
        struct lava_operation operation = product_of(type, type, 16384, 16384, k);
        operation.precision = (enum lava_precision)slower;
        double rate = best_listed(profile, &operation);
        for (int near = 0; near < 2; near++) {
            double cpu_rate = rate * (near ? 0.81 : 0.79);
            struct lava_figures figures = {.device = {.call_latency_ns = 1e-3,
                                                      .upload_bytes_per_s = 1e18,
                                                      .download_bytes_per_s = 1e18,
                                                      .memory_bytes_per_s = 1e18}};
            figures.cpu.flops_per_s[type] = cpu_rate;
            for (int precision = 0; precision < LAVA_PRECISION_COUNT; precision++) {
                operation.precision = (enum lava_precision)precision;
                bool refused = lava_policy_is_hopeless(&operation, device, &figures, 1);
                assert_int_equal(refused, best_listed(profile, &operation) * 0.8 <= cpu_rate);
                struct lava_plan plan = choose_by(&figures, &operation, device, LAVA_MODE_AUTO, &none);
                assert_true(!refused || plan.reason == LAVA_REASON_UNPROFITABLE);
            }
        }
    }
}

static void test_hopeless_by_precision(void **state) {
    (void)state;
    const struct lava_capabilities devices[] = {device_h200(), device_lavapipe(), device_xe2()};
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    for (size_t d = 0; d < COUNT(devices); d++)
        for (size_t t = 0; t < COUNT(types); t++)
            if (device_has(&devices[d], types[t])) {
                check_hopeless(&devices[d], types[t], 16384);
                check_hopeless(&devices[d], types[t], 127);
                check_hopeless(&devices[d], types[t], 63);
            }
    /* three rates on the first device, and two if sums are short */
    const struct lava_profile *profile = lava_profiles_find(&devices[0]);
    double rates[2][LAVA_PRECISION_COUNT];
    for (int precision = 0; precision < LAVA_PRECISION_COUNT; precision++)
        for (int is_short = 0; is_short < 2; is_short++) {
            struct lava_operation operation =
                product_in((enum lava_precision)precision, 4096, 4096, is_short ? 127 : 128);
            rates[is_short][precision] = best_listed(profile, &operation);
        }
    assert_true(rates[0][LAVA_PRECISION_IEEE] < rates[0][LAVA_PRECISION_STANDARD]);
    assert_true(rates[0][LAVA_PRECISION_STANDARD] < rates[0][LAVA_PRECISION_FAST]);
    assert_true(rates[1][LAVA_PRECISION_STANDARD] <= rates[1][LAVA_PRECISION_IEEE]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_precision_decides),     cmocka_unit_test(test_precision_of_parts),
        cmocka_unit_test(test_devices_decide),        cmocka_unit_test(test_forced_rows),
        cmocka_unit_test(test_memory_of_planes),      cmocka_unit_test(test_describe_schemes),
        cmocka_unit_test(test_hopeless_by_precision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
