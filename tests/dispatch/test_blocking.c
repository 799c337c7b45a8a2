/* blocking.c: for all sizes and limits a plan keeps its invariants; with ample memory it splits nothing. */
#include "blocks.h"
#include "dispatch/program.h"

/* Memory for one tile and one step of K without a split, computed by hand. With m below a tile the result is
 * smaller. */
static uint64_t least_bytes(const struct lava_kernel *kernel, const struct lava_operation *operation) {
    uint64_t m = kernel->tile_m, n = kernel->tile_n, k = kernel->tile_k;
    uint64_t rows = operation->m < kernel->tile_m ? (uint64_t)up(operation->m, 4) : m;
    uint64_t columns = operation->n < kernel->tile_n ? (uint64_t)operation->n : n;
    uint64_t result = result_element(operation);
    bool finish =
        operation->of_parts || operation->k > kernel->tile_k ||
        (m - (uint64_t)(operation->m < (int64_t)m ? operation->m : (int64_t)m)) * 16 > (uint64_t)operation->m;
    return packed_bytes(kernel, kernel->tile_m, m, k) + 2 * packed_bytes(kernel, kernel->tile_n, n, k) +
           2 * m * n * (finish ? sum_element(kernel) : result) +
           (finish ? 2 * (uint64_t)up((int64_t)(rows * columns * result), 16) : 0) +
           LAVA_BLOCKING_TILE_LISTS * 4;
}

/* The largest buffer for one tile and one step: the sums of two blocks or, with a narrow tile and a long
 * step, an operand. */
static uint64_t largest_buffer(const struct lava_kernel *kernel) {
    uint64_t sums = (uint64_t)kernel->tile_m * kernel->tile_n * sum_element(kernel) * 2;
    uint32_t width = kernel->tile_m > kernel->tile_n ? kernel->tile_m : kernel->tile_n;
    uint64_t operand = packed_bytes(kernel, width, width, kernel->tile_k);
    return sums > operand ? sums : operand;
}

/* Sets each type that C of the row's products may have, with and without C0 to add, and complex types if the
 * row serves them. */
static void set_types(struct lava_operation *operation, const struct lava_kernel *kernel, unsigned choice) {
    operation->type = kernel->type;
    operation->c.type = choice & 1 || !lava_type_is_half(kernel->type) ? kernel->type : LAVA_TYPE_FP32;
    operation->beta.real = choice & 2 ? 0.5 : 0.0;
    if (!(choice & 1) || lava_type_is_half(kernel->type))
        return;
    operation->type = operation->c.type = kernel->type == LAVA_TYPE_FP64 ? LAVA_TYPE_CFP64 : LAVA_TYPE_CFP32;
    *operation = lava_operation_of_parts(operation);
}

static void test_random(void **state) {
    (void)state;
    uint64_t random = random_seed();
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    unsigned planned = 0, refused = 0, cut_m = 0, cut_n = 0, cut_k = 0, split = 0, narrowed = 0, held = 0;
    unsigned doubles = 0, parts = 0;
    for (int i = 0; i < ROUNDS(20000); i++) {
        const struct lava_kernel *kernel = &table[random_next(&random) % rows];
        int64_t most = INT64_C(1) << (8 + random_next(&random) % 24);
        struct lava_operation operation = {.m = random_size(&random, most),
                                           .n = random_size(&random, most),
                                           .k = random_size(&random, most),
                                           .alpha.real = 1};
        set_types(&operation, kernel, (unsigned)random_next(&random));
        struct lava_blocking_limits limits = {
            .memory_bytes = (uint64_t)random_size(&random, INT64_C(1) << (16 + random_next(&random) % 22)),
            .column_blocks = (int64_t)(random_next(&random) % 9),
            .wide_blocks = (int64_t)(random_next(&random) % 4),
            .later_parts = (int64_t)(random_next(&random) % 6),
            .split_k = (uint32_t)(random_next(&random) % 20)};
        limits.max_buffer_bytes = limits.memory_bytes >> random_next(&random) % 4;
        if (random_next(&random) % 4 == 0)
            limits.memory_bytes = limits.max_buffer_bytes = UINT64_C(1) << 38;
        struct lava_blocking blocking, again;
        memset(&blocking, 0x55, sizeof blocking);
        memset(&again, 0xaa, sizeof again);
        bool fits = lava_blocking_plan(&operation, kernel, &limits, &blocking);
        assert_int_equal(lava_blocking_plan(&operation, kernel, &limits, &again), fits);
        if (!fits) {
            /* refused only if a single tile is really too large */
            uint64_t least = least_bytes(kernel, &operation);
            assert_true(limits.memory_bytes < least || limits.max_buffer_bytes < largest_buffer(kernel));
            refused++;
            continue;
        }
        assert_memory_equal(&blocking, &again, sizeof blocking);
        check(&operation, kernel, &limits, &blocking);
        planned++;
        cut_m += blocking.blocks_m > 1;
        cut_n += blocking.blocks_n > 1;
        cut_k += blocking.blocks_k > 1;
        split += blocking.split_k > 1;
        narrowed += blocking.later_n < blocking.block_n;
        held += blocking.blocks_held > 2;
        doubles += operation.type == LAVA_TYPE_FP64;
        parts += operation.of_parts && blocking.blocks_n * blocking.blocks_k > 1;
    }
    print_message("%u planned (cut along m %u, n %u, narrower later %u, k %u; split %u), %u refused\n",
                  planned, cut_m, cut_n, narrowed, cut_k, split, refused);
    assert_true(planned > SEEN(8000) && refused > SEEN(500) && cut_m > SEEN(500) && cut_n > SEEN(500) && cut_k > SEEN(100) && split > SEEN(500));
    assert_true(narrowed > SEEN(500) && held > SEEN(500) && doubles > SEEN(500) && parts > SEEN(500));
}

static void test_nothing_cut_where_all_fits(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    struct lava_operation operation = {.m = 8192, .n = 8192, .k = 8192, .alpha.real = 1};
    struct lava_blocking blocking;
    assert_true(lava_blocking_plan(&operation, kernel, &ample, &blocking));
    assert_int_equal(blocking.blocks_m * blocking.blocks_n * blocking.blocks_k, 1);
    assert_int_equal(blocking.block_m, 8192);
    assert_int_equal(blocking.split_k, 1);
    assert_false(blocking.epilogue);
    assert_int_equal(blocking.result_bytes, 0);
    operation.m = 8191; /* padding of one row does not require an epilogue */
    assert_true(lava_blocking_plan(&operation, kernel, &ample, &blocking));
    assert_int_equal(blocking.block_m, 8191);
    assert_false(blocking.epilogue);
    operation.m = 129; /* padded to 256 */
    assert_true(lava_blocking_plan(&operation, kernel, &ample, &blocking));
    assert_true(blocking.epilogue);
    assert_int_equal(blocking.result_bytes, 132 * 8192 * 4);
}

/* 64 tile columns. */
static void test_column_blocks(void **state) {
    (void)state;
    static const int64_t asked_got[][2] = {{0, 1}, {1, 1}, {2, 2},   {3, 3},
                                           {4, 4}, {5, 5}, {15, 16}, {100, 16}};
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    struct lava_operation operation = {.m = 4096, .n = 8192, .k = 512, .alpha.real = 1};
    for (size_t i = 0; i < COUNT(asked_got); i++) {
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking;
        limits.column_blocks = asked_got[i][0];
        assert_true(lava_blocking_plan(&operation, kernel, &limits, &blocking));
        assert_int_equal(blocking.blocks_n, asked_got[i][1]);
        assert_true(blocking.block_n >= 4 * 128);
        assert_int_equal(blocking.blocks_m * blocking.blocks_k, 1);
    }
    /* 321 columns: 19 blocks of 17 or 21 of 16 are possible, but not 20 */
    struct lava_blocking_limits limits = ample;
    struct lava_blocking blocking;
    operation.n = 321 * 128;
    limits.column_blocks = 20;
    assert_true(lava_blocking_plan(&operation, kernel, &limits, &blocking));
    assert_int_equal(blocking.blocks_n, 21);
}

/* 64 tile columns, or as given. */
static void test_later_widths(void **state) {
    (void)state;
    /* tile columns; requested column blocks and parts; tile columns of the first and the later blocks;
     * blocks */
    static const int64_t cases[][6] = {
        {64, 4, 0, 16, 16, 4}, {64, 4, 1, 16, 16, 4}, {64, 4, 2, 16, 8, 7},    {64, 4, 4, 16, 4, 13},
        {64, 4, 3, 16, 6, 9},  {64, 1, 4, 64, 64, 1}, {64, 2, 100, 32, 1, 33}, {9, 2, 2, 5, 3, 3},
        {66, 2, 2, 33, 17, 3}, {65, 2, 2, 33, 17, 3}, {8, 2, 4, 4, 1, 5},
    };
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    for (size_t i = 0; i < COUNT(cases); i++) {
        /* the last tile is partial */
        struct lava_operation operation = {.m = 4096, .n = cases[i][0] * 128 - 5, .k = 512, .alpha.real = 1};
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking, equal;
        limits.column_blocks = cases[i][1];
        assert_true(lava_blocking_plan(&operation, kernel, &limits, &equal));
        limits.later_parts = cases[i][2];
        assert_true(lava_blocking_plan(&operation, kernel, &limits, &blocking));
        check(&operation, kernel, &limits, &blocking);
        bool whole = cases[i][5] == 1;
        assert_int_equal(blocking.block_n, whole ? operation.n : cases[i][3] * 128);
        assert_int_equal(blocking.later_n, whole ? operation.n : cases[i][4] * 128);
        assert_int_equal(blocking.blocks_n, cases[i][5]);
        /* only the number of blocks held may differ */
        blocking.later_n = equal.later_n;
        blocking.blocks_n = equal.blocks_n;
        blocking.blocks_held = equal.blocks_held;
        blocking.total_bytes = equal.total_bytes;
        assert_memory_equal(&blocking, &equal, sizeof blocking);
    }
}

static void test_split(void **state) {
    (void)state;
    /* steps of K, requested, expected */
    static const struct {
        int64_t steps;
        uint32_t asked, got;
    } cases[] = {{64, 16, 16}, {64, 4, 4}, {63, 16, 16}, {65, 16, 13}, {8, 16, 2},       {7, 16, 2},
                 {6, 16, 1},   {64, 0, 1}, {64, 1, 1},   {9, 2, 2},    {1 << 20, 16, 16}};
    const struct lava_kernel *kernel = lava_kernels_find("fp32_64x64");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lava_operation operation = {
            .m = 64, .n = 64, .k = cases[i].steps * kernel->tile_k - 3, .alpha.real = 1};
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking;
        limits.split_k = cases[i].asked;
        assert_true(lava_blocking_plan(&operation, kernel, &limits, &blocking));
        assert_int_equal(blocking.split_k, cases[i].got);
        assert_int_equal(blocking.epilogue, cases[i].got > 1);
    }
}

/* A quarter of the memory that the product needs: N is split first, so that A and B still cross the bus
 * once. */
static void test_n_is_cut_first(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    struct lava_operation operation = {.m = 8192, .n = 65536, .k = 8192, .alpha.real = 1};
    struct lava_blocking_limits limits = ample;
    struct lava_blocking whole, blocking;
    assert_true(lava_blocking_plan(&operation, kernel, &limits, &whole));
    limits.memory_bytes = whole.total_bytes / 4;
    assert_true(lava_blocking_plan(&operation, kernel, &limits, &blocking));
    check(&operation, kernel, &limits, &blocking);
    assert_true(blocking.blocks_n > 1);
    assert_int_equal(blocking.blocks_m * blocking.blocks_k, 1);
    /* the memory is used: one column block fewer would not fit */
    assert_true(blocking.total_bytes * (uint64_t)blocking.blocks_n >
                limits.memory_bytes * (uint64_t)(blocking.blocks_n - 1) / 2);
}

/* The bytes over the bus grow slowly as memory shrinks: at most twice those with twice the memory. */
static void test_few_crossings(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    struct lava_operation operation = {.m = 32768, .n = 32768, .k = 32768, .alpha.real = 1};
    double before = 0;
    for (uint64_t memory = UINT64_C(1) << 36; memory >= UINT64_C(1) << 26; memory /= 2) {
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking;
        limits.memory_bytes = limits.max_buffer_bytes = memory;
        assert_true(lava_blocking_plan(&operation, kernel, &limits, &blocking));
        check(&operation, kernel, &limits, &blocking);
        double crossings =
            (double)blocking.blocks_m + (blocking.blocks_k > 1 ? (double)blocking.blocks_n : 1.0);
        print_message("%6llu MiB: %lld x %lld x %lld blocks, operands cross %.0f times\n",
                      (unsigned long long)(memory >> 20), (long long)blocking.blocks_m,
                      (long long)blocking.blocks_n, (long long)blocking.blocks_k, crossings);
        assert_true(before <= 0 || crossings <= 2 * before);
        before = crossings;
    }
    assert_true(before <= 64);
}

static void test_extreme_shapes(void **state) {
    (void)state;
    static const int64_t shapes[][3] = {{1, 2700000, 1},          {2700000, 1, 3},
                                        {INT32_MAX, 1, 1},        {1, INT32_MAX, 1},
                                        {1, 1, INT32_MAX},        {INT32_MAX, INT32_MAX, INT32_MAX},
                                        {INT64_C(1) << 40, 7, 2}, {5, 3, INT64_C(1) << 40}};
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    for (size_t i = 0; i < COUNT(shapes); i++) {
        for (size_t r = 0; r < rows; r++) {
            struct lava_operation operation = {
                .m = shapes[i][0], .n = shapes[i][1], .k = shapes[i][2], .alpha.real = 1};
            struct lava_blocking_limits limits = ample;
            set_types(&operation, &table[r], (unsigned)i);
            struct lava_blocking blocking;
            limits.memory_bytes = limits.max_buffer_bytes =
                UINT64_C(1) << 44; /* more than any device: the counts are the limit */
            limits.column_blocks = 4;
            limits.split_k = 8;
            assert_true(lava_blocking_plan(&operation, &table[r], &limits, &blocking));
            check(&operation, &table[r], &limits, &blocking);
        }
    }
}

static void test_too_little_memory(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp32_32x32");
    struct lava_operation operation = {.m = 4096, .n = 4096, .k = 4096, .alpha.real = 1};
    uint64_t least = least_bytes(kernel, &operation);
    struct lava_blocking_limits limits = ample;
    struct lava_blocking blocking;
    limits.memory_bytes = least;
    limits.split_k = 8; /* the slices are reduced before the plan fails */
    assert_true(lava_blocking_plan(&operation, kernel, &limits, &blocking));
    check(&operation, kernel, &limits, &blocking);
    assert_int_equal(blocking.block_m, 32);
    limits.memory_bytes = least - 1;
    assert_false(lava_blocking_plan(&operation, kernel, &limits, &blocking));
    limits.memory_bytes = 0;
    assert_false(lava_blocking_plan(&operation, kernel, &limits, &blocking));
    limits = ample;
    limits.max_buffer_bytes = 2 * 32 * 32 * 4 - 1;
    assert_false(lava_blocking_plan(&operation, kernel, &limits, &blocking));
}

static void test_chunks(void **state) {
    (void)state;
    uint64_t random = random_seed();
    for (int i = 0; i < ROUNDS(200000); i++) {
        int64_t most = INT64_C(1) << (4 + random_next(&random) % 29);
        int64_t rows = random_size(&random, most), columns = random_size(&random, most);
        uint64_t slot = (UINT64_C(64) << 10) * (uint64_t)random_size(&random, 1024);
        size_t bytes = (size_t)2 << random_next(&random) % 4;
        struct lava_chunking c = lava_blocking_chunks(rows, columns, slot, bytes);
        assert_true(c.chunk_rows >= 1 && c.chunk_rows <= rows && c.chunk_rows <= LAVA_CHUNK_MAX_ROWS);
        assert_true(c.chunk_columns >= 1 && c.chunk_columns <= columns);
        assert_true(c.chunk_columns <= LAVA_CHUNK_MAX_ROWS); /* blocks of a dispatch in both dimensions */
        assert_true(c.chunk_rows % LAVA_CHUNK_ALIGN == 0 || c.chunk_rows == rows);
        assert_true(c.chunk_columns % LAVA_CHUNK_ALIGN == 0 || c.chunk_columns == columns);
        uint64_t used = (uint64_t)up(c.chunk_rows, 16 / (int64_t)bytes) * (uint64_t)c.chunk_columns * bytes;
        assert_true(used <= slot);
        /* chunks are split only if necessary, and a slot is then at least a third full */
        bool whole = c.chunk_rows == rows && c.chunk_columns == columns;
        bool capped = c.chunk_rows == LAVA_CHUNK_MAX_ROWS || c.chunk_columns == LAVA_CHUNK_MAX_ROWS;
        assert_true(whole || capped || 3 * used >= slot);
    }
    struct lava_chunking c = lava_blocking_chunks(8192, 8192, 16 << 20, 4);
    assert_int_equal(c.chunk_rows, 8192);
    assert_int_equal(c.chunk_columns, 512);
    c = lava_blocking_chunks(8192, 8192, 16 << 20, 2);
    assert_int_equal(c.chunk_rows, 8192);
    assert_int_equal(c.chunk_columns, 1024);
    /* 100 rows of fp32 take 400 bytes, of fp16 208: 163 and 315 columns */
    c = lava_blocking_chunks(100, 1000, 64 << 10, 4);
    assert_int_equal(c.chunk_columns, 128);
    c = lava_blocking_chunks(100, 1000, 64 << 10, 2);
    assert_int_equal(c.chunk_columns, 256);
    c = lava_blocking_chunks(1 << 20, 1000, 64 << 10, 2); /* 64 columns of 512 rows */
    assert_int_equal(c.chunk_columns, 64);
    assert_int_equal(c.chunk_rows, 512);
    c = lava_blocking_chunks(10, 0, 16 << 20, 4);
    assert_int_equal(c.chunk_columns, 0);
}

/* Strips: all limits hold, the packed operands are whole, and the downloads cover the triangle exactly. */
static void check_strips(const struct lava_operation *operation, const struct lava_kernel *kernel,
                         const struct lava_blocking_limits *limits, const struct lava_blocking *blocking) {
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    int64_t each = operation->of_parts ? 2 : 1, end = 0;
    uint64_t k = (uint64_t)up(operation->k, kernel->tile_k);
    uint64_t a = packed_bytes(kernel, kernel->tile_m, (uint64_t)up(operation->m, kernel->tile_m), k);
    uint64_t b = packed_bytes(kernel, kernel->tile_n, (uint64_t)up(operation->n, kernel->tile_n), k);
    assert_true(blocking->by_strips && blocking->blocks_n <= LAVA_BLOCKING_TILE_LISTS);
    assert_int_equal(blocking->packed_a_bytes, a);
    assert_int_equal(blocking->packed_b_bytes, b);
    assert_int_equal(blocking->total_bytes,
                     a + b + blocking->blocks_held * (blocking->accumulator_bytes + blocking->result_bytes) +
                         LAVA_BLOCKING_TILE_LISTS * blocking->tile_list_bytes);
    assert_true(blocking->total_bytes <= limits->memory_bytes && b <= limits->max_buffer_bytes);
    struct lava_program program;
    struct lava_task task;
    lava_program_begin(&program, operation, kernel, blocking);
    while (lava_program_next(&program, &task)) {
        const struct lava_block *block = task.block;
        if (task.kind != LAVA_TASK_DOWNLOAD)
            continue;
        assert_int_equal(is_lower ? block->row : block->column / each, end);
        assert_int_equal(is_lower ? block->column : block->row, 0);
        end = block->row + block->rows;
        assert_int_equal(block->column + block->columns, end * each);
        assert_true((uint64_t)(up(block->rows, kernel->tile_m) * up(block->columns, kernel->tile_n)) *
                        blocking->split_k * (kernel->type == LAVA_TYPE_FP64 ? 8 : 4) <=
                    blocking->accumulator_bytes);
    }
    assert_int_equal(end, operation->m);
}

static void test_triangles(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp64_64x64");
    uint64_t random = random_seed();
    int planned = 0;
    for (int i = 0; i < ROUNDS(3000); i++) {
        int64_t n = random_size(&random, 3000), each = 1 + i % 2;
        struct lava_operation operation = {.type = LAVA_TYPE_FP64,
                                           .c.type = LAVA_TYPE_FP64,
                                           .of_parts = each == 2,
                                           .c.region = i % 4 < 2 ? LAVA_REGION_LOWER : LAVA_REGION_UPPER,
                                           .m = n,
                                           .n = n * each,
                                           .k = random_size(&random, 3000) * each,
                                           .alpha.real = 1};
        struct lava_blocking_limits limits = ample;
        limits.memory_bytes = (uint64_t)random_size(&random, INT64_C(1) << (20 + random_next(&random) % 10));
        limits.column_blocks = 1 << random_next(&random) % 4;
        limits.split_k = (uint32_t)(random_next(&random) % 4);
        struct lava_blocking blocking;
        if (!lava_blocking_plan(&operation, kernel, &limits, &blocking))
            continue;
        check_strips(&operation, kernel, &limits, &blocking);
        planned++;
    }
    assert_true(planned > SEEN(300));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_nothing_cut_where_all_fits),
        cmocka_unit_test(test_column_blocks),
        cmocka_unit_test(test_later_widths),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_n_is_cut_first),
        cmocka_unit_test(test_few_crossings),
        cmocka_unit_test(test_extreme_shapes),
        cmocka_unit_test(test_too_little_memory),
        cmocka_unit_test(test_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
