/* cost.c: times of given ways to compute a product, calculated by hand, and within bounds for all ways. */
#include "products.h"

#include <math.h>

#include "dispatch/cost.h"

/* One multiprocessor with one workgroup and memory that takes no time, for calculations by hand. */
static struct lava_estimate made_up(const struct lava_operation *operation,
                                    const struct lava_capabilities *device,
                                    const struct lava_blocking_limits *limits) {
    struct lava_estimate estimate = {
        .operation = operation,
        .device = device,
        .rates = {.call_latency_ns = 100e3,
                  .upload_bytes_per_s = 10e9,
                  .download_bytes_per_s = 10e9,
                  .memory_bytes_per_s = INFINITY},
        .multiprocessors = 1,
        .kernel = lava_kernels_find(operation->type == LAVA_TYPE_FP64 ? "fp64_128x128" : "fp32_128x128"),
        .row = {.kernel = "fp32_128x128",
                .flops_per_s = 1e12,
                .workgroups_per_multiprocessor = 1,
                .lone_share = 1}};
    assert_true(lava_blocking_plan(operation, estimate.kernel, limits, &estimate.blocking));
    return estimate;
}

static void assert_near(double ns, double expected) {
    if (!(fabs(ns - expected) <= 1e-9 * expected))
        fail_msg("%.17g is not %.17g", ns, expected);
}

static const struct lava_blocking_limits ample = {.memory_bytes = UINT64_C(1) << 34,
                                                  .max_buffer_bytes = UINT64_C(1) << 34};

/* Uploads run in order. A multiply begins 50 us after its inputs have arrived and the previous one has ended.
 * Downloads run after all uploads. The last 4 MiB are written back at the end. Checked with each of these as
 * the slow one. With parts, op(B) is half as much, and an epilogue is submitted. */
static void check_streamed(const struct lava_operation *operation) {
    const struct lava_capabilities device = device_h200();
    struct lava_blocking_limits limits = ample;
    limits.column_blocks = 2;
    struct lava_estimate estimate = made_up(operation, &device, &limits);
    double element = operation->type == LAVA_TYPE_FP64 ? 8 : 4, finish = operation->of_parts ? 100e3 / 32 : 0;
    assert_int_equal(estimate.blocking.blocks_n, 2);
    assert_int_equal(estimate.blocking.piece_m, 2048);
    /* Gbyte/s up and down, Tflop/s */
    static const double rates[][3] = {{10, 10, 1}, {10, 10, 100}, {1, 10, 10},
                                      {10, 1, 10}, {100, 100, 1}, {100, 100, 100}};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < COUNT(rates); i++) {
        estimate.rates.upload_bytes_per_s = rates[i][0] * 1e9;
        estimate.rates.download_bytes_per_s = rates[i][1] * 1e9;
        estimate.row.flops_per_s = rates[i][2] * 1e12;
        double a = 2048 * 1024 * element / rates[i][0], c = 2048 * 2048 * element / rates[i][1];
        double b = operation->of_parts ? a / 2 : a, start = 1.2 * 100e3;
        double multiply = 50e3 + 2.0 * 2048 * 2048 * 1024 / rates[i][2] / 1e3 + finish;
        double first_ns = start + b + a + multiply;
        double second_ns = fmax(first_ns, start + b + a + b) + multiply;
        double first_down_ns = fmax(first_ns, start + b + a + b) + c;
        double end_ns = fmax(first_down_ns, second_ns) + c + 4194304 / 70.0;
        assert_near(lava_cost_gpu_ns(&estimate), end_ns);
        least = fmin(least, end_ns);
        most = fmax(most, end_ns);
    }
    assert_true(most > 4 * least);
}

static void test_streamed_by_hand(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    const struct lava_operation operation = product(2048, 4096, 1024);
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    for (size_t t = 0; t < COUNT(types); t++) {
        bool is_complex = lava_type_is_complex(types[t]);
        const struct lava_operation given =
            product_of(types[t], types[t], 2048, is_complex ? 2048 : 4096, is_complex ? 512 : 1024);
        const struct lava_operation parts = lava_operation_of_parts(&given);
        check_streamed(&parts);
    }

    /* four M-chunks: all except the last are multiplied while others are on the bus */
    struct lava_blocking_limits limits = ample;
    limits.column_blocks = 1;
    limits.pieces = 4;
    struct lava_estimate estimate = made_up(&operation, &device, &limits);
    double piece = 50e3 + 2.0 * 512 * 4096 * 1024 / 1e3, up = 512 * 1024 * 4 / 10.0;
    double all_ns = 1.2 * 100e3 + 8 * up + up + 4 * piece + 16 * up + 4194304 / 70.0;
    assert_near(lava_cost_gpu_ns(&estimate), all_ns);
    estimate.row.flops_per_s = 100e12;
    piece = 50e3 + 2.0 * 512 * 4096 * 1024 / 100e3;
    all_ns = 1.2 * 100e3 + 8 * up + 4 * up + piece + 16 * up + 4194304 / 70.0;
    assert_near(lava_cost_gpu_ns(&estimate), all_ns);

    /* no more blocks are held, so the second multiply waits for the download of the first */
    limits = ample;
    limits.column_blocks = 4;
    estimate = made_up(&operation, &device, &limits);
    estimate.rates.download_bytes_per_s = 1e9;
    double held_ns = lava_cost_gpu_ns(&estimate);
    assert_int_equal(estimate.blocking.blocks_held, 4);
    estimate.blocking.blocks_held = 1;
    assert_true(lava_cost_gpu_ns(&estimate) > held_ns + 3 * 2.0 * 2048 * 1024 * 1024 / 1e3);
}

/* Only device memory takes time, 1 ns per byte: read the elements, write the packed operands, read the
 * planes, write the sums. Then the write-back. */
static void test_planes_by_hand(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    const struct lava_operation operation = product(1000, 512, 2000);
    /* bytes of an element that are packed, and that are read; K padded to its steps; in addition one exponent
     * word per 64 x 64 elements, 16 bytes per operand, and 12 us for the dispatches */
    const double screening = (16 + 8) * 32 * 4 + 2 * 16 + 12e3;
    const struct {
        const char *kernel;
        double packed, read, k, besides;
    } cases[] = {{"bf16x3_128x128", 10, 6, 2016, screening}, {"bf16x3_128x64", 10, 6, 2016, screening},
                 {"fp16x3_64x64", 10, 6, 2016, screening},   {"fp16x2_128x128", 8, 4, 2016, screening},
                 {"bf16x1_128x128", 2, 2, 2016, 0},          {"fp32_128x64", 4, 4, 2000, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lava_estimate estimate = made_up(&operation, &device, &ample);
        estimate.kernel = lava_kernels_find(cases[i].kernel);
        assert_true(lava_blocking_plan(&operation, estimate.kernel, &ample, &estimate.blocking));
        estimate.rates = (struct lava_rates){
            .upload_bytes_per_s = INFINITY, .download_bytes_per_s = INFINITY, .memory_bytes_per_s = 1e9};
        estimate.row.flops_per_s = INFINITY;
        estimate.at_once = true;
        double elements = (1000 + 512) * 2000, padded = (1024 + 512) * cases[i].k;
        double ns = elements * 4 + padded * (cases[i].packed + cases[i].read) + cases[i].besides +
                    1024 * 512 * 4 + 1000 * 512 * 4 / 70.0;
        assert_near(lava_cost_gpu_ns(&estimate), ns);
    }
}

/* The same for sums of fp64, with one slice or three that the epilogue reads. With parts there is always an
 * epilogue. */
static void test_wide_types_by_hand(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    const struct {
        enum lava_type type;
        double element, slices;
        bool parts;
    } cases[] = {{LAVA_TYPE_FP64, 8, 1, false}, {LAVA_TYPE_FP64, 8, 3, false}, {LAVA_TYPE_CFP32, 4, 1, true},
                 {LAVA_TYPE_CFP32, 4, 3, true}, {LAVA_TYPE_CFP64, 8, 1, true}, {LAVA_TYPE_CFP64, 8, 3, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool is_parts = cases[i].parts, finish = is_parts || cases[i].slices > 1;
        const struct lava_operation given =
            product_of(cases[i].type, cases[i].type, 1000, is_parts ? 256 : 512, is_parts ? 1000 : 2000);
        const struct lava_operation operation = lava_operation_of_parts(&given);
        struct lava_blocking_limits limits = ample;
        limits.split_k = (uint32_t)cases[i].slices;
        struct lava_estimate estimate = made_up(&operation, &device, &limits);
        estimate.rates = (struct lava_rates){
            .upload_bytes_per_s = INFINITY, .download_bytes_per_s = INFINITY, .memory_bytes_per_s = 1e9};
        estimate.row.flops_per_s = INFINITY;
        estimate.at_once = true;
        double elements = (1000 + 512) * 2000, packed = (1024 + 512) * 2000 * 2;
        double sums = 1024 * 512 * cases[i].slices, result = 1000 * 512;
        double finished = finish ? result * cases[i].slices + result : 0;
        double ns = (elements + packed + sums + finished + result / 70.0) * cases[i].element;
        assert_near(lava_cost_gpu_ns(&estimate), ns);
    }
}

/* Only the bus takes time: A, B and C as stored. At once, streamed, and as the lower bound. */
static void test_transfers_of_parts(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    for (int type = LAVA_TYPE_REAL_COUNT; type < LAVA_TYPE_COUNT; type++) {
        const struct lava_operation given =
            product_of((enum lava_type)type, (enum lava_type)type, 1000, 256, 2000);
        const struct lava_operation parts = lava_operation_of_parts(&given);
        struct lava_estimate estimate = made_up(&parts, &device, &ample);
        double element = type == LAVA_TYPE_CFP32 ? 8 : 16, c = 1000 * 256 * element;
        double ab = (1000 + 256) * 2000 * element;
        estimate.rates = (struct lava_rates){
            .upload_bytes_per_s = 1e9, .download_bytes_per_s = 0.5e9, .memory_bytes_per_s = INFINITY};
        estimate.row.flops_per_s = INFINITY;
        estimate.at_once = true;
        assert_near(lava_cost_gpu_ns(&estimate), ab + 2 * c + c / 70.0);
        estimate.at_once = false;
        assert_near(lava_cost_gpu_ns(&estimate), ab + 50e3 + 2 * c + fmin(c, 4194304) / 70.0);
        assert_near(lava_cost_least_ns(&parts, &estimate.rates, 0), ab + 2 * c);
        double arithmetic = 8e9 * 1000 * 256 * 2000 / 1e9;
        assert_near(lava_cost_least_ns(&parts, &estimate.rates, 1e9), arithmetic);
    }
}

/* A random way to stream a random product: split in any dimension, on a device of any speed. */
static struct lava_estimate random_way(uint64_t *random, struct lava_operation *operation,
                                       const struct lava_capabilities *device, bool *possible) {
    const struct lava_profile *profile = lava_profiles_find(device);
    const struct lava_device_figures unmeasured = {0};
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    struct lava_estimate estimate = {.operation = operation,
                                     .device = device,
                                     .rates = lava_cost_rates(profile, &unmeasured),
                                     .multiprocessors = 1 + (uint32_t)(random_next(random) % 200),
                                     .kernel = &table[random_next(random) % rows],
                                     .row = profile->kernels[random_next(random) % 3]};
    *operation =
        product_of(estimate.kernel->type, random_next(random) % 2 ? estimate.kernel->type : LAVA_TYPE_FP32,
                   operation->m, operation->n, operation->k);
    if (!lava_type_is_half(operation->type) && random_next(random) % 2) {
        operation->type = operation->c.type =
            operation->type == LAVA_TYPE_FP64 ? LAVA_TYPE_CFP64 : LAVA_TYPE_CFP32;
        *operation = lava_operation_of_parts(operation);
    }
    double *rates[] = {&estimate.rates.call_latency_ns, &estimate.rates.upload_bytes_per_s,
                       &estimate.rates.download_bytes_per_s, &estimate.rates.memory_bytes_per_s,
                       &estimate.row.flops_per_s};
    for (size_t i = 0; i < COUNT(rates); i++)
        *rates[i] *= exp2((double)(random_next(random) % 1000) / 125 - 4);
    uint64_t memory = UINT64_C(1) << (20 + random_next(random) % 16);
    const struct lava_blocking_limits limits = {
        .memory_bytes = memory,
        .max_buffer_bytes = memory,
        .column_blocks = (int64_t)(random_next(random) % 9),
        .later_parts = (int64_t)(random_next(random) % 5),
        .split_k = (uint32_t)(random_next(random) % 5),
        .piece_tiles = (uint32_t)(random_next(random) % 2 * 2 * estimate.multiprocessors)};
    *possible = lava_blocking_plan(operation, estimate.kernel, &limits, &estimate.blocking);
    return estimate;
}

/* The time is never below the larger of bus and arithmetic alone, for any number of blocks. A faster rate
 * never makes the same way slower. */
static void test_streamed_bounds(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    uint64_t random = random_seed();
    int tried = 0, cut = 0, many = 0, near = 0, parts = 0;
    for (int i = 0; i < 20000; i++) {
        struct lava_operation operation =
            product(random_size(&random, 60000), random_size(&random, 60000), random_size(&random, 60000));
        bool possible;
        struct lava_estimate estimate = random_way(&random, &operation, &device, &possible);
        if (!possible)
            continue;
        const struct lava_blocking *blocking = &estimate.blocking;
        double ns = lava_cost_gpu_ns(&estimate);
        double least = lava_cost_least_ns(&operation, &estimate.rates, estimate.row.flops_per_s);
        assert_true(isfinite(ns) && ns >= least);
        double *rates[] = {&estimate.rates.upload_bytes_per_s, &estimate.rates.download_bytes_per_s,
                           &estimate.rates.memory_bytes_per_s, &estimate.row.flops_per_s};
        for (size_t r = 0; r < COUNT(rates); r++) {
            double rate = *rates[r];
            *rates[r] *= 1.5;
            double faster_ns = lava_cost_gpu_ns(&estimate);
            *rates[r] = rate;
            assert_true(faster_ns <= ns * (1 + 1e-12) && faster_ns >= ns / 1.5 * (1 - 1e-12));
        }
        tried++;
        cut += blocking->blocks_m * blocking->blocks_n > 1;
        many += blocking->blocks_m * blocking->blocks_n * blocking->blocks_k > 200;
        near += ns < 1.3 * least;
        parts += operation.of_parts && ns < 1.3 * least;
    }
    print_message("%d ways, %d cut, %d in more than 200 blocks, %d near the least\n", tried, cut, many, near);
    assert_true(tried > 8000 && cut > 3000 && many > 500 && near > 500 && parts > 100);
}

/* Beyond the simulated length the estimate is extrapolated: twice the row blocks take twice the time. */
static void test_long_products_scale(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    const struct lava_blocking_limits limits = {
        .memory_bytes = UINT64_C(1) << 26, .max_buffer_bytes = UINT64_C(1) << 26, .column_blocks = 4};
    double before = 0;
    for (int64_t m = 2048; m <= 1 << 20; m *= 2) {
        struct lava_operation operation = product(m, 4096, 4096);
        struct lava_estimate estimate = made_up(&operation, &device, &limits);
        double ns = lava_cost_gpu_ns(&estimate);
        assert_true(estimate.blocking.blocks_m >= m / 2048);
        assert_true(before <= 0 || (ns > 1.9 * before && ns < 2.1 * before));
        before = ns;
    }
    /* along K */
    before = 0;
    for (int64_t k = 1 << 15; k <= 1 << 24; k *= 2) {
        struct lava_operation operation = product(1024, 1024, k);
        struct lava_estimate estimate = made_up(&operation, &device, &limits);
        double ns = lava_cost_gpu_ns(&estimate);
        assert_true(estimate.blocking.blocks_m * estimate.blocking.blocks_k > 1);
        assert_true(before <= 0 || (ns > 1.9 * before && ns < 2.1 * before));
        before = ns;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streamed_by_hand),   cmocka_unit_test(test_planes_by_hand),
        cmocka_unit_test(test_wide_types_by_hand), cmocka_unit_test(test_transfers_of_parts),
        cmocka_unit_test(test_streamed_bounds),    cmocka_unit_test(test_long_products_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
