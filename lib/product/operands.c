/* Finds what a pack task reads, in which orientation, and where in the packed buffers it goes. Called by
 * stages.c. Invariant: a pack fills the padding of the width, or of K, if it has the last of it. */
#include "lib/product/operands.h"

#include "dispatch/arithmetic.h"

static struct lava_packed_place place_at(const struct lava_run *run, const struct lava_buffer *buffer,
                                         uint32_t tile, int64_t size, int64_t first, int64_t k) {
    const struct lava_kernel *kernel = run->plan->kernel;
    uint64_t k_padded = (uint64_t)lava_blocking_padded(k, kernel->tile_k), width = (uint64_t)first;
    struct lava_packed layout =
        lava_packed_layout(kernel, tile, (uint64_t)lava_blocking_padded(size, tile), k_padded);
    struct lava_packed_place place = {.elements = buffer->address + width * k_padded * layout.element_bytes};
    if (layout.panels > 0) {
        place.panels = buffer->address + layout.panels + width * k_padded * lava_type_bytes(kernel->type);
        place.exponents =
            buffer->address + layout.exponents + width / tile * layout.exponent_words * sizeof(uint32_t);
        place.arguments = buffer->address + layout.arguments;
        place.exponent_words = (uint32_t)layout.exponent_words;
    }
    return place;
}

struct lava_packed_place lava_operands_place_a(const struct lava_run *run, const struct lava_block *block,
                                               int64_t row, int64_t k) {
    return place_at(run, lava_run_buffer(run, LAVA_ARENA_PACKED_A), run->plan->kernel->tile_m,
                    block->packed_rows, row - block->packed_row, k);
}

struct lava_packed_place lava_operands_place_b(const struct lava_run *run, const struct lava_block *block,
                                               int64_t column, int64_t k) {
    return place_at(run, lava_run_packed_b(run, block), run->plan->kernel->tile_n, block->packed_columns,
                    column - block->packed_column, k);
}

// clang-format off
/* The parts of a stored element. A's are laid out along K, B's along K and the width
 * (shaders/interface.h). */
enum shape { WIDE, TALL, SQUARE, SQUARE_T };
static const struct { unsigned char is_imaginary, is_negative; } shapes[][2][2] = { /* [column][row] */
    [WIDE]     = {{{0, 0}, {0, 0}}, {{1, 0}, {0, 0}}}, /* A: re, im in the next column */
    [TALL]     = {{{0, 0}, {1, 0}}, {{0, 0}, {0, 0}}}, /* A transposed: re, im in the next row */
    [SQUARE]   = {{{0, 0}, {1, 1}}, {{1, 0}, {0, 0}}}, /* B: columns (re, -im), (im, re) */
    [SQUARE_T] = {{{0, 0}, {1, 0}}, {{1, 1}, {0, 0}}}, /* B transposed: (re, im), (-im, re) */
};
// clang-format on

/* Encodes the parts as struct lava_pack_constants has them. */
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

/* What a task packs: a range of the width and one of K, in elements of the product, from one of the operands.
 */
struct source {
    const struct lava_operand *operand;
    bool is_b;         /* the operand is op(B) */
    bool k_along_rows; /* of the stored matrix */
    bool conjugate;
    int64_t width, widths, k, depth; /* in elements of the stored matrix */
};

static struct source source_of(const struct lava_run *run, const struct lava_task *task) {
    const struct lava_operation *operation = run->operation;
    bool is_b = task->kind == LAVA_TASK_PACK_B, turned = task->part == LAVA_PART_TURNED;
    const struct lava_operand *operand = is_b ? &operation->b : &operation->a;
    bool is_hermitian = operand->structure == LAVA_STRUCTURE_HERMITIAN;
    return (struct source){.operand = operand,
                           .is_b = is_b,
                           .k_along_rows = ((operand->op == LAVA_OP_T) != is_b) != turned,
                           .conjugate = operand->conjugate != (turned && is_hermitian),
                           .width = is_b ? task->column / run->each : task->row,
                           .widths = is_b ? task->columns / run->each : task->rows,
                           .k = task->from_k / run->each,
                           .depth = task->depth / run->each};
}

/* Adds the block's products of a batch. */
static void set_products(const struct lava_run *run, const struct lava_block *block, bool is_b,
                         struct lava_stored *stored) {
    const struct lava_series *series = run->operation->series;
    const void *const *pointers = is_b ? series->b : series->a;
    stored->products = block->products;
    stored->stride = is_b ? series->stride_b : series->stride_a;
    if (pointers)
        stored->sources = pointers + block->product;
    else
        stored->first =
            lava_operation_element(stored->first, run->caller->type, 0, block->product, stored->stride);
}

struct lava_stored lava_operands_stored(const struct lava_run *run, const struct lava_task *task) {
    const struct source source = source_of(run, task);
    bool is_square = task->part == LAVA_PART_SQUARE;
    int64_t k = is_square ? source.width : source.k, depth = is_square ? source.widths : source.depth;
    int64_t row = source.k_along_rows ? k : source.width, column = source.k_along_rows ? source.width : k;
    struct lava_stored stored = {.first = lava_operation_element(source.operand->first, run->caller->type,
                                                                 row, column, source.operand->ld),
                                 .ld = source.operand->ld,
                                 .element_bytes = lava_type_bytes(run->caller->type),
                                 .rows = source.k_along_rows ? depth : source.widths,
                                 .columns = source.k_along_rows ? source.widths : depth,
                                 .is_whole = is_square};
    if (run->operation->series)
        set_products(run, task->block, source.is_b, &stored);
    return stored;
}

/* How the square on the diagonal becomes a matrix of all its elements: op(A)'s or op(B)'s own, not
 * transposed. */
static struct lava_square square_of(const struct lava_run *run, const struct source *source) {
    const struct lava_operand *operand = source->operand;
    int64_t k = source->k - source->width; /* within the square */
    bool is_complex = lava_type_is_complex(run->caller->type);
    return (struct lava_square){
        .pipeline = run->square,
        .row = source->is_b ? k : 0,
        .column = source->is_b ? 0 : k,
        .constants = {.target_ld = (uint32_t)run->plan->blocking.square,
                      .size = (uint32_t)source->widths,
                      .element_words = (uint32_t)(lava_type_bytes(run->caller->type) / sizeof(uint32_t)),
                      .part_words = (uint32_t)(lava_type_bytes(run->caller->type) / sizeof(uint32_t)) /
                                    (is_complex ? 2 : 1),
                      .structure = operand->structure,
                      .stored = operand->stored,
                      .transposed = operand->op == LAVA_OP_T,
                      .conjugate = operand->conjugate,
                      .unit_diagonal = operand->unit_diagonal}};
}

/* Returns what elements are multiplied by before they are conjugated. */
static struct lava_scalar alpha_of(const struct lava_run *run, const struct source *source) {
    struct lava_scalar alpha = run->caller->alpha;
    if (source->conjugate)
        alpha.imaginary = -alpha.imaginary;
    return alpha;
}

/* Where a pack goes: to op(A)'s rows or op(B)'s columns, in elements of the product. */
struct target {
    bool is_b;
    int64_t width, widths, from_k;
};

static struct lava_packing packing_of(const struct lava_run *run, const struct lava_task *task,
                                      const struct source *source, const struct target *target) {
    const struct lava_kernel *kernel = run->plan->kernel;
    const struct lava_operation *operation = run->operation;
    bool is_b = target->is_b, is_square = task->part == LAVA_PART_SQUARE;
    bool k_along_rows = is_square ? is_b : source->k_along_rows;
    uint32_t tile = is_b ? kernel->tile_n : kernel->tile_m;
    int64_t panel = target->width / tile * tile;
    int64_t end = target->width + target->widths;
    bool ends_width = end == (is_b ? operation->n : operation->m);
    bool ends_k = operation->twice || target->from_k + task->depth == task->first_k + task->k;
    const struct lava_packed_place place = is_b ? lava_operands_place_b(run, task->block, panel, task->k)
                                                : lava_operands_place_a(run, task->block, panel, task->k);
    int64_t depth = source->depth, widths = source->widths;
    struct lava_packing packing = {
        .stored = lava_operands_stored(run, task),
        .rows = k_along_rows ? depth : widths,
        .columns = k_along_rows ? widths : depth,
        .on_device = operation->on_device,
        .scale = source->is_b ? NULL : run->scale,
        .alpha = alpha_of(run, source),
        .rows_each = operation->of_parts && (is_b || k_along_rows) ? 2 : 1,
        .columns_each = operation->of_parts && (is_b || !k_along_rows) ? 2 : 1,
        .transpose = k_along_rows,
        .first_width = target->width - panel,
        .first_k = target->from_k - task->first_k,
        .width_filled = ends_width ? lava_blocking_padded(end, tile) - target->width : target->widths,
        .k_filled = ends_k ? lava_blocking_padded(task->depth, kernel->tile_k) : task->depth,
        .k_padded = lava_blocking_padded(task->k, kernel->tile_k),
        .pack_block = lava_kernel_pack_block(kernel),
        .target = place.elements,
        .panels = place.panels,
        .exponents = place.exponents,
        .wait_for_readers = task->is_overwriting};
    packing.pack = run->pack[is_b ? LAVA_PIPELINE_B : LAVA_PIPELINE_A][k_along_rows];
    if (is_square)
        packing.square = square_of(run, source);
    return packing;
}

/* Sets how elements become parts. A square's conjugation is done already. */
static void set_parts(const struct lava_run *run, bool is_b, bool conjugate, struct lava_packing *packing) {
    enum shape a = packing->transpose ? TALL : WIDE, b = packing->transpose ? SQUARE : SQUARE_T;
    if (run->operation->of_parts)
        packing->parts = parts_of(is_b ? b : a, conjugate && !packing->square.pipeline);
}

static struct target target_of(const struct lava_task *task, bool is_b, int64_t from_k) {
    return is_b ? (struct target){true, task->column, task->columns, from_k}
                : (struct target){false, task->row, task->rows, from_k};
}

/* Returns whether the other operand has conjugated elements, if both are packed from the same matrix:
 * op(B) is op(A) transposed, or the product is added transposed. */
static bool twin_conjugate(const struct lava_operation *operation, const struct source *source) {
    return operation->twice ? source->conjugate != operation->c.real_diagonal : operation->b.conjugate;
}

struct lava_packing lava_operands_packing(const struct lava_run *run, const struct lava_task *task,
                                          struct lava_packing *twin) {
    const struct source source = source_of(run, task);
    const struct target target = target_of(task, source.is_b, task->from_k);
    struct lava_packing packing = packing_of(run, task, &source, &target);
    set_parts(run, source.is_b, source.conjugate, &packing);
    if (task->serves_both) {
        const struct target other = target_of(task, !source.is_b, task->other_k);
        *twin = packing_of(run, task, &source, &other);
        set_parts(run, !source.is_b, twin_conjugate(run->operation, &source), twin);
        packing.twin = twin;
    }
    return packing;
}
