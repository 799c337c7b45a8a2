/* Downloads blocks of C and writes them back. Called by lib/product/runner.c and lib/lapack/device_matrix.c.
 * lib/host/copy_pool does the CPU's part of the work. */
#include "lib/transport/download.h"

#include "dispatch/arithmetic.h"
#include "lib/base/fault.h"
#include "lib/transport/columns.h"

/* Cuts the download into chunks of whole columns if a column fits a slot, else into parts of one column; of a
 * batch, into chunks of whole products. Chunks are numbered down the rows first, then across the columns.
 * Returns false if a product does not fit a slot. */
static bool cut(const struct lava_stream *stream, struct lava_download *download) {
    int64_t element_bytes = (int64_t)lava_type_bytes(download->source_type), each = download->columns_each;
    int64_t slot_bytes = (int64_t)stream->arena->slot_bytes;
    int64_t slot_elements =
        (each > 0 ? slot_bytes : lava_minimum(slot_bytes, LAVA_BLOCKING_DOWN_BYTES)) / element_bytes;
    download->staged_ld = download->gathers ? lava_blocking_padded(download->rows, LAVA_BLOCKING_RESULT_GROUP)
                                            : download->source_ld;
    if (download->staged_ld <= slot_elements) {
        download->chunk_rows = download->rows;
        download->chunk_columns = lava_minimum(download->columns, slot_elements / download->staged_ld);
    } else {
        download->chunk_rows = lava_minimum(download->rows, slot_elements);
        download->chunk_columns = 1;
    }
    if (each > 0)
        download->chunk_columns = download->chunk_columns / each * each;
    if (download->chunk_columns == 0 || (each > 0 && download->chunk_rows < download->rows))
        return false;
    int64_t down = (download->rows + download->chunk_rows - 1) / download->chunk_rows;
    download->chunks = down * ((download->columns + download->chunk_columns - 1) / download->chunk_columns);
    return true;
}

static struct lava_chunk chunk_at(const struct lava_download *download, int64_t index) {
    int64_t down = (download->rows + download->chunk_rows - 1) / download->chunk_rows;
    struct lava_chunk chunk = {.row = index % down * download->chunk_rows,
                               .column = index / down * download->chunk_columns};
    chunk.rows = lava_minimum(download->chunk_rows, download->rows - chunk.row);
    chunk.columns = lava_minimum(download->chunk_columns, download->columns - chunk.column);
    if (download->descends)
        chunk.column = download->columns - chunk.column - chunk.columns;
    return chunk;
}

/* Where the chunk begins in the source's buffer, in bytes. */
static uint64_t source_offset(const struct lava_download *download, const struct lava_chunk *chunk) {
    return download->source_offset + (uint64_t)(chunk->column * download->source_ld + chunk->row) *
                                         lava_type_bytes(download->source_type);
}

/* Everything between the chunk's first and last element. */
static enum lava_status copy_directly(struct lava_stream *stream, const struct lava_download *download,
                                      const struct lava_chunk *chunk, uint64_t slot) {
    int64_t elements = (chunk->columns - 1) * download->source_ld + chunk->rows;
    const struct lava_device_copy copy = {.role = LAVA_ROLE_DOWNLOAD,
                                          .source = download->source,
                                          .uploaded = download->uploaded,
                                          .target = &stream->arena->buffers[LAVA_ARENA_STAGING_DOWN],
                                          .source_offset = source_offset(download, chunk),
                                          .target_offset = slot * stream->arena->slot_bytes,
                                          .bytes =
                                              (uint64_t)elements * lava_type_bytes(download->source_type)};
    return lava_stream_copy(stream, &copy, download->ready, &stream->down[slot]);
}

/* Submits the device's copy of the chunk's columns to `target`, if they follow one another. */
static enum lava_status gather(struct lava_stream *stream, const struct lava_download *download,
                               const struct lava_chunk *chunk, uint64_t target, struct lava_point *done) {
    uint64_t element_bytes = lava_type_bytes(download->source_type);
    const struct lava_columns columns = {.source = download->source->address + source_offset(download, chunk),
                                         .target = target,
                                         .source_pitch = (uint64_t)download->source_ld * element_bytes,
                                         .target_pitch = (uint64_t)download->staged_ld * element_bytes,
                                         .bytes = (uint64_t)chunk->rows * element_bytes,
                                         .count = (uint64_t)chunk->columns};
    enum lava_status status =
        lava_columns_copy(stream, &columns, LAVA_STAMP_EPILOGUE, &download->uploaded, done);
    return status ? status : lava_stream_flush(stream);
}

/* The columns alone: to the slot, or to a raw slot, which is free by then, and from there to the slot. */
static enum lava_status copy_columns(struct lava_stream *stream, const struct lava_download *download,
                                     const struct lava_chunk *chunk, uint64_t slot) {
    const struct lava_arena *arena = stream->arena;
    const struct lava_buffer *staging = &arena->buffers[LAVA_ARENA_STAGING_DOWN],
                             *raw_chunks = &arena->buffers[LAVA_ARENA_RAW];
    uint32_t raw = stream->next_raw;
    if (stream->from_staging)
        return gather(stream, download, chunk, staging->address + slot * arena->slot_bytes,
                      &stream->down[slot]);
    const struct lava_device_copy copy = {.role = LAVA_ROLE_DOWNLOAD,
                                          .source = raw_chunks,
                                          .target = staging,
                                          .source_offset = raw * arena->slot_bytes,
                                          .target_offset = slot * arena->slot_bytes,
                                          .bytes = (uint64_t)(download->staged_ld * chunk->columns) *
                                                   lava_type_bytes(download->source_type)};
    struct lava_point gathered;
    enum lava_status status = lava_stream_wait(stream, stream->raw[raw]);
    status = status ? status
                    : gather(stream, download, chunk, raw_chunks->address + copy.source_offset, &gathered);
    status = status ? status : lava_stream_copy(stream, &copy, gathered, &stream->down[slot]);
    if (status)
        return status;
    stream->raw[raw] = stream->down[slot];
    stream->next_raw = (raw + 1) % lava_arena_raw_slots(arena);
    return LAVA_OK;
}

static enum lava_status issue_chunk(struct lava_stream *stream, struct lava_download *download) {
    const struct lava_chunk chunk = chunk_at(download, download->issued);
    uint64_t slot = stream->issued % stream->slots;
    enum lava_status status = download->gathers && chunk.columns > 1
                                  ? copy_columns(stream, download, &chunk, slot)
                                  : copy_directly(stream, download, &chunk, slot);
    if (!status) {
        download->issued++;
        stream->issued++;
    }
    return status;
}

/* Submits copies of the first `count` downloads that the device has finished, or that start early, while
 * slots are free. */
static enum lava_status issue(struct lava_stream *stream, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct lava_download *download = stream->downloads[i];
        while (download->issued < download->chunks) {
            if (stream->issued - stream->written == stream->slots ||
                (!download->starts_early && !lava_queue_reached(stream->device, download->ready)))
                return LAVA_OK;
            enum lava_status status = issue_chunk(stream, download);
            if (status)
                return status;
        }
    }
    return LAVA_OK;
}

static struct lava_write_back how_of(const struct lava_download *download) {
    return (struct lava_write_back){.source_type = download->source_type,
                                    .target_type = download->target_type,
                                    .alpha = download->alpha,
                                    .beta = download->beta,
                                    .region = download->region,
                                    .real_diagonal = download->real_diagonal};
}

/* Starts the write-back of a staged chunk to C. */
static struct lava_copy_ticket write_back(struct lava_stream *stream, const struct lava_download *download,
                                          const struct lava_chunk *chunk, const void *staged) {
    int64_t first =
        (chunk->column * download->target_ld + chunk->row) * (int64_t)lava_type_bytes(download->target_type);
    const struct lava_copy copy = {.source = staged,
                                   .source_ld = download->staged_ld,
                                   .target = (char *)download->target + first,
                                   .target_ld = download->target_ld,
                                   .rows = chunk->rows,
                                   .columns = chunk->columns};
    struct lava_write_back how = how_of(download);
    how.region.diagonal += chunk->column - chunk->row;
    how.region.rows = chunk->rows;
    return lava_copy_pool_write_back(stream->pool, &copy, &how);
}

/* The same for the products of a batch. */
static struct lava_copy_ticket write_products_back(struct lava_stream *stream,
                                                   const struct lava_download *download,
                                                   const struct lava_chunk *chunk, const void *staged) {
    int64_t each = download->columns_each, product = chunk->column / each;
    int64_t first = product * download->target_stride * (int64_t)lava_type_bytes(download->target_type);
    const struct lava_copies copies = {.copy = {.source = staged,
                                                .source_ld = download->staged_ld,
                                                .target = (char *)download->target + first,
                                                .target_ld = download->target_ld,
                                                .rows = chunk->rows,
                                                .columns = each},
                                       .count = chunk->columns / each,
                                       .source_stride = download->staged_ld * each,
                                       .target_stride = download->target_stride,
                                       .targets = download->targets ? download->targets + product : NULL};
    const struct lava_write_back how = how_of(download);
    return lava_copy_pool_write_back_each(stream->pool, &copies, &how);
}

/* Returns the download whose chunk is written back next, and the index of that chunk. */
static struct lava_download *next_to_write(const struct lava_stream *stream, int64_t *index) {
    uint64_t ahead = stream->writing - stream->written;
    uint32_t i = 0;
    *index = stream->downloads[0]->written + (int64_t)ahead;
    for (; *index >= stream->downloads[i]->chunks; i++)
        *index -= stream->downloads[i]->chunks;
    return stream->downloads[i];
}

/* Starts to write the next downloaded chunk back to C. */
static enum lava_status start_write_back(struct lava_stream *stream) {
    int64_t index;
    const struct lava_download *download = next_to_write(stream, &index);
    uint64_t slot = stream->writing % stream->slots;
    struct lava_chunk chunk = chunk_at(download, index);
    if (lava_fault_hit(LAVA_FAULT_DOWNLOAD))
        return LAVA_ERROR_DRIVER;
    const struct lava_buffer *staging = &stream->arena->buffers[LAVA_ARENA_STAGING_DOWN];
    const void *staged = (const char *)staging->mapped + slot * stream->arena->slot_bytes;
    stream->write_backs[slot] = download->columns_each > 0
                                    ? write_products_back(stream, download, &chunk, staged)
                                    : write_back(stream, download, &chunk, staged);
    stream->writing++;
    return LAVA_OK;
}

/* Finishes the oldest write-back. */
static void finish_write_back(struct lava_stream *stream) {
    struct lava_download *download = stream->downloads[0];
    struct lava_chunk chunk = chunk_at(download, download->written);
    lava_copy_pool_finish(stream->pool, stream->write_backs[stream->written % stream->slots]);
    download->written++;
    stream->written++;
    bool whole = chunk.row + chunk.rows == download->rows;
    download->rows_done = whole ? 0 : chunk.row + chunk.rows;
    download->columns_done =
        (download->descends ? download->columns - chunk.column - chunk.columns : chunk.column) +
        (whole ? chunk.columns : 0);
    if (download->written == download->chunks) {
        stream->download_count--;
        for (uint32_t i = 0; i < stream->download_count; i++)
            stream->downloads[i] = stream->downloads[i + 1];
    }
}

/* If the stream works at once, the whole result is at the beginning of staging memory when its commands have
 * finished. */
enum lava_status lava_download_start(struct lava_stream *stream, struct lava_download *download) {
    if (!stream->at_once && !cut(stream, download))
        return LAVA_ERROR_HOST_MEMORY;
    stream->downloads[stream->download_count++] = download;
    if (!stream->at_once)
        return download->starts_early ? issue(stream, stream->download_count) : LAVA_OK;
    download->staged_ld = download->source_ld;
    download->chunk_rows = download->rows;
    download->chunk_columns = download->columns;
    download->chunks = download->issued = 1;
    stream->down[stream->issued++ % stream->slots] = download->ready;
    return lava_stream_flush(stream);
}

/* Waits for the next chunk on its way, or for the device to finish a block, and starts the write-back. While
 * write-backs are under way they are finished first, unless the chunk is there already. */
static enum lava_status advance(struct lava_stream *stream) {
    struct lava_device *device = stream->device;
    bool on_its_way = stream->writing < stream->issued, under_way = stream->written < stream->writing;
    struct lava_point next =
        on_its_way ? stream->down[stream->writing % stream->slots] : stream->downloads[0]->ready;
    if (under_way && !(on_its_way && lava_queue_reached(device, next))) {
        finish_write_back(stream);
        return LAVA_OK;
    }
    enum lava_status status = lava_queue_wait(device, next, lava_device_timeout_ns(device));
    return status || !on_its_way ? status : start_write_back(stream);
}

void lava_download_settle(struct lava_stream *stream) {
    while (stream->written < stream->writing)
        finish_write_back(stream);
}

/* Uploads go before downloads, because the arithmetic waits for uploads. A download in parallel leaves
 * uploads 19 of 48 GB/s (H200). So a download starts only when something waits for it. */
enum lava_status lava_download_finish(struct lava_stream *stream, uint32_t count) {
    enum lava_status status = LAVA_OK;
    while (!status && stream->download_count > count)
        if (!(status = issue(stream, stream->download_count - count)))
            status = advance(stream);
    if (status)
        lava_download_settle(stream);
    return status;
}
