/* The copy pool's write-back of triangles: the elements of the region are multiplied and added up, no other
 * byte is read or written, and imaginary parts on a real diagonal become zero. With any position of the
 * diagonal, on several threads, and in cells that cut columns. Small integers, so that every sum is exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/convert.h"
#include "lib/host/copy_pool.h"
#include "tests/library/poison.h"

struct block {
    struct lava_copy copy;
    struct lava_write_back how;
    void *before; /* the target */
};

static size_t target_bytes(const struct block *block) {
    return (size_t)(block->copy.target_ld * block->copy.columns) * lava_type_bytes(block->how.target_type);
}

static struct naive_number read_number(enum lava_type type, const void *matrix, int64_t at) {
    float value;
    if (!lava_type_is_half(type))
        return naive_read(type, matrix, at);
    lava_convert_to_fp32(type, (const uint16_t *)matrix + at, &value, 1);
    return (struct naive_number){(long double)value, 0};
}

static void write_number(enum lava_type type, void *matrix, int64_t at) {
    const struct naive_number number = {poison_random(7) - 3, poison_random(5) - 2};
    const float value = (float)number.real;
    if (lava_type_is_half(type))
        lava_convert_from_fp32(type, &value, (uint16_t *)matrix + at, 1);
    else
        naive_write(type, matrix, at, number);
}

static bool in_region(const struct block *block, int64_t i, int64_t j) {
    int64_t diagonal = j + block->how.region.diagonal;
    return block->how.region.region == LAVA_REGION_ALL ||
           (block->how.region.region == LAVA_REGION_LOWER ? i >= diagonal : i <= diagonal);
}

static bool is_real(const struct block *block, int64_t i, int64_t j) {
    return block->how.real_diagonal && i == j + block->how.region.diagonal;
}

static bool reads_target(const struct block *block) {
    return block->how.beta.real != 0 || block->how.beta.imaginary != 0;
}

/* alpha source + beta before, where imaginary parts on a real diagonal do not count. */
static struct naive_number expected_at(const struct block *block, int64_t i, int64_t j) {
    const struct naive_number beta = {block->how.beta.real, block->how.beta.imaginary};
    struct naive_number sum =
        read_number(block->how.source_type, block->copy.source, i + j * block->copy.source_ld);
    if (block->how.alpha.imaginary != 0)
        sum = naive_times((struct naive_number){block->how.alpha.real, block->how.alpha.imaginary}, sum);
    if (reads_target(block)) {
        struct naive_number before =
            read_number(block->how.target_type, block->before, i + j * block->copy.target_ld);
        if (is_real(block, i, j))
            before.imaginary = 0;
        const struct naive_number added = naive_times(beta, before);
        sum.real += added.real;
        sum.imaginary += added.imaginary;
    }
    if (is_real(block, i, j))
        sum.imaginary = 0;
    return sum;
}

static void check_element(const struct block *block, int64_t i, int64_t j) {
    const size_t bytes = lava_type_bytes(block->how.target_type);
    int64_t at = i + j * block->copy.target_ld;
    if (i >= block->copy.rows || !in_region(block, i, j)) {
        assert_memory_equal((const char *)block->copy.target + (size_t)at * bytes,
                            (const char *)block->before + (size_t)at * bytes, bytes);
        return;
    }
    struct naive_number got = read_number(block->how.target_type, block->copy.target, at);
    struct naive_number expected = expected_at(block, i, j);
    if (got.real != expected.real || got.imaginary != expected.imaginary)
        fail_msg("%s to %s, region %d, diagonal %ld, %ld x %ld, alpha %g %g, beta %g %g: (%ld, %ld) is %Lg "
                 "%Lg, not %Lg %Lg",
                 lava_type_name(block->how.source_type), lava_type_name(block->how.target_type),
                 (int)block->how.region.region, (long)block->how.region.diagonal, (long)block->copy.rows,
                 (long)block->copy.columns, block->how.alpha.real, block->how.alpha.imaginary,
                 block->how.beta.real, block->how.beta.imaginary, (long)i, (long)j, got.real, got.imaginary,
                 expected.real, expected.imaginary);
}

/* The source has numbers everywhere. The target is NaN wherever it may not be read. */
static void fill(struct block *block) {
    const size_t bytes = lava_type_bytes(block->how.target_type);
    int64_t source_elements = block->copy.source_ld * block->copy.columns;
    void *source = poison_new((size_t)source_elements * lava_type_bytes(block->how.source_type));
    for (int64_t at = 0; at < source_elements; at++)
        write_number(block->how.source_type, source, at);
    block->copy.source = source;
    block->copy.target = poison_new(target_bytes(block));
    block->before = poison_new(target_bytes(block));
    for (int64_t j = 0; j < block->copy.columns && reads_target(block); j++)
        for (int64_t i = 0; i < block->copy.rows; i++) {
            int64_t at = i + j * block->copy.target_ld;
            if (in_region(block, i, j))
                write_number(block->how.target_type, block->before, at);
            if (is_real(block, i, j))
                memset((char *)block->before + (size_t)at * bytes + bytes / 2, POISON, bytes / 2);
        }
    memcpy(block->copy.target, block->before, target_bytes(block));
}

/* By the pool; without one, by the calling thread alone. */
static void check(struct lava_copy_pool *pool, struct block *block) {
    fill(block);
    if (pool)
        lava_copy_pool_finish(pool, lava_copy_pool_write_back(pool, &block->copy, &block->how));
    else
        lava_copy_pool_write_back_alone(&block->copy, &block->how);
    for (int64_t j = 0; j < block->copy.columns; j++)
        for (int64_t i = 0; i < block->copy.target_ld; i++)
            check_element(block, i, j);
    free((void *)(uintptr_t)block->copy.source);
    free(block->copy.target);
    free(block->before);
}

/* Types of source and target. */
static const enum lava_type types[][2] = {
    {LAVA_TYPE_FP32, LAVA_TYPE_FP32},   {LAVA_TYPE_FP64, LAVA_TYPE_FP64}, {LAVA_TYPE_CFP32, LAVA_TYPE_CFP32},
    {LAVA_TYPE_CFP64, LAVA_TYPE_CFP64}, {LAVA_TYPE_FP16, LAVA_TYPE_FP16}, {LAVA_TYPE_FP32, LAVA_TYPE_FP16},
    {LAVA_TYPE_FP32, LAVA_TYPE_BF16},
};

/* The diagonal crosses the block, touches its corners, or lies outside. */
static struct block random_block(int64_t rows, int64_t columns) {
    static const struct lava_scalar betas[] = {{0, 0}, {1, 0}, {-2, 0}, {0, 1}, {2, -1}};
    const enum lava_type *type = types[poison_random((int)(sizeof types / sizeof types[0]))];
    bool is_complex = lava_type_is_complex(type[1]), real_diagonal = is_complex && poison_random(2);
    bool adds = type[0] != type[1] || !lava_type_is_half(type[1]); /* halves are added to in fp32 */
    struct block block = {.copy = {.rows = rows,
                                   .columns = columns,
                                   .source_ld = rows + poison_random(3),
                                   .target_ld = rows + poison_random(3)},
                          .how = {.source_type = type[0],
                                  .target_type = type[1],
                                  .beta = betas[adds ? poison_random(is_complex ? 5 : 3) : 0],
                                  .region = {.region = (enum lava_region)poison_random(3), .rows = rows},
                                  .real_diagonal = real_diagonal}};
    const int64_t corners[] = {0, rows, rows - 1, -columns, 1 - columns, rows - columns};
    if (poison_random(2))
        block.how.region.diagonal = corners[poison_random(6)];
    else
        block.how.region.diagonal = poison_random((int)(rows + columns) + 20) - columns - 10;
    if (type[1] == LAVA_TYPE_CFP64 && poison_random(2))
        block.how.alpha = (struct lava_scalar){poison_random(3), 1 + poison_random(2)};
    return block;
}

static void small_blocks(void **state) {
    struct lava_copy_pool *pool = lava_copy_pool_create(2);
    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct block block = random_block(1 + poison_random(40), 1 + poison_random(40));
        check(i % 2 ? pool : NULL, &block);
    }
    lava_copy_pool_destroy(pool);
}

/* Large enough for the threads. Few columns are cut into cells across rows. */
static void large_blocks(void **state) {
    static const int64_t shapes[][2] = {{200003, 1}, {150001, 2}, {513, 511},
                                        {2, 100001}, {70001, 3},  {900, 300}};
    static const unsigned threads[] = {1, 2, 3, 8};
    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct lava_copy_pool *pool = lava_copy_pool_create(threads[t]);
        assert_non_null(pool);
        for (int i = 0; i < 30; i++) {
            const int64_t *shape = shapes[i % 6];
            struct block block = random_block(shape[0], shape[1]);
            check(pool, &block);
        }
        lava_copy_pool_destroy(pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_blocks),
        cmocka_unit_test(large_blocks),
    };
    poison_begin(20261122);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
