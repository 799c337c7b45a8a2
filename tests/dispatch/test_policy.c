/* policy.c on made-up devices: places and reasons, types, overrides, purity, and the line of text. */
#include "products.h"

static void test_large_goes_to_the_gpu(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(8192, 8192, 8192);
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_AUTO, &none);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_int_equal(plan.reason, LAVA_REASON_PROFITABLE);
    assert_ptr_equal(plan.profile, lava_profiles_find(&device));
    assert_int_equal(plan.kernel->tile_m, 128);
    assert_true(plan.blocking.blocks_n >= 4); /* transfers overlap arithmetic */
    assert_true(plan.blocking.piece_m < plan.blocking.block_m);
    assert_false(plan.at_once);
    assert_int_equal(plan.blocking.split_k, 1);
    assert_true(plan.cpu_ns > 0.9e9 && plan.cpu_ns < 0.93e9); /* 2 * 8192^3 / 1.2e12 */
    /* no faster than arithmetic alone, at most twice arithmetic and bus */
    assert_true(plan.gpu_ns > 1e9 * lava_operation_flops(&operation) / plan.flops_per_s &&
                plan.gpu_ns < 60e6);
    operation.precision = LAVA_PRECISION_IEEE;
    plan = choose(&operation, &device, LAVA_MODE_AUTO, &none);
    assert_true(plan.gpu_ns > 23e6 && plan.gpu_ns < 60e6);
}

static void test_small_stays_on_the_cpu(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(256, 256, 256);
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_AUTO, &none);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    assert_int_equal(plan.reason, LAVA_REASON_UNPROFITABLE);
    assert_true(plan.gpu_ns > plan.cpu_ns && plan.cpu_ns > 0);
    assert_non_null(plan.kernel); /* the plan that `explain` shows */

    plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_int_equal(plan.reason, LAVA_REASON_FORCED);
    plan = choose(&operation, &device, LAVA_MODE_CPU, &none);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    assert_int_equal(plan.reason, LAVA_REASON_MODE_CPU);

    /* large, but a matrix times a vector: the bus costs more than the CPU's arithmetic */
    operation = product(16384, 1, 16384);
    assert_int_equal(choose(&operation, &device, LAVA_MODE_AUTO, &none).reason, LAVA_REASON_UNPROFITABLE);
}

/* An estimate within a fifth of the CPU's time is not enough to offload. */
static void test_margin(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(4096, 4096, 4096);
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_AUTO, &none);
    const double shares[] = {0.75, 0.79, 0.81, 0.99, 1.1}; /* GPU time / CPU time */
    for (size_t i = 0; i < COUNT(shares); i++) {
        struct lava_figures cpu = {.cpu.flops_per_s[LAVA_TYPE_FP32] =
                                       lava_operation_flops(&operation) * shares[i] / (plan.gpu_ns * 1e-9)};
        struct lava_plan other;
        lava_policy_choose(&operation, &device, &cpu, LAVA_MODE_AUTO, NULL, &other);
        assert_int_equal(other.place, shares[i] < 0.8 ? LAVA_PLACE_GPU : LAVA_PLACE_CPU);
    }
    struct lava_figures unknown = {0};
    lava_policy_choose(&operation, &device, &unknown, LAVA_MODE_AUTO, NULL, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    assert_true(plan.cpu_ns <= 0);
}

/* On a measured machine a twentieth is enough, but only if every figure that decides was measured. */
static void test_margin_of_measured_figures(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(3000, 4096, 5000);
    struct lava_figures measured = {.device = figures_like(&device, 1)};
    for (int type = 0; type < LAVA_TYPE_COUNT; type++)
        measured.cpu.flops_per_s[type] = 1e12;
    double gpu_ns = choose(&operation, &device, LAVA_MODE_GPU, &none).gpu_ns;
    const double shares[] = {0.79, 0.81, 0.94, 0.96, 1.1}; /* GPU time / CPU time */
    for (size_t i = 0; i < COUNT(shares); i++) {
        double flops_per_s = lava_operation_flops(&operation) * shares[i] / (gpu_ns * 1e-9);
        measure_cpu(&measured.cpu, flops_per_s);
        enum lava_place place = shares[i] < 0.95 ? LAVA_PLACE_GPU : LAVA_PLACE_CPU;
        assert_int_equal(choose_by(&measured, &operation, &device, LAVA_MODE_AUTO, &none).place, place);

        place = shares[i] < 0.8 ? LAVA_PLACE_GPU : LAVA_PLACE_CPU;
        struct lava_figures others[5] = {measured, measured, measured, measured, measured};
        others[0].device.call_latency_ns = 0;
        others[1].device.upload_bytes_per_s = 0;
        others[2].device.download_bytes_per_s = 0;
        others[3].cpu.product_ns[5][5][5] = 0; /* a neighbour */
        others[4].cpu = (struct lava_cpu_figures){.flops_per_s = {flops_per_s, 0, 0}};
        for (size_t o = 0; o < COUNT(others); o++)
            assert_int_equal(choose_by(&others[o], &operation, &device, LAVA_MODE_AUTO, &none).place, place);
    }
}

/* For other types the ratio to fp32 is expected, not measured. */
static void test_margin_of_other_types(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    struct lava_figures measured = {.device = figures_like(&device, 1)};
    for (int type = 0; type < LAVA_TYPE_COUNT; type++)
        measured.cpu.flops_per_s[type] = 1e12;
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        struct lava_operation operation =
            product_of((enum lava_type)type, (enum lava_type)type, 3000, 4096, 5000);
        double gpu_ns = choose(&operation, &device, LAVA_MODE_GPU, &none).gpu_ns;
        measure_cpu(&measured.cpu, lava_operation_flops(&operation) * 0.9 / (gpu_ns * 1e-9));
        assert_int_equal(choose_by(&measured, &operation, &device, LAVA_MODE_AUTO, &none).place,
                         type == LAVA_TYPE_FP32 ? LAVA_PLACE_GPU : LAVA_PLACE_CPU);
        measure_cpu(&measured.cpu, lava_operation_flops(&operation) * 0.79 / (gpu_ns * 1e-9));
        assert_int_equal(choose_by(&measured, &operation, &device, LAVA_MODE_AUTO, &none).place,
                         LAVA_PLACE_GPU);
    }
}

static void test_overlap(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(8192, 8192, 8192);
    operation.c.first = (void *)(uintptr_t)operation.b.first;
    const enum lava_mode modes[] = {LAVA_MODE_AUTO, LAVA_MODE_GPU};
    for (size_t i = 0; i < COUNT(modes); i++) {
        struct lava_plan plan = choose(&operation, &device, modes[i], &none);
        assert_int_equal(plan.place, LAVA_PLACE_CPU);
        assert_int_equal(plan.reason, LAVA_REASON_OVERLAP);
        assert_true(plan.gpu_ns <= 0 && plan.cpu_ns <= 0);
    }
    /* A's complex elements are twice as long as their parts */
    operation = product_of(LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, 8192, 8192, 8192);
    operation.c.first = (void *)((uintptr_t)operation.a.first + UINT64_C(8192) * 8192 * 8 - 8);
    assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_OVERLAP);
    operation.c.first = (void *)((uintptr_t)operation.a.first + UINT64_C(8192) * 8192 * 8);
    assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &none).reason, LAVA_REASON_FORCED);
}

static void test_no_row_fits(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(8192, 8192, 8192);
    device.max_shared_bytes = 4096;
    for (int mode = LAVA_MODE_AUTO; mode <= LAVA_MODE_GPU; mode += LAVA_MODE_GPU - LAVA_MODE_AUTO) {
        struct lava_plan plan = choose(&operation, &device, (enum lava_mode)mode, &none);
        assert_int_equal(plan.place, LAVA_PLACE_CPU);
        assert_int_equal(plan.reason, LAVA_REASON_NO_KERNEL);
        assert_null(plan.kernel);
    }
    device.max_shared_bytes = 16384; /* room for the smaller rows only */
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_AUTO, &none);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_true(lava_kernel_shared_bytes(plan.kernel) <= 16384);
    /* a requested row that does not fit is not replaced */
    struct lava_overrides overrides = {.kernel = lava_kernels_find("fp32_128x128")};
    plan = choose(&operation, &device, LAVA_MODE_GPU, &overrides);
    assert_int_equal(plan.place, LAVA_PLACE_CPU);
    assert_int_equal(plan.reason, LAVA_REASON_NO_KERNEL);
}

/* Two products go in halves of K if their packed operands exceed a buffer: those of all rows (fp64), or
 * those of planes, which are faster. */
static void test_halves_of_k(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    device.max_buffer_bytes = UINT64_C(0xffe00000); /* that of NVIDIA's driver */
    for (enum lava_type type = LAVA_TYPE_CFP32; type <= LAVA_TYPE_CFP64; type++) {
        struct lava_operation operation = product_of(type, type, 8192, 8192, 8192);
        operation.b.op = LAVA_OP_T;
        operation.twice = true;
        operation.c.region = LAVA_REGION_LOWER;
        struct lava_plan whole = choose(&operation, &device, LAVA_MODE_AUTO, &none);
        operation.k /= 2;
        struct lava_plan half = choose(&operation, &device, LAVA_MODE_AUTO, &none);
        assert_int_equal(whole.reason, LAVA_REASON_HALVES);
        assert_int_equal(whole.place, LAVA_PLACE_CPU);
        assert_null(whole.kernel);
        assert_int_equal(half.reason, LAVA_REASON_PROFITABLE);
        assert_true(whole.gpu_ns > 1.99 * half.gpu_ns && whole.gpu_ns < 2.01 * half.gpu_ns);
        assert_int_equal(half.kernel->scheme == LAVA_SCHEME_NONE, type == LAVA_TYPE_CFP64);
        /* not if the whole fits */
        device.max_buffer_bytes *= 2;
        operation.k *= 2;
        assert_int_equal(choose(&operation, &device, LAVA_MODE_AUTO, &none).reason, LAVA_REASON_PROFITABLE);
        device.max_buffer_bytes /= 2;
        char text[256];
        lava_policy_describe(&operation, &whole, text, sizeof text);
        assert_non_null(strstr(text, ": GPU (in halves of K"));
    }
}

static void test_memory(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(8192, 8192, 8192);
    struct lava_overrides overrides = {.memory_bytes = 4096};
    for (int mode = LAVA_MODE_AUTO; mode <= LAVA_MODE_GPU; mode += LAVA_MODE_GPU - LAVA_MODE_AUTO) {
        struct lava_plan plan = choose(&operation, &device, (enum lava_mode)mode, &overrides);
        assert_int_equal(plan.place, LAVA_PLACE_CPU);
        assert_int_equal(plan.reason, LAVA_REASON_MEMORY);
    }
    operation.twice = true;
    operation.c.region = LAVA_REGION_LOWER;
    assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &overrides).reason, LAVA_REASON_MEMORY);
    operation = product(8192, 8192, 8192);
    overrides.memory_bytes = 64 << 20;
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &overrides);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_true(plan.blocking.total_bytes <= 64 << 20);
    assert_true(plan.blocking.blocks_m * plan.blocking.blocks_n * plan.blocking.blocks_k > 4);
    /* the device's own limits apply if none is forced */
    device.memory_bytes = 100 << 20;
    device.max_buffer_bytes = 20 << 20;
    plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
    assert_true(plan.blocking.total_bytes <= 100 << 20 && plan.blocking.packed_a_bytes <= 20 << 20);
    /* smaller blocks, more transfers, more time */
    struct lava_capabilities ample = device_h200();
    assert_true(plan.gpu_ns > choose(&operation, &ample, LAVA_MODE_GPU, &none).gpu_ns);
}

static const struct lava_profile_kernel *figures_of(const struct lava_plan *plan) {
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && plan->profile->kernels[i].kernel; i++)
        if (strcmp(plan->profile->kernels[i].kernel, plan->kernel->name) == 0)
            return &plan->profile->kernels[i];
    fail_msg("%s does not list %s", plan->profile->label, plan->kernel->name);
    return NULL;
}

static void check_overrides(const struct lava_capabilities *device, const struct lava_kernel *row) {
    struct lava_operation operation = product_of(row->type, LAVA_TYPE_FP32, 2048, 16384, 2048);
    struct lava_overrides overrides = {.kernel = row,
                                       .order = 1 + LAVA_TILE_ORDER_HILBERT,
                                       .persistent = 2,
                                       .split_k = 3,
                                       .column_blocks = 2,
                                       .later_parts = 1};
    struct lava_plan plan = choose(&operation, device, LAVA_MODE_GPU, &overrides);
    if (!lava_kernel_fits(row, device, NULL)) {
        assert_int_equal(plan.place, LAVA_PLACE_CPU);
        assert_int_equal(plan.reason, LAVA_REASON_NO_KERNEL);
        return;
    }
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_ptr_equal(plan.kernel, row);
    assert_int_equal(plan.order, LAVA_TILE_ORDER_HILBERT);
    assert_true(plan.persistent && plan.resident_workgroups >= 1);
    assert_int_equal(plan.blocking.split_k, 3);
    assert_int_equal(plan.blocking.blocks_n, 2);
    assert_int_equal(plan.blocking.later_n, plan.blocking.block_n);
    overrides.later_parts = 4;
    plan = choose(&operation, device, LAVA_MODE_GPU, &overrides);
    assert_int_equal(plan.blocking.split_k, 3);
    assert_int_equal(plan.blocking.blocks_n, 5);
    assert_int_equal(plan.blocking.later_n * 4, plan.blocking.block_n);
    overrides.order = 1 + LAVA_TILE_ORDER_LINEAR;
    overrides.persistent = 1;
    overrides.split_k = 1;
    plan = choose(&operation, device, LAVA_MODE_GPU, &overrides);
    assert_int_equal(plan.order, LAVA_TILE_ORDER_LINEAR);
    assert_false(plan.persistent);
    assert_int_equal(plan.blocking.split_k, 1);
    /* listed in the profile or not */
    assert_true(plan.gpu_ns > 0 && plan.flops_per_s > 0);
    /* a requested row is not replaced by one of the product's type */
    operation.type = operation.c.type = row->type == LAVA_TYPE_FP32 ? LAVA_TYPE_FP64 : LAVA_TYPE_FP32;
    plan = choose(&operation, device, LAVA_MODE_GPU, &overrides);
    assert_int_equal(plan.reason, LAVA_REASON_NO_KERNEL);
}

/* A requested row computes complex products with parts of its type and no others. */
static void test_overrides_of_parts(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    size_t count;
    const struct lava_kernel *rows = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct lava_overrides overrides = {.kernel = &rows[i], .column_blocks = 1};
        for (int type = LAVA_TYPE_REAL_COUNT; type < LAVA_TYPE_COUNT; type++) {
            struct lava_operation operation =
                product_of((enum lava_type)type, (enum lava_type)type, 2048, 1024, 512);
            struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &overrides);
            bool serves = rows[i].type == (type == LAVA_TYPE_CFP32 ? LAVA_TYPE_FP32 : LAVA_TYPE_FP64);
            assert_int_equal(plan.reason, serves ? LAVA_REASON_FORCED : LAVA_REASON_NO_KERNEL);
            if (!serves)
                continue;
            assert_ptr_equal(plan.kernel, &rows[i]);
            assert_int_equal(plan.blocking.block_n, 2048);
            assert_int_equal(plan.blocking.block_k, 1024);
            assert_true(plan.blocking.epilogue);
        }
    }
}

static void test_overrides(void **state) {
    (void)state;
    const struct lava_capabilities devices[] = {device_h200(), device_lavapipe(), device_xe2(),
                                                device_rdna3()};
    size_t count;
    const struct lava_kernel *rows = lava_kernels_table(&count);
    for (size_t d = 0; d < COUNT(devices); d++) {
        for (size_t i = 0; i < count; i++)
            check_overrides(&devices[d], &rows[i]);
        struct lava_operation operation = product(2048, 4096, 2048);
        struct lava_plan plan = choose(&operation, &devices[d], LAVA_MODE_GPU, &none);
        assert_int_equal(plan.order, figures_of(&plan)->order);
        assert_int_equal(plan.persistent, figures_of(&plan)->persistent);
    }
    /* a row that the profile does not list is no faster than any listed row of its type */
    struct lava_capabilities unknown = device_h200();
    unknown.vendor_id = 0x1234;
    struct lava_operation operation = product(2048, 4096, 2048);
    struct lava_overrides overrides = {.kernel = lava_kernels_find("fp32_128x128_16x8")};
    struct lava_plan plan = choose(&operation, &unknown, LAVA_MODE_GPU, &overrides);
    assert_ptr_equal(plan.kernel, overrides.kernel);
    assert_true(plan.gpu_ns > 0);
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && plan.profile->kernels[i].kernel; i++)
        assert_true(lava_kernels_find(plan.profile->kernels[i].kernel)->type != LAVA_TYPE_FP32 ||
                    plan.flops_per_s <= plan.profile->kernels[i].flops_per_s);
}

/* Checks the row's matrices, if any, and that it serves the product or the product of its parts. */
static void check_kernel(const struct lava_plan *plan, const struct lava_operation *operation,
                         const struct lava_capabilities *device) {
    static const struct lava_matrix_shape simt;
    const struct lava_matrix_shape *shape = lava_kernel_shape(plan->kernel, device);
    const struct lava_operation parts = lava_operation_of_parts(operation);
    assert_int_equal(plan->kernel->type, parts.type);
    assert_true(lava_kernel_fits(plan->kernel, device, NULL));
    assert_true(lava_kernel_serves(plan->kernel, &parts));
    assert_memory_equal(&plan->shape, shape ? shape : &simt, sizeof plan->shape);
    assert_int_equal(plan->shape.m > 0, lava_type_is_half(lava_kernel_element_type(plan->kernel)));
}

/* A row of another type is never chosen. None is chosen exactly if the device can run none of the listed
 * ones. */
static void test_types(void **state) {
    (void)state;
    const struct lava_capabilities devices[] = {device_h200(), device_lavapipe(), device_xe2(),
                                                device_rdna3(), device_rdna2()};
    static const int64_t shapes[][3] = {{4096, 4096, 4096}, {4096, 1, 4096}, {17, 3000, 5}, {1, 1, 100000}};
    for (size_t d = 0; d < COUNT(devices); d++) {
        for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
            bool has = device_has(&devices[d], (enum lava_type)type);
            for (size_t i = 0; i < COUNT(shapes); i++) {
                struct lava_operation operation = product_of((enum lava_type)type, (enum lava_type)type,
                                                             shapes[i][0], shapes[i][1], shapes[i][2]);
                operation.precision = (enum lava_precision)(i % LAVA_PRECISION_COUNT);
                struct lava_plan plan = choose(&operation, &devices[d], LAVA_MODE_GPU, &none);
                assert_int_equal(plan.place, has ? LAVA_PLACE_GPU : LAVA_PLACE_CPU);
                assert_int_equal(plan.reason, has ? LAVA_REASON_FORCED : LAVA_REASON_NO_KERNEL);
                assert_int_equal(plan.kernel != NULL, has);
                double cpu_ns = lava_operation_flops(&operation) / sixteen_cores.cpu.flops_per_s[type] * 1e9;
                assert_true(plan.cpu_ns > 0.999 * cpu_ns && plan.cpu_ns < 1.001 * cpu_ns);
                if (has)
                    check_kernel(&plan, &operation, &devices[d]);
            }
        }
    }
    /* the devices differ: all have fp32, some lack fp16 or fp64, and lavapipe has no bf16 */
    assert_true(device_has(&devices[0], LAVA_TYPE_BF16) && device_has(&devices[1], LAVA_TYPE_FP16));
    assert_false(device_has(&devices[1], LAVA_TYPE_BF16) || device_has(&devices[4], LAVA_TYPE_FP16));
    assert_true(device_has(&devices[4], LAVA_TYPE_CFP64) && device_has(&devices[2], LAVA_TYPE_CFP32));
    assert_false(device_has(&devices[2], LAVA_TYPE_FP64) || device_has(&devices[2], LAVA_TYPE_CFP64));
}

static void test_pure(void **state) {
    (void)state;
    struct lava_capabilities devices[] = {device_h200(), device_lavapipe()};
    uint64_t random = random_seed();
    for (int i = 0; i < 2000; i++) {
        struct lava_operation operation =
            product(random_size(&random, 40000), random_size(&random, 40000), random_size(&random, 40000));
        set_random_types(&random, &operation);
        operation.precision = (enum lava_precision)(random_next(&random) % LAVA_PRECISION_COUNT);
        const struct lava_operation kept = operation;
        const struct lava_capabilities *device = &devices[i % 2];
        struct lava_overrides overrides = {.memory_bytes =
                                               i % 3 ? 0 : (uint64_t)random_size(&random, 1 << 30)};
        enum lava_mode mode = i % 5 ? LAVA_MODE_AUTO : LAVA_MODE_GPU;
        struct lava_plan one, other;
        memset(&one, 0x55, sizeof one);
        memset(&other, 0xaa, sizeof other);
        lava_policy_choose(&operation, device, &sixteen_cores, mode, &overrides, &one);
        lava_policy_choose(&operation, device, &sixteen_cores, mode, &overrides, &other);
        assert_int_equal(one.place, other.place);
        assert_int_equal(one.reason, other.reason);
        assert_ptr_equal(one.kernel, other.kernel);
        assert_memory_equal(&one.shape, &other.shape, sizeof one.shape);
        assert_ptr_equal(one.profile, other.profile);
        assert_memory_equal(&one.cpu_ns, &other.cpu_ns, sizeof one.cpu_ns);
        assert_memory_equal(&one.gpu_ns, &other.gpu_ns, sizeof one.gpu_ns);
        assert_int_equal(one.order, other.order);
        assert_int_equal(one.persistent, other.persistent);
        assert_int_equal(one.resident_workgroups, other.resident_workgroups);
        assert_memory_equal(&one.blocking, &other.blocking, sizeof one.blocking);
        assert_memory_equal(&operation, &kept, sizeof kept);
        if (one.place == LAVA_PLACE_GPU && one.reason == LAVA_REASON_PROFITABLE)
            assert_true(one.gpu_ns < one.cpu_ns);
    }
}

/* In auto mode lavapipe follows its estimates: any real CPU is faster. */
static void test_software_device(void **state) {
    (void)state;
    struct lava_capabilities device = device_lavapipe();
    struct lava_operation operation = product(2048, 2048, 2048);
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_AUTO, &none);
    assert_int_equal(plan.reason, LAVA_REASON_UNPROFITABLE);
    plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    struct lava_figures slow = {.cpu.flops_per_s[LAVA_TYPE_FP32] = 1e8};
    lava_policy_choose(&operation, &device, &slow, LAVA_MODE_AUTO, &none, &plan);
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
    struct lava_operation operation = product(8192, 4096, 2048);
    operation.b.op = LAVA_OP_T;
    operation.b.ld = 4096;
    operation.precision = LAVA_PRECISION_IEEE;
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_AUTO, &none);
    char text[1024], cut[64];
    lava_policy_describe(&operation, &plan, text, sizeof text);
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
    plan.persistent = true;
    plan.resident_workgroups = 77;
    lava_policy_describe(&operation, &plan, text, sizeof text);
    assert_non_null(strstr(text, ", 77 persistent workgroups, "));
    assert_null(strstr(text, "a workgroup per tile"));
    plan.persistent = false;
    lava_policy_describe(&operation, &plan, text, sizeof text);
    assert_non_null(strstr(text, ", a workgroup per tile, "));
    assert_null(strstr(text, "persistent"));

    for (size_t size = 1; size <= sizeof cut; size++) {
        memset(cut, 'x', sizeof cut);
        lava_policy_describe(&operation, &plan, cut, size);
        assert_int_equal(strlen(cut), size - 1);
        assert_memory_equal(cut, text, size - 1);
    }
    cut[0] = 'x';
    lava_policy_describe(&operation, &plan, cut, 0);
    assert_int_equal(cut[0], 'x');

    struct lava_plan early = {.reason = LAVA_REASON_STARTING};
    lava_policy_describe(&operation, &early, text, sizeof text);
    assert_string_equal(text, "fp32 NT m 8192 n 4096 k 2048: CPU (the device is still being prepared)");
}

/* Both widths are printed if there are two. */
static void test_describe_widths(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(8192, 8192, 8192);
    struct lava_overrides overrides = {.column_blocks = 4, .later_parts = 2};
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &overrides);
    char text[1024];
    lava_policy_describe(&operation, &plan, text, sizeof text);
    assert_non_null(strstr(text, ", 1 x 7 x 1 blocks of 8192 x 2048 (then 1024) x 8192, "));
    overrides.later_parts = 1;
    plan = choose(&operation, &device, LAVA_MODE_GPU, &overrides);
    lava_policy_describe(&operation, &plan, text, sizeof text);
    assert_non_null(strstr(text, ", 1 x 4 x 1 blocks of 8192 x 2048 x 8192, "));
}

static void test_describe_types(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = product_of(LAVA_TYPE_FP16, LAVA_TYPE_FP32, 4096, 4096, 4096);
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
    char text[512], expected[128];
    lava_policy_describe(&operation, &plan, text, sizeof text);
    print_message("%s\n", text);
    assert_true(strlen(text) < sizeof text - 1);
    assert_non_null(strstr(text, "fp16 -> fp32 NN m 4096 n 4096 k 4096: GPU"));
    snprintf(expected, sizeof expected, "kernel %s of 16x16x16, ", plan.kernel->name);
    assert_non_null(strstr(text, expected));

    device = device_lavapipe();
    operation = product_of(LAVA_TYPE_BF16, LAVA_TYPE_BF16, 4096, 4096, 4096);
    plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
    lava_policy_describe(&operation, &plan, text, sizeof text);
    assert_non_null(strstr(
        text, "bf16 -> bf16 NN m 4096 n 4096 k 4096: CPU (the device has no kernel for this type), CPU "));
    assert_null(strstr(text, "kernel bf16"));

    /* for a complex product its own sizes, and blocks of its parts */
    device = device_h200();
    operation = product_of(LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, 4096, 1024, 512);
    const struct lava_overrides whole = {.column_blocks = 1};
    plan = choose(&operation, &device, LAVA_MODE_GPU, &whole);
    lava_policy_describe(&operation, &plan, text, sizeof text);
    print_message("%s\n", text);
    assert_non_null(strstr(text, "cfp64 NN m 4096 n 1024 k 512: GPU ("));
    assert_non_null(strstr(text, " blocks of 4096 x 2048 x 1024, "));
    assert_non_null(strstr(text, "kernel fp64_"));
    assert_non_null(strstr(text, ", epilogue"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_goes_to_the_gpu),
        cmocka_unit_test(test_small_stays_on_the_cpu),
        cmocka_unit_test(test_margin),
        cmocka_unit_test(test_margin_of_measured_figures),
        cmocka_unit_test(test_margin_of_other_types),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_no_row_fits),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_halves_of_k),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_overrides_of_parts),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_pure),
        cmocka_unit_test(test_software_device),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_describe_widths),
        cmocka_unit_test(test_describe_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
