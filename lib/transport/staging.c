/* Fills staging slots. Called by upload.c. lib/host/copy_pool does the copies.
 *
 * Invariant: slots are used in turn. Those from the first unfetched chunk to next_slot hold data that no
 * command reads yet. */
#include "lib/transport/staging.h"

#include "dispatch/arithmetic.h"
#include "lib/base/fault.h"

/* Pack reads words of this size. The columns of a chunk begin at multiples of it. */
#define WORD_BYTES 16
/* Products computed at once: size of a chunk. The device reads one (45 us) while the CPU copies the next. */
#define AT_ONCE_CHUNK_BYTES (2 << 20)
/* The first chunks of a streamed product are a quarter and a half of a slot, so the bus starts earlier. */
#define SMALLER_CHUNKS 2
/* Chunks that are copied ahead. */
#define AHEAD_MAX 4

/* The last one is for lists of tiles. */
static uint32_t slots_of(const struct lava_stream *stream) {
    return stream->slots < LAVA_ARENA_LIST_SLOT ? stream->slots : LAVA_ARENA_LIST_SLOT;
}

static uint32_t most_ahead(const struct lava_stream *stream) {
    return slots_of(stream) < AHEAD_MAX ? slots_of(stream) : AHEAD_MAX;
}

static int64_t padded_ld(const struct lava_stored *stored) {
    return lava_blocking_padded(stored->rows, WORD_BYTES / (uint32_t)stored->element_bytes);
}

/* Returns false if what must be one chunk does not fit a slot. */
static bool open_block(struct lava_stream *stream) {
    struct lava_staging *staging = &stream->staging;
    const struct lava_stored *stored = &staging->stored;
    int64_t slot_bytes = (int64_t)stream->arena->slot_bytes;
    if (stream->at_once)
        slot_bytes = lava_minimum(slot_bytes, AT_ONCE_CHUNK_BYTES);
    staging->row = staging->column = staging->product = 0;
    staging->is_open = true;
    staging->chunking = (struct lava_chunking){stored->rows, stored->columns};
    if (stored->products > 0 || stored->is_whole)
        return padded_ld(stored) * stored->columns * (int64_t)stored->element_bytes <=
               (int64_t)stream->arena->slot_bytes;
    staging->chunking =
        lava_blocking_chunks(stored->rows, stored->columns, (uint64_t)slot_bytes, stored->element_bytes);
    return true;
}

/* Returns the columns of the next chunks. The first ones are smaller if chunks hold whole columns. */
static int64_t next_columns(const struct lava_stream *stream) {
    const struct lava_staging *staging = &stream->staging;
    const struct lava_chunking *chunking = &staging->chunking;
    if (stream->at_once || staging->stored.is_whole || staging->chunks >= SMALLER_CHUNKS ||
        chunking->chunk_rows < staging->stored.rows)
        return chunking->chunk_columns;
    int64_t columns = chunking->chunk_columns >> (SMALLER_CHUNKS - staging->chunks);
    return lava_maximum(columns / LAVA_CHUNK_ALIGN, 1) * LAVA_CHUNK_ALIGN;
}

/* A slot holds as many products as fit. */
static void next_products(struct lava_stream *stream, struct lava_staged *staged) {
    struct lava_staging *staging = &stream->staging;
    const struct lava_stored *stored = &staging->stored;
    int64_t each = padded_ld(stored) * stored->columns * (int64_t)stored->element_bytes;
    int64_t fitting = lava_minimum((int64_t)stream->arena->slot_bytes / each, LAVA_QUEUE_GROUPS);
    staged->chunk = (struct lava_chunk){.rows = stored->rows, .columns = stored->columns};
    staged->first_product = staging->product;
    staged->products = lava_minimum(fitting, stored->products - staging->product);
    staging->product += staged->products;
    staging->is_open = staging->product < stored->products;
}

static void next_chunk(struct lava_stream *stream, struct lava_staged *staged) {
    struct lava_staging *staging = &stream->staging;
    const struct lava_stored *stored = &staging->stored;
    if (staging->row == 0) {
        staging->columns = lava_minimum(next_columns(stream), stored->columns - staging->column);
        staging->chunks++;
    }
    staged->chunk =
        (struct lava_chunk){.row = staging->row,
                            .column = staging->column,
                            .rows = lava_minimum(staging->chunking.chunk_rows, stored->rows - staging->row),
                            .columns = staging->columns};
    staged->first_product = 0;
    staged->products = 1;
    staging->row += staged->chunk.rows;
    if (staging->row < stored->rows)
        return;
    staging->row = 0;
    staging->column += staging->columns;
    staging->is_open = staging->column < stored->columns;
}

const struct lava_buffer *lava_staging_buffer(const struct lava_stream *stream, uint32_t slot,
                                              uint64_t *offset) {
    bool is_shared = slot >= LAVA_ARENA_SLOTS;
    *offset = (is_shared ? slot - LAVA_ARENA_SLOTS : slot) * stream->arena->slot_bytes;
    return is_shared ? stream->staging.shared.all : &stream->arena->buffers[LAVA_ARENA_STAGING_UP];
}

static void *slot_address(const struct lava_stream *stream, uint32_t slot) {
    if (slot >= LAVA_ARENA_SLOTS)
        return lava_shared_staging_address(slot - LAVA_ARENA_SLOTS);
    return (char *)stream->arena->buffers[LAVA_ARENA_STAGING_UP].mapped + slot * stream->arena->slot_bytes;
}

/* Where the chunk begins in the program's memory, of a block without a list of addresses. */
static const char *source_of(const struct lava_stored *stored, const struct lava_staged *staged) {
    const struct lava_chunk *chunk = &staged->chunk;
    int64_t start = chunk->column * stored->ld + chunk->row + staged->first_product * stored->stride;
    return (const char *)stored->first + start * (int64_t)stored->element_bytes;
}

static void start_copy(struct lava_stream *stream, struct lava_staged *staged) {
    const struct lava_stored *stored = &stream->staging.stored;
    const struct lava_chunk *chunk = &staged->chunk;
    struct lava_copies copies = {.copy = {.source = stored->sources ? NULL : source_of(stored, staged),
                                          .source_ld = stored->ld,
                                          .target = slot_address(stream, staged->slot),
                                          .target_ld = staged->ld,
                                          .rows = chunk->rows,
                                          .columns = chunk->columns},
                                 .count = staged->products,
                                 .source_stride = stored->stride,
                                 .target_stride = staged->ld * chunk->columns,
                                 .sources = stored->sources ? stored->sources + staged->first_product : NULL};
    staged->copy = stored->products > 0
                       ? lava_copy_pool_copy_each(stream->pool, &copies, stored->element_bytes)
                       : lava_copy_pool_copy(stream->pool, &copies.copy, stored->element_bytes);
}

/* Gives slots back that the device has read. */
static void return_shared(struct lava_stream *stream) {
    struct lava_staging *staging = &stream->staging;
    for (uint32_t i = 0; i < LAVA_SHARED_SLOTS; i++)
        if (staging->shared_read & UINT32_C(1) << i &&
            lava_queue_reached(stream->device, stream->staged[LAVA_ARENA_SLOTS + i])) {
            staging->shared_read &= ~(UINT32_C(1) << i);
            lava_shared_staging_return(&staging->shared, i);
        }
}

/* Returns whether the chunk has a shared slot now. If it is this member's to copy, the copy is started. */
static bool stage_shared(struct lava_stream *stream, struct lava_staged *staged) {
    struct lava_staging *staging = &stream->staging;
    uint32_t slot;
    if (staging->shared.bit == 0 || !staging->stored.is_shared)
        return false;
    enum lava_shared_use use;
    do {
        return_shared(stream);
        use = lava_shared_staging_take(&staging->shared, source_of(&staging->stored, staged),
                                       staged->chunk.rows, staged->chunk.columns, &slot);
        if (use == LAVA_SHARED_FULL)
            lava_shared_staging_wait(&staging->shared);
    } while (use == LAVA_SHARED_FULL);
    if (use == LAVA_SHARED_NONE)
        return false;
    staged->slot = LAVA_ARENA_SLOTS + slot;
    staged->copy.done = true;
    if (use == LAVA_SHARED_COPY) {
        start_copy(stream, staged);
        lava_shared_staging_offer(&staging->shared, slot, staged->copy);
    }
    return true;
}

static enum lava_status stage_own(struct lava_stream *stream, struct lava_staged *staged) {
    struct lava_staging *staging = &stream->staging;
    enum lava_status status = lava_stream_wait(stream, stream->staged[staging->next_slot]);
    if (status)
        return status;
    staged->slot = staging->next_slot;
    staging->next_slot = (staging->next_slot + 1) % slots_of(stream);
    start_copy(stream, staged);
    return LAVA_OK;
}

/* Starts the copy of the next chunk, after waiting until there is a slot. */
static enum lava_status stage_next(struct lava_stream *stream) {
    struct lava_staging *staging = &stream->staging;
    struct lava_staged *staged = &staging->staged[(staging->first + staging->count) % LAVA_ARENA_SLOTS];
    const struct lava_stored *stored = &staging->stored;
    if (lava_fault_hit(LAVA_FAULT_UPLOAD))
        return LAVA_ERROR_DRIVER;
    *staged = (struct lava_staged){0};
    if (stored->products > 0)
        next_products(stream, staged);
    else
        next_chunk(stream, staged);
    staged->is_last = !staging->is_open;
    staged->ld = lava_blocking_padded(staged->chunk.rows, WORD_BYTES / (uint32_t)stored->element_bytes);
    staged->bytes = (uint64_t)(staged->ld * staged->chunk.columns * staged->products) * stored->element_bytes;
    enum lava_status status = stage_shared(stream, staged) ? LAVA_OK : stage_own(stream, staged);
    staging->count += !status;
    return status;
}

/* Stages chunks ahead while their slots are free. */
static enum lava_status stage_ahead(struct lava_stream *stream, const struct lava_stored *stored) {
    struct lava_staging *staging = &stream->staging;
    while (staging->count < most_ahead(stream)) {
        if (!staging->is_open) {
            if (staging->next ? !staging->next(staging->context, &staging->stored) : staging->count > 0)
                return LAVA_OK;
            if (!staging->next)
                staging->stored = *stored;
            if (!open_block(stream))
                return LAVA_ERROR_HOST_MEMORY;
        }
        if (staging->count > 0 && !lava_queue_reached(stream->device, stream->staged[staging->next_slot]))
            return LAVA_OK;
        enum lava_status status = stage_next(stream);
        if (status)
            return status;
    }
    return LAVA_OK;
}

enum lava_status lava_staging_fetch(struct lava_stream *stream, const struct lava_stored *stored,
                                    struct lava_staged *staged) {
    struct lava_staging *staging = &stream->staging;
    staging->shared_read |= staging->shared_last; /* the caller has recorded its upload */
    staging->shared_last = 0;
    enum lava_status status = stage_ahead(stream, stored);
    if (status)
        return status;
    if (staging->count == 0) /* there is no such block */
        return LAVA_ERROR_DRIVER;
    *staged = staging->staged[staging->first];
    staging->first = (staging->first + 1) % LAVA_ARENA_SLOTS;
    staging->count--;
    if (staged->slot >= LAVA_ARENA_SLOTS) {
        uint32_t slot = staged->slot - LAVA_ARENA_SLOTS;
        lava_shared_staging_fetch(&staging->shared, slot);
        staging->shared_last = UINT32_C(1) << slot;
    } else {
        lava_copy_pool_finish(stream->pool, staged->copy);
    }
    return LAVA_OK;
}
