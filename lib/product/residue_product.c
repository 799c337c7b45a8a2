/* Records the kernels of a product by residues. Called by lib/lapack/device_matrix.c, for matrices that are
 * on the device. Invariant: panels of K and tiles lie at fixed places, so that the bits do not depend on
 * memory or on what is converted at a time.
 *
 * In the engine's memory, residues of op(A) take the place of the packed A, with the descriptions of all
 * lines, the scheme's numbers and the packed panel of K after them, those of op(B) that of the packed B, and
 * sums that of accumulators. */
#include "lib/product/residue_product.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/product/operands.h"

static_assert(sizeof(struct lava_residues_constants) <= 128, "every device has room for 128 bytes");
static_assert(sizeof(struct lava_residues_left_constants) <= 128, "every device has room for 128 bytes");
static_assert(LAVA_RESIDUES_LINES == LAVA_RESIDUE_LEFT_WIDTH, "what converts lines packs them in panels");

/* Doubles that combine reads, or words if it works in integers. */
enum { NUMBERS = LAVA_RESIDUES_MOST * LAVA_RESIDUES_PARTS + LAVA_RESIDUES_PARTS + 1 };
enum { WORDS = sizeof(struct lava_residues_integers) / 4 };
static_assert(2 * NUMBERS <= WORDS && sizeof(struct lava_residues_integers) % 4 == 0,
              "there is room for both");
static_assert(offsetof(struct lava_residues, limit) - offsetof(struct lava_residues, weights) == NUMBERS * 8,
              "combine reads them as one array");

/* Pipelines */

enum step { SCAN, CONVERT, SCREEN, MULTIPLY, COMBINE, LEFT };

/* Whether residues lie in the order of fragments, or of lines. */
static bool is_in_fragments(const struct lava_residue_way *way) {
    return way->multiply == LAVA_MODULE_RESIDUES_MULTIPLY;
}

/* What a pipeline is for. side: of scan, convert and screen. */
struct need {
    enum step step;
    int side;
    bool along, is_complex; /* of scan and convert: K runs along the stored rows */
};

static struct lava_pipeline_specification specification_of(const struct lava_residue_way *way,
                                                           const struct lava_capabilities *capabilities,
                                                           struct need need) {
    enum step step = need.step;
    int side = need.side;
    static const enum lava_module modules[] = {
        [SCAN] = LAVA_MODULE_RESIDUES_SCAN,     [CONVERT] = LAVA_MODULE_RESIDUES_CONVERT,
        [SCREEN] = LAVA_MODULE_RESIDUES_SCREEN, [MULTIPLY] = LAVA_MODULE_COUNT,
        [COMBINE] = LAVA_MODULE_COUNT,          [LEFT] = LAVA_MODULE_RESIDUES_LEFT};
    struct lava_pipeline_specification specification = {.module = modules[step]};
    uint32_t *constants = specification.constants;
    if (step == LEFT) {
        specification = lava_pipelines_multiply(lava_residue_left_kernel(), capabilities, false);
        specification.module = modules[step];
        constants[LAVA_CONSTANT_SHAPE_M] = way->tile_m;
        constants[LAVA_CONSTANT_SHAPE_N] = way->tile_n;
    } else if (step == SCREEN) {
        constants[LAVA_CONSTANT_PANEL] = side == 0 ? way->tile_m : way->tile_n;
    } else if (step == SCAN || step == CONVERT) {
        constants[LAVA_CONSTANT_TRANSPOSE] = need.along;
        constants[LAVA_CONSTANT_PLANES] = !need.is_complex ? 0 : side == 0 ? 2 : 1;
        if (step == CONVERT && is_in_fragments(way)) {
            const struct lava_integer_shape *shape = &capabilities->integer_shape;
            constants[LAVA_CONSTANT_SHAPE_M] = side == 0 ? shape->n : shape->m;
            constants[LAVA_CONSTANT_SHAPE_K] = shape->k;
        }
    } else {
        specification.module = step == MULTIPLY ? way->multiply
                               : lava_residue_combines_in_integers(capabilities)
                                   ? LAVA_MODULE_RESIDUES_COMBINE_INTEGERS
                                   : LAVA_MODULE_RESIDUES_COMBINE;
        constants[LAVA_CONSTANT_TILE_M] = way->tile_m;
        constants[LAVA_CONSTANT_TILE_N] = way->tile_n;
    }
    if (step == MULTIPLY) {
        constants[LAVA_CONSTANT_INVOCATIONS] = lava_residue_invocations(way, capabilities);
        constants[LAVA_CONSTANT_PART_M] = way->part_m;
        constants[LAVA_CONSTANT_PART_N] = way->part_n;
        /* The product is that of op(B)' and op(A)': the device's M runs along N. */
        constants[LAVA_CONSTANT_SHAPE_M] = capabilities->integer_shape.n;
        constants[LAVA_CONSTANT_SHAPE_N] = capabilities->integer_shape.m;
        constants[LAVA_CONSTANT_SHAPE_K] = capabilities->integer_shape.k;
        constants[LAVA_CONSTANT_PANEL] = is_in_fragments(way);
        constants[LAVA_CONSTANT_STAGES] = way->group;
        constants[LAVA_CONSTANT_SUBGROUP] =
            way->kernel == LAVA_RESIDUE_DOT ? 0 : capabilities->matrix_subgroup_size;
    }
    return specification;
}

size_t lava_residue_pipelines(const struct lava_residue_way *way,
                              const struct lava_capabilities *capabilities,
                              struct lava_pipeline_specification specifications[LAVA_RESIDUE_PIPELINES]) {
    static const struct need needs[] = {
        {SCAN, 0, false, false},    {SCAN, 0, true, false},    {CONVERT, 0, false, false},
        {CONVERT, 0, true, false},  {SCAN, 0, false, true},    {SCAN, 0, true, true},
        {SCAN, 1, false, true},     {SCAN, 1, true, true},     {CONVERT, 0, false, true},
        {CONVERT, 0, true, true},   {CONVERT, 1, false, true}, {CONVERT, 1, true, true},
        {SCREEN, 0, false, false},  {SCREEN, 1, false, false}, {MULTIPLY, 0, false, false},
        {COMBINE, 0, false, false}, {LEFT, 0, false, false}};
    size_t count =
        sizeof needs / sizeof needs[0] - (capabilities->fp64 ? 0 : 1); /* what is left is the CPU's */
    static_assert(sizeof needs / sizeof needs[0] <= LAVA_RESIDUE_PIPELINES, "there is room for all");
    for (size_t i = 0; i < count; i++)
        specifications[i] = specification_of(way, capabilities, needs[i]);
    return count;
}

bool lava_residue_is_along(const struct lava_operation *operation, int side) {
    const struct lava_operand *operand = side == 0 ? &operation->a : &operation->b;
    return (side == 0) == (operand->op != LAVA_OP_N);
}

static enum lava_status get(struct lava_residue_product *product, enum step step, int side,
                            const struct lava_pipeline **pipeline) {
    const struct need need = {.step = step,
                              .side = side,
                              .along = lava_residue_is_along(product->operation, side),
                              .is_complex = product->parts.of_parts};
    const struct lava_pipeline_specification specification =
        specification_of(product->way, &product->stream->device->capabilities, need);
    return lava_pipelines_get(product->stream->device, &specification, pipeline);
}

static enum lava_status get_pipelines(struct lava_residue_product *product) {
    enum lava_status status = get(product, MULTIPLY, 0, &product->multiply);
    for (int side = 0; side < 2 && !status; side++)
        if (!(status = get(product, SCAN, side, &product->scan[side])) &&
            !(status = get(product, CONVERT, side, &product->convert[side])))
            status = get(product, SCREEN, side, &product->screen[side]);
    status = status ? status : get(product, COMBINE, 0, &product->combine);
    bool has_fp64 = product->stream->device->capabilities.fp64;
    return status || !has_fp64 ? status : get(product, LEFT, 0, &product->left);
}

/* Addresses */

/* The descriptions of an operand's lines, or of its panels, from this one on. */
static uint64_t lines_at(const struct lava_residue_product *product, int side, int64_t line) {
    const struct lava_residue_layout *layout = &product->layout;
    uint64_t place = (side == 0 ? 0 : (uint64_t)layout->padded_m) + (uint64_t)line;
    return product->first + layout->lines_offset + place * LAVA_RESIDUES_WORDS * 4;
}

static uint64_t panels_at(const struct lava_residue_product *product, int side, int64_t panel) {
    const struct lava_residue_layout *layout = &product->layout;
    int64_t place = (side == 0 ? 0 : (int64_t)layout->tiles_m) + panel;
    return lines_at(product, 1, (int64_t)layout->padded_n + place);
}

uint64_t lava_residue_panel_offset(const struct lava_residue_product *product, int side, int64_t tile) {
    return panels_at(product, side, tile) - product->first;
}

/* The packed operand at the panel of K, from this line on. */
static uint64_t packed_at(const struct lava_residue_product *product, int side, int64_t line,
                          uint32_t slabs) {
    uint64_t first = side == 0 ? product->first + product->layout.packed_a_offset
                               : product->second + product->layout.packed_b_offset;
    return first + (uint64_t)line * slabs * LAVA_RESIDUES_SLAB * sizeof(double);
}

/* Where a line of an operand, as it is stored, begins at this K. Of a complex matrix, where its row or column
 * does, whose other line is the next one. */
static uint64_t element_at(const struct lava_residue_product *product, int side, int64_t line, int64_t k) {
    const struct lava_operation *operation = product->operation;
    const struct lava_operand *operand = side == 0 ? &operation->a : &operation->b;
    if (product->parts.of_parts) {
        line = side == 0 ? line / 2 : line;
        k /= 2;
    }
    int64_t at = lava_residue_is_along(operation, side) ? line * operand->ld + k : k * operand->ld + line;
    return (uint64_t)(uintptr_t)operand->first + (uint64_t)at * lava_type_bytes(operation->type);
}

/* Constants of all steps for the panel of K that begins at first_k. */
static struct lava_residues_constants constants_of(const struct lava_residue_product *product,
                                                   int64_t first_k) {
    const struct lava_operation *operation = &product->parts;
    const struct lava_residues *residues = &product->residues;
    int64_t k = lava_minimum(product->layout.panel, operation->k - first_k);
    return (struct lava_residues_constants){
        .lines_a = lines_at(product, 0, 0),
        .lines_b = lines_at(product, 1, 0),
        .panels_a = panels_at(product, 0, 0),
        .panels_b = panels_at(product, 1, 0),
        .alpha_fp64 = lava_double_bits(operation->alpha.real),
        .beta_fp64 = lava_double_bits(first_k == 0 ? operation->beta.real : 1),
        .k = (uint32_t)k,
        .padded_lines = product->layout.padded_m,
        .padded_lines_b = product->layout.padded_n,
        .slabs = (uint32_t)((k + LAVA_RESIDUES_SLAB - 1) / LAVA_RESIDUES_SLAB),
        .level = lava_residues_level(residues, k),
        .columns = (uint32_t)operation->n,
        .least_weight = lava_residues_least_weight(residues, k),
        .limit = residues->limit,
        .limit_exponent = residues->limit_exponent,
        .count = residues->count};
}

/* Steps */

static enum lava_status submit(struct lava_residue_product *product) {
    struct lava_point done;
    return lava_stream_submit(product->stream, &product->stream->uploaded, &done);
}

/* Sets what combine reads of the scheme. */
static void set_numbers(const struct lava_residue_product *product, uint32_t words[WORDS]) {
    struct lava_residues_integers integers;
    if (lava_residue_combines_in_integers(&product->stream->device->capabilities)) {
        lava_residues_prepare_integers(LAVA_RESIDUES_STANDARD, &integers);
        memcpy(words, &integers, sizeof integers);
    } else {
        memcpy(words, product->residues.weights, NUMBERS * sizeof(double));
    }
}

enum lava_status lava_residue_begin(struct lava_residue_product *product, struct lava_stream *stream,
                                    const struct lava_operation *operation, const struct lava_plan *plan) {
    const struct lava_buffer *buffers = stream->arena->buffers;
    const struct lava_kernel *left = lava_residue_left_kernel();
    uint32_t words[WORDS] = {0};
    struct lava_commands commands;
    enum lava_status status;
    *product = (struct lava_residue_product){
        .stream = stream,
        .operation = operation,
        .parts = lava_residue_parts(operation),
        .way = plan->residues,
        .span = operation->chain > 0 ? (uint32_t)lava_maximum(operation->chain / left->tile_k, 1) : 0,
        .first = buffers[LAVA_ARENA_PACKED_A].address,
        .second = buffers[LAVA_ARENA_PACKED_B].address,
        .sums = buffers[LAVA_ARENA_ACCUMULATOR].address};
    product->layout = lava_residue_layout_of(product->way, &product->parts, plan->residue_tiles,
                                             stream->device->capabilities.fp64);
    lava_residues_prepare(LAVA_RESIDUES_STANDARD, &product->residues);
    set_numbers(product, words);
    if ((status = get_pipelines(product)) || (status = lava_stream_begin(stream, &commands)))
        return status;
    lava_queue_barrier(stream->device, &commands);
    lava_queue_write(stream->device, &commands, &buffers[LAVA_ARENA_PACKED_A], product->layout.numbers_offset,
                     words, WORDS);
    lava_queue_barrier(stream->device, &commands);
    return submit(product);
}

enum lava_status lava_residue_convert(struct lava_residue_product *product, int side, int64_t first_k,
                                      int64_t first, int64_t lines) {
    struct lava_device *device = product->stream->device;
    const struct lava_operation *operation = product->operation;
    const struct lava_operand *operand = side == 0 ? &operation->a : &operation->b;
    struct lava_residues_constants constants = constants_of(product, first_k);
    uint32_t tile = side == 0 ? product->way->tile_m : product->way->tile_n;
    uint32_t padded = (uint32_t)lava_blocking_padded(lines, tile);
    uint32_t groups_x = padded / LAVA_RESIDUES_LINES;
    uint32_t groups_y = (constants.slabs * LAVA_RESIDUES_SLAB - 1) / LAVA_RESIDUES_DEPTH + 1;
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(product->stream, &commands);
    if (status)
        return status;
    constants.source = element_at(product, side, first, first_k);
    constants.ld = (uint32_t)operand->ld;
    constants.target = (side == 0 ? product->first : product->second) + (uint64_t)first * LAVA_RESIDUES_SLAB;
    constants.other = product->left ? packed_at(product, side, first, constants.slabs) : 0;
    constants.lines = (uint32_t)lines;
    constants.lines_a = lines_at(product, side, first);
    constants.panels_a = panels_at(product, side, first / tile);
    constants.padded_lines = side == 0 ? product->layout.padded_m : product->layout.padded_n;
    lava_stream_stamp_begin(product->stream, &commands, LAVA_STAMP_PACK);
    lava_queue_barrier_dispatch(device, &commands);
    for (constants.step = LAVA_RESIDUES_CLEARS; constants.step <= LAVA_RESIDUES_NORM; constants.step++) {
        lava_queue_dispatch(device, &commands, product->scan[side], &constants, sizeof constants, groups_x,
                            constants.step == LAVA_RESIDUES_CLEARS ? 1 : groups_y);
        lava_queue_barrier_dispatch(device, &commands);
    }
    constants.step = operand->conjugate ? LAVA_RESIDUES_CONJUGATED : 0;
    lava_queue_dispatch(device, &commands, product->convert[side], &constants, sizeof constants, groups_x,
                        groups_y);
    lava_queue_barrier_dispatch(device, &commands);
    lava_queue_dispatch(device, &commands, product->screen[side], &constants, sizeof constants, padded / tile,
                        1);
    lava_stream_stamp_end(product->stream, &commands);
    status = submit(product);
    return !status && lava_queue_idle(device, LAVA_ROLE_COMPUTE) ? lava_stream_flush(product->stream)
                                                                 : status;
}

static_assert(LAVA_RESIDUES_ROW_PAIRS > LAVA_REGION_UPPER, "both fit a number");

/* The part of C that is written, as the shaders have it. */
static uint32_t region_of(const struct lava_residue_product *product) {
    return (uint32_t)product->parts.c.region + (product->parts.of_parts ? LAVA_RESIDUES_ROW_PAIRS : 0);
}

/* Computes in fp64 what the screen leaves of the tiles. */
static void record_left(struct lava_residue_product *product, const struct lava_commands *commands,
                        const struct lava_residues_constants *columns, uint32_t tiles) {
    const struct lava_operation *operation = &product->parts;
    const struct lava_residue_way *way = product->way;
    const struct lava_kernel *left = lava_residue_left_kernel();
    const struct lava_residues_left_constants constants = {.a = packed_at(product, 0, 0, columns->slabs),
                                                           .b = packed_at(product, 1, 0, columns->slabs),
                                                           .c = (uint64_t)(uintptr_t)operation->c.first,
                                                           .panels_a = columns->panels_a,
                                                           .panels_b = columns->panels_b,
                                                           .alpha_fp64 = columns->alpha_fp64,
                                                           .beta_fp64 = columns->beta_fp64,
                                                           .rows = (uint32_t)operation->m,
                                                           .columns = (uint32_t)operation->n,
                                                           .k = columns->k,
                                                           .slabs = columns->slabs,
                                                           .ldc = (uint32_t)operation->c.ld,
                                                           .span = product->span,
                                                           .region = region_of(product),
                                                           .tiles_m = product->layout.tiles_m,
                                                           .first_tile = columns->first_tile,
                                                           .least_weight = columns->least_weight};
    uint32_t subtiles = way->tile_m / left->tile_m * (way->tile_n / left->tile_n);
    lava_queue_dispatch(product->stream->device, commands, product->left, &constants, sizeof constants,
                        tiles * subtiles, 1);
}

/* Some columns of tiles, whose sums fit. */
static enum lava_status multiply_columns(struct lava_residue_product *product, int64_t first_k,
                                         uint32_t first_tile, uint32_t columns) {
    struct lava_device *device = product->stream->device;
    const struct lava_operation *operation = &product->parts;
    struct lava_residues_constants constants = constants_of(product, first_k);
    uint32_t tiles = product->layout.tiles_m * columns;
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(product->stream, &commands);
    if (status)
        return status;
    constants.first_tile = first_tile;
    constants.source = product->first;
    constants.other = product->second;
    constants.target = product->sums;
    constants.step = region_of(product);
    lava_queue_barrier_dispatch(device, &commands);
    lava_stream_stamp_begin(product->stream, &commands, LAVA_STAMP_MULTIPLY);
    lava_queue_dispatch(device, &commands, product->multiply, &constants, sizeof constants, tiles,
                        product->residues.count);
    if (product->left)
        record_left(product, &commands, &constants, tiles);
    lava_stream_stamp_end(product->stream, &commands);
    lava_queue_barrier_dispatch(device, &commands);
    constants.source = product->sums;
    constants.other = product->first + product->layout.numbers_offset;
    constants.target = (uint64_t)(uintptr_t)operation->c.first;
    constants.lines = (uint32_t)operation->m;
    constants.ld = (uint32_t)operation->c.ld;
    lava_stream_stamp_begin(product->stream, &commands, LAVA_STAMP_EPILOGUE);
    lava_queue_dispatch(device, &commands, product->combine, &constants, sizeof constants, tiles,
                        product->way->tile_n / LAVA_RESIDUES_COLUMNS);
    lava_stream_stamp_end(product->stream, &commands);
    status = submit(product);
    return status ? status : lava_stream_flush(product->stream);
}

enum lava_status lava_residue_multiply(struct lava_residue_product *product, int64_t first_k,
                                       uint32_t first_tile, uint32_t end_tile) {
    uint32_t each = product->layout.tiles_each;
    enum lava_status status = LAVA_OK;
    for (uint32_t tile = first_tile; tile < end_tile && !status; tile += each)
        status = multiply_columns(product, first_k, tile, end_tile - tile < each ? end_tile - tile : each);
    return status;
}

enum lava_status lava_residue_add(struct lava_stream *stream, const struct lava_operation *operation,
                                  const struct lava_plan *plan) {
    struct lava_residue_product product;
    enum lava_status status = lava_residue_begin(&product, stream, operation, plan);
    /* all of it may be left to fp64 */
    lava_stream_expect(stream, 1e-9 * plan->gpu_ns + lava_operation_flops(operation) / plan->flops_per_s);
    for (int64_t k = 0; !status && k < product.parts.k; k += product.layout.panel) {
        status = lava_residue_convert(&product, 0, k, 0, product.parts.m);
        status = status ? status : lava_residue_convert(&product, 1, k, 0, product.parts.n);
        status = status ? status : lava_residue_multiply(&product, k, 0, product.layout.tiles_n);
    }
    return status ? status : lava_stream_end_step(stream);
}
