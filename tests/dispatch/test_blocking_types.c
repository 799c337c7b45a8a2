/* blocking.c: how types, complex elements and planes change a plan. */
#include "blocks.h"

/* A result that multiply rounds to C's type itself is small. Sums for the epilogue stay fp32. */
static void test_half_types(void **state) {
    (void)state;
    static const struct lava_kernel kernel = {.name = "made up",
                                              .type = LAVA_TYPE_BF16,
                                              .module = LAVA_MODULE_MULTIPLY_SHARED_BF16,
                                              .tile_m = 128,
                                              .tile_n = 128,
                                              .tile_k = 16,
                                              .part_m = 64,
                                              .part_n = 64,
                                              .stages = 2};
    /* C's type, beta, m, split K; bytes of a sum, bytes of an element of the result */
    static const struct {
        enum lava_type type_c;
        double beta;
        int64_t m;
        uint32_t split_k;
        uint64_t sum, result;
    } cases[] = {
        {LAVA_TYPE_BF16, 0, 4096, 1, 2, 0}, {LAVA_TYPE_BF16, 1, 4096, 1, 4, 0},
        {LAVA_TYPE_FP32, 0, 4096, 1, 4, 0}, {LAVA_TYPE_FP32, 1, 4096, 1, 4, 0},
        {LAVA_TYPE_BF16, 0, 4096, 3, 4, 2}, {LAVA_TYPE_BF16, 1, 4096, 3, 4, 4},
        {LAVA_TYPE_FP32, 0, 4096, 3, 4, 4}, {LAVA_TYPE_BF16, 0, 129, 1, 4, 2},
        {LAVA_TYPE_BF16, 1, 129, 1, 4, 4},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lava_operation operation = {.type = LAVA_TYPE_BF16,
                                           .c.type = cases[i].type_c,
                                           .m = cases[i].m,
                                           .n = 1000,
                                           .k = 2048,
                                           .alpha.real = 1,
                                           .beta.real = cases[i].beta};
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking;
        limits.split_k = cases[i].split_k;
        assert_true(lava_blocking_plan(&operation, &kernel, &limits, &blocking));
        check(&operation, &kernel, &limits, &blocking);
        uint64_t m = cases[i].m == 129 ? 256 : 4096, rows = cases[i].m == 129 ? 132 : 4096;
        assert_int_equal(blocking.packed_a_bytes, m * 2048 * 2);
        assert_int_equal(blocking.packed_b_bytes, 1024 * 2048 * 2);
        assert_int_equal(blocking.accumulator_bytes, m * 1024 * cases[i].split_k * cases[i].sum);
        assert_int_equal(blocking.result_bytes, rows * 1000 * cases[i].result);
    }
    /* K is split: a later panel adds to the sums of an earlier one, in fp32 */
    struct lava_operation operation = {
        .type = LAVA_TYPE_BF16, .c.type = LAVA_TYPE_BF16, .m = 256, .n = 256, .k = 1 << 20, .alpha.real = 1};
    struct lava_blocking_limits limits = ample;
    struct lava_blocking blocking;
    limits.memory_bytes = 16 << 20;
    assert_true(lava_blocking_plan(&operation, &kernel, &limits, &blocking));
    check(&operation, &kernel, &limits, &blocking);
    assert_true(blocking.blocks_k > 1 && blocking.epilogue);
    assert_int_equal(blocking.accumulator_bytes, blocking.result_bytes * 2);
}

/* Sums and results of fp64 are fp64, with and without C0 to add. */
static void test_fp64(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp64_128x64");
    for (unsigned i = 0; i < 8; i++) {
        bool added = i & 1, split = i & 2, padded = i & 4;
        struct lava_operation operation = {.type = LAVA_TYPE_FP64,
                                           .c.type = LAVA_TYPE_FP64,
                                           .m = padded ? 129 : 4096,
                                           .n = 1000,
                                           .k = 2048,
                                           .alpha.real = 1,
                                           .beta.real = added ? 0.5 : 0};
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking;
        limits.split_k = split ? 3 : 1;
        assert_true(lava_blocking_plan(&operation, kernel, &limits, &blocking));
        check(&operation, kernel, &limits, &blocking);
        uint64_t m = padded ? 256 : 4096, rows = padded ? 132 : 4096;
        assert_int_equal(blocking.packed_a_bytes, m * 2048 * 8);
        assert_int_equal(blocking.packed_b_bytes, 1024 * 2048 * 8);
        assert_int_equal(blocking.accumulator_bytes, m * 1024 * limits.split_k * 8);
        assert_int_equal(blocking.epilogue, split || padded);
        assert_int_equal(blocking.result_bytes, split || padded ? rows * 1000 * 8 : 0);
    }
}

/* The same as a product of twice the columns and twice the K, with a result of as many bytes as the complex
 * C. */
static void test_parts(void **state) {
    (void)state;
    struct lava_operation operation = {
        .type = LAVA_TYPE_CFP32, .c.type = LAVA_TYPE_CFP32, .m = 1001, .n = 501, .k = 999, .alpha.real = 1};
    const struct lava_operation single = lava_operation_of_parts(&operation);
    operation.type = operation.c.type = LAVA_TYPE_CFP64;
    const struct lava_operation of_double = lava_operation_of_parts(&operation);
    struct lava_blocking blocking;
    assert_true(lava_blocking_plan(&single, lava_kernels_find("fp32_128x64"), &ample, &blocking));
    check(&single, lava_kernels_find("fp32_128x64"), &ample, &blocking);
    assert_int_equal(blocking.blocks_m * blocking.blocks_n * blocking.blocks_k, 1);
    assert_true(blocking.block_n == 1002 && blocking.block_k == 1998 && blocking.epilogue);
    assert_int_equal(blocking.packed_a_bytes, 1024 * 2000 * 4);
    assert_int_equal(blocking.packed_b_bytes, 1024 * 2000 * 4);
    assert_int_equal(blocking.accumulator_bytes, 1024 * 1024 * 4);
    assert_int_equal(blocking.result_bytes, 1004 * 501 * 8);
    assert_true(lava_blocking_plan(&of_double, lava_kernels_find("fp64_64x64"), &ample, &blocking));
    assert_int_equal(blocking.packed_b_bytes, 1024 * 2000 * 8);
    assert_int_equal(blocking.accumulator_bytes, 1024 * 1024 * 8);
    assert_int_equal(blocking.result_bytes, 1004 * 501 * 16);
}

/* Staging memory has to hold A and B as stored: 44 MiB. Their parts would be 66. */
static void test_parts_at_once(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    struct lava_operation operation = {
        .type = LAVA_TYPE_CFP32, .c.type = LAVA_TYPE_CFP32, .m = 1700, .n = 1700, .k = 1700, .alpha.real = 1};
    struct lava_operation parts = lava_operation_of_parts(&operation);
    struct lava_blocking blocking;
    assert_true(lava_blocking_plan(&parts, kernel, &ample, &blocking));
    assert_true(lava_blocking_fits_at_once(&parts, &blocking));
    operation.k = 1900; /* 49 MiB */
    parts = lava_operation_of_parts(&operation);
    assert_true(lava_blocking_plan(&parts, kernel, &ample, &blocking));
    assert_false(lava_blocking_fits_at_once(&parts, &blocking));
}

/* Ten bytes per element of A and B, plus exponents: one word per 64 x 64 elements, so two for each 128 rows
 * or one for each 64 columns. One plane takes two bytes and nothing else. */
static void test_planes(void **state) {
    (void)state;
    const struct lava_kernel *three = lava_kernels_find("bf16x3_128x64");
    struct lava_operation operation = {.m = 1000, .n = 500, .k = 2000, .alpha.real = 1};
    struct lava_blocking blocking;
    assert_true(lava_blocking_plan(&operation, three, &ample, &blocking));
    check(&operation, three, &ample, &blocking);
    /* 8 panels, padded to 1024 x 2016; 8 panels, padded to 512 x 2016; 32 depths */
    assert_int_equal(blocking.packed_a_bytes, 1024 * 2016 * 10 + 8 * 32 * 2 * 4 + 16);
    assert_int_equal(blocking.packed_b_bytes, 512 * 2016 * 10 + 8 * 32 * 4 + 16);
    assert_false(blocking.epilogue);
    assert_int_equal(blocking.accumulator_bytes, 1024 * 512 * 4); /* sums as in fp32 */
    const struct lava_kernel *one = lava_kernels_find("bf16x1_128x128");
    assert_true(lava_blocking_plan(&operation, one, &ample, &blocking));
    assert_int_equal(blocking.packed_a_bytes, 1024 * 2016 * 2);
    assert_int_equal(blocking.packed_b_bytes, 512 * 2016 * 2);
    assert_int_equal(blocking.accumulator_bytes, 1024 * 512 * 4);

    /* each operand in panels of its own tile: 15 of 64 rows, 4 of 128 columns */
    struct lava_kernel turned = *three;
    turned.tile_m = three->tile_n;
    turned.tile_n = three->tile_m;
    operation.m = 15 * 64;
    assert_true(lava_blocking_plan(&operation, &turned, &ample, &blocking));
    assert_int_equal(blocking.packed_a_bytes, 960 * 2016 * 10 + 15 * 32 * 4 + 16);
    assert_int_equal(blocking.packed_b_bytes, 512 * 2016 * 10 + 4 * 32 * 2 * 4 + 16);

    /* packed planes must fit too, so less of K, or of C, is processed at a time than for fp32 */
    struct lava_operation square = {.m = 8192, .n = 8192, .k = 8192, .alpha.real = 1};
    struct lava_blocking_limits limits = ample;
    limits.max_buffer_bytes = UINT64_C(8192) * 8192 * 10 + 64 * 128 * 2 * 4 + 16;
    three = lava_kernels_find("bf16x3_128x128");
    assert_true(lava_blocking_plan(&square, three, &limits, &blocking));
    assert_int_equal(blocking.blocks_m * blocking.blocks_n * blocking.blocks_k, 1);
    assert_int_equal(blocking.packed_a_bytes, limits.max_buffer_bytes);
    limits.max_buffer_bytes--;
    assert_true(lava_blocking_plan(&square, three, &limits, &blocking));
    check(&square, three, &limits, &blocking);
    assert_true(blocking.blocks_m * blocking.blocks_n * blocking.blocks_k > 1);
    assert_true(lava_blocking_plan(&square, lava_kernel_fallback(three), &limits, &blocking));
    assert_int_equal(blocking.blocks_m * blocking.blocks_n * blocking.blocks_k, 1);
}

/* op(B) crosses the bus as stored. To fit 16 MiB there are two ways: 2 x 6 blocks take 3 x 8.4 MB and the
 * cost of twelve blocks; 1 x 16 blocks take 2 x 8.4 MB and the cost of sixteen, 4 MB each. Counted by its
 * parts op(B) would be twice as large, and the second way cheaper. */
static void test_parts_are_cut_by_what_is_stored(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    const struct lava_operation operation = {
        .type = LAVA_TYPE_CFP32, .c.type = LAVA_TYPE_CFP32, .m = 1024, .n = 1024, .k = 1024, .alpha.real = 1};
    const struct lava_operation parts = lava_operation_of_parts(&operation);
    struct lava_blocking_limits limits = ample;
    struct lava_blocking blocking;
    limits.memory_bytes = limits.max_buffer_bytes = 16 << 20;
    assert_true(lava_blocking_plan(&parts, kernel, &limits, &blocking));
    check(&parts, kernel, &limits, &blocking);
    assert_int_equal(blocking.blocks_m, 2);
    assert_int_equal(blocking.blocks_n, 6);
    assert_int_equal(blocking.blocks_k, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_types),
        cmocka_unit_test(test_fp64),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_parts_at_once),
        cmocka_unit_test(test_parts_are_cut_by_what_is_stored),
        cmocka_unit_test(test_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
