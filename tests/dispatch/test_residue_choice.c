/* residue_choice.c: which fp64 products are computed by residues. */
#include <math.h>

#include "products.h"

#include "dispatch/residue_choice.h"
#include "dispatch/residues.h"
#include "dispatch/sharing.h"

/* As devices.h has it, with matrices of int8. */
static struct lava_capabilities with_integers(struct lava_capabilities device) {
    device.integer_shape = (struct lava_integer_shape){16, 16, 32};
    device.whole_matrices = device.integer_products = true;
    return device;
}

static struct lava_operation fp64_product(int64_t m, int64_t n, int64_t k, bool on_device) {
    struct lava_operation operation = product(m, n, k);
    operation.type = operation.c.type = LAVA_TYPE_FP64;
    operation.precision = LAVA_PRECISION_STANDARD;
    operation.on_device = on_device;
    return operation;
}

static struct lava_plan plan_of(const struct lava_operation *operation,
                                const struct lava_capabilities *device,
                                const struct lava_overrides *overrides) {
    return choose_by(&sixteen_cores, operation, device, LAVA_MODE_GPU, overrides);
}

static struct lava_capabilities geforce(void) {
    struct lava_capabilities device = with_integers(device_h200());
    snprintf(device.name, sizeof device.name, "NVIDIA GeForce RTX 4090");
    return device;
}

/* Large and deep products, also where fp64 is fast: those that gain by the measurements of an H200. `ieee`
 * and shallow ones stay. */
static void test_choice(void **state) {
    static const struct {
        int64_t m, n, k;
        bool on_device, where_slow, where_fast;
    } cases[] = {{8192, 8192, 8192, true, true, true},     {4096, 4096, 4096, true, true, true},
                 {16384, 16384, 16384, true, true, true},  {16384, 16384, 4096, true, true, true},
                 {2048, 2048, 2048, true, true, false},    {8192, 8192, 512, true, true, false},
                 {8192, 8192, 8192, false, true, true},    {4096, 4096, 4096, false, true, false},
                 {16384, 16384, 16384, false, true, true}, {8192, 8192, 63, true, false, false}};
    const struct lava_capabilities slow = geforce(), fast = with_integers(device_h200());
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lava_operation operation =
            fp64_product(cases[i].m, cases[i].n, cases[i].k, cases[i].on_device);
        const struct lava_plan plan = plan_of(&operation, &slow, &none);
        const struct lava_plan faster = plan_of(&operation, &fast, &none);
        if (!plan.residues != !cases[i].where_slow || !faster.residues != !cases[i].where_fast)
            fail_msg("case %zu: %.2f and %.2f ms", i, 1e-6 * plan.gpu_ns, 1e-6 * faster.gpu_ns);
        assert_int_equal(plan.kernel->type, LAVA_TYPE_FP64);
        assert_true(!plan.residues || plan.residue_tiles > 0);
        operation.precision = LAVA_PRECISION_IEEE;
        const struct lava_plan exact = plan_of(&operation, &slow, &none);
        assert_null(exact.residues);
        assert_true(!plan.residues || plan.gpu_ns < exact.gpu_ns);
    }
}

/* What the note has measured on an H200, ms, and what is estimated: within a tenth. */
static void test_estimates(void **state) {
    static const struct {
        int64_t n;
        double ms;
    } measured[] = {{4096, 4.53}, {8192, 32.7}, {16384, 260}};
    const struct lava_capabilities device = with_integers(device_h200());
    const struct lava_overrides on = {.residues = LAVA_RESIDUE_ON};
    (void)state;
    for (size_t i = 0; i < COUNT(measured); i++) {
        const struct lava_operation operation =
            fp64_product(measured[i].n, measured[i].n, measured[i].n, true);
        const struct lava_plan plan = plan_of(&operation, &device, &on);
        assert_string_equal(plan.residues->name, "whole_256x128");
        double ratio = 1e-6 * plan.gpu_ns / measured[i].ms;
        if (!(ratio > 0.9 && ratio < 1.1))
            fail_msg("%lld: %.2f ms", (long long)measured[i].n, 1e-6 * plan.gpu_ns);
    }
}

/* Where no rate is known a guess decides: not for fp64 that is fast, for fp64 that is slow. */
static void test_guessed_rate(void **state) {
    struct lava_capabilities device = with_integers(device_h200());
    const struct lava_operation operation = fp64_product(8192, 8192, 8192, true);
    (void)state;
    device.whole_matrices = false;
    assert_null(plan_of(&operation, &device, &none).residues);
    const struct lava_capabilities slow = geforce();
    assert_non_null(plan_of(&operation, &slow, &none).residues);
    const struct lava_capabilities software = with_integers(device_lavapipe());
    assert_null(plan_of(&operation, &software, &none).residues);
}

/* A CPU that is faster than the device's fp64 does not keep products that residues win. */
static void test_fast_cpu(void **state) {
    struct lava_capabilities device = with_integers(device_h200());
    const struct lava_operation operation = fp64_product(16384, 16384, 16384, false);
    struct lava_figures figures = sixteen_cores;
    (void)state;
    figures.cpu.flops_per_s[LAVA_TYPE_FP64] = 20e12;
    assert_false(lava_policy_is_hopeless(&operation, &device, &figures, 1));
    lava_residue_refuse(&device);
    assert_true(lava_policy_is_hopeless(&operation, &device, &figures, 1));
}

/* Settings, and what is refused, forced or not possible. */
static void test_settings(void **state) {
    struct lava_capabilities device = geforce();
    const struct lava_operation large = fp64_product(8192, 8192, 8192, true),
                                small = fp64_product(300, 300, 300, true);
    const struct lava_overrides on = {.residues = LAVA_RESIDUE_ON}, off = {.residues = LAVA_RESIDUE_OFF},
                                forced = {.kernel = lava_kernels_find("fp64_64x64")},
                                little = {.residues = LAVA_RESIDUE_ON, .memory_bytes = 1 << 20};
    (void)state;
    assert_null(plan_of(&large, &device, &off).residues);
    assert_non_null(plan_of(&small, &device, &on).residues);
    assert_null(plan_of(&large, &device, &forced).residues);
    assert_null(plan_of(&small, &device, &little).residues);
    lava_residue_refuse(&device);
    assert_null(plan_of(&large, &device, &none).residues);
    lava_residue_admit(&device);
    assert_non_null(plan_of(&large, &device, &none).residues);
    device.residues = LAVA_RESIDUE_OFF;
    assert_null(plan_of(&large, &device, &none).residues);
    device.residues = LAVA_RESIDUE_ON;
    assert_non_null(plan_of(&small, &device, &none).residues);
    device.integer_shape = (struct lava_integer_shape){0};
    device.whole_matrices = device.integer_products = false;
    assert_null(plan_of(&small, &device, &on).residues);
}

/* With less memory there are fewer columns of sums, and the plan fits what there is. */
static void test_memory(void **state) {
    const struct lava_capabilities device = with_integers(device_h200());
    const struct lava_operation operation = fp64_product(8192, 8192, 8192, false);
    uint32_t before = UINT32_MAX;
    (void)state;
    for (uint64_t bytes = UINT64_C(8) << 30; bytes > 0; bytes /= 2) {
        const struct lava_overrides overrides = {.residues = LAVA_RESIDUE_ON, .memory_bytes = bytes};
        const struct lava_plan plan = plan_of(&operation, &device, &overrides);
        if (!plan.residues)
            break;
        assert_true(plan.blocking.total_bytes <= bytes);
        assert_true(plan.residue_tiles <= before);
        before = plan.residue_tiles;
    }
    assert_true(before < UINT32_MAX);
}

/* The parts of op(B) cover its columns in whole tiles, and the last panel's blocks have room for downloads.
 */
static void test_parts(void **state) {
    size_t count;
    const struct lava_residue_way *ways = lava_residue_ways(&count);
    (void)state;
    for (int64_t n = 1; n < 100000; n = n * 3 / 2 + 1)
        for (int where = 0; where < 4; where++) {
            int64_t column = 0;
            int parts = 0;
            for (; column < n; parts++) {
                assert_int_equal(column % ways[0].tile_n, 0);
                column += lava_residue_part_columns(&ways[0], n, column, where & 1, where & 2);
            }
            assert_int_equal(column, n);
            assert_true(parts <= LAVA_BLOCKING_BLOCKS_HELD);
        }
}

/* Complex products are chosen like real ones of twice as many rows and twice the depth, but on the device for
 * scalars with an imaginary part, which combining has not. */
static void test_complex(void **state) {
    const struct lava_capabilities device = with_integers(device_h200());
    const struct lava_overrides on = {.residues = LAVA_RESIDUE_ON};
    struct lava_operation operation = fp64_product(4096, 4096, 4096, true);
    const struct lava_operation real = fp64_product(8192, 4096, 8192, true);
    (void)state;
    operation.type = operation.c.type = LAVA_TYPE_CFP64;
    const struct lava_plan plan = plan_of(&operation, &device, &none),
                           real_plan = plan_of(&real, &device, &none);
    assert_non_null(plan.residues);
    assert_true(plan.gpu_ns == real_plan.gpu_ns);
    assert_int_equal(plan.blocking.packed_a_bytes, real_plan.blocking.packed_a_bytes);
    for (int i = 0; i < 2; i++) {
        struct lava_scalar *scalar = i == 0 ? &operation.alpha : &operation.beta;
        scalar->imaginary = 1;
        operation.on_device = true;
        assert_null(plan_of(&operation, &device, &on).residues);
        operation.on_device = false; /* the write-back has both */
        assert_non_null(plan_of(&operation, &device, &on).residues);
        scalar->imaginary = INFINITY;
        assert_int_equal(plan_of(&operation, &device, &on).residues != NULL, i == 1);
        scalar->imaginary = 0;
    }
    operation.c.region = LAVA_REGION_LOWER;
    operation.on_device = true; /* imaginary parts of a real diagonal would stay */
    assert_null(plan_of(&operation, &device, &on).residues);
    operation.on_device = false;
    assert_non_null(plan_of(&operation, &device, &on).residues);
}

/* Half of C comes down, and A goes up alone if B is A transposed: that takes less time, and less memory. */
static void test_triangles(void **state) {
    const struct lava_capabilities device = with_integers(device_h200());
    const struct lava_overrides on = {.residues = LAVA_RESIDUE_ON};
    struct lava_operation operation = fp64_product(8192, 8192, 8192, false);
    const struct lava_plan all = plan_of(&operation, &device, &on);
    (void)state;
    operation.b.op = LAVA_OP_T;
    operation.c.region = LAVA_REGION_UPPER;
    const struct lava_plan triangle = plan_of(&operation, &device, &on);
    operation.b_is_a = true;
    const struct lava_plan square = plan_of(&operation, &device, &on);
    assert_true(triangle.residues && square.residues);
    assert_true(square.gpu_ns < triangle.gpu_ns && triangle.gpu_ns < 0.75 * all.gpu_ns);
    assert_int_equal(triangle.blocking.total_bytes, all.blocking.total_bytes);
    assert_int_equal(square.blocking.total_bytes, triangle.blocking.total_bytes - (UINT64_C(8) << 26));
}

/* One device computes a product by residues. Several that share the plain one are faster, if they gain by it.
 */
static void test_several_devices(void **state) {
    struct lava_capabilities device = with_integers(device_h200());
    const struct lava_operation operation = fp64_product(16384, 16384, 16384, false);
    (void)state;
    for (uint32_t engines = 1; engines <= 8; engines *= 2)
        for (int use = LAVA_RESIDUE_AUTO; use <= LAVA_RESIDUE_ON; use++) {
            const struct lava_plan_request asked = {&operation, &device, &sixteen_cores, &none, NULL};
            device.residues = (enum lava_residue_use)use;
            struct lava_plan plan = plan_of(&operation, &device, &none), before = plan;
            lava_sharing_reconsider(&asked, LAVA_MODE_GPU, engines, &plan);
            bool is_plain = use == LAVA_RESIDUE_OFF || (use == LAVA_RESIDUE_AUTO && engines > 1);
            assert_int_equal(!plan.residues, is_plain);
            assert_true(plan.residues || use == LAVA_RESIDUE_OFF || plan.gpu_ns > before.gpu_ns);
        }
}

/* The other kinds of products are not. */
static void test_others(void **state) {
    const struct lava_capabilities device = with_integers(device_h200());
    const struct lava_overrides on = {.residues = LAVA_RESIDUE_ON};
    struct lava_operation operation = fp64_product(2048, 2048, 2048, false);
    (void)state;
    assert_non_null(plan_of(&operation, &device, &on).residues);
    operation.type = operation.c.type = LAVA_TYPE_FP32;
    assert_null(plan_of(&operation, &device, &on).residues);
}

static struct lava_capabilities arc(void) {
    struct lava_capabilities device = with_integers(device_h200());
    snprintf(device.name, sizeof device.name, "Intel(R) Arc(tm) A770 Graphics (DG2)");
    device.vendor_id = 0x8086;
    device.multiprocessors = 32;
    device.whole_matrices = device.fp64 = false;
    device.integer_shape = (struct lava_integer_shape){0};
    return device;
}

/* Without fp64 residues are the only way, and C is in host memory: large products go to the device by the
 * estimate, whatever share of another way that is. */
static void test_without_fp64(void **state) {
    struct lava_capabilities device = arc();
    struct lava_operation operation = fp64_product(8192, 8192, 8192, false);
    const struct lava_overrides little = {.memory_bytes = 1 << 20}, off = {.residues = LAVA_RESIDUE_OFF};
    (void)state;
    const struct lava_plan plan = plan_of(&operation, &device, &none);
    assert_string_equal(plan.residues->name, "dot_64x64");
    assert_true(plan.leaves_tiles && plan.gpu_ns > 0 && plan.flops_per_s > 0 && plan.residue_tiles > 0);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    struct lava_figures slow_cpu = sixteen_cores;
    slow_cpu.cpu.flops_per_s[LAVA_TYPE_FP64] = 0.05e12;
    const struct lava_plan automatic = choose_by(&slow_cpu, &operation, &device, LAVA_MODE_AUTO, &none);
    assert_int_equal(automatic.reason, LAVA_REASON_PROFITABLE);
    assert_false(lava_policy_is_hopeless(&operation, &device, &slow_cpu, 1));
    assert_int_equal(plan_of(&operation, &device, &little).reason, LAVA_REASON_MEMORY);
    assert_int_equal(plan_of(&operation, &device, &off).reason, LAVA_REASON_NO_KERNEL);
    /* each matrix, of 512 MiB, is a buffer of its own */
    struct lava_capabilities limited = device;
    for (int i = 0; i < 2; i++) {
        limited.max_buffer_bytes = (UINT64_C(1) << 29) - (uint64_t)i;
        assert_int_equal(plan_of(&operation, &limited, &none).reason,
                         i == 0 ? LAVA_REASON_FORCED : LAVA_REASON_MEMORY);
    }
    /* nothing is packed for a row of fp64 */
    const struct lava_operation parts = lava_residue_parts(&operation);
    const struct lava_residue_layout packed = lava_residue_layout_of(plan.residues, &parts, 1, true);
    assert_true(plan.blocking.packed_a_bytes == packed.packed_a_offset &&
                plan.blocking.packed_b_bytes == packed.packed_b_offset);
    device.slot_bytes = 256;
    assert_int_equal(plan_of(&operation, &device, &none).reason, LAVA_REASON_MEMORY);
    device.slot_bytes = 0;
    operation.on_device = true;
    assert_int_equal(plan_of(&operation, &device, &none).reason, LAVA_REASON_NO_KERNEL);
    operation.on_device = false;
    operation.type = operation.c.type = LAVA_TYPE_CFP64;
    assert_true(plan_of(&operation, &device, &none).leaves_tiles);
    operation.alpha.imaginary = 1; /* the write-back multiplies by it, if it is finite */
    assert_true(plan_of(&operation, &device, &none).leaves_tiles);
    operation.alpha.real = INFINITY;
    assert_int_equal(plan_of(&operation, &device, &none).reason, LAVA_REASON_NO_KERNEL);
    operation.alpha = (struct lava_scalar){.real = 1};
    operation.type = operation.c.type = LAVA_TYPE_FP64;
    operation.precision = LAVA_PRECISION_IEEE;
    assert_int_equal(plan_of(&operation, &device, &none).reason, LAVA_REASON_NO_KERNEL);
    operation.precision = LAVA_PRECISION_STANDARD;
    lava_residue_refuse(&device);
    assert_int_equal(plan_of(&operation, &device, &none).reason, LAVA_REASON_NO_KERNEL);
    lava_residue_admit(&device);
    device.integer_products = false;
    assert_int_equal(plan_of(&operation, &device, &none).reason, LAVA_REASON_NO_KERNEL);
}

/* Devices whose fp64 is fast combine in fp64, the others in integers. */
static void test_combining(void **state) {
    const struct lava_capabilities fast = device_h200(), software = device_lavapipe(), slow = geforce(),
                                   missing = arc();
    (void)state;
    assert_false(lava_residue_combines_in_integers(&fast));
    assert_false(lava_residue_combines_in_integers(&software));
    assert_true(lava_residue_combines_in_integers(&slow));
    assert_true(lava_residue_combines_in_integers(&missing));
    assert_false(lava_residue_ends_early(3, 4));
    assert_true(lava_residue_ends_early(4, 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),       cmocka_unit_test(test_estimates),
        cmocka_unit_test(test_guessed_rate), cmocka_unit_test(test_settings),
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_fast_cpu),
        cmocka_unit_test(test_others),       cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_parts),        cmocka_unit_test(test_several_devices),
        cmocka_unit_test(test_complex),      cmocka_unit_test(test_without_fp64),
        cmocka_unit_test(test_combining)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
