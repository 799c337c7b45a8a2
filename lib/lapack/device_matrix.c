/* Creates matrices on the device, and makes operations of products of them, which lib/product/runner.c
 * performs. Invariant: every column of a matrix, and of a block, begins at a multiple of
 * LAVA_DEVICE_MATRIX_ALIGN. */
#include "lib/lapack/device_matrix.h"

#include <assert.h>

#include "lib/product/residue_product.h"
#include "lib/product/runner.h"
#include "lib/transport/download.h"
#include "lib/transport/upload.h"

#define CUT_BYTES 64 /* that parts of a scratch begin at multiples of */

/* Columns begin at multiples of this: a cache line. */
#define COLUMN_BYTES 64

static_assert(sizeof(void *) >= sizeof(uint64_t), "operations hold addresses on the device as pointers");

/* Puts the matrix after the first *bytes, and adds its own to them. */
static enum lava_status place(struct lava_device_matrix *matrix, uint64_t *bytes) {
    uint32_t align = COLUMN_BYTES / (uint32_t)lava_type_bytes(matrix->type);
    uint64_t own;
    matrix->offset = *bytes;
    if (matrix->rows < 1 || matrix->columns < 1 || matrix->rows > INT32_MAX - align ||
        matrix->columns > INT32_MAX)
        return LAVA_ERROR_UNAVAILABLE;
    matrix->ld = lava_blocking_padded(matrix->rows, align);
    uint64_t column_bytes = (uint64_t)matrix->ld * lava_type_bytes(matrix->type);
    if (__builtin_mul_overflow(column_bytes, (uint64_t)matrix->columns, &own) ||
        __builtin_add_overflow(*bytes, own, bytes))
        return LAVA_ERROR_DEVICE_MEMORY;
    return LAVA_OK;
}

enum lava_status lava_device_matrix_create_all(struct lava_engine *engine,
                                               struct lava_device_matrix *matrices, int64_t count) {
    const struct lava_buffer *buffer = NULL;
    uint64_t bytes = 0;
    enum lava_status status = LAVA_OK;
    for (int64_t i = 0; i < count; i++)
        matrices[i].buffer = NULL;
    for (int64_t i = 0; i < count && !status; i++)
        status = place(&matrices[i], &bytes);
    status = status ? status : lava_arena_take(&engine->arena, engine->device, bytes, &buffer);
    for (int64_t i = 0; i < count; i++)
        matrices[i].buffer = buffer;
    return status;
}

enum lava_status lava_device_matrix_create(struct lava_engine *engine, enum lava_type type, int64_t rows,
                                           int64_t columns, struct lava_device_matrix *matrix) {
    *matrix = (struct lava_device_matrix){.type = type, .rows = rows, .columns = columns};
    return lava_device_matrix_create_all(engine, matrix, 1);
}

void lava_device_matrix_free(struct lava_engine *engine, struct lava_device_matrix *matrix) {
    lava_arena_return(&engine->arena, matrix->buffer);
    matrix->buffer = NULL;
}

uint64_t lava_device_matrix_address(const struct lava_device_matrix *matrix) {
    return matrix->buffer->address + matrix->offset;
}

bool lava_device_matrix_is_aligned(const struct lava_device_matrix *matrix) {
    return lava_device_matrix_address(matrix) % LAVA_DEVICE_MATRIX_ALIGN == 0;
}

bool lava_device_matrix_is_vector(const struct lava_device_matrix *matrix, enum lava_type type,
                                  int64_t elements) {
    return matrix->type == type && matrix->columns == 1 && matrix->rows >= elements &&
           lava_device_matrix_is_aligned(matrix);
}

struct lava_device_matrix lava_device_matrix_cut(const struct lava_device_matrix *scratch,
                                                 enum lava_type type, int64_t rows, int64_t columns,
                                                 uint64_t *bytes) {
    struct lava_device_matrix part = *scratch;
    part.type = type;
    part.rows = rows;
    part.columns = columns;
    part.ld = lava_blocking_padded(rows, CUT_BYTES / (uint32_t)lava_type_bytes(type));
    part.offset += *bytes;
    *bytes += (uint64_t)(part.ld * columns) * lava_type_bytes(type);
    return part;
}

bool lava_device_matrix_overlap(const struct lava_device_matrix *a, const struct lava_device_matrix *b) {
    const struct lava_device_matrix *matrices[] = {a, b};
    uint64_t begin[2], end[2];
    for (int i = 0; i < 2; i++) {
        int64_t elements = (matrices[i]->columns - 1) * matrices[i]->ld + matrices[i]->rows;
        begin[i] = lava_device_matrix_address(matrices[i]);
        end[i] = begin[i] + (uint64_t)elements * lava_type_bytes(matrices[i]->type);
    }
    return begin[0] < end[1] && begin[1] < end[0];
}

struct lava_device_matrix lava_device_matrix_block(const struct lava_device_matrix *matrix, int64_t row,
                                                   int64_t rows, int64_t column, int64_t columns) {
    struct lava_device_matrix block = *matrix;
    uint64_t bytes = lava_type_bytes(matrix->type);
    assert((uint64_t)row * bytes % LAVA_DEVICE_MATRIX_ALIGN == 0);
    block.offset += (uint64_t)(column * matrix->ld + row) * bytes;
    block.rows = rows;
    block.columns = columns;
    return block;
}

enum lava_status lava_device_matrix_upload_after(struct lava_stream *stream,
                                                 const struct lava_device_matrix *matrix, const void *host,
                                                 int64_t ld, struct lava_point after) {
    const struct lava_upload upload = {.stored = {.first = host,
                                                  .ld = ld,
                                                  .element_bytes = lava_type_bytes(matrix->type),
                                                  .rows = matrix->rows,
                                                  .columns = matrix->columns},
                                       .target = matrix->buffer,
                                       .target_offset = matrix->offset,
                                       .target_ld = matrix->ld,
                                       .after = after};
    if (stream->failure)
        return stream->failure;
    enum lava_status status = lava_arena_wake(stream->arena, stream->device);
    return lava_stream_keep(stream, status ? status : lava_upload_matrix(stream, &upload));
}

enum lava_status lava_device_matrix_upload(struct lava_stream *stream,
                                           const struct lava_device_matrix *matrix, const void *host,
                                           int64_t ld) {
    return lava_device_matrix_upload_after(stream, matrix, host, ld, stream->computed);
}

/* Returns whether there is much between the columns. */
static bool is_sparse(const struct lava_device_matrix *matrix) {
    return (uint64_t)(matrix->ld - matrix->rows) * lava_type_bytes(matrix->type) >= COLUMN_BYTES;
}

static struct lava_download download_of(const struct lava_stream *stream,
                                        const struct lava_device_matrix *matrix, void *host, int64_t ld) {
    return (struct lava_download){.source = matrix->buffer,
                                  .source_offset = matrix->offset,
                                  .source_type = matrix->type,
                                  .target_type = matrix->type,
                                  .source_ld = matrix->ld,
                                  .gathers = is_sparse(matrix),
                                  .target = host,
                                  .target_ld = ld,
                                  .rows = matrix->rows,
                                  .columns = matrix->columns,
                                  .region = {.rows = matrix->rows},
                                  .uploaded = stream->uploaded,
                                  .ready = stream->computed};
}

static enum lava_status start(struct lava_stream *stream, struct lava_download *download) {
    enum lava_status status = lava_arena_wake(stream->arena, stream->device);
    status = status ? status : lava_stream_flush(stream);
    return status ? status : lava_download_start(stream, download);
}

enum lava_status lava_device_matrix_download_beside(struct lava_stream *stream,
                                                    const struct lava_device_download *how,
                                                    struct lava_download *download) {
    if (stream->failure)
        return stream->failure;
    *download = download_of(stream, &how->matrix, how->host, how->ld);
    download->region.region = how->region;
    download->region.diagonal = how->diagonal;
    download->descends = how->descends;
    if (how->after.queue) { /* it is after the uploads that the matrix was made of */
        download->ready = how->after;
        download->uploaded = (struct lava_point){0};
    }
    download->starts_early = true;
    return lava_stream_keep(stream, start(stream, download));
}

enum lava_status lava_device_matrix_download(struct lava_stream *stream,
                                             const struct lava_device_matrix *matrix, enum lava_region region,
                                             void *host, int64_t ld) {
    struct lava_download download = download_of(stream, matrix, host, ld);
    download.region.region = region;
    if (stream->failure)
        return stream->failure;
    if (matrix->rows == 0 || matrix->columns == 0)
        return LAVA_OK;
    enum lava_status status = start(stream, &download);
    if (!status)
        status = lava_download_finish(stream, 0);
    stream->download_count = 0; /* this one is not there any more */
    return lava_stream_keep(stream, status);
}

static struct lava_operand operand_of(const struct lava_device_matrix *matrix, enum lava_op op,
                                      bool conjugate) {
    return (struct lava_operand){.first = (void *)(uintptr_t)lava_device_matrix_address(matrix),
                                 .ld = matrix->ld,
                                 .op = op,
                                 .conjugate = conjugate};
}

static bool is_valid(const struct lava_device_product *product, const struct lava_operation *operation) {
    const struct lava_device_matrix *a = &product->a, *b = &product->b, *c = &product->c;
    bool b_n = product->op_b == LAVA_OP_N;
    return a->type == b->type && (c->type == a->type || c->type == lava_type_sums(a->type)) &&
           lava_type_is_complex(c->type) == lava_type_is_complex(a->type) &&
           (product->op_a == LAVA_OP_N ? a->rows : a->columns) == operation->m &&
           (b_n ? b->rows : b->columns) == operation->k && (b_n ? b->columns : b->rows) == operation->n &&
           (product->region == LAVA_REGION_ALL || operation->m == operation->n) &&
           lava_device_matrix_is_aligned(a) && lava_device_matrix_is_aligned(b) &&
           lava_device_matrix_is_aligned(c);
}

/* Chooses a plan and adds it; if the device has less memory than it said, in smaller blocks. */
static enum lava_status plan_and_add(struct lava_stream *stream, const struct lava_operation *operation,
                                     const struct lava_overrides *asked) {
    struct lava_engine *engine = stream->engine;
    struct lava_overrides overrides = {0};
    uint64_t free_bytes = lava_engine_free_bytes(engine);
    if (asked)
        overrides = *asked;
    if (overrides.memory_bytes == 0 || overrides.memory_bytes > free_bytes)
        overrides.memory_bytes = free_bytes;
    if (overrides.residues == LAVA_RESIDUE_AUTO && !stream->device->shared->computes_residues)
        overrides.residues = LAVA_RESIDUE_OFF;
    for (;;) {
        struct lava_plan plan;
        lava_policy_choose(operation, &engine->capabilities, engine->figures, LAVA_MODE_GPU, &overrides,
                           &plan);
        if (plan.place != LAVA_PLACE_GPU)
            return plan.reason == LAVA_REASON_MEMORY ? LAVA_ERROR_DEVICE_MEMORY : LAVA_ERROR_UNAVAILABLE;
        enum lava_status status = lava_runner_reserve(stream, &plan);
        if (status != LAVA_ERROR_DEVICE_MEMORY)
            return lava_stream_keep(stream, status          ? status
                                            : plan.residues ? lava_residue_add(stream, operation, &plan)
                                                            : lava_runner_add(stream, operation, &plan));
        overrides.memory_bytes = plan.blocking.total_bytes / 2;
    }
}

enum lava_status lava_device_product(struct lava_stream *stream, const struct lava_device_product *product) {
    const struct lava_operation operation = {
        .type = product->a.type,
        .precision = product->precision,
        .chain = product->chain,
        .m = product->c.rows,
        .n = product->c.columns,
        .k = product->op_a == LAVA_OP_N ? product->a.columns : product->a.rows,
        .a = operand_of(&product->a, product->op_a, product->conjugate_a),
        .b = operand_of(&product->b, product->op_b, product->conjugate_b),
        .c = {.first = (void *)(uintptr_t)lava_device_matrix_address(&product->c),
              .ld = product->c.ld,
              .type = product->c.type,
              .region = product->region,
              .real_diagonal = product->real_diagonal},
        .alpha = product->alpha,
        .beta = product->beta,
        .on_device = true};
    if (stream->failure)
        return stream->failure;
    if (!is_valid(product, &operation))
        return LAVA_ERROR_UNAVAILABLE;
    if (operation.m == 0 || operation.n == 0)
        return LAVA_OK;
    if (lava_operation_is_trivial(&operation))
        return lava_stream_keep(stream, lava_runner_scale(stream, &operation));
    return plan_and_add(stream, &operation, product->overrides);
}
