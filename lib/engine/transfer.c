/* Uploads, packing and downloads. Called by the other files of lib/engine. lib/host/copy_pool does the CPU's
 * part of the work. */
#include "lib/engine/transfer.h"

#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/base/fault.h"
#include "lib/base/log.h"
#include "lib/base/trace.h"

/* Pack reads words of this size. The columns of a chunk begin at multiples of it. */
#define WORD_BYTES 16
/* Workgroups along y that every device allows. */
#define SPLIT_GROUPS_MAX 65535
/* Products computed at once: collected commands are submitted after this many copied bytes. The device reads
 * them while the CPU copies more. */
#define FLUSH_BYTES (1 << 20)
/* Products computed at once: size of an operand's chunk. The device reads one (45 us) while the CPU copies
 * the next. */
#define AT_ONCE_CHUNK_BYTES (2 << 20)
/* The first chunks of a streamed product are a quarter and a half of a slot, so the bus starts earlier. */
#define SMALLER_CHUNKS 2
/* Largest chunk of a result. The call waits for the write-back of the last one. */
#define DOWN_CHUNK_BYTES (4 << 20)

/* Consecutive packs are timed as one interval. Stamps between them would keep them from overlapping. */
static void end_packs(struct lava_transfer *transfer, const struct lava_commands *commands) {
    if (transfer->packing)
        lava_transfer_stamp_end(transfer, commands);
    transfer->packing = false;
}

/* Roles that share a queue share its stamps. Returns NULL if nothing is timed or there is no more room. */
static struct lava_stamps *stamps_of(const struct lava_transfer *transfer, const struct lava_queue *queue) {
    for (int role = 0; transfer->stamps && role < LAVA_ROLE_COUNT; role++)
        if (transfer->device->queues[role] == queue)
            return transfer->stamps[role].pairs < LAVA_QUEUE_STAMP_PAIRS ? &transfer->stamps[role] : NULL;
    return NULL;
}

static void stamp_begin(struct lava_transfer *transfer, const struct lava_commands *commands,
                        enum lava_stamp_kind kind) {
    struct lava_stamps *stamps = stamps_of(transfer, commands->queue);
    if (!stamps)
        return;
    if (stamps->pairs == 0 && !transfer->traces)
        lava_queue_reset_stamps(transfer->device, commands);
    stamps->kinds[stamps->pairs] = (uint8_t)kind;
    lava_queue_stamp(transfer->device, commands, 2 * stamps->pairs);
}

void lava_transfer_stamp_begin(struct lava_transfer *transfer, const struct lava_commands *commands,
                               enum lava_stamp_kind kind) {
    end_packs(transfer, commands);
    stamp_begin(transfer, commands, kind);
}

void lava_transfer_stamp_end(struct lava_transfer *transfer, const struct lava_commands *commands) {
    struct lava_stamps *stamps = stamps_of(transfer, commands->queue);
    if (!stamps)
        return;
    lava_queue_stamp(transfer->device, commands, 2 * stamps->pairs + 1);
    stamps->pairs++;
}

enum lava_status lava_transfer_begin(struct lava_transfer *transfer, struct lava_commands *commands) {
    if (!transfer->recording) {
        enum lava_status status = lava_queue_begin(transfer->device, LAVA_ROLE_COMPUTE, &transfer->commands);
        if (status)
            return status;
        transfer->recording = true;
    }
    *commands = transfer->commands;
    return LAVA_OK;
}

enum lava_status lava_transfer_flush(struct lava_transfer *transfer) {
    struct lava_point done, wait = transfer->commands_wait;
    if (!transfer->recording)
        return LAVA_OK;
    end_packs(transfer, &transfer->commands);
    transfer->recording = false;
    transfer->commands_bytes = 0;
    transfer->commands_wait = (struct lava_point){0};
    return lava_queue_submit(transfer->device, &transfer->commands, &wait, 1, &done);
}

enum lava_status lava_transfer_submit(struct lava_transfer *transfer, const struct lava_point *after,
                                      struct lava_point *done) {
    if (after && after->queue && after->value > transfer->commands_wait.value)
        transfer->commands_wait = *after;
    *done = lava_queue_next_point(transfer->device, LAVA_ROLE_COMPUTE);
    bool much = transfer->at_once && transfer->commands_bytes >= FLUSH_BYTES;
    return much ? lava_transfer_flush(transfer) : LAVA_OK;
}

void lava_transfer_abandon(struct lava_transfer *transfer) {
    transfer->packing = false;
    if (transfer->recording)
        lava_queue_discard(transfer->device, &transfer->commands);
    transfer->recording = false;
}

/* Waits until the point is reached. The point may be among the collected commands. */
static enum lava_status wait_for(struct lava_transfer *transfer, struct lava_point point) {
    enum lava_status status = LAVA_OK;
    if (point.queue && point.value > point.queue->submitted)
        status = lava_transfer_flush(transfer);
    return status ? status : lava_queue_wait(transfer->device, point, transfer->device->timeout_ns);
}

/* Waits for the next staging slot to be free. */
static enum lava_status take_slot(struct lava_transfer *transfer, uint32_t *slot) {
    *slot = transfer->next_slot;
    enum lava_status status = wait_for(transfer, transfer->staged[*slot]);
    if (!status && lava_fault_hit(LAVA_FAULT_UPLOAD))
        status = LAVA_ERROR_DRIVER;
    if (!status)
        transfer->next_slot = (*slot + 1) % LAVA_ARENA_SLOTS;
    return status;
}

/* A copy between host and device in a submission of its own, after the point `after`. Collected commands are
 * submitted first if `after` is among them or the queue is the same. */
struct device_copy {
    enum lava_role role; /* selects the queue */
    const struct lava_buffer *source, *target;
    uint64_t source_offset, target_offset, bytes;
};

static enum lava_status submit_copy(struct lava_transfer *transfer, const struct device_copy *copy,
                                    struct lava_point after, struct lava_point *done) {
    struct lava_device *device = transfer->device;
    struct lava_commands commands;
    enum lava_status status = LAVA_OK;
    if ((after.queue && after.value > after.queue->submitted) ||
        device->queues[copy->role] == device->queues[LAVA_ROLE_COMPUTE])
        status = lava_transfer_flush(transfer);
    if (status || (status = lava_queue_begin(device, copy->role, &commands)))
        return status;
    if (transfer->traces)
        stamp_begin(transfer, &commands,
                    copy->role == LAVA_ROLE_UPLOAD ? LAVA_STAMP_UPLOAD : LAVA_STAMP_DOWNLOAD);
    lava_queue_copy(device, &commands, copy->source, copy->source_offset, copy->target, copy->target_offset,
                    copy->bytes);
    if (transfer->traces)
        lava_transfer_stamp_end(transfer, &commands);
    lava_queue_barrier(device, &commands);
    return lava_queue_submit(device, &commands, &after, 1, done);
}

/* A chunk of an operand: rows x columns at (row, column) of its stored block. */
struct chunk {
    int64_t row, column, rows, columns;
};

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
                                                 const struct chunk *chunk) {
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
                                        .source_ld = (uint32_t)padded_ld(rows, real_bytes(operand)),
                                        .rows = (uint32_t)rows,
                                        .columns = (uint32_t)columns,
                                        .rows_filled = (uint32_t)(last_row ? padded_rows - row : rows),
                                        .columns_filled =
                                            (uint32_t)(last_column ? padded_columns - column : columns),
                                        .first_width = (uint32_t)(operand->transpose ? column : row),
                                        .first_k = (uint32_t)(operand->transpose ? row : column),
                                        .k_padded = (uint32_t)operand->k_padded};
}

/* Splits the chunk into parts, which pack then reads. They overwrite the parts of the previous chunk. */
static void record_split(struct lava_transfer *transfer, const struct lava_commands *commands,
                         const struct lava_packing *operand, struct lava_pack_constants *constants) {
    uint32_t most = transfer->device->capabilities.max_workgroups;
    const struct lava_split_constants split = {
        .source = constants->source,
        .target = transfer->arena->buffers[LAVA_ARENA_PARTS].address,
        .source_ld = (uint32_t)padded_ld(constants->rows / operand->rows_each, operand->element_bytes),
        .target_ld = constants->source_ld,
        .rows = constants->rows / operand->rows_each,
        .columns = constants->columns / operand->columns_each,
        .rows_each = operand->rows_each,
        .columns_each = operand->columns_each,
        .parts = operand->parts};
    uint32_t across = (split.columns + LAVA_SPLIT_COLUMNS - 1) / LAVA_SPLIT_COLUMNS;
    most = most < SPLIT_GROUPS_MAX ? most : SPLIT_GROUPS_MAX;
    lava_queue_barrier_dispatch(transfer->device, commands);
    lava_queue_dispatch(transfer->device, commands, operand->split, &split, sizeof split,
                        (split.rows + LAVA_SPLIT_ROWS - 1) / LAVA_SPLIT_ROWS, across < most ? across : most);
    lava_queue_barrier_dispatch(transfer->device, commands);
    constants->source = split.target;
}

static void record_pack(struct lava_transfer *transfer, const struct lava_commands *commands,
                        const struct lava_packing *operand, const struct chunk *chunk, uint64_t source) {
    struct lava_pack_constants constants = pack_constants(operand, chunk);
    uint32_t block = operand->pack_block;
    constants.source = source;
    if (operand->split)
        record_split(transfer, commands, operand, &constants);
    lava_queue_dispatch(transfer->device, commands, operand->pack, &constants, sizeof constants,
                        (constants.rows_filled + block - 1) / block,
                        (constants.columns_filled + block - 1) / block);
}

/* Packs are submitted together with what comes before the multiply that needs them. A submission that waits
 * for an upload starts 45 us after the previous one has ended (H200). If the device is idle, the packs are
 * submitted at once. */
static enum lava_status submit_pack(struct lava_transfer *transfer, const struct lava_packing *operand,
                                    const struct chunk *chunk, uint64_t source,
                                    const struct lava_point *after, struct lava_point *done) {
    struct lava_device *device = transfer->device;
    bool first = chunk->row == 0 && chunk->column == 0;
    struct lava_commands commands;
    enum lava_status status = lava_transfer_begin(transfer, &commands);
    if (status)
        return status;
    if (first && operand->wait_for_readers)
        lava_queue_barrier_dispatch(device, &commands);
    if (transfer->stamps && !transfer->packing) {
        lava_transfer_stamp_begin(transfer, &commands, LAVA_STAMP_PACK);
        transfer->packing = true;
    }
    record_pack(transfer, &commands, operand, chunk, source);
    if (operand->twin)
        record_pack(transfer, &commands, operand->twin, chunk, source);
    if ((status = lava_transfer_submit(transfer, after, done)))
        return status;
    return !transfer->at_once && lava_queue_idle(device, LAVA_ROLE_COMPUTE) ? lava_transfer_flush(transfer)
                                                                            : LAVA_OK;
}

static enum lava_status pack_chunk(struct lava_transfer *transfer, const struct lava_packing *operand,
                                   const struct chunk *chunk) {
    struct lava_arena *arena = transfer->arena;
    const struct lava_buffer *staging = &arena->buffers[LAVA_ARENA_STAGING_UP];
    uint32_t slot;
    enum lava_status status = take_slot(transfer, &slot);
    if (status)
        return status;
    uint64_t offset = slot * arena->slot_bytes;
    int64_t staged_ld = padded_ld(chunk->rows, operand->element_bytes);
    uint64_t bytes = (uint64_t)(staged_ld * chunk->columns) * operand->element_bytes;
    int64_t start = (chunk->column * operand->source_ld + chunk->row) * (int64_t)operand->element_bytes;
    const struct lava_copy copy = {.source = (const char *)operand->source + start,
                                   .source_ld = operand->source_ld,
                                   .target = (char *)staging->mapped + offset,
                                   .target_ld = staged_ld,
                                   .rows = chunk->rows,
                                   .columns = chunk->columns};
    uint64_t begin_ns = lava_trace_now();
    lava_copy_pool_copy(transfer->pool, &copy, operand->element_bytes);
    lava_trace_add_work("copy to staging", begin_ns, bytes);

    if (transfer->from_staging) {
        transfer->commands_bytes += bytes;
        return submit_pack(transfer, operand, chunk, staging->address + offset, NULL,
                           &transfer->staged[slot]);
    }
    uint32_t raw = transfer->next_raw;
    const struct device_copy upload = {
        LAVA_ROLE_UPLOAD, staging, &arena->buffers[LAVA_ARENA_RAW], offset, raw * arena->slot_bytes, bytes};
    /* starts when the previous chunk in this raw slot is packed */
    if ((status = submit_copy(transfer, &upload, transfer->raw[raw], &transfer->staged[slot])))
        return status;
    transfer->next_raw = (raw + 1) % lava_arena_raw_slots(arena);
    uint64_t source = arena->buffers[LAVA_ARENA_RAW].address + raw * arena->slot_bytes;
    return submit_pack(transfer, operand, chunk, source, &transfer->staged[slot], &transfer->raw[raw]);
}

/* Returns the columns of the next chunk. The first chunks are smaller if chunks hold whole columns. */
static int64_t next_columns(struct lava_transfer *transfer, const struct lava_packing *operand,
                            const struct lava_chunking *chunking) {
    uint32_t chunk = transfer->chunks++;
    if (transfer->at_once || chunk >= SMALLER_CHUNKS || chunking->chunk_rows < operand->rows)
        return chunking->chunk_columns;
    int64_t columns = chunking->chunk_columns >> (SMALLER_CHUNKS - chunk);
    return lava_maximum(columns / LAVA_CHUNK_ALIGN, 1) * LAVA_CHUNK_ALIGN;
}

enum lava_status lava_transfer_pack(struct lava_transfer *transfer, const struct lava_packing *operand) {
    int64_t slot_bytes = (int64_t)transfer->arena->slot_bytes;
    if (transfer->at_once)
        slot_bytes = lava_minimum(slot_bytes, AT_ONCE_CHUNK_BYTES);
    struct lava_chunking chunking =
        lava_blocking_chunks(operand->rows, operand->columns, (uint64_t)slot_bytes, operand->element_bytes);
    for (int64_t column = 0, columns; column < operand->columns; column += columns) {
        columns = next_columns(transfer, operand, &chunking);
        for (int64_t row = 0; row < operand->rows; row += chunking.chunk_rows) {
            const struct chunk chunk = {.row = row,
                                        .column = column,
                                        .rows = lava_minimum(chunking.chunk_rows, operand->rows - row),
                                        .columns = lava_minimum(columns, operand->columns - column)};
            enum lava_status status = pack_chunk(transfer, operand, &chunk);
            if (status)
                return status;
        }
    }
    return LAVA_OK;
}

enum lava_status lava_transfer_upload(struct lava_transfer *transfer, const void *source, uint64_t bytes,
                                      const struct lava_buffer *target, uint64_t target_offset) {
    struct lava_arena *arena = transfer->arena;
    const struct lava_buffer *staging = &arena->buffers[LAVA_ARENA_STAGING_UP];
    for (uint64_t done = 0; done < bytes;) {
        uint64_t part = bytes - done < arena->slot_bytes ? bytes - done : arena->slot_bytes;
        uint32_t slot;
        enum lava_status status = take_slot(transfer, &slot);
        if (status)
            return status;
        uint64_t offset = slot * arena->slot_bytes;
        memcpy((char *)staging->mapped + offset, (const char *)source + done, part);
        const struct device_copy upload = {LAVA_ROLE_UPLOAD,     staging, target, offset,
                                           target_offset + done, part};
        if ((status = submit_copy(transfer, &upload, (struct lava_point){0}, &transfer->uploaded)))
            return status;
        transfer->staged[slot] = transfer->uploaded;
        done += part;
    }
    return LAVA_OK;
}

/* Cuts the download into chunks of whole columns if a column fits a slot, else into parts of one column.
 * Chunks are numbered down the rows first, then across the columns. */
static void cut(const struct lava_transfer *transfer, struct lava_download *download) {
    int64_t chunk_bytes = lava_minimum((int64_t)transfer->arena->slot_bytes, DOWN_CHUNK_BYTES);
    int64_t slot_elements = chunk_bytes / (int64_t)lava_type_bytes(download->source_type);
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

static enum lava_status issue_chunk(struct lava_transfer *transfer, struct lava_download *download) {
    const struct lava_arena *arena = transfer->arena;
    uint64_t element_bytes = lava_type_bytes(download->source_type);
    uint64_t slot = transfer->issued % LAVA_ARENA_SLOTS;
    struct chunk chunk = chunk_at(download, download->issued);
    int64_t elements = (chunk.columns - 1) * download->source_ld + chunk.rows;
    uint64_t first = (uint64_t)(chunk.column * download->source_ld + chunk.row);
    const struct device_copy copy = {LAVA_ROLE_DOWNLOAD,
                                     download->source,
                                     &arena->buffers[LAVA_ARENA_STAGING_DOWN],
                                     download->source_offset + first * element_bytes,
                                     slot * arena->slot_bytes,
                                     (uint64_t)elements * element_bytes};
    enum lava_status status = submit_copy(transfer, &copy, download->ready, &transfer->down[slot]);
    if (!status) {
        download->issued++;
        transfer->issued++;
    }
    return status;
}

/* Submits copies of the first `count` downloads that the device has finished, while slots are free. */
static enum lava_status issue(struct lava_transfer *transfer, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct lava_download *download = transfer->downloads[i];
        while (download->issued < download->chunks) {
            if (transfer->issued - transfer->written == LAVA_ARENA_SLOTS ||
                !lava_queue_reached(transfer->device, download->ready))
                return LAVA_OK;
            enum lava_status status = issue_chunk(transfer, download);
            if (status)
                return status;
        }
    }
    return LAVA_OK;
}

/* Writes the oldest downloaded chunk back to C. */
static enum lava_status write_back_chunk(struct lava_transfer *transfer) {
    struct lava_download *download = transfer->downloads[0];
    uint64_t slot = transfer->written % LAVA_ARENA_SLOTS;
    struct chunk chunk = chunk_at(download, download->written);
    if (lava_fault_hit(LAVA_FAULT_DOWNLOAD))
        return LAVA_ERROR_DRIVER;
    int64_t first =
        (chunk.column * download->target_ld + chunk.row) * (int64_t)lava_type_bytes(download->target_type);
    const struct lava_buffer *staging = &transfer->arena->buffers[LAVA_ARENA_STAGING_DOWN];
    const struct lava_copy copy = {.source =
                                       (const char *)staging->mapped + slot * transfer->arena->slot_bytes,
                                   .source_ld = download->source_ld,
                                   .target = (char *)download->target + first,
                                   .target_ld = download->target_ld,
                                   .rows = chunk.rows,
                                   .columns = chunk.columns};
    struct lava_write_back write_back = {.source_type = download->source_type,
                                         .target_type = download->target_type,
                                         .beta = download->beta,
                                         .region = download->region,
                                         .real_diagonal = download->real_diagonal};
    write_back.region.diagonal += chunk.column - chunk.row;
    write_back.region.rows = chunk.rows;
    uint64_t begin_ns = lava_trace_now();
    lava_copy_pool_write_back(transfer->pool, &copy, &write_back);
    lava_trace_add_work("write back", begin_ns,
                        (uint64_t)(chunk.rows * chunk.columns) * lava_type_bytes(download->target_type));
    download->written++;
    transfer->written++;
    bool whole = chunk.row + chunk.rows == download->rows;
    download->rows_done = whole ? 0 : chunk.row + chunk.rows;
    download->columns_done = chunk.column + (whole ? chunk.columns : 0);
    if (download->written == download->chunks) {
        transfer->download_count--;
        for (uint32_t i = 0; i < transfer->download_count; i++)
            transfer->downloads[i] = transfer->downloads[i + 1];
    }
    return LAVA_OK;
}

/* At once: the whole result is at the beginning of staging memory when its commands have finished. */
enum lava_status lava_transfer_start_download(struct lava_transfer *transfer,
                                              struct lava_download *download) {
    transfer->downloads[transfer->download_count++] = download;
    if (!transfer->at_once) {
        cut(transfer, download);
        return LAVA_OK;
    }
    download->chunk_rows = download->rows;
    download->chunk_columns = download->columns;
    download->chunks = download->issued = 1;
    transfer->down[transfer->issued++ % LAVA_ARENA_SLOTS] = download->ready;
    return lava_transfer_flush(transfer);
}

/* Uploads go before downloads, because the arithmetic waits for uploads. A download in parallel leaves
 * uploads 19 of 48 GB/s (H200). So a download starts only when something waits for it. */
enum lava_status lava_transfer_finish_downloads(struct lava_transfer *transfer, uint32_t count) {
    struct lava_device *device = transfer->device;
    enum lava_status status = LAVA_OK;
    while (!status && transfer->download_count > count) {
        if ((status = issue(transfer, transfer->download_count - count)))
            break;
        bool on_its_way = transfer->written < transfer->issued;
        struct lava_point next =
            on_its_way ? transfer->down[transfer->written % LAVA_ARENA_SLOTS] : transfer->downloads[0]->ready;
        status = lava_queue_wait(device, next, device->timeout_ns);
        if (!status && on_its_way)
            status = write_back_chunk(transfer);
    }
    return status;
}
