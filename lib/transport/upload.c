/* Uploads and packs operands. Called by lib/product/stages.c, lib/product/tile_lists.c and
 * lib/lapack/device_matrix.c. lib/host/copy_pool does the CPU's part of the work. */
#include "lib/transport/upload.h"

#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/base/fault.h"
#include "lib/base/trace.h"
#include "lib/transport/columns.h"
#include "lib/transport/staging.h"

/* Returns pack's constants for a chunk. Chunks at the end of the block also write the zero padding beyond
 * it. */
static struct lava_pack_constants pack_constants(const struct lava_packing *operand,
                                                 const struct lava_chunk *chunk) {
    bool last_row = chunk->row + chunk->rows == operand->rows;
    bool last_column = chunk->column + chunk->columns == operand->columns;
    int64_t filled_rows = operand->transpose ? operand->k_filled : operand->width_filled;
    int64_t filled_columns = operand->transpose ? operand->width_filled : operand->k_filled;
    int64_t row = chunk->row * operand->rows_each, rows = chunk->rows * operand->rows_each;
    int64_t column = chunk->column * operand->columns_each, columns = chunk->columns * operand->columns_each;
    return (struct lava_pack_constants){
        .target = operand->target,
        .panels = operand->panels,
        .exponents = operand->exponents,
        .rows = (uint32_t)rows,
        .columns = (uint32_t)columns,
        .rows_filled = (uint32_t)(last_row ? filled_rows - row : rows),
        .columns_filled = (uint32_t)(last_column ? filled_columns - column : columns),
        .first_width = (uint32_t)(operand->first_width + (operand->transpose ? column : row)),
        .first_k = (uint32_t)(operand->first_k + (operand->transpose ? row : column)),
        .k_padded = (uint32_t)operand->k_padded,
        .parts = operand->parts,
        .rows_each = operand->rows_each,
        .columns_each = operand->columns_each};
}

/* Where a chunk is on the device, and of which products of a batch it is; else of product 0 alone. */
struct source {
    uint64_t address;
    int64_t ld;
    int64_t first_product;
    uint32_t products;
};

/* Multiplies the chunk by alpha. The result overwrites that of the previous chunk. */
static void record_scale(struct lava_stream *stream, const struct lava_commands *commands,
                         const struct lava_packing *operand, const struct lava_chunk *chunk,
                         struct source *source) {
    uint32_t most = stream->device->capabilities.max_workgroups;
    const struct lava_scale_constants scale = {.source = source->address,
                                               .target = stream->arena->buffers[LAVA_ARENA_SCALED].address,
                                               .source_ld = (uint32_t)source->ld,
                                               .target_ld = (uint32_t)chunk->rows,
                                               .rows = (uint32_t)chunk->rows,
                                               .columns = (uint32_t)chunk->columns,
                                               .alpha = (float)operand->alpha.real,
                                               .alpha_imaginary = (float)operand->alpha.imaginary,
                                               .alpha_fp64 = lava_double_bits(operand->alpha.real),
                                               .alpha_imaginary_fp64 =
                                                   lava_double_bits(operand->alpha.imaginary)};
    uint32_t across = (scale.columns + LAVA_ELEMENT_COLUMNS - 1) / LAVA_ELEMENT_COLUMNS;
    most = most < LAVA_QUEUE_GROUPS ? most : LAVA_QUEUE_GROUPS;
    lava_queue_barrier_dispatch(stream->device, commands);
    lava_queue_dispatch(stream->device, commands, operand->scale, &scale, sizeof scale,
                        (scale.rows + LAVA_ELEMENT_ROWS - 1) / LAVA_ELEMENT_ROWS,
                        across < most ? across : most);
    lava_queue_barrier_dispatch(stream->device, commands);
    source->address = scale.target;
    source->ld = scale.target_ld;
}

/* Writes all elements of a square, and finds those that are packed. They overwrite those of the previous
 * square. */
static void record_square(struct lava_stream *stream, const struct lava_commands *commands,
                          const struct lava_packing *operand, struct lava_chunk *chunk,
                          struct source *source) {
    const struct lava_square *square = &operand->square;
    struct lava_square_constants constants = square->constants;
    int64_t first = square->column * constants.target_ld + square->row;
    constants.source = source->address;
    constants.source_ld = (uint32_t)source->ld;
    constants.target = stream->arena->buffers[LAVA_ARENA_SQUARE].address;
    lava_queue_barrier_dispatch(stream->device, commands);
    lava_queue_dispatch(stream->device, commands, square->pipeline, &constants, sizeof constants,
                        (constants.size + LAVA_ELEMENT_ROWS - 1) / LAVA_ELEMENT_ROWS,
                        (constants.size + LAVA_ELEMENT_COLUMNS - 1) / LAVA_ELEMENT_COLUMNS);
    lava_queue_barrier_dispatch(stream->device, commands);
    *chunk = (struct lava_chunk){.rows = operand->rows, .columns = operand->columns};
    source->address = constants.target + (uint64_t)first * operand->stored.element_bytes;
    source->ld = constants.target_ld;
}

static void record_pack(struct lava_stream *stream, const struct lava_commands *commands,
                        const struct lava_packing *operand, struct lava_chunk chunk, struct source source) {
    if (operand->square.pipeline)
        record_square(stream, commands, operand, &chunk, &source);
    if (operand->scale)
        record_scale(stream, commands, operand, &chunk, &source);
    struct lava_pack_constants constants = pack_constants(operand, &chunk);
    uint32_t block = operand->pack_block;
    constants.width_each = (uint32_t)operand->width_filled;
    constants.first_width += (uint32_t)(source.first_product * operand->width_filled);
    constants.source_each = (uint32_t)(source.ld * chunk.columns);
    constants.source = source.address;
    constants.source_ld = (uint32_t)source.ld;
    lava_queue_dispatch_each(stream->device, commands, operand->pack, &constants, sizeof constants,
                             (constants.rows_filled + block - 1) / block,
                             (constants.columns_filled + block - 1) / block, source.products);
}

/* Leaves a chunk in a copy that stays. Nothing in the stream reads that. */
static enum lava_status record_kept(struct lava_stream *stream, const struct lava_commands *commands,
                                    const struct lava_packing *operand, const struct lava_chunk *chunk,
                                    const struct source *source) {
    uint64_t element_bytes = operand->stored.element_bytes;
    const struct lava_columns columns = {
        .source = source->address,
        .target = operand->kept + (uint64_t)(chunk->column * operand->kept_ld + chunk->row) * element_bytes,
        .source_pitch = (uint64_t)source->ld * element_bytes,
        .target_pitch = (uint64_t)operand->kept_ld * element_bytes,
        .bytes = (uint64_t)chunk->rows * element_bytes,
        .count = (uint64_t)chunk->columns};
    return lava_columns_record(stream, commands, &columns);
}

/* Packs are submitted together with what comes before the multiply that needs them. A submission that waits
 * for an upload starts 45 us after the previous one has ended (H200). If the device is idle, the packs are
 * submitted at once. */
static enum lava_status submit_pack(struct lava_stream *stream, const struct lava_packing *operand,
                                    const struct lava_chunk *chunk, const struct source *source,
                                    const struct lava_point *after, struct lava_point *done) {
    struct lava_device *device = stream->device;
    bool first = chunk->row == 0 && chunk->column == 0 && source->first_product == 0;
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(stream, &commands);
    if (status)
        return status;
    if (first && operand->wait_for_readers)
        lava_queue_barrier_dispatch(device, &commands);
    if (stream->stamped && !stream->packing) {
        lava_stream_stamp_begin(stream, &commands, LAVA_STAMP_PACK);
        stream->packing = true;
    }
    record_pack(stream, &commands, operand, *chunk, *source);
    if (operand->twin)
        record_pack(stream, &commands, operand->twin, *chunk, *source);
    if (operand->kept && (status = record_kept(stream, &commands, operand, chunk, source)))
        return status;
    if ((status = lava_stream_submit(stream, after, done)))
        return status;
    return !stream->at_once && lava_queue_idle(device, LAVA_ROLE_COMPUTE) ? lava_stream_flush(stream)
                                                                          : LAVA_OK;
}

/* Uploads what was staged to the next raw slot, as soon as that is free. *address is where it is then. */
static enum lava_status upload_to_raw(struct lava_stream *stream, const struct lava_staged *staged,
                                      uint32_t *raw, uint64_t *address) {
    struct lava_arena *arena = stream->arena;
    *raw = stream->next_raw;
    *address = arena->buffers[LAVA_ARENA_RAW].address + *raw * arena->slot_bytes;
    uint64_t offset;
    const struct lava_buffer *source = lava_staging_buffer(stream, staged->slot, &offset);
    const struct lava_device_copy upload = {.role = LAVA_ROLE_UPLOAD,
                                            .source = source,
                                            .target = &arena->buffers[LAVA_ARENA_RAW],
                                            .source_offset = offset,
                                            .target_offset = *raw * arena->slot_bytes,
                                            .bytes = staged->bytes};
    enum lava_status status =
        lava_stream_copy(stream, &upload, stream->raw[*raw], &stream->staged[staged->slot]);
    if (!status)
        stream->next_raw = (*raw + 1) % lava_arena_raw_slots(arena);
    return status;
}

static uint64_t staged_address(const struct lava_stream *stream, const struct lava_staged *staged) {
    uint64_t offset;
    const struct lava_buffer *buffer = lava_staging_buffer(stream, staged->slot, &offset);
    return buffer->address + offset;
}

/* Packs what was staged: from its slot, or from a raw slot that it is uploaded to. */
static enum lava_status pack_staged(struct lava_stream *stream, const struct lava_packing *operand,
                                    const struct lava_staged *staged) {
    struct source source = {.address = staged_address(stream, staged),
                            .ld = staged->ld,
                            .first_product = staged->first_product,
                            .products = (uint32_t)staged->products};
    uint32_t raw;
    if (stream->from_staging) {
        stream->commands_bytes += staged->bytes;
        return submit_pack(stream, operand, &staged->chunk, &source, NULL, &stream->staged[staged->slot]);
    }
    enum lava_status status = upload_to_raw(stream, staged, &raw, &source.address);
    return status ? status
                  : submit_pack(stream, operand, &staged->chunk, &source, &stream->staged[staged->slot],
                                &stream->raw[raw]);
}

/* Packs a chunk of an operand that is on the device, after what was uploaded to it. */
static enum lava_status pack_chunk_on_device(struct lava_stream *stream, const struct lava_packing *operand,
                                             const struct lava_chunk *chunk) {
    const struct lava_stored *stored = &operand->stored;
    int64_t start = (chunk->column * stored->ld + chunk->row) * (int64_t)stored->element_bytes;
    const struct source source = {
        .address = (uint64_t)((uintptr_t)stored->first + (uintptr_t)start), .ld = stored->ld, .products = 1};
    struct lava_point done;
    return submit_pack(stream, operand, chunk, &source, &stream->uploaded, &done);
}

/* One chunk, unless it is scaled: the result of one chunk is kept. A matrix of the program's may be larger
 * than a dispatch: its chunks are those that would have been copied. */
static enum lava_status pack_on_device(struct lava_stream *stream, const struct lava_packing *operand) {
    const struct lava_stored *stored = &operand->stored;
    uint64_t most = operand->chunk_bytes ? operand->chunk_bytes : (uint64_t)INT64_MAX;
    if (operand->scale && !stored->is_whole)
        most = stream->arena->slot_bytes;
    struct lava_chunking chunking =
        lava_blocking_chunks(stored->rows, stored->columns, most, stored->element_bytes);
    for (int64_t column = 0; column < stored->columns; column += chunking.chunk_columns)
        for (int64_t row = 0; row < stored->rows; row += chunking.chunk_rows) {
            const struct lava_chunk chunk = {
                .row = row,
                .column = column,
                .rows = lava_minimum(chunking.chunk_rows, stored->rows - row),
                .columns = lava_minimum(chunking.chunk_columns, stored->columns - column)};
            enum lava_status status = pack_chunk_on_device(stream, operand, &chunk);
            if (status)
                return status;
        }
    return LAVA_OK;
}

enum lava_status lava_upload_pack(struct lava_stream *stream, const struct lava_packing *operand) {
    struct lava_staged staged = {0};
    if (operand->on_device)
        return pack_on_device(stream, operand);
    while (!staged.is_last) {
        enum lava_status status = lava_staging_fetch(stream, &operand->stored, &staged);
        if (status || (status = pack_staged(stream, operand, &staged)))
            return status;
    }
    return LAVA_OK;
}

enum lava_status lava_upload_bytes(struct lava_stream *stream, const void *source, uint64_t bytes,
                                   const struct lava_buffer *target, uint64_t target_offset) {
    struct lava_arena *arena = stream->arena;
    const struct lava_buffer *staging = &arena->buffers[LAVA_ARENA_STAGING_UP];
    uint64_t offset = LAVA_ARENA_LIST_SLOT * arena->slot_bytes;
    for (uint64_t done = 0; done < bytes;) {
        uint64_t part = bytes - done < arena->slot_bytes ? bytes - done : arena->slot_bytes;
        enum lava_status status = lava_stream_wait(stream, stream->staged[LAVA_ARENA_LIST_SLOT]);
        if (!status && lava_fault_hit(LAVA_FAULT_UPLOAD))
            status = LAVA_ERROR_DRIVER;
        if (status)
            return status;
        memcpy((char *)staging->mapped + offset, (const char *)source + done, part);
        const struct lava_device_copy upload = {.role = LAVA_ROLE_UPLOAD,
                                                .source = staging,
                                                .target = target,
                                                .source_offset = offset,
                                                .target_offset = target_offset + done,
                                                .bytes = part};
        if ((status = lava_stream_copy(stream, &upload, (struct lava_point){0}, &stream->uploaded)))
            return status;
        stream->staged[LAVA_ARENA_LIST_SLOT] = stream->uploaded;
        done += part;
    }
    return LAVA_OK;
}

/* Where the chunk begins in the target, in bytes. */
static uint64_t target_offset(const struct lava_upload *upload, const struct lava_chunk *chunk) {
    return upload->target_offset +
           (uint64_t)(chunk->column * upload->target_ld + chunk->row) * upload->stored.element_bytes;
}

/* A chunk whose columns follow one another in the target. */
static enum lava_status upload_directly(struct lava_stream *stream, const struct lava_upload *upload,
                                        const struct lava_staged *staged) {
    const struct lava_chunk *chunk = &staged->chunk;
    uint64_t offset;
    const struct lava_buffer *source = lava_staging_buffer(stream, staged->slot, &offset);
    const struct lava_device_copy copy = {.role = LAVA_ROLE_UPLOAD,
                                          .source = source,
                                          .target = upload->target,
                                          .source_offset = offset,
                                          .target_offset = target_offset(upload, chunk),
                                          .bytes = upload->fills_columns
                                                       ? staged->bytes
                                                       : (uint64_t)(chunk->rows * chunk->columns) *
                                                             upload->stored.element_bytes};
    enum lava_status status = lava_stream_copy(stream, &copy, upload->after, &stream->uploaded);
    stream->staged[staged->slot] = stream->uploaded;
    return status;
}

/* A chunk whose columns are put in their places by the device, from the slot or from a raw slot. Commands
 * that use the target before or after it are ordered by the compute queue. */
static enum lava_status upload_columns(struct lava_stream *stream, const struct lava_upload *upload,
                                       const struct lava_staged *staged) {
    const struct lava_chunk *chunk = &staged->chunk;
    uint64_t element_bytes = upload->stored.element_bytes;
    struct lava_columns columns = {.source = staged_address(stream, staged),
                                   .target = upload->target->address + target_offset(upload, chunk),
                                   .source_pitch = (uint64_t)staged->ld * element_bytes,
                                   .target_pitch = (uint64_t)upload->target_ld * element_bytes,
                                   .bytes = (uint64_t)chunk->rows * element_bytes,
                                   .count = (uint64_t)chunk->columns};
    const struct lava_point *after = NULL;
    struct lava_point *done = &stream->staged[staged->slot];
    enum lava_status status = LAVA_OK;
    uint32_t raw;
    if (!stream->from_staging) {
        status = upload_to_raw(stream, staged, &raw, &columns.source);
        after = &stream->staged[staged->slot];
        done = &stream->raw[raw];
    }
    status = status ? status : lava_columns_copy(stream, &columns, LAVA_STAMP_PACK, after, done);
    if (status)
        return status;
    return lava_queue_idle(stream->device, LAVA_ROLE_COMPUTE) ? lava_stream_flush(stream) : LAVA_OK;
}

static enum lava_status upload_staged(struct lava_stream *stream, const struct lava_upload *upload,
                                      const struct lava_staged *staged) {
    bool is_whole = (upload->fills_columns ? staged->chunk.rows == upload->stored.rows
                                           : staged->chunk.rows == staged->ld) &&
                    staged->ld == upload->target_ld;
    return is_whole || staged->chunk.columns == 1 ? upload_directly(stream, upload, staged)
                                                  : upload_columns(stream, upload, staged);
}

enum lava_status lava_upload_matrix(struct lava_stream *stream, const struct lava_upload *upload) {
    struct lava_staged staged = {.is_last = upload->stored.rows == 0 || upload->stored.columns == 0};
    while (!staged.is_last) {
        enum lava_status status = lava_staging_fetch(stream, &upload->stored, &staged);
        if (status || (status = upload_staged(stream, upload, &staged)))
            return status;
    }
    return LAVA_OK;
}
