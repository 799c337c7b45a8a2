/* A slice holds the columns of a triangle from their first stored row to their last: a block on the diagonal,
 * and the rest below or above it. Called by block_factorizer.c.
 *
 *     op(T) = T:  X of these rows <- solved with the block, the rows of the rest <- less rest X
 *     else:       X of these rows <- less op(rest) X of the rest's rows, then solved with the block
 *
 * So a transposed triangle goes through its slices in the other order. Invariant: a slice's matrix is filled
 * again only after what used it has finished, and only full slices have columns after them, so blocks are
 * aligned. */
#include "lib/lapack/slices.h"

#include "dispatch/arithmetic.h"
#include "lib/lapack/device_solve.h"

static int64_t place_of(const struct lava_slices *slices) {
    return slices->passed % LAVA_BLOCK_COLUMNS_SLICES;
}

enum lava_status lava_slices_create(struct lava_slices *slices, struct lava_engine *engine,
                                    enum lava_type type, int64_t rows) {
    enum lava_status status = LAVA_OK;
    for (int i = 0; i < LAVA_BLOCK_COLUMNS_SLICES && !status; i++)
        status = lava_device_matrix_create(engine, type, rows, slices->width, &slices->held[i]);
    return status;
}

void lava_slices_free(struct lava_slices *slices, struct lava_engine *engine) {
    for (int i = 0; i < LAVA_BLOCK_COLUMNS_SLICES; i++)
        lava_device_matrix_free(engine, &slices->held[i]);
}

enum lava_status lava_slices_begin(struct lava_slices *slices, int64_t row, int64_t rows, int64_t column,
                                   int64_t columns, struct lava_device_matrix *slice) {
    int64_t place = place_of(slices);
    const struct lava_device_matrix *held = &slices->held[place];
    *slice = lava_device_matrix_block(held, 0, rows, 0, columns);
    return lava_device_matrix_upload_after(
        slices->stream, slice, lava_operation_element(slices->first, held->type, row, column, slices->ld),
        slices->ld, slices->used[place]);
}

void lava_slices_end(struct lava_slices *slices) {
    slices->used[place_of(slices)] = slices->stream->computed;
    slices->passed++;
}

/* Where a slice is in T, and what it becomes. */
struct part {
    struct lava_device_matrix block, rest; /* on the diagonal, and beside it; the rest may have no rows */
    struct lava_device_matrix x, others;   /* the rows of B that belong to each */
};

static enum lava_status apply_block(const struct lava_slices *slices, const struct lava_slices_solve *solve,
                                    const struct part *part) {
    const struct lava_device_solve block = {.a = part->block,
                                            .b = part->x,
                                            .stored = solve->stored,
                                            .op = solve->op,
                                            .conjugate = solve->conjugate,
                                            .unit_diagonal = solve->unit_diagonal,
                                            .alpha.real = 1,
                                            .chain = LAVA_CHAIN_OF_FACTORS,
                                            .precision = slices->precision,
                                            .overrides = slices->overrides};
    return lava_device_solve(slices->stream, &block);
}

static enum lava_status apply_rest(const struct lava_slices *slices, const struct lava_slices_solve *solve,
                                   const struct part *part) {
    bool is_n = solve->op == LAVA_OP_N;
    const struct lava_device_product product = {.a = part->rest,
                                                .b = is_n ? part->x : part->others,
                                                .c = is_n ? part->others : part->x,
                                                .op_a = solve->op,
                                                .conjugate_a = solve->conjugate,
                                                .alpha.real = -1,
                                                .beta.real = 1,
                                                .chain = LAVA_CHAIN_OF_FACTORS,
                                                .precision = slices->precision,
                                                .overrides = slices->overrides};
    return part->rest.rows > 0 ? lava_device_product(slices->stream, &product) : LAVA_OK;
}

/* Rows of a matrix that begin there, if there are any. */
static struct lava_device_matrix rows_of(const struct lava_device_matrix *matrix, int64_t row, int64_t rows) {
    return lava_device_matrix_block(matrix, rows > 0 ? row : 0, rows, 0, matrix->columns);
}

/* The slice of T from that column on. */
static enum lava_status pass(struct lava_slices *slices, const struct lava_slices_solve *solve,
                             int64_t from) {
    int64_t count = lava_minimum(slices->width, solve->order - from);
    bool is_lower = solve->stored == LAVA_REGION_LOWER, is_n = solve->op == LAVA_OP_N;
    int64_t below = solve->b.rows - from - count, rest = is_lower ? below : from;
    struct lava_device_matrix slice;
    enum lava_status status =
        lava_slices_begin(slices, is_lower ? from : 0, count + rest, from, count, &slice);
    if (status)
        return status;
    const struct part part = {.block = rows_of(&slice, is_lower ? 0 : from, count),
                              .rest = rows_of(&slice, is_lower ? count : 0, rest),
                              .x = rows_of(&solve->b, from, count),
                              .others = rows_of(&solve->b, is_lower ? from + count : 0, rest)};
    status = is_n ? apply_block(slices, solve, &part) : apply_rest(slices, solve, &part);
    status = status ? status : is_n ? apply_rest(slices, solve, &part) : apply_block(slices, solve, &part);
    lava_slices_end(slices);
    return status;
}

enum lava_status lava_slices_solve(struct lava_slices *slices, const struct lava_slices_solve *solve) {
    bool is_forward = (solve->stored == LAVA_REGION_LOWER) == (solve->op == LAVA_OP_N);
    int64_t count = (solve->order + slices->width - 1) / slices->width;
    enum lava_status status = LAVA_OK;
    for (int64_t i = 0; i < count && !status; i++)
        status = pass(slices, solve, (is_forward ? i : count - 1 - i) * slices->width);
    return status;
}
