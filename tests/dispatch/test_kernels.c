/* kernels.c and profiles.c: every row keeps what the shader and lavapipe need, and every profile names rows
 * that exist. */
#include "devices.h"

#include "dispatch/kernels.h"
#include "dispatch/profiles.h"

/* Matrix rows that no table has to list; 8 subgroups, 4 subgroups. */
static const struct lava_kernel shared_row = {
    "made up", LAVA_TYPE_FP16, LAVA_MODULE_MULTIPLY_SHARED_FP16, 128, 64, 32, 32, 32, 2};
static const struct lava_kernel fragments_row = {
    "made up", LAVA_TYPE_BF16, LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16, 128, 128, 32, 64, 64, 2};

/* What each module multiplies, and who packs for it: stated here once more. */
static const struct {
    enum lava_type type;
    enum lava_layout layout;
    enum lava_module pack;
} modules[] = {
    [LAVA_MODULE_MULTIPLY_FP32] = {LAVA_TYPE_FP32, LAVA_LAYOUT_PANELS, LAVA_MODULE_PACK_FP32},
    [LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16] = {LAVA_TYPE_FP16, LAVA_LAYOUT_FRAGMENTS,
                                             LAVA_MODULE_PACK_FRAGMENTS_FP16},
    [LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16] = {LAVA_TYPE_BF16, LAVA_LAYOUT_FRAGMENTS,
                                             LAVA_MODULE_PACK_FRAGMENTS_BF16},
    [LAVA_MODULE_MULTIPLY_SHARED_FP16] = {LAVA_TYPE_FP16, LAVA_LAYOUT_PANELS, LAVA_MODULE_PACK_HALF},
    [LAVA_MODULE_MULTIPLY_SHARED_BF16] = {LAVA_TYPE_BF16, LAVA_LAYOUT_PANELS, LAVA_MODULE_PACK_HALF},
};

static bool is_simt(const struct lava_kernel *row) {
    return row->module == LAVA_MODULE_MULTIPLY_FP32;
}

static void test_rows_are_sound(void **state) {
    (void)state;
    size_t count;
    unsigned of_type[LAVA_TYPE_COUNT] = {0};
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct lava_kernel *row = &table[i];
        print_message("%-24s %5u bytes of shared memory\n", row->name, lava_kernel_shared_bytes(row));
        assert_ptr_equal(lava_kernels_find(row->name), row); /* unique, too: find returns the first */
        assert_true(row->type < LAVA_TYPE_COUNT && row->module < COUNT(modules));
        of_type[row->type]++;
        assert_int_equal(row->type, modules[row->module].type);
        assert_int_equal(lava_kernel_layout(row), modules[row->module].layout);
        assert_int_equal(lava_kernel_pack_module(row), modules[row->module].pack);
        assert_memory_equal(row->name, lava_type_name(row->type), 4);
        if (lava_kernel_layout(row) == LAVA_LAYOUT_FRAGMENTS) /* sets in registers, where no index may vary */
            assert_true(row->stages == 2 || row->stages == 4);
        else
            assert_true(row->stages == 1 || row->stages == 2);
        assert_true(row->part_m > 0 && row->part_m % (is_simt(row) ? 4 : 8) == 0);
        assert_true(row->part_n > 0 && row->part_n % (is_simt(row) ? 4 : 8) == 0);
        assert_int_equal(row->tile_m % row->part_m, 0);
        assert_int_equal(row->tile_n % row->part_n, 0);
        assert_true(row->tile_m <= 256 && row->tile_n <= 256);
        /* lavapipe has 32 KiB */
        assert_true(lava_kernel_shared_bytes(row) <= 32768);
    }
    for (int type = 0; type < LAVA_TYPE_COUNT; type++)
        assert_true(of_type[type] > 0);
    assert_null(lava_kernels_find("fp32_1x1"));
    assert_null(lava_kernels_find(""));
}

static void test_row_arithmetic(void **state) {
    (void)state;
    const struct lava_capabilities h200 = device_h200(), xe2 = device_xe2(), rdna3 = device_rdna3();
    const struct lava_kernel *row = lava_kernels_find("fp32_128x128");
    assert_non_null(row);
    /* an invocation's share follows from the row: the subgroup's size does not matter */
    assert_int_equal(lava_kernel_invocations(row, &h200), 256);
    assert_int_equal(lava_kernel_invocations(row, &rdna3), 256);
    assert_int_equal(lava_kernel_shared_bytes(row), 32768);
    row = lava_kernels_find("fp32_128x128_16x8");
    assert_non_null(row);
    assert_int_equal(lava_kernel_invocations(row, &h200), 128);
    static const uint32_t lanes[][2] = {{4, 2}, {8, 4}, {16, 4}, {32, 8}, {64, 8}, {128, 16}};
    for (size_t i = 0; i < COUNT(lanes); i++)
        assert_int_equal(lava_kernel_lanes_m(lanes[i][0]), lanes[i][1]);
    assert_int_equal(lava_kernel_lanes_m(0), 0);
    assert_int_equal(lava_kernel_lanes_m(12), 0);
    assert_int_equal(lava_kernel_lanes_m(256), 0);

    /* a subgroup's share does: as many subgroups everywhere */
    assert_int_equal(lava_kernel_invocations(&shared_row, &xe2), 8 * 16);
    assert_int_equal(lava_kernel_invocations(&shared_row, &h200), 8 * 32);
    assert_int_equal(lava_kernel_invocations(&fragments_row, &rdna3), 4 * 64);
    /* rows of 128 + 8 and of 64 + 8 elements, 32 of each, twice */
    assert_int_equal(lava_kernel_shared_bytes(&shared_row), (136 + 72) * 32 * 2 * 2);
    assert_int_equal(lava_kernel_shared_bytes(&fragments_row), 0);
}

static void assert_shape(const struct lava_kernel *row, const struct lava_capabilities *device, uint32_t m,
                         uint32_t n, uint32_t k) {
    const struct lava_matrix_shape *shape = lava_kernel_shape(row, device);
    assert_non_null(shape);
    assert_int_equal(shape->type, row->type);
    assert_int_equal(shape->m, m);
    assert_int_equal(shape->n, n);
    assert_int_equal(shape->k, k);
}

/* The largest that divides the part and the step, wherever in the list. */
static void test_shapes(void **state) {
    (void)state;
    const struct lava_capabilities h200 = device_h200(), xe2 = device_xe2(), lavapipe = device_lavapipe(),
                                   none = device_rdna2();
    struct lava_kernel row = shared_row;
    assert_shape(&row, &h200, 16, 16, 16);
    assert_shape(&row, &xe2, 8, 16, 16);
    assert_shape(&row, &lavapipe, 8, 8, 8);
    row.part_n = 8;
    assert_shape(&row, &h200, 16, 8, 16);
    assert_null(lava_kernel_shape(&row, &xe2));
    row.tile_k = 8;
    assert_shape(&row, &h200, 16, 8, 8);
    row.part_m = 8;
    assert_null(lava_kernel_shape(&row, &h200));
    assert_shape(&row, &lavapipe, 8, 8, 8);
    assert_shape(&fragments_row, &h200, 16, 16, 16); /* of its own type */
    assert_null(lava_kernel_shape(&fragments_row, &lavapipe));
    assert_null(lava_kernel_shape(&shared_row, &none));
    assert_null(lava_kernel_shape(lava_kernels_find("fp32_64x64"), &h200));
    assert_string_equal(lava_kernel_algorithm(lava_kernels_find("fp32_64x64")), "SIMT");
    assert_string_equal(lava_kernel_algorithm(&shared_row), "shared");
    assert_string_equal(lava_kernel_algorithm(&fragments_row), "fragments");
}

/* Not taken from lava_kernel_fits: counted lane by lane, as the shader places them. */
static void check_cover(const struct lava_kernel *row, const struct lava_capabilities *device) {
    static unsigned char covered[256][256];
    uint32_t subgroup_size = device->subgroup_size;
    uint32_t lanes_m = lava_kernel_lanes_m(subgroup_size), lanes_n = subgroup_size / lanes_m;
    uint32_t subgroups_m = row->tile_m / (lanes_m * row->part_m);
    memset(covered, 0, sizeof covered);
    for (uint32_t index = 0; index < lava_kernel_invocations(row, device); index++) {
        uint32_t lane = index % subgroup_size, subgroup = index / subgroup_size;
        uint32_t first_m = subgroup % subgroups_m * lanes_m * row->part_m + lane % lanes_m * 4;
        uint32_t first_n = subgroup / subgroups_m * lanes_n * row->part_n + lane / lanes_m * 4;
        for (uint32_t i = 0; i < row->part_m; i++)
            for (uint32_t j = 0; j < row->part_n; j++) {
                uint32_t m = first_m + i / 4 * lanes_m * 4 + i % 4, n = first_n + j / 4 * lanes_n * 4 + j % 4;
                assert_true(m < row->tile_m && n < row->tile_n);
                assert_int_equal(covered[m][n]++, 0);
            }
    }
}

static void assert_fits(const struct lava_kernel *row, const struct lava_capabilities *device) {
    const char *reason = "untouched";
    if (!lava_kernel_fits(row, device, &reason))
        fail_msg("%s, subgroup of %u: %s", row->name, device->subgroup_size, reason);
    assert_null(reason);
}

/* SIMT rows on every subgroup size and with the 256 invocations that every device has; matrix rows on those
 * combinations of size and shape that exist, whose devices all have 1024. 32 KiB for both. */
static void test_rows_fit_everywhere(void **state) {
    (void)state;
    static const struct {
        uint32_t subgroup_size, m, n, k;
    } devices[] = {{8, 8, 8, 8}, {16, 8, 16, 16}, {32, 16, 16, 16}, {64, 16, 16, 16}};
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t d = 0; d < COUNT(devices); d++) {
            struct lava_capabilities device = device_lavapipe();
            device.subgroup_size = devices[d].subgroup_size;
            if (is_simt(&table[i])) {
                device.max_workgroup_invocations = 256;
                assert_fits(&table[i], &device);
                check_cover(&table[i], &device);
                continue;
            }
            device.shapes[0] = (struct lava_matrix_shape){
                .type = table[i].type, .m = devices[d].m, .n = devices[d].n, .k = devices[d].k};
            assert_fits(&table[i], &device);
            assert_shape(&table[i], &device, devices[d].m, devices[d].n, devices[d].k);
        }
    }
}

static void assert_refused(const struct lava_kernel *row, const struct lava_capabilities *device,
                           const char *words) {
    const char *reason = NULL;
    assert_int_equal(lava_kernel_fits(row, device, &reason), words == NULL);
    assert_int_equal(lava_kernel_fits(row, device, NULL), words == NULL);
    if (words) {
        assert_non_null(reason);
        if (!strstr(reason, words))
            fail_msg("\"%s\" does not say \"%s\"", reason, words);
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
        device.subgroup_size = r->subgroup_size;
        device.max_shared_bytes = r->shared_bytes;
        device.max_workgroup_invocations = r->invocations;
        assert_non_null(row);
        assert_refused(row, &device, r->words);
    }
    /* shapes that no row of the table has */
    struct lava_capabilities device = device_h200();
    struct lava_kernel row = *lava_kernels_find("fp32_32x32");
    row.tile_k = 4; /* 32 words for 64 invocations */
    assert_refused(&row, &device, "divide evenly");
    row = *lava_kernels_find("fp32_64x64");
    row.part_n = 2;
    assert_refused(&row, &device, "16-byte words");
}

static void test_refusals_of_matrix_rows(void **state) {
    (void)state;
    struct lava_capabilities device = device_rdna2();
    assert_refused(&shared_row, &device, "no cooperative matrices of fp16");
    assert_refused(&fragments_row, &device, "no cooperative matrices of bf16");
    device = device_lavapipe();
    assert_refused(&shared_row, &device, NULL);
    assert_refused(&fragments_row, &device, "no cooperative matrices of bf16");
    device.max_shared_bytes = (136 + 72) * 32 * 2 * 2 - 1;
    assert_refused(&shared_row, &device, "shared memory");

    device = device_h200();
    assert_refused(&fragments_row, &device, NULL);
    device.max_shared_bytes = 0; /* needs none */
    assert_refused(&fragments_row, &device, NULL);
    device.max_workgroup_invocations = 127;
    assert_refused(&fragments_row, &device, "more invocations");
    static const uint32_t unknown_sizes[] = {0, 12, 256};
    for (size_t i = 0; i < COUNT(unknown_sizes); i++) {
        device.subgroup_size = unknown_sizes[i];
        assert_refused(&fragments_row, &device, "subgroup size");
    }

    device = device_h200();
    struct lava_kernel row = fragments_row;
    row.part_n = 8;
    assert_refused(&row, &device, "none of the device's shapes");
    row = fragments_row;
    row.tile_m = 96;
    assert_refused(&row, &device, "divide the tile");
    row = fragments_row;
    row.stages = 4; /* two matrices deep */
    assert_refused(&row, &device, "whole rounds");
    row = shared_row; /* 32 words of A for 256 invocations */
    row.tile_m = row.tile_k = row.part_m = row.part_n = 16;
    row.tile_n = 128;
    assert_refused(&row, &device, "divide evenly");
    /* 64 elements for 64 invocations: half a word each; through shared memory that does not matter */
    device.subgroup_size = 64;
    device.shape_count = 2;
    device.shapes[0] = (struct lava_matrix_shape){LAVA_TYPE_BF16, 8, 8, 8};
    device.shapes[1] = (struct lava_matrix_shape){LAVA_TYPE_FP16, 8, 8, 8};
    assert_refused(&fragments_row, &device, "32-bit words");
    row = shared_row;
    row.part_m = 64;
    assert_refused(&row, &device, NULL);
}

/* Fills listed[type] with the rows of the profile; each is a row of the table and listed once. */
static void check_rows(const struct lava_profile *profile, bool *reached, size_t *listed) {
    size_t kernels;
    const struct lava_kernel *rows = lava_kernels_table(&kernels);
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_profile_kernel *figures = &profile->kernels[i];
        const struct lava_kernel *row = lava_kernels_find(figures->kernel);
        if (!row)
            fail_msg("%s names %s, which does not exist", profile->label, figures->kernel);
        assert_true(figures->flops_per_s > 0 && figures->workgroups_per_multiprocessor > 0);
        assert_true(figures->start_k > 0 && figures->schedule < LAVA_SCHEDULE_COUNT);
        assert_true(figures->lone_share > 0 && figures->lone_share <= 1);
        for (size_t other = 0; other < i; other++)
            assert_string_not_equal(profile->kernels[other].kernel, figures->kernel);
        reached[row - rows] = true;
        listed[row->type]++;
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
        assert_true(listed[LAVA_TYPE_FP32] > 0);
        if (profile->kind != LAVA_DEVICE_CPU) /* software may have matrices of fp16, and none of bf16 */
            assert_true(listed[LAVA_TYPE_FP16] > 0 && listed[LAVA_TYPE_BF16] > 0);
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

/* RDNA3 holds elements twice: a fragment's shares are not what the layout says. Nor is anything known of a
 * device that no row names. */
static void test_fragments_only_where_known(void **state) {
    (void)state;
    struct lava_capabilities devices[] = {device_rdna3(), device_rdna3(), device_xe2()};
    devices[1].kind = LAVA_DEVICE_INTEGRATED;
    devices[2].vendor_id = 0x1234;
    for (size_t d = 0; d < COUNT(devices); d++) {
        const struct lava_profile *profile = lava_profiles_find(&devices[d]);
        for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++)
            assert_int_equal(lava_kernel_layout(lava_kernels_find(profile->kernels[i].kernel)),
                             LAVA_LAYOUT_PANELS);
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
        cmocka_unit_test(test_rows_are_sound),
        cmocka_unit_test(test_row_arithmetic),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_rows_fit_everywhere),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refusals_of_matrix_rows),
        cmocka_unit_test(test_profiles_are_sound),
        cmocka_unit_test(test_fragments_only_where_known),
        cmocka_unit_test(test_profiles_are_found),
        cmocka_unit_test(test_every_profile_is_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
