/* Records the compute tasks: pack, multiply, epilogue. Called by runner.c, which keeps their order. */
#include "lib/product/stages.h"

#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/product/operands.h"
#include "lib/product/tile_lists.h"
#include "lib/transport/imports.h"
#include "lib/transport/kept.h"
#include "lib/transport/upload.h"

/* Rows by planes: a tile is computed for this many spans of K before the next tile starts. Workgroups that
 * walk a long K drift apart and lose what they share in the caches. 4096 x 4096 x K reaches 73.0, 71.2, 68.3
 * TFLOP/s for K = 4096, 8192, 16384 (H200, 2026-11-21). */
#define SPANS_WALKED 4

static uint64_t accumulators_of(const struct lava_run *run, const struct lava_block *block) {
    return lava_run_buffer(run, LAVA_ARENA_ACCUMULATOR)->address +
           block->place * run->plan->blocking.accumulator_bytes;
}

static uint32_t tiles_of(int64_t size, uint32_t tile) {
    return (uint32_t)(lava_blocking_padded(size, tile) / tile);
}

/* The chunks of a dispatch that packs from a copy which stays: its indices have 32 bits. */
#define KEPT_CHUNK_BYTES (256ull << 20)

/* Finds the block where the device has it: it stays there between calls, or it is imported. Then stored is
 * its place there, and *chunk_bytes what a dispatch may read. */
static bool find_on_device(const struct lava_run *run, const struct lava_task *task,
                           struct lava_stored *stored, uint64_t *chunk_bytes) {
    bool is_b = task->kind == LAVA_TASK_PACK_B;
    if (run->operation->on_device)
        return false;
    *chunk_bytes = KEPT_CHUNK_BYTES;
    if (lava_kept_find(run->stream, run->caller, is_b, stored))
        return true;
    *chunk_bytes = run->engine->arena.slot_bytes;
    uint64_t address =
        lava_imports_address(run->stream, run->caller, run->plan->imports, is_b, stored->first);
    if (address)
        stored->first = (const void *)(uintptr_t)address;
    return address != 0;
}

bool lava_stages_copies(const struct lava_run *run, const struct lava_task *task,
                        struct lava_stored *stored) {
    uint64_t chunk_bytes;
    *stored = lava_operands_stored(run, task);
    stored->is_shared = run->share && task->is_common;
    return !find_on_device(run, task, stored, &chunk_bytes);
}

/* Returns whether columns can be copied from where the block is on the device (lib/transport/columns.h). */
static bool has_whole_words(const struct lava_stored *stored) {
    return ((uintptr_t)stored->first | (uint64_t)stored->ld * stored->element_bytes) % 4 == 0;
}

enum lava_status lava_stages_pack(struct lava_run *run, const struct lava_task *task) {
    struct lava_packing twin, operand = lava_operands_packing(run, task, &twin);
    const struct lava_stored host = operand.stored; /* an import has another address */
    uint64_t chunk_bytes;
    if (find_on_device(run, task, &operand.stored, &chunk_bytes)) {
        operand.on_device = true;
        operand.chunk_bytes = chunk_bytes;
    }
    if (!operand.on_device || has_whole_words(&operand.stored))
        operand.kept = lava_kept_target(run->stream, task->kind == LAVA_TASK_PACK_B, &host, &operand.kept_ld);
    return lava_upload_pack(run->stream, &operand);
}

/* A multiply. If tiles may be screened out, also the screen pass before it and the panels that its fallback
 * reads. */
struct multiply {
    struct lava_multiply_constants constants;
    struct lava_screen_constants screen;
    uint64_t panels_a, panels_b;
    const struct lava_buffer *packed_b; /* also holds the fallback's dispatch arguments */
};

/* What the kernels must know of a triangular operand (shaders/triangle.glsl). */
struct triangle {
    bool exists;
    uint32_t bits;
    int32_t diagonal;
};

static struct triangle triangle_of(const struct lava_run *run, const struct lava_task *task) {
    const struct lava_operation *operation = run->operation;
    struct triangle triangle = {.exists = lava_operation_is_triangular(operation)};
    if (!triangle.exists)
        return triangle;
    bool of_b = operation->b.structure == LAVA_STRUCTURE_TRIANGULAR;
    const struct lava_operand *operand = of_b ? &operation->b : &operation->a;
    triangle.bits =
        (of_b ? LAVA_TRIANGLE_OF_B : 0u) |
        (lava_operand_is_lower(operand) != of_b ? LAVA_TRIANGLE_BEFORE : 0u) |
        (operation->of_parts ? LAVA_TRIANGLE_PARTS : 0u) |
        (lava_blocking_has_zeros(operation, run->plan->kernel, &run->plan->blocking) ? 0u
                                                                                     : LAVA_TRIANGLE_MASKED);
    int64_t first = of_b ? task->block->column / run->each : task->row;
    triangle.diagonal = (int32_t)(first - task->first_k / run->each);
    return triangle;
}

/* Returns after how many steps sums begin anew, so that no chain is longer than the operation wants it; 0:
 * never. Planes add short sums whatever it wants. */
static uint32_t span_steps(const struct lava_run *run) {
    const struct lava_kernel *kernel = run->plan->kernel;
    int64_t chain = run->operation->chain;
    if (chain == 0 || !lava_kernel_is_simt(kernel))
        return 0;
    return (uint32_t)lava_maximum(chain / kernel->tile_k, 1);
}

static struct multiply multiply_of(const struct lava_run *run, const struct lava_task *task,
                                   const struct lava_tile_list *list) {
    const struct lava_kernel *kernel = run->plan->kernel;
    const struct lava_blocking *blocking = &run->plan->blocking;
    const struct lava_block *block = task->block;
    uint32_t steps = tiles_of(task->k, kernel->tile_k);
    uint32_t tiles_m = tiles_of(block->rows, kernel->tile_m),
             tiles_n = tiles_of(block->columns, kernel->tile_n);
    uint32_t ld = tiles_m * kernel->tile_m;
    uint64_t sum_bytes =
        lava_type_bytes(blocking->epilogue ? lava_type_sums(run->operation->type) : run->result_type);
    double alpha = blocking->epilogue ? 1.0 : run->operation->alpha.real;
    const struct lava_packed_place a = lava_operands_place_a(run, block, task->row, task->k),
                                   b = lava_operands_place_b(run, block, block->column, task->k);
    struct lava_screen_limits limits = lava_scheme_limits(lava_scheme(kernel->scheme), run->operation->k);
    const struct triangle triangle = triangle_of(run, task);
    const struct lava_multiply_constants constants = {
        .packed_a = a.elements,
        .packed_b = b.elements,
        .tile_list = list->address,
        .target = accumulators_of(run, block) + (uint64_t)(task->row - block->row) * sum_bytes,
        .slice_stride = (uint64_t)ld * tiles_n * kernel->tile_n,
        .tiles = list->tiles,
        .steps = steps,
        .steps_per_slice = (steps + blocking->split_k - 1) / blocking->split_k,
        .target_ld = ld,
        .sums = (task->accumulates ? LAVA_SUMS_ADDED : 0u) | span_steps(run) << LAVA_SUMS_SPAN_SHIFT,
        .alpha = (float)alpha,
        .alpha_fp64 = lava_double_bits(alpha),
        .tiles_each = run->operation->series ? tiles_m : 0,
        .exponents_a = a.exponents,
        .exponents_b = b.exponents,
        .arguments = b.arguments,
        .limits = limits.least | limits.most << 16,
        .sum_limits = limits.least_sum | limits.most_sum << 16,
        .triangle = triangle.bits,
        .diagonal = triangle.diagonal};
    const struct lava_screen_constants screen = {.exponents_a = a.exponents,
                                                 .exponents_b = b.exponents,
                                                 .arguments = b.arguments,
                                                 .panels_a = tiles_of(task->rows, kernel->tile_m),
                                                 .panels_b = tiles_n,
                                                 .words_a = a.exponent_words,
                                                 .words_b = b.exponent_words,
                                                 .is_triangle = triangle.exists,
                                                 .tile_m = kernel->tile_m,
                                                 .tile_n = kernel->tile_n,
                                                 .triangle = triangle.bits,
                                                 .diagonal = triangle.diagonal};
    return (struct multiply){constants, screen, a.panels, b.panels, lava_run_packed_b(run, block)};
}

/* Returns how many steps of K a tile is computed for before the next tile starts. If a slice has more steps,
 * later walks compute the rest and add to the accumulators. The result has the same bits, because each walk
 * covers whole spans. If an operand is triangular there is one walk: of several, each ends when its
 * longest tile does, and the last ones have few tiles (ctrmm of 8192 on an H200: 40.1 ms of multiplies,
 * now 36.9). */
static uint32_t walked_steps(const struct lava_run *run, const struct lava_multiply_constants *constants) {
    const struct lava_kernel *kernel = run->plan->kernel;
    const struct lava_scheme_row *scheme = lava_scheme(kernel->scheme);
    if (run->plan->blocking.split_k > 1 || scheme->span_k == 0 ||
        lava_operation_is_triangular(run->operation))
        return constants->steps_per_slice;
    return SPANS_WALKED * scheme->span_k / kernel->tile_k;
}

/* Returns the units left over after the last full wave of resident workgroups. Every walk would wait for a
 * wave of these few units, so they are computed over all of K beside the last walk instead. With 4 left of
 * 4096 tiles and 2 walks this saves 2% of the time on an H200. */
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

/* Records units [first_unit, end_unit) of the constants. The first walk writes the sums, later walks add to
 * them, and the last one multiplies by alpha. */
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
        constants.sums = units->sums | (walk > 0 ? LAVA_SUMS_ADDED : 0u);
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

/* Computes the exponents of panels and resets the fallback's dispatch arguments. Runs after the packs and
 * before the multiply. */
static void record_screen(struct lava_run *run, const struct lava_commands *commands,
                          const struct lava_screen_constants *screen) {
    uint32_t panels = screen->panels_a + screen->panels_b, most = run->device->capabilities.max_workgroups;
    lava_queue_barrier_dispatch(run->device, commands);
    lava_queue_dispatch(run->device, commands, run->screen, screen, sizeof *screen,
                        panels < most ? panels : most, 1);
}

/* Computes on fp32 panels the tiles that the recorded multiply screened out. Dispatches no workgroup if there
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

/* Runs after everything submitted before, run->repeat times. */
static void record_multiply(struct lava_run *run, const struct lava_commands *commands,
                            const struct multiply *multiply, uint32_t most_groups) {
    lava_stream_stamp_begin(run->stream, commands, LAVA_STAMP_MULTIPLY);
    for (uint32_t i = 0; i < run->repeat; i++) {
        if (run->fallback)
            record_screen(run, commands, &multiply->screen);
        record_units(run, commands, &multiply->constants, most_groups);
        if (run->fallback)
            record_fallback(run, commands, multiply);
    }
    lava_stream_stamp_end(run->stream, commands);
}

/* Submits each dispatch on its own. The last one stays collected. */
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
        enum lava_status status = first > 0 ? lava_stream_flush(run->stream) : LAVA_OK;
        if (status || (status = lava_stream_begin(run->stream, &commands)))
            return status;
        uint32_t count = units - first < run->units_per_dispatch ? units - first : run->units_per_dispatch;
        constants->first_unit = first;
        constants->end_unit = first + count;
        constants->fallback_groups = count < most ? count : most;
        record_multiply(run, &commands, multiply, most);
        if ((status = lava_stream_submit(run->stream, &run->stream->uploaded, done)))
            return status;
    }
    return LAVA_OK;
}

const struct lava_buffer *lava_stages_result(const struct lava_run *run, const struct lava_block *block,
                                             uint64_t *offset) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    *offset = block->place * lava_blocking_finished_bytes(blocking);
    if (!blocking->epilogue)
        return lava_run_buffer(run, LAVA_ARENA_ACCUMULATOR);
    return lava_run_buffer(run, run->stream->at_once ? LAVA_ARENA_STAGING_DOWN : LAVA_ARENA_RESULT);
}

enum lava_status lava_stages_epilogue(struct lava_run *run, const struct lava_block *block,
                                      struct lava_point *done) {
    const struct lava_kernel *kernel = run->plan->kernel;
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(run->stream, &commands);
    if (status)
        return status;
    uint64_t offset;
    const struct lava_buffer *result = lava_stages_result(run, block, &offset);
    uint32_t ld = tiles_of(block->rows, kernel->tile_m) * kernel->tile_m;
    uint32_t words_per_column = (uint32_t)(lava_blocking_padded(block->rows, 4) / 4);
    const struct lava_epilogue_constants constants = {
        .source = accumulators_of(run, block),
        .target = result->address + offset,
        .slice_stride = (uint64_t)ld * tiles_of(block->columns, kernel->tile_n) * kernel->tile_n,
        .slices = run->plan->blocking.split_k,
        .source_ld = ld,
        .words_per_column = words_per_column,
        .words = words_per_column * (uint32_t)(block->columns / run->each),
        .alpha = (float)run->operation->alpha.real,
        .alpha_fp64 = lava_double_bits(run->operation->alpha.real),
        .source_each = ld * tiles_of(block->columns, kernel->tile_n) * kernel->tile_n,
        .target_each = 4 * words_per_column * (uint32_t)(block->columns / run->each),
        .alpha_imaginary = (float)run->operation->alpha.imaginary,
        .alpha_imaginary_fp64 = lava_double_bits(run->operation->alpha.imaginary)};
    uint32_t groups = (constants.words - 1) / LAVA_EPILOGUE_INVOCATIONS + 1;
    uint32_t most = run->device->capabilities.max_workgroups;
    lava_queue_barrier_dispatch(run->device, &commands);
    lava_stream_stamp_begin(run->stream, &commands, LAVA_STAMP_EPILOGUE);
    for (uint32_t i = 0; i < run->repeat; i++) {
        if (i > 0)
            lava_queue_barrier_dispatch(run->device, &commands);
        lava_queue_dispatch_each(run->device, &commands, run->epilogue, &constants, sizeof constants,
                                 groups < most ? groups : most, 1, (uint32_t)block->products);
    }
    lava_stream_stamp_end(run->stream, &commands);
    return lava_stream_submit(run->stream, NULL, done);
}

/* Returns what update needs of C: the block, the scalars and the region. */
static struct lava_update_constants target_of(const struct lava_run *run, const struct lava_block *block) {
    const struct lava_operation *operation = run->operation;
    const struct lava_result *c = &operation->c;
    const struct lava_region_block region = lava_program_region(operation, block);
    const struct lava_scalar *alpha = &operation->alpha, *beta = &operation->beta;
    return (struct lava_update_constants){
        .target = (uint64_t)(uintptr_t)lava_operation_element(c->first, run->caller->c.type, block->row,
                                                              block->column / run->each, c->ld),
        .alpha_fp64 = lava_double_bits(alpha->real),
        .alpha_imaginary_fp64 = lava_double_bits(alpha->imaginary),
        .beta_fp64 = lava_double_bits(beta->real),
        .beta_imaginary_fp64 = lava_double_bits(beta->imaginary),
        .alpha = (float)alpha->real,
        .alpha_imaginary = (float)alpha->imaginary,
        .beta = (float)beta->real,
        .beta_imaginary = (float)beta->imaginary,
        .target_ld = (uint32_t)c->ld,
        .rows = (uint32_t)block->rows,
        .columns = (uint32_t)(block->columns / run->each),
        .region = c->region,
        .diagonal = (int32_t)region.diagonal,
        .real_diagonal = c->real_diagonal};
}

static enum lava_status record_update(struct lava_run *run, const struct lava_update_constants *constants) {
    uint32_t rows_each = LAVA_UPDATE_INVOCATIONS * (lava_type_is_half(run->operation->c.type) ? 2 : 1);
    uint32_t groups = (constants->rows - 1) / rows_each + 1, most = run->device->capabilities.max_workgroups;
    struct lava_commands commands;
    struct lava_point done;
    enum lava_status status = lava_stream_begin(run->stream, &commands);
    if (status)
        return status;
    lava_queue_barrier_dispatch(run->device, &commands);
    lava_stream_stamp_begin(run->stream, &commands, LAVA_STAMP_EPILOGUE);
    lava_queue_dispatch(run->device, &commands, run->update, constants, sizeof *constants,
                        groups < most ? groups : most,
                        constants->columns < LAVA_QUEUE_GROUPS ? constants->columns : LAVA_QUEUE_GROUPS);
    lava_stream_stamp_end(run->stream, &commands);
    return lava_stream_submit(run->stream, &run->stream->uploaded, &done);
}

enum lava_status lava_stages_update(struct lava_run *run, const struct lava_block *block) {
    const struct lava_kernel *kernel = run->plan->kernel;
    struct lava_update_constants constants = target_of(run, block);
    constants.source = accumulators_of(run, block);
    constants.source_ld = tiles_of(block->rows, kernel->tile_m) * kernel->tile_m;
    constants.slice_stride =
        (uint64_t)constants.source_ld * tiles_of(block->columns, kernel->tile_n) * kernel->tile_n;
    constants.slices = run->plan->blocking.split_k;
    return record_update(run, &constants);
}

enum lava_status lava_stages_scale(struct lava_run *run) {
    const struct lava_block all = {.rows = run->operation->m, .columns = run->operation->n};
    struct lava_update_constants constants = target_of(run, &all);
    constants.alpha = constants.alpha_imaginary = 0; /* Inf times the sum, which is 0, would be NaN */
    constants.alpha_fp64 = constants.alpha_imaginary_fp64 = lava_double_bits(0);
    return record_update(run, &constants);
}

enum lava_status lava_stages_multiply(struct lava_run *run, const struct lava_task *task,
                                      struct lava_point *done) {
    const struct lava_region_tiles region =
        lava_program_tiles(run->operation, run->plan->kernel, task->block, task->row, task->rows);
    struct lava_tile_list list;
    enum lava_status status = lava_tile_lists_get(run, &region, task, &list);
    if (status)
        return status;
    struct multiply multiply = multiply_of(run, task, &list);
    return submit_multiply(run, &multiply, done);
}
