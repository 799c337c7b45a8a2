/* Staging memory that several devices upload from: a chunk that all members of a crew need is copied there by
 * the first of them that gets to it. It is memory of the process, which each device has imported, in slots as
 * large as an engine's own.
 *
 * All members want the same chunks in the same order, so a slot is filled anew when each has had its chunk. A
 * member that is ahead of the others by all slots waits for them: the host's memory carries one copy of each
 * chunk, not one for each device. If that takes too long, it shares nothing any more. One crew at a time has
 * the slots. */
#ifndef LAVA_ENGINE_SHARED_STAGING_H
#define LAVA_ENGINE_SHARED_STAGING_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/engine/arena.h"
#include "lib/host/copy_pool.h"

#define LAVA_SHARED_SLOTS 16

/* A member's part. Zeroed: it shares nothing. Its engine's thread alone uses it. */
struct lava_shared_member {
    uint32_t bit;                  /* its own in each slot's sets; 0: it shares nothing */
    struct lava_copy_pool *pool;   /* its threads */
    const struct lava_buffer *all; /* the slots, as its device has imported them */
    uint32_t copying;              /* a set of slots: it copies, and has not said yet that it is done */
    uint64_t waits_since_ns;       /* for a slot; 0: it does not wait */
    bool is_alone;                 /* it has waited for too long */
};

/* Takes the slots for a crew of n members. Returns false if another crew has them, or there is no
 * memory. */
bool lava_shared_staging_begin(uint64_t slot_bytes, unsigned members);
void lava_shared_staging_end(void);

/* Member `number` of the crew begins, with the device, the arena and the copy threads of its engine. Without
 * success it shares nothing: its device does not import. */
void lava_shared_staging_join(struct lava_shared_member *member, unsigned number, struct lava_device *device,
                              struct lava_arena *arena, struct lava_copy_pool *pool);
/* It will not begin. */
void lava_shared_staging_forget(unsigned number);
/* It ends. Its copies are finished. is_lost: its device may still be reading; then the slots are given up for
 * good. */
void lava_shared_staging_leave(struct lava_shared_member *member, bool is_lost);

/* What a member is to do with the slot that it has taken. */
enum lava_shared_use {
    LAVA_SHARED_NONE, /* it copies the chunk to its own memory */
    LAVA_SHARED_FULL, /* there is none now: lava_shared_staging_wait, then once more */
    LAVA_SHARED_COPY, /* copy the chunk there, and offer it */
    LAVA_SHARED_READ  /* wait for it */
};
/* Takes a slot for the chunk whose first element is at `first`, of n rows and columns. Equal
 * address, rows and columns mean the same chunk. */
enum lava_shared_use lava_shared_staging_take(struct lava_shared_member *member, const void *first,
                                              int64_t rows, int64_t columns, uint32_t *slot);
/* Waits for a moment. The member has returned what its device has read. */
void lava_shared_staging_wait(struct lava_shared_member *member);
/* Says by which copy the slot is being filled. */
void lava_shared_staging_offer(struct lava_shared_member *member, uint32_t slot,
                               struct lava_copy_ticket copy);
/* Finishes the member's copy to the slot, or waits for another's. */
void lava_shared_staging_fetch(struct lava_shared_member *member, uint32_t slot);
/* The member's device has read the slot. */
void lava_shared_staging_return(struct lava_shared_member *member, uint32_t slot);

/* The host's address of a slot. */
void *lava_shared_staging_address(uint32_t slot);
/* Frees what was imported for the arena. Its device must be idle. */
void lava_shared_staging_drop(struct lava_arena *arena, struct lava_device *device);

/* Chunks that were copied, and that were uploaded without a copy of the member's own, so far. For tests and
 * statistics; any thread. */
struct lava_shared_counts {
    uint64_t copied, spared;
};
struct lava_shared_counts lava_shared_staging_counts(void);

#endif
