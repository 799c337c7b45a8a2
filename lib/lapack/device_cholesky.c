/* Halves the columns of L down to those of a block on the diagonal, which shaders/cholesky.comp factors.
 * Below it device_solve.c solves, and device_matrix.c multiplies. Columns reach down to the last row: squares
 * that are halved would need three times as many solves. Called by whoever works on matrices on the device.
 *
 * Invariant: blocks of A begin at multiples of LAVA_CHOLESKY_ORDER, so they are aligned if A is. Blocks on
 * the diagonal are factored in their order, so the first failure is the first in the whole matrix. */
#include "lib/lapack/device_cholesky.h"

#include <assert.h>

#include "dispatch/solve.h"
#include "lib/lapack/device_solve.h"

/* A wait may last longer by the time that the blocks take at this rate. A processor's core reaches twice
 * that. */
#define BLOCK_FLOPS_PER_S 5e8
static_assert(sizeof(struct lava_cholesky_constants) <= 128, "every device has room for 128 bytes");
static_assert(LAVA_CHOLESKY_ORDER <= LAVA_SOLVE_INVOCATIONS, "a device that can solve can factor, too");

/* What the blocks of a factorization have in common. */
struct task {
    struct lava_stream *stream;
    const struct lava_device_cholesky *cholesky;
    const struct lava_pipeline *pipeline;
    bool is_complex, is_upper;
};

static enum lava_status factor_block(const struct task *task, int64_t from, int64_t count) {
    const struct lava_device_matrix *whole = &task->cholesky->a;
    const struct lava_device_matrix a = lava_device_matrix_block(whole, from, count, from, count);
    const struct lava_cholesky_constants constants = {.a = lava_device_matrix_address(&a),
                                                      .status =
                                                          lava_device_matrix_address(&task->cholesky->status),
                                                      .lda = (uint32_t)a.ld,
                                                      .order = (uint32_t)count,
                                                      .index = (uint32_t)from,
                                                      .upper = task->is_upper};
    return lava_stream_dispatch(task->stream, task->pipeline, &constants, sizeof constants, 1);
}

/* A block of A by its place in L: of U, the transposed place. */
static struct lava_device_matrix block_of(const struct task *task, int64_t row, int64_t rows, int64_t column,
                                          int64_t columns) {
    const struct lava_device_matrix *a = &task->cholesky->a;
    return task->is_upper ? lava_device_matrix_block(a, column, columns, row, rows)
                          : lava_device_matrix_block(a, row, rows, column, columns);
}

/* What is below the factored block <- the X with X L11^H = A21; or beside it, with U11^H X = A12. */
static enum lava_status solve_below(const struct task *task, int64_t from, int64_t count) {
    const struct lava_device_cholesky *cholesky = task->cholesky;
    int64_t below = from + count, rows = cholesky->a.rows - below;
    if (rows == 0)
        return LAVA_OK;
    const struct lava_device_solve solve = {.a = block_of(task, from, count, from, count),
                                            .b = block_of(task, below, rows, from, count),
                                            .a_on_right = !task->is_upper,
                                            .stored = cholesky->stored,
                                            .op = LAVA_OP_T,
                                            .conjugate = task->is_complex,
                                            .alpha.real = 1,
                                            .chain = LAVA_CHAIN_OF_FACTORS,
                                            .precision = cholesky->precision,
                                            .overrides = cholesky->overrides};
    return lava_device_solve(task->stream, &solve);
}

/* Rows [row, row + rows) of columns [to, to + width) of L <- themselves, less what columns [from, to)
 * contribute. The rows are those of the columns' square on the diagonal, or below it. */
static enum lava_status subtract(const struct task *task, int64_t from, int64_t to, int64_t width,
                                 int64_t row, int64_t rows) {
    const struct lava_device_cholesky *cholesky = task->cholesky;
    if (rows == 0)
        return LAVA_OK;
    const struct lava_device_matrix below = block_of(task, row, rows, from, to - from),
                                    beside = block_of(task, to, width, from, to - from);
    const struct lava_device_product product = {.a = task->is_upper ? beside : below,
                                                .b = task->is_upper ? below : beside,
                                                .c = block_of(task, row, rows, to, width),
                                                .op_a = task->is_upper ? LAVA_OP_T : LAVA_OP_N,
                                                .op_b = task->is_upper ? LAVA_OP_N : LAVA_OP_T,
                                                .conjugate_a = task->is_complex && task->is_upper,
                                                .conjugate_b = task->is_complex && !task->is_upper,
                                                .alpha.real = -1,
                                                .beta.real = 1,
                                                .region = row == to ? cholesky->stored : LAVA_REGION_ALL,
                                                .real_diagonal = task->is_complex && row == to,
                                                .chain = LAVA_CHAIN_OF_FACTORS,
                                                .precision = cholesky->precision,
                                                .overrides = cholesky->overrides};
    return lava_device_product(task->stream, &product);
}

/* Columns [from, from + count) of L, down to its last row. */
static enum lava_status factor_columns(const struct task *task, int64_t from, int64_t count) {
    int64_t left = lava_blocking_padded((count + 1) / 2, LAVA_CHOLESKY_ORDER), right = count - left;
    int64_t to = from + left, below = from + count;
    enum lava_status status;
    if (count <= LAVA_CHOLESKY_ORDER) {
        status = factor_block(task, from, count);
        return status ? status : solve_below(task, from, count);
    }
    status = factor_columns(task, from, left);
    status = status ? status : subtract(task, from, to, right, to, right);
    status = status ? status : subtract(task, from, to, right, below, task->cholesky->a.rows - below);
    return status ? status : factor_columns(task, to, right);
}

/* This includes a status that lies in A's memory, but between its columns. */
static bool overlap(const struct lava_device_cholesky *cholesky) {
    const struct lava_device_matrix *a = &cholesky->a, *status = &cholesky->status;
    uint64_t bytes = (uint64_t)(a->ld * a->columns) * lava_type_bytes(a->type);
    return lava_device_matrix_address(status) < lava_device_matrix_address(a) + bytes &&
           lava_device_matrix_address(a) < lava_device_matrix_address(status) + sizeof(uint32_t);
}

static bool is_valid(const struct lava_device_cholesky *cholesky) {
    const struct lava_device_matrix *a = &cholesky->a, *status = &cholesky->status;
    return a->rows == a->columns && cholesky->stored != LAVA_REGION_ALL && lava_device_matrix_is_aligned(a) &&
           status->type == LAVA_TYPE_FP32 && status->rows == 1 && status->columns == 1 &&
           lava_device_matrix_address(status) % sizeof(uint32_t) == 0 && !overlap(cholesky);
}

enum lava_status lava_device_cholesky(struct lava_stream *stream,
                                      const struct lava_device_cholesky *cholesky) {
    enum lava_type type = cholesky->a.type;
    struct task task = {.stream = stream,
                        .cholesky = cholesky,
                        .is_complex = lava_type_is_complex(type),
                        .is_upper = cholesky->stored == LAVA_REGION_UPPER};
    if (stream->failure)
        return stream->failure;
    if (!is_valid(cholesky) || !lava_solve_fits(&stream->engine->capabilities, type))
        return LAVA_ERROR_UNAVAILABLE;
    if (cholesky->a.rows == 0)
        return LAVA_OK;
    double flops = (double)cholesky->a.rows * LAVA_CHOLESKY_ORDER * LAVA_CHOLESKY_ORDER / 3;
    lava_stream_expect(stream, (task.is_complex ? 4 : 1) * flops / BLOCK_FLOPS_PER_S);
    enum lava_status status =
        lava_pipelines_get_module(stream->device, lava_module_of(LAVA_SHADER_CHOLESKY, type), &task.pipeline);
    status = status ? status : factor_columns(&task, 0, cholesky->a.rows);
    return lava_stream_keep(stream, status ? status : lava_stream_end_step(stream));
}

enum lava_status lava_device_cholesky_check(uint32_t status) {
    return status == 0                        ? LAVA_OK
           : status & LAVA_CHOLESKY_TOO_SMALL ? LAVA_ERROR_UNDERFLOW
                                              : LAVA_ERROR_NOT_DEFINITE;
}
