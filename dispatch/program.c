/* Produces the tasks of a product. Called by cost.c for every way to compute it, and by lib/product/runner.c
 * for the chosen one. Invariants: every element of the region is downloaded once. What a multiply reads was
 * packed before it, and only a task that says so packs over it. At most blocking.blocks_held blocks are not
 * written back. */
#include "dispatch/program.h"

#include <string.h>

#include "dispatch/arithmetic.h"

/* The next stage. A stage yields a task or passes on to the stage after it. */
enum stage {
    BLOCK,
    PANEL,
    PACK,
    ROOM,
    PIECE,
    PIECE_A,
    MULTIPLY,
    EPILOGUE,
    DOWNLOAD,
    STRIP,
    STRIP_A,
    STRIP_B,
    END,
    DONE
};

static bool has_strips(const struct lava_program *program) {
    return program->operation->c.region != LAVA_REGION_ALL && !program->operation->series;
}

void lava_program_begin(struct lava_program *program, const struct lava_operation *operation,
                        const struct lava_kernel *kernel, const struct lava_blocking *blocking) {
    memset(program, 0, sizeof *program);
    program->operation = operation;
    program->kernel = kernel;
    program->blocking = blocking;
    program->stage = has_strips(program) ? STRIP : BLOCK;
}

/* Returns whether the pack of op(B) packs op(A) too: a batch of updates, whose blocks are whole triangles. */
static bool is_batch_of_updates(const struct lava_program *program) {
    return program->operation->series && program->operation->b_is_a;
}

/* Returns whether op(A) is already packed: with op(B), or by an earlier column block or strip. */
static bool has_a(const struct lava_program *program) {
    if (program->operation->series)
        return is_batch_of_updates(program);
    return has_strips(program) || (program->blocking->blocks_k == 1 && !program->is_first);
}

/* Blocks begin at whole tiles, also if they go from the last one to the first. */
static void set_columns(const struct lava_program *program, int64_t width, struct lava_block *block) {
    int64_t n = program->operation->n, end = n - program->column;
    block->column = program->column;
    block->columns = lava_minimum(width, end);
    if (lava_operation_descends(program->operation)) {
        block->column = lava_blocking_padded(lava_maximum(end - width, 0), program->kernel->tile_n);
        block->columns = end - block->column;
    }
}

/* The strip that begins at this row of a lower triangle, or at this column of C in an upper one. */
static void set_strip(const struct lava_operation *operation, const struct lava_blocking *blocking,
                      int64_t begin, struct lava_block *block) {
    int64_t each = operation->of_parts ? 2 : 1;
    int64_t end = lava_minimum(begin + blocking->piece_m, operation->m);
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    block->row = is_lower ? begin : 0;
    block->rows = end - block->row;
    block->column = is_lower ? 0 : begin * each;
    block->columns = end * each - block->column;
}

/* Returns the width of the column block that begins at this column, unless it is the last one. */
static int64_t width_at(const struct lava_blocking *blocking, int64_t column) {
    return column < blocking->wide_blocks * blocking->block_n ? blocking->block_n : blocking->later_n;
}

void lava_program_share_place(const struct lava_operation *operation, const struct lava_blocking *blocking,
                              uint32_t index, struct lava_block *block) {
    *block = (struct lava_block){.products = 1};
    if (blocking->by_strips) {
        set_strip(operation, blocking, index * blocking->piece_m, block);
        return;
    }
    if (operation->series) {
        block->rows = operation->m;
        block->columns = operation->n;
        block->product = index * blocking->products;
        block->products = lava_minimum(blocking->products, operation->series->count - block->product);
        return;
    }
    block->row = index / blocking->blocks_n * blocking->block_m;
    int64_t number = index % blocking->blocks_n, wide = lava_minimum(number, blocking->wide_blocks);
    block->column = wide * blocking->block_n + (number - wide) * blocking->later_n;
    block->rows = lava_minimum(blocking->block_m, operation->m - block->row);
    block->columns = lava_minimum(width_at(blocking, block->column), operation->n - block->column);
}

/* Returns false if no block is left. */
static bool take_block(struct lava_program *program) {
    const struct lava_program_share *share = program->share;
    int64_t before = program->row;
    struct lava_block place;
    uint32_t index;
    if (!share->take(share->context, program->blocks, &index))
        return false;
    if (program->blocking->by_strips) {
        program->row = index * program->blocking->piece_m;
        return true;
    }
    lava_program_share_place(program->operation, program->blocking, index, &place);
    program->row = place.row;
    program->column = program->operation->series ? place.product : place.column;
    program->is_first = program->blocks == 0 || program->row != before;
    return true;
}

static void begin_block(struct lava_program *program) {
    const struct lava_operation *operation = program->operation;
    const struct lava_blocking *blocking = program->blocking;
    struct lava_block *block = &program->block;
    program->is_first = program->column == 0;
    if (program->share && !take_block(program)) {
        program->stage = END;
        return;
    }
    int64_t width = width_at(blocking, program->column);
    block->number = program->blocks++;
    block->row = block->packed_row = program->row;
    block->rows = block->packed_rows = lava_minimum(blocking->block_m, operation->m - program->row);
    if (operation->series) { /* program->column counts products */
        block->product = program->column;
        block->products = lava_minimum(blocking->products, operation->series->count - program->column);
        block->columns = block->packed_columns = operation->n;
    } else {
        block->products = 1;
        set_columns(program, width, block);
        block->packed_column = block->column;
        block->packed_columns = block->columns;
    }
    block->place = program->next_place;
    program->first_k = 0;
    program->stage = PANEL;
}

/* The packed buffers hold, or will hold, all of op(A) and op(B). program->row is where the strip begins. Its
 * packs begin with the first strip that is not packed: of several programs each skips the others' strips. */
static void begin_strip(struct lava_program *program) {
    const struct lava_operation *operation = program->operation;
    struct lava_block *block = &program->block;
    if (program->share && !take_block(program)) {
        program->stage = END;
        return;
    }
    set_strip(operation, program->blocking, program->row, block);
    block->number = program->blocks++;
    block->products = 1;
    block->packed_rows = operation->m;
    block->packed_columns = operation->n;
    block->place = program->next_place;
    program->piece = block->row;
    program->strip = lava_minimum(program->packed, program->row);
    program->stage = STRIP_A;
}

static int64_t depth_of(const struct lava_program *program) {
    return lava_blocking_depth(program->operation, program->kernel);
}

static int64_t panel_of(const struct lava_program *program) {
    return lava_minimum(program->blocking->block_k, depth_of(program) - program->first_k);
}

/* Parts of a strip, along K. */
enum { BEFORE, SQUARE, AFTER, PARTS };

/* Returns whether the part of op(X) is zero: it is beyond the diagonal of a triangular matrix. */
static bool is_zero(const struct lava_operand *operand, bool is_b, int part) {
    if (operand->structure != LAVA_STRUCTURE_TRIANGULAR || part == SQUARE)
        return false;
    return ((part == BEFORE) == lava_operand_is_lower(operand)) == is_b;
}

/* Before the diagonal are op(A)'s lower triangle and op(B)'s upper one. */
static enum lava_part place_of(const struct lava_operand *operand, bool is_b, int part) {
    enum lava_region before = is_b ? LAVA_REGION_UPPER : LAVA_REGION_LOWER;
    if (part == SQUARE)
        return LAVA_PART_SQUARE;
    if (operand->structure == LAVA_STRUCTURE_TRIANGULAR)
        return LAVA_PART_STORED;
    return (part == BEFORE) == (operand->stored == before) ? LAVA_PART_STORED : LAVA_PART_TURNED;
}

static void set_width(bool is_b, int64_t first, int64_t count, struct lava_task *task) {
    *(is_b ? &task->column : &task->row) = first;
    *(is_b ? &task->columns : &task->rows) = count;
}

static void begin_pack(struct lava_program *program, bool is_b, int64_t first, int64_t count, int after) {
    program->pack = (struct lava_program_pack){.is_b = is_b,
                                               .next = first,
                                               .end = first + count,
                                               .from_k = program->first_k,
                                               .depth = panel_of(program),
                                               .after = after};
    program->stage = PACK;
}

/* Yields the next part of the strip in elements of the matrix. Returns false if it is empty. */
static bool pack_part(struct lava_program *program, const struct lava_operand *operand,
                      struct lava_task *task) {
    struct lava_program_pack *pack = &program->pack;
    int64_t each = program->operation->of_parts ? 2 : 1, width_each = pack->is_b ? each : 1;
    int64_t begin = pack->next / width_each;
    int64_t end = lava_minimum(begin + program->blocking->square, pack->end / width_each);
    int64_t first = program->first_k / each, last = first + panel_of(program) / each;
    const int64_t bounds[PARTS + 1] = {first, begin, end, last};
    int part = pack->part;
    int64_t from = lava_maximum(first, bounds[part]), to = lava_minimum(last, bounds[part + 1]);
    pack->part = (part + 1) % PARTS;
    if (pack->part == BEFORE)
        pack->next = end * width_each;
    set_width(pack->is_b, begin * width_each, (end - begin) * width_each, task);
    task->from_k = from * each;
    task->depth = (to - from) * each;
    task->part = place_of(operand, pack->is_b, part);
    return from < to && !is_zero(operand, pack->is_b, part);
}

/* Returns false if nothing is left. */
static bool pack(struct lava_program *program, struct lava_task *task) {
    struct lava_program_pack *pack = &program->pack;
    const struct lava_operand *operand = pack->is_b ? &program->operation->b : &program->operation->a;
    task->kind = pack->is_b ? LAVA_TASK_PACK_B : LAVA_TASK_PACK_A;
    task->is_overwriting = pack->is_overwriting;
    task->is_common =
        !program->operation->series && pack->is_b == lava_operation_is_by_rows(program->operation);
    if (operand->structure == LAVA_STRUCTURE_GENERAL) {
        set_width(pack->is_b, pack->next, pack->end - pack->next, task);
        task->from_k = pack->from_k;
        task->depth = pack->depth;
        if (pack->serves_both) {
            set_width(!pack->is_b, pack->next, pack->end - pack->next, task);
            task->serves_both = true;
        }
        program->stage = pack->after;
        return true;
    }
    while (pack->next < pack->end)
        if (pack_part(program, operand, task)) {
            pack->is_overwriting = false;
            return true;
        }
    program->stage = pack->after;
    return false;
}

/* Returns whether op(B) is packed with the pieces of op(A): of fp64 only. Screened rows of fp32 look at all
 * of op(B) before each multiply, and the others would be chosen in their place. */
static bool packs_by_pieces(const struct lava_program *program) {
    const struct lava_operation *operation = program->operation;
    const struct lava_blocking *blocking = program->blocking;
    return operation->a.structure == LAVA_STRUCTURE_TRIANGULAR && program->is_first && !program->share &&
           blocking->b_by_pieces && blocking->blocks_m == 1 && blocking->blocks_k == 1 &&
           blocking->piece_m < operation->m && blocking->piece_m % LAVA_BLOCKING_PACK_ALIGN == 0 &&
           program->kernel->type == LAVA_TYPE_FP64;
}

/* Returns whether the pieces go from the last one to the first: rows of an upper triangle begin at the
 * diagonal. */
static bool has_last_piece_first(const struct lava_program *program) {
    return packs_by_pieces(program) && !lava_operand_is_lower(&program->operation->a);
}

static int64_t first_piece(const struct lava_program *program) {
    const struct lava_block *block = &program->block;
    int64_t piece = program->blocking->piece_m;
    return block->row + (has_last_piece_first(program) ? (block->rows - 1) / piece * piece : 0);
}

static void begin_pack_b(struct lava_program *program) {
    program->block.buffer_b = program->packs_of_b++ % 2;
    program->piece = first_piece(program);
    if (packs_by_pieces(program)) {
        program->stage = ROOM;
        return;
    }
    begin_pack(program, true, program->block.column, program->block.columns, ROOM);
    program->pack.serves_both = program->pack.is_overwriting = is_batch_of_updates(program);
}

/* Waits for half of the places at once: several downloads together take less time on the bus. Those of a
 * batch are on their way already. */
static bool wait_for_room(struct lava_program *program, struct lava_task *task) {
    program->stage = has_a(program) ? MULTIPLY : PIECE;
    if (program->downloads < program->blocking->blocks_held)
        return false;
    task->kind = LAVA_TASK_WAIT;
    uint32_t held = program->blocking->blocks_held;
    task->unfinished = program->downloads = program->operation->series ? held - 1 : held / 2;
    return true;
}

static int64_t piece_rows(const struct lava_program *program) {
    const struct lava_block *block = &program->block;
    int64_t left = block->row + block->rows - program->piece;
    return has_a(program) ? left : lava_minimum(program->blocking->piece_m, left);
}

static void begin_pack_piece(struct lava_program *program) {
    begin_pack(program, false, program->piece, piece_rows(program), MULTIPLY);
    program->pack.is_overwriting = program->piece == first_piece(program);
}

/* Packs what the piece needs of op(B) first: earlier pieces brought the rest. */
static void begin_piece(struct lava_program *program) {
    int64_t each = program->operation->of_parts ? 2 : 1;
    if (!packs_by_pieces(program)) {
        begin_pack_piece(program);
        return;
    }
    begin_pack(program, true, program->block.column, program->block.columns, PIECE_A);
    program->pack.from_k = program->piece * each;
    program->pack.depth = piece_rows(program) * each;
}

static void multiply(struct lava_program *program, struct lava_task *task) {
    const struct lava_block *block = &program->block;
    bool descends = has_last_piece_first(program);
    task->kind = LAVA_TASK_MULTIPLY;
    task->row = program->piece;
    task->rows = piece_rows(program);
    task->accumulates = program->first_k > 0;
    program->piece += descends ? -program->blocking->piece_m : task->rows;
    if (descends ? program->piece >= block->row : program->piece < block->row + block->rows) {
        program->stage = PIECE;
    } else if (program->first_k + task->k < depth_of(program)) {
        program->first_k += task->k;
        program->stage = PANEL;
    } else {
        task->is_last = true;
        program->stage = EPILOGUE;
    }
}

static void download(struct lava_program *program, struct lava_task *task) {
    const struct lava_operation *operation = program->operation;
    task->kind = LAVA_TASK_DOWNLOAD;
    program->downloads += !operation->on_device;
    program->next_place =
        program->next_place + 1 < program->blocking->blocks_held ? program->next_place + 1 : 0;
    if (program->share) {
        program->stage = has_strips(program) ? STRIP : BLOCK;
        return;
    }
    if (has_strips(program)) {
        program->row += program->blocking->piece_m;
        program->stage = program->row < operation->m ? STRIP : END;
        return;
    }
    bool is_batch = operation->series != NULL;
    program->column += is_batch ? program->block.products : program->block.columns;
    program->stage = program->column < (is_batch ? operation->series->count : operation->n) ? BLOCK : END;
}

/* Waits for all downloads of a row block. */
static void end_rows(struct lava_program *program, struct lava_task *task) {
    task->kind = LAVA_TASK_WAIT;
    task->ends_rows = true;
    program->downloads = 0;
    if (program->share) {
        program->stage = DONE;
        return;
    }
    if (!has_strips(program)) {
        program->row += program->block.rows;
        program->column = 0;
    }
    program->stage = program->row < program->operation->m ? BLOCK : DONE;
}

/* Returns whether one upload has the strip's part of op(A) and of op(B). */
static bool has_twins(const struct lava_operation *operation) {
    return operation->b_is_a || operation->twice;
}

/* Returns whether each strip needs only its own part of the operand, and none that are before it. */
static bool is_own(const struct lava_operation *operation, bool is_b) {
    return !has_twins(operation) && is_b == (operation->c.region == LAVA_REGION_UPPER);
}

/* Returns whether program->strip of op(A), or of op(B), has to be packed for the strip at program->row. */
static bool wants_strip(const struct lava_program *program, bool is_b) {
    const struct lava_operation *operation = program->operation;
    if (is_b && operation->b_is_a)
        return false;
    return is_own(operation, is_b) ? program->strip == program->row : program->strip >= program->packed;
}

/* Yields the strip's rows of op(A), or its columns of op(B). If they serve both operands, the task has both.
 */
static bool pack_strip(struct lava_program *program, bool is_b, struct lava_task *task) {
    const struct lava_operation *operation = program->operation;
    int64_t each = operation->of_parts ? 2 : 1;
    int64_t rows = lava_minimum(program->blocking->piece_m, operation->m - program->strip);
    task->kind = is_b ? LAVA_TASK_PACK_B : LAVA_TASK_PACK_A;
    task->row = program->strip;
    task->rows = rows;
    task->column = program->strip * each;
    task->columns = rows * each;
    task->depth = operation->k;
    task->serves_both = has_twins(operation);
    task->is_common = !is_own(operation, is_b);
    task->other_k = operation->twice ? depth_of(program) / 2 : 0;
    return wants_strip(program, is_b);
}

static bool pack_strip_a(struct lava_program *program, struct lava_task *task) {
    program->stage = STRIP_B;
    return pack_strip(program, false, task);
}

/* Goes on to the next strip, up to the one that is computed. */
static bool pack_strip_b(struct lava_program *program, struct lava_task *task) {
    bool is_packed = pack_strip(program, true, task);
    int64_t next = program->strip + program->blocking->piece_m;
    program->stage = STRIP_A;
    if (program->strip == program->row) {
        program->packed = lava_maximum(program->packed, next);
        program->stage = ROOM;
    }
    program->strip = next;
    return is_packed;
}

/* Returns false if the stage has no task. */
static bool run_stage(struct lava_program *program, struct lava_task *task) {
    switch (program->stage) {
    case BLOCK:
        begin_block(program);
        return false;
    case PANEL:
        begin_pack_b(program);
        return false;
    case PACK:
        return pack(program, task);
    case ROOM:
        return wait_for_room(program, task);
    case PIECE:
        begin_piece(program);
        return false;
    case PIECE_A:
        begin_pack_piece(program);
        return false;
    case MULTIPLY:
        multiply(program, task);
        return true;
    case EPILOGUE:
        program->stage = DOWNLOAD;
        task->kind = LAVA_TASK_EPILOGUE;
        return program->blocking->epilogue;
    case DOWNLOAD:
        download(program, task);
        return !program->operation->on_device;
    case STRIP:
        begin_strip(program);
        return false;
    case STRIP_A:
        return pack_strip_a(program, task);
    case STRIP_B:
        return pack_strip_b(program, task);
    default:
        end_rows(program, task);
        return !program->operation->on_device;
    }
}

bool lava_program_next(struct lava_program *program, struct lava_task *task) {
    while (program->stage != DONE) {
        *task = (struct lava_task){.block = &program->block,
                                   .first_k = program->first_k,
                                   .k = panel_of(program),
                                   .from_k = program->first_k,
                                   .depth = panel_of(program)};
        if (run_stage(program, task))
            return true;
    }
    return false;
}

struct lava_region_block lava_program_region(const struct lava_operation *operation,
                                             const struct lava_block *block) {
    int64_t each = operation->of_parts ? 2 : 1;
    return (struct lava_region_block){
        .region = operation->c.region, .diagonal = block->column / each - block->row, .rows = block->rows};
}

struct lava_region_tiles lava_program_tiles(const struct lava_operation *operation,
                                            const struct lava_kernel *kernel, const struct lava_block *block,
                                            int64_t row, int64_t rows) {
    const struct lava_block part = {.row = row, .rows = rows, .column = block->column};
    return (struct lava_region_tiles){.block = lava_program_region(operation, &part),
                                      .tile_m = kernel->tile_m,
                                      .tile_n = kernel->tile_n,
                                      .each = operation->of_parts ? 2 : 1};
}
