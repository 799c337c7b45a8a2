/* The kernels of a product by residues, one after another. Called by perf/residues_device.c. */
#include <string.h>

#include "bench.h"

#include "perf/residues/kernels.h"

/* Pipelines */

static const enum lava_module multiply_modules[BENCH_KERNELS] = {
    [BENCH_MATRICES] = LAVA_MODULE_RESIDUES_MULTIPLY,
    [BENCH_DOT] = LAVA_MODULE_RESIDUES_DOT,
    [BENCH_WHOLE] = LAVA_MODULE_RESIDUES_MULTIPLY_WHOLE,
};

static enum lava_status get(struct bench *x, enum lava_module module,
                            const uint32_t constants[LAVA_CONSTANT_COUNT],
                            const struct lava_pipeline **pipeline) {
    struct lava_pipeline_specification specification = {.module = module};
    memcpy(specification.constants, constants, sizeof specification.constants);
    return lava_pipelines_get(x->device, &specification, pipeline);
}

/* Whether residues lie in the order of fragments, or of lines. */
static bool is_in_fragments(const struct options *options) {
    return options->kernel == BENCH_MATRICES && !options->lines;
}

static enum lava_status get_multiply(struct bench *x) {
    const struct options *o = x->options;
    const struct lava_integer_shape *shape = &x->device->capabilities.integer_shape;
    uint32_t subgroup = x->device->capabilities.matrix_subgroup_size, constants[LAVA_CONSTANT_COUNT] = {0};
    uint32_t parts = o->tile_m / o->part_m * (o->tile_n / o->part_n);
    constants[LAVA_CONSTANT_INVOCATIONS] = o->kernel == BENCH_MATRICES ? parts * subgroup
                                           : o->kernel == BENCH_DOT    ? o->tile_m * o->tile_n / 16
                                                                       : o->invocations;
    constants[LAVA_CONSTANT_TILE_M] = o->tile_m;
    constants[LAVA_CONSTANT_TILE_N] = o->tile_n;
    constants[LAVA_CONSTANT_PART_M] = o->part_m;
    constants[LAVA_CONSTANT_PART_N] = o->part_n;
    /* The product is that of op(B)' and op(A)': the device's M runs along N. */
    constants[LAVA_CONSTANT_SHAPE_M] = shape->n;
    constants[LAVA_CONSTANT_SHAPE_N] = shape->m;
    constants[LAVA_CONSTANT_SHAPE_K] = shape->k;
    constants[LAVA_CONSTANT_PANEL] = is_in_fragments(o);
    constants[LAVA_CONSTANT_STAGES] = o->group;
    constants[LAVA_CONSTANT_SUBGROUP] = o->kernel == BENCH_DOT ? 0 : subgroup;
    if (o->kernel == BENCH_NARROW)
        return residues_get(x->device, LAVA_RESIDUES_MULTIPLY_NARROW, constants, &x->multiply);
    return get(x, multiply_modules[o->kernel], constants, &x->multiply);
}

enum lava_status bench_get_pipelines(struct bench *x) {
    const struct options *o = x->options;
    const struct lava_integer_shape *shape = &x->device->capabilities.integer_shape;
    enum lava_status status = get_multiply(x);
    for (int side = 0; side < 2 && !status; side++) {
        uint32_t constants[LAVA_CONSTANT_COUNT] = {0};
        constants[LAVA_CONSTANT_PANEL] = side == 0 ? o->tile_m : o->tile_n;
        status = get(x, LAVA_MODULE_RESIDUES_SCREEN, constants, &x->screen[side]);
        constants[LAVA_CONSTANT_PANEL] = 0;
        constants[LAVA_CONSTANT_TRANSPOSE] = (side == 0) == o->transposed[side];
        if (!status)
            status = get(x, LAVA_MODULE_RESIDUES_SCAN, constants, &x->scan[side]);
        if (is_in_fragments(o)) {
            constants[LAVA_CONSTANT_SHAPE_M] = side == 0 ? shape->n : shape->m;
            constants[LAVA_CONSTANT_SHAPE_K] = shape->k;
        }
        if (!status)
            status = get(x, LAVA_MODULE_RESIDUES_CONVERT, constants, &x->convert[side]);
    }
    uint32_t constants[LAVA_CONSTANT_COUNT] = {0};
    constants[LAVA_CONSTANT_TILE_M] = o->tile_m;
    constants[LAVA_CONSTANT_TILE_N] = o->tile_n;
    if (status || o->kernel == BENCH_NARROW)
        return status ? status
                      : residues_get(x->device, LAVA_RESIDUES_COMBINE_NARROW, constants, &x->combine);
    return get(x, o->integers ? LAVA_MODULE_RESIDUES_COMBINE_INTEGERS : LAVA_MODULE_RESIDUES_COMBINE,
               constants, &x->combine);
}

/* The product */

uint64_t bench_lines_address(const struct bench *x, int side, bool panels) {
    uint64_t lines = (side == 0 ? 0 : x->padded[0]) + (panels ? (uint64_t)x->padded[0] + x->padded[1] : 0);
    return x->buffers[BUFFER_LINES].address + lines * LAVA_RESIDUES_WORDS * 4;
}

uint64_t bench_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Constants of all steps for the panel of K that begins at `first`. */
static struct lava_residues_constants constants_of(const struct bench *x, int64_t first) {
    int64_t k = bench_least(bench_panel(x), x->k - first);
    return (struct lava_residues_constants){.lines_a = bench_lines_address(x, 0, false),
                                            .lines_b = bench_lines_address(x, 1, false),
                                            .panels_a = bench_lines_address(x, 0, true),
                                            .panels_b = bench_lines_address(x, 1, true),
                                            .alpha_fp64 = bench_bits(x->options->alpha),
                                            .beta_fp64 = bench_bits(first == 0 ? x->options->beta : 1),
                                            .k = (uint32_t)k,
                                            .padded_lines = x->padded[0],
                                            .padded_lines_b = x->padded[1],
                                            .slabs = bench_slabs(k),
                                            .level = lava_residues_level(&x->residues, k),
                                            .columns = (uint32_t)x->n,
                                            .least_weight = lava_residues_least_weight(&x->residues, k),
                                            .limit = x->residues.limit,
                                            .limit_exponent = x->residues.limit_exponent,
                                            .count = x->residues.count};
}

/* Where op(A) (side 0) or op(B) at this K begins, and its leading dimension. */
static uint64_t operand_at(const struct bench *x, int side, int64_t first, uint32_t *ld) {
    *ld = (uint32_t)(bench_is_along(x, side) ? x->k : bench_lines(x, side));
    return x->buffers[side == 0 ? BUFFER_A : BUFFER_B].address + (uint64_t)bench_place(x, side, 0, first) * 8;
}

static void record_convert(struct bench *x, struct lava_commands *commands, int side, int64_t first) {
    struct lava_residues_constants constants = constants_of(x, first);
    uint32_t groups_x = x->padded[side] / LAVA_RESIDUES_LINES;
    uint32_t groups_y = bench_round_up((int64_t)constants.slabs * LAVA_RESIDUES_SLAB, LAVA_RESIDUES_DEPTH) /
                        LAVA_RESIDUES_DEPTH;
    constants.source = operand_at(x, side, first, &constants.ld);
    constants.target = x->buffers[side == 0 ? BUFFER_RESIDUES_A : BUFFER_RESIDUES_B].address;
    constants.lines = (uint32_t)(side == 0 ? x->m : x->n);
    constants.lines_a = bench_lines_address(x, side, false);
    constants.panels_a = bench_lines_address(x, side, true);
    constants.padded_lines = x->padded[side];
    for (constants.step = LAVA_RESIDUES_CLEARS; constants.step <= LAVA_RESIDUES_NORM; constants.step++) {
        lava_queue_dispatch(x->device, commands, x->scan[side], &constants, sizeof constants, groups_x,
                            constants.step == LAVA_RESIDUES_CLEARS ? 1 : groups_y);
        lava_queue_barrier_dispatch(x->device, commands);
    }
    lava_queue_dispatch(x->device, commands, x->convert[side], &constants, sizeof constants, groups_x,
                        groups_y);
    lava_queue_barrier_dispatch(x->device, commands);
    lava_queue_dispatch(x->device, commands, x->screen[side], &constants, sizeof constants,
                        x->padded[side] / (side == 0 ? x->options->tile_m : x->options->tile_n), 1);
    lava_queue_barrier_dispatch(x->device, commands);
}

/* Stamps around a step; *stamp: the next pair. */
static void begin_step(struct bench *x, struct lava_commands *commands, enum step step, uint32_t *stamp) {
    x->steps[*stamp] = step;
    lava_queue_stamp(x->device, commands, 2 * *stamp);
}

static void end_step(struct bench *x, struct lava_commands *commands, uint32_t *stamp) {
    lava_queue_stamp(x->device, commands, 2 * (*stamp)++ + 1);
}

/* Multiplies and combines some columns of tiles. */
static void record_columns(struct bench *x, struct lava_commands *commands, int64_t first,
                           uint32_t first_tile, uint32_t *stamp) {
    uint32_t tiles = x->tiles_m * (uint32_t)bench_least(x->tiles_each, x->tiles_n - first_tile);
    struct lava_residues_constants constants = constants_of(x, first);
    constants.first_tile = first_tile;
    constants.source = x->buffers[BUFFER_RESIDUES_A].address;
    constants.other = x->buffers[BUFFER_RESIDUES_B].address;
    constants.target = x->buffers[BUFFER_SUMS].address;
    begin_step(x, commands, STEP_MULTIPLY, stamp);
    lava_queue_dispatch(x->device, commands, x->multiply, &constants, sizeof constants, tiles,
                        x->residues.count);
    lava_queue_barrier_dispatch(x->device, commands);
    end_step(x, commands, stamp);
    constants.source = x->buffers[BUFFER_SUMS].address;
    constants.other = x->buffers[BUFFER_NUMBERS].address;
    constants.target = x->buffers[BUFFER_C].address;
    constants.lines = constants.ld = (uint32_t)x->m;
    begin_step(x, commands, STEP_COMBINE, stamp);
    lava_queue_dispatch(x->device, commands, x->combine, &constants, sizeof constants, tiles,
                        x->options->tile_n / LAVA_RESIDUES_COLUMNS);
    lava_queue_barrier_dispatch(x->device, commands);
    end_step(x, commands, stamp);
}

static void record_panel(struct bench *x, struct lava_commands *commands, int64_t first, uint32_t *stamp) {
    begin_step(x, commands, STEP_CONVERT, stamp);
    record_convert(x, commands, 0, first);
    record_convert(x, commands, 1, first);
    end_step(x, commands, stamp);
    for (uint32_t tile = 0; tile < x->tiles_n; tile += x->tiles_each)
        record_columns(x, commands, first, tile, stamp);
}

/* C <- alpha op(A) op(B) + beta C0. ms: of each step, and of all */
enum lava_status bench_multiply(struct bench *x, double ms[STEP_COUNT + 1]) {
    struct lava_commands commands;
    struct lava_point done;
    static struct lava_interval intervals[LAVA_QUEUE_STAMP_PAIRS];
    uint32_t stamps = 0;
    enum lava_status status = lava_queue_begin(x->device, LAVA_ROLE_COMPUTE, &commands);
    if (status)
        return status;
    lava_queue_reset_stamps(x->device, &commands);
    lava_queue_copy(x->device, &commands, &x->buffers[BUFFER_C0], 0, &x->buffers[BUFFER_C], 0,
                    x->buffers[BUFFER_C].bytes);
    lava_queue_barrier(x->device, &commands);
    for (int64_t first = 0; first < x->k; first += x->options->panel)
        record_panel(x, &commands, first, &stamps);
    lava_queue_barrier(x->device, &commands);
    status = lava_queue_submit(x->device, &commands, NULL, 0, &done);
    if (!status)
        status = lava_queue_wait(x->device, done, BENCH_TIMEOUT_NS);
    memset(ms, 0, sizeof *ms * (STEP_COUNT + 1));
    if (!status && lava_queue_read_stamps(x->device, LAVA_ROLE_COMPUTE, stamps, intervals)) {
        for (uint32_t i = 0; i < stamps; i++)
            ms[x->steps[i]] += 1e-6 * (double)(intervals[i].end_ns - intervals[i].begin_ns);
        ms[STEP_COUNT] = 1e-6 * (double)(intervals[stamps - 1].end_ns - intervals[0].begin_ns);
    }
    return status;
}
