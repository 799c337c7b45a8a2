/* Factors a matrix that stays in host memory, by block columns, left-looking. A row of
 * lib/offload/way_rows.c.
 *
 *     host                         device
 *     C: block columns before J    slices of them, one after the other ---+
 *        block column J ---------> swapped, less what the slices take  <--+
 *        a buffer      <---------- factored
 *     C: block column J <- buffer; LU: the rows of those before it are swapped
 *
 * Lower triangles and L of LU pass by as they are stored, from the diagonal down. For U of U' U = A the block
 * column above the diagonal is solved for, and that is what its square on the diagonal loses.
 *
 * Invariant: between two block columns, C's columns before J are those of the factor, with all swaps so far
 * in them, and the pivots before J are known; the others are as they were. A fault leaves C so, because
 * nothing can fail while a buffer is written to C. */
#include "lib/lapack/families.h"

#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "lib/host/cpu_lu.h"
#include "lib/lapack/device_cholesky.h"
#include "lib/lapack/device_lu.h"
#include "lib/lapack/device_solve.h"
#include "lib/lapack/device_systems.h"
#include "lib/lapack/lapack_runner.h"
#include "lib/lapack/rhs_chunks.h"
#include "lib/lapack/slices.h"

struct block_factorizer {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    struct lava_overrides overrides; /* of the products */
    struct lava_slices slices;
    struct lava_device_matrix column; /* a block column */
    struct lava_device_matrix words;  /* Cholesky: its status; LU: the pivots */
    struct lava_device_matrix work;   /* LU alone */
    uint32_t *host_words;
    void *buffer; /* a finished block column */
    struct lava_rhs_chunks chunks;
};

/* A block column: its columns, and the rows that are transferred. */
struct block {
    int64_t from, columns, row, rows;
    int64_t pivots; /* LU: how many it has */
    struct lava_device_matrix on_device;
};

static bool is_lu(const struct block_factorizer *factorizer) {
    return lava_operation_row(factorizer->operation)->pivots;
}

static struct block block_at(const struct block_factorizer *factorizer, int64_t from) {
    const struct lava_operation *operation = factorizer->operation;
    struct block block = {.from = from,
                          .columns = lava_minimum(factorizer->plan->columns.width, operation->n - from),
                          .rows = operation->m};
    if (is_lu(factorizer))
        block.pivots = lava_maximum(lava_minimum(block.columns, operation->k - from), 0);
    if (operation->c.region == LAVA_REGION_LOWER)
        block.row = from;
    if (operation->c.region == LAVA_REGION_UPPER)
        block.rows = from + block.columns;
    block.rows -= block.row;
    block.on_device = lava_device_matrix_block(&factorizer->column, 0, block.rows, 0, block.columns);
    return block;
}

/* The block's square on the diagonal, or of LU what is there and below. */
static struct lava_device_matrix diagonal_of(const struct block_factorizer *factorizer,
                                             const struct block *block) {
    int64_t row = block->from - block->row, rows = is_lu(factorizer) ? block->rows - row : block->columns;
    return lava_device_matrix_block(&block->on_device, row, rows, 0, block->columns);
}

/* C <- C less A B', for a square C on the diagonal, or a rectangle. is_transposed: less A' B. */
static enum lava_status subtract(const struct block_factorizer *factorizer,
                                 const struct lava_device_matrix *a, const struct lava_device_matrix *b,
                                 const struct lava_device_matrix *c, bool is_transposed) {
    const struct lava_operation *operation = factorizer->operation;
    bool is_complex = lava_type_is_complex(operation->type),
         is_square = a->buffer == b->buffer && a->offset == b->offset && a->rows == b->rows;
    const struct lava_device_product product = {.a = *a,
                                                .b = *b,
                                                .c = *c,
                                                .op_a = is_transposed ? LAVA_OP_T : LAVA_OP_N,
                                                .op_b = is_transposed ? LAVA_OP_N : LAVA_OP_T,
                                                .conjugate_a = is_complex && is_transposed,
                                                .conjugate_b = is_complex && !is_transposed,
                                                .alpha.real = -1,
                                                .beta.real = 1,
                                                .region = is_square ? operation->c.region : LAVA_REGION_ALL,
                                                .real_diagonal = is_complex && is_square,
                                                .chain = LAVA_CHAIN_OF_FACTORS,
                                                .precision = operation->precision,
                                                .overrides = &factorizer->overrides};
    return lava_device_product(factorizer->stream, &product);
}

/* The block column of L less what the columns before it contribute. */
static enum lava_status update_lower(struct block_factorizer *factorizer, const struct block *block) {
    const struct lava_device_matrix square = diagonal_of(factorizer, block);
    int64_t below = block->rows - block->columns;
    enum lava_status status = LAVA_OK;
    for (int64_t from = 0; from < block->from && !status; from += factorizer->slices.width) {
        int64_t columns = lava_minimum(factorizer->slices.width, block->from - from);
        struct lava_device_matrix slice;
        status = lava_slices_begin(&factorizer->slices, block->row, block->rows, from, columns, &slice);
        if (status)
            return status;
        const struct lava_device_matrix beside =
            lava_device_matrix_block(&slice, 0, block->columns, 0, columns);
        status = subtract(factorizer, &beside, &beside, &square, false);
        if (!status && below > 0) {
            const struct lava_device_matrix rest = lava_device_matrix_block(&slice, block->columns, below, 0,
                                                                            columns),
                                            target = lava_device_matrix_block(
                                                &block->on_device, block->columns, below, 0, block->columns);
            status = subtract(factorizer, &rest, &beside, &target, false);
        }
        lava_slices_end(&factorizer->slices);
    }
    return status;
}

/* The block column of U: above the diagonal it is solved for. */
static enum lava_status update_upper(struct block_factorizer *factorizer, const struct block *block) {
    const struct lava_slices_solve solve = {
        .b = lava_device_matrix_block(&block->on_device, 0, block->from, 0, block->columns),
        .order = block->from,
        .stored = LAVA_REGION_UPPER,
        .op = LAVA_OP_T,
        .conjugate = lava_type_is_complex(factorizer->operation->type)};
    const struct lava_device_matrix square = diagonal_of(factorizer, block);
    if (block->from == 0)
        return LAVA_OK;
    enum lava_status status = lava_slices_solve(&factorizer->slices, &solve);
    for (int64_t from = 0; from < block->from && !status; from += factorizer->slices.width) {
        int64_t rows = lava_minimum(factorizer->slices.width, block->from - from);
        const struct lava_device_matrix above =
            lava_device_matrix_block(&solve.b, from, rows, 0, block->columns);
        status = subtract(factorizer, &above, &above, &square, true);
    }
    return status;
}

/* The block column with the rows of the pivots so far: U's part is solved for, and taken from the rest. */
static enum lava_status update_lu(struct block_factorizer *factorizer, const struct block *block) {
    int64_t done = lava_minimum(block->from, factorizer->operation->k);
    const struct lava_device_swap swap = {.a = block->on_device, .pivots = factorizer->words, .count = done};
    const struct lava_slices_solve solve = {
        .b = block->on_device, .order = done, .stored = LAVA_REGION_LOWER, .unit_diagonal = true};
    enum lava_status status = lava_device_swap_rows(factorizer->stream, &swap);
    return status ? status : lava_slices_solve(&factorizer->slices, &solve);
}

static enum lava_status factor_cholesky(struct block_factorizer *factorizer, const struct block *block) {
    const struct lava_operation *operation = factorizer->operation;
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    int64_t below = is_lower ? block->rows - block->columns : 0;
    const struct lava_device_cholesky cholesky = {.a = diagonal_of(factorizer, block),
                                                  .status = factorizer->words,
                                                  .stored = operation->c.region,
                                                  .precision = operation->precision,
                                                  .overrides = &factorizer->overrides};
    enum lava_status status = lava_device_cholesky(factorizer->stream, &cholesky);
    if (status || below == 0)
        return status;
    const struct lava_device_solve solve = {
        .a = cholesky.a,
        .b = lava_device_matrix_block(&block->on_device, block->columns, below, 0, block->columns),
        .a_on_right = true,
        .stored = LAVA_REGION_LOWER,
        .op = LAVA_OP_T,
        .conjugate = lava_type_is_complex(operation->type),
        .alpha.real = 1,
        .chain = LAVA_CHAIN_OF_FACTORS,
        .precision = operation->precision,
        .overrides = &factorizer->overrides};
    return lava_device_solve(factorizer->stream, &solve);
}

/* The words that belong to the block: its pivots, or the status. */
static struct lava_device_matrix words_of(const struct block_factorizer *factorizer,
                                          const struct block *block) {
    return is_lu(factorizer) ? lava_device_matrix_block(&factorizer->words, block->from, block->pivots, 0, 1)
                             : factorizer->words;
}

static enum lava_status factor_lu(struct block_factorizer *factorizer, const struct block *block) {
    const struct lava_device_lu lu = {.a = diagonal_of(factorizer, block),
                                      .pivots = words_of(factorizer, block),
                                      .work = factorizer->work,
                                      .precision = factorizer->operation->precision,
                                      .overrides = &factorizer->overrides};
    return lava_device_lu(factorizer->stream, &lu);
}

static enum lava_status factor(struct block_factorizer *factorizer, const struct block *block) {
    const struct lava_operation *operation = factorizer->operation;
    enum lava_status status = is_lu(factorizer)                          ? update_lu(factorizer, block)
                              : operation->c.region == LAVA_REGION_LOWER ? update_lower(factorizer, block)
                                                                         : update_upper(factorizer, block);
    if (status)
        return status;
    if (!is_lu(factorizer))
        return factor_cholesky(factorizer, block);
    return block->pivots > 0 ? factor_lu(factorizer, block) : LAVA_OK;
}

/* The host's words <- the block's, and rows count from the matrix's first one. The device's follow. */
static enum lava_status take_words(struct block_factorizer *factorizer, const struct block *block) {
    const struct lava_device_matrix words = words_of(factorizer, block);
    uint32_t *host = factorizer->host_words + (is_lu(factorizer) ? block->from : 0);
    struct lava_stream *stream = factorizer->stream;
    if (is_lu(factorizer) && block->pivots == 0)
        return LAVA_OK;
    enum lava_status status = lava_device_matrix_download(stream, &words, LAVA_REGION_ALL, host, words.rows);
    if (status)
        return status;
    if (!is_lu(factorizer))
        return lava_device_cholesky_check(host[0]);
    status = lava_device_lu_check(stream->device, host, block->pivots);
    for (int64_t i = 0; i < block->pivots; i++)
        host[i] += (uint32_t)block->from;
    return status ? status : lava_device_matrix_upload(stream, &words, host, words.rows);
}

/* C <- the finished block column, but only the elements of C's region. */
static void write_columns(const struct block_factorizer *factorizer, const struct block *block) {
    const struct lava_result *c = &factorizer->operation->c;
    const struct lava_copy copy = {
        .source = factorizer->buffer,
        .source_ld = block->rows,
        .target = lava_operation_element(c->first, c->type, block->row, block->from, c->ld),
        .target_ld = c->ld,
        .rows = block->rows,
        .columns = block->columns};
    const struct lava_write_back how = {
        .source_type = c->type,
        .target_type = c->type,
        .region = {.region = c->region, .diagonal = block->from - block->row, .rows = block->rows}};
    struct lava_copy_pool *pool = factorizer->stream->pool;
    lava_copy_pool_finish(pool, lava_copy_pool_write_back(pool, &copy, &how));
}

/* C <- the finished block column. Its rows are swapped in the columns before it. */
static void write(const struct block_factorizer *factorizer, const struct block *block) {
    const struct lava_operation *operation = factorizer->operation;
    write_columns(factorizer, block);
    for (int64_t i = block->from; i < block->from + block->pivots; i++)
        operation->pivots[i] = (int64_t)factorizer->host_words[i] - 1;
    if (block->pivots == 0)
        return;
    const struct lava_swaps swaps = {.type = operation->type,
                                     .matrix = operation->c.first,
                                     .ld = operation->c.ld,
                                     .columns = block->from,
                                     .pivots = operation->pivots,
                                     .first = block->from,
                                     .end = block->from + block->pivots};
    const struct lava_thread_work work = lava_cpu_lu_swap_work(&swaps);
    lava_copy_pool_run(factorizer->stream->pool, &work);
}

static enum lava_status run_block(struct block_factorizer *factorizer, const struct block *block) {
    const struct lava_operation *operation = factorizer->operation;
    struct lava_stream *stream = factorizer->stream;
    const void *first =
        lava_operation_element(operation->c.first, operation->type, block->row, block->from, operation->c.ld);
    enum lava_status status = lava_device_matrix_upload(stream, &block->on_device, first, operation->c.ld);
    status = status ? status : factor(factorizer, block);
    status = status ? status : take_words(factorizer, block);
    status = status ? status
                    : lava_device_matrix_download(stream, &block->on_device, LAVA_REGION_ALL,
                                                  factorizer->buffer, block->rows);
    if (!status)
        write(factorizer, block);
    return status;
}

static enum lava_status run_blocks(struct block_factorizer *factorizer, struct lava_progress *progress) {
    enum lava_status status = lava_lapack_runner_prepare(factorizer->stream, factorizer->plan);
    if (!status && !is_lu(factorizer))
        status = lava_device_matrix_upload(factorizer->stream, &factorizer->words, factorizer->host_words, 1);
    while (!status && progress->column < factorizer->operation->n) {
        const struct block block = block_at(factorizer, progress->column);
        status = run_block(factorizer, &block);
        if (!status)
            progress->column += block.columns;
    }
    return status;
}

/* The words, and slices of the matrix. */
static enum lava_status create(struct block_factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    enum lava_status status = lava_device_matrix_create(
        factorizer->engine, LAVA_TYPE_FP32, is_lu(factorizer) ? operation->k : 1, 1, &factorizer->words);
    return status
               ? status
               : lava_slices_create(&factorizer->slices, factorizer->engine, operation->type, operation->m);
}

static enum lava_status create_column(struct block_factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    struct lava_engine *engine = factorizer->engine;
    int64_t width = lava_minimum(factorizer->plan->columns.width, operation->n), work = 0;
    factorizer->buffer = malloc((size_t)(operation->m * width) * lava_type_bytes(operation->type));
    if (!factorizer->buffer)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status =
        lava_device_matrix_create(engine, operation->type, operation->m, width, &factorizer->column);
    if (is_lu(factorizer))
        work = lava_device_lu_work_words(operation->type, operation->m);
    if (!status && work > 0)
        status = lava_device_matrix_create(engine, LAVA_TYPE_FP32, work, 1, &factorizer->work);
    return status ? status : create(factorizer);
}

static void free_matrices(struct block_factorizer *factorizer) {
    struct lava_engine *engine = factorizer->engine;
    lava_rhs_chunks_free(&factorizer->chunks, engine);
    lava_slices_free(&factorizer->slices, engine);
    lava_device_matrix_free(engine, &factorizer->work);
    lava_device_matrix_free(engine, &factorizer->words);
    lava_device_matrix_free(engine, &factorizer->column);
    free(factorizer->buffer);
    factorizer->buffer = NULL;
}

static enum lava_status run_factorization(struct block_factorizer *factorizer,
                                          struct lava_progress *progress) {
    enum lava_status status = create_column(factorizer);
    if (!status) {
        lava_stream_open(factorizer->stream, factorizer->engine, false);
        status = lava_stream_close(factorizer->stream, run_blocks(factorizer, progress));
    }
    free_matrices(factorizer);
    return status;
}

static enum lava_status solve_triangle(void *context, const struct lava_operand *triangle,
                                       const struct lava_device_matrix *sides) {
    struct block_factorizer *factorizer = context;
    const struct lava_slices_solve solve = {.b = *sides,
                                            .order = factorizer->operation->n,
                                            .stored = triangle->stored,
                                            .op = triangle->op,
                                            .conjugate = triangle->conjugate,
                                            .unit_diagonal = triangle->unit_diagonal};
    return lava_slices_solve(&factorizer->slices, &solve);
}

static enum lava_status solve_chunk(void *context, const struct lava_device_matrix *sides) {
    struct block_factorizer *factorizer = context;
    const struct lava_device_systems systems = {.operation = factorizer->operation,
                                                .pivots = factorizer->words,
                                                .solve = solve_triangle,
                                                .context = factorizer};
    return lava_device_systems_solve(factorizer->stream, &systems, sides);
}

static enum lava_status run_chunks(struct block_factorizer *factorizer, struct lava_progress *progress) {
    enum lava_status status = lava_lapack_runner_prepare(factorizer->stream, factorizer->plan);
    if (!status && is_lu(factorizer))
        status = lava_device_matrix_upload(factorizer->stream, &factorizer->words, factorizer->host_words,
                                           factorizer->words.rows);
    status = status ? status : lava_rhs_chunks_begin(&factorizer->chunks);
    status = status ? status : lava_rhs_chunks_finish(&factorizer->chunks);
    lava_download_settle(factorizer->stream);
    const struct lava_side_progress sides = lava_rhs_chunks_progress(&factorizer->chunks);
    progress->sides = sides.side + sides.columns;
    return status;
}

static enum lava_status run_sides(struct block_factorizer *factorizer, struct lava_progress *progress) {
    const struct lava_operation *operation = factorizer->operation;
    for (int64_t i = 0; i < operation->k && is_lu(factorizer); i++)
        factorizer->host_words[i] = (uint32_t)operation->pivots[i] + 1;
    enum lava_status status = create(factorizer);
    status = status ? status : lava_rhs_chunks_create(&factorizer->chunks, factorizer->engine);
    if (!status) {
        lava_stream_open(factorizer->stream, factorizer->engine, false);
        status = lava_stream_close(factorizer->stream, run_chunks(factorizer, progress));
    }
    free_matrices(factorizer);
    return status;
}

/* If U has a zero on its diagonal there is no X. */
static enum lava_status run(struct block_factorizer *factorizer, struct lava_progress *progress) {
    const struct lava_operation *operation = factorizer->operation;
    enum lava_status status = LAVA_OK;
    if (!operation->sides.factored) {
        status = run_factorization(factorizer, progress);
        if (status || operation->sides.count == 0 ||
            (is_lu(factorizer) && lava_cpu_parts_find_zero(operation)))
            return status;
    }
    progress->column = operation->n;
    return run_sides(factorizer, progress);
}

enum lava_status lava_block_factorizer_run(struct lava_engine *engine, const struct lava_operation *operation,
                                           const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_stream stream;
    struct block_factorizer factorizer = {.engine = engine,
                                          .stream = &stream,
                                          .operation = operation,
                                          .plan = plan,
                                          .overrides.memory_bytes = plan->chunks.product_bytes};
    factorizer.slices = (struct lava_slices){.stream = &stream,
                                             .first = operation->c.first,
                                             .ld = operation->c.ld,
                                             .width = plan->columns.slice,
                                             .precision = operation->precision,
                                             .overrides = &factorizer.overrides};
    factorizer.chunks =
        (struct lava_rhs_chunks){.stream = &stream,
                                 .plan = &plan->chunks,
                                 .type = operation->type,
                                 .sizes = {.order = operation->n, .sides = operation->sides.count},
                                 .first = operation->sides.first,
                                 .ld = operation->sides.ld,
                                 .solve = solve_chunk,
                                 .context = &factorizer};
    *progress = (struct lava_progress){.rows = operation->m, .by_columns = true};
    factorizer.host_words = calloc((size_t)operation->k, sizeof *factorizer.host_words);
    if (!factorizer.host_words)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = run(&factorizer, progress);
    free(factorizer.host_words);
    return status;
}
