/* imports.c: which pages are imported, which operands are not, and when an import pays. */
#include "products.h"

#include <math.h>

#include "dispatch/cost.h"
#include "dispatch/import_choice.h"

#define PAGE 4096

static struct lava_capabilities device_importing(void) {
    struct lava_capabilities device = device_lavapipe();
    device.import_page_bytes = PAGE;
    return device;
}

/* A of rows x columns as stored. */
static struct lava_operation stored(enum lava_type type, uint64_t first, int64_t rows, int64_t columns,
                                    int64_t ld) {
    struct lava_operation operation = product(rows, 100, columns);
    operation.type = operation.c.type = type;
    operation.a.first = (const void *)(uintptr_t)first;
    operation.a.ld = ld;
    return operation;
}

// clang-format off
static const struct {
    enum lava_type type;
    uint64_t first;
    int64_t rows, columns, ld;
    uint64_t page, bytes; /* bytes 0: it is copied */
} cases[] = {
    /* type, first, rows, columns, ld, first page, bytes */
    {LAVA_TYPE_FP32, 0x10000, 1024, 4, 1024, 0x10000, 4 * PAGE},
    {LAVA_TYPE_FP32, 0x10010, 1024, 4, 1024, 0x10000, 5 * PAGE}, /* 16 bytes in a further page */
    {LAVA_TYPE_FP32, 0x10ff0, 4, 1, 4, 0x10000, PAGE},           /* the last bytes of a page */
    {LAVA_TYPE_FP32, 0x10ff0, 5, 1, 5, 0x10000, 2 * PAGE},       /* odd lengths */
    {LAVA_TYPE_FP32, 0x10ff0, 5, 1, 1 << 20, 0x10000, 2 * PAGE}, /* one column: ld does not count */
    {LAVA_TYPE_FP32, 0x10000, 1021, 4, 1024, 0x10000, 4 * PAGE},
    {LAVA_TYPE_FP32, 0x10000, 1, 1024, 4, 0, 0},                  /* a quarter is used */
    {LAVA_TYPE_FP32, 0x10000, 2, 1024, 4, 0x10000, 4 * PAGE},     /* a half */
    {LAVA_TYPE_FP32, 0x10000, 4096, 8, 4096 + 1020, 0x10000, 39 * PAGE},
    {LAVA_TYPE_FP32, 0x10000, 4096, 8, 4096 + 1024, 0, 0},        /* a page between columns */
    {LAVA_TYPE_FP32, 0x10004, 1024, 4, 1024, 0, 0},               /* not at a word */
    {LAVA_TYPE_FP32, 0x10000, 1022, 4, 1022, 0, 0},
    {LAVA_TYPE_FP64, 0x10008, 1024, 4, 1024, 0, 0},
    {LAVA_TYPE_FP64, 0x10000, 1022, 4, 1022, 0x10000, 8 * PAGE},
    {LAVA_TYPE_FP16, 0x10000, 1020, 4, 1020, 0, 0},
    {LAVA_TYPE_BF16, 0x10000, 1016, 4, 1016, 0x10000, 2 * PAGE},
    {LAVA_TYPE_CFP32, 0x10008, 511, 5, 511, 0x10000, 5 * PAGE},   /* complex: parts */
    {LAVA_TYPE_CFP32, 0x1000c, 511, 5, 511, 0x10000, 5 * PAGE},
    {LAVA_TYPE_CFP32, 0x10002, 511, 5, 511, 0, 0},
    {LAVA_TYPE_CFP64, 0x10004, 255, 5, 255, 0, 0},
    /* 2 GiB, the largest buffer, and a page more */
    {LAVA_TYPE_FP32, 0x10000, 1 << 14, 1 << 15, 1 << 14, 0x10000, UINT64_C(1) << 31},
    {LAVA_TYPE_FP32, 0x10010, 1 << 14, 1 << 15, 1 << 14, 0, 0},
};
// clang-format on

static void test_pages(void **state) {
    (void)state;
    const struct lava_capabilities device = device_importing();
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct lava_operation operation =
            stored(cases[i].type, cases[i].first, cases[i].rows, cases[i].columns, cases[i].ld);
        struct lava_import_pages pages = {0};
        const char *why = lava_imports_obstacle(&operation, false, &device, &pages);
        if (pages.first != cases[i].page || pages.bytes != cases[i].bytes || !why != (cases[i].bytes > 0))
            fail_msg("case %zu: %#llx, %llu bytes (%s)", i, (unsigned long long)pages.first,
                     (unsigned long long)pages.bytes, why ? why : "imported");
    }
}

/* B and transposed operands have other rows and columns. */
static void test_operands(void **state) {
    (void)state;
    const struct lava_capabilities device = device_importing();
    for (int is_b = 0; is_b < 2; is_b++)
        for (int turned = 0; turned < 2; turned++) {
            struct lava_operation operation = product(512, 512, 300);
            struct lava_operand *operand = is_b ? &operation.b : &operation.a;
            bool runs_along_k = is_b ? !turned : turned;
            operand->op = turned ? LAVA_OP_T : LAVA_OP_N;
            operand->first = (const void *)(uintptr_t)0x40000;
            operand->ld = runs_along_k ? 300 : 512;
            struct lava_import_pages pages = {0};
            assert_null(lava_imports_obstacle(&operation, is_b, &device, &pages));
            assert_int_equal(pages.first, 0x40000);
            assert_int_equal(pages.bytes, 300 * 512 * 4);
            operand->ld = runs_along_k ? 304 : 516;
            assert_null(lava_imports_obstacle(&operation, is_b, &device, &pages));
            uint64_t span = runs_along_k ? (511 * 304 + 300) * 4 : (299 * 516 + 512) * 4;
            assert_int_equal(pages.bytes, (span + PAGE - 1) / PAGE * PAGE);
        }
}

static void test_devices(void **state) {
    (void)state;
    struct lava_operation operation = stored(LAVA_TYPE_FP32, 0x10000, 1024, 4, 1024);
    struct lava_import_pages pages;
    static const struct lava_series series = {.count = 2};
    struct lava_capabilities device = device_importing();
    assert_null(lava_imports_obstacle(&operation, false, &device, &pages));
    device.unified_memory = false;
    assert_non_null(lava_imports_obstacle(&operation, false, &device, &pages));
    device = device_importing();
    device.import_page_bytes = 0;
    assert_non_null(lava_imports_obstacle(&operation, false, &device, &pages));
    device = device_importing();
    operation.series = &series;
    assert_non_null(lava_imports_obstacle(&operation, false, &device, &pages));
    operation.series = NULL;
    operation.on_device = true;
    assert_non_null(lava_imports_obstacle(&operation, false, &device, &pages));
}

/* Every page of a random operand that is imported has a byte of it, and every byte of it is in a page. */
static void test_random_pages(void **state) {
    (void)state;
    const struct lava_capabilities device = device_importing();
    uint64_t random = random_seed();
    int imported = 0;
    for (int i = 0; i < 20000; i++) {
        int64_t rows = 1 + (int64_t)(random_next(&random) % 3000),
                columns = 1 + (int64_t)(random_next(&random) % 40);
        int64_t ld = (rows + (int64_t)(random_next(&random) % 2000) + 3) / 4 * 4;
        uint64_t first = 0x10000 + random_next(&random) % 1024 * 16;
        const struct lava_operation operation = stored(LAVA_TYPE_FP32, first, rows, columns, ld);
        struct lava_import_pages pages;
        if (lava_imports_obstacle(&operation, false, &device, &pages))
            continue;
        imported++;
        uint64_t next = pages.first; /* the first page without a byte so far */
        for (int64_t column = 0; column < columns; column++) {
            uint64_t begin = first + (uint64_t)(column * ld) * 4, end = begin + (uint64_t)rows * 4;
            assert_true(begin >= pages.first && end <= pages.first + pages.bytes);
            assert_true(begin < next + PAGE);
            next = (end + PAGE - 1) / PAGE * PAGE;
        }
        assert_int_equal(next, pages.first + pages.bytes);
    }
    assert_true(imported > 2000);
}

static void test_what_pays(void **state) {
    (void)state;
    /* 10 us and 100 GB/s, against 20 GB/s: 1 MB is imported in 20 us and copied in 50 */
    const struct lava_device_figures figures = {
        .import_ns = 10e3, .import_bytes_per_s = 100e9, .copy_bytes_per_s = 20e9};
    assert_true(lava_imports_pay(&figures, 1000000));
    assert_false(lava_imports_pay(&figures, 200000)); /* 12 us against 10 */
    assert_false(lava_imports_pay(&figures, 280000)); /* 12.8 against 14: not by enough */
    assert_true(lava_imports_pay(&figures, 300000));  /* 13 against 15 */
    struct lava_device_figures missing = figures;
    missing.import_ns = 0;
    assert_false(lava_imports_pay(&missing, UINT64_C(1) << 31));
    missing = figures;
    missing.import_bytes_per_s = 0;
    assert_false(lava_imports_pay(&missing, UINT64_C(1) << 31));
    missing = figures;
    missing.copy_bytes_per_s = 0;
    assert_false(lava_imports_pay(&missing, UINT64_C(1) << 31));
    /* as the calibration says that a driver refuses */
    const struct lava_device_figures never = {
        .import_ns = 1, .import_bytes_per_s = 1e12, .copy_bytes_per_s = 1e12};
    assert_false(lava_imports_pay(&never, 1));
    assert_false(lava_imports_pay(&never, UINT64_C(1) << 31));
}

static void test_choice(void **state) {
    (void)state;
    const struct lava_capabilities device = device_importing();
    const struct lava_device_figures none_measured = {0},
                                     good = {.import_ns = 1e3,
                                             .import_bytes_per_s = 100e9,
                                             .copy_bytes_per_s = 10e9},
                                     bad = {.import_ns = 1e3,
                                            .import_bytes_per_s = 10e9,
                                            .copy_bytes_per_s = 100e9};
    const struct lava_operation fine = stored(LAVA_TYPE_FP32, 0x10000, 1024, 40, 1024),
                                odd = stored(LAVA_TYPE_FP32, 0x10004, 1024, 40, 1024);
    const struct {
        const struct lava_operation *operation;
        const struct lava_device_figures *figures;
        enum lava_imports imports;
        bool expected;
    } choices[] = {
        {&fine, &none_measured, LAVA_IMPORTS_BY_FIGURES, false},
        {&fine, &good, LAVA_IMPORTS_BY_FIGURES, true},
        {&fine, &bad, LAVA_IMPORTS_BY_FIGURES, false},
        {&odd, &good, LAVA_IMPORTS_BY_FIGURES, false},
        {&fine, &good, LAVA_IMPORTS_NEVER, false},
        {&fine, &bad, LAVA_IMPORTS_ALWAYS, true},
        {&fine, &none_measured, LAVA_IMPORTS_ALWAYS, true},
        {&odd, &good, LAVA_IMPORTS_ALWAYS, false},
    };
    for (size_t i = 0; i < COUNT(choices); i++) {
        struct lava_import_pages pages;
        const char *why = NULL;
        bool is_imported = lava_imports_choose(choices[i].operation, false, &device, choices[i].figures,
                                               choices[i].imports, &pages, &why);
        assert_int_equal(is_imported, choices[i].expected);
        assert_true(is_imported || why);
    }
}

static bool is_near(double value, double expected) {
    return fabs(value - expected) < 1e-9 * expected;
}

/* The rate counts imports and copies as they are chosen. */
static void test_rate(void **state) {
    (void)state;
    const struct lava_capabilities device = device_importing();
    const struct lava_device_figures figures = {
        .import_ns = 1e3, .import_bytes_per_s = 100e9, .copy_bytes_per_s = 10e9};
    const double bytes = 1024.0 * 1024 * 4, copied = 8e9, import_s = 1e-6 + bytes / 100e9;
    const struct {
        uint64_t a, b;
        bool b_is_a;
        enum lava_imports imports;
        double expected;
    } rates[] = {
        {0x1000000, 0x2000000, false, LAVA_IMPORTS_BY_FIGURES, bytes / import_s},
        {0x1000000, 0x2000000, false, LAVA_IMPORTS_NEVER, copied},
        {0x1000000, 0x2000004, false, LAVA_IMPORTS_BY_FIGURES, 2 * bytes / (import_s + bytes / copied)},
        {0x1000000, 0x2000004, true, LAVA_IMPORTS_BY_FIGURES, bytes / import_s}, /* B is not uploaded */
        {0x1000004, 0x2000004, false, LAVA_IMPORTS_BY_FIGURES, copied},
    };
    for (size_t i = 0; i < COUNT(rates); i++) {
        struct lava_operation operation = product(1024, 1024, 1024);
        operation.a.first = (const void *)(uintptr_t)rates[i].a;
        operation.b.first = (const void *)(uintptr_t)rates[i].b;
        operation.b_is_a = rates[i].b_is_a;
        assert_true(is_near(lava_imports_upload_rate(&operation, &device, &figures, rates[i].imports, copied),
                            rates[i].expected));
    }
}

/* A plan's estimate is shorter if A and B are imported, and never below the bound that refuses products.
 */
static void test_estimates(void **state) {
    (void)state;
    const struct lava_capabilities device = device_importing();
    const struct lava_device_figures measured = {
        .import_ns = 1e3, .import_bytes_per_s = 1e12, .copy_bytes_per_s = 1e9};
    struct lava_figures figures = sixteen_cores;
    figures.device = measured;
    figures.device.upload_bytes_per_s = 1e9;
    struct lava_operation operation = product(64, 64, 100000);
    static const struct lava_overrides copies = {.imports = LAVA_IMPORTS_NEVER};
    struct lava_plan imported, copied;
    operation.a.ld = 64;
    lava_policy_choose(&operation, &device, &figures, LAVA_MODE_GPU, NULL, &imported);
    lava_policy_choose(&operation, &device, &figures, LAVA_MODE_GPU, &copies, &copied);
    assert_int_equal(imported.imports, LAVA_IMPORTS_BY_FIGURES);
    assert_int_equal(copied.imports, LAVA_IMPORTS_NEVER);
    /* 51 MB at 1 GB/s, some of it while the first chunks are packed */
    assert_true(copied.gpu_ns - imported.gpu_ns > 30e6);
    figures.cpu.flops_per_s[LAVA_TYPE_FP32] = 1e9 * lava_operation_flops(&operation) / (10 * imported.gpu_ns);
    assert_false(lava_policy_is_hopeless(&operation, &device, &figures, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),        cmocka_unit_test(test_operands),  cmocka_unit_test(test_devices),
        cmocka_unit_test(test_random_pages), cmocka_unit_test(test_what_pays), cmocka_unit_test(test_choice),
        cmocka_unit_test(test_rate),         cmocka_unit_test(test_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
