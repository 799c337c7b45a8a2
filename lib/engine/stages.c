/* Packing, multiplying and finishing. Called by engine.c. */
#include "lib/engine/stages.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"

/* Of K by planes, before the next tile. Workgroups that walk a long K drift apart and lose what the caches
 * share: 4096 x 4096 x K in TFLOP/s, K 4096, 8192, 16384: 73.0, 71.2, 68.3 (H200, 2026-11-21). */
#define SPANS_WALKED 4

const struct lava_buffer *lava_stages_buffer(const struct lava_run *run, enum lava_arena_role role) {
    return &run->engine->arena.buffers[role];
}

static uint64_t accumulators_of(const struct lava_run *run, const struct lava_run_block *block) {
    return lava_stages_buffer(run, LAVA_ARENA_ACCUMULATOR)->address +
           block->place * run->plan->blocking.accumulator_bytes;
}

/* The two in turn. */
static const struct lava_buffer *packed_b(const struct lava_run *run, uint32_t pack) {
    return lava_stages_buffer(run, pack % 2 ? LAVA_ARENA_PACKED_B_OTHER : LAVA_ARENA_PACKED_B);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static const void *element_of(const void *matrix, enum lava_type type, int64_t index) {
    return (const char *)matrix + index * (int64_t)lava_type_bytes(type);
}

/* A block's op(A), or from a piece on, and op(B): addresses of its parts, 0 for those that it has not. */
struct packed {
    uint64_t elements, panels, exponents, arguments;
    uint32_t exponent_words; /* of a panel */
};

static struct packed packed_at(const struct lava_run *run, const struct lava_buffer *buffer, uint32_t tile,
                               uint32_t tiles, uint32_t first_tile, int64_t k) {
    const struct lava_kernel *kernel = run->plan->kernel;
    uint64_t k_padded = (uint64_t)lava_blocking_padded(k, kernel->tile_k),
             width = (uint64_t)first_tile * tile;
    struct lava_packed layout = lava_packed_layout(kernel, tile, (uint64_t)tiles * tile, k_padded);
    struct packed packed = {.elements = buffer->address + width * k_padded * layout.element_bytes};
    if (layout.panels > 0) {
        packed.panels = buffer->address + layout.panels + width * k_padded * lava_type_bytes(kernel->type);
        packed.exponents =
            buffer->address + layout.exponents + first_tile * layout.exponent_words * sizeof(uint32_t);
        packed.arguments = buffer->address + layout.arguments;
        packed.exponent_words = (uint32_t)layout.exponent_words;
    }
    return packed;
}

static struct packed packed_a_at(const struct lava_run *run, const struct lava_run_block *block,
                                 const struct lava_run_piece *piece, int64_t k) {
    return packed_at(run, lava_stages_buffer(run, LAVA_ARENA_PACKED_A), run->plan->kernel->tile_m,
                     block->tiles_m, piece->first_tile, k);
}

static struct packed packed_b_at(const struct lava_run *run, const struct lava_run_block *block,
                                 uint32_t pack, int64_t k) {
    return packed_at(run, packed_b(run, pack), run->plan->kernel->tile_n, block->tiles_n, 0, k);
}

// clang-format off
/* The parts of a stored element, by row and column: A's along K, B's along K and the width (interface.h). */
enum shape { WIDE, TALL, SQUARE, SQUARE_T };
static const struct { unsigned char is_imaginary, is_negative; } shapes[][2][2] = { /* [column][row] */
    [WIDE]     = {{{0, 0}, {0, 0}}, {{1, 0}, {0, 0}}}, /* A as it is: re, im beside it */
    [TALL]     = {{{0, 0}, {1, 0}}, {{0, 0}, {0, 0}}}, /* A transposed: re, im below it */
    [SQUARE]   = {{{0, 0}, {1, 1}}, {{1, 0}, {0, 0}}}, /* B as it is: K runs down: re, -im; im, re */
    [SQUARE_T] = {{{0, 0}, {1, 0}}, {{1, 1}, {0, 0}}}, /* B transposed: the width does: re, im; -im, re */
};
// clang-format on

/* As struct lava_split_constants has them. */
static uint32_t parts_of(enum shape shape, bool conjugate) {
    uint32_t parts = 0;
    for (uint32_t q = 0; q < 2; q++)
        for (uint32_t p = 0; p < 2; p++) {
            bool is_imaginary = shapes[shape][q][p].is_imaginary;
            bool is_negative = shapes[shape][q][p].is_negative ^ (is_imaginary && conjugate);
            parts |= ((is_imaginary ? LAVA_PART_IMAGINARY : 0u) | (is_negative ? LAVA_PART_NEGATIVE : 0u))
                     << 2 * (p + 2 * q);
        }
    return parts;
}

/* op(A)'s rows of the piece, K from k0. */
enum lava_status lava_stages_pack_a(struct lava_run *run, const struct lava_run_block *block,
                                    const struct lava_run_piece *piece, int64_t k0, int64_t k) {
    const struct lava_problem *problem = run->problem;
    const struct lava_kernel *kernel = run->plan->kernel;
    bool transpose = problem->op_a == LAVA_OP_T;
    int64_t row = block->row + piece->row;
    const struct packed packed = packed_a_at(run, block, piece, k);
    int64_t first = k0 / run->each, depth = k / run->each; /* of the caller's K */
    const struct lava_operand operand = {
        .source = element_of(problem->a, run->caller->type,
                             transpose ? row * problem->lda + first : first * problem->lda + row),
        .element_bytes = lava_type_bytes(run->caller->type),
        .source_ld = problem->lda,
        .rows = transpose ? depth : piece->rows,
        .columns = transpose ? piece->rows : depth,
        .split = run->split,
        .rows_each = transpose ? 2 : 1,
        .columns_each = transpose ? 1 : 2,
        .parts = parts_of(transpose ? TALL : WIDE, problem->conjugate_a),
        .transpose = transpose,
        .pack = run->pack_a,
        .width_padded = (int64_t)piece->tiles * kernel->tile_m,
        .k_padded = lava_blocking_padded(k, kernel->tile_k),
        .pack_block = lava_kernel_pack_block(kernel),
        .target = packed.elements,
        .panels = packed.panels,
        .exponents = packed.exponents,
        .wait_for_readers = piece->row == 0};
    return lava_transfer_pack(&run->transfer, &operand);
}

/* op(B)'s columns of the block, into the buffer that the multiply before the last one read. */
enum lava_status lava_stages_pack_b(struct lava_run *run, const struct lava_run_block *block, int64_t k0,
                                    int64_t k) {
    const struct lava_problem *problem = run->problem;
    const struct lava_kernel *kernel = run->plan->kernel;
    bool transpose = problem->op_b == LAVA_OP_N;
    const struct packed packed = packed_b_at(run, block, run->packs_of_b, k);
    int64_t first = k0 / run->each, depth = k / run->each;
    int64_t column = block->column / run->each, columns = block->columns / run->each;
    const struct lava_operand operand = {
        .source = element_of(problem->b, run->caller->type,
                             transpose ? column * problem->ldb + first : first * problem->ldb + column),
        .element_bytes = lava_type_bytes(run->caller->type),
        .source_ld = problem->ldb,
        .rows = transpose ? depth : columns,
        .columns = transpose ? columns : depth,
        .split = run->split,
        .rows_each = 2,
        .columns_each = 2,
        .parts = parts_of(transpose ? SQUARE : SQUARE_T, problem->conjugate_b),
        .transpose = transpose,
        .pack = run->pack_b,
        .width_padded = (int64_t)block->tiles_n * kernel->tile_n,
        .k_padded = lava_blocking_padded(k, kernel->tile_k),
        .pack_block = lava_kernel_pack_block(kernel),
        .target = packed.elements,
        .panels = packed.panels,
        .exponents = packed.exponents};
    run->packs_of_b++;
    return lava_transfer_pack(&run->transfer, &operand);
}

/* The place of the list of that shape, or LAVA_BLOCKING_TILE_LISTS; *free_place is one that no dispatch of
 * this run reads, or the same. */
static uint32_t find_list(const struct lava_run *run, uint64_t shape, uint32_t *free_place) {
    const struct lava_arena *arena = &run->engine->arena;
    *free_place = LAVA_BLOCKING_TILE_LISTS;
    for (uint32_t place = 0; place < LAVA_BLOCKING_TILE_LISTS; place++) {
        if (arena->lists[place].shape == shape && arena->lists[place].schedule == (int)run->plan->schedule)
            return place;
        if (!(run->lists_used & 1u << place))
            *free_place = place;
    }
    return LAVA_BLOCKING_TILE_LISTS;
}

static enum lava_status make_list(struct lava_run *run, uint32_t place, uint32_t tiles_m, uint32_t tiles_n) {
    struct lava_arena *arena = &run->engine->arena;
    size_t count = (size_t)tiles_m * tiles_n;
    uint32_t *entries = malloc(count * sizeof *entries);
    if (!entries)
        return LAVA_ERROR_HOST_MEMORY;
    lava_tile_order_fill(run->plan->schedule, tiles_m, tiles_n, entries);
    arena->lists[place].shape = 0;
    enum lava_status status =
        lava_transfer_upload(&run->transfer, entries, count * sizeof *entries,
                             lava_stages_buffer(run, LAVA_ARENA_TILE_LISTS), place * arena->list_bytes);
    free(entries);
    if (!status) {
        arena->lists[place].shape = tiles_m | (uint64_t)tiles_n << 32;
        arena->lists[place].schedule = (int)run->plan->schedule;
    }
    return status;
}

/* Where a list of tiles lies on the device; made and uploaded unless it is there from before. */
static enum lava_status schedule_of(struct lava_run *run, uint32_t tiles_m, uint32_t tiles_n,
                                    uint64_t *address) {
    uint32_t free_place, place = find_list(run, tiles_m | (uint64_t)tiles_n << 32, &free_place);
    enum lava_status status = LAVA_OK;
    if (place == LAVA_BLOCKING_TILE_LISTS) {
        place = free_place;
        if (place == LAVA_BLOCKING_TILE_LISTS) { /* all are read */
            place = run->lists_used = 0;
            status = lava_transfer_flush(&run->transfer);
            status = status ? status : lava_queue_drain(run->device, run->device->timeout_ns);
        }
        status = status ? status : make_list(run, place, tiles_m, tiles_n);
    }
    run->lists_used |= 1u << place;
    *address =
        lava_stages_buffer(run, LAVA_ARENA_TILE_LISTS)->address + place * run->engine->arena.list_bytes;
    return status;
}

/* A piece's multiply for the panel of K that was packed last; where tiles may be screened out, what comes
 * before it, and what its fallback reads instead. */
struct multiply {
    struct lava_multiply_constants constants;
    struct lava_screen_constants screen;
    uint64_t panels_a, panels_b;
    const struct lava_buffer *packed_b; /* the arguments lie in it */
};

static struct multiply multiply_of(const struct lava_run *run, const struct lava_run_block *block,
                                   const struct lava_run_piece *piece, int64_t k, bool accumulate) {
    const struct lava_kernel *kernel = run->plan->kernel;
    const struct lava_blocking *blocking = &run->plan->blocking;
    uint32_t steps = (uint32_t)(lava_blocking_padded(k, kernel->tile_k) / kernel->tile_k);
    uint32_t ld = block->tiles_m * kernel->tile_m;
    uint64_t sum_bytes =
        lava_type_bytes(blocking->epilogue ? lava_type_sums(run->problem->type) : run->result_type);
    double alpha = blocking->epilogue ? 1.0 : run->problem->alpha;
    const struct packed a = packed_a_at(run, block, piece, k),
                        b = packed_b_at(run, block, run->packs_of_b - 1, k);
    struct lava_screen_limits limits = lava_scheme_limits(lava_scheme(kernel->scheme), run->problem->k);
    const struct lava_multiply_constants constants = {
        .packed_a = a.elements,
        .packed_b = b.elements,
        .target = accumulators_of(run, block) + (uint64_t)piece->first_tile * kernel->tile_m * sum_bytes,
        .slice_stride = (uint64_t)ld * block->tiles_n * kernel->tile_n,
        .tiles = piece->tiles * block->tiles_n,
        .steps = steps,
        .steps_per_slice = (steps + blocking->split_k - 1) / blocking->split_k,
        .target_ld = ld,
        .accumulate = accumulate,
        .alpha = (float)alpha,
        .alpha_fp64 = bits_of(alpha),
        .exponents_a = a.exponents,
        .exponents_b = b.exponents,
        .arguments = b.arguments,
        .least = limits.least,
        .most = limits.most,
        .least_sum = limits.least_sum,
        .most_sum = limits.most_sum};
    const struct lava_screen_constants screen = {.exponents_a = a.exponents,
                                                 .exponents_b = b.exponents,
                                                 .arguments = b.arguments,
                                                 .panels_a = piece->tiles,
                                                 .panels_b = block->tiles_n,
                                                 .words_a = a.exponent_words,
                                                 .words_b = b.exponent_words};
    return (struct multiply){constants, screen, a.panels, b.panels, packed_b(run, run->packs_of_b - 1)};
}

/* Steps of K that are walked before the next tile: where that is not all of a slice, the slice begins anew
 * for the rest of them, and adds to what is there. The same bits: it is as long as so many spans. */
static uint32_t walked_steps(const struct lava_run *run, const struct lava_multiply_constants *constants) {
    const struct lava_kernel *kernel = run->plan->kernel;
    const struct lava_scheme_row *scheme = lava_scheme(kernel->scheme);
    if (run->plan->blocking.split_k > 1 || scheme->span_k == 0)
        return constants->steps_per_slice;
    return SPANS_WALKED * scheme->span_k / kernel->tile_k;
}

/* Units beyond whole turns of all the workgroups that run at once. Each walk would wait for a turn of these
 * few: they walk all of K beside the last instead. 4 of 4096 tiles, 2 walks, an H200: 2% of the time. */
static uint32_t units_left(const struct lava_run *run, const struct lava_multiply_constants *units) {
    uint32_t count = units->end_unit - units->first_unit, turn = run->plan->resident_workgroups;
    return turn > 0 && count > turn ? count % turn : 0;
}

static void dispatch_units(struct lava_run *run, const struct lava_commands *commands,
                           const struct lava_multiply_constants *constants, uint32_t most_groups) {
    uint32_t units = constants->end_unit - constants->first_unit;
    lava_queue_dispatch(run->device, commands, run->multiply, constants, sizeof *constants,
                        units < most_groups ? units : most_groups, 1);
}

/* Units [first_unit, end_unit) of the constants. The first walk writes what the others add to, the last
 * multiplies by alpha. */
static void record_units(struct lava_run *run, const struct lava_commands *commands,
                         const struct lava_multiply_constants *units, uint32_t most_groups) {
    uint32_t walked = walked_steps(run, units), walks = (units->steps_per_slice + walked - 1) / walked;
    uint32_t left = walks > 1 ? units_left(run, units) : 0;
    struct lava_multiply_constants constants = *units;
    if (walks > 1) {
        constants.steps_per_slice = walked;
        constants.slice_stride = 0;
    }
    for (uint32_t walk = 0; walk < walks; walk++) {
        bool last = walk + 1 == walks;
        constants.first_unit = walk * units->tiles + units->first_unit;
        constants.end_unit = walk * units->tiles + units->end_unit - left;
        constants.accumulate = units->accumulate || walk > 0;
        constants.alpha = last ? units->alpha : 1.0f;
        lava_queue_barrier_dispatch(run->device, commands);
        if (last && left > 0) {
            struct lava_multiply_constants rest = *units;
            rest.first_unit = units->end_unit - left;
            dispatch_units(run, commands, &rest, most_groups);
        }
        dispatch_units(run, commands, &constants, most_groups);
    }
}

/* The exponents of panels, and the arguments of no fallback: after the packs, before the multiply. */
static void record_screen(struct lava_run *run, const struct lava_commands *commands,
                          const struct lava_screen_constants *screen) {
    uint32_t panels = screen->panels_a + screen->panels_b, most = run->device->capabilities.max_workgroups;
    lava_queue_barrier_dispatch(run->device, commands);
    lava_queue_dispatch(run->device, commands, run->screen, screen, sizeof *screen,
                        panels < most ? panels : most, 1);
}

/* The tiles that were screened out of the multiply just recorded, on panels of fp32: no workgroup where there
 * are none. The slices of K are the same. */
static void record_fallback(struct lava_run *run, const struct lava_commands *commands,
                            const struct multiply *multiply) {
    const struct lava_kernel *kernel = run->plan->kernel;
    uint32_t scale = kernel->tile_k / lava_kernel_fallback(kernel)->tile_k;
    struct lava_multiply_constants constants = multiply->constants;
    constants.packed_a = multiply->panels_a;
    constants.packed_b = multiply->panels_b;
    constants.steps *= scale;
    constants.steps_per_slice *= scale;
    lava_queue_barrier_dispatch(run->device, commands);
    lava_queue_dispatch_indirect(run->device, commands, run->fallback, &constants, sizeof constants,
                                 multiply->packed_b, constants.arguments - multiply->packed_b->address);
}

/* After everything submitted before; as often as the run says. */
static void record_multiply(struct lava_run *run, const struct lava_commands *commands,
                            const struct multiply *multiply, uint32_t most_groups) {
    lava_transfer_stamp_begin(&run->transfer, commands, LAVA_STAMP_MULTIPLY);
    for (uint32_t i = 0; i < run->repeat; i++) {
        if (run->fallback)
            record_screen(run, commands, &multiply->screen);
        record_units(run, commands, &multiply->constants, most_groups);
        if (run->fallback)
            record_fallback(run, commands, multiply);
    }
    lava_transfer_stamp_end(&run->transfer, commands);
}

/* Each dispatch in a submission of its own; the last is collected. */
static enum lava_status submit_multiply(struct lava_run *run, struct multiply *multiply,
                                        struct lava_point *done) {
    struct lava_multiply_constants *constants = &multiply->constants;
    struct lava_device *device = run->device;
    uint32_t units = constants->tiles * run->plan->blocking.split_k;
    uint32_t most = device->capabilities.max_workgroups;
    if (run->plan->persistent && run->plan->resident_workgroups < most)
        most = run->plan->resident_workgroups;
    for (uint32_t first = 0; first < units; first += run->units_per_dispatch) {
        struct lava_commands commands;
        enum lava_status status = first > 0 ? lava_transfer_flush(&run->transfer) : LAVA_OK;
        if (status || (status = lava_transfer_begin(&run->transfer, &commands)))
            return status;
        uint32_t count = units - first < run->units_per_dispatch ? units - first : run->units_per_dispatch;
        constants->first_unit = first;
        constants->end_unit = first + count;
        constants->fallback_groups = count < most ? count : most;
        record_multiply(run, &commands, multiply, most);
        if ((status = lava_transfer_submit(&run->transfer, &run->transfer.uploaded, done)))
            return status;
    }
    return LAVA_OK;
}

/* Where the finished block is left. */
const struct lava_buffer *lava_stages_result(const struct lava_run *run, const struct lava_run_block *block,
                                             uint64_t *offset) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    *offset = block->place * lava_blocking_finished_bytes(blocking);
    if (!blocking->epilogue)
        return lava_stages_buffer(run, LAVA_ARENA_ACCUMULATOR);
    return lava_stages_buffer(run, run->transfer.at_once ? LAVA_ARENA_STAGING_DOWN : LAVA_ARENA_RESULT);
}

/* Alpha, the sum of the slices, and the block without its padding. */
enum lava_status lava_stages_epilogue(struct lava_run *run, const struct lava_run_block *block,
                                      struct lava_point *done) {
    const struct lava_kernel *kernel = run->plan->kernel;
    struct lava_commands commands;
    enum lava_status status = lava_transfer_begin(&run->transfer, &commands);
    if (status)
        return status;
    uint64_t offset;
    const struct lava_buffer *result = lava_stages_result(run, block, &offset);
    uint32_t ld = block->tiles_m * kernel->tile_m;
    uint32_t words_per_column = (uint32_t)(lava_blocking_padded(block->rows, 4) / 4);
    const struct lava_epilogue_constants constants = {
        .source = accumulators_of(run, block),
        .target = result->address + offset,
        .slice_stride = (uint64_t)ld * block->tiles_n * kernel->tile_n,
        .slices = run->plan->blocking.split_k,
        .source_ld = ld,
        .words_per_column = words_per_column,
        .words = words_per_column * (uint32_t)(block->columns / run->each),
        .alpha = (float)run->problem->alpha,
        .alpha_fp64 = bits_of(run->problem->alpha),
        .alpha_imaginary = (float)run->problem->alpha_imaginary,
        .alpha_imaginary_fp64 = bits_of(run->problem->alpha_imaginary)};
    uint32_t groups = (constants.words - 1) / LAVA_EPILOGUE_INVOCATIONS + 1;
    uint32_t most = run->device->capabilities.max_workgroups;
    lava_queue_barrier_dispatch(run->device, &commands);
    lava_transfer_stamp_begin(&run->transfer, &commands, LAVA_STAMP_EPILOGUE);
    for (uint32_t i = 0; i < run->repeat; i++) {
        if (i > 0)
            lava_queue_barrier_dispatch(run->device, &commands);
        lava_queue_dispatch(run->device, &commands, run->epilogue, &constants, sizeof constants,
                            groups < most ? groups : most, 1);
    }
    lava_transfer_stamp_end(&run->transfer, &commands);
    return lava_transfer_submit(&run->transfer, NULL, done);
}

enum lava_status lava_stages_multiply(struct lava_run *run, const struct lava_run_block *block,
                                      const struct lava_run_piece *piece, int64_t k, bool accumulate,
                                      struct lava_point *done) {
    struct multiply multiply = multiply_of(run, block, piece, k, accumulate);
    enum lava_status status = schedule_of(run, piece->tiles, block->tiles_n, &multiply.constants.schedule);
    if (status)
        return status;
    return submit_multiply(run, &multiply, done);
}
