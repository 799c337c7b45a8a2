/* kernels.c: every row meets the requirements of the shader and of lavapipe, and its requirements of a device
 * are right. */
#include "devices.h"

#include "dispatch/kernels.h"

/* Matrix rows that need not be in the table; 8 subgroups, 4 subgroups, 4 subgroups. */
static const struct lava_kernel shared_row = {.name = "made up",
                                              .type = LAVA_TYPE_FP16,
                                              .module = LAVA_MODULE_MULTIPLY_SHARED_FP16,
                                              .tile_m = 128,
                                              .tile_n = 64,
                                              .tile_k = 32,
                                              .part_m = 32,
                                              .part_n = 32,
                                              .stages = 2};
static const struct lava_kernel fragments_row = {.name = "made up",
                                                 .type = LAVA_TYPE_BF16,
                                                 .module = LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16,
                                                 .tile_m = 128,
                                                 .tile_n = 128,
                                                 .tile_k = 32,
                                                 .part_m = 64,
                                                 .part_n = 64,
                                                 .stages = 2};
static const struct lava_kernel planes_row = {.name = "made up",
                                              .type = LAVA_TYPE_FP32,
                                              .scheme = LAVA_SCHEME_FP16X3,
                                              .module = LAVA_MODULE_MULTIPLY_PLANES_FP16,
                                              .tile_m = 64,
                                              .tile_n = 64,
                                              .tile_k = 32,
                                              .part_m = 32,
                                              .part_n = 32,
                                              .stages = 2,
                                              .fallback = "fp32_64x64"};

/* What each module multiplies and which module packs for it, without and with planes. Stated here
 * independently. LAVA_MODULE_COUNT: it has no such rows. */
static const struct {
    enum lava_type type;
    enum lava_layout layout;
    const char *algorithm;
    enum lava_module pack, pack_planes;
} modules[] = {
    [LAVA_MODULE_MULTIPLY_FP32] = {LAVA_TYPE_FP32, LAVA_LAYOUT_PANELS, "SIMT", LAVA_MODULE_PACK_FP32,
                                   LAVA_MODULE_COUNT},
    [LAVA_MODULE_MULTIPLY_FP32_SCREENED] = {.pack = LAVA_MODULE_COUNT, .pack_planes = LAVA_MODULE_COUNT},
    [LAVA_MODULE_MULTIPLY_FP64] = {LAVA_TYPE_FP64, LAVA_LAYOUT_PANELS, "SIMT", LAVA_MODULE_PACK_FP64,
                                   LAVA_MODULE_COUNT},
    [LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16] = {LAVA_TYPE_FP16, LAVA_LAYOUT_FRAGMENTS, "fragments",
                                             LAVA_MODULE_PACK_FRAGMENTS_FP16, LAVA_MODULE_PACK_PLANES_FP16},
    [LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16] = {LAVA_TYPE_BF16, LAVA_LAYOUT_FRAGMENTS, "fragments",
                                             LAVA_MODULE_PACK_FRAGMENTS_BF16, LAVA_MODULE_PACK_PLANES_BF16},
    [LAVA_MODULE_MULTIPLY_SHARED_FP16] = {LAVA_TYPE_FP16, LAVA_LAYOUT_OCTETS, "shared", LAVA_MODULE_PACK_HALF,
                                          LAVA_MODULE_COUNT},
    [LAVA_MODULE_MULTIPLY_SHARED_BF16] = {LAVA_TYPE_BF16, LAVA_LAYOUT_OCTETS, "shared", LAVA_MODULE_PACK_HALF,
                                          LAVA_MODULE_COUNT},
    [LAVA_MODULE_MULTIPLY_PLANES_FP16] = {LAVA_TYPE_FP16, LAVA_LAYOUT_FRAGMENTS, "planes", LAVA_MODULE_COUNT,
                                          LAVA_MODULE_PACK_PLANES_FP16},
    [LAVA_MODULE_MULTIPLY_PLANES_BF16] = {LAVA_TYPE_BF16, LAVA_LAYOUT_FRAGMENTS, "planes", LAVA_MODULE_COUNT,
                                          LAVA_MODULE_PACK_PLANES_BF16},
};

static bool is_simt(const struct lava_kernel *row) {
    return row->module == LAVA_MODULE_MULTIPLY_FP32 || row->module == LAVA_MODULE_MULTIPLY_FP64;
}

/* Elements of a 16-byte word. SIMT rows move and own whole words. */
static uint32_t word_of(const struct lava_kernel *row) {
    return row->type == LAVA_TYPE_FP64 ? 2 : 4;
}

/* The name is "fp16_...", or with planes "bf16x3_...", and the tile. */
static void check_name(const struct lava_kernel *row) {
    char words[64];
    const char *what =
        row->scheme == LAVA_SCHEME_NONE ? lava_type_name(row->type) : lava_scheme(row->scheme)->name;
    snprintf(words, sizeof words, "%s_", what);
    assert_memory_equal(row->name, words, strlen(words));
    snprintf(words, sizeof words, "_%ux%u", row->tile_m, row->tile_n);
    assert_non_null(strstr(row->name, words));
    assert_ptr_equal(lava_kernels_find(row->name), row); /* also unique: find returns the first */
}

static void check_module(const struct lava_kernel *row) {
    bool planes = row->scheme != LAVA_SCHEME_NONE;
    assert_true(row->module < COUNT(modules));
    enum lava_module pack = planes ? modules[row->module].pack_planes : modules[row->module].pack;
    assert_true(pack != LAVA_MODULE_COUNT);
    assert_int_equal(row->type, planes ? LAVA_TYPE_FP32 : modules[row->module].type);
    assert_int_equal(lava_kernel_element_type(row), modules[row->module].type);
    assert_int_equal(lava_kernel_is_simt(row), is_simt(row));
    assert_int_equal(lava_kernel_layout(row), modules[row->module].layout);
    assert_string_equal(lava_kernel_algorithm(row), modules[row->module].algorithm);
    assert_int_equal(lava_kernel_pack_module(row), pack);
    assert_int_equal(lava_kernel_pack_block(row), is_simt(row) ? 32 : 64);
}

static void test_rows_are_sound(void **state) {
    (void)state;
    size_t count;
    unsigned of_type[LAVA_TYPE_REAL_COUNT] = {0};
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++) {
        const struct lava_kernel *row = &table[i];
        print_message("%-24s %5u bytes of shared memory\n", row->name, lava_kernel_shared_bytes(row));
        assert_true(row->type < LAVA_TYPE_REAL_COUNT && row->scheme < LAVA_SCHEME_COUNT);
        of_type[row->type]++;
        check_name(row);
        check_module(row);
        if (row->scheme == LAVA_SCHEME_NONE && lava_kernel_layout(row) == LAVA_LAYOUT_FRAGMENTS)
            assert_true(row->stages == 2 || row->stages == 4); /* sets in registers: no index may vary */
        else
            assert_true(row->stages == 1 || row->stages == 2);
        assert_true(row->part_m > 0 && row->part_m % (is_simt(row) ? word_of(row) : 8) == 0);
        assert_true(row->part_n > 0 && row->part_n % (is_simt(row) ? word_of(row) : 8) == 0);
        /* no element of a complex product is split */
        assert_true(row->tile_n % 2 == 0 && row->tile_k % 2 == 0);
        assert_int_equal(row->tile_m % row->part_m, 0);
        assert_int_equal(row->tile_n % row->part_n, 0);
        assert_true(row->tile_m <= 256 && row->tile_n <= 256);
        /* lavapipe has 32 KiB */
        assert_true(lava_kernel_shared_bytes(row) <= 32768);
    }
    assert_true(count <= 64); /* bits of refused_kernels */
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
        assert_true(of_type[type] > 0);
    assert_null(lava_kernels_find("fp32_1x1"));
    assert_null(lava_kernels_find(""));
}

/* If tiles may be screened out, the fallback computes the same tiles from the panels of fp32, in whole steps
 * of its own, and never screens out any itself. */
static void check_fallback(const struct lava_kernel *row) {
    const struct lava_scheme_row *scheme = lava_scheme(row->scheme);
    const struct lava_kernel *fallback = lava_kernel_fallback(row);
    assert_int_equal(fallback != NULL, scheme->screened);
    assert_int_equal(row->fallback != NULL, scheme->screened);
    if (!fallback)
        return;
    const struct lava_operation ieee = {.k = 1, .precision = LAVA_PRECISION_IEEE};
    assert_string_equal(fallback->name, row->fallback);
    assert_int_equal(fallback->module, LAVA_MODULE_MULTIPLY_FP32);
    assert_int_equal(fallback->scheme, LAVA_SCHEME_NONE);
    assert_true(lava_kernel_serves(fallback, &ieee));
    assert_int_equal(fallback->tile_m, row->tile_m);
    assert_int_equal(fallback->tile_n, row->tile_n);
    assert_int_equal(row->tile_k % fallback->tile_k, 0);
    /* an exponent word belongs to one tile; a span consists of whole steps */
    assert_int_equal(row->tile_m % 64, 0);
    assert_int_equal(row->tile_n % 64, 0);
    assert_int_equal(scheme->span_k % row->tile_k, 0);
}

static void test_fallbacks(void **state) {
    (void)state;
    size_t count;
    unsigned of_scheme[LAVA_SCHEME_COUNT] = {0};
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++) {
        check_fallback(&table[i]);
        of_scheme[table[i].scheme]++;
    }
    for (int scheme = 0; scheme < LAVA_SCHEME_COUNT; scheme++)
        if (of_scheme[scheme] == 0)
            fail_msg("no row is of %s", lava_scheme((enum lava_scheme)scheme)->name);
}

/* A row serves its type, or complex types with such parts, and with planes whatever the scheme serves. This
 * does not depend on a device. */
static void test_serves(void **state) {
    (void)state;
    static const enum lava_type real_types[LAVA_TYPE_COUNT] = {
        [LAVA_TYPE_FP32] = LAVA_TYPE_FP32,  [LAVA_TYPE_FP16] = LAVA_TYPE_FP16,
        [LAVA_TYPE_BF16] = LAVA_TYPE_BF16,  [LAVA_TYPE_FP64] = LAVA_TYPE_FP64,
        [LAVA_TYPE_CFP32] = LAVA_TYPE_FP32, [LAVA_TYPE_CFP64] = LAVA_TYPE_FP64};
    static const int64_t lengths[] = {1, 127, 128, 4096};
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++)
        for (int type = 0; type < LAVA_TYPE_COUNT; type++)
            for (int precision = 0; precision < LAVA_PRECISION_COUNT; precision++)
                for (size_t l = 0; l < COUNT(lengths); l++) {
                    const struct lava_operation operation = {.type = (enum lava_type)type,
                                                             .k = lengths[l],
                                                             .precision = (enum lava_precision)precision};
                    bool scheme = lava_scheme_serves(lava_scheme(table[i].scheme), &operation);
                    assert_int_equal(lava_kernel_serves(&table[i], &operation),
                                     table[i].type == real_types[type] && scheme);
                }
    const struct lava_operation single = {.k = 4096}, half = {.type = LAVA_TYPE_BF16, .k = 4096};
    const struct lava_kernel *planes = lava_kernels_find("bf16x3_128x128");
    assert_true(lava_kernel_serves(planes, &single) && !lava_kernel_serves(planes, &half));
    assert_true(lava_kernel_serves(&fragments_row, &half) && !lava_kernel_serves(&fragments_row, &single));
    const struct lava_operation complex_single = {.type = LAVA_TYPE_CFP32, .k = 4096};
    const struct lava_operation complex_double = {.type = LAVA_TYPE_CFP64, .k = 4096};
    const struct lava_kernel *simt = lava_kernels_find("fp64_128x128");
    assert_true(lava_kernel_serves(planes, &complex_single) && lava_kernel_serves(simt, &complex_double));
    assert_false(lava_kernel_serves(planes, &complex_double) || lava_kernel_serves(simt, &complex_single));
}

static void test_row_arithmetic(void **state) {
    (void)state;
    const struct lava_capabilities h200 = device_h200(), xe2 = device_xe2(), rdna3 = device_rdna3();
    const struct lava_kernel *row = lava_kernels_find("fp32_128x128");
    assert_non_null(row);
    /* SIMT: the number of invocations does not depend on the subgroup size */
    assert_int_equal(lava_kernel_invocations(row, &h200), 256);
    assert_int_equal(lava_kernel_invocations(row, &rdna3), 256);
    assert_int_equal(lava_kernel_shared_bytes(row), 32768);
    row = lava_kernels_find("fp32_128x128_16x8");
    assert_non_null(row);
    assert_int_equal(lava_kernel_invocations(row, &h200), 128);
    row = lava_kernels_find("fp64_64x64");
    assert_non_null(row);
    assert_int_equal(lava_kernel_invocations(row, &h200), 128);
    assert_int_equal(lava_kernel_shared_bytes(row), 2 * (64 + 64) * 8 * 8);
    static const uint32_t lanes[][2] = {{4, 2}, {8, 4}, {16, 4}, {32, 8}, {64, 8}, {128, 16}};
    for (size_t i = 0; i < COUNT(lanes); i++)
        assert_int_equal(lava_kernel_lanes_m(lanes[i][0]), lanes[i][1]);
    assert_int_equal(lava_kernel_lanes_m(0), 0);
    assert_int_equal(lava_kernel_lanes_m(12), 0);
    assert_int_equal(lava_kernel_lanes_m(256), 0);

    /* matrices: the same number of subgroups everywhere */
    assert_int_equal(lava_kernel_invocations(&shared_row, &xe2), 8 * 16);
    assert_int_equal(lava_kernel_invocations(&shared_row, &h200), 8 * 32);
    assert_int_equal(lava_kernel_invocations(&fragments_row, &rdna3), 4 * 64);
    /* 128 and 64 rows of 32 + 8 elements, twice */
    assert_int_equal(lava_kernel_shared_bytes(&shared_row), (128 + 64) * 40 * 2 * 2);
    assert_int_equal(lava_kernel_shared_bytes(&fragments_row), 0);
    assert_int_equal(lava_kernel_invocations(&planes_row, &xe2), 4 * 16);
    assert_int_equal(lava_kernel_shared_bytes(&planes_row), 0);
}

static void assert_shape(const struct lava_kernel *row, const struct lava_capabilities *device, uint32_t m,
                         uint32_t n, uint32_t k) {
    const struct lava_matrix_shape *shape = lava_kernel_shape(row, device);
    assert_non_null(shape);
    assert_int_equal(shape->type, lava_kernel_element_type(row));
    assert_int_equal(shape->m, m);
    assert_int_equal(shape->n, n);
    assert_int_equal(shape->k, k);
}

/* The largest shape that divides the part and the step is chosen, wherever it is in the list. */
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
    assert_shape(&planes_row, &h200, 16, 16, 16); /* of its planes' type, not of its operands' */
    row = planes_row;
    row.scheme = LAVA_SCHEME_BF16X3;
    assert_shape(&row, &xe2, 8, 16, 16);
    assert_null(lava_kernel_shape(&row, &lavapipe));
    assert_null(lava_kernel_shape(&shared_row, &none));
    assert_null(lava_kernel_shape(lava_kernels_find("fp32_64x64"), &h200));
    assert_string_equal(lava_kernel_algorithm(lava_kernels_find("fp32_64x64")), "SIMT");
    assert_string_equal(lava_kernel_algorithm(&shared_row), "shared");
    assert_string_equal(lava_kernel_algorithm(&fragments_row), "fragments");
    assert_string_equal(lava_kernel_algorithm(&planes_row), "planes");
}

/* A lane's position in its subgroup: its bits alternate between m and n. */
static void place_lane(uint32_t lane, uint32_t *m, uint32_t *n) {
    *m = *n = 0;
    for (uint32_t bit = 0; lane >> 2 * bit; bit++) {
        *m |= (lane >> 2 * bit & 1) << bit;
        *n |= (lane >> (2 * bit + 1) & 1) << bit;
    }
}

/* Counts coverage lane by lane, as the shader places lanes, independently of lava_kernel_fits. */
static void check_cover(const struct lava_kernel *row, const struct lava_capabilities *device) {
    static unsigned char covered[256][256];
    uint32_t subgroup_size = device->simt_subgroup_size;
    uint32_t lanes_m = lava_kernel_lanes_m(subgroup_size), lanes_n = subgroup_size / lanes_m;
    uint32_t subgroups_m = row->tile_m / (lanes_m * row->part_m), word = word_of(row);
    memset(covered, 0, sizeof covered);
    for (uint32_t index = 0; index < lava_kernel_invocations(row, device); index++) {
        uint32_t subgroup = index / subgroup_size, lane_m, lane_n;
        place_lane(index % subgroup_size, &lane_m, &lane_n);
        assert_true(lane_m < lanes_m && lane_n < lanes_n);
        uint32_t first_m = subgroup % subgroups_m * lanes_m * row->part_m + lane_m * word;
        uint32_t first_n = subgroup / subgroups_m * lanes_n * row->part_n + lane_n * word;
        for (uint32_t i = 0; i < row->part_m; i++)
            for (uint32_t j = 0; j < row->part_n; j++) {
                uint32_t m = first_m + i / word * lanes_m * word + i % word;
                uint32_t n = first_n + j / word * lanes_n * word + j % word;
                assert_true(m < row->tile_m && n < row->tile_n);
                assert_int_equal(covered[m][n]++, 0);
            }
    }
}

static void set_subgroup(struct lava_capabilities *device, uint32_t size) {
    device->simt_subgroup_size = device->matrix_subgroup_size = size;
}

static void assert_fits(const struct lava_kernel *row, const struct lava_capabilities *device) {
    const char *reason = "untouched";
    if (!lava_kernel_fits(row, device, &reason))
        fail_msg("%s, subgroup of %u: %s", row->name, lava_kernel_subgroup_size(row, device), reason);
    assert_null(reason);
}

/* SIMT rows fit every subgroup size with the 256 invocations that every device has. Matrix rows fit the
 * existing combinations of subgroup size and shape, whose devices all have 1024. Both with 32 KiB. */
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
            set_subgroup(&device, devices[d].subgroup_size);
            if (is_simt(&table[i])) {
                device.max_workgroup_invocations = 256;
                assert_fits(&table[i], &device);
                check_cover(&table[i], &device);
                continue;
            }
            device.shapes[0] = (struct lava_matrix_shape){.type = modules[table[i].module].type,
                                                          .m = devices[d].m,
                                                          .n = devices[d].n,
                                                          .k = devices[d].k};
            assert_fits(&table[i], &device);
            assert_shape(&table[i], &device, devices[d].m, devices[d].n, devices[d].k);
        }
    }
}

struct refusal {
    const char *row;
    uint32_t subgroup_size, shared_bytes, invocations;
    const char *words; /* part of the reason; NULL: fits */
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
        {"fp64_128x128", 32, 32768, 256, NULL},
        {"fp64_128x128", 32, 32767, 256, "shared memory"},
        {"fp64_128x128", 32, 32768, 255, "more invocations"},
        {"fp64_32x32", 128, 32768, 256, "whole subgroups"},
        {"fp64_64x64", 128, 32768, 256, "divide the tile"},
    };
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct lava_capabilities device = device_lavapipe();
        const struct refusal *r = &refusals[i];
        const struct lava_kernel *row = lava_kernels_find(r->row);
        set_subgroup(&device, r->subgroup_size);
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
    row = *lava_kernels_find("fp64_32x32"); /* two elements per word */
    row.part_n = 2;
    assert_refused(&row, &device, NULL);
    row.part_n = 1;
    assert_refused(&row, &device, "16-byte words");
    row = *lava_kernels_find("fp64_32x32");
    row.tile_k = 4; /* 64 words for 64 invocations */
    assert_refused(&row, &device, NULL);
    row.tile_k = 2;
    assert_refused(&row, &device, "divide evenly");
}

/* Only rows of fp64 need it. */
static void test_refusals_without_fp64(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    device.fp64 = false;
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++)
        assert_refused(&table[i], &device, table[i].type == LAVA_TYPE_FP64 ? "the device has no fp64" : NULL);
}

static void test_refusals_of_matrix_rows(void **state) {
    (void)state;
    struct lava_capabilities device = device_rdna2();
    assert_refused(&shared_row, &device, "no cooperative matrices of fp16");
    assert_refused(&fragments_row, &device, "no cooperative matrices of bf16");
    device = device_lavapipe();
    assert_refused(&shared_row, &device, NULL);
    assert_refused(&fragments_row, &device, "no cooperative matrices of bf16");
    device.max_shared_bytes = (128 + 64) * 40 * 2 * 2 - 1;
    assert_refused(&shared_row, &device, "shared memory");

    device = device_h200();
    assert_refused(&fragments_row, &device, NULL);
    device.max_shared_bytes = 0; /* needs none */
    assert_refused(&fragments_row, &device, NULL);
    device.max_workgroup_invocations = 127;
    assert_refused(&fragments_row, &device, "more invocations");
    static const uint32_t unknown_sizes[] = {0, 12, 256};
    for (size_t i = 0; i < COUNT(unknown_sizes); i++) {
        device.matrix_subgroup_size = unknown_sizes[i];
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
    /* 64 elements for 64 invocations: half a word each, which matters only without shared memory */
    device.matrix_subgroup_size = 64;
    device.shape_count = 2;
    device.shapes[0] = (struct lava_matrix_shape){LAVA_TYPE_BF16, 8, 8, 8, false};
    device.shapes[1] = (struct lava_matrix_shape){LAVA_TYPE_FP16, 8, 8, 8, false};
    assert_refused(&fragments_row, &device, "32-bit words");
    row = shared_row;
    row.part_m = 64;
    assert_refused(&row, &device, NULL);
}

/* Tiles must consist of whole packed blocks, and the fallback must compute the same tiles on the device. */
static void test_refusals_of_planes(void **state) {
    (void)state;
    const struct lava_capabilities lavapipe = device_lavapipe(), none = device_rdna2();
    assert_refused(&planes_row, &lavapipe, NULL);
    assert_refused(&planes_row, &none, "no cooperative matrices of fp16");
    /* part of the reason; changes to the row */
    const struct {
        const char *words, *fallback;
        uint32_t tile_m, tile_n, tile_k, stages;
    } cases[] = {
        {"a block that is packed", "fp32_32x32", 32, 64, 32, 2},
        {"a block that is packed", "fp32_32x32", 64, 32, 32, 2},
        {"a block that is packed", "fp32_32x32", 32, 32, 32, 2},
        {"no fallback of the same tile", NULL, 64, 64, 32, 2},
        {"no fallback of the same tile", "fp32_64x63", 64, 64, 32, 2},
        {"no fallback of the same tile", "fp32_64x64", 128, 64, 32, 2},
        {"no fallback of the same tile", "fp32_64x64", 64, 128, 32, 2},
        {"no fallback of the same tile", "fp32_64x64", 64, 64, 24, 1},
        {"no fallback of the same tile", "fp32_64x64", 64, 64, 8, 1},
        {"whole rounds", "fp32_64x64", 64, 64, 24, 2},
        {NULL, "fp32_64x64", 64, 64, 48, 2},
        {NULL, "fp32_128x64", 128, 64, 32, 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lava_kernel row = planes_row;
        row.tile_m = cases[i].tile_m;
        row.tile_n = cases[i].tile_n;
        row.tile_k = cases[i].tile_k;
        row.stages = cases[i].stages;
        row.fallback = cases[i].fallback;
        assert_refused(&row, &lavapipe, cases[i].words);
    }
    /* one plane is never screened */
    struct lava_kernel row = planes_row;
    row.scheme = LAVA_SCHEME_BF16X1;
    row.module = LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16;
    row.tile_m = row.tile_n = 32;
    row.fallback = NULL;
    assert_refused(&row, &lavapipe, "no cooperative matrices of bf16");
    struct lava_capabilities device = device_h200();
    assert_refused(&row, &device, NULL);
}

/* A row by planes also has the requirements of its fallback. */
static void test_refusals_of_fallbacks(void **state) {
    (void)state;
    struct lava_capabilities device = device_h200();
    const struct lava_kernel *row = lava_kernels_find("bf16x3_64x64");
    assert_refused(row, &device, NULL);
    device.max_shared_bytes = 2 * (64 + 64) * 16 * 4;
    assert_refused(row, &device, NULL);
    device.max_shared_bytes--;
    assert_refused(row, &device, "shared memory");
    device = device_h200();
    device.simt_subgroup_size = 128; /* fp32_64x64 has 128 invocations, a subgroup of 16 x 8 */
    assert_refused(row, &device, "divide the tile");
    device = device_lavapipe(); /* four subgroups of 8, and 128 invocations of the fallback */
    assert_refused(&planes_row, &device, NULL);
    device.max_workgroup_invocations = 127;
    assert_refused(&planes_row, &device, "more invocations");
}

/* Only the refused row, or any copy of it, no longer fits, until it is admitted again. */
static void test_refused(void **state) {
    (void)state;
    const struct lava_capabilities h200 = device_h200();
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++) {
        struct lava_capabilities device = h200;
        lava_kernel_refuse(&table[i], &device);
        for (size_t other = 0; other < count; other++) {
            struct lava_kernel copy = table[other];
            if (lava_kernel_fallback(&table[other]) == &table[i])
                continue; /* it needs both */
            const char *words = other == i ? "failed its test" : NULL;
            assert_refused(&table[other], &device, words);
            assert_refused(&copy, &device, words);
            assert_refused(&copy, &h200, NULL);
        }
        lava_kernel_admit(&table[i], &device);
        assert_refused(&table[i], &device, NULL);
        assert_refused(&fragments_row, &device, NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_sound),
        cmocka_unit_test(test_fallbacks),
        cmocka_unit_test(test_serves),
        cmocka_unit_test(test_row_arithmetic),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_rows_fit_everywhere),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_refusals_without_fp64),
        cmocka_unit_test(test_refusals_of_matrix_rows),
        cmocka_unit_test(test_refusals_of_planes),
        cmocka_unit_test(test_refusals_of_fallbacks),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
