/* Inverts a matrix that stays in host memory, in place, by block columns. Called by lib/offload/offload.c. An
 * inverse by a factor takes two steps, each over all block columns J; the columns of the others pass by in
 * slices.
 *
 *     invert, U:    J from the first on. Above the diagonal -(the X before J) U_J, by slices of X, then
 *                   solved with U_JJ on the right. The block on the diagonal is inverted.
 *     invert, L:    J from the first on. Below the diagonal -(L_J X_JJ), then solved with the L after J, by
 *                   slices of it.
 *     square, U U': J from the first on. U_J U_JJ', and by slices what the columns after J add.
 *     square, L' L: J from the first on. On the diagonal L_J' L_J. Below it the L after J, transposed, times
 *                   L_J, by slices.
 *     solve, X L = inv(U): J from the last on. inv(U)_J less (the X after J) L_J, by slices of X, then solved
 *                   with L_JJ on the right. When all are there, the pivots' columns are swapped.
 *
 * Invariant: a block column needs of the others what is not overwritten yet, or what is finished. Between two
 * of them *progress says which are. A fault leaves C so, because nothing can fail while a buffer is written
 * to C, or while columns are swapped. */
#include "lib/lapack/block_inverter.h"

#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "dispatch/inverse_plan.h"
#include "lib/host/cpu_inverse.h"
#include "lib/lapack/block_buffer.h"
#include "lib/lapack/device_inverse.h"
#include "lib/lapack/device_solve.h"
#include "lib/lapack/slices.h"

/* Bytes of a column that a thread swaps at a time. */
#define SWAP_BYTES 1024

struct block_inverter {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    struct lava_overrides overrides; /* of the products */
    enum lava_region stored;         /* the triangle that is inverted or multiplied */
    struct lava_slices slices;
    struct lava_device_matrix column; /* a block column; while X is solved for, of L */
    struct lava_device_matrix work;   /* by LU X's block column; else scratch of products */
    void *buffer;                     /* a finished block column */
};

/* A block column: its columns, and the rows that are transferred. */
struct block {
    int64_t from, columns, row, rows;
    struct lava_device_matrix on_device; /* these rows */
    struct lava_device_matrix square;    /* the block on the diagonal */
    struct lava_device_matrix rest;      /* of a triangle, above or below it; perhaps without rows */
};

static bool is_lower(const struct block_inverter *inverter) {
    return inverter->stored == LAVA_REGION_LOWER;
}

static int64_t after(const struct block *block) {
    return block->from + block->columns;
}

/* Returns the block of a triangle that begins at column `from`. */
static struct block block_at(const struct block_inverter *inverter, int64_t from) {
    const struct lava_operation *operation = inverter->operation;
    int64_t columns = lava_minimum(inverter->plan->columns.width, operation->n - from);
    struct block block = {.from = from, .columns = columns, .rows = from + columns};
    if (is_lower(inverter)) {
        block.row = from;
        block.rows = operation->n - from;
    }
    int64_t beside = block.rows - columns, first = is_lower(inverter) && beside > 0 ? columns : 0;
    block.on_device = lava_device_matrix_block(&inverter->column, 0, block.rows, 0, columns);
    block.square = lava_device_matrix_block(&block.on_device, from - block.row, columns, 0, columns);
    block.rest = lava_device_matrix_block(&block.on_device, first, beside, 0, columns);
    return block;
}

/* The block's square on the right of what is beside it. */
static struct lava_device_solve on_right_of_rest(const struct block_inverter *inverter,
                                                 const struct block *block) {
    return (struct lava_device_solve){.a = block->square,
                                      .b = block->rest,
                                      .a_on_right = true,
                                      .stored = inverter->stored,
                                      .unit_diagonal = inverter->operation->a.unit_diagonal,
                                      .alpha.real = -1,
                                      .chain = LAVA_CHAIN_OF_FACTORS,
                                      .precision = inverter->operation->precision,
                                      .overrides = &inverter->overrides};
}

static struct lava_device_triangle triangle_of(const struct block_inverter *inverter,
                                               const struct block *block) {
    return (struct lava_device_triangle){.a = block->square,
                                         .stored = inverter->stored,
                                         .unit_diagonal = inverter->operation->a.unit_diagonal,
                                         .precision = inverter->operation->precision,
                                         .overrides = &inverter->overrides};
}

/* What is beside the square, and the triangle before it or after it, whose columns pass by. */
static struct lava_slices_solve with_slices(struct block_inverter *inverter, const struct block *block) {
    const struct lava_operation *operation = inverter->operation;
    int64_t first = is_lower(inverter) ? after(block) : 0;
    inverter->slices.first =
        lava_operation_element(operation->c.first, operation->type, first, first, operation->c.ld);
    return (struct lava_slices_solve){.b = block->rest,
                                      .order = block->rest.rows,
                                      .stored = inverter->stored,
                                      .unit_diagonal = operation->a.unit_diagonal};
}

static enum lava_status invert_upper(struct block_inverter *inverter, const struct block *block) {
    const struct lava_slices_solve product = with_slices(inverter, block);
    const struct lava_device_solve solve = on_right_of_rest(inverter, block);
    struct lava_device_triangle triangle = triangle_of(inverter, block);
    enum lava_status status = LAVA_OK;
    triangle.by_columns = true; /* as what is above it */
    if (block->rest.rows > 0)
        status = lava_slices_multiply(&inverter->slices, &product);
    if (!status && block->rest.rows > 0)
        status = lava_device_solve(inverter->stream, &solve);
    return status ? status : lava_device_invert(inverter->stream, &triangle);
}

static enum lava_status invert_lower(struct block_inverter *inverter, const struct block *block) {
    const struct lava_slices_solve solve = with_slices(inverter, block);
    const struct lava_device_solve product = on_right_of_rest(inverter, block);
    const struct lava_device_triangle triangle = triangle_of(inverter, block);
    enum lava_status status = lava_device_invert(inverter->stream, &triangle);
    if (status || block->rest.rows == 0)
        return status;
    status = lava_device_multiply_triangle(inverter->stream, &product);
    return status ? status : lava_slices_solve(&inverter->slices, &solve);
}

/* C <- C plus A B', or A' B. C is the square where A is B, else a rectangle. */
static enum lava_status add(const struct block_inverter *inverter, const struct lava_device_matrix *a,
                            const struct lava_device_matrix *b, const struct lava_device_matrix *c) {
    bool is_complex = lava_type_is_complex(inverter->operation->type), is_square = a == b,
         is_first = is_lower(inverter);
    const struct lava_device_product product = {.a = *a,
                                                .b = *b,
                                                .c = *c,
                                                .op_a = is_first ? LAVA_OP_T : LAVA_OP_N,
                                                .op_b = is_first ? LAVA_OP_N : LAVA_OP_T,
                                                .conjugate_a = is_complex && is_first,
                                                .conjugate_b = is_complex && !is_first,
                                                .alpha.real = 1,
                                                .beta.real = 1,
                                                .region = is_square ? inverter->stored : LAVA_REGION_ALL,
                                                .real_diagonal = is_complex && is_square,
                                                .chain = LAVA_CHAIN_OF_FACTORS,
                                                .precision = inverter->operation->precision,
                                                .overrides = &inverter->overrides};
    return lava_device_product(inverter->stream, &product);
}

/* What the columns after the block add to it. */
static enum lava_status add_columns(struct block_inverter *inverter, const struct block *block) {
    struct lava_slices *slices = &inverter->slices;
    int64_t n = inverter->operation->n, above = block->rest.rows;
    enum lava_status status = LAVA_OK;
    slices->first = inverter->operation->c.first;
    for (int64_t from = after(block); from < n && !status; from += slices->width) {
        int64_t columns = lava_minimum(slices->width, n - from);
        struct lava_device_matrix slice;
        status = lava_slices_begin(slices, 0, block->rows, from, columns, &slice);
        if (status)
            return status;
        const struct lava_device_matrix high = lava_device_matrix_block(&slice, 0, above, 0, columns),
                                        low = lava_device_matrix_block(&slice, above, block->columns, 0,
                                                                       columns);
        if (above > 0)
            status = add(inverter, &high, &low, &block->rest);
        status = status ? status : add(inverter, &low, &low, &block->square);
        lava_slices_end(slices);
    }
    return status;
}

static enum lava_status square_upper(struct block_inverter *inverter, const struct block *block) {
    const struct lava_device_triangle triangle = triangle_of(inverter, block);
    struct lava_device_solve product = on_right_of_rest(inverter, block);
    product.op = LAVA_OP_T;
    product.conjugate = lava_type_is_complex(inverter->operation->type);
    product.alpha.real = 1;
    enum lava_status status = LAVA_OK;
    if (block->rest.rows > 0)
        status = lava_device_multiply_triangle(inverter->stream, &product);
    status = status ? status : lava_device_square(inverter->stream, &triangle, &inverter->work);
    return status ? status : add_columns(inverter, block);
}

static enum lava_status square_lower(struct block_inverter *inverter, const struct block *block) {
    const struct lava_device_triangle triangle = triangle_of(inverter, block);
    struct lava_slices_solve product = with_slices(inverter, block);
    product.op = LAVA_OP_T;
    product.conjugate = lava_type_is_complex(inverter->operation->type);
    enum lava_status status = lava_device_square(inverter->stream, &triangle, &inverter->work);
    if (status || block->rest.rows == 0)
        return status;
    for (int64_t row = 0, each = inverter->slices.width; row < block->rest.rows && !status; row += each) {
        const struct lava_device_matrix part = lava_device_matrix_block(
            &block->rest, row, lava_minimum(each, block->rest.rows - row), 0, block->columns);
        status = add(inverter, &part, &part, &block->square);
    }
    return status ? status : lava_slices_multiply(&inverter->slices, &product);
}

/* Rows of X <- beta times them, less a slice of the finished columns times the slice's rows of L. */
static enum lava_status subtract(const struct block_inverter *inverter,
                                 const struct lava_device_matrix *slice, const struct lava_device_matrix *l,
                                 const struct lava_device_matrix *x, double beta) {
    const struct lava_device_product product = {.a = *slice,
                                                .b = *l,
                                                .c = *x,
                                                .alpha.real = -1,
                                                .beta.real = beta,
                                                .chain = LAVA_CHAIN_OF_FACTORS,
                                                .precision = inverter->operation->precision,
                                                .overrides = &inverter->overrides};
    return lava_device_product(inverter->stream, &product);
}

/* X's block column less what the finished ones contribute. The first slice finds nothing in the rows below
 * the diagonal. */
static enum lava_status subtract_columns(struct block_inverter *inverter, const struct block *l,
                                         const struct lava_device_matrix *x) {
    struct lava_slices *slices = &inverter->slices;
    int64_t n = inverter->operation->n, begin = after(l);
    enum lava_status status = LAVA_OK;
    slices->first = inverter->operation->c.first;
    for (int64_t from = begin; from < n && !status; from += slices->width) {
        int64_t columns = lava_minimum(slices->width, n - from), rows = from == begin ? begin : n;
        struct lava_device_matrix slice;
        status = lava_slices_begin(slices, 0, n, from, columns, &slice);
        if (status)
            return status;
        const struct lava_device_matrix high = lava_device_matrix_block(&slice, 0, rows, 0, columns),
                                        beside = lava_device_matrix_block(&l->on_device, from - l->row,
                                                                          columns, 0, l->columns),
                                        target = lava_device_matrix_block(x, 0, rows, 0, l->columns);
        status = subtract(inverter, &high, &beside, &target, 1);
        if (!status && rows < n) {
            const struct lava_device_matrix low =
                                                lava_device_matrix_block(&slice, rows, n - rows, 0, columns),
                                            below =
                                                lava_device_matrix_block(x, rows, n - rows, 0, l->columns);
            status = subtract(inverter, &low, &beside, &below, 0);
        }
        lava_slices_end(slices);
    }
    return status;
}

static enum lava_status upload(const struct block_inverter *inverter, const struct lava_device_matrix *matrix,
                               int64_t row, int64_t column) {
    const struct lava_operation *operation = inverter->operation;
    return lava_device_matrix_upload(
        inverter->stream, matrix,
        lava_operation_element(operation->c.first, operation->type, row, column, operation->c.ld),
        operation->c.ld);
}

/* C <- a finished block column. */
static enum lava_status write(const struct block_inverter *inverter, const struct lava_device_matrix *matrix,
                              const struct lava_block_place *place, enum lava_region region) {
    struct lava_result c = inverter->operation->c;
    enum lava_status status =
        lava_device_matrix_download(inverter->stream, matrix, LAVA_REGION_ALL, inverter->buffer, place->rows);
    c.region = region;
    if (!status)
        lava_block_buffer_write(inverter->stream, inverter->buffer, &c, place);
    return status;
}

typedef enum lava_status work_on(struct block_inverter *inverter, const struct block *block);

/* Overwrites the triangle from the first block column to the last. */
static enum lava_status run_triangle(struct block_inverter *inverter, work_on *work,
                                     struct lava_progress *progress) {
    enum lava_status status = LAVA_OK;
    while (!status && progress->column < inverter->operation->n) {
        const struct block block = block_at(inverter, progress->column);
        const struct lava_block_place place = {block.row, block.rows, block.from, block.columns};
        status = upload(inverter, &block.on_device, block.row, block.from);
        status = status ? status : work(inverter, &block);
        status = status ? status : write(inverter, &block.on_device, &place, inverter->stored);
        if (!status)
            progress->column += block.columns;
    }
    return status;
}

/* The block column of L below the diagonal, and the square with both triangles. */
static struct block block_of_l(const struct block_inverter *inverter, int64_t from) {
    int64_t n = inverter->operation->n, columns = lava_minimum(inverter->plan->columns.width, n - from);
    struct block block = {.from = from, .columns = columns, .row = from, .rows = n - from};
    block.on_device = lava_device_matrix_block(&inverter->column, 0, block.rows, 0, columns);
    block.square = lava_device_matrix_block(&block.on_device, 0, columns, 0, columns);
    return block;
}

static enum lava_status solve_column(struct block_inverter *inverter, int64_t from) {
    const struct block l = block_of_l(inverter, from);
    struct lava_stream *stream = inverter->stream;
    int64_t n = inverter->operation->n;
    const struct lava_device_matrix x = lava_device_matrix_block(&inverter->work, 0, n, 0, l.columns),
                                    high = lava_device_matrix_block(&x, 0, from, 0, l.columns),
                                    square = lava_device_matrix_block(&x, from, l.columns, 0, l.columns);
    const struct lava_device_solve solve = {.a = l.square,
                                            .b = x,
                                            .a_on_right = true,
                                            .stored = LAVA_REGION_LOWER,
                                            .unit_diagonal = true,
                                            .alpha.real = 1,
                                            .chain = LAVA_CHAIN_OF_FACTORS,
                                            .precision = inverter->operation->precision,
                                            .overrides = &inverter->overrides};
    const struct lava_block_place place = {0, n, from, l.columns};
    enum lava_status status = upload(inverter, &l.on_device, from, from);
    if (!status && from > 0)
        status = upload(inverter, &high, 0, from);
    status = status ? status : lava_device_fill_triangle(stream, &l.square, LAVA_REGION_UPPER, &square);
    status = status ? status : subtract_columns(inverter, &l, &x);
    status = status ? status : lava_device_solve(stream, &solve);
    return status ? status : write(inverter, &x, &place, LAVA_REGION_ALL);
}

static void swap_rows(void *context, int64_t cell) {
    const struct lava_operation *operation = context;
    int64_t rows = SWAP_BYTES / (int64_t)lava_type_bytes(operation->type);
    lava_cpu_inverse_swap_columns(operation, cell * rows, lava_minimum((cell + 1) * rows, operation->n));
}

static void swap_columns(const struct block_inverter *inverter) {
    struct lava_operation operation = *inverter->operation;
    int64_t n = operation.n, bytes = n * (int64_t)lava_type_bytes(operation.type);
    const struct lava_thread_work work = {.function = swap_rows,
                                          .context = &operation,
                                          .cells = (bytes + SWAP_BYTES - 1) / SWAP_BYTES,
                                          .name = "swap columns",
                                          .bytes = 2 * (uint64_t)(n * bytes)};
    lava_copy_pool_run(inverter->stream->pool, &work);
}

/* Overwrites the matrix from the last block column to the first. */
static enum lava_status run_solves(struct block_inverter *inverter, struct lava_progress *progress) {
    int64_t n = inverter->operation->n, width = inverter->plan->columns.width;
    enum lava_status status = LAVA_OK;
    while (!status && progress->column < n) {
        int64_t left = n - progress->column, from = (left - 1) / width * width;
        status = solve_column(inverter, from);
        if (!status)
            progress->column += left - from;
    }
    if (!status)
        swap_columns(inverter);
    return status;
}

static enum lava_status run_steps(struct block_inverter *inverter, struct lava_progress *progress) {
    const struct lava_inverse_parts parts = lava_inverse_parts(inverter->operation);
    enum lava_status status = lava_block_buffer_begin(inverter->stream, inverter->plan);
    if (!status && parts.inverts)
        status = run_triangle(inverter, is_lower(inverter) ? invert_lower : invert_upper, progress);
    if (status || !(parts.squares || parts.solves))
        return status;
    if (parts.inverts) {
        progress->inverted = true;
        progress->column = 0;
    }
    return parts.solves ? run_solves(inverter, progress)
                        : run_triangle(inverter, is_lower(inverter) ? square_lower : square_upper, progress);
}

static enum lava_status create(struct block_inverter *inverter) {
    const struct lava_operation *operation = inverter->operation;
    const struct lava_inverse_parts parts = lava_inverse_parts(operation);
    struct lava_engine *engine = inverter->engine;
    enum lava_type type = operation->type;
    int64_t n = operation->n, width = lava_minimum(inverter->plan->columns.width, n),
            order = lava_device_square_order(width);
    inverter->buffer = malloc((size_t)(n * width) * lava_type_bytes(type));
    if (!inverter->buffer)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = lava_device_matrix_create(engine, type, n, width, &inverter->column);
    if (!status && (parts.solves || parts.squares))
        status = lava_device_matrix_create(engine, type, parts.solves ? n : order,
                                           parts.solves ? width : order, &inverter->work);
    return status ? status : lava_slices_create(&inverter->slices, engine, type, n);
}

static void free_all(struct block_inverter *inverter) {
    lava_slices_free(&inverter->slices, inverter->engine);
    lava_device_matrix_free(inverter->engine, &inverter->work);
    lava_device_matrix_free(inverter->engine, &inverter->column);
    free(inverter->buffer);
}

enum lava_status lava_block_inverter_run(struct lava_engine *engine, const struct lava_operation *operation,
                                         const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_stream stream;
    bool is_by_lu = lava_operation_row(operation)->inverse.solves;
    struct block_inverter inverter = {.engine = engine,
                                      .stream = &stream,
                                      .operation = operation,
                                      .plan = plan,
                                      .overrides.memory_bytes = plan->chunks.product_bytes,
                                      .stored = is_by_lu ? LAVA_REGION_UPPER : operation->c.region};
    inverter.slices = (struct lava_slices){.stream = &stream,
                                           .ld = operation->c.ld,
                                           .width = plan->columns.slice,
                                           .precision = operation->precision,
                                           .overrides = &inverter.overrides};
    *progress = (struct lava_progress){.rows = operation->m, .by_columns = true};
    enum lava_status status = create(&inverter);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run_steps(&inverter, progress));
    }
    free_all(&inverter);
    return status;
}
