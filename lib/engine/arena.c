/* Allocates the engine's buffers, one per role, and those of matrices on the device. Called by engine.c,
 * lib/product/runner.c and lib/lapack/device_matrix.c. Invariant: a buffer is replaced only between two
 * products, when the device is idle. */
#include "lib/engine/arena.h"

#include <string.h>

#include "lib/base/log.h"

/* 8 MiB is large enough to reach the bus's rate: 48 of 50 GB/s, against 15 at 256 KiB, 38 at 1 MiB and 47 at
 * 4 MiB (measured on an H200). It is small enough that CPU copies, the bus and the arithmetic overlap
 * soon. */
#define SLOT_BYTES_MAX   LAVA_BLOCKING_SLOT_BYTES
#define SLOT_BYTES_MIN   (64ull << 10)
#define RAW_SLOTS_MIN    4
#define VECTOR_BYTES_MIN (64ull << 10)
/* Raw chunks take at most one part in this many of the device's memory. */
#define RAW_SHARE 8

static enum lava_status stage(struct lava_arena *arena, struct lava_device *device) {
    static const enum lava_arena_role roles[] = {LAVA_ARENA_STAGING_UP, LAVA_ARENA_STAGING_DOWN};
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < 2 && !status; i++)
        if (arena->buffers[roles[i]].bytes == 0)
            status = lava_memory_allocate(device, LAVA_MEMORY_STAGING, arena->slot_bytes * LAVA_ARENA_SLOTS,
                                          &arena->buffers[roles[i]]);
    return status;
}

/* Allocates as many raw slots as the uploads fill. Falls back to the fewest if the device has no room for
 * more. */
static enum lava_status grow_raw(struct lava_arena *arena, struct lava_device *device,
                                 uint64_t upload_bytes) {
    struct lava_buffer *raw = &arena->buffers[LAVA_ARENA_RAW];
    if (device->capabilities.unified_memory)
        return LAVA_OK;
    uint64_t least = RAW_SLOTS_MIN * arena->slot_bytes, most = arena->raw_slots_max * arena->slot_bytes;
    uint64_t bytes = most;
    if (upload_bytes < most)
        bytes = (uint64_t)lava_blocking_padded((int64_t)upload_bytes, (uint32_t)least);
    if (bytes < least)
        bytes = least;
    enum lava_status status = LAVA_OK;
    while (raw->bytes < bytes) {
        lava_memory_free(device, raw);
        status = lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes, raw);
        if (status != LAVA_ERROR_DEVICE_MEMORY || bytes == least)
            break;
        bytes = least;
    }
    return status;
}

enum lava_status lava_arena_init(struct lava_arena *arena, struct lava_device *device) {
    memset(arena, 0, sizeof *arena);
    uint64_t slot = SLOT_BYTES_MAX, memory = device->capabilities.memory_bytes;
    uint64_t pinned_share = device->staging_limit_bytes / (2 * LAVA_ARENA_SLOTS);
    uint64_t memory_share = memory / (4 * RAW_SLOTS_MIN);
    slot = pinned_share < slot ? pinned_share : slot;
    slot = memory_share < slot ? memory_share : slot;
    slot = slot / SLOT_BYTES_MIN * SLOT_BYTES_MIN;
    if (slot < SLOT_BYTES_MIN)
        return LAVA_ERROR_DEVICE_MEMORY;
    arena->slot_bytes = slot;
    uint64_t raw_slots = memory / RAW_SHARE / slot / RAW_SLOTS_MIN * RAW_SLOTS_MIN;
    raw_slots = raw_slots < LAVA_ARENA_RAW_SLOTS ? raw_slots : LAVA_ARENA_RAW_SLOTS;
    arena->raw_slots_max = raw_slots > RAW_SLOTS_MIN ? (uint32_t)raw_slots : RAW_SLOTS_MIN;
    return lava_arena_wake(arena, device);
}

enum lava_status lava_arena_wake(struct lava_arena *arena, struct lava_device *device) {
    enum lava_status status = stage(arena, device);
    return status ? status : grow_raw(arena, device, 0);
}

void lava_arena_finish(struct lava_arena *arena, struct lava_device *device) {
    for (int role = 0; role < LAVA_ARENA_ROLES; role++)
        lava_memory_free(device, &arena->buffers[role]);
    for (int i = 0; i < LAVA_ARENA_RANGES; i++)
        lava_memory_free(device, &arena->ranges[i].buffer);
}

/* Frees what is kept and not taken. Returns a range without a buffer, or NULL if all are taken. */
static struct lava_arena_range *clear_ranges(struct lava_arena *arena, struct lava_device *device) {
    struct lava_arena_range *empty = NULL;
    for (int i = 0; i < LAVA_ARENA_RANGES; i++) {
        struct lava_arena_range *range = &arena->ranges[i];
        if (range->taken)
            continue;
        lava_memory_free(device, &range->buffer);
        empty = range;
    }
    return empty;
}

void lava_arena_release(struct lava_arena *arena, struct lava_device *device) {
    bool keeps_staging = !device->capabilities.unified_memory;
    for (int role = 0; role < LAVA_ARENA_ROLES; role++)
        if (!keeps_staging || (role != LAVA_ARENA_STAGING_UP && role != LAVA_ARENA_STAGING_DOWN))
            lava_memory_free(device, &arena->buffers[role]);
    clear_ranges(arena, device);
    memset(arena->lists, 0, sizeof arena->lists);
}

uint64_t lava_arena_overhead_bytes(const struct lava_arena *arena) {
    uint64_t slots = arena->buffers[LAVA_ARENA_RAW].bytes ? arena->raw_slots_max : 0;
    return (slots + 1) * arena->slot_bytes; /* one more: LAVA_ARENA_SCALED */
}

uint32_t lava_arena_raw_slots(const struct lava_arena *arena) {
    return (uint32_t)(arena->buffers[LAVA_ARENA_RAW].bytes / arena->slot_bytes);
}

/* Fills in the bytes that each role needs for a block; 0 for roles that do not belong to a block. */
static void needs(const struct lava_arena *arena, const struct lava_blocking *blocking, bool scales_a,
                  uint64_t bytes[LAVA_ARENA_ROLES]) {
    bool twice_b = !blocking->by_strips && blocking->blocks_m * blocking->blocks_n * blocking->blocks_k > 1;
    memset(bytes, 0, LAVA_ARENA_ROLES * sizeof *bytes);
    bytes[LAVA_ARENA_PACKED_A] = blocking->packed_a_bytes;
    bytes[LAVA_ARENA_PACKED_B] = blocking->packed_b_bytes;
    bytes[LAVA_ARENA_PACKED_B_OTHER] = twice_b ? blocking->packed_b_bytes : 0;
    bytes[LAVA_ARENA_ACCUMULATOR] = blocking->accumulator_bytes * blocking->blocks_held;
    bytes[LAVA_ARENA_RESULT] = blocking->result_bytes * blocking->blocks_held;
    bytes[LAVA_ARENA_TILE_LISTS] = blocking->tile_list_bytes * LAVA_BLOCKING_TILE_LISTS;
    bytes[LAVA_ARENA_SQUARE] = blocking->square_bytes;
    bytes[LAVA_ARENA_SCALED] = scales_a ? arena->slot_bytes : 0;
}

uint64_t lava_arena_growth_bytes(const struct lava_arena *arena, const struct lava_blocking *blocking,
                                 bool scales_a) {
    uint64_t bytes[LAVA_ARENA_ROLES], growth = 0;
    needs(arena, blocking, scales_a, bytes);
    for (int role = 0; role < LAVA_ARENA_ROLES; role++)
        growth += bytes[role] > arena->buffers[role].bytes ? bytes[role] : 0;
    return growth;
}

uint64_t lava_arena_block_bytes(const struct lava_arena *arena) {
    uint64_t bytes = 0;
    for (int role = 0; role <= LAVA_ARENA_TILE_LISTS; role++)
        bytes += arena->buffers[role].bytes;
    return bytes;
}

bool lava_arena_has(const struct lava_arena *arena, const struct lava_blocking *blocking, bool scales_a) {
    return arena->buffers[LAVA_ARENA_STAGING_UP].bytes > 0 &&
           lava_arena_growth_bytes(arena, blocking, scales_a) == 0;
}

static enum lava_status grow(struct lava_arena *arena, struct lava_device *device,
                             const uint64_t bytes[LAVA_ARENA_ROLES]) {
    for (int role = 0; role < LAVA_ARENA_ROLES; role++) {
        if (bytes[role] <= arena->buffers[role].bytes)
            continue;
        lava_memory_free(device, &arena->buffers[role]);
        if (role == LAVA_ARENA_TILE_LISTS)
            memset(arena->lists, 0, sizeof arena->lists);
        enum lava_status status =
            lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes[role], &arena->buffers[role]);
        if (status)
            return status;
    }
    return LAVA_OK;
}

static void release_blocks(struct lava_arena *arena, struct lava_device *device) {
    for (int role = 0; role <= LAVA_ARENA_TILE_LISTS; role++)
        lava_memory_free(device, &arena->buffers[role]);
    memset(arena->lists, 0, sizeof arena->lists);
}

enum lava_status lava_arena_reserve(struct lava_arena *arena, struct lava_device *device,
                                    const struct lava_blocking *blocking, uint64_t upload_bytes,
                                    bool scales_a) {
    uint64_t bytes[LAVA_ARENA_ROLES];
    enum lava_status status;
    if ((status = stage(arena, device)) || (status = grow_raw(arena, device, upload_bytes)))
        return status;
    needs(arena, blocking, scales_a, bytes);
    status = grow(arena, device, bytes);
    if (status == LAVA_ERROR_DEVICE_MEMORY) {
        /* buffers of earlier products and matrices may take the memory */
        release_blocks(arena, device);
        clear_ranges(arena, device);
        status = grow(arena, device, bytes);
        if (status)
            release_blocks(arena, device);
    }
    uint64_t list_bytes = arena->buffers[LAVA_ARENA_TILE_LISTS].bytes / LAVA_BLOCKING_TILE_LISTS / 4 * 4;
    if (list_bytes != arena->list_bytes)
        memset(arena->lists, 0, sizeof arena->lists); /* the lists begin at other offsets now */
    arena->list_bytes = list_bytes;
    return status;
}

/* Vectors of many lengths take turns: sizes are powers of two. */
static enum lava_status grow_vector(struct lava_arena *arena, struct lava_device *device, uint64_t bytes,
                                    enum lava_arena_role role, enum lava_memory_use use) {
    struct lava_buffer *buffer = &arena->buffers[role];
    uint64_t size = VECTOR_BYTES_MIN;
    if (bytes <= buffer->bytes)
        return LAVA_OK;
    while (size < bytes)
        size *= 2;
    lava_memory_free(device, buffer);
    return lava_memory_allocate(device, use, size, buffer);
}

/* Staging memory is within a limit that other users may have reached: the slots are used. */
enum lava_status lava_arena_take_vectors(struct lava_arena *arena, struct lava_device *device,
                                         uint64_t in_bytes, uint64_t out_bytes, uint64_t sums_bytes,
                                         struct lava_arena_vectors *vectors) {
    const struct lava_buffer *slots = &arena->buffers[LAVA_ARENA_STAGING_UP];
    *vectors = (struct lava_arena_vectors){.in = &arena->buffers[LAVA_ARENA_VECTOR_IN],
                                           .out = &arena->buffers[LAVA_ARENA_STAGING_DOWN],
                                           .sums = &arena->buffers[LAVA_ARENA_VECTOR_SUMS]};
    enum lava_status status = lava_arena_wake(arena, device);
    if (!status && (in_bytes > slots->bytes || out_bytes > slots->bytes))
        status = LAVA_ERROR_UNAVAILABLE;
    if (!status)
        status = grow_vector(arena, device, sums_bytes, LAVA_ARENA_VECTOR_SUMS, LAVA_MEMORY_DEVICE);
    if (!status && grow_vector(arena, device, in_bytes, LAVA_ARENA_VECTOR_IN, LAVA_MEMORY_WRITTEN))
        vectors->in = slots;
    return status;
}

/* A kept buffer serves a matrix that needs at least half of it. */
static struct lava_arena_range *find_range(struct lava_arena *arena, uint64_t bytes) {
    struct lava_arena_range *best = NULL;
    for (int i = 0; i < LAVA_ARENA_RANGES; i++) {
        struct lava_arena_range *range = &arena->ranges[i];
        bool serves = range->buffer.bytes >= bytes && range->buffer.bytes / 2 <= bytes;
        if (!range->taken && serves && (!best || range->buffer.bytes < best->buffer.bytes))
            best = range;
    }
    return best;
}

static struct lava_arena_range *empty_range(struct lava_arena *arena) {
    for (int i = 0; i < LAVA_ARENA_RANGES; i++)
        if (!arena->ranges[i].taken && arena->ranges[i].buffer.bytes == 0)
            return &arena->ranges[i];
    return NULL;
}

enum lava_status lava_arena_take(struct lava_arena *arena, struct lava_device *device, uint64_t bytes,
                                 const struct lava_buffer **buffer) {
    struct lava_arena_range *range = find_range(arena, bytes);
    enum lava_status status = LAVA_OK;
    *buffer = NULL;
    if (!range) {
        range = empty_range(arena);
        status = range ? lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes, &range->buffer)
                       : LAVA_ERROR_DEVICE_MEMORY;
        if (status == LAVA_ERROR_DEVICE_MEMORY && !arena->is_used)
            release_blocks(arena, device);
        if (status == LAVA_ERROR_DEVICE_MEMORY && (range = clear_ranges(arena, device)))
            status = lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes, &range->buffer);
    }
    if (status)
        return status;
    range->taken = true;
    *buffer = &range->buffer;
    return LAVA_OK;
}

void lava_arena_return(struct lava_arena *arena, const struct lava_buffer *buffer) {
    for (int i = 0; i < LAVA_ARENA_RANGES; i++)
        if (&arena->ranges[i].buffer == buffer)
            arena->ranges[i].taken = false;
}

uint64_t lava_arena_taken_bytes(const struct lava_arena *arena) {
    uint64_t bytes = 0;
    for (int i = 0; i < LAVA_ARENA_RANGES; i++)
        bytes += arena->ranges[i].taken ? arena->ranges[i].buffer.bytes : 0;
    return bytes;
}

uint64_t lava_arena_kept_bytes(const struct lava_arena *arena) {
    uint64_t bytes = 0;
    for (int i = 0; i < LAVA_ARENA_RANGES; i++)
        bytes += arena->ranges[i].buffer.bytes;
    return bytes;
}
