/* Checks that hold for every plan of blocking.c. */
#ifndef TESTS_DISPATCH_BLOCKS_H
#define TESTS_DISPATCH_BLOCKS_H

#include "devices.h"

#include "dispatch/blocking.h"
#include "dispatch/tile_order.h"

static const struct lava_blocking_limits ample = {.memory_bytes = UINT64_C(1) << 37,
                                                  .max_buffer_bytes = UINT64_C(1) << 37,
                                                  .column_blocks = 1,
                                                  .split_k = 1};

static inline int64_t up(int64_t size, int64_t multiple) {
    return (size + multiple - 1) / multiple * multiple;
}

/* Checks that `blocks` blocks of `block` cover `size` exactly: the last is neither empty nor too large. */
static inline void check_cover(int64_t size, int64_t block, int64_t blocks, int64_t multiple) {
    assert_true(block >= 1 && block <= size && blocks >= 1);
    assert_true((blocks - 1) * block < size && blocks * block >= size);
    assert_true(block % multiple == 0 || block == size);
}

/* Walks the column blocks as the engine does: wide_blocks of block_n, then those of later_n. Each column must
 * be covered once, and the widths must be consistent. */
static inline void check_columns(const struct lava_operation *operation, const struct lava_kernel *kernel,
                                 const struct lava_blocking_limits *limits,
                                 const struct lava_blocking *blocking) {
    int64_t width = blocking->block_n, later = blocking->later_n, tile_n = kernel->tile_n;
    assert_true(width >= 1 && width <= operation->n && (width % tile_n == 0 || width == operation->n));
    int64_t asked = limits->wide_blocks > 1 ? limits->wide_blocks : 1, wide = blocking->wide_blocks;
    if ((operation->n - 1) / width < asked || blocking->blocks_k > 1 || limits->later_parts <= 1) {
        assert_true(later == width && wide == 1);
    } else {
        assert_int_equal(wide, asked);
        assert_true(later >= tile_n && later % tile_n == 0 && later <= width);
        assert_true(later * limits->later_parts >= width && (later - tile_n) * limits->later_parts < width);
    }
    int64_t column = 0, blocks = 0;
    while (column < operation->n)
        column += blocks++ < wide ? width : later;
    assert_int_equal(blocking->blocks_n, blocks);
}

/* Checks that no slice in any panel is empty and that each except the last has at least 4 steps. */
static inline void check_slices(const struct lava_operation *operation, const struct lava_kernel *kernel,
                                const struct lava_blocking *blocking) {
    for (int64_t panel = 0;
         panel<blocking->blocks_k; panel += blocking->blocks_k> 1 ? blocking->blocks_k - 1 : 1) {
        int64_t left = operation->k - panel * blocking->block_k;
        int64_t k = left < blocking->block_k ? left : blocking->block_k;
        int64_t steps = up(k, kernel->tile_k) / kernel->tile_k;
        int64_t per_slice = (steps + blocking->split_k - 1) / blocking->split_k;
        int64_t last = steps - per_slice * (blocking->split_k - 1);
        assert_true(last >= 1 && last <= per_slice && (blocking->split_k == 1 || per_slice >= 4));
    }
}

/* Bytes of an element after the epilogue: C's type, or for half types fp32 if C0 is to be added. */
static inline uint64_t result_element(const struct lava_operation *operation) {
    if (operation->c.type == LAVA_TYPE_FP64)
        return 8;
    return operation->c.type != LAVA_TYPE_FP32 && operation->beta.real == 0.0 ? 2 : 4;
}

/* Bytes of a sum that the epilogue reads. */
static inline uint64_t sum_element(const struct lava_kernel *kernel) {
    return kernel->type == LAVA_TYPE_FP64 ? 8 : 4;
}

/* Bytes of all sections of an operand. By planes these include the unchanged elements and the exponents. */
static inline uint64_t packed_bytes(const struct lava_kernel *kernel, uint32_t panel, uint64_t width,
                                    uint64_t k) {
    if (kernel->scheme == LAVA_SCHEME_NONE)
        return width * k * (kernel->type == LAVA_TYPE_FP64 ? 8 : kernel->type == LAVA_TYPE_FP32 ? 4 : 2);
    return lava_packed_layout(kernel, panel, width, k).bytes;
}

static inline void check_bytes(const struct lava_operation *operation, const struct lava_kernel *kernel,
                               const struct lava_blocking_limits *limits,
                               const struct lava_blocking *blocking) {
    uint64_t m = (uint64_t)up(blocking->block_m, kernel->tile_m);
    uint64_t n = (uint64_t)up(blocking->block_n, kernel->tile_n);
    uint64_t k = (uint64_t)up(blocking->block_k, kernel->tile_k);
    uint64_t result_bytes = result_element(operation);
    assert_int_equal(blocking->packed_a_bytes, packed_bytes(kernel, kernel->tile_m, m, k));
    assert_int_equal(blocking->packed_b_bytes, packed_bytes(kernel, kernel->tile_n, n, k));
    assert_int_equal(blocking->accumulator_bytes,
                     m * n * blocking->split_k * (blocking->epilogue ? sum_element(kernel) : result_bytes));
    uint64_t result = (uint64_t)up(blocking->block_m, 4) * (uint64_t)blocking->block_n;
    uint64_t compact_bytes = (uint64_t)up((int64_t)(result * result_bytes), 16);
    assert_int_equal(blocking->result_bytes, blocking->epilogue ? compact_bytes : 0);
    uint64_t tiles_m = m / kernel->tile_m, tiles_n = n / kernel->tile_n, held = blocking->blocks_held;
    assert_int_equal(blocking->tile_list_bytes, tiles_m * tiles_n * 4);
    assert_int_equal(blocking->total_bytes,
                     blocking->packed_a_bytes + 2 * blocking->packed_b_bytes +
                         held * (blocking->accumulator_bytes + blocking->result_bytes) +
                         LAVA_BLOCKING_TILE_LISTS * blocking->tile_list_bytes);

    const uint64_t buffers[] = {blocking->packed_a_bytes, blocking->packed_b_bytes,
                                held * blocking->accumulator_bytes, held * blocking->result_bytes,
                                LAVA_BLOCKING_TILE_LISTS * blocking->tile_list_bytes};
    for (size_t i = 0; i < COUNT(buffers); i++)
        assert_true(buffers[i] <= limits->max_buffer_bytes);
    assert_true(blocking->total_bytes <= limits->memory_bytes);
    assert_true(tiles_m < LAVA_TILE_ORDER_MAX_TILES && tiles_n < LAVA_TILE_ORDER_MAX_TILES);
    assert_true(blocking->tile_list_bytes <= UINT64_C(64) << 20);
    assert_true(k <= UINT64_C(1) << 30);
    assert_true(!blocking->epilogue || result / 4 <= UINT64_C(1) << 31);
}

/* One block has one buffer. Several blocks have two or more: as many as there are blocks and room for. */
static inline void check_held(const struct lava_blocking_limits *limits,
                              const struct lava_blocking *blocking) {
    int64_t blocks = blocking->blocks_m * blocking->blocks_n, held = blocking->blocks_held;
    uint64_t block_bytes = blocking->accumulator_bytes + blocking->result_bytes;
    int64_t most = blocks < LAVA_BLOCKING_BLOCKS_HELD ? blocks : LAVA_BLOCKING_BLOCKS_HELD;
    assert_true(held >= (blocks > 1 ? 2 : 1) && held <= most);
    assert_true(held <= 2 || (uint64_t)held * block_bytes <= limits->memory_bytes / 4);
    uint64_t one_more = (uint64_t)held + 1;
    assert_true(held == most || one_more * block_bytes > limits->memory_bytes / 4 ||
                one_more * blocking->accumulator_bytes > limits->max_buffer_bytes ||
                one_more * blocking->result_bytes > limits->max_buffer_bytes ||
                blocking->total_bytes + block_bytes > limits->memory_bytes);
}

static inline void check_finish(const struct lava_operation *operation, const struct lava_kernel *kernel,
                                const struct lava_blocking *blocking) {
    int64_t padded = lava_blocking_padded(blocking->block_m, kernel->tile_m);
    assert_int_equal(padded, up(blocking->block_m, kernel->tile_m));
    bool wasteful = (padded - blocking->block_m) * 16 > blocking->block_m;
    assert_int_equal(blocking->epilogue,
                     operation->of_parts || blocking->split_k > 1 || blocking->blocks_k > 1 || wasteful);
}

/* A complex element must be in one block of C and one panel of K. The epilogue writes it, four rows at a
 * time. */
static inline void check_parts(const struct lava_operation *operation, const struct lava_blocking *blocking) {
    assert_true(blocking->epilogue);
    assert_true(blocking->block_n % 2 == 0 && blocking->later_n % 2 == 0 && blocking->block_k % 2 == 0);
    uint64_t complex_bytes = operation->type == LAVA_TYPE_FP64 ? 16 : 8;
    assert_int_equal(blocking->result_bytes,
                     (uint64_t)up(blocking->block_m, 4) * (uint64_t)(blocking->block_n / 2) * complex_bytes);
}

static inline void check(const struct lava_operation *operation, const struct lava_kernel *kernel,
                         const struct lava_blocking_limits *limits, const struct lava_blocking *blocking) {
    check_cover(operation->m, blocking->block_m, blocking->blocks_m, kernel->tile_m);
    check_columns(operation, kernel, limits, blocking);
    check_cover(operation->k, blocking->block_k, blocking->blocks_k, kernel->tile_k);
    assert_true(blocking->split_k >= 1 && blocking->split_k <= (limits->split_k ? limits->split_k : 1));
    check_slices(operation, kernel, blocking);
    check_bytes(operation, kernel, limits, blocking);
    check_held(limits, blocking);
    check_finish(operation, kernel, blocking);
    if (operation->of_parts)
        check_parts(operation, blocking);
    int64_t wanted = up(operation->n, kernel->tile_n) / kernel->tile_n / 4;
    wanted = wanted < limits->column_blocks ? wanted : limits->column_blocks;
    assert_true(blocking->blocks_n >= (wanted < 1 ? 1 : wanted));
}

#endif
