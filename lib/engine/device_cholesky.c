/* Halves a matrix down to blocks on the diagonal that shaders/cholesky.comp factors. What is between them is
 * done by device_solve.c and device_matrix.c. Called by whoever works on matrices on the device.
 *
 * Invariant: blocks of A begin at multiples of LAVA_CHOLESKY_ORDER, so they are aligned if A is. Blocks on
 * the diagonal are factored in their order, so the first failure is the first in the whole matrix. */
#include "lib/engine/device_cholesky.h"

#include <assert.h>

#include "dispatch/solve.h"
#include "lib/engine/device_solve.h"

/* A wait may last longer by the time that the blocks take at this rate. A processor's core reaches twice
 * that. */
#define BLOCK_FLOPS_PER_S 5e8
static_assert(sizeof(struct lava_cholesky_constants) <= 128, "every device has room for so many bytes");
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

/* The block beside the factored one, which begins at `from`: below L11, or right of U11. */
static struct lava_device_matrix beside(const struct task *task, int64_t from, int64_t first,
                                        int64_t second) {
    const struct lava_device_matrix *a = &task->cholesky->a;
    return task->is_upper ? lava_device_matrix_block(a, from, first, from + first, second)
                          : lava_device_matrix_block(a, from + first, second, from, first);
}

/* A21 <- L21, the X with X L11^H = A21; or A12 <- U12, the X with U11^H X = A12. */
static enum lava_status solve(const struct task *task, int64_t from, int64_t first, int64_t second) {
    const struct lava_device_cholesky *cholesky = task->cholesky;
    const struct lava_device_solve solve = {
        .a = lava_device_matrix_block(&cholesky->a, from, first, from, first),
        .b = beside(task, from, first, second),
        .a_on_right = !task->is_upper,
        .stored = cholesky->stored,
        .op = LAVA_OP_T,
        .conjugate = task->is_complex,
        .alpha.real = 1,
        .precision = cholesky->precision,
        .overrides = cholesky->overrides};
    return lava_device_solve(task->stream, &solve);
}

/* A22 <- A22 - L21 L21^H, or A22 - U12^H U12. */
static enum lava_status update(const struct task *task, int64_t from, int64_t first, int64_t second) {
    const struct lava_device_cholesky *cholesky = task->cholesky;
    const struct lava_device_matrix block = beside(task, from, first, second);
    const struct lava_device_product product = {
        .a = block,
        .b = block,
        .c = lava_device_matrix_block(&cholesky->a, from + first, second, from + first, second),
        .op_a = task->is_upper ? LAVA_OP_T : LAVA_OP_N,
        .op_b = task->is_upper ? LAVA_OP_N : LAVA_OP_T,
        .conjugate_a = task->is_complex && task->is_upper,
        .conjugate_b = task->is_complex && !task->is_upper,
        .alpha.real = -1,
        .beta.real = 1,
        .region = cholesky->stored,
        .real_diagonal = task->is_complex,
        .precision = cholesky->precision,
        .overrides = cholesky->overrides};
    return lava_device_product(task->stream, &product);
}

static enum lava_status factor_range(const struct task *task, int64_t from, int64_t count) {
    if (count <= LAVA_CHOLESKY_ORDER)
        return factor_block(task, from, count);
    int64_t first = lava_blocking_padded((count + 1) / 2, LAVA_CHOLESKY_ORDER), second = count - first;
    enum lava_status status = factor_range(task, from, first);
    status = status ? status : solve(task, from, first, second);
    status = status ? status : update(task, from, first, second);
    return status ? status : factor_range(task, from + first, second);
}

/* Also where the status lies in A's memory, but between its columns. */
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
    const struct lava_pipeline_specification specification = lava_pipelines_cholesky(type);
    enum lava_status status = lava_pipelines_get(stream->device, &specification, &task.pipeline);
    status = status ? status : factor_range(&task, 0, cholesky->a.rows);
    return lava_stream_keep(stream, status ? status : lava_stream_flush(stream));
}
