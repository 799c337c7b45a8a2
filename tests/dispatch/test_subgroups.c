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

/* A row writes its own type only if the device has such sums in the row's shape. */
static void test_narrow_sums(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    const struct lava_kernel *fp16 = lava_kernels_find("fp16_shared_64x64");
    const struct lava_kernel *bf16 = lava_kernels_find("bf16_fragments_64x64");
    assert_true(lava_kernel_narrows(fp16, &device));
    assert_false(lava_kernel_narrows(bf16, &device)); /* there are no such sums of bf16 */
    assert_int_equal(lava_kernel_narrow_module(fp16, &device), LAVA_MODULE_MULTIPLY_SHARED_FP16_NARROW);
    assert_int_equal(lava_kernel_narrow_module(bf16, &device), LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16_PATCHED);
    assert_false(lava_kernel_narrows(lava_kernels_find("bf16x3_64x64"), &device));
    assert_false(lava_kernel_narrows(lava_kernels_find("fp32_64x64"), &device));
    for (uint32_t i = 0; i < device.shape_count; i++)
        device.shapes[i].narrow = device.shapes[i].m != 16 || device.shapes[i].n != 16;
    assert_false(lava_kernel_narrows(fp16, &device)); /* those it has are of another shape */
}

/* Otherwise the epilogue rounds. It is planned then, and only then. */
static void test_rounding_is_planned(void **state) {
    (void)state;
    static const struct {
        enum lava_type type, type_c;
        enum lava_region region;
        bool epilogue;
    } cases[] = {{LAVA_TYPE_FP16, LAVA_TYPE_FP16, LAVA_REGION_ALL, false},
                 {LAVA_TYPE_FP16, LAVA_TYPE_FP32, LAVA_REGION_ALL, false},
                 {LAVA_TYPE_BF16, LAVA_TYPE_BF16, LAVA_REGION_ALL, true},
                 {LAVA_TYPE_BF16, LAVA_TYPE_BF16, LAVA_REGION_LOWER, true},
                 {LAVA_TYPE_BF16, LAVA_TYPE_FP32, LAVA_REGION_ALL, false},
                 {LAVA_TYPE_FP32, LAVA_TYPE_FP32, LAVA_REGION_ALL, false}};
    const struct lava_capabilities device = device_h200();
    for (size_t i = 0; i < COUNT(cases); i++) {
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
        cmocka_unit_test(test_rounding_is_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
