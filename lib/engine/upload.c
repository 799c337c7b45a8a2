/* Uploads and packs operands. Called by stages.c, tile_lists.c and device_matrix.c. lib/host/copy_pool does
 * the CPU's part of the work. */
#include "lib/engine/upload.h"

#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/base/fault.h"
#include "lib/base/trace.h"

/* Pack reads words of this size. The columns of a chunk begin at multiples of it. */
#define WORD_BYTES 16
/* Workgroups along y that every device allows. */
#define SPLIT_GROUPS_MAX 65535
/* Products computed at once: size of an operand's chunk. The device reads one (45 us) while the CPU copies
 * the next. */
#define AT_ONCE_CHUNK_BYTES (2 << 20)
/* The first chunks of a streamed product are a quarter and a half of a slot, so the bus starts earlier. */
#define SMALLER_CHUNKS 2
/* Most products of a batch in one dispatch: groups along z that every device allows. */
#define DISPATCH_PRODUCTS 65535

/* Waits for the next staging slot to be free. */
static enum lava_status take_slot(struct lava_stream *stream, uint32_t *slot) {
    *slot = stream->next_slot;
    enum lava_status status = lava_stream_wait(stream, stream->staged[*slot]);
    if (!status && lava_fault_hit(LAVA_FAULT_UPLOAD))
        status = LAVA_ERROR_DRIVER;
    if (!status)
        stream->next_slot = (*slot + 1) % stream->slots;
    return status;
}

/* Bytes of an element; of one part if the operand is split. */
static size_t real_bytes(const struct lava_packing *operand) {
    return operand->split ? operand->element_bytes / 2 : operand->element_bytes;
}

/* Columns of a chunk begin at whole words. */
static int64_t padded_ld(int64_t rows, size_t element_bytes) {
    return lava_blocking_padded(rows, WORD_BYTES / (uint32_t)element_bytes);
}

/* Returns pack's constants for a chunk. Chunks at the end of the block also write the zero padding beyond
 * it. */
static struct lava_pack_constants pack_constants(const struct lava_packing *operand,
                                                 const struct lava_chunk *chunk) {
    bool last_row = chunk->row + chunk->rows == operand->rows;
    bool last_column = chunk->column + chunk->columns == operand->columns;
    int64_t padded_rows = operand->transpose ? operand->k_padded : operand->width_padded;
    int64_t padded_columns = operand->transpose ? operand->width_padded : operand->k_padded;
    int64_t rows_each = operand->split ? operand->rows_each : 1;
    int64_t columns_each = operand->split ? operand->columns_each : 1;
    int64_t row = chunk->row * rows_each, rows = chunk->rows * rows_each;
    int64_t column = chunk->column * columns_each, columns = chunk->columns * columns_each;
    return (struct lava_pack_constants){.target = operand->target,
                                        .panels = operand->panels,
                                        .exponents = operand->exponents,
                                        .rows = (uint32_t)rows,
                                        .columns = (uint32_t)columns,
                                        .rows_filled = (uint32_t)(last_row ? padded_rows - row : rows),
                                        .columns_filled =
                                            (uint32_t)(last_column ? padded_columns - column : columns),
                                        .first_width = (uint32_t)(operand->transpose ? column : row),
                                        .first_k = (uint32_t)(operand->transpose ? row : column),
                                        .k_padded = (uint32_t)operand->k_padded};
}

/* Where a chunk is on the device, and of which products of a batch it is; else of product 0 alone. */
struct source {
    uint64_t address;
    int64_t ld;
    int64_t first_product;
    uint32_t products;
};

/* Splits the chunk into parts, which pack then reads. They overwrite the parts of the previous chunk. */
static void record_split(struct lava_stream *stream, const struct lava_commands *commands,
                         const struct lava_packing *operand, struct lava_pack_constants *constants,
                         int64_t source_ld) {
    uint32_t most = stream->device->capabilities.max_workgroups;
    const struct lava_split_constants split = {.source = constants->source,
                                               .target = stream->arena->buffers[LAVA_ARENA_PARTS].address,
                                               .source_ld = (uint32_t)source_ld,
                                               .target_ld = constants->source_ld,
                                               .rows = constants->rows / operand->rows_each,
                                               .columns = constants->columns / operand->columns_each,
                                               .rows_each = operand->rows_each,
                                               .columns_each = operand->columns_each,
                                               .parts = operand->parts};
    uint32_t across = (split.columns + LAVA_SPLIT_COLUMNS - 1) / LAVA_SPLIT_COLUMNS;
    most = most < SPLIT_GROUPS_MAX ? most : SPLIT_GROUPS_MAX;
    lava_queue_barrier_dispatch(stream->device, commands);
    lava_queue_dispatch(stream->device, commands, operand->split, &split, sizeof split,
                        (split.rows + LAVA_SPLIT_ROWS - 1) / LAVA_SPLIT_ROWS, across < most ? across : most);
    lava_queue_barrier_dispatch(stream->device, commands);
    constants->source = split.target;
}

static void record_pack(struct lava_stream *stream, const struct lava_commands *commands,
                        const struct lava_packing *operand, const struct lava_chunk *chunk,
                        const struct source *source) {
    struct lava_pack_constants constants = pack_constants(operand, chunk);
    uint32_t block = operand->pack_block;
    constants.width_each = (uint32_t)operand->width_padded;
    constants.first_width += (uint32_t)(source->first_product * operand->width_padded);
    constants.source_each = (uint32_t)(source->ld * chunk->columns);
    constants.source = source->address;
    constants.source_ld = (uint32_t)source->ld;
    if (operand->split) {
        constants.source_ld = (uint32_t)padded_ld(constants.rows, real_bytes(operand));
        record_split(stream, commands, operand, &constants, source->ld);
    }
    lava_queue_dispatch_each(stream->device, commands, operand->pack, &constants, sizeof constants,
                             (constants.rows_filled + block - 1) / block,
                             (constants.columns_filled + block - 1) / block, source->products);
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
    record_pack(stream, &commands, operand, chunk, source);
    if (operand->twin)
        record_pack(stream, &commands, operand->twin, chunk, source);
    if ((status = lava_stream_submit(stream, after, done)))
        return status;
    return !stream->at_once && lava_queue_idle(device, LAVA_ROLE_COMPUTE) ? lava_stream_flush(stream)
                                                                          : LAVA_OK;
}

/* A block in host memory, and how its columns lie in staging memory. */
struct block {
    const void *first;
    int64_t ld;
    size_t element_bytes;
};

/* Copies a chunk of the block to the next staging slot. *bytes are its bytes there. */
static enum lava_status stage(struct lava_stream *stream, const struct block *block,
                              const struct lava_chunk *chunk, uint32_t *slot, uint64_t *bytes) {
    struct lava_arena *arena = stream->arena;
    enum lava_status status = take_slot(stream, slot);
    if (status)
        return status;
    int64_t staged_ld = padded_ld(chunk->rows, block->element_bytes);
    int64_t start = (chunk->column * block->ld + chunk->row) * (int64_t)block->element_bytes;
    const struct lava_copy copy = {.source = (const char *)block->first + start,
                                   .source_ld = block->ld,
                                   .target = (char *)arena->buffers[LAVA_ARENA_STAGING_UP].mapped +
                                             *slot * arena->slot_bytes,
                                   .target_ld = staged_ld,
                                   .rows = chunk->rows,
                                   .columns = chunk->columns};
    uint64_t begin_ns = lava_trace_now();
    *bytes = (uint64_t)(staged_ld * chunk->columns) * block->element_bytes;
    lava_copy_pool_copy(stream->pool, &copy, block->element_bytes);
    lava_trace_add_work("copy to staging", begin_ns, *bytes);
    return LAVA_OK;
}

/* Packs what was staged in a slot: from there, or from a raw slot that it is uploaded to. */
static enum lava_status pack_staged(struct lava_stream *stream, const struct lava_packing *operand,
                                    const struct lava_chunk *chunk, struct source *source, uint32_t slot,
                                    uint64_t bytes) {
    struct lava_arena *arena = stream->arena;
    const struct lava_buffer *staging = &arena->buffers[LAVA_ARENA_STAGING_UP],
                             *raw_chunks = &arena->buffers[LAVA_ARENA_RAW];
    uint32_t raw = stream->next_raw;
    if (stream->from_staging) {
        stream->commands_bytes += bytes;
        source->address = staging->address + slot * arena->slot_bytes;
        return submit_pack(stream, operand, chunk, source, NULL, &stream->staged[slot]);
    }
    const struct lava_device_copy upload = {.role = LAVA_ROLE_UPLOAD,
                                            .source = staging,
                                            .target = raw_chunks,
                                            .source_offset = slot * arena->slot_bytes,
                                            .target_offset = raw * arena->slot_bytes,
                                            .columns = {.count = 1, .bytes = bytes}};
    /* starts when the previous chunk in this raw slot is packed */
    enum lava_status status = lava_stream_copy(stream, &upload, stream->raw[raw], &stream->staged[slot]);
    if (status)
        return status;
    stream->next_raw = (raw + 1) % lava_arena_raw_slots(arena);
    source->address = raw_chunks->address + raw * arena->slot_bytes;
    return submit_pack(stream, operand, chunk, source, &stream->staged[slot], &stream->raw[raw]);
}

static enum lava_status pack_chunk(struct lava_stream *stream, const struct lava_packing *operand,
                                   const struct lava_chunk *chunk) {
    const struct block block = {operand->source, operand->source_ld, operand->element_bytes};
    struct source source = {.ld = padded_ld(chunk->rows, operand->element_bytes), .products = 1};
    uint32_t slot;
    uint64_t bytes;
    enum lava_status status = stage(stream, &block, chunk, &slot, &bytes);
    return status ? status : pack_staged(stream, operand, chunk, &source, slot, bytes);
}

/* Packs `count` products of a batch from `first` on; they fit a slot together. */
static enum lava_status pack_products(struct lava_stream *stream, const struct lava_packing *operand,
                                      int64_t first, int64_t count) {
    struct lava_arena *arena = stream->arena;
    const struct lava_chunk all = {.rows = operand->rows, .columns = operand->columns};
    struct source source = {.ld = padded_ld(all.rows, operand->element_bytes),
                            .first_product = first,
                            .products = (uint32_t)count};
    int64_t each = source.ld * all.columns, bytes = (int64_t)operand->element_bytes;
    uint32_t slot;
    enum lava_status status = take_slot(stream, &slot);
    if (status)
        return status;
    const struct lava_copies copies = {
        .copy = {.source = operand->sources
                               ? NULL
                               : (const char *)operand->source + first * operand->source_stride * bytes,
                 .source_ld = operand->source_ld,
                 .target = (char *)arena->buffers[LAVA_ARENA_STAGING_UP].mapped + slot * arena->slot_bytes,
                 .target_ld = source.ld,
                 .rows = all.rows,
                 .columns = all.columns},
        .count = count,
        .source_stride = operand->source_stride,
        .target_stride = each,
        .sources = operand->sources ? operand->sources + first : NULL};
    uint64_t begin_ns = lava_trace_now();
    lava_copy_pool_copy_each(stream->pool, &copies, operand->element_bytes);
    lava_trace_add_work("copy to staging", begin_ns, (uint64_t)(each * count * bytes));
    return pack_staged(stream, operand, &all, &source, slot, (uint64_t)(each * count * bytes));
}

/* Packs a batch's operand, as many products at a time as fit a slot. */
static enum lava_status pack_batch(struct lava_stream *stream, const struct lava_packing *operand) {
    int64_t product_bytes =
        padded_ld(operand->rows, operand->element_bytes) * operand->columns * (int64_t)operand->element_bytes;
    int64_t fitting = lava_minimum((int64_t)stream->arena->slot_bytes / product_bytes, DISPATCH_PRODUCTS);
    if (fitting < 1)
        return LAVA_ERROR_HOST_MEMORY;
    for (int64_t first = 0; first < operand->products; first += fitting) {
        enum lava_status status =
            pack_products(stream, operand, first, lava_minimum(fitting, operand->products - first));
        if (status)
            return status;
    }
    return LAVA_OK;
}

/* Packs a chunk of an operand that is on the device, after what was uploaded to it. */
static enum lava_status pack_on_device(struct lava_stream *stream, const struct lava_packing *operand,
                                       const struct lava_chunk *chunk) {
    int64_t start = (chunk->column * operand->source_ld + chunk->row) * (int64_t)operand->element_bytes;
    const struct source source = {.address = (uint64_t)((uintptr_t)operand->source + (uintptr_t)start),
                                  .ld = operand->source_ld,
                                  .products = 1};
    struct lava_point done;
    return submit_pack(stream, operand, chunk, &source, &stream->uploaded, &done);
}

/* Returns the columns of the next chunk. The first chunks are smaller if chunks hold whole columns. */
static int64_t next_columns(struct lava_stream *stream, const struct lava_packing *operand,
                            const struct lava_chunking *chunking) {
    uint32_t chunk = stream->chunks++;
    if (stream->at_once || operand->on_device || chunk >= SMALLER_CHUNKS ||
        chunking->chunk_rows < operand->rows)
        return chunking->chunk_columns;
    int64_t columns = chunking->chunk_columns >> (SMALLER_CHUNKS - chunk);
    return lava_maximum(columns / LAVA_CHUNK_ALIGN, 1) * LAVA_CHUNK_ALIGN;
}

enum lava_status lava_upload_pack(struct lava_stream *stream, const struct lava_packing *operand) {
    if (operand->products > 0)
        return pack_batch(stream, operand);
    int64_t slot_bytes = (int64_t)stream->arena->slot_bytes;
    if (operand->on_device && !operand->split) /* one chunk: nothing is staged, and no parts are kept */
        slot_bytes = INT64_MAX;
    if (stream->at_once)
        slot_bytes = lava_minimum(slot_bytes, AT_ONCE_CHUNK_BYTES);
    struct lava_chunking chunking =
        lava_blocking_chunks(operand->rows, operand->columns, (uint64_t)slot_bytes, operand->element_bytes);
    for (int64_t column = 0, columns; column < operand->columns; column += columns) {
        columns = next_columns(stream, operand, &chunking);
        for (int64_t row = 0; row < operand->rows; row += chunking.chunk_rows) {
            const struct lava_chunk chunk = {.row = row,
                                             .column = column,
                                             .rows = lava_minimum(chunking.chunk_rows, operand->rows - row),
                                             .columns = lava_minimum(columns, operand->columns - column)};
            enum lava_status status = operand->on_device ? pack_on_device(stream, operand, &chunk)
                                                         : pack_chunk(stream, operand, &chunk);
            if (status)
                return status;
        }
    }
    return LAVA_OK;
}

enum lava_status lava_upload_bytes(struct lava_stream *stream, const void *source, uint64_t bytes,
                                   const struct lava_buffer *target, uint64_t target_offset) {
    struct lava_arena *arena = stream->arena;
    const struct lava_buffer *staging = &arena->buffers[LAVA_ARENA_STAGING_UP];
    for (uint64_t done = 0; done < bytes;) {
        uint64_t part = bytes - done < arena->slot_bytes ? bytes - done : arena->slot_bytes;
        uint32_t slot;
        enum lava_status status = take_slot(stream, &slot);
        if (status)
            return status;
        uint64_t offset = slot * arena->slot_bytes;
        memcpy((char *)staging->mapped + offset, (const char *)source + done, part);
        const struct lava_device_copy upload = {.role = LAVA_ROLE_UPLOAD,
                                                .source = staging,
                                                .target = target,
                                                .source_offset = offset,
                                                .target_offset = target_offset + done,
                                                .columns = {.count = 1, .bytes = part}};
        if ((status = lava_stream_copy(stream, &upload, (struct lava_point){0}, &stream->uploaded)))
            return status;
        stream->staged[slot] = stream->uploaded;
        done += part;
    }
    return LAVA_OK;
}

static enum lava_status upload_chunk(struct lava_stream *stream, const struct lava_upload *upload,
                                     const struct lava_chunk *chunk) {
    const struct block block = {upload->source, upload->source_ld, upload->element_bytes};
    struct lava_arena *arena = stream->arena;
    uint64_t bytes, element_bytes = upload->element_bytes;
    uint32_t slot;
    enum lava_status status = stage(stream, &block, chunk, &slot, &bytes);
    if (status)
        return status;
    uint64_t first = (uint64_t)(chunk->column * upload->target_ld + chunk->row);
    const struct lava_device_copy copy = {
        .role = LAVA_ROLE_UPLOAD,
        .source = &arena->buffers[LAVA_ARENA_STAGING_UP],
        .target = upload->target,
        .source_offset = slot * arena->slot_bytes,
        .target_offset = upload->target_offset + first * element_bytes,
        .columns = {.count = (uint64_t)chunk->columns,
                    .bytes = (uint64_t)chunk->rows * element_bytes,
                    .source_pitch = (uint64_t)padded_ld(chunk->rows, element_bytes) * element_bytes,
                    .target_pitch = (uint64_t)upload->target_ld * element_bytes}};
    status = lava_stream_copy(stream, &copy, stream->computed, &stream->uploaded);
    stream->staged[slot] = stream->uploaded;
    return status;
}

enum lava_status lava_upload_matrix(struct lava_stream *stream, const struct lava_upload *upload) {
    struct lava_chunking chunking =
        lava_blocking_chunks(upload->rows, upload->columns, stream->arena->slot_bytes, upload->element_bytes);
    for (int64_t column = 0; column < upload->columns; column += chunking.chunk_columns)
        for (int64_t row = 0; row < upload->rows; row += chunking.chunk_rows) {
            const struct lava_chunk chunk = {
                .row = row,
                .column = column,
                .rows = lava_minimum(chunking.chunk_rows, upload->rows - row),
                .columns = lava_minimum(chunking.chunk_columns, upload->columns - column)};
            enum lava_status status = upload_chunk(stream, upload, &chunk);
            if (status)
                return status;
        }
    return LAVA_OK;
}
