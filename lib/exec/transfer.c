/* Uploads, packing and downloads. Called by executor.c; the CPU's part of the work is lib/cpu/copy_pool's. */
#include "lib/exec/transfer.h"

#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/base/fault.h"
#include "lib/base/log.h"

/* Pack reads words of this size: a chunk's columns begin at multiples of it. */
#define WORD_BYTES 16

void lava_transfer_stamp_begin(struct lava_transfer *transfer, const struct lava_commands *commands,
                               enum lava_stamp_kind kind) {
    struct lava_stamps *stamps = transfer->stamps;
    if (!stamps || stamps->pairs == LAVA_QUEUE_STAMP_PAIRS)
        return;
    if (stamps->pairs == 0)
        lava_queue_reset_stamps(transfer->device, commands);
    stamps->kinds[stamps->pairs] = (uint8_t)kind;
    lava_queue_stamp(transfer->device, commands, 2 * stamps->pairs);
}

void lava_transfer_stamp_end(struct lava_transfer *transfer, const struct lava_commands *commands) {
    struct lava_stamps *stamps = transfer->stamps;
    if (!stamps || stamps->pairs == LAVA_QUEUE_STAMP_PAIRS)
        return;
    lava_queue_stamp(transfer->device, commands, 2 * stamps->pairs + 1);
    stamps->pairs++;
}

/* The next staging slot, free to be written. */
static enum lava_status take_slot(struct lava_transfer *transfer, uint32_t *slot) {
    *slot = transfer->next_up;
    enum lava_status status =
        lava_queue_wait(transfer->device, transfer->up[*slot], transfer->device->timeout_ns);
    if (!status && lava_fault_hit(LAVA_FAULT_UPLOAD))
        status = LAVA_ERROR_DRIVER;
    if (!status)
        transfer->next_up = (*slot + 1) % LAVA_WORKSPACE_SLOTS;
    return status;
}

/* Staging slot -> raw slot, on the upload queue. */
static enum lava_status upload_slot(struct lava_transfer *transfer, uint32_t slot, uint64_t bytes,
                                    struct lava_point *uploaded) {
    struct lava_workspace *workspace = transfer->workspace;
    struct lava_commands commands;
    uint64_t offset = slot * workspace->slot_bytes;
    enum lava_status status = lava_queue_begin(transfer->device, LAVA_ROLE_UPLOAD, &commands);
    if (status)
        return status;
    lava_queue_copy(transfer->device, &commands, &workspace->buffers[LAVA_WORKSPACE_STAGING_UP], offset,
                    &workspace->buffers[LAVA_WORKSPACE_RAW], offset, bytes);
    lava_queue_barrier(transfer->device, &commands);
    return lava_queue_submit(transfer->device, &commands, NULL, 0, uploaded);
}

/* A chunk of an operand: rows x columns at (row, column) of its stored block. */
struct chunk {
    int64_t row, column, rows, columns;
};

/* What pack is told of a chunk. Chunks at the end of the block also write the zero padding beyond it. */
static struct lava_pack_constants pack_constants(const struct lava_operand *operand,
                                                 const struct chunk *chunk) {
    bool last_row = chunk->row + chunk->rows == operand->rows;
    bool last_column = chunk->column + chunk->columns == operand->columns;
    int64_t padded_rows = operand->transpose ? operand->k_padded : operand->width_padded;
    int64_t padded_columns = operand->transpose ? operand->width_padded : operand->k_padded;
    return (struct lava_pack_constants){
        .target = operand->target->address,
        .source_ld =
            (uint32_t)lava_blocking_padded(chunk->rows, WORD_BYTES / (uint32_t)operand->element_bytes),
        .rows = (uint32_t)chunk->rows,
        .columns = (uint32_t)chunk->columns,
        .rows_filled = (uint32_t)(last_row ? padded_rows - chunk->row : chunk->rows),
        .columns_filled = (uint32_t)(last_column ? padded_columns - chunk->column : chunk->columns),
        .first_width = (uint32_t)(operand->transpose ? chunk->column : chunk->row),
        .first_k = (uint32_t)(operand->transpose ? chunk->row : chunk->column),
        .k_padded = (uint32_t)operand->k_padded};
}

static enum lava_status submit_pack(struct lava_transfer *transfer, const struct lava_operand *operand,
                                    const struct lava_pack_constants *constants, bool first,
                                    const struct lava_point *after, struct lava_point *done) {
    struct lava_device *device = transfer->device;
    uint32_t block = operand->element_bytes == sizeof(float) ? LAVA_PACK_BLOCK : LAVA_PACK_BLOCK_HALF;
    struct lava_commands commands;
    enum lava_status status = lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands);
    if (status)
        return status;
    if (first && operand->wait_for_readers)
        lava_queue_barrier_dispatch(device, &commands);
    lava_transfer_stamp_begin(transfer, &commands, LAVA_STAMP_PACK);
    lava_queue_dispatch(device, &commands, operand->pack, constants, sizeof *constants,
                        (constants->rows_filled + block - 1) / block,
                        (constants->columns_filled + block - 1) / block);
    lava_transfer_stamp_end(transfer, &commands);
    return lava_queue_submit(device, &commands, after, 1, done);
}

static enum lava_status pack_chunk(struct lava_transfer *transfer, const struct lava_operand *operand,
                                   const struct chunk *chunk) {
    struct lava_workspace *workspace = transfer->workspace;
    const struct lava_buffer *staging = &workspace->buffers[LAVA_WORKSPACE_STAGING_UP];
    const struct lava_buffer *raw = &workspace->buffers[LAVA_WORKSPACE_RAW];
    struct lava_pack_constants constants = pack_constants(operand, chunk);
    uint32_t slot;
    enum lava_status status = take_slot(transfer, &slot);
    if (status)
        return status;
    uint64_t offset = slot * workspace->slot_bytes;
    int64_t first = (chunk->column * operand->source_ld + chunk->row) * (int64_t)operand->element_bytes;
    const struct lava_copy copy = {.source = (const char *)operand->source + first,
                                   .source_ld = operand->source_ld,
                                   .target = (char *)staging->mapped + offset,
                                   .target_ld = constants.source_ld,
                                   .rows = chunk->rows,
                                   .columns = chunk->columns};
    lava_copy_pool_copy(transfer->pool, &copy, operand->element_bytes);

    struct lava_point uploaded = {0};
    if (transfer->device->capabilities.unified_memory) {
        constants.source = staging->address + offset;
    } else {
        constants.source = raw->address + offset;
        uint64_t bytes = (uint64_t)constants.source_ld * (uint64_t)chunk->columns * operand->element_bytes;
        if ((status = upload_slot(transfer, slot, bytes, &uploaded)))
            return status;
        transfer->up[slot] = uploaded;
    }
    return submit_pack(transfer, operand, &constants, chunk->row == 0 && chunk->column == 0, &uploaded,
                       &transfer->up[slot]);
}

enum lava_status lava_transfer_pack(struct lava_transfer *transfer, const struct lava_operand *operand) {
    struct lava_chunking chunking = lava_blocking_chunks(
        operand->rows, operand->columns, transfer->workspace->slot_bytes, operand->element_bytes);
    for (int64_t column = 0; column < operand->columns; column += chunking.chunk_columns) {
        for (int64_t row = 0; row < operand->rows; row += chunking.chunk_rows) {
            const struct chunk chunk = {.row = row,
                                        .column = column,
                                        .rows = lava_minimum(chunking.chunk_rows, operand->rows - row),
                                        .columns =
                                            lava_minimum(chunking.chunk_columns, operand->columns - column)};
            enum lava_status status = pack_chunk(transfer, operand, &chunk);
            if (status)
                return status;
        }
    }
    return LAVA_OK;
}

enum lava_status lava_transfer_upload(struct lava_transfer *transfer, const void *source, uint64_t bytes,
                                      const struct lava_buffer *target, uint64_t target_offset) {
    struct lava_workspace *workspace = transfer->workspace;
    const struct lava_buffer *staging = &workspace->buffers[LAVA_WORKSPACE_STAGING_UP];
    for (uint64_t done = 0; done < bytes;) {
        uint64_t part = bytes - done < workspace->slot_bytes ? bytes - done : workspace->slot_bytes;
        uint32_t slot;
        struct lava_commands commands;
        enum lava_status status = take_slot(transfer, &slot);
        if (status)
            return status;
        uint64_t offset = slot * workspace->slot_bytes;
        memcpy((char *)staging->mapped + offset, (const char *)source + done, part);
        if ((status = lava_queue_begin(transfer->device, LAVA_ROLE_UPLOAD, &commands)))
            return status;
        lava_queue_copy(transfer->device, &commands, staging, offset, target, target_offset + done, part);
        lava_queue_barrier(transfer->device, &commands);
        if ((status = lava_queue_submit(transfer->device, &commands, NULL, 0, &transfer->uploaded)))
            return status;
        transfer->up[slot] = transfer->uploaded;
        done += part;
    }
    return LAVA_OK;
}

/* Chunks of whole columns where a column fits a slot, else parts of one column. Counted row by row, then
 * column. */
static void cut(const struct lava_transfer *transfer, struct lava_download *download) {
    int64_t slot_elements =
        (int64_t)(transfer->workspace->slot_bytes / lava_type_bytes(download->source_type));
    if (download->source_ld <= slot_elements) {
        download->chunk_rows = download->rows;
        download->chunk_columns = lava_minimum(download->columns, slot_elements / download->source_ld);
    } else {
        download->chunk_rows = lava_minimum(download->rows, slot_elements);
        download->chunk_columns = 1;
    }
    int64_t down = (download->rows + download->chunk_rows - 1) / download->chunk_rows;
    download->chunks = down * ((download->columns + download->chunk_columns - 1) / download->chunk_columns);
}

static struct chunk chunk_at(const struct lava_download *download, int64_t index) {
    int64_t down = (download->rows + download->chunk_rows - 1) / download->chunk_rows;
    struct chunk chunk = {.row = index % down * download->chunk_rows,
                          .column = index / down * download->chunk_columns};
    chunk.rows = lava_minimum(download->chunk_rows, download->rows - chunk.row);
    chunk.columns = lava_minimum(download->chunk_columns, download->columns - chunk.column);
    return chunk;
}

enum lava_status lava_transfer_start_download(struct lava_transfer *transfer,
                                              struct lava_download *download) {
    struct lava_workspace *workspace = transfer->workspace;
    uint64_t element_bytes = lava_type_bytes(download->source_type);
    if (download->chunks == 0)
        cut(transfer, download);
    while (download->issued < download->chunks &&
           download->issued - download->merged < LAVA_WORKSPACE_SLOTS) {
        uint32_t slot = (uint32_t)(download->issued % LAVA_WORKSPACE_SLOTS);
        struct chunk chunk = chunk_at(download, download->issued);
        struct lava_commands commands;
        enum lava_status status = lava_queue_begin(transfer->device, LAVA_ROLE_DOWNLOAD, &commands);
        if (status)
            return status;
        int64_t elements = (chunk.columns - 1) * download->source_ld + chunk.rows;
        lava_queue_copy(transfer->device, &commands, download->source,
                        (uint64_t)(chunk.column * download->source_ld + chunk.row) * element_bytes,
                        &workspace->buffers[LAVA_WORKSPACE_STAGING_DOWN], slot * workspace->slot_bytes,
                        (uint64_t)elements * element_bytes);
        lava_queue_barrier(transfer->device, &commands);
        if ((status =
                 lava_queue_submit(transfer->device, &commands, &download->ready, 1, &transfer->down[slot])))
            return status;
        download->issued++;
    }
    return LAVA_OK;
}

enum lava_status lava_transfer_finish_download(struct lava_transfer *transfer,
                                               struct lava_download *download) {
    const struct lava_buffer *staging = &transfer->workspace->buffers[LAVA_WORKSPACE_STAGING_DOWN];
    for (;;) {
        enum lava_status status = lava_transfer_start_download(transfer, download);
        if (status || download->merged == download->chunks)
            return status;
        uint32_t slot = (uint32_t)(download->merged % LAVA_WORKSPACE_SLOTS);
        struct chunk chunk = chunk_at(download, download->merged);
        if ((status = lava_queue_wait(transfer->device, transfer->down[slot], transfer->device->timeout_ns)))
            return status;
        if (lava_fault_hit(LAVA_FAULT_DOWNLOAD))
            return LAVA_ERROR_DRIVER;
        int64_t first = (chunk.column * download->target_ld + chunk.row) *
                        (int64_t)lava_type_bytes(download->target_type);
        const struct lava_copy copy = {.source = (const char *)staging->mapped +
                                                 slot * transfer->workspace->slot_bytes,
                                       .source_ld = download->source_ld,
                                       .target = (char *)download->target + first,
                                       .target_ld = download->target_ld,
                                       .rows = chunk.rows,
                                       .columns = chunk.columns};
        lava_copy_pool_merge(transfer->pool, &copy, download->source_type, download->target_type,
                             download->beta);
        download->merged++;
        bool whole = chunk.row + chunk.rows == download->rows;
        download->rows_done = whole ? 0 : chunk.row + chunk.rows;
        download->columns_done = chunk.column + (whole ? chunk.columns : 0);
    }
}
