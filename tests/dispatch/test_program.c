/* program.c: the tasks of random products are replayed on panels and tiles. A multiply finds every panel that
 * it reads, K is added up once and in order, and each element of the region is downloaded exactly once. */
#include "blocks.h"

#include "dispatch/packed.h"
#include "dispatch/program.h"

#define MOST_ROWS  700 /* rows and columns of C */
#define PANELS_MAX 512 /* of a packed buffer */
#define TILES_MAX  8192
#define TASKS_MAX  200000
#define UNTOUCHED  (-1)

enum { BUFFER_A, BUFFER_B, BUFFER_B_OTHER, BUFFERS };

/* A panel of a packed operand: one tile wide, with the bytes that it takes in each section of the buffer. */
struct panel {
    struct {
        uint64_t begin, end;
    } bytes[3];
    int64_t first, first_k, k;
};

struct panels {
    struct panel list[PANELS_MAX];
    size_t count;
};

struct seen {
    unsigned programs[3], refused, cut_k, pieces, strips, parts, split, held, overwritten, twins;
};

/* The device as the tasks leave it. */
struct replay {
    const struct lava_operation *operation;
    const struct lava_kernel *kernel;
    const struct lava_blocking *blocking;
    int64_t each;
    struct panels packed[BUFFERS];
    struct panels running[BUFFERS]; /* what the last multiply may still read */
    int64_t done[LAVA_BLOCKING_BLOCKS_HELD][TILES_MAX];
    bool complete, finished; /* the block: all of K is added; its epilogue has run */
    uint32_t waiting[LAVA_BLOCKING_BLOCKS_HELD];
    uint32_t waiting_count;   /* places of downloads that were not waited for, the oldest first */
    unsigned char *downloads; /* of each element of C */
    struct seen *seen;
};

static int64_t least(int64_t x, int64_t y) {
    return x < y ? x : y;
}

/* The panel `first` of an operand of which packed_size from packed_first on are in the buffer. */
static struct panel panel_at(const struct replay *replay, uint32_t tile, int64_t packed_first,
                             int64_t packed_size, int64_t first, const struct lava_task *task) {
    const struct lava_kernel *kernel = replay->kernel;
    uint64_t k_padded = (uint64_t)up(task->k, kernel->tile_k), offset = (uint64_t)(first - packed_first);
    struct lava_packed layout = lava_packed_layout(kernel, tile, (uint64_t)up(packed_size, tile), k_padded);
    struct panel panel = {.first = first, .first_k = task->first_k, .k = task->k};
    const uint64_t starts[] = {0, layout.panels, layout.exponents};
    const uint64_t sizes[] = {k_padded * layout.element_bytes * tile,
                              k_padded * lava_type_bytes(kernel->type) * tile,
                              layout.exponent_words * sizeof(uint32_t)};
    assert_true(first >= packed_first && first < packed_first + packed_size && offset % tile == 0);
    for (int i = 0; i < (layout.panels ? 3 : 1); i++) {
        panel.bytes[i].begin = starts[i] + offset / tile * sizes[i];
        panel.bytes[i].end = panel.bytes[i].begin + sizes[i];
    }
    return panel;
}

static struct panel panel_a(const struct replay *replay, const struct lava_task *task, int64_t row) {
    return panel_at(replay, replay->kernel->tile_m, task->block->packed_row, task->block->packed_rows, row,
                    task);
}

static struct panel panel_b(const struct replay *replay, const struct lava_task *task, int64_t column) {
    return panel_at(replay, replay->kernel->tile_n, task->block->packed_column, task->block->packed_columns,
                    column, task);
}

static bool overlap(const struct panel *x, const struct panel *y) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (x->bytes[i].begin < y->bytes[j].end && y->bytes[j].begin < x->bytes[i].end)
                return true;
    return false;
}

static void add_panel(struct panels *panels, const struct panel *panel) {
    assert_true(panels->count < PANELS_MAX);
    panels->list[panels->count++] = *panel;
}

/* Nothing packs over what a multiply may still read, and what is packed over is gone. */
static void pack_panel(struct replay *replay, int buffer, uint64_t buffer_bytes, const struct panel *panel) {
    struct panels *packed = &replay->packed[buffer];
    const struct panels *running = &replay->running[buffer];
    size_t kept = 0;
    for (int i = 0; i < 3; i++)
        assert_true(panel->bytes[i].end <= buffer_bytes);
    for (size_t i = 0; i < running->count; i++)
        if (overlap(&running->list[i], panel))
            fail_msg("buffer %d, panel %ld: packed over what a multiply may read", buffer,
                     (long)panel->first);
    for (size_t i = 0; i < packed->count; i++)
        if (!overlap(&packed->list[i], panel))
            packed->list[kept++] = packed->list[i];
    replay->seen->overwritten += kept < packed->count;
    packed->count = kept;
    add_panel(packed, panel);
}

static int buffer_b(const struct lava_task *task) {
    assert_true(task->block->buffer_b < 2);
    return task->block->buffer_b ? BUFFER_B_OTHER : BUFFER_B;
}

static void pack_columns(struct replay *replay, const struct lava_task *task) {
    int64_t tile = replay->kernel->tile_n, end = task->column + task->columns;
    assert_true(task->columns > 0 && end <= task->block->packed_column + task->block->packed_columns);
    assert_true(task->columns % tile == 0 || end == task->block->packed_column + task->block->packed_columns);
    for (int64_t column = task->column; column < end; column += tile) {
        const struct panel panel = panel_b(replay, task, column);
        pack_panel(replay, buffer_b(task), replay->blocking->packed_b_bytes, &panel);
    }
}

static void pack_rows(struct replay *replay, const struct lava_task *task) {
    int64_t tile = replay->kernel->tile_m, end = task->row + task->rows;
    assert_true(task->rows > 0 && end <= task->block->packed_row + task->block->packed_rows);
    assert_true(task->rows % tile == 0 || end == task->block->packed_row + task->block->packed_rows);
    for (int64_t row = task->row; row < end; row += tile) {
        const struct panel panel = panel_a(replay, task, row);
        pack_panel(replay, BUFFER_A, replay->blocking->packed_a_bytes, &panel);
    }
    assert_true(!task->serves_both || replay->operation->b_is_a);
    if (task->serves_both) {
        assert_true(task->column == task->row * replay->each && task->columns == task->rows * replay->each);
        pack_columns(replay, task);
        replay->seen->twins++;
    }
}

static void pack(struct replay *replay, const struct lava_task *task) {
    if (task->is_overwriting) /* it waits for the multiplies before it */
        for (int i = 0; i < BUFFERS; i++)
            replay->running[i].count = 0;
    if (task->kind == LAVA_TASK_PACK_A)
        pack_rows(replay, task);
    else
        pack_columns(replay, task);
}

static void wait_for_downloads(struct replay *replay, const struct lava_task *task) {
    uint32_t ended = replay->waiting_count > task->unfinished ? replay->waiting_count - task->unfinished : 0;
    assert_true(!task->ends_rows || task->unfinished == 0);
    for (uint32_t i = ended; i < replay->waiting_count; i++)
        replay->waiting[i - ended] = replay->waiting[i];
    replay->waiting_count -= ended;
}

static bool is_waiting(const struct replay *replay, uint32_t place) {
    for (uint32_t i = 0; i < replay->waiting_count; i++)
        if (replay->waiting[i] == place)
            return true;
    return false;
}

/* By the definition of the region: the tile that begins at the row and column of parts of C. */
static bool has_tile(const struct replay *replay, const struct lava_block *block, int64_t row,
                     int64_t column) {
    int64_t last_row = least(row + replay->kernel->tile_m, block->row + block->rows) - 1;
    int64_t last_column = least(column + replay->kernel->tile_n, block->column + block->columns) - 1;
    switch (replay->operation->c.region) {
    case LAVA_REGION_LOWER:
        return last_row >= column / replay->each;
    case LAVA_REGION_UPPER:
        return row <= last_column / replay->each;
    default:
        return true;
    }
}

/* The multiply reads the panel, which is there as it was packed. */
static void read_panel(struct replay *replay, int buffer, const struct panel *panel) {
    const struct panels *packed = &replay->packed[buffer];
    struct panels *running = &replay->running[buffer];
    for (size_t i = 0; i < running->count; i++)
        if (running->list[i].first == panel->first)
            return; /* another tile reads it, too */
    for (size_t i = 0; i < packed->count; i++)
        if (memcmp(&packed->list[i], panel, sizeof *panel) == 0) {
            add_panel(running, panel);
            return;
        }
    fail_msg("buffer %d, panel %ld of K from %ld: not there", buffer, (long)panel->first,
             (long)panel->first_k);
}

static int64_t *done_at(struct replay *replay, const struct lava_block *block, int64_t row, int64_t column) {
    int64_t tiles_m = up(block->rows, replay->kernel->tile_m) / replay->kernel->tile_m;
    int64_t i = (row - block->row) / replay->kernel->tile_m;
    int64_t tile = i + (column - block->column) / replay->kernel->tile_n * tiles_m;
    assert_true(tile < TILES_MAX);
    return &replay->done[block->place][tile];
}

static void multiply_tile(struct replay *replay, const struct lava_task *task, int64_t row, int64_t column) {
    int64_t *done = done_at(replay, task->block, row, column);
    const struct panel a = panel_a(replay, task, row), b = panel_b(replay, task, column);
    read_panel(replay, BUFFER_A, &a);
    read_panel(replay, buffer_b(task), &b);
    assert_int_equal(*done, task->accumulates ? task->first_k : UNTOUCHED);
    assert_true(task->accumulates || task->first_k == 0);
    *done = task->first_k + task->k;
}

/* Returns whether all of K is added to each tile of the block. */
static bool is_complete(struct replay *replay, const struct lava_block *block) {
    const struct lava_kernel *kernel = replay->kernel;
    for (int64_t row = block->row; row < block->row + block->rows; row += kernel->tile_m)
        for (int64_t column = block->column; column < block->column + block->columns;
             column += kernel->tile_n)
            if (has_tile(replay, block, row, column) &&
                *done_at(replay, block, row, column) != replay->operation->k)
                return false;
    return true;
}

static void check_multiply(const struct replay *replay, const struct lava_task *task) {
    const struct lava_block *block = task->block;
    const struct lava_kernel *kernel = replay->kernel;
    int64_t end = task->row + task->rows, block_end = block->row + block->rows;
    assert_true(task->rows > 0 && task->k > 0 && task->first_k + task->k <= replay->operation->k);
    assert_true(task->row >= block->row && end <= block_end);
    assert_true((task->row - block->row) % kernel->tile_m == 0);
    assert_true(task->rows % kernel->tile_m == 0 || end == block_end);
    assert_true(block->place < replay->blocking->blocks_held && !is_waiting(replay, block->place));
    uint64_t sums = (uint64_t)up(block->rows, kernel->tile_m) * (uint64_t)up(block->columns, kernel->tile_n) *
                    replay->blocking->split_k;
    enum lava_type type = replay->blocking->epilogue ? lava_type_sums(replay->operation->type)
                                                     : lava_operation_result_type(replay->operation);
    assert_true(sums * lava_type_bytes(type) <= replay->blocking->accumulator_bytes);
}

static void multiply(struct replay *replay, const struct lava_task *task) {
    const struct lava_block *block = task->block;
    const struct lava_kernel *kernel = replay->kernel;
    const struct lava_region_tiles tiles =
        lava_program_tiles(replay->operation, kernel, block, task->row, task->rows);
    uint64_t count = 0;
    check_multiply(replay, task);
    for (int i = 0; i < BUFFERS; i++) /* those before have ended when this one begins */
        replay->running[i].count = 0;
    uint32_t tiles_m = (uint32_t)(up(task->rows, kernel->tile_m) / kernel->tile_m);
    uint32_t tiles_n = (uint32_t)(up(block->columns, kernel->tile_n) / kernel->tile_n);
    for (uint32_t j = 0; j < tiles_n; j++)
        for (uint32_t i = 0; i < tiles_m; i++) {
            int64_t row = task->row + (int64_t)i * kernel->tile_m;
            int64_t column = block->column + (int64_t)j * kernel->tile_n;
            assert_int_equal(lava_region_has_tile(&tiles, i, j), has_tile(replay, block, row, column));
            if (!has_tile(replay, block, row, column))
                continue;
            multiply_tile(replay, task, row, column);
            count++;
        }
    assert_int_equal(lava_region_count(&tiles, tiles_m, tiles_n), count);
    assert_true(count * sizeof(uint32_t) <= replay->blocking->tile_list_bytes);
    replay->complete = is_complete(replay, block);
    assert_int_equal(task->is_last, replay->complete);
    replay->seen->pieces += task->row > block->row;
}

static void run_epilogue(struct replay *replay) {
    assert_true(replay->complete && !replay->finished && replay->blocking->epilogue);
    replay->finished = true;
}

static void download(struct replay *replay, const struct lava_block *block) {
    const struct lava_operation *operation = replay->operation;
    const struct lava_region_block region = lava_program_region(operation, block);
    int64_t each = replay->each, column = block->column / each, columns = block->columns / each;
    assert_true(replay->complete && replay->finished == replay->blocking->epilogue);
    assert_true(block->column % each == 0 && block->columns % each == 0);
    assert_true(block->row >= 0 && block->row + block->rows <= operation->m && region.rows == block->rows);
    assert_true(column >= 0 && (column + columns) * each <= operation->n);
    for (int64_t j = 0; j < columns; j++) {
        int64_t first, end = lava_region_rows(&region, j, &first);
        assert_true(first >= 0 && first <= end && end <= block->rows);
        for (int64_t i = first; i < end; i++)
            replay->downloads[block->row + i + (column + j) * operation->m]++;
    }
    assert_true(replay->waiting_count < replay->blocking->blocks_held);
    replay->waiting[replay->waiting_count++] = block->place;
    for (int i = 0; i < TILES_MAX; i++)
        replay->done[block->place][i] = UNTOUCHED;
    replay->complete = replay->finished = false;
}

static void run_task(struct replay *replay, const struct lava_task *task) {
    switch (task->kind) {
    case LAVA_TASK_PACK_A:
    case LAVA_TASK_PACK_B:
        pack(replay, task);
        return;
    case LAVA_TASK_WAIT:
        wait_for_downloads(replay, task);
        return;
    case LAVA_TASK_MULTIPLY:
        multiply(replay, task);
        return;
    case LAVA_TASK_EPILOGUE:
        run_epilogue(replay);
        return;
    case LAVA_TASK_DOWNLOAD:
        download(replay, task->block);
        return;
    default:
        fail_msg("no such task: %d", (int)task->kind);
    }
}

static void check_downloads(const struct replay *replay) {
    const struct lava_operation *operation = replay->operation;
    for (int64_t j = 0; j < operation->n / replay->each; j++)
        for (int64_t i = 0; i < operation->m; i++) {
            int expected = in_region(operation->c.region, i, j),
                got = replay->downloads[i + j * operation->m];
            if (got != expected)
                fail_msg("element %ld, %ld was downloaded %d times", (long)i, (long)j, got);
        }
}

static void new_downloads(struct replay *replay) {
    replay->downloads = calloc((size_t)(replay->operation->m * replay->operation->n), 1);
    assert_non_null(replay->downloads);
}

static void replay_tasks(struct replay *replay, const struct lava_program_share *share) {
    struct lava_program program;
    struct lava_task task;
    bool ended = false;
    int tasks = 0;
    for (int place = 0; place < LAVA_BLOCKING_BLOCKS_HELD; place++)
        for (int i = 0; i < TILES_MAX; i++)
            replay->done[place][i] = UNTOUCHED;
    lava_program_begin(&program, replay->operation, replay->kernel, replay->blocking);
    program.share = share;
    while (lava_program_next(&program, &task)) {
        assert_true(tasks++ < TASKS_MAX);
        run_task(replay, &task);
        ended = task.ends_rows;
    }
    assert_true(ended && replay->waiting_count == 0);
}

static void replay_program(struct replay *replay) {
    new_downloads(replay);
    replay_tasks(replay, NULL);
    check_downloads(replay);
    free(replay->downloads);
}

static struct lava_operation random_operation(uint64_t *random, const struct lava_kernel *kernel) {
    struct lava_operation operation = {.m = random_size(random, MOST_ROWS),
                                       .n = random_size(random, MOST_ROWS),
                                       .k = random_size(random, MOST_ROWS),
                                       .alpha.real = 1,
                                       .beta.real = (double)(random_next(random) % 2),
                                       .type = kernel->type,
                                       .c.type = kernel->type};
    operation.c.region = (enum lava_region)(random_next(random) % 3);
    operation.a.op = (enum lava_op)(random_next(random) % 2);
    operation.b.op = (enum lava_op)(random_next(random) % 2);
    if (operation.c.region != LAVA_REGION_ALL) {
        operation.n = operation.m;
        operation.b_is_a = random_next(random) % 2;
    }
    if (operation.b_is_a)
        operation.b.op = operation.a.op == LAVA_OP_N ? LAVA_OP_T : LAVA_OP_N;
    if (lava_type_is_half(kernel->type)) {
        operation.c.type = random_next(random) % 2 ? LAVA_TYPE_FP32 : kernel->type;
        return operation;
    }
    if (random_next(random) % 2)
        return operation;
    operation.type = operation.c.type = kernel->type == LAVA_TYPE_FP64 ? LAVA_TYPE_CFP64 : LAVA_TYPE_CFP32;
    return lava_operation_of_parts(&operation);
}

/* A plan with ample memory, or with a part of what that one takes. */
static bool random_plan(uint64_t *random, const struct lava_operation *operation,
                        const struct lava_kernel *kernel, struct lava_blocking *blocking) {
    struct lava_blocking_limits limits = {
        .memory_bytes = UINT64_C(1) << 36,
        .max_buffer_bytes = UINT64_C(1) << 36,
        .column_blocks = (int64_t)(random_next(random) % 9),
        .wide_blocks = (int64_t)(random_next(random) % 4),
        .later_parts = (int64_t)(random_next(random) % 6),
        .split_k = (uint32_t)(random_next(random) % 6),
        .piece_tiles = (uint32_t)(random_next(random) % 3 * 7),
        .pieces = (uint32_t)(random_next(random) % 2 * (random_next(random) % 5))};
    assert_true(lava_blocking_plan(operation, kernel, &limits, blocking));
    if (random_next(random) % 3 == 0)
        return true;
    limits.memory_bytes = blocking->total_bytes / 16 * (1 + random_next(random) % 16);
    limits.max_buffer_bytes = limits.memory_bytes >> random_next(random) % 2;
    return lava_blocking_plan(operation, kernel, &limits, blocking);
}

static void count_seen(struct seen *seen, const struct replay *replay) {
    const struct lava_blocking *blocking = replay->blocking;
    seen->programs[replay->operation->c.region]++;
    seen->cut_k += blocking->blocks_k > 1;
    seen->strips += blocking->by_strips && blocking->blocks_n > 1;
    seen->parts += replay->operation->of_parts;
    seen->split += blocking->split_k > 1;
    seen->held += blocking->blocks_held > 2;
}

static void test_replay(void **state) {
    (void)state;
    uint64_t random = random_seed();
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    static struct replay replay;
    struct seen seen = {.refused = 0};
    for (int i = 0; i < ROUNDS(6000); i++) {
        const struct lava_kernel *kernel = &table[random_next(&random) % rows];
        const struct lava_operation operation = random_operation(&random, kernel);
        struct lava_blocking blocking;
        if (!random_plan(&random, &operation, kernel, &blocking)) {
            seen.refused++;
            continue;
        }
        memset(&replay, 0, sizeof replay);
        replay.operation = &operation;
        replay.kernel = kernel;
        replay.blocking = &blocking;
        replay.each = operation.of_parts ? 2 : 1;
        replay.seen = &seen;
        replay_program(&replay);
        count_seen(&seen, &replay);
    }
    print_message("all of C %u, lower %u, upper %u, refused %u; K cut %u, strips %u, parts %u, split %u, "
                  "held %u, pieces %u, overwritten %u, twins %u\n",
                  seen.programs[0], seen.programs[1], seen.programs[2], seen.refused, seen.cut_k, seen.strips,
                  seen.parts, seen.split, seen.held, seen.pieces, seen.overwritten, seen.twins);
    for (int i = 0; i < 3; i++)
        assert_true(seen.programs[i] > SEEN(200));
    assert_true(seen.cut_k > SEEN(100) && seen.strips > SEEN(100) && seen.parts > SEEN(200) && seen.split > SEEN(100));
    assert_true(seen.held > SEEN(100) && seen.pieces > SEEN(100) && seen.overwritten > SEEN(100) && seen.twins > SEEN(100));
}

#define MOST_BLOCKS 4096
/* The blocks of one of several engines, in the order in which it takes them. */
struct taken {
    uint32_t blocks[MOST_BLOCKS];
    uint32_t count;
};

static bool take(void *context, uint32_t number, uint32_t *index) {
    const struct taken *taken = context;
    if (number < taken->count)
        *index = taken->blocks[number];
    return number < taken->count;
}

/* Engines take the blocks in a random order; some get none. */
static void deal(uint64_t *random, const struct lava_operation *operation,
                 const struct lava_blocking *blocking, struct taken *engines, uint32_t count) {
    uint32_t blocks = (uint32_t)(blocking->blocks_m * blocking->blocks_n);
    uint32_t first = (uint32_t)(random_next(random) % blocks);
    memset(engines, 0, count * sizeof *engines);
    assert_true(blocks <= MOST_BLOCKS);
    for (uint32_t i = 0; i < blocks; i++) {
        struct taken *engine = &engines[random_next(random) % count];
        struct lava_block place;
        engine->blocks[engine->count++] = (first + i) % blocks;
        lava_program_share_place(operation, blocking, (first + i) % blocks, &place);
        assert_true(place.row >= 0 && place.rows > 0 && place.row + place.rows <= operation->m);
        assert_true(place.column >= 0 && place.columns > 0 && place.column + place.columns <= operation->n);
    }
}

/* Programs that share C find what they multiply, and download each element once in all. */
static void test_shares(void **state) {
    (void)state;
    uint64_t random = random_seed();
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    static struct replay replay;
    static struct taken engines[4];
    struct seen seen = {.refused = 0};
    unsigned shared = 0, idle = 0, long_ones = 0, cut_m = 0, cut_k = 0, strips = 0;
    for (int i = 0; i < ROUNDS(12000); i++) {
        const struct lava_kernel *kernel = &table[random_next(&random) % rows];
        const struct lava_operation operation = random_operation(&random, kernel);
        struct lava_blocking blocking;
        uint32_t count = 1 + (uint32_t)(random_next(&random) % 4);
        if (!random_plan(&random, &operation, kernel, &blocking))
            continue;
        memset(&replay, 0, sizeof replay);
        replay.operation = &operation;
        new_downloads(&replay);
        unsigned char *downloads = replay.downloads;
        deal(&random, &operation, &blocking, engines, count);
        for (uint32_t j = 0; j < count; j++) {
            const struct lava_program_share share = {.take = take, .context = &engines[j]};
            replay = (struct replay){.operation = &operation,
                                     .kernel = kernel,
                                     .blocking = &blocking,
                                     .each = operation.of_parts ? 2 : 1,
                                     .downloads = downloads,
                                     .seen = &seen};
            replay_tasks(&replay, &share);
            idle += engines[j].count == 0;
            long_ones += engines[j].count > 2;
        }
        check_downloads(&replay);
        free(downloads);
        shared += count > 1 && blocking.blocks_n > 1;
        cut_m += count > 1 && blocking.blocks_m > 1;
        cut_k += count > 1 && blocking.blocks_k > 1;
        strips += count > 1 && blocking.by_strips && blocking.blocks_n > 2;
    }
    print_message("shared %u, row blocks %u, panels of K %u, strips %u, idle engines %u, engines with three "
                  "blocks %u, pieces %u, twins %u\n",
                  shared, cut_m, cut_k, strips, idle, long_ones, seen.pieces, seen.twins);
    assert_true(shared > SEEN(100) && idle > SEEN(20) && long_ones > SEEN(20) && seen.pieces > SEEN(20));
    assert_true(cut_m > SEEN(100) && cut_k > SEEN(100) && strips > SEEN(100) && seen.twins > SEEN(100));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
