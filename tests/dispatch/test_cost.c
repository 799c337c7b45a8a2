/* policy.c's estimates on made-up devices: no better than bus, memory and arithmetic allow, growing with the
 * work; and the choice of row and split that follows from them. */
#include "products.h"

#include <math.h>

#include "dispatch/cost.h"

/* With one block nothing overlaps, so its time is at least the sum of its stages at the profile's rates. */
static void test_one_block_is_the_sum(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(2048, 2048, 2048);
    const struct lava_overrides uncut = {.column_blocks = 1, .pieces = 1};
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &uncut);
    assert_int_equal(plan.blocking.blocks_m * plan.blocking.blocks_n * plan.blocking.blocks_k, 1);
    double bytes = 2048.0 * 2048.0 * 4.0, fastest = plan.profile->kernels[0].flops_per_s;
    double sum = plan.profile->call_latency_ns + 2e9 * bytes / plan.profile->upload_bytes_per_s +
                 1e9 * bytes / plan.profile->download_bytes_per_s +
                 1e9 * lava_operation_flops(&operation) / fastest;
    assert_true(plan.gpu_ns >= sum && plan.gpu_ns < 1.25 * sum);
}

/* Half types: half the bytes up, half the bytes down if C is half and nothing is added to it on the host,
 * more flop/s. */
static void test_half_types_take_less(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_operation single = product(4096, 4096, 4096);
    double fp32_ns = choose(&single, &device, LAVA_MODE_GPU, &none).gpu_ns;
    static const enum lava_type half_types[] = {LAVA_TYPE_FP16, LAVA_TYPE_BF16};
    for (size_t i = 0; i < COUNT(half_types); i++) {
        struct lava_operation wide = product_of(half_types[i], LAVA_TYPE_FP32, 4096, 4096, 4096);
        struct lava_operation narrow = product_of(half_types[i], half_types[i], 4096, 4096, 4096);
        double wide_ns = choose(&wide, &device, LAVA_MODE_GPU, &none).gpu_ns;
        double narrow_ns = choose(&narrow, &device, LAVA_MODE_GPU, &none).gpu_ns;
        assert_true(wide_ns < fp32_ns && narrow_ns < wide_ns);
        struct lava_plan plan = choose(&narrow, &device, LAVA_MODE_AUTO, &none);
        assert_int_equal(plan.reason, LAVA_REASON_PROFITABLE);
        double cpu_ns = 1e9 * lava_operation_flops(&narrow) / sixteen_cores.cpu.flops_per_s[half_types[i]];
        assert_memory_equal(&plan.cpu_ns, &cpu_ns, sizeof cpu_ns);
        narrow.beta.real = wide.beta.real = 1;
        wide_ns = choose(&wide, &device, LAVA_MODE_GPU, &none).gpu_ns;
        narrow_ns = choose(&narrow, &device, LAVA_MODE_GPU, &none).gpu_ns;
        assert_memory_equal(&wide_ns, &narrow_ns, sizeof wide_ns);
    }
}

/* fp64: twice the bytes and about half the flop/s. Complex types: four times the flops, by the same rows. */
static void test_wide_types_take_more(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    static const enum lava_type types[][2] = {{LAVA_TYPE_FP32, LAVA_TYPE_FP64},
                                              {LAVA_TYPE_FP32, LAVA_TYPE_CFP32},
                                              {LAVA_TYPE_FP64, LAVA_TYPE_CFP64},
                                              {LAVA_TYPE_CFP32, LAVA_TYPE_CFP64}};
    for (size_t i = 0; i < COUNT(types); i++)
        for (int64_t size = 256; size <= 8192; size *= 2) {
            struct lava_operation narrow = product_of(types[i][0], types[i][0], size, size, size);
            struct lava_operation wide = product_of(types[i][1], types[i][1], size, size, size);
            narrow.precision = wide.precision = LAVA_PRECISION_IEEE;
            double narrow_ns = choose(&narrow, &device, LAVA_MODE_GPU, &none).gpu_ns;
            double wide_ns = choose(&wide, &device, LAVA_MODE_GPU, &none).gpu_ns;
            bool four_times = lava_operation_flops(&wide) > lava_operation_flops(&narrow);
            assert_true(wide_ns > (size < 2048 ? 1 : four_times && size > 2048 ? 2.5 : 1.8) * narrow_ns);
            assert_true(wide_ns < (four_times ? 4.1 : 2.3) * narrow_ns);
        }
}

/* A tall or a deep product uses small tiles or a split K if the device would otherwise be idle, and neither
 * if it is full. */
static void test_split_and_tiles_follow_the_shape(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    struct lava_operation deep = product(512, 512, 65536), square = product(8192, 8192, 8192);
    struct lava_operation middle = product(1024, 1024, 1024);
    struct lava_plan plan = choose(&deep, &device, LAVA_MODE_GPU, &none);
    assert_true(plan.blocking.split_k > 1 && plan.blocking.epilogue);
    struct lava_overrides overrides = {.split_k = 1};
    assert_true(plan.gpu_ns < choose(&deep, &device, LAVA_MODE_GPU, &overrides).gpu_ns);
    assert_int_equal(choose(&square, &device, LAVA_MODE_GPU, &none).blocking.split_k, 1);
    /* 64 tiles of 128 x 128 leave half of 132 multiprocessors idle */
    plan = choose(&middle, &device, LAVA_MODE_GPU, &none);
    assert_true(plan.kernel->tile_m * plan.kernel->tile_n < 128 * 128 || plan.blocking.split_k > 1);
}

/* Time on the device alone, with equal transfers: the best listed row and split, and no better than the bus
 * and one read of each element allow. */
static void check_thin(const struct lava_capabilities *device, const struct lava_operation *operation) {
    struct lava_overrides overrides = {.column_blocks = 1};
    struct lava_plan plan = choose(operation, device, LAVA_MODE_GPU, &overrides);
    uint64_t tiles = plan.blocking.tile_list_bytes / sizeof(uint32_t) * plan.blocking.split_k;
    print_message("%s %lld x %lld x %lld: %s, split K %u, %llu workgroups\n", lava_type_name(operation->type),
                  (long long)operation->m, (long long)operation->n, (long long)operation->k,
                  plan.kernel->name, plan.blocking.split_k, (unsigned long long)tiles);
    assert_true(plan.blocking.split_k > 1 && 3 * tiles > device->multiprocessors);
    size_t bytes = lava_type_bytes(operation->type);
    double elements = (double)(operation->m + operation->n) * (double)operation->k;
    /* only the last M-chunk counts: the others are processed while it is on the bus */
    int64_t rows = (operation->m - 1) % plan.blocking.piece_m + 1;
    double packed = (double)(plan.blocking.packed_a_bytes + plan.blocking.packed_b_bytes);
    double looks_ns = 2e9 * packed * (double)rows / (double)operation->m / plan.profile->memory_bytes_per_s;
    assert_true(plan.gpu_ns > plan.profile->call_latency_ns + looks_ns +
                                  1e9 * elements * (double)bytes / plan.profile->upload_bytes_per_s);
    /* Splits that fill the device more than twice are not tried. They only allow shorter M-chunks, which gain
     * more the longer the elements are on the bus. */
    double best_ns = plan.gpu_ns / (bytes > 4 ? 1.04 : 1.01);
    static const uint32_t splits[] = {1, 2, 4, 8, 16, 32, 64};
    const struct lava_operation parts = lava_operation_of_parts(operation);
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && plan.profile->kernels[i].kernel; i++) {
        overrides.kernel = lava_kernels_find(plan.profile->kernels[i].kernel);
        if (!lava_kernel_serves(overrides.kernel, &parts))
            continue;
        for (size_t s = 0; s < COUNT(splits); s++) {
            overrides.split_k = splits[s];
            assert_true(best_ns <= choose(operation, device, LAVA_MODE_GPU, &overrides).gpu_ns);
        }
    }
}

static void test_thin_shapes_are_split(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    static const int64_t shapes[][3] = {{4096, 1, 4096},   {4096, 16, 11008}, {11008, 16, 4096},
                                        {4096, 128, 4096}, {1, 4096, 4096},   {128, 128, 65536},
                                        {64, 64, 1 << 20}};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
            struct lava_operation operation =
                product_of((enum lava_type)type, LAVA_TYPE_FP32, shapes[i][0], shapes[i][1], shapes[i][2]);
            check_thin(&device, &operation);
        }
    }
}

/* More work must not be estimated to take much less time. The steps caused by tiles, waves and choices stay
 * below a tenth. */
static void check_growth(const struct lava_capabilities *device, enum lava_type type, int along) {
    double before = 0, half = 0;
    for (int64_t size = 128; size <= 16384; size += size / 16) {
        struct lava_operation operation =
            product_of(type, LAVA_TYPE_FP32, along == 0 || along == 3 ? size : 2048,
                       along == 1 || along == 3 ? size : 2048, along == 2 || along == 3 ? size : 2048);
        struct lava_plan plan = choose(&operation, device, LAVA_MODE_GPU, &none);
        assert_true(plan.gpu_ns > 0 && plan.cpu_ns > 0);
        /* an additional column block overlaps more: the only step down */
        assert_true(plan.gpu_ns > 0.8 * before);
        if ((size & (size - 1)) == 0) {
            assert_true(plan.gpu_ns > half);
            half = plan.gpu_ns;
        }
        before = plan.gpu_ns;
    }
}

static void test_estimates_grow(void **state) {
    (void)state;
    const struct lava_capabilities devices[] = {device_h200(), device_lavapipe(), device_xe2()};
    for (size_t d = 0; d < COUNT(devices); d++)
        for (int type = 0; type < LAVA_TYPE_COUNT; type++)
            for (int along = 0; along < 4 && device_has(&devices[d], (enum lava_type)type); along++)
                check_growth(&devices[d], (enum lava_type)type, along);
}

/* A faster bus, processor or link never makes a plan slower. Checked with the profile's formula, by size. */
static void test_more_multiprocessors_are_not_slower(void **state) {
    (void)state;
    struct lava_operation operation = product(512, 512, 512);
    struct lava_capabilities device = device_h200();
    device.max_workgroups = 1; /* hardly a device */
    double one = choose(&operation, &device, LAVA_MODE_GPU, &none).gpu_ns;
    assert_int_equal(choose(&operation, &device, LAVA_MODE_GPU, &none).resident_workgroups, 1);
    device = device_h200();
    assert_true(choose(&operation, &device, LAVA_MODE_GPU, &none).gpu_ns <= one);
    device.multiprocessors = 0; /* not reported by the driver: the profile is used */
    struct lava_plan told = choose(&operation, &device, LAVA_MODE_GPU, &none);
    device.multiprocessors = 132;
    struct lava_plan known = choose(&operation, &device, LAVA_MODE_GPU, &none);
    assert_int_equal(told.resident_workgroups, known.resident_workgroups);
}

static void assert_gpu_ns(const struct lava_device_figures *device_figures,
                          const struct lava_operation *operation, const struct lava_capabilities *device,
                          double least, double most) {
    const struct lava_overrides uncut = {.column_blocks = 1, .pieces = 1};
    struct lava_figures figures = sixteen_cores;
    figures.device = *device_figures;
    double ns = choose_by(&figures, operation, device, LAVA_MODE_GPU, &uncut).gpu_ns;
    if (!(ns >= least * (1 - 1e-9) && ns <= most * (1 + 1e-9)))
        fail_msg("%.17g is not between %.17g and %.17g", ns, least, most);
}

/* Each measured figure replaces the profile's and no other. */
static void test_measured_figures_replace_the_profiles(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    const struct lava_operation operation = product(4096, 4096, 4096);
    const struct lava_profile *profile = lava_profiles_find(&device);
    const struct lava_overrides uncut = {.column_blocks = 1, .pieces = 1};
    double c_bytes = 4096.0 * 4096.0 * 4.0, flops = lava_operation_flops(&operation);
    double by_profile = choose(&operation, &device, LAVA_MODE_GPU, &uncut).gpu_ns;
    const struct lava_device_figures same = figures_like(&device, 1);
    assert_gpu_ns(&same, &operation, &device, by_profile, by_profile);

    /* a longer latency adds at least its difference; 0 would mean an infinite rate */
    struct lava_device_figures figures = {.call_latency_ns = profile->call_latency_ns + 5e6};
    assert_gpu_ns(&figures, &operation, &device, by_profile + 5e6, INFINITY);
    figures = (struct lava_device_figures){.upload_bytes_per_s = 1e9};
    assert_gpu_ns(&figures, &operation, &device, 2 * c_bytes, by_profile + 4 * c_bytes);
    figures = (struct lava_device_figures){.download_bytes_per_s = 1e9};
    assert_gpu_ns(&figures, &operation, &device, c_bytes, by_profile + 2 * c_bytes);
    figures = (struct lava_device_figures){.memory_bytes_per_s = 10e9};
    assert_gpu_ns(&figures, &operation, &device, 1e9 * 5 * c_bytes / 10e9, INFINITY);
    figures = (struct lava_device_figures){0};
    for (size_t i = 0; i < LAVA_FIGURES_MAX_KERNELS; i++)
        figures.flops_per_s[i] = 1e11;
    assert_gpu_ns(&figures, &operation, &device, 1e9 * flops / 1e11, by_profile + 1.5e9 * flops / 1e11);
    figures = figures_like(&device, 2);
    figures.call_latency_ns = 0; /* from the profile */
    assert_gpu_ns(&figures, &operation, &device, 0.5 * by_profile, 0.75 * by_profile);
}

/* A row measured to be slow is not chosen. A requested row uses its own figure, listed in the profile or
 * not. */
static void test_measured_rows(void **state) {
    (void)state;
    const struct lava_capabilities device = device_h200();
    struct lava_operation operation = product(8192, 8192, 8192);
    struct lava_figures figures = sixteen_cores;
    size_t count;
    operation.precision = LAVA_PRECISION_IEEE; /* rows without a scheme */
    const struct lava_kernel *table = lava_kernels_table(&count);
    struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &none);
    const struct lava_kernel *first = plan.kernel;
    figures.device.flops_per_s[first - table] = 10e12;
    plan = choose_by(&figures, &operation, &device, LAVA_MODE_GPU, &none);
    assert_ptr_equal(plan.kernel, first); /* rows that were not measured follow */
    assert_true(plan.flops_per_s <= 10e12);
    for (size_t i = 0; i < count; i++)
        if (&table[i] != first && table[i].type == LAVA_TYPE_FP32 && table[i].scheme == first->scheme)
            figures.device.flops_per_s[i] = 31e12;
    plan = choose_by(&figures, &operation, &device, LAVA_MODE_GPU, &none);
    assert_ptr_not_equal(plan.kernel, first);
    assert_true(plan.flops_per_s >= 31e12 && plan.flops_per_s <= 31e12);

    struct lava_overrides forced = {.kernel = first};
    plan = choose_by(&figures, &operation, &device, LAVA_MODE_GPU, &forced);
    assert_ptr_equal(plan.kernel, first);
    assert_true(plan.flops_per_s >= 10e12 && plan.flops_per_s <= 10e12);
    forced.kernel = lava_kernels_find("fp16_shared_128x128");
    const struct lava_operation half = product_of(LAVA_TYPE_FP16, LAVA_TYPE_FP32, 8192, 8192, 8192);
    figures.device.flops_per_s[forced.kernel - table] = 77e12;
    plan = choose_by(&figures, &half, &device, LAVA_MODE_GPU, &forced);
    assert_true(plan.flops_per_s >= 77e12 && plan.flops_per_s <= 77e12);
    /* a row that is not in the table has no figure */
    struct lava_kernel other = *forced.kernel;
    forced.kernel = &other;
    other.name = "fp16_other";
    plan = choose_by(&figures, &half, &device, LAVA_MODE_GPU, &forced);
    assert_ptr_equal(plan.kernel, &other);
    assert_true(plan.flops_per_s > 0 && plan.gpu_ns > 0);
}

/* An H200 with the rates measured there on 2026-11-21: ns of an fp32 square. */
static void test_squares_of_an_h200(void **state) {
    (void)state;
    static const struct {
        int64_t size;
        double least_ns, most_ns;
    } cases[] = {{2048, 1.1e6, 1.6e6}, {4096, 4.3e6, 5.5e6}, {8192, 26e6, 29.5e6}, {16384, 195e6, 215e6}};
    const struct lava_capabilities device = device_h200();
    struct lava_figures figures = sixteen_cores;
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    figures.device.call_latency_ns = 50e3;
    figures.device.upload_bytes_per_s = 48e9;
    figures.device.download_bytes_per_s = 49e9;
    figures.device.flops_per_s[lava_kernels_find("fp32_128x128") - table] = 46e12;
    figures.device.flops_per_s[lava_kernels_find("fp32_128x128_16x8") - table] = 46e12;
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t size = cases[i].size;
        struct lava_operation operation = product(size, size, size);
        operation.precision = LAVA_PRECISION_IEEE; /* as at that time */
        struct lava_plan plan = choose_by(&figures, &operation, &device, LAVA_MODE_GPU, &none);
        char text[1024];
        lava_policy_describe(&operation, &plan, text, sizeof text);
        print_message("%s\n", text);
        assert_true(plan.gpu_ns >= cases[i].least_ns && plan.gpu_ns <= cases[i].most_ns);
        /* the download of the last block is short */
        assert_true(size < 4096 || plan.blocking.blocks_n >= 3);
        assert_true(plan.blocking.later_n * 3 <= size);
        const struct lava_overrides equal = {.later_parts = 1};
        double equal_ns = choose_by(&figures, &operation, &device, LAVA_MODE_GPU, &equal).gpu_ns;
        assert_true(size < 4096 ? plan.gpu_ns <= equal_ns : plan.gpu_ns < equal_ns);
    }
}

/* The shortcut never refuses a product that the search would have offloaded, and it avoids the search if the
 * device is far slower. */
static void test_hopeless_is_unprofitable(void **state) {
    (void)state;
    const struct lava_capabilities devices[] = {device_h200(), device_lavapipe(), device_xe2()};
    uint64_t random = random_seed();
    int hopeless = 0, sent = 0, complex_hopeless = 0, complex_sent = 0;
    for (int i = 0; i < ROUNDS(6000); i++) {
        struct lava_operation operation =
            product(random_size(&random, 4000), random_size(&random, 4000), random_size(&random, 4000));
        set_random_types(&random, &operation);
        operation.precision = (enum lava_precision)(random_next(&random) % LAVA_PRECISION_COUNT);
        const struct lava_capabilities *device = &devices[i % 3];
        struct lava_plan plan = choose(&operation, device, LAVA_MODE_AUTO, &none);
        bool refused = lava_policy_is_hopeless(&operation, device, &sixteen_cores, 1);
        assert_true(!refused || plan.place == LAVA_PLACE_CPU);
        hopeless += refused;
        sent += plan.place == LAVA_PLACE_GPU;
        complex_hopeless += refused && lava_type_is_complex(operation.type);
        complex_sent += plan.place == LAVA_PLACE_GPU && lava_type_is_complex(operation.type);
    }
    print_message("%d hopeless, %d of them complex; %d sent, %d of them complex\n", hopeless,
                  complex_hopeless, sent, complex_sent);
    assert_true(hopeless > SEEN(2000) && sent > SEEN(40) && complex_hopeless > SEEN(500) && complex_sent > SEEN(20));
    struct lava_operation small = product(500, 500, 500);
    assert_true(lava_policy_is_hopeless(&small, &devices[1], &sixteen_cores, 1));
    const struct lava_figures unknown = {0};
    assert_true(lava_policy_is_hopeless(&small, &devices[0], &unknown, 1));
}

/* The same with random subsets of measured figures on both sides. */
static void test_hopeless_by_measured_figures(void **state) {
    (void)state;
    const struct lava_capabilities devices[] = {device_h200(), device_lavapipe(), device_xe2()};
    uint64_t random = random_seed();
    int hopeless = 0, sent = 0, close = 0, complex_close = 0;
    for (int i = 0; i < ROUNDS(6000); i++) {
        struct lava_operation operation =
            product(64 + (int64_t)(random_next(&random) % 4000), 64 + (int64_t)(random_next(&random) % 4000),
                    64 + (int64_t)(random_next(&random) % 4000));
        const struct lava_capabilities *device = &devices[i % 3];
        struct lava_figures figures = sixteen_cores;
        double *all = (double *)&figures.device;
        set_random_types(&random, &operation);
        operation.precision = (enum lava_precision)(random_next(&random) % LAVA_PRECISION_COUNT);
        figures.device = figures_like(device, 1);
        for (size_t f = 0; f < sizeof figures.device / sizeof *all; f++)
            all[f] *= random_next(&random) % 8 ? 0.25 * (double)(1 + random_next(&random) % 16) : 0;
        /* a CPU that takes half to twice the device's time */
        double gpu_ns = choose_by(&figures, &operation, device, LAVA_MODE_GPU, &none).gpu_ns;
        double times = gpu_ns > 0 ? 0.5 + 1.5 * (double)(random_next(&random) % 1000) / 1000 : 1;
        measure_cpu(&figures.cpu, 1e9 * lava_operation_flops(&operation) / (times * fmax(gpu_ns, 1e6)));
        if (random_next(&random) % 4 == 0)
            figures.cpu.product_ns[2][2][2] = figures.cpu.product_ns[3][3][3] = 0;
        struct lava_plan plan = choose_by(&figures, &operation, device, LAVA_MODE_AUTO, &none);
        bool refused = lava_policy_is_hopeless(&operation, device, &figures, 1);
        assert_true(!refused || plan.place == LAVA_PLACE_CPU);
        hopeless += refused;
        sent += plan.place == LAVA_PLACE_GPU;
        close += plan.place == LAVA_PLACE_GPU && plan.gpu_ns > 0.8 * plan.cpu_ns;
        complex_close += plan.place == LAVA_PLACE_GPU && lava_type_is_complex(operation.type) &&
                         plan.gpu_ns > 0.6 * plan.cpu_ns;
    }
    print_message("%d hopeless, %d sent, of them %d by less than a fifth, %d complex ones nearly\n", hopeless,
                  sent, close, complex_close);
    assert_true(hopeless > SEEN(500) && sent > SEEN(1000) && close > SEEN(50) && complex_close > SEEN(100));
}

/* If only the missing kernel speaks against the device, the reason says so. */
static void test_no_kernel_is_not_hopeless(void **state) {
    (void)state;
    const struct lava_capabilities device = device_lavapipe();
    const struct lava_figures slow = {.cpu.flops_per_s = {1e8, 1e8, 1e8, 1e8, 1e8, 1e8}};
    struct lava_operation operation = product_of(LAVA_TYPE_BF16, LAVA_TYPE_BF16, 2048, 2048, 2048);
    struct lava_plan plan;
    assert_false(lava_policy_is_hopeless(&operation, &device, &slow, 1));
    lava_policy_choose(&operation, &device, &slow, LAVA_MODE_AUTO, &none, &plan);
    assert_int_equal(plan.reason, LAVA_REASON_NO_KERNEL);
    operation.type = operation.c.type = LAVA_TYPE_FP16; /* the rates of fp32 do not count */
    assert_false(lava_policy_is_hopeless(&operation, &device, &slow, 1));
    lava_policy_choose(&operation, &device, &slow, LAVA_MODE_AUTO, &none, &plan);
    assert_int_equal(plan.reason, LAVA_REASON_PROFITABLE);
    const struct lava_figures fast_in_half = {.cpu.flops_per_s = {1e8, 1e12, 1e12}};
    assert_true(lava_policy_is_hopeless(&operation, &device, &fast_in_half, 1));
    const struct lava_capabilities xe2 = device_xe2();
    operation = product_of(LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, 2048, 2048, 2048);
    assert_false(lava_policy_is_hopeless(&operation, &xe2, &slow, 1));
    assert_int_equal(choose_by(&slow, &operation, &xe2, LAVA_MODE_AUTO, &none).reason, LAVA_REASON_NO_KERNEL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_block_is_the_sum),
        cmocka_unit_test(test_half_types_take_less),
        cmocka_unit_test(test_wide_types_take_more),
        cmocka_unit_test(test_split_and_tiles_follow_the_shape),
        cmocka_unit_test(test_thin_shapes_are_split),
        cmocka_unit_test(test_estimates_grow),
        cmocka_unit_test(test_more_multiprocessors_are_not_slower),
        cmocka_unit_test(test_measured_figures_replace_the_profiles),
        cmocka_unit_test(test_measured_rows),
        cmocka_unit_test(test_squares_of_an_h200),
        cmocka_unit_test(test_hopeless_is_unprofitable),
        cmocka_unit_test(test_hopeless_by_measured_figures),
        cmocka_unit_test(test_no_kernel_is_not_hopeless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
