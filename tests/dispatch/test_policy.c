/* policy.c on made-up devices: places and reasons, overrides, purity, and estimates that move the right way.
 */
#include "devices.h"

#include "dispatch/policy.h"

static const struct lava_cpu_figures sixteen_cores = {.flops_per_s_fp32 = 1.2e12};
static const struct lava_overrides none;

/* Addresses far apart: no product of these tests overlaps unless it says so. */
static struct lava_problem product(int64_t m, int64_t n, int64_t k) {
    return (struct lava_problem){.m = m,
                                 .n = n,
                                 .k = k,
                                 .lda = m,
                                 .ldb = k,
                                 .ldc = m,
                                 .alpha = 1,
                                 .a = (const void *)(uintptr_t)0x100000000000,
                                 .b = (const void *)(uintptr_t)0x300000000000,
                                 .c = (void *)(uintptr_t)0x500000000000};
}

static struct lava_plan choose(const struct lava_problem *problem, const struct lava_capabilities *device,
                               enum lava_mode mode, const struct lava_overrides *overrides) {
    struct lava_plan plan;
    memset(&plan, 0x5a, sizeof plan);
    lava_policy_choose(problem, device, &sixteen_cores, mode, overrides, &plan);
    return plan;
}

static void test_large_goes_to_the_gpu(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_problem problem = product(8192, 8192, 8192);
    struct lava_plan plan = choose(&problem, &device, LAVA_MODE_AUTO, &none);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_int_equal(plan.reason, LAVA_REASON_PROFITABLE);
    assert_ptr_equal(plan.profile, lava_profiles_find(&device));
    assert_string_equal(plan.kernel->name, "fp32_128x128_16x8");
    assert_int_equal(plan.resident_workgroups, 264);
    assert_int_equal(plan.blocking.blocks_n, 4);
    assert_int_equal(plan.blocking.split_k, 1);
    assert_true(plan.cpu_ns > 0.9e9 && plan.cpu_ns < 0.93e9); /* 2 * 8192^3 / 1.2e12 */
    /* no faster than arithmetic alone, at most twice that and the bus */
    assert_true(plan.gpu_ns > 27e6 && plan.gpu_ns < 60e6);
}

/* One block: nothing overlaps, so its time is at least the sum of its parts at the profile's rates. */
static void test_one_block_is_the_sum(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_problem problem = product(2048, 2048, 2048);
    const struct lava_overrides uncut = {.column_blocks = 1};
    struct lava_plan plan = choose(&problem, &device, LAVA_MODE_GPU, &uncut);
    assert_int_equal(plan.blocking.blocks_m * plan.blocking.blocks_n * plan.blocking.blocks_k, 1);
    double bytes = 2048.0 * 2048.0 * 4.0, fastest = plan.profile->kernels[0].flops_per_s;
    double sum = plan.profile->call_latency_ns + 2e9 * bytes / plan.profile->upload_bytes_per_s +
                 1e9 * bytes / plan.profile->download_bytes_per_s +
                 1e9 * lava_problem_flops(&problem) / fastest;
    assert_true(plan.gpu_ns >= sum && plan.gpu_ns < 1.25 * sum);
}

static void test_small_stays_on_the_cpu(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_problem problem = product(256, 256, 256);
    struct lava_plan plan = choose(&problem, &device, LAVA_MODE_AUTO, &none);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    assert_int_equal(plan.reason, LAVA_REASON_UNPROFITABLE);
    assert_true(plan.gpu_ns > plan.cpu_ns && plan.cpu_ns > 0);
    assert_non_null(plan.kernel); /* the plan it would have been, for `explain` */

    plan = choose(&problem, &device, LAVA_MODE_GPU, &none);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_int_equal(plan.reason, LAVA_REASON_FORCED);
    plan = choose(&problem, &device, LAVA_MODE_CPU, &none);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    assert_int_equal(plan.reason, LAVA_REASON_MODE_CPU);

    /* large, but a matrix times a vector: the bus costs more than the CPU's arithmetic */
    problem = product(16384, 1, 16384);
    assert_int_equal(choose(&problem, &device, LAVA_MODE_AUTO, &none).reason, LAVA_REASON_UNPROFITABLE);
}

/* An estimate within a fifth of the CPU's is no reason to leave it. */
static void test_margin(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_problem problem = product(4096, 4096, 4096);
    struct lava_plan plan = choose(&problem, &device, LAVA_MODE_AUTO, &none);
    const double shares[] = {0.75, 0.79, 0.81, 0.99, 1.1}; /* GPU time / CPU time */
    for (size_t i = 0; i < COUNT(shares); i++) {
        struct lava_cpu_figures cpu = {lava_problem_flops(&problem) * shares[i] / (plan.gpu_ns * 1e-9)};
        struct lava_plan other;
        lava_policy_choose(&problem, &device, &cpu, LAVA_MODE_AUTO, NULL, &other);
        assert_int_equal(other.place, shares[i] < 0.8 ? LAVA_PLACE_GPU : LAVA_PLACE_CPU);
    }
    struct lava_cpu_figures unknown = {0};
    lava_policy_choose(&problem, &device, &unknown, LAVA_MODE_AUTO, NULL, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    assert_true(plan.cpu_ns <= 0);
}

static void test_overlap(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_problem problem = product(8192, 8192, 8192);
    problem.c = (void *)(uintptr_t)problem.b;
    const enum lava_mode modes[] = {LAVA_MODE_AUTO, LAVA_MODE_GPU};
    for (size_t i = 0; i < COUNT(modes); i++) {
        struct lava_plan plan = choose(&problem, &device, modes[i], &none);
        assert_int_equal(plan.place, LAVA_PLACE_CPU);
        assert_int_equal(plan.reason, LAVA_REASON_OVERLAP);
        assert_true(plan.gpu_ns <= 0 && plan.cpu_ns <= 0);
    }
}

static void test_no_row_fits(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_problem problem = product(8192, 8192, 8192);
    device.max_shared_bytes = 4096;
    for (int mode = LAVA_MODE_AUTO; mode <= LAVA_MODE_GPU; mode += LAVA_MODE_GPU - LAVA_MODE_AUTO) {
        struct lava_plan plan = choose(&problem, &device, (enum lava_mode)mode, &none);
        assert_int_equal(plan.place, LAVA_PLACE_CPU);
        assert_int_equal(plan.reason, LAVA_REASON_NO_DEVICE);
        assert_null(plan.kernel);
    }
    device.max_shared_bytes = 16384; /* room for the smaller rows only */
    struct lava_plan plan = choose(&problem, &device, LAVA_MODE_AUTO, &none);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_true(lava_kernel_shared_bytes(plan.kernel) <= 16384);
    /* a row that was asked for and does not fit is not replaced by another */
    struct lava_overrides overrides = {.kernel = lava_kernels_find("fp32_128x128")};
    plan = choose(&problem, &device, LAVA_MODE_GPU, &overrides);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    assert_int_equal(plan.reason, LAVA_REASON_NO_DEVICE);
}

static void test_memory(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_problem problem = product(8192, 8192, 8192);
    struct lava_overrides overrides = {.memory_bytes = 4096};
    for (int mode = LAVA_MODE_AUTO; mode <= LAVA_MODE_GPU; mode += LAVA_MODE_GPU - LAVA_MODE_AUTO) {
        struct lava_plan plan = choose(&problem, &device, (enum lava_mode)mode, &overrides);
        assert_int_equal(plan.place, LAVA_PLACE_CPU);
        assert_int_equal(plan.reason, LAVA_REASON_MEMORY);
    }
    overrides.memory_bytes = 64 << 20;
    struct lava_plan plan = choose(&problem, &device, LAVA_MODE_GPU, &overrides);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_true(plan.blocking.total_bytes <= 64 << 20);
    assert_true(plan.blocking.blocks_m * plan.blocking.blocks_n * plan.blocking.blocks_k > 4);
    /* the device's own limits count where none is forced */
    device.memory_bytes = 100 << 20;
    device.max_buffer_bytes = 20 << 20;
    plan = choose(&problem, &device, LAVA_MODE_GPU, &none);
    assert_true(plan.blocking.total_bytes <= 100 << 20 && plan.blocking.packed_a_bytes <= 20 << 20);
    /* smaller blocks, more transfers, more time */
    struct lava_capabilities ample = device_h200();
    assert_true(plan.gpu_ns > choose(&problem, &ample, LAVA_MODE_GPU, &none).gpu_ns);
}

static void test_overrides(void **state) {
    (void)state;
    struct lava_capabilities devices[] = {device_h200(), device_lavapipe()};
    struct lava_problem problem = product(2048, 4096, 2048);
    size_t count;
    const struct lava_kernel *rows = lava_kernels_table(&count);
    for (size_t d = 0; d < COUNT(devices); d++) {
        for (size_t i = 0; i < count; i++) {
            struct lava_overrides overrides = {.kernel = &rows[i],
                                               .schedule = 1 + LAVA_SCHEDULE_HILBERT,
                                               .persistent = 2,
                                               .split_k = 3,
                                               .column_blocks = 2};
            struct lava_plan plan = choose(&problem, &devices[d], LAVA_MODE_GPU, &overrides);
            assert_int_equal(plan.place, LAVA_PLACE_GPU);
            assert_ptr_equal(plan.kernel, &rows[i]);
            assert_int_equal(plan.schedule, LAVA_SCHEDULE_HILBERT);
            assert_true(plan.persistent && plan.resident_workgroups >= 1);
            assert_int_equal(plan.blocking.split_k, 3);
            assert_int_equal(plan.blocking.blocks_n, 2);
            overrides.schedule = 1 + LAVA_SCHEDULE_LINEAR;
            overrides.persistent = 1;
            overrides.split_k = 1;
            plan = choose(&problem, &devices[d], LAVA_MODE_GPU, &overrides);
            assert_int_equal(plan.schedule, LAVA_SCHEDULE_LINEAR);
            assert_false(plan.persistent);
            assert_int_equal(plan.blocking.split_k, 1);
        }
        struct lava_plan plan = choose(&problem, &devices[d], LAVA_MODE_GPU, &none);
        assert_int_equal(plan.schedule, plan.profile->schedule);
        assert_int_equal(plan.persistent, plan.profile->persistent);
    }
    /* a row that the profile does not list still has an estimate */
    struct lava_capabilities unknown = device_h200();
    unknown.vendor_id = 0x1234;
    struct lava_overrides overrides = {.kernel = lava_kernels_find("fp32_128x128_16x8")};
    struct lava_plan plan = choose(&problem, &unknown, LAVA_MODE_GPU, &overrides);
    assert_ptr_equal(plan.kernel, overrides.kernel);
    assert_true(plan.gpu_ns > 0);
}

/* A tall or a deep product: small tiles or a split K where the device would be idle, neither where it is
 * full. */
static void test_split_and_tiles_follow_the_shape(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_problem deep = product(512, 512, 65536), square = product(8192, 8192, 8192);
    struct lava_problem middle = product(1024, 1024, 1024);
    struct lava_plan plan = choose(&deep, &device, LAVA_MODE_GPU, &none);
    assert_true(plan.blocking.split_k > 1 && plan.blocking.finish);
    struct lava_overrides overrides = {.split_k = 1};
    assert_true(plan.gpu_ns < choose(&deep, &device, LAVA_MODE_GPU, &overrides).gpu_ns);
    assert_int_equal(choose(&square, &device, LAVA_MODE_GPU, &none).blocking.split_k, 1);
    /* 64 tiles of 128 x 128 leave half of 132 multiprocessors idle */
    plan = choose(&middle, &device, LAVA_MODE_GPU, &none);
    assert_true(plan.kernel->tile_m * plan.kernel->tile_n < 128 * 128 || plan.blocking.split_k > 1);
}

/* More work is never estimated to take much less time: the steps of tiles, waves and choices stay below a
 * tenth. */
static void test_estimates_grow(void **state) {
    (void)state;
    struct lava_capabilities devices[] = {device_h200(), device_lavapipe()};
    for (size_t d = 0; d < COUNT(devices); d++) {
        for (int along = 0; along < 4; along++) {
            double before = 0, half = 0;
            for (int64_t size = 128; size <= 16384; size += size / 16) {
                struct lava_problem problem =
                    product(along == 0 || along == 3 ? size : 2048, along == 1 || along == 3 ? size : 2048,
                            along == 2 || along == 3 ? size : 2048);
                struct lava_plan plan = choose(&problem, &devices[d], LAVA_MODE_GPU, &none);
                assert_true(plan.gpu_ns > 0 && plan.cpu_ns > 0);
                /* a further column block, where it becomes possible, overlaps more: the only step down */
                assert_true(plan.gpu_ns > 0.85 * before);
                if ((size & (size - 1)) == 0) {
                    assert_true(plan.gpu_ns > half);
                    half = plan.gpu_ns;
                }
                before = plan.gpu_ns;
            }
        }
    }
}

/* A faster bus, processor or link never makes a plan slower: checked through the profile's own formula by
 * size. */
static void test_more_multiprocessors_are_not_slower(void **state) {
    (void)state;
    struct lava_problem problem = product(512, 512, 512);
    struct lava_capabilities device = device_h200();
    device.max_workgroups = 1; /* hardly a device */
    double one = choose(&problem, &device, LAVA_MODE_GPU, &none).gpu_ns;
    assert_int_equal(choose(&problem, &device, LAVA_MODE_GPU, &none).resident_workgroups, 1);
    device = device_h200();
    assert_true(choose(&problem, &device, LAVA_MODE_GPU, &none).gpu_ns <= one);
    device.multiprocessors = 0; /* the driver does not tell: the profile does */
    struct lava_plan told = choose(&problem, &device, LAVA_MODE_GPU, &none);
    device.multiprocessors = 132;
    struct lava_plan known = choose(&problem, &device, LAVA_MODE_GPU, &none);
    assert_int_equal(told.resident_workgroups, known.resident_workgroups);
}

static void test_pure(void **state) {
    (void)state;
    struct lava_capabilities devices[] = {device_h200(), device_lavapipe()};
    uint64_t random = random_seed();
    for (int i = 0; i < 2000; i++) {
        struct lava_problem problem =
            product(random_size(&random, 40000), random_size(&random, 40000), random_size(&random, 40000));
        const struct lava_problem kept = problem;
        const struct lava_capabilities *device = &devices[i % 2];
        struct lava_overrides overrides = {.memory_bytes =
                                               i % 3 ? 0 : (uint64_t)random_size(&random, 1 << 30)};
        enum lava_mode mode = i % 5 ? LAVA_MODE_AUTO : LAVA_MODE_GPU;
        struct lava_plan one, other;
        memset(&one, 0x55, sizeof one);
        memset(&other, 0xaa, sizeof other);
        lava_policy_choose(&problem, device, &sixteen_cores, mode, &overrides, &one);
        lava_policy_choose(&problem, device, &sixteen_cores, mode, &overrides, &other);
        assert_int_equal(one.place, other.place);
        assert_int_equal(one.reason, other.reason);
        assert_ptr_equal(one.kernel, other.kernel);
        assert_ptr_equal(one.profile, other.profile);
        assert_memory_equal(&one.cpu_ns, &other.cpu_ns, sizeof one.cpu_ns);
        assert_memory_equal(&one.gpu_ns, &other.gpu_ns, sizeof one.gpu_ns);
        assert_int_equal(one.schedule, other.schedule);
        assert_int_equal(one.persistent, other.persistent);
        assert_int_equal(one.resident_workgroups, other.resident_workgroups);
        assert_memory_equal(&one.blocking, &other.blocking, sizeof one.blocking);
        assert_memory_equal(&problem, &kept, sizeof kept);
        if (one.place == LAVA_PLACE_GPU && one.reason == LAVA_REASON_PROFITABLE)
            assert_true(one.gpu_ns < one.cpu_ns);
    }
}

/* The short cut never refuses what the search would have sent, and spares it where the device is far behind.
 */
static void test_hopeless_is_unprofitable(void **state) {
    (void)state;
    struct lava_capabilities devices[] = {device_h200(), device_lavapipe()};
    uint64_t random = random_seed();
    int hopeless = 0, sent = 0;
    for (int i = 0; i < 3000; i++) {
        struct lava_problem problem =
            product(random_size(&random, 4000), random_size(&random, 4000), random_size(&random, 4000));
        struct lava_plan plan = choose(&problem, &devices[i % 2], LAVA_MODE_AUTO, &none);
        bool refused = lava_policy_is_hopeless(&problem, &devices[i % 2], &sixteen_cores);
        assert_true(!refused || plan.place == LAVA_PLACE_CPU);
        hopeless += refused;
        sent += plan.place == LAVA_PLACE_GPU;
    }
    assert_true(hopeless > 1000 && sent > 20);
    struct lava_problem small = product(500, 500, 500);
    assert_true(lava_policy_is_hopeless(&small, &devices[1], &sixteen_cores));
    const struct lava_cpu_figures unknown = {0};
    assert_true(lava_policy_is_hopeless(&small, &devices[0], &unknown));
}

/* lavapipe in auto mode follows its estimates: any real CPU is faster. */
static void test_software_device(void **state) {
    (void)state;
    struct lava_capabilities device = device_lavapipe();
    struct lava_problem problem = product(2048, 2048, 2048);
    struct lava_plan plan = choose(&problem, &device, LAVA_MODE_AUTO, &none);
    assert_int_equal(plan.reason, LAVA_REASON_UNPROFITABLE);
    plan = choose(&problem, &device, LAVA_MODE_GPU, &none);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    struct lava_cpu_figures slow = {.flops_per_s_fp32 = 1e8};
    lava_policy_choose(&problem, &device, &slow, LAVA_MODE_AUTO, &none, &plan);
    assert_int_equal(plan.reason, LAVA_REASON_PROFITABLE);
}

static void test_texts(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_REASON_COUNT; i++) {
        const char *text = lava_reason_text((enum lava_reason)i);
        assert_non_null(text);
        assert_true(strlen(text) > 4);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(text, lava_reason_text((enum lava_reason)j));
    }
    assert_string_equal(lava_reason_text(LAVA_REASON_COUNT), "unknown");
}

static void test_describe(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_problem problem = product(8192, 4096, 2048);
    problem.op_b = LAVA_OP_T;
    problem.ldb = 4096;
    struct lava_plan plan = choose(&problem, &device, LAVA_MODE_AUTO, &none);
    char text[1024], cut[64];
    lava_policy_describe(&problem, &plan, text, sizeof text);
    print_message("%s\n", text);
    const char *const words[] = {"fp32 NT m 8192 n 4096 k 2048: GPU",
                                 lava_reason_text(plan.reason),
                                 plan.kernel->name,
                                 "grouped",
                                 "NVIDIA H200",
                                 "CPU 1",
                                 "GPU ",
                                 "blocks of"};
    for (size_t i = 0; i < COUNT(words); i++)
        assert_non_null(strstr(text, words[i]));
    assert_null(strchr(text, '\n'));

    for (size_t size = 1; size <= sizeof cut; size++) {
        memset(cut, 'x', sizeof cut);
        lava_policy_describe(&problem, &plan, cut, size);
        assert_int_equal(strlen(cut), size - 1);
        assert_memory_equal(cut, text, size - 1);
    }
    cut[0] = 'x';
    lava_policy_describe(&problem, &plan, cut, 0);
    assert_int_equal(cut[0], 'x');

    struct lava_plan early = {.reason = LAVA_REASON_STARTING};
    lava_policy_describe(&problem, &early, text, sizeof text);
    assert_string_equal(text, "fp32 NT m 8192 n 4096 k 2048: CPU (the device is still being prepared)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_goes_to_the_gpu),
        cmocka_unit_test(test_one_block_is_the_sum),
        cmocka_unit_test(test_small_stays_on_the_cpu),
        cmocka_unit_test(test_margin),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_no_row_fits),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_split_and_tiles_follow_the_shape),
        cmocka_unit_test(test_estimates_grow),
        cmocka_unit_test(test_more_multiprocessors_are_not_slower),
        cmocka_unit_test(test_pure),
        cmocka_unit_test(test_hopeless_is_unprofitable),
        cmocka_unit_test(test_software_device),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_describe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
