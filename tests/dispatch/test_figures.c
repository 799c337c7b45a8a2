/* figures.c: the CPU's time from a grid of measured products (complete, partial and empty), and the text form
 * of figures. */
#include "products.h"

#include <locale.h>
#include <math.h>

#include "dispatch/figures.h"

#define SIZES LAVA_FIGURES_SIZES

static void assert_near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

static double cpu_ns(const struct lava_cpu_figures *figures, int64_t m, int64_t n, int64_t k) {
    struct lava_operation operation = product(m, n, k);
    return lava_figures_cpu_ns(figures, &operation);
}

static bool is_measured(const struct lava_cpu_figures *figures, int64_t m, int64_t n, int64_t k) {
    struct lava_operation operation = product(m, n, k);
    return lava_figures_cpu_measured(figures, &operation);
}

/* A CPU whose time per operation falls with each size, differently in m, n and k. */
static double model_ns(double m, double n, double k) {
    return 0.002 * m * n * k * (1.0 + 40.0 / m + 20.0 / n + 10.0 / k);
}

static struct lava_cpu_figures model_grid(void) {
    struct lava_cpu_figures figures = {.flops_per_s = {[LAVA_TYPE_FP32] = 1e12,
                                                       [LAVA_TYPE_FP16] = 0.5e12,
                                                       [LAVA_TYPE_BF16] = 2e12,
                                                       [LAVA_TYPE_FP64] = 0.25e12,
                                                       [LAVA_TYPE_CFP32] = 0.8e12,
                                                       [LAVA_TYPE_CFP64] = 0.4e12}};
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++)
            for (int l = 0; l < SIZES; l++)
                figures.product_ns[i][j][l] =
                    model_ns((double)lava_figures_sizes[i], (double)lava_figures_sizes[j],
                             (double)lava_figures_sizes[l]);
    return figures;
}

static void test_grid_points_are_exact(void **state) {
    (void)state;
    const struct lava_cpu_figures figures = model_grid();
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++)
            for (int l = 0; l < SIZES; l++) {
                double ns =
                    cpu_ns(&figures, lava_figures_sizes[i], lava_figures_sizes[j], lava_figures_sizes[l]);
                assert_near(ns, figures.product_ns[i][j][l], 1e-12);
            }
}

/* A time that is a product of powers is interpolated exactly. */
static void test_powers_are_exact_between(void **state) {
    (void)state;
    struct lava_cpu_figures figures = {0};
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++)
            for (int l = 0; l < SIZES; l++)
                figures.product_ns[i][j][l] = 3.0 * pow((double)lava_figures_sizes[i], 0.9) *
                                              pow((double)lava_figures_sizes[j], 0.7) *
                                              pow((double)lava_figures_sizes[l], 0.4);
    uint64_t random = random_seed();
    for (int i = 0; i < 1000; i++) {
        int64_t m = 16 + (int64_t)(random_next(&random) % 4081);
        int64_t n = 16 + (int64_t)(random_next(&random) % 4081);
        int64_t k = 16 + (int64_t)(random_next(&random) % 4081);
        double expected = 3.0 * pow((double)m, 0.9) * pow((double)n, 0.7) * pow((double)k, 0.4);
        assert_near(cpu_ns(&figures, m, n, k), expected, 1e-11);
    }
}

static void test_more_work_takes_longer(void **state) {
    (void)state;
    const struct lava_cpu_figures figures = model_grid();
    uint64_t random = random_seed();
    for (int i = 0; i < 3000; i++) {
        int64_t size[3] = {random_size(&random, INT64_C(1) << 40), random_size(&random, INT64_C(1) << 40),
                           random_size(&random, INT64_C(1) << 40)};
        double ns = cpu_ns(&figures, size[0], size[1], size[2]);
        assert_true(isfinite(ns) && ns > 0);
        size[i % 3] += 1 + size[i % 3] / 50;
        assert_true(cpu_ns(&figures, size[0], size[1], size[2]) > ns);
    }
}

/* Beyond the grid the time per operation is that of the nearest size. */
static void test_beyond_the_grid(void **state) {
    (void)state;
    const struct lava_cpu_figures figures = model_grid();
    assert_near(cpu_ns(&figures, 1, 1, 1), model_ns(16, 16, 16) / 4096.0, 1e-12);
    assert_near(cpu_ns(&figures, 4, 256, 1024), model_ns(16, 256, 1024) / 4.0, 1e-12);
    assert_near(cpu_ns(&figures, 64, 16384, 16), model_ns(64, 4096, 16) * 4.0, 1e-12);
    const int64_t huge = INT64_C(1) << 40;
    assert_near(cpu_ns(&figures, huge, huge, huge), model_ns(4096, 4096, 4096) * 0x1p84, 1e-12);
}

static void test_missing_neighbours(void **state) {
    (void)state;
    struct lava_cpu_figures figures = {.flops_per_s = {1e12, 1e12, 1e12}};
    /* the only measurement: half a ns per operation */
    figures.product_ns[2][1][4] = 256.0 * 64.0 * 1024.0 * 0.5;
    assert_near(cpu_ns(&figures, 256, 64, 1024), 256.0 * 64.0 * 1024.0 * 0.5, 1e-12);
    assert_near(cpu_ns(&figures, 16, 5000, 300), 16.0 * 5000.0 * 300.0 * 0.5, 1e-12);
    assert_near(cpu_ns(&figures, 1, 1, 1), 0.5, 1e-12);

    /* the nearest counts, and the mean if two are equally near */
    figures.product_ns[2][1][0] = 256.0 * 64.0 * 16.0 * 2.0;
    assert_near(cpu_ns(&figures, 256, 64, 64), 256.0 * 64.0 * 64.0 * 2.0, 1e-12);
    assert_near(cpu_ns(&figures, 1024, 64, 512), 1024.0 * 64.0 * 512.0 * 0.5, 1e-12);
    figures.product_ns[2][1][4] = 0;
    figures.product_ns[2][1][2] = 256.0 * 64.0 * 256.0 * 0.5;
    assert_near(cpu_ns(&figures, 256, 64, 64), 256.0 * 64.0 * 64.0, 1e-12);
    /* one neighbour is missing: between the other's time and its nearest's */
    assert_near(cpu_ns(&figures, 256, 64, 128), 256.0 * 64.0 * 128.0 * sqrt(0.5), 1e-12);
}

static void test_least_work(void **state) {
    (void)state;
    struct lava_cpu_figures figures = {.flops_per_s = {1e12, 1e12, 1e12}};
    assert_near(lava_figures_least_work(&figures, 0), 0, 0);
    figures.product_ns[2][2][2] = 50e3;
    figures.product_ns[1][1][4] = 80e3; /* less work, but longer */
    figures.product_ns[5][5][5] = 40e6;
    assert_near(lava_figures_least_work(&figures, 40e3), 64.0 * 64.0 * 1024.0, 0);
    assert_near(lava_figures_least_work(&figures, 80e3), 4096.0 * 4096.0 * 4096.0,
                0); /* longer than the limit, not equal to it */
    assert_near(lava_figures_least_work(&figures, 50e6), 0, 0);
}

/* With any measurements missing, the time stays between the fastest and the slowest measured operation. */
static void test_partly_measured_stays_within(void **state) {
    (void)state;
    uint64_t random = random_seed();
    for (int i = 0; i < 300; i++) {
        struct lava_cpu_figures figures = model_grid();
        double least = INFINITY, most = 0;
        unsigned share = 1 + (unsigned)(random_next(&random) % 20);
        for (int p = 0; p < SIZES * SIZES * SIZES; p++) {
            int a = p / (SIZES * SIZES), b = p / SIZES % SIZES, c = p % SIZES;
            double operations =
                (double)lava_figures_sizes[a] * (double)lava_figures_sizes[b] * (double)lava_figures_sizes[c];
            if (p && random_next(&random) % share) {
                figures.product_ns[a][b][c] = p % 3 ? 0.0 : p % 2 ? -1.0 : NAN;
                continue;
            }
            least = fmin(least, figures.product_ns[a][b][c] / operations);
            most = fmax(most, figures.product_ns[a][b][c] / operations);
        }
        int64_t m = random_size(&random, 20000), n = random_size(&random, 20000);
        int64_t k = random_size(&random, 20000);
        double operation_ns = cpu_ns(&figures, m, n, k) / ((double)m * (double)n * (double)k);
        assert_true(operation_ns >= least * (1 - 1e-12) && operation_ns <= most * (1 + 1e-12));
    }
}

static void test_nothing_measured(void **state) {
    (void)state;
    struct lava_cpu_figures figures = {.flops_per_s[LAVA_TYPE_FP32] = 1e12};
    assert_near(cpu_ns(&figures, 1000, 1000, 1000), 2e6, 1e-12);
    struct lava_operation half = product_of(LAVA_TYPE_FP16, LAVA_TYPE_FP32, 1000, 1000, 1000);
    assert_true(lava_figures_cpu_ns(&figures, &half) <= 0); /* unknown */
    struct lava_operation complex_product = product_of(LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, 1000, 500, 100);
    assert_true(lava_figures_cpu_ns(&figures, &complex_product) <= 0);
    figures.flops_per_s[LAVA_TYPE_CFP64] = 0.5e12; /* 8 m n k */
    assert_near(lava_figures_cpu_ns(&figures, &complex_product), 0.8e6, 1e-12);
    figures.flops_per_s[LAVA_TYPE_FP32] = 0;
    assert_true(cpu_ns(&figures, 1000, 1000, 1000) <= 0);
    figures.product_ns[2][2][2] = -5;
    assert_true(cpu_ns(&figures, 256, 256, 256) <= 0);
}

/* Small products by guessed rates: one thread has 0.1 of them, a call costs 300 ns, and threads cost 20 us.
 * Large ones of few columns are read from memory. */
static void test_guesses_of_small_products(void **state) {
    (void)state;
    const struct lava_cpu_figures figures = {.flops_per_s[LAVA_TYPE_FP32] = 2e12,
                                             .flops_per_s[LAVA_TYPE_FP64] = 1e12,
                                             .one_thread_share = 0.1,
                                             .threads_ns = 20e3};
    assert_near(cpu_ns(&figures, 64, 64, 64), 300 + 2 * 64.0 * 64 * 64 / 200, 1e-12);
    assert_near(cpu_ns(&figures, 128, 128, 128), 300 + 2 * 128.0 * 128 * 128 / 200,
                1e-12); /* threads are no gain */
    assert_near(cpu_ns(&figures, 512, 512, 512), 20e3 + 2 * 512.0 * 512 * 512 / 2000, 1e-12);
    struct lava_operation operation = product(64, 64, 64);
    operation.type = operation.c.type = LAVA_TYPE_FP64;
    assert_near(lava_figures_cpu_ns(&figures, &operation), 300 + 2 * 64.0 * 64 * 64 / 100, 1e-12);
    assert_near(cpu_ns(&figures, 8192, 8192, 4), (2 * 8192.0 * 8192 * 4 + 2 * 8192 * 4 * 4 - 64e6) / 16,
                1e-12);
    for (int64_t n = 8; n < 4000; n += 1 + n / 7)
        assert_true(cpu_ns(&figures, n, n, n) >= 2.0 * (double)(n * n * n) / 2000);
}

/* Scaled by flop/s; a complex product has four times as many operations. */
static void test_types_by_ratio(void **state) {
    (void)state;
    static const double times[LAVA_TYPE_COUNT] = {
        [LAVA_TYPE_FP32] = 1, [LAVA_TYPE_FP16] = 2,  [LAVA_TYPE_BF16] = 0.5,
        [LAVA_TYPE_FP64] = 4, [LAVA_TYPE_CFP32] = 5, [LAVA_TYPE_CFP64] = 10};
    const struct lava_cpu_figures model = model_grid();
    double fp32_ns = cpu_ns(&model, 300, 700, 90);
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        struct lava_cpu_figures figures = model;
        const struct lava_operation operation =
            product_of((enum lava_type)type, (enum lava_type)type, 300, 700, 90);
        assert_near(lava_figures_cpu_ns(&figures, &operation), times[type] * fp32_ns, 1e-12);
        double rate = figures.flops_per_s[type], own_ns = 1e9 * lava_operation_flops(&operation) / rate;
        /* without a ratio the type's own rate is used; fp32 needs no ratio */
        figures.flops_per_s[LAVA_TYPE_FP32] = 0;
        bool is_fp32 = type == LAVA_TYPE_FP32;
        assert_near(lava_figures_cpu_ns(&figures, &operation), is_fp32 ? fp32_ns : own_ns, 1e-12);
        figures.flops_per_s[type] = 0;
        assert_true(is_fp32 || lava_figures_cpu_ns(&figures, &operation) <= 0);
    }
}

static void test_measured_needs_all_neighbours(void **state) {
    (void)state;
    struct lava_cpu_figures figures = model_grid();
    assert_true(is_measured(&figures, 300, 300, 300) && is_measured(&figures, 1, 9000, 20));
    /* other types use a ratio, which is not a measurement */
    for (int type = 0; type < LAVA_TYPE_COUNT; type++) {
        struct lava_operation other = product_of((enum lava_type)type, (enum lava_type)type, 300, 300, 300);
        assert_int_equal(lava_figures_cpu_measured(&figures, &other), type == LAVA_TYPE_FP32);
    }
    figures.product_ns[3][2][2] = 0;
    assert_false(is_measured(&figures, 300, 300, 300));
    assert_false(is_measured(&figures, 512, 256, 256));
    assert_true(is_measured(&figures, 256, 300, 300)); /* on the other side of the cell */
    assert_true(is_measured(&figures, 255, 300, 300));
    const struct lava_cpu_figures unmeasured = {.flops_per_s = {1e12, 1e12, 1e12}};
    assert_false(is_measured(&unmeasured, 300, 300, 300));
}

// clang-format off
/* OpenBLAS's sgemm, 16 cores of Sapphire Rapids, 2026-11-21, us: two cells of the grid, and products within
 * them.
 *
 * m     n     k    us */
static const struct { int64_t m, n, k; double us; } openblas[] = {
    { 256,  256,   64,   47.7},
    { 256,  256,  256,   60.0},
    { 256,  256, 1024,  165.4},
    { 256, 1024,   64,  141.0},
    { 256, 1024,  256,  170.8},
    { 256, 1024, 1024,  504.4},
    {1024,  256,   64,   75.4},
    {1024,  256,  256,   95.8},
    {1024,  256, 1024,  337.6},
    {1024, 1024,   64,  150.5},
    {1024, 1024,  256,  256.2},
    {1024, 1024, 1024,  939.0},
    { 512,  512,  512,  293.5}, /* within */
    { 512, 1024,  512,  312.6},
    {1024,  512, 1024,  535.4},
    { 512,  512, 1024,  390.0},
    { 256, 1024,  512,  274.6},
    {1024, 1024,  512,  478.6},
    { 512,  512,  256,  108.3},
};
// clang-format on

static int position_of(int64_t size) {
    for (int i = 0; i < SIZES; i++)
        if (lava_figures_sizes[i] == size)
            return i;
    return -1;
}

static void test_near_measured_times(void **state) {
    (void)state;
    struct lava_cpu_figures figures = {0};
    int compared = 0;
    for (size_t i = 0; i < COUNT(openblas); i++) {
        int a = position_of(openblas[i].m), b = position_of(openblas[i].n), c = position_of(openblas[i].k);
        if (a >= 0 && b >= 0 && c >= 0)
            figures.product_ns[a][b][c] = 1e3 * openblas[i].us;
    }
    for (size_t i = 0; i < COUNT(openblas); i++) {
        if (openblas[i].m != 512 && openblas[i].n != 512 && openblas[i].k != 512)
            continue;
        assert_true(is_measured(&figures, openblas[i].m, openblas[i].n, openblas[i].k));
        double ratio = cpu_ns(&figures, openblas[i].m, openblas[i].n, openblas[i].k) / (1e3 * openblas[i].us);
        print_message("%lld x %lld x %lld: %.2f of the measured time\n", (long long)openblas[i].m,
                      (long long)openblas[i].n, (long long)openblas[i].k, ratio);
        assert_true(ratio < 1.5 && ratio > 1 / 1.5);
        compared++;
    }
    assert_int_equal(compared, 7);
}

/* Every row of the kernel table can be stored. */
static void test_rows_have_places(void **state) {
    (void)state;
    struct lava_device_figures figures = {0};
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    assert_in_range(count, 1, LAVA_FIGURES_MAX_KERNELS);
    for (size_t i = 0; i < count; i++)
        figures.flops_per_s[i] = 1.0 + (double)i;
    for (size_t i = 0; i < count; i++)
        assert_near(lava_figures_flops_per_s(&figures, &table[i]), 1.0 + (double)i, 0);
    const struct lava_kernel other = table[0];
    assert_true(lava_figures_flops_per_s(&figures, &other) <= 0);
    assert_true(lava_figures_flops_per_s(&figures, NULL) <= 0);
}

/* Any magnitude from 1e-5 to 1e18. */
static double random_figure(uint64_t *random) {
    double mantissa = 1.0 + 9.0 * (double)(random_next(random) >> 11) * 0x1p-53;
    return mantissa * pow(10.0, (double)(random_next(random) % 24) - 5.0);
}

static struct lava_figures random_figures(uint64_t *random) {
    struct lava_figures figures = {0};
    struct lava_device_figures *device = &figures.device;
    double *const rates[] = {&device->call_latency_ns, &device->upload_bytes_per_s,
                             &device->download_bytes_per_s, &device->memory_bytes_per_s};
    size_t rows;
    lava_kernels_table(&rows);
    for (int i = 0; i < SIZES * SIZES * SIZES; i++)
        if (random_next(random) % 4)
            figures.cpu.product_ns[i / (SIZES * SIZES)][i / SIZES % SIZES][i % SIZES] = random_figure(random);
    for (int i = 0; i < LAVA_CPU_FAMILY_COUNT * LAVA_FAMILIES_TYPES * LAVA_FAMILIES_ORDERS; i++) {
        int family = i / LAVA_FAMILIES_ORDERS / LAVA_FAMILIES_TYPES;
        int type = i / LAVA_FAMILIES_ORDERS % LAVA_FAMILIES_TYPES;
        if (lava_families_name((enum lava_cpu_family)family, type) && random_next(random) % 4)
            figures.cpu.family_ns[family][type][i % LAVA_FAMILIES_ORDERS] = random_figure(random);
    }
    figures.cpu.families = (double)(random_next(random) % 3);
    for (size_t i = 0; i < COUNT(rates); i++)
        if (random_next(random) % 4)
            *rates[i] = random_figure(random);
    for (size_t i = 0; i < rows; i++)
        if (random_next(random) % 4)
            device->flops_per_s[i] = random_figure(random);
    return figures;
}

static void assert_all_near(const struct lava_figures *figures, const struct lava_figures *expected) {
    const double *values = (const double *)figures, *wanted = (const double *)expected;
    for (size_t i = 0; i < sizeof *figures / sizeof *values; i++)
        assert_near(values[i], wanted[i], 0.6e-6);
}

static void test_round_trip(void **state) {
    (void)state;
    static char text[32768], again[32768];
    uint64_t random = random_seed();
    for (int i = 0; i < 200; i++) {
        const struct lava_figures figures = random_figures(&random);
        struct lava_figures read = {0};
        int length = lava_figures_print(&figures, text, sizeof text);
        assert_in_range(length, 1, sizeof text - 1);
        assert_int_equal(strlen(text), length);
        assert_true(lava_figures_parse(text, &read));
        assert_all_near(&read, &figures);
        assert_int_equal(lava_figures_print(&read, again, sizeof again), length);
        assert_string_equal(again, text);
    }
}

static void test_text(void **state) {
    (void)state;
    struct lava_figures figures = {.cpu.flops_per_s = {1e12, 1e12, 1e12}};
    char text[512], cut[512];
    assert_int_equal(lava_figures_print(&figures, text, sizeof text), 0);
    assert_string_equal(text, "");
    figures.cpu.product_ns[2][4][1] = 170800.5;
    figures.cpu.product_ns[4][4][4] = 999999.96;
    figures.cpu.product_ns[5][5][5] = 0.00123;
    figures.cpu.product_ns[0][0][0] = -1;
    figures.cpu.product_ns[0][0][1] = NAN;
    figures.cpu.product_ns[0][0][2] = INFINITY;
    figures.cpu.families = 1;
    figures.cpu.family_ns[LAVA_CPU_FAMILY_SYRK][1][2] = 2154000;
    figures.cpu.family_ns[LAVA_CPU_FAMILY_GETRI][0][0] = 1.5e8;
    figures.cpu.family_ns[LAVA_CPU_FAMILY_GEMM][0][0] = 5; /* the grid has it */
    figures.cpu.family_ns[LAVA_CPU_FAMILY_TRSM][0][0] = NAN;
    figures.device.call_latency_ns = 1;
    figures.device.upload_bytes_per_s = 48.7e9;
    figures.device.download_bytes_per_s = 9.99999996e9;
    figures.device.flops_per_s[lava_kernels_find("fp32_128x128_16x8") - lava_kernels_table(&(size_t){0})] =
        47e12;
    const char expected[] = "cpu_product_ns 256 1024 64 170800.5\n"
                            "cpu_product_ns 1024 1024 1024 1000000\n"
                            "cpu_product_ns 4096 4096 4096 1.23e-3\n"
                            "cpu_families 1\n"
                            "cpu_family_ns dsyrk 1024 2154000\n"
                            "cpu_family_ns sgetri 256 1.5e8\n"
                            "device_call_latency_ns 1\n"
                            "device_upload_bytes_per_s 4.87e10\n"
                            "device_download_bytes_per_s 1e10\n"
                            "device_kernel_flops_per_s fp32_128x128_16x8 4.7e13\n";
    assert_int_equal(lava_figures_print(&figures, text, sizeof text), sizeof expected - 1);
    assert_string_equal(text, expected);
    for (size_t size = 1; size < sizeof expected; size++) {
        memset(cut, 'x', sizeof cut);
        assert_int_equal(lava_figures_print(&figures, cut, size), sizeof expected - 1);
        assert_int_equal(strlen(cut), size - 1);
        assert_memory_equal(cut, expected, size - 1);
        assert_int_equal(cut[size], 'x');
    }
    assert_int_equal(lava_figures_print(&figures, NULL, 0), sizeof expected - 1);
}

/* Existing figures stay; figures in the text replace them. */
static void test_parse_adds(void **state) {
    (void)state;
    struct lava_figures figures = {.cpu.flops_per_s = {1e12, 1e12, 1e12}, .device.call_latency_ns = 3};
    figures.cpu.product_ns[1][1][1] = 7;
    assert_true(lava_figures_parse("", &figures));
    assert_true(lava_figures_parse("device_call_latency_ns 1600.25e2\ncpu_product_ns 64 64 16 12\n"
                                   "cpu_family_ns dgetrf 2048 31e6\n"
                                   "device_memory_bytes_per_s 38e11\n",
                                   &figures));
    assert_near(figures.cpu.family_ns[LAVA_CPU_FAMILY_GETRF][1][3], 31e6, 0);
    assert_true(figures.cpu.families <= 0); /* of an earlier version */
    assert_near(figures.device.call_latency_ns, 160025, 0);
    assert_near(figures.device.memory_bytes_per_s, 3.8e12, 0);
    assert_near(figures.cpu.product_ns[1][1][0], 12, 0);
    assert_near(figures.cpu.product_ns[1][1][1], 7, 0);
    assert_near(figures.cpu.flops_per_s[LAVA_TYPE_FP32], 1e12, 0);
    assert_true(figures.device.upload_bytes_per_s <= 0);
}

static void test_unknown_names_are_skipped(void **state) {
    (void)state;
    struct lava_figures figures = {0}, expected = {.device.download_bytes_per_s = 5e9};
    assert_true(lava_figures_parse("cpu_zgemm_ns 256 64 16 16 100\n"
                                   "device_queues 3\n"
                                   "device_kernel_flops_per_s fp8_999x999 1e15\n"
                                   "cpu_product_ns 768 768 768 206000\n"
                                   "cpu_family_ns dsyrk 768 206000\n"
                                   "cpu_family_ns sgemm 512 206000\n"
                                   "cpu_family_ns zher3k 512 206000\n"
                                   "device_download_bytes_per_s 5e9\n",
                                   &figures));
    assert_memory_equal(&figures, &expected, sizeof figures);
}

static const char *const refused[] = {
    "device_call_latency_ns 160000", /* no line end */
    "device_call_latency_ns\n",
    "device_call_latency_ns \n",
    "device_call_latency_ns -5\n",
    "device_call_latency_ns +5\n",
    "device_call_latency_ns 0\n",
    "device_call_latency_ns 0.0e5\n",
    "device_call_latency_ns nan\n",
    "device_call_latency_ns NaN\n",
    "device_call_latency_ns inf\n",
    "device_call_latency_ns 1e999\n",
    "device_call_latency_ns 1e\n",
    "device_call_latency_ns 1e-\n",
    "device_call_latency_ns 1e+5\n",
    "device_call_latency_ns 1,5\n",
    "device_call_latency_ns 1.\n",
    "device_call_latency_ns .5\n",
    "device_call_latency_ns 1.5.5\n",
    "device_call_latency_ns 0x10\n",
    "device_call_latency_ns 123456789012345678\n", /* too many digits */
    "device_call_latency_ns 1.23456789012345678\n",
    "device_call_latency_ns 5 \n",
    "device_call_latency_ns  5\n",
    " device_call_latency_ns 5\n",
    "device_call_latency_ns\t5\n",
    "device_call_latency_ns 5\r\n",
    "device_call_latency_ns 5 5\n",
    "device_call_latency_ns 5\n\n",
    "device_kernel_flops_per_s 5e12\n",
    "device_kernel_flops_per_s fp32_64x64 x 5e12\n",
    "device_kernel_flops_per_s fp8_999x999 many\n",
    "cpu_product_ns 16 16 5\n",
    "cpu_product_ns 16 16 16 16 5\n",
    "cpu_product_ns 16 16 -16 5\n",
    "cpu_product_ns 16 16 0 5\n",
    "cpu_product_ns 16 16 16x 5\n",
    "cpu_families 1 1\n",
    "cpu_families none\n",
    "cpu_family_ns dsyrk 5\n",
    "cpu_family_ns dsyrk 512 512 5\n",
    "cpu_family_ns dsyrk large 5\n",
    "cpu_family_ns dsyrk 512 0\n",
    "cpu_product_ns 16 16 1e3 5\n",
    "device_queues few\n",
    "device_queues 3\x01\n",
    ("dev\xc3\xa4"
     "ce 3\n"),
    "nothing\n",
    "\n",
    "a b c d e f g h i 5\n",
};

static void test_parse_refuses(void **state) {
    (void)state;
    const struct lava_figures kept = {.cpu.flops_per_s = {1, 2, 3}, .device.memory_bytes_per_s = 4};
    char text[512], line[512];
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct lava_figures figures = kept;
        snprintf(text, sizeof text, "device_upload_bytes_per_s 5e9\n%s", refused[i]);
        if (lava_figures_parse(text, &figures))
            fail_msg("accepted: %s", refused[i]);
        assert_memory_equal(&figures, &kept, sizeof kept);
    }
    for (size_t length = 100; length < 200; length++) { /* the length of a line without its end */
        struct lava_figures figures = kept;
        memset(line, 'a', sizeof line);
        snprintf(line + length - 2, 4, " 5\n");
        assert_int_equal(lava_figures_parse(line, &figures), length <= 127);
        assert_memory_equal(&figures, &kept, sizeof kept);
    }
}

/* Random text is neither read beyond its end nor accepted as figures. */
static void test_damaged_text(void **state) {
    (void)state;
    static char text[16384];
    uint64_t random = random_seed();
    const struct lava_figures figures = random_figures(&random);
    int length = lava_figures_print(&figures, text, sizeof text);
    for (int i = 0; i < 5000; i++) {
        size_t at = random_next(&random) % (size_t)length;
        char kept = text[at];
        text[at] = (char)random_next(&random);
        struct lava_figures read = {0};
        if (lava_figures_parse(text, &read)) {
            const double *values = (const double *)&read;
            for (size_t v = 0; v < sizeof read / sizeof *values; v++)
                assert_true(values[v] >= 0 && isfinite(values[v]));
        }
        text[at] = kept;
    }
}

static void test_decimal_comma(void **state) {
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "sv_SE.UTF-8"};
    static char text[16384], with_comma[16384];
    uint64_t random = random_seed();
    const struct lava_figures figures = random_figures(&random);
    struct lava_figures read = {0};
    const char *set = NULL;
    lava_figures_print(&figures, text, sizeof text);
    for (size_t i = 0; i < COUNT(locales) && !set; i++)
        set = setlocale(LC_ALL, locales[i]);
    if (!set) {
        print_message("no locale with a decimal comma here\n");
        skip();
    }
    bool has_comma = localeconv()->decimal_point[0] == ',';
    lava_figures_print(&figures, with_comma, sizeof with_comma);
    bool parsed = lava_figures_parse(text, &read);
    setlocale(LC_ALL, "C");
    assert_true(has_comma && parsed);
    assert_string_equal(with_comma, text);
    assert_all_near(&read, &figures);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_points_are_exact),
        cmocka_unit_test(test_powers_are_exact_between),
        cmocka_unit_test(test_more_work_takes_longer),
        cmocka_unit_test(test_beyond_the_grid),
        cmocka_unit_test(test_missing_neighbours),
        cmocka_unit_test(test_least_work),
        cmocka_unit_test(test_partly_measured_stays_within),
        cmocka_unit_test(test_nothing_measured),
        cmocka_unit_test(test_guesses_of_small_products),
        cmocka_unit_test(test_types_by_ratio),
        cmocka_unit_test(test_measured_needs_all_neighbours),
        cmocka_unit_test(test_near_measured_times),
        cmocka_unit_test(test_rows_have_places),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_parse_adds),
        cmocka_unit_test(test_unknown_names_are_skipped),
        cmocka_unit_test(test_parse_refuses),
        cmocka_unit_test(test_damaged_text),
        cmocka_unit_test(test_decimal_comma),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
