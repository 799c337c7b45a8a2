/* packed.c: the sections of a packed operand are where shaders/interface.h says, by its formulas for the last
 * element and the last word of each, and do not overlap. */
#include "devices.h"

#include "dispatch/packed.h"

#define BLOCK           64 /* of pack: the area of an exponent word */
#define ARGUMENTS_BYTES 12 /* of an indirect dispatch: three words */

/* An operand's extent. */
struct operand {
    uint32_t panel;
    uint64_t width, k; /* padded */
};

/* Position of an element in panels. */
static uint64_t panel_place(const struct operand *operand, uint64_t w, uint64_t k) {
    return w / operand->panel * operand->panel * operand->k + k * operand->panel + w % operand->panel;
}

/* Position of an element in octets of K. */
static uint64_t octet_place(const struct operand *operand, uint64_t w, uint64_t k) {
    return w / operand->panel * operand->panel * operand->k + k / 8 * operand->panel * 8 +
           w % operand->panel * 8 + k % 8;
}

/* Position of the 8 by 8 fragment that contains it; by planes, of the first plane's. */
static uint64_t fragment_place(const struct operand *operand, uint64_t planes, uint64_t w, uint64_t k) {
    uint64_t f = w % operand->panel / 8, g = k / 8;
    uint64_t place = w / operand->panel * operand->panel * operand->k + (g * (operand->panel / 8) + f) * 64;
    return place * planes;
}

/* Position of its exponent word. */
static uint64_t exponent_place(const struct operand *operand, uint64_t w, uint64_t k) {
    uint64_t depths = (operand->k + BLOCK - 1) / BLOCK;
    return (w / operand->panel * depths + k / BLOCK) * (operand->panel / BLOCK) + w % operand->panel / BLOCK;
}

/* Bytes to the end of the first section, and to its second panel. */
static uint64_t first_part(const struct lava_kernel *kernel, const struct operand *operand,
                           uint64_t *second_panel) {
    uint64_t w = operand->width - 1, k = operand->k - 1;
    if (lava_kernel_layout(kernel) == LAVA_LAYOUT_PANELS) {
        uint64_t bytes = kernel->type == LAVA_TYPE_FP64 ? 8 : 4;
        *second_panel = panel_place(operand, operand->panel, 0) * bytes;
        return (panel_place(operand, w, k) + 1) * bytes;
    }
    if (lava_kernel_layout(kernel) == LAVA_LAYOUT_OCTETS) {
        *second_panel = octet_place(operand, operand->panel, 0) * 2;
        return (octet_place(operand, w, k) + 1) * 2;
    }
    uint64_t planes = kernel->scheme == LAVA_SCHEME_NONE ? 1 : lava_scheme(kernel->scheme)->planes;
    *second_panel = fragment_place(operand, planes, operand->panel, 0) * 2;
    return (fragment_place(operand, planes, w, k) + planes * 64) * 2;
}

/* The next section begins at the first multiple of 16 bytes after the previous one. */
static void assert_follows(uint64_t begin, uint64_t end_before) {
    assert_int_equal(begin % 16, 0);
    assert_true(begin >= end_before && begin - end_before < 16);
}

static void check(const struct lava_kernel *kernel, const struct operand *operand) {
    uint64_t second_panel, end = first_part(kernel, operand, &second_panel);
    struct lava_packed packed = lava_packed_layout(kernel, operand->panel, operand->width, operand->k);
    assert_int_equal(operand->panel * operand->k * packed.element_bytes, second_panel);
    if (!lava_scheme(kernel->scheme)->screened) {
        assert_int_equal(packed.bytes, end);
        assert_int_equal(packed.panels | packed.exponents | packed.arguments | packed.exponent_words, 0);
        return;
    }
    assert_follows(packed.panels, end);
    end = packed.panels + (panel_place(operand, operand->width - 1, operand->k - 1) + 1) * 4;
    assert_follows(packed.exponents, end);
    assert_int_equal(packed.exponent_words, exponent_place(operand, operand->panel, 0));
    end = packed.exponents + (exponent_place(operand, operand->width - 1, operand->k - 1) + 1) * 4;
    assert_follows(packed.arguments, end);
    assert_follows(packed.bytes, packed.arguments + ARGUMENTS_BYTES);
}

static void test_every_row(void **state) {
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 7, 64, 1000, UINT64_C(1) << 16};
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    unsigned screened = 0;
    for (size_t r = 0; r < rows; r++) {
        screened += lava_scheme(table[r].scheme)->screened;
        for (size_t p = 0; p < COUNT(counts); p++)
            for (size_t s = 0; s < COUNT(counts); s++) {
                struct operand a = {table[r].tile_m, counts[p] * table[r].tile_m,
                                    counts[s] * table[r].tile_k};
                struct operand b = {table[r].tile_n, counts[p] * table[r].tile_n,
                                    counts[s] * table[r].tile_k};
                check(&table[r], &a);
                check(&table[r], &b);
            }
    }
    assert_true(screened > 0 && screened < rows);
}

/* Two panels of 128 rows and three of 64 columns, with 96 of K: two depths of 64, the second half full. */
static void test_by_hand(void **state) {
    (void)state;
    const struct lava_kernel *three = lava_kernels_find("bf16x3_128x64");
    assert_non_null(three);
    const struct lava_packed a = {.element_bytes = 6,
                                  .panels = 256 * 96 * 6,
                                  .exponents = 256 * 96 * 10,
                                  .arguments = 256 * 96 * 10 + 8 * 4,
                                  .exponent_words = 4,
                                  .bytes = 256 * 96 * 10 + 8 * 4 + 16};
    const struct lava_packed b = {.element_bytes = 6,
                                  .panels = 192 * 96 * 6,
                                  .exponents = 192 * 96 * 10,
                                  .arguments = 192 * 96 * 10 + 6 * 4 + 8, /* up to the next 16 bytes */
                                  .exponent_words = 2,
                                  .bytes = 192 * 96 * 10 + 6 * 4 + 8 + 16};
    struct lava_packed packed = lava_packed_layout(three, 128, 256, 96);
    assert_memory_equal(&packed, &a, sizeof packed);
    packed = lava_packed_layout(three, 64, 192, 96);
    assert_memory_equal(&packed, &b, sizeof packed);
    packed = lava_packed_layout(lava_kernels_find("fp16x2_128x128"), 128, 128, 64);
    assert_int_equal(packed.element_bytes, 4);
    assert_int_equal(packed.panels, 128 * 64 * 4);
    assert_int_equal(packed.exponents, 128 * 64 * 8);
    /* unchanged elements, and one plane */
    packed = lava_packed_layout(lava_kernels_find("fp32_128x128"), 128, 256, 96);
    assert_int_equal(packed.bytes, 256 * 96 * 4);
    packed = lava_packed_layout(lava_kernels_find("fp64_64x64"), 64, 256, 96);
    assert_int_equal(packed.element_bytes, 8);
    assert_int_equal(packed.bytes, 256 * 96 * 8);
    packed = lava_packed_layout(lava_kernels_find("bf16_shared_64x64"), 64, 256, 96);
    assert_int_equal(packed.bytes, 256 * 96 * 2);
    packed = lava_packed_layout(lava_kernels_find("bf16x1_128x128"), 128, 256, 96);
    assert_int_equal(packed.element_bytes, 2);
    assert_int_equal(packed.bytes, 256 * 96 * 2);
    /* the exponents alone exceed 4 GiB: 2^19 panels, 2^14 depths, two words */
    packed = lava_packed_layout(three, 128, UINT64_C(1) << 26, UINT64_C(1) << 20);
    assert_int_equal(packed.panels, UINT64_C(6) << 46);
    assert_int_equal(packed.exponents, UINT64_C(10) << 46);
    assert_int_equal(packed.exponent_words, 1 << 15);
    assert_int_equal(packed.arguments, (UINT64_C(10) << 46) + (UINT64_C(4) << 34));
    assert_int_equal(packed.bytes, (UINT64_C(10) << 46) + (UINT64_C(4) << 34) + 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
