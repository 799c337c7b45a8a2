/* blocking.c: whatever the sizes and limits, a plan keeps its promises; where memory is ample it cuts
 * nothing. */
#include "devices.h"

#include "dispatch/blocking.h"
#include "dispatch/schedule.h"

static int64_t up(int64_t size, int64_t multiple) {
    return (size + multiple - 1) / multiple * multiple;
}

/* `blocks` blocks of `block` cover `size` exactly: the last is neither empty nor too large. */
static void check_cover(int64_t size, int64_t block, int64_t blocks, int64_t multiple) {
    assert_true(block >= 1 && block <= size && blocks >= 1);
    assert_true((blocks - 1) * block < size && blocks * block >= size);
    assert_true(block % multiple == 0 || block == size);
}

/* Walks the column blocks as the executor does: one of block_n, then those of later_n. Each column is covered
 * once, and the widths follow from one another. */
static void check_columns(const struct lava_problem *problem, const struct lava_kernel *kernel,
                          const struct lava_blocking_limits *limits, const struct lava_blocking *blocking) {
    int64_t width = blocking->block_n, later = blocking->later_n, tile_n = kernel->tile_n;
    assert_true(width >= 1 && width <= problem->n && (width % tile_n == 0 || width == problem->n));
    if (blocking->blocks_n == 1 || blocking->blocks_k > 1 || limits->later_parts <= 1) {
        assert_int_equal(later, width);
    } else {
        assert_true(later >= tile_n && later % tile_n == 0 && later <= width);
        assert_true(later * limits->later_parts >= width && (later - tile_n) * limits->later_parts < width);
    }
    int64_t blocks = width < problem->n ? 1 + (problem->n - width - 1) / later + 1 : 1;
    assert_int_equal(blocking->blocks_n, blocks);
    int64_t before_last = blocks > 1 ? width + (blocks - 2) * later : 0;
    assert_true(before_last < problem->n && problem->n - before_last <= (blocks > 1 ? later : width));
}

/* No slab without work, in any panel; at least 4 steps each but for the last. */
static void check_slabs(const struct lava_problem *problem, const struct lava_kernel *kernel,
                        const struct lava_blocking *blocking) {
    for (int64_t panel = 0;
         panel<blocking->blocks_k; panel += blocking->blocks_k> 1 ? blocking->blocks_k - 1 : 1) {
        int64_t left = problem->k - panel * blocking->block_k;
        int64_t k = left < blocking->block_k ? left : blocking->block_k;
        int64_t steps = up(k, kernel->tile_k) / kernel->tile_k;
        int64_t per_slab = (steps + blocking->split_k - 1) / blocking->split_k;
        int64_t last = steps - per_slab * (blocking->split_k - 1);
        assert_true(last >= 1 && last <= per_slab && (blocking->split_k == 1 || per_slab >= 4));
    }
}

/* Of a finished element: C's type, or fp32 where C0 is to be added. Of a sum: fp32 where finish reads it. */
static uint64_t result_element(const struct lava_problem *problem) {
    return problem->type_c != LAVA_TYPE_FP32 && problem->beta == 0.0 ? 2 : 4;
}

/* All parts of an operand: by planes, the elements as they are and exponents besides. */
static uint64_t packed_bytes(const struct lava_kernel *kernel, uint32_t panel, uint64_t width, uint64_t k) {
    if (kernel->scheme == LAVA_SCHEME_NONE)
        return width * k * (kernel->type == LAVA_TYPE_FP32 ? 4 : 2);
    return lava_packed_layout(kernel, panel, width, k).bytes;
}

static void check_bytes(const struct lava_problem *problem, const struct lava_kernel *kernel,
                        const struct lava_blocking_limits *limits, const struct lava_blocking *blocking) {
    uint64_t m = (uint64_t)up(blocking->block_m, kernel->tile_m);
    uint64_t n = (uint64_t)up(blocking->block_n, kernel->tile_n);
    uint64_t k = (uint64_t)up(blocking->block_k, kernel->tile_k);
    uint64_t result_bytes = result_element(problem);
    assert_int_equal(blocking->packed_a_bytes, packed_bytes(kernel, kernel->tile_m, m, k));
    assert_int_equal(blocking->packed_b_bytes, packed_bytes(kernel, kernel->tile_n, n, k));
    assert_int_equal(blocking->accumulator_bytes,
                     m * n * blocking->split_k * (blocking->finish ? 4 : result_bytes));
    uint64_t result = (uint64_t)up(blocking->block_m, 4) * (uint64_t)blocking->block_n;
    uint64_t compact_bytes = (uint64_t)up((int64_t)(result * result_bytes), 16);
    assert_int_equal(blocking->result_bytes, blocking->finish ? compact_bytes : 0);
    uint64_t tiles_m = m / kernel->tile_m, tiles_n = n / kernel->tile_n, held = blocking->blocks_held;
    assert_int_equal(blocking->schedule_bytes, tiles_m * tiles_n * 4);
    assert_int_equal(blocking->total_bytes,
                     blocking->packed_a_bytes + 2 * blocking->packed_b_bytes +
                         held * (blocking->accumulator_bytes + blocking->result_bytes) +
                         LAVA_BLOCKING_SCHEDULES * blocking->schedule_bytes);

    const uint64_t buffers[] = {blocking->packed_a_bytes, blocking->packed_b_bytes,
                                held * blocking->accumulator_bytes, held * blocking->result_bytes,
                                LAVA_BLOCKING_SCHEDULES * blocking->schedule_bytes};
    for (size_t i = 0; i < COUNT(buffers); i++)
        assert_true(buffers[i] <= limits->max_buffer_bytes);
    assert_true(blocking->total_bytes <= limits->memory_bytes);
    assert_true(tiles_m < LAVA_SCHEDULE_MAX_TILES && tiles_n < LAVA_SCHEDULE_MAX_TILES);
    assert_true(blocking->schedule_bytes <= UINT64_C(64) << 20);
    assert_true(k <= UINT64_C(1) << 30);
    assert_true(!blocking->finish || result / 4 <= UINT64_C(1) << 31);
}

/* One block has one place, several have two or more: as many as there are blocks and room for. */
static void check_held(const struct lava_blocking_limits *limits, const struct lava_blocking *blocking) {
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

static void check_finish(const struct lava_kernel *kernel, const struct lava_blocking *blocking) {
    int64_t padded = lava_blocking_padded(blocking->block_m, kernel->tile_m);
    assert_int_equal(padded, up(blocking->block_m, kernel->tile_m));
    bool wasteful = (padded - blocking->block_m) * 16 > blocking->block_m;
    assert_int_equal(blocking->finish, blocking->split_k > 1 || blocking->blocks_k > 1 || wasteful);
}

static void check(const struct lava_problem *problem, const struct lava_kernel *kernel,
                  const struct lava_blocking_limits *limits, const struct lava_blocking *blocking) {
    check_cover(problem->m, blocking->block_m, blocking->blocks_m, kernel->tile_m);
    check_columns(problem, kernel, limits, blocking);
    check_cover(problem->k, blocking->block_k, blocking->blocks_k, kernel->tile_k);
    assert_true(blocking->split_k >= 1 && blocking->split_k <= (limits->split_k ? limits->split_k : 1));
    check_slabs(problem, kernel, blocking);
    check_bytes(problem, kernel, limits, blocking);
    check_held(limits, blocking);
    check_finish(kernel, blocking);
    int64_t wanted = up(problem->n, kernel->tile_n) / kernel->tile_n / 4;
    wanted = wanted < limits->column_blocks ? wanted : limits->column_blocks;
    assert_true(blocking->blocks_n >= (wanted < 1 ? 1 : wanted));
}

/* What one tile, one step of K and no split need, by hand; m below a tile makes the result smaller. */
static uint64_t least_bytes(const struct lava_kernel *kernel, const struct lava_problem *problem) {
    uint64_t m = kernel->tile_m, n = kernel->tile_n, k = kernel->tile_k;
    uint64_t rows = problem->m < kernel->tile_m ? (uint64_t)up(problem->m, 4) : m;
    uint64_t columns = problem->n < kernel->tile_n ? (uint64_t)problem->n : n;
    uint64_t result = result_element(problem);
    bool finish =
        problem->k > kernel->tile_k ||
        (m - (uint64_t)(problem->m < (int64_t)m ? problem->m : (int64_t)m)) * 16 > (uint64_t)problem->m;
    return packed_bytes(kernel, kernel->tile_m, m, k) + 2 * packed_bytes(kernel, kernel->tile_n, n, k) +
           2 * m * n * (finish ? 4 : result) +
           (finish ? 2 * (uint64_t)up((int64_t)(rows * columns * result), 16) : 0) +
           LAVA_BLOCKING_SCHEDULES * 4;
}

/* Of those for one tile and one step: the sums of two blocks, or, with a narrow tile and a long step, an
 * operand. */
static uint64_t largest_buffer(const struct lava_kernel *kernel) {
    uint64_t sums = (uint64_t)kernel->tile_m * kernel->tile_n * 4 * 2;
    uint32_t width = kernel->tile_m > kernel->tile_n ? kernel->tile_m : kernel->tile_n;
    uint64_t operand = packed_bytes(kernel, width, width, kernel->tile_k);
    return sums > operand ? sums : operand;
}

/* C of either type that the row's products may have, with and without something to be added. */
static void set_types(struct lava_problem *problem, const struct lava_kernel *kernel, unsigned choice) {
    problem->type = kernel->type;
    problem->type_c = choice & 1 ? kernel->type : LAVA_TYPE_FP32;
    problem->beta = choice & 2 ? 0.5 : 0.0;
}

static void test_random(void **state) {
    (void)state;
    uint64_t random = random_seed();
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    unsigned planned = 0, refused = 0, cut_m = 0, cut_n = 0, cut_k = 0, split = 0, narrowed = 0, held = 0;
    for (int i = 0; i < 20000; i++) {
        const struct lava_kernel *kernel = &table[random_next(&random) % rows];
        int64_t most = INT64_C(1) << (8 + random_next(&random) % 24);
        struct lava_problem problem = {.m = random_size(&random, most),
                                       .n = random_size(&random, most),
                                       .k = random_size(&random, most),
                                       .alpha = 1};
        set_types(&problem, kernel, (unsigned)random_next(&random));
        struct lava_blocking_limits limits = {
            .memory_bytes = (uint64_t)random_size(&random, INT64_C(1) << (16 + random_next(&random) % 22)),
            .column_blocks = (int64_t)(random_next(&random) % 9),
            .later_parts = (int64_t)(random_next(&random) % 6),
            .split_k = (uint32_t)(random_next(&random) % 20)};
        limits.max_buffer_bytes = limits.memory_bytes >> random_next(&random) % 4;
        if (random_next(&random) % 4 == 0)
            limits.memory_bytes = limits.max_buffer_bytes = UINT64_C(1) << 38;
        struct lava_blocking blocking, again;
        memset(&blocking, 0x55, sizeof blocking);
        memset(&again, 0xaa, sizeof again);
        bool fits = lava_blocking_plan(&problem, kernel, &limits, &blocking);
        assert_int_equal(lava_blocking_plan(&problem, kernel, &limits, &again), fits);
        if (!fits) {
            /* only where a single tile is really too large */
            uint64_t least = least_bytes(kernel, &problem);
            assert_true(limits.memory_bytes < least || limits.max_buffer_bytes < largest_buffer(kernel));
            refused++;
            continue;
        }
        assert_memory_equal(&blocking, &again, sizeof blocking);
        check(&problem, kernel, &limits, &blocking);
        planned++;
        cut_m += blocking.blocks_m > 1;
        cut_n += blocking.blocks_n > 1;
        cut_k += blocking.blocks_k > 1;
        split += blocking.split_k > 1;
        narrowed += blocking.later_n < blocking.block_n;
        held += blocking.blocks_held > 2;
    }
    print_message("%u planned (cut along m %u, n %u, narrower later %u, k %u; split %u), %u refused\n",
                  planned, cut_m, cut_n, narrowed, cut_k, split, refused);
    assert_true(planned > 8000 && refused > 500 && cut_m > 500 && cut_n > 500 && cut_k > 100 && split > 500);
    assert_true(narrowed > 500 && held > 500);
}

static const struct lava_blocking_limits ample = {.memory_bytes = UINT64_C(1) << 37,
                                                  .max_buffer_bytes = UINT64_C(1) << 37,
                                                  .column_blocks = 1,
                                                  .split_k = 1};

static void test_nothing_cut_where_all_fits(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    struct lava_problem problem = {.m = 8192, .n = 8192, .k = 8192, .alpha = 1};
    struct lava_blocking blocking;
    assert_true(lava_blocking_plan(&problem, kernel, &ample, &blocking));
    assert_int_equal(blocking.blocks_m * blocking.blocks_n * blocking.blocks_k, 1);
    assert_int_equal(blocking.block_m, 8192);
    assert_int_equal(blocking.split_k, 1);
    assert_false(blocking.finish);
    assert_int_equal(blocking.result_bytes, 0);
    problem.m = 8191; /* padding of one row: no reason to finish */
    assert_true(lava_blocking_plan(&problem, kernel, &ample, &blocking));
    assert_int_equal(blocking.block_m, 8191);
    assert_false(blocking.finish);
    problem.m = 129; /* padded to 256 */
    assert_true(lava_blocking_plan(&problem, kernel, &ample, &blocking));
    assert_true(blocking.finish);
    assert_int_equal(blocking.result_bytes, 132 * 8192 * 4);
}

/* What multiply rounds to C's type itself is small; what finish has to sum stays fp32 until it has. */
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
    /* C's type, beta, m, split K; bytes of a sum, of an element of the result */
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
        struct lava_problem problem = {.type = LAVA_TYPE_BF16,
                                       .type_c = cases[i].type_c,
                                       .m = cases[i].m,
                                       .n = 1000,
                                       .k = 2048,
                                       .alpha = 1,
                                       .beta = cases[i].beta};
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking;
        limits.split_k = cases[i].split_k;
        assert_true(lava_blocking_plan(&problem, &kernel, &limits, &blocking));
        check(&problem, &kernel, &limits, &blocking);
        uint64_t m = cases[i].m == 129 ? 256 : 4096, rows = cases[i].m == 129 ? 132 : 4096;
        assert_int_equal(blocking.packed_a_bytes, m * 2048 * 2);
        assert_int_equal(blocking.packed_b_bytes, 1024 * 2048 * 2);
        assert_int_equal(blocking.accumulator_bytes, m * 1024 * cases[i].split_k * cases[i].sum);
        assert_int_equal(blocking.result_bytes, rows * 1000 * cases[i].result);
    }
    /* K cut: a later panel adds to what an earlier one left, in fp32 */
    struct lava_problem problem = {
        .type = LAVA_TYPE_BF16, .type_c = LAVA_TYPE_BF16, .m = 256, .n = 256, .k = 1 << 20, .alpha = 1};
    struct lava_blocking_limits limits = ample;
    struct lava_blocking blocking;
    limits.memory_bytes = 16 << 20;
    assert_true(lava_blocking_plan(&problem, &kernel, &limits, &blocking));
    check(&problem, &kernel, &limits, &blocking);
    assert_true(blocking.blocks_k > 1 && blocking.finish);
    assert_int_equal(blocking.accumulator_bytes, blocking.result_bytes * 2);
}

/* Ten bytes an element of A and B, and exponents: of each 128 rows, or 64 columns, two words, or one, for
 * each 64 of K. One plane takes two bytes, and nothing besides. */
static void test_planes(void **state) {
    (void)state;
    const struct lava_kernel *three = lava_kernels_find("bf16x3_128x64");
    struct lava_problem problem = {.m = 1000, .n = 500, .k = 2000, .alpha = 1};
    struct lava_blocking blocking;
    assert_true(lava_blocking_plan(&problem, three, &ample, &blocking));
    check(&problem, three, &ample, &blocking);
    /* 8 panels, padded to 1024 x 2016; 8 panels, padded to 512 x 2016; 32 depths */
    assert_int_equal(blocking.packed_a_bytes, 1024 * 2016 * 10 + 8 * 32 * 2 * 4 + 16);
    assert_int_equal(blocking.packed_b_bytes, 512 * 2016 * 10 + 8 * 32 * 4 + 16);
    assert_false(blocking.finish);
    assert_int_equal(blocking.accumulator_bytes, 1024 * 512 * 4); /* sums are as of fp32 */
    const struct lava_kernel *one = lava_kernels_find("bf16x1_128x128");
    assert_true(lava_blocking_plan(&problem, one, &ample, &blocking));
    assert_int_equal(blocking.packed_a_bytes, 1024 * 2016 * 2);
    assert_int_equal(blocking.packed_b_bytes, 512 * 2016 * 2);
    assert_int_equal(blocking.accumulator_bytes, 1024 * 512 * 4);

    /* each operand in panels of its own tile: 15 of 64 rows, 4 of 128 columns */
    struct lava_kernel turned = *three;
    turned.tile_m = three->tile_n;
    turned.tile_n = three->tile_m;
    problem.m = 15 * 64;
    assert_true(lava_blocking_plan(&problem, &turned, &ample, &blocking));
    assert_int_equal(blocking.packed_a_bytes, 960 * 2016 * 10 + 15 * 32 * 4 + 16);
    assert_int_equal(blocking.packed_b_bytes, 512 * 2016 * 10 + 4 * 32 * 2 * 4 + 16);

    /* what is packed has to fit as well: less of K, or of C, at a time than of fp32 */
    struct lava_problem square = {.m = 8192, .n = 8192, .k = 8192, .alpha = 1};
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

/* 64 tile columns. */
static void test_column_blocks(void **state) {
    (void)state;
    static const int64_t asked_got[][2] = {{0, 1}, {1, 1}, {2, 2},   {3, 3},
                                           {4, 4}, {5, 5}, {15, 16}, {100, 16}};
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    struct lava_problem problem = {.m = 4096, .n = 8192, .k = 512, .alpha = 1};
    for (size_t i = 0; i < COUNT(asked_got); i++) {
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking;
        limits.column_blocks = asked_got[i][0];
        assert_true(lava_blocking_plan(&problem, kernel, &limits, &blocking));
        assert_int_equal(blocking.blocks_n, asked_got[i][1]);
        assert_true(blocking.block_n >= 4 * 128);
        assert_int_equal(blocking.blocks_m * blocking.blocks_k, 1);
    }
    /* 321 columns: 19 blocks of 17, or 21 of 16, but not 20 */
    struct lava_blocking_limits limits = ample;
    struct lava_blocking blocking;
    problem.n = 321 * 128;
    limits.column_blocks = 20;
    assert_true(lava_blocking_plan(&problem, kernel, &limits, &blocking));
    assert_int_equal(blocking.blocks_n, 21);
}

/* 64 tile columns, or as many as said. */
static void test_later_widths(void **state) {
    (void)state;
    /* tile columns; column blocks and parts asked for; tile columns of the first, of the later; blocks */
    static const int64_t cases[][6] = {
        {64, 4, 0, 16, 16, 4}, {64, 4, 1, 16, 16, 4}, {64, 4, 2, 16, 8, 7},    {64, 4, 4, 16, 4, 13},
        {64, 4, 3, 16, 6, 9},  {64, 1, 4, 64, 64, 1}, {64, 2, 100, 32, 1, 33}, {9, 2, 2, 5, 3, 3},
        {66, 2, 2, 33, 17, 3}, {65, 2, 2, 33, 17, 3}, {8, 2, 4, 4, 1, 5},
    };
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    for (size_t i = 0; i < COUNT(cases); i++) {
        /* the last tile is not a whole one */
        struct lava_problem problem = {.m = 4096, .n = cases[i][0] * 128 - 5, .k = 512, .alpha = 1};
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking, equal;
        limits.column_blocks = cases[i][1];
        assert_true(lava_blocking_plan(&problem, kernel, &limits, &equal));
        limits.later_parts = cases[i][2];
        assert_true(lava_blocking_plan(&problem, kernel, &limits, &blocking));
        check(&problem, kernel, &limits, &blocking);
        bool whole = cases[i][5] == 1;
        assert_int_equal(blocking.block_n, whole ? problem.n : cases[i][3] * 128);
        assert_int_equal(blocking.later_n, whole ? problem.n : cases[i][4] * 128);
        assert_int_equal(blocking.blocks_n, cases[i][5]);
        /* nothing else changes but how many of them are held */
        blocking.later_n = equal.later_n;
        blocking.blocks_n = equal.blocks_n;
        blocking.blocks_held = equal.blocks_held;
        blocking.total_bytes = equal.total_bytes;
        assert_memory_equal(&blocking, &equal, sizeof blocking);
    }
}

static void test_split(void **state) {
    (void)state;
    /* steps of K, asked, got */
    static const struct {
        int64_t steps;
        uint32_t asked, got;
    } cases[] = {{64, 16, 16}, {64, 4, 4}, {63, 16, 16}, {65, 16, 13}, {8, 16, 2},       {7, 16, 2},
                 {6, 16, 1},   {64, 0, 1}, {64, 1, 1},   {9, 2, 2},    {1 << 20, 16, 16}};
    const struct lava_kernel *kernel = lava_kernels_find("fp32_64x64");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct lava_problem problem = {
            .m = 64, .n = 64, .k = cases[i].steps * kernel->tile_k - 3, .alpha = 1};
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking;
        limits.split_k = cases[i].asked;
        assert_true(lava_blocking_plan(&problem, kernel, &limits, &blocking));
        assert_int_equal(blocking.split_k, cases[i].got);
        assert_int_equal(blocking.finish, cases[i].got > 1);
    }
}

/* A quarter of what the product needs: N is cut first, so that A and B still cross the bus once. */
static void test_n_is_cut_first(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    struct lava_problem problem = {.m = 8192, .n = 65536, .k = 8192, .alpha = 1};
    struct lava_blocking_limits limits = ample;
    struct lava_blocking whole, blocking;
    assert_true(lava_blocking_plan(&problem, kernel, &limits, &whole));
    limits.memory_bytes = whole.total_bytes / 4;
    assert_true(lava_blocking_plan(&problem, kernel, &limits, &blocking));
    check(&problem, kernel, &limits, &blocking);
    assert_true(blocking.blocks_n > 1);
    assert_int_equal(blocking.blocks_m * blocking.blocks_k, 1);
    /* the memory is used, not wasted: one column block fewer would not fit */
    assert_true(blocking.total_bytes * (uint64_t)blocking.blocks_n >
                limits.memory_bytes * (uint64_t)(blocking.blocks_n - 1) / 2);
}

/* The bytes over the bus grow gently as memory shrinks: never more than twice those with twice the memory. */
static void test_few_crossings(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp32_128x128");
    struct lava_problem problem = {.m = 32768, .n = 32768, .k = 32768, .alpha = 1};
    double before = 0;
    for (uint64_t memory = UINT64_C(1) << 36; memory >= UINT64_C(1) << 26; memory /= 2) {
        struct lava_blocking_limits limits = ample;
        struct lava_blocking blocking;
        limits.memory_bytes = limits.max_buffer_bytes = memory;
        assert_true(lava_blocking_plan(&problem, kernel, &limits, &blocking));
        check(&problem, kernel, &limits, &blocking);
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
            struct lava_problem problem = {
                .m = shapes[i][0], .n = shapes[i][1], .k = shapes[i][2], .alpha = 1};
            struct lava_blocking_limits limits = ample;
            set_types(&problem, &table[r], (unsigned)i);
            struct lava_blocking blocking;
            limits.memory_bytes = limits.max_buffer_bytes =
                UINT64_C(1) << 44; /* more than any device: the counts limit */
            limits.column_blocks = 4;
            limits.split_k = 8;
            assert_true(lava_blocking_plan(&problem, &table[r], &limits, &blocking));
            check(&problem, &table[r], &limits, &blocking);
        }
    }
}

static void test_too_little_memory(void **state) {
    (void)state;
    const struct lava_kernel *kernel = lava_kernels_find("fp32_32x32");
    struct lava_problem problem = {.m = 4096, .n = 4096, .k = 4096, .alpha = 1};
    uint64_t least = least_bytes(kernel, &problem);
    struct lava_blocking_limits limits = ample;
    struct lava_blocking blocking;
    limits.memory_bytes = least;
    limits.split_k = 8; /* the slabs are given up before the plan is */
    assert_true(lava_blocking_plan(&problem, kernel, &limits, &blocking));
    check(&problem, kernel, &limits, &blocking);
    assert_int_equal(blocking.block_m, 32);
    limits.memory_bytes = least - 1;
    assert_false(lava_blocking_plan(&problem, kernel, &limits, &blocking));
    limits.memory_bytes = 0;
    assert_false(lava_blocking_plan(&problem, kernel, &limits, &blocking));
    limits = ample;
    limits.max_buffer_bytes = 2 * 32 * 32 * 4 - 1;
    assert_false(lava_blocking_plan(&problem, kernel, &limits, &blocking));
}

static void test_chunks(void **state) {
    (void)state;
    uint64_t random = random_seed();
    for (int i = 0; i < 200000; i++) {
        int64_t most = INT64_C(1) << (4 + random_next(&random) % 29);
        int64_t rows = random_size(&random, most), columns = random_size(&random, most);
        uint64_t slot = (UINT64_C(64) << 10) * (uint64_t)random_size(&random, 1024);
        size_t bytes = (size_t)2 << random_next(&random) % 4;
        struct lava_chunking c = lava_blocking_chunks(rows, columns, slot, bytes);
        assert_true(c.chunk_rows >= 1 && c.chunk_rows <= rows && c.chunk_rows <= LAVA_CHUNK_MAX_ROWS);
        assert_true(c.chunk_columns >= 1 && c.chunk_columns <= columns);
        assert_true(c.chunk_columns <= LAVA_CHUNK_MAX_ROWS); /* blocks of a dispatch along both */
        assert_true(c.chunk_rows % LAVA_CHUNK_ALIGN == 0 || c.chunk_rows == rows);
        assert_true(c.chunk_columns % LAVA_CHUNK_ALIGN == 0 || c.chunk_columns == columns);
        uint64_t used = (uint64_t)up(c.chunk_rows, 16 / (int64_t)bytes) * (uint64_t)c.chunk_columns * bytes;
        assert_true(used <= slot);
        /* cut only where need be, and a slot that is cut for is at least a third full */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_nothing_cut_where_all_fits),
        cmocka_unit_test(test_half_types),
        cmocka_unit_test(test_planes),
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
