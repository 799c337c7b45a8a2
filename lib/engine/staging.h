/* Copies stored operands to staging memory, chunk by chunk, ahead of the commands that need them: while the
 * device's queues are fed with one chunk, the copy threads fill slots with the next ones. One user at a time.
 */
#ifndef LAVA_ENGINE_STAGING_H
#define LAVA_ENGINE_STAGING_H

#include "lib/engine/arena.h"
#include "lib/engine/shared_staging.h"
#include "lib/host/copy_pool.h"

struct lava_stream;

/* A block of a matrix in host memory, or the same block of each product of a batch. */
struct lava_stored {
    const void *first;
    int64_t ld; /* in elements */
    size_t element_bytes;
    int64_t rows, columns;
    bool is_whole;  /* it is one chunk; it must fit a slot */
    bool is_shared; /* other members of a crew upload the same block */
    /* In a batch: how many such blocks are packed side by side. Block i begins i times the stride (in
     * elements) after the first, or at sources[i] if that is not NULL. 0: one. */
    int64_t products, stride;
    const void *const *sources;
};

/* rows x columns at (row, column) of a block, or of a result. */
struct lava_chunk {
    int64_t row, column, rows, columns;
};

/* A chunk in a staging slot. Its columns begin at multiples of 16 bytes. */
struct lava_staged {
    uint32_t slot; /* from LAVA_ARENA_SLOTS on: one that is shared */
    struct lava_chunk chunk;
    int64_t first_product, products; /* of a batch; else 0, 1 */
    int64_t ld;                      /* in elements */
    uint64_t bytes;
    bool is_last; /* of its block */
    struct lava_copy_ticket copy;
};

/* Belongs to a stream, which zeroes it. */
struct lava_staging {
    /* Returns the next block that will be packed, or false: there is none. They are asked for in the order of
     * their packs. NULL: no block is known ahead. */
    bool (*next)(void *context, struct lava_stored *stored);
    void *context;

    struct lava_stored stored; /* the block that is being staged */
    bool is_open;              /* it has more chunks */
    struct lava_chunking chunking;
    int64_t row, column, columns, product; /* of its next chunk */
    uint32_t chunks;                       /* of all blocks so far */

    struct lava_staged staged[LAVA_ARENA_SLOTS]; /* copied or being copied; not fetched yet */
    uint32_t first, count, next_slot;

    struct lava_shared_member shared; /* runner.c lets it join and leave */
    uint32_t shared_read;             /* a set of shared slots: their uploads are among the commands */
    uint32_t shared_last;             /* the same of the last chunk that was fetched; 0: it is not shared */
};

/* Where a slot is on the device, and in which buffer. */
const struct lava_buffer *lava_staging_buffer(const struct lava_stream *stream, uint32_t slot,
                                              uint64_t *offset);

/* Returns the next chunk when it is in its slot. The block is the one that `next` returned, or, where that is
 * NULL, the one given here. Until the device has read the slot, as stream->staged[slot] tells, it is kept. */
enum lava_status lava_staging_fetch(struct lava_stream *stream, const struct lava_stored *stored,
                                    struct lava_staged *staged);

#endif
