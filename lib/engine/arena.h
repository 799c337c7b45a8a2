/* The engine's memory on the device and its staging memory, kept between calls and grown when a product
 * needs more. One user at a time. */
#ifndef LAVA_ENGINE_ARENA_H
#define LAVA_ENGINE_ARENA_H

#include "dispatch/blocking.h"
#include "dispatch/region.h"
#include "lib/vk/memory.h"

#define LAVA_ARENA_SLOTS     8   /* of staging memory, each direction */
#define LAVA_ARENA_RAW_SLOTS 128 /* at most, on the device */

enum lava_arena_role {
    LAVA_ARENA_PACKED_A,
    LAVA_ARENA_PACKED_B, /* one in use, the other being filled */
    LAVA_ARENA_PACKED_B_OTHER,
    LAVA_ARENA_ACCUMULATOR, /* blocking.blocks_held of them, and of these */
    LAVA_ARENA_RESULT,
    LAVA_ARENA_PARTS,      /* of a complex operand's chunk */
    LAVA_ARENA_TILE_LISTS, /* LAVA_BLOCKING_TILE_LISTS lists */
    LAVA_ARENA_RAW,        /* chunks as uploaded, until they are packed: many, so that uploads run ahead of
                            * the arithmetic; none where the device reads staging memory at its own speed */
    LAVA_ARENA_STAGING_UP,
    LAVA_ARENA_STAGING_DOWN,
    LAVA_ARENA_ROLES
};

/* A list of tiles: what it was made for (tile_lists.c). */
struct lava_arena_list {
    uint32_t tiles_m, tiles_n, tiles;
    int order;
    struct lava_region_tiles region;
};

struct lava_arena {
    struct lava_buffer buffers[LAVA_ARENA_ROLES];
    uint64_t slot_bytes;    /* of staging memory and of raw chunks */
    uint32_t raw_slots_max; /* what the device's memory allows */
    struct lava_arena_list
        lists[LAVA_BLOCKING_TILE_LISTS]; /* what the buffer of lists holds; zeroed: nothing */
    uint64_t list_bytes;
};

/* Slot size for the limits, and the staging buffers themselves. */
enum lava_status lava_arena_init(struct lava_arena *arena, struct lava_device *device);
void lava_arena_finish(struct lava_arena *arena, struct lava_device *device);

/* Device memory that is not a block's: to be taken off the device's memory before blocking. */
uint64_t lava_arena_overhead_bytes(const struct lava_arena *arena);

/* Makes every buffer at least as large as the blocking needs, with raw slots for that many bytes where there
 * is room; of_parts: the operands are complex. The device must be idle. LAVA_ERROR_DEVICE_MEMORY: a smaller
 * blocking may fit. */
enum lava_status lava_arena_reserve(struct lava_arena *arena, struct lava_device *device,
                                    const struct lava_blocking *blocking, uint64_t upload_bytes,
                                    bool of_parts);
uint32_t lava_arena_raw_slots(const struct lava_arena *arena);
/* Gives all memory back, until it is reserved again. The device must be idle. */
void lava_arena_release(struct lava_arena *arena, struct lava_device *device);

#endif
