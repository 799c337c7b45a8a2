/* profiles.c: every profile names rows that exist and may run on its devices, and every device has a
 * profile. */
#include "devices.h"

#include "dispatch/kernels.h"
#include "dispatch/profiles.h"

static bool is_admitted(const struct lava_kernel *row) {
    const struct lava_scheme_row *scheme = lava_scheme(row->scheme);
    return scheme->standard || scheme->fast;
}

/* Stores in listed[type] the number of the profile's rows without planes. Each must be a row of the table and
 * listed once. Rows by planes that no precision admits would never be chosen, so they must not be listed. */
static void check_rows(const struct lava_profile *profile, bool *reached, size_t *listed) {
    size_t kernels;
    const struct lava_kernel *rows = lava_kernels_table(&kernels);
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_profile_kernel *figures = &profile->kernels[i];
        const struct lava_kernel *row = lava_kernels_find(figures->kernel);
        if (!row)
            fail_msg("%s names %s, which does not exist", profile->label, figures->kernel);
        assert_true(figures->flops_per_s > 0 && figures->workgroups_per_multiprocessor > 0);
        assert_true(figures->start_k > 0 && figures->order < LAVA_TILE_ORDER_COUNT);
        assert_true(figures->lone_share > 0 && figures->lone_share <= 1);
        for (size_t other = 0; other < i; other++)
            assert_string_not_equal(profile->kernels[other].kernel, figures->kernel);
        if (!is_admitted(row))
            fail_msg("%s lists %s, which no precision admits", profile->label, figures->kernel);
        reached[row - rows] = true;
        listed[row->type] += row->scheme == LAVA_SCHEME_NONE;
    }
}

/* The profiles that list no rows of fp64, or none of half precision: by their compilers all of them spill,
 * the devices have no matrices, or nothing is known. */
static const struct {
    const char *label;
    bool fp64, half;
} lacking[] = {
    {"lavapipe", true, false}, /* no bf16 */
    {"software", false, false},     {"Intel Xe2 integrated", false, true},
    {"Intel Xe2", false, true},     {"Intel Xe-LP", false, false},
    {"Intel DG2", false, false},    {"Mali", false, false},
    {"NVIDIA Turing", true, false}, /* no bf16 */
    {"AMD RDNA2", true, false},     {"AMD Vega", true, false},
};

static void check_types(const struct lava_profile *profile, const size_t listed[LAVA_TYPE_COUNT]) {
    bool fp64 = true, half = true;
    for (size_t i = 0; i < COUNT(lacking); i++)
        if (!strcmp(lacking[i].label, profile->label)) {
            fp64 = lacking[i].fp64;
            half = lacking[i].half;
        }
    assert_true(listed[LAVA_TYPE_FP32] > 0);
    assert_int_equal(listed[LAVA_TYPE_FP64] > 0, fp64);
    assert_int_equal(listed[LAVA_TYPE_FP16] > 0 && listed[LAVA_TYPE_BF16] > 0, half);
}

/* The best rate of a type's rows without planes. */
static double best_of(const struct lava_profile *profile, enum lava_type type) {
    double best = 0;
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *row = lava_kernels_find(profile->kernels[i].kernel);
        if (row->type == type && row->scheme == LAVA_SCHEME_NONE && profile->kernels[i].flops_per_s > best)
            best = profile->kernels[i].flops_per_s;
    }
    return best;
}

/* No device does more than half as much in fp64 as in fp32. Unmeasured ones are assumed to do at most a
 * twentieth. */
static void test_rates_of_fp64(void **state) {
    (void)state;
    size_t profiles;
    const struct lava_profile *table = lava_profiles_table(&profiles);
    for (size_t p = 0; p < profiles; p++) {
        bool measured = !strcmp(table[p].label, "NVIDIA H200") || !strcmp(table[p].label, "lavapipe");
        double share = best_of(&table[p], LAVA_TYPE_FP64) / best_of(&table[p], LAVA_TYPE_FP32);
        assert_true(share <= (measured ? 0.5 : 0.05 + 1e-9));
    }
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
        size_t listed[LAVA_TYPE_COUNT] = {0};
        assert_non_null(profile->label);
        assert_true(profile->upload_bytes_per_s > 0 && profile->download_bytes_per_s > 0);
        assert_true(profile->memory_bytes_per_s > 0 && profile->call_latency_ns > 0);
        assert_true(profile->multiprocessors > 0);
        check_rows(profile, reached, listed);
        check_types(profile, listed);
        for (size_t other = 0; other < p; other++)
            assert_string_not_equal(table[other].label, profile->label);
    }
    for (size_t i = 0; i < kernels; i++)
        if (!reached[i] && rows[i].scheme == LAVA_SCHEME_NONE)
            fail_msg("no profile lists %s", rows[i].name);
    /* the last matches everything */
    const struct lava_profile *last = &table[profiles - 1];
    assert_true(last->vendor_id == 0 && last->kind == -1 && last->name_parts[0] == NULL);
}

/* RDNA3 holds elements twice, so a fragment's shares do not have the documented layout. So may processors and
 * older boards of AMD. Nothing is known of devices without a profile. */
static void test_fragments_only_where_known(void **state) {
    (void)state;
    struct lava_capabilities devices[] = {device_rdna3(), device_rdna3(), device_rdna3(), device_xe2()};
    devices[1].kind = LAVA_DEVICE_INTEGRATED;
    snprintf(devices[1].name, sizeof devices[1].name, "AMD Radeon Graphics (RADV PHOENIX)");
    snprintf(devices[2].name, sizeof devices[2].name, "AMD board");
    devices[3].vendor_id = 0x1234;
    for (size_t d = 0; d < COUNT(devices); d++) {
        const struct lava_profile *profile = lava_profiles_find(&devices[d]);
        for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++)
            assert_int_not_equal(lava_kernel_layout(lava_kernels_find(profile->kernels[i].kernel)),
                                 LAVA_LAYOUT_FRAGMENTS);
    }
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
        {"NVIDIA H100 80GB HBM3", 0x10de, LAVA_DEVICE_DISCRETE, "NVIDIA H200"},
        {"NVIDIA H100 PCIe", 0x10de, LAVA_DEVICE_DISCRETE, "NVIDIA"},
        {"NVIDIA GeForce RTX 4090", 0x10de, LAVA_DEVICE_DISCRETE, "NVIDIA"},
        {"NVIDIA GeForce RTX 3090", 0x10de, LAVA_DEVICE_DISCRETE, "NVIDIA Ampere"},
        {"NVIDIA A100-SXM4-40GB", 0x10de, LAVA_DEVICE_DISCRETE, "NVIDIA Ampere"},
        {"NVIDIA GeForce RTX 2080 Ti", 0x10de, LAVA_DEVICE_DISCRETE, "NVIDIA Turing"},
        {"AMD Radeon RX 9070 XT (RADV GFX1201)", 0x1002, LAVA_DEVICE_DISCRETE, "AMD RDNA4"},
        {"AMD Radeon RX 7900 XTX (RADV NAVI31)", 0x1002, LAVA_DEVICE_DISCRETE, "AMD RDNA3"},
        {"AMD Radeon RX 6800 XT (RADV NAVI21)", 0x1002, LAVA_DEVICE_DISCRETE, "AMD RDNA2"},
        {"AMD Radeon RX 5700 XT (RADV NAVI10)", 0x1002, LAVA_DEVICE_DISCRETE, "AMD"},
        {"AMD Radeon VII (RADV VEGA20)", 0x1002, LAVA_DEVICE_DISCRETE, "AMD Vega"},
        {"AMD Radeon RX 580 Series (RADV POLARIS10)", 0x1002, LAVA_DEVICE_DISCRETE, "AMD"},
        {"AMD Radeon Graphics (RADV PHOENIX)", 0x1002, LAVA_DEVICE_INTEGRATED, "integrated"},
        {"Intel(R) Arc(tm) B580 Graphics (BMG G21)", 0x8086, LAVA_DEVICE_DISCRETE, "Intel Xe2"},
        {"Intel(R) Arc(tm) A770 Graphics (DG2)", 0x8086, LAVA_DEVICE_DISCRETE, "Intel DG2"},
        {"Intel(R) Graphics (LNL)", 0x8086, LAVA_DEVICE_INTEGRATED, "Intel Xe2 integrated"},
        {"Intel(R) Arc(tm) Graphics (MTL)", 0x8086, LAVA_DEVICE_INTEGRATED, "Intel Xe-LP"},
        {"Intel(R) UHD Graphics 770 (ADL-S GT1)", 0x8086, LAVA_DEVICE_INTEGRATED, "Intel Xe-LP"},
        {"Turnip Adreno (TM) 740", 0x5143, LAVA_DEVICE_INTEGRATED, "integrated"},
        {"Mali-G610", 0x13b5, LAVA_DEVICE_INTEGRATED, "Mali"},
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
                 table[i].name_parts[0] ? table[i].name_parts[0] : "");
        assert_ptr_equal(lava_profiles_find(&device), &table[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profiles_are_sound),         cmocka_unit_test(test_rates_of_fp64),
        cmocka_unit_test(test_fragments_only_where_known), cmocka_unit_test(test_profiles_are_found),
        cmocka_unit_test(test_every_profile_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
