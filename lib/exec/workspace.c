/* Buffers by role. Called by executor.c. Between two products the device is idle, so a buffer may be replaced
 * then and only then. */
#include "lib/exec/workspace.h"

#include <string.h>

#include "lib/base/log.h"

/* 8 MiB: large enough for the bus's rate (48 of 50 GB/s; 15 at 256 KiB, 38 at 1 MiB, 47 at 4 MiB, measured on
 * an H200), small enough that copies by the CPU, the bus and the arithmetic overlap soon. */
#define SLOT_BYTES_MAX (8ull << 20)
#define SLOT_BYTES_MIN (64ull << 10)
#define RAW_SLOTS_MIN  4
/* Of the device's memory, what raw chunks may take at most. */
#define RAW_SHARE 8

static enum lava_status stage(struct lava_workspace *workspace, struct lava_device *device) {
    static const enum lava_workspace_role roles[] = {LAVA_WORKSPACE_STAGING_UP, LAVA_WORKSPACE_STAGING_DOWN};
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < 2 && !status; i++)
        if (workspace->buffers[roles[i]].bytes == 0)
            status = lava_memory_allocate(device, LAVA_MEMORY_STAGING,
                                          workspace->slot_bytes * LAVA_WORKSPACE_SLOTS,
                                          &workspace->buffers[roles[i]]);
    return status;
}

/* As many raw slots as the uploads fill, or as there is room for. */
static enum lava_status grow_raw(struct lava_workspace *workspace, struct lava_device *device,
                                 uint64_t upload_bytes) {
    struct lava_buffer *raw = &workspace->buffers[LAVA_WORKSPACE_RAW];
    if (device->capabilities.unified_memory)
        return LAVA_OK;
    uint64_t least = RAW_SLOTS_MIN * workspace->slot_bytes,
             most = workspace->raw_slots_max * workspace->slot_bytes;
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

enum lava_status lava_workspace_init(struct lava_workspace *workspace, struct lava_device *device) {
    memset(workspace, 0, sizeof *workspace);
    uint64_t slot = SLOT_BYTES_MAX, memory = device->capabilities.memory_bytes;
    uint64_t pinned_share = device->staging_limit_bytes / (2 * LAVA_WORKSPACE_SLOTS);
    uint64_t memory_share = memory / (4 * RAW_SLOTS_MIN);
    slot = pinned_share < slot ? pinned_share : slot;
    slot = memory_share < slot ? memory_share : slot;
    slot = slot / SLOT_BYTES_MIN * SLOT_BYTES_MIN;
    if (slot < SLOT_BYTES_MIN)
        return LAVA_ERROR_DEVICE_MEMORY;
    workspace->slot_bytes = slot;
    uint64_t raw_slots = memory / RAW_SHARE / slot / RAW_SLOTS_MIN * RAW_SLOTS_MIN;
    raw_slots = raw_slots < LAVA_WORKSPACE_RAW_SLOTS ? raw_slots : LAVA_WORKSPACE_RAW_SLOTS;
    workspace->raw_slots_max = raw_slots > RAW_SLOTS_MIN ? (uint32_t)raw_slots : RAW_SLOTS_MIN;
    enum lava_status status = stage(workspace, device);
    return status ? status : grow_raw(workspace, device, 0);
}

void lava_workspace_finish(struct lava_workspace *workspace, struct lava_device *device) {
    for (int role = 0; role < LAVA_WORKSPACE_ROLES; role++)
        lava_memory_free(device, &workspace->buffers[role]);
}

void lava_workspace_release(struct lava_workspace *workspace, struct lava_device *device) {
    lava_workspace_finish(workspace, device);
    memset(workspace->lists, 0, sizeof workspace->lists);
}

uint64_t lava_workspace_overhead_bytes(const struct lava_workspace *workspace) {
    return workspace->buffers[LAVA_WORKSPACE_RAW].bytes ? workspace->raw_slots_max * workspace->slot_bytes
                                                        : 0;
}

uint32_t lava_workspace_raw_slots(const struct lava_workspace *workspace) {
    return (uint32_t)(workspace->buffers[LAVA_WORKSPACE_RAW].bytes / workspace->slot_bytes);
}

/* What each role of a block needs; 0 for the roles that are not a block's. */
static void needs(const struct lava_blocking *blocking, uint64_t bytes[LAVA_WORKSPACE_ROLES]) {
    bool twice = blocking->blocks_m * blocking->blocks_n > 1;
    bool twice_b = twice || blocking->blocks_k > 1;
    memset(bytes, 0, LAVA_WORKSPACE_ROLES * sizeof *bytes);
    bytes[LAVA_WORKSPACE_PACKED_A] = blocking->packed_a_bytes;
    bytes[LAVA_WORKSPACE_PACKED_B] = blocking->packed_b_bytes;
    bytes[LAVA_WORKSPACE_PACKED_B_OTHER] = twice_b ? blocking->packed_b_bytes : 0;
    bytes[LAVA_WORKSPACE_ACCUMULATOR] = blocking->accumulator_bytes * blocking->blocks_held;
    bytes[LAVA_WORKSPACE_RESULT] = blocking->result_bytes * blocking->blocks_held;
    bytes[LAVA_WORKSPACE_SCHEDULE] = blocking->schedule_bytes * LAVA_BLOCKING_SCHEDULES;
}

static enum lava_status grow(struct lava_workspace *workspace, struct lava_device *device,
                             const uint64_t bytes[LAVA_WORKSPACE_ROLES]) {
    for (int role = 0; role < LAVA_WORKSPACE_ROLES; role++) {
        if (bytes[role] <= workspace->buffers[role].bytes)
            continue;
        lava_memory_free(device, &workspace->buffers[role]);
        if (role == LAVA_WORKSPACE_SCHEDULE)
            memset(workspace->lists, 0, sizeof workspace->lists);
        enum lava_status status =
            lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes[role], &workspace->buffers[role]);
        if (status)
            return status;
    }
    return LAVA_OK;
}

static void release_blocks(struct lava_workspace *workspace, struct lava_device *device) {
    for (int role = 0; role <= LAVA_WORKSPACE_SCHEDULE; role++)
        lava_memory_free(device, &workspace->buffers[role]);
    memset(workspace->lists, 0, sizeof workspace->lists);
}

enum lava_status lava_workspace_reserve(struct lava_workspace *workspace, struct lava_device *device,
                                        const struct lava_blocking *blocking, uint64_t upload_bytes,
                                        bool of_parts) {
    uint64_t bytes[LAVA_WORKSPACE_ROLES];
    enum lava_status status;
    if ((status = stage(workspace, device)) || (status = grow_raw(workspace, device, upload_bytes)))
        return status;
    needs(blocking, bytes);
    if (of_parts) /* op(B)'s are twice as many as the elements, columns padded to words included */
        bytes[LAVA_WORKSPACE_PARTS] = 2 * workspace->slot_bytes;
    status = grow(workspace, device, bytes);
    if (status == LAVA_ERROR_DEVICE_MEMORY) {
        /* what earlier products left may be in the way */
        release_blocks(workspace, device);
        status = grow(workspace, device, bytes);
        if (status)
            release_blocks(workspace, device);
    }
    uint64_t list_bytes = workspace->buffers[LAVA_WORKSPACE_SCHEDULE].bytes / LAVA_BLOCKING_SCHEDULES / 4 * 4;
    if (list_bytes != workspace->list_bytes)
        memset(workspace->lists, 0, sizeof workspace->lists); /* they begin elsewhere now */
    workspace->list_bytes = list_bytes;
    return status;
}
