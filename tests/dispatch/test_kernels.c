/* kernels.c and profiles.c: every row keeps what the shader and lavapipe need, and every profile names rows
 * that exist. */
#include "devices.h"

#include "dispatch/kernels.h"
#include "dispatch/profiles.h"

static void test_rows_are_sound(void **state) {
    (void)state;
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    assert_true(count >= 5);
    for (size_t i = 0; i < count; i++) {
        const struct lava_kernel *row = &table[i];
        print_message("%-20s %4u invocations, %5u bytes of shared memory\n", row->name,
                      lava_kernel_invocations(row), lava_kernel_shared_bytes(row));
        assert_ptr_equal(lava_kernels_find(row->name), row); /* unique, too: find returns the first */
        assert_true(row->type < LAVA_TYPE_COUNT && row->module < LAVA_MODULE_COUNT);
        assert_true(row->stages == 1 || row->stages == 2);
        assert_true(row->invocation_m > 0 && row->invocation_m % 4 == 0);
        assert_true(row->invocation_n > 0 && row->invocation_n % 4 == 0);
        assert_int_equal(row->tile_m % row->invocation_m, 0);
        assert_int_equal(row->tile_n % row->invocation_n, 0);
        assert_true(row->tile_m <= 256 && row->tile_n <= 256);
        /* lavapipe has 32 KiB, and Vulkan promises only 128 invocations but every real device has 256 */
        assert_true(lava_kernel_shared_bytes(row) <= 32768);
        assert_true(lava_kernel_invocations(row) <= 256);
    }
    assert_null(lava_kernels_find("fp32_1x1"));
    assert_null(lava_kernels_find(""));
}

static void test_row_arithmetic(void **state) {
    (void)state;
    const struct lava_kernel *row = lava_kernels_find("fp32_128x128");
    assert_non_null(row);
    assert_int_equal(lava_kernel_invocations(row), 256);
    assert_int_equal(lava_kernel_shared_bytes(row), 32768);
    row = lava_kernels_find("fp32_128x128_16x8");
    assert_non_null(row);
    assert_int_equal(lava_kernel_invocations(row), 128);
    static const uint32_t lanes[][2] = {{4, 2}, {8, 4}, {16, 4}, {32, 8}, {64, 8}, {128, 16}};
    for (size_t i = 0; i < COUNT(lanes); i++)
        assert_int_equal(lava_kernel_lanes_m(lanes[i][0]), lanes[i][1]);
    assert_int_equal(lava_kernel_lanes_m(0), 0);
    assert_int_equal(lava_kernel_lanes_m(12), 0);
    assert_int_equal(lava_kernel_lanes_m(256), 0);
}

/* Not taken from lava_kernel_fits: counted lane by lane, as the shader places them. */
static void check_cover(const struct lava_kernel *row, uint32_t subgroup_size) {
    static unsigned char covered[256][256];
    uint32_t lanes_m = lava_kernel_lanes_m(subgroup_size), lanes_n = subgroup_size / lanes_m;
    uint32_t subgroups_m = row->tile_m / (lanes_m * row->invocation_m);
    memset(covered, 0, sizeof covered);
    for (uint32_t index = 0; index < lava_kernel_invocations(row); index++) {
        uint32_t lane = index % subgroup_size, subgroup = index / subgroup_size;
        uint32_t first_m = subgroup % subgroups_m * lanes_m * row->invocation_m + lane % lanes_m * 4;
        uint32_t first_n = subgroup / subgroups_m * lanes_n * row->invocation_n + lane / lanes_m * 4;
        for (uint32_t i = 0; i < row->invocation_m; i++)
            for (uint32_t j = 0; j < row->invocation_n; j++) {
                uint32_t m = first_m + i / 4 * lanes_m * 4 + i % 4, n = first_n + j / 4 * lanes_n * 4 + j % 4;
                assert_true(m < row->tile_m && n < row->tile_n);
                assert_int_equal(covered[m][n]++, 0);
            }
    }
}

static void test_rows_fit_everywhere(void **state) {
    (void)state;
    static const uint32_t sizes[] = {8, 16, 32, 64};
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t s = 0; s < COUNT(sizes); s++) {
            struct lava_capabilities device = device_lavapipe();
            const char *reason = "untouched";
            device.subgroup_size = sizes[s];
            device.max_workgroup_invocations = 256;
            if (!lava_kernel_fits(&table[i], &device, &reason))
                fail_msg("%s, subgroup of %u: %s", table[i].name, sizes[s], reason);
            assert_null(reason);
            check_cover(&table[i], sizes[s]);
        }
    }
}

struct refusal {
    const char *row;
    uint32_t subgroup_size, shared_bytes, invocations;
    const char *words; /* in the reason; NULL: fits */
};

static void test_refusals(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {"fp32_128x128", 32, 32768, 256, NULL},
        {"fp32_128x128", 32, 32767, 256, "shared memory"},
        {"fp32_128x128", 32, 32768, 255, "more invocations"},
        {"fp32_128x128", 12, 32768, 256, "subgroup size"},
        {"fp32_128x128", 0, 32768, 256, "subgroup size"},
        {"fp32_32x32", 128, 32768, 256, "whole subgroups"},
        {"fp32_64x64", 128, 32768, 256, "divide the tile"},
    };
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct lava_capabilities device = device_lavapipe();
        const struct refusal *r = &refusals[i];
        const struct lava_kernel *row = lava_kernels_find(r->row);
        const char *reason = NULL;
        device.subgroup_size = r->subgroup_size;
        device.max_shared_bytes = r->shared_bytes;
        device.max_workgroup_invocations = r->invocations;
        assert_non_null(row);
        assert_int_equal(lava_kernel_fits(row, &device, &reason), r->words == NULL);
        assert_int_equal(lava_kernel_fits(row, &device, NULL), r->words == NULL);
        if (r->words) {
            assert_non_null(reason);
            assert_non_null(strstr(reason, r->words));
        }
    }
    /* shapes that no row of the table has */
    struct lava_capabilities device = device_h200();
    struct lava_kernel row = *lava_kernels_find("fp32_32x32");
    const char *reason;
    row.tile_k = 4; /* 32 words for 64 invocations */
    assert_false(lava_kernel_fits(&row, &device, &reason));
    assert_non_null(strstr(reason, "divide evenly"));
    row = *lava_kernels_find("fp32_64x64");
    row.invocation_n = 2;
    assert_false(lava_kernel_fits(&row, &device, &reason));
    assert_non_null(strstr(reason, "16-byte words"));
}

static void test_profiles_are_sound(void **state) {
    (void)state;
    size_t profiles, kernels;
    const struct lava_profile *table = lava_profiles_table(&profiles);
    const struct lava_kernel *rows = lava_kernels_table(&kernels);
    bool reached[64] = {false};
    assert_true(kernels <= COUNT(reached));
    for (size_t p = 0; p < profiles; p++) {
        const struct lava_profile *profile = &table[p];
        size_t listed = 0;
        assert_non_null(profile->label);
        assert_true(profile->upload_bytes_per_s > 0 && profile->download_bytes_per_s > 0);
        assert_true(profile->memory_bytes_per_s > 0 && profile->call_latency_ns > 0);
        assert_true(profile->multiprocessors > 0 && profile->schedule < LAVA_SCHEDULE_COUNT);
        for (; listed < LAVA_PROFILE_MAX_KERNELS && profile->kernels[listed].kernel; listed++) {
            const struct lava_profile_kernel *figures = &profile->kernels[listed];
            const struct lava_kernel *row = lava_kernels_find(figures->kernel);
            if (!row)
                fail_msg("%s names %s, which does not exist", profile->label, figures->kernel);
            assert_true(figures->flops_per_s > 0 && figures->workgroups_per_multiprocessor > 0);
            reached[row - rows] = true;
        }
        assert_true(listed > 0);
        for (size_t other = 0; other < p; other++)
            assert_string_not_equal(table[other].label, profile->label);
    }
    for (size_t i = 0; i < kernels; i++)
        if (!reached[i])
            fail_msg("no profile lists %s", rows[i].name);
    /* the last matches everything */
    const struct lava_profile *last = &table[profiles - 1];
    assert_true(last->vendor_id == 0 && last->kind == -1 && last->name_part == NULL);
}

static void test_profiles_are_found(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t vendor_id;
        enum lava_device_kind kind;
        const char *label;
    } devices[] = {
        {"NVIDIA H200", 0x10de, LAVA_DEVICE_DISCRETE, "NVIDIA H200"},
        {"NVIDIA H200 NVL", 0x10de, LAVA_DEVICE_VIRTUAL, "NVIDIA H200"},
        {"NVIDIA GeForce RTX 3090", 0x10de, LAVA_DEVICE_DISCRETE, "NVIDIA"},
        {"AMD Radeon RX 7900 XTX (RADV NAVI31)", 0x1002, LAVA_DEVICE_DISCRETE, "AMD"},
        {"Intel(R) Arc(tm) A770 Graphics (DG2)", 0x8086, LAVA_DEVICE_DISCRETE, "Intel"},
        {"Intel(R) UHD Graphics 770 (ADL-S GT1)", 0x8086, LAVA_DEVICE_INTEGRATED, "integrated"},
        {"llvmpipe (LLVM 19.1.7, 256 bits)", 0x10005, LAVA_DEVICE_CPU, "lavapipe"},
        {"SwiftShader Device (LLVM 10.0.0)", 0x1ae0, LAVA_DEVICE_CPU, "software"},
        {"llvmpipe in name only", 0x1234, LAVA_DEVICE_DISCRETE, "default"},
        {"H200 of another maker", 0x1234, LAVA_DEVICE_DISCRETE, "default"},
        {"", 0, LAVA_DEVICE_DISCRETE, "default"},
    };
    for (size_t i = 0; i < COUNT(devices); i++) {
        struct lava_capabilities device = {.vendor_id = devices[i].vendor_id, .kind = devices[i].kind};
        snprintf(device.name, sizeof device.name, "%s", devices[i].name);
        assert_string_equal(lava_profiles_find(&device)->label, devices[i].label);
    }
}

/* A row hidden behind an earlier, more general one would never be found. */
static void test_every_profile_is_reached(void **state) {
    (void)state;
    size_t count;
    const struct lava_profile *table = lava_profiles_table(&count);
    for (size_t i = 0; i < count; i++) {
        struct lava_capabilities device = {.vendor_id = table[i].vendor_id};
        device.kind = table[i].kind < 0 ? LAVA_DEVICE_DISCRETE : (enum lava_device_kind)table[i].kind;
        snprintf(device.name, sizeof device.name, "the %s board",
                 table[i].name_part ? table[i].name_part : "");
        assert_ptr_equal(lava_profiles_find(&device), &table[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_sound),           cmocka_unit_test(test_row_arithmetic),
        cmocka_unit_test(test_rows_fit_everywhere),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_profiles_are_sound),       cmocka_unit_test(test_profiles_are_found),
        cmocka_unit_test(test_every_profile_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
