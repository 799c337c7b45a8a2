/* kernels.c: what depends on the size of a device's subgroups and on its list of matrices. */
#include "devices.h"

#include "dispatch/kernels.h"
#include "products.h"

/* SIMT rows and matrix rows have a size each. A workgroup may have few subgroups, whatever their size. */
static void test_sizes(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    const struct lava_kernel *simt = lava_kernels_find("fp32_128x128");
    const struct lava_kernel *shared = lava_kernels_find("fp16_shared_64x64");
    device.simt_subgroup_size = 8;
    assert_int_equal(lava_kernel_subgroup_size(simt, &device), 8);
    assert_int_equal(lava_kernel_subgroup_size(shared, &device), 32);
    assert_int_equal(lava_kernel_invocations(simt, &device), 256);
    assert_int_equal(lava_kernel_invocations(shared, &device), 4 * 32);
    device.max_workgroup_subgroups = 32;
    assert_refused(simt, &device, NULL);
    device.max_workgroup_subgroups = 31;
    assert_refused(simt, &device, "more subgroups");
    assert_refused(shared, &device, NULL);
    device.max_workgroup_subgroups = 3;
    assert_refused(shared, &device, "more subgroups");
}

/* A row writes its own type from such sums if the device has them in the row's shape. Elsewhere a row of
 * fragments does so through shared memory, if there is enough. */
static void test_narrow_sums(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    const struct lava_kernel *fp16 = lava_kernels_find("fp16_shared_64x64");
    const struct lava_kernel *bf16 = lava_kernels_find("bf16_fragments_64x64");
    assert_true(lava_kernel_narrows(fp16, &device));
    assert_true(lava_kernel_narrows(bf16, &device)); /* there are no such sums of bf16 */
    assert_int_equal(lava_kernel_narrow_module(fp16, &device), LAVA_MODULE_MULTIPLY_SHARED_FP16_NARROW);
    assert_int_equal(lava_kernel_narrow_module(bf16, &device), LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16_PATCHED);
    assert_false(lava_kernel_narrows(lava_kernels_find("bf16x3_64x64"), &device));
    assert_false(lava_kernel_narrows(lava_kernels_find("fp32_64x64"), &device));
    for (uint32_t i = 0; i < device.shape_count; i++)
        device.shapes[i].narrow = device.shapes[i].m != 16 || device.shapes[i].n != 16;
    assert_false(lava_kernel_narrows(fp16, &device)); /* those it has are of another shape */
    fp16 = lava_kernels_find("fp16_fragments_64x64");
    assert_int_equal(lava_kernel_narrow_module(fp16, &device), LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16_PATCHED);
    /* four subgroups, each with 32 + 4 rows and 16 columns of fp32 */
    device.max_shared_bytes = 4 * (32 + 4) * 16 * 4;
    assert_true(lava_kernel_narrows(fp16, &device) && lava_kernel_narrows(bf16, &device));
    device.max_shared_bytes--;
    assert_false(lava_kernel_narrows(fp16, &device) || lava_kernel_narrows(bf16, &device));
}

/* If the library has patches at all, 32 KiB are enough for them. */
static void test_patches_fit(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    size_t count, rows = 0;
    const struct lava_kernel *table = lava_kernels_table(&count);
    device.max_shared_bytes = 32768;
    for (uint32_t i = 0; i < device.shape_count; i++)
        device.shapes[i].narrow = false;
    for (size_t i = 0; i < count; i++)
        if (lava_type_is_half(table[i].type) && lava_kernel_layout(&table[i]) == LAVA_LAYOUT_FRAGMENTS) {
            assert_true(lava_kernel_narrows(&table[i], &device));
            rows++;
        }
    assert_int_equal(rows, 12);
}

/* Otherwise the epilogue rounds. It is planned then, and only then. */
static void test_rounding_is_planned(void **state) {
    (void)state;
    static const struct {
        enum lava_type type, type_c;
        enum lava_region region;
        uint32_t shared_bytes; /* none: no patches */
        bool epilogue;
    } cases[] = {{LAVA_TYPE_FP16, LAVA_TYPE_FP16, LAVA_REGION_ALL, 0, false},
                 {LAVA_TYPE_FP16, LAVA_TYPE_FP32, LAVA_REGION_ALL, 0, false},
                 {LAVA_TYPE_BF16, LAVA_TYPE_BF16, LAVA_REGION_ALL, 0, true},
                 {LAVA_TYPE_BF16, LAVA_TYPE_BF16, LAVA_REGION_ALL, 32768, false},
                 {LAVA_TYPE_BF16, LAVA_TYPE_BF16, LAVA_REGION_LOWER, 0, true},
                 {LAVA_TYPE_BF16, LAVA_TYPE_BF16, LAVA_REGION_LOWER, 32768, false},
                 {LAVA_TYPE_BF16, LAVA_TYPE_FP32, LAVA_REGION_ALL, 0, false},
                 {LAVA_TYPE_FP32, LAVA_TYPE_FP32, LAVA_REGION_ALL, 49152, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lava_capabilities device = device_h200();
        device.max_shared_bytes = cases[i].shared_bytes;
        struct lava_operation operation = product_of(cases[i].type, cases[i].type_c, 8192, 8192, 8192);
        const struct lava_overrides overrides = {.split_k = 1};
        operation.c.region = cases[i].region;
        struct lava_plan plan = choose(&operation, &device, LAVA_MODE_GPU, &overrides);
        assert_int_equal(plan.place, LAVA_PLACE_GPU);
        assert_int_equal(plan.blocking.epilogue, cases[i].epilogue);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_narrow_sums),
        cmocka_unit_test(test_patches_fit),
        cmocka_unit_test(test_rounding_is_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
