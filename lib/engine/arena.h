/* The engine's device memory and staging memory. It is kept between calls and grows when a product needs
 * more. One user at a time. */
#ifndef LAVA_ENGINE_ARENA_H
#define LAVA_ENGINE_ARENA_H

#include "dispatch/blocking.h"
#include "dispatch/region.h"
#include "lib/vk/memory.h"

#define LAVA_ARENA_SLOTS     8   /* staging slots in each direction */
#define LAVA_ARENA_LIST_SLOT 7   /* the one of uploads that is kept for lists of tiles */
#define LAVA_ARENA_RAW_SLOTS 128 /* raw slots on the device at most */
#define LAVA_ARENA_RANGES    32  /* matrices that stay on the device, at most */

enum lava_arena_role {
    LAVA_ARENA_PACKED_A,
    LAVA_ARENA_PACKED_B, /* one is read while the other is filled */
    LAVA_ARENA_PACKED_B_OTHER,
    LAVA_ARENA_ACCUMULATOR, /* blocking.blocks_held accumulators, and as many results */
    LAVA_ARENA_RESULT,
    LAVA_ARENA_SCALED,     /* one chunk of a complex operand, times alpha */
    LAVA_ARENA_SQUARE,     /* all elements of a square on a diagonal */
    LAVA_ARENA_TILE_LISTS, /* LAVA_BLOCKING_TILE_LISTS lists */
    LAVA_ARENA_RAW,        /* uploaded chunks until they are packed: many, so that uploads run ahead of the
                            * arithmetic; none if the device reads staging memory at its own speed */
    LAVA_ARENA_STAGING_UP,
    LAVA_ARENA_STAGING_DOWN,
    LAVA_ARENA_VECTOR_IN, /* level 2: device memory that the host writes */
    LAVA_ARENA_VECTOR_SUMS,
    LAVA_ARENA_ROLES
};

/* What a list of tiles was made for (lib/product/tile_lists.c). */
struct lava_arena_list {
    uint32_t tiles_m, tiles_n, tiles;
    uint32_t products; /* of a batch, side by side; else 1 */
    int order;
    bool is_reversed; /* the last of that order comes first */
    struct lava_region_tiles region;
};

/* A buffer for a matrix that stays on the device. It is kept for the next matrix when it is returned. */
struct lava_arena_range {
    struct lava_buffer buffer;
    bool taken;
};

struct lava_arena {
    struct lava_buffer buffers[LAVA_ARENA_ROLES];
    struct lava_arena_range ranges[LAVA_ARENA_RANGES];
    uint64_t slot_bytes;                                    /* size of a staging slot and of a raw slot */
    uint32_t raw_slots_max;                                 /* limit set by the device's memory */
    struct lava_arena_list lists[LAVA_BLOCKING_TILE_LISTS]; /* lists in the buffer; a zeroed entry is empty */
    uint64_t list_bytes;
    bool is_used;              /* a stream is open, which may be using every buffer */
    struct lava_buffer shared; /* shared_staging.h's slots, once the engine has shared a product */
    bool refuses_shared;       /* the device did not import them */
};

/* Chooses the slot size for the device's limits and allocates the staging buffers and, unless memory is
 * unified, the fewest raw slots. Returns LAVA_ERROR_DEVICE_MEMORY if the limits are too small or memory is
 * short. */
enum lava_status lava_arena_init(struct lava_arena *arena, struct lava_device *device);
void lava_arena_finish(struct lava_arena *arena, struct lava_device *device);

/* Bytes of device memory that do not belong to a block. Subtract them from the device's memory before
 * blocking. */
uint64_t lava_arena_overhead_bytes(const struct lava_arena *arena);

/* Makes every buffer at least as large as the blocking needs, with raw slots for upload_bytes if there is
 * room. scales_a: see lava_operation_scales_a. The device must be idle. LAVA_ERROR_DEVICE_MEMORY: a smaller
 * blocking may fit. */
enum lava_status lava_arena_reserve(struct lava_arena *arena, struct lava_device *device,
                                    const struct lava_blocking *blocking, uint64_t upload_bytes,
                                    bool scales_a);
/* Returns whether lava_arena_reserve would change nothing that a stream may be using. */
bool lava_arena_has(const struct lava_arena *arena, const struct lava_blocking *blocking, bool scales_a);
/* Returns the bytes of the buffers that lava_arena_reserve would allocate for blocks. */
uint64_t lava_arena_growth_bytes(const struct lava_arena *arena, const struct lava_blocking *blocking,
                                 bool scales_a);
/* Returns the bytes of all buffers for blocks. */
uint64_t lava_arena_block_bytes(const struct lava_arena *arena);
/* Allocates the staging memory and the fewest raw slots if they were released. */
enum lava_status lava_arena_wake(struct lava_arena *arena, struct lava_device *device);

/* What the kernels of level 2 work with, besides a matrix. No stream is open, nor are commands under way. */
struct lava_arena_vectors {
    const struct lava_buffer *in;  /* mapped; of staging memory if the device has no memory that is written */
    const struct lava_buffer *out; /* staging memory */
    const struct lava_buffer *sums; /* of the device */
};
enum lava_status lava_arena_take_vectors(struct lava_arena *arena, struct lava_device *device,
                                         uint64_t in_bytes, uint64_t out_bytes, uint64_t sums_bytes,
                                         struct lava_arena_vectors *vectors);

/* Takes a buffer of at least n bytes for a matrix. *buffer is valid until it is returned; NULL on
 * failure. */
enum lava_status lava_arena_take(struct lava_arena *arena, struct lava_device *device, uint64_t bytes,
                                 const struct lava_buffer **buffer);
/* NULL is allowed. Nothing on the device may be using the buffer. */
void lava_arena_return(struct lava_arena *arena, const struct lava_buffer *buffer);
/* Returns the bytes of all buffers that are taken, and of those that are kept, taken or not. */
uint64_t lava_arena_taken_bytes(const struct lava_arena *arena);
uint64_t lava_arena_kept_bytes(const struct lava_arena *arena);

uint32_t lava_arena_raw_slots(const struct lava_arena *arena);
/* Frees memory until it is reserved again, except for what is taken, and for staging memory if the device
 * has memory of its own. The device must be idle. */
void lava_arena_release(struct lava_arena *arena, struct lava_device *device);

#endif
