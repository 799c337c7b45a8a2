/* Buffers by role. Called by executor.c. Between two products the device is idle, so a buffer may be replaced
 * then and only then. */
#include "lib/exec/workspace.h"

#include <string.h>

#include "lib/base/log.h"

/* 16 MiB: large enough for the bus's full rate (46 of 50 GB/s at 32 MiB, 19 at 1 MiB, measured on an H200),
 * small enough that a copy by the CPU and one by the device overlap soon. */
#define SLOT_BYTES_MAX (16ull << 20)
#define SLOT_BYTES_MIN (64ull << 10)

enum lava_status lava_workspace_init(struct lava_workspace *workspace, struct lava_device *device) {
    memset(workspace, 0, sizeof *workspace);
    uint64_t slot = SLOT_BYTES_MAX;
    uint64_t pinned_share = device->staging_limit_bytes / (2 * LAVA_WORKSPACE_SLOTS);
    uint64_t memory_share = device->capabilities.memory_bytes / (4 * LAVA_WORKSPACE_SLOTS);
    slot = pinned_share < slot ? pinned_share : slot;
    slot = memory_share < slot ? memory_share : slot;
    slot = slot / SLOT_BYTES_MIN * SLOT_BYTES_MIN;
    if (slot < SLOT_BYTES_MIN)
        return LAVA_ERROR_DEVICE_MEMORY;
    workspace->slot_bytes = slot;

    enum lava_status status;
    uint64_t bytes = slot * LAVA_WORKSPACE_SLOTS;
    if ((status = lava_memory_allocate(device, LAVA_MEMORY_STAGING, bytes,
                                       &workspace->buffers[LAVA_WORKSPACE_STAGING_UP])) ||
        (status = lava_memory_allocate(device, LAVA_MEMORY_STAGING, bytes,
                                       &workspace->buffers[LAVA_WORKSPACE_STAGING_DOWN])))
        return status;
    if (!device->capabilities.unified_memory)
        status =
            lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes, &workspace->buffers[LAVA_WORKSPACE_RAW]);
    return status;
}

void lava_workspace_finish(struct lava_workspace *workspace, struct lava_device *device) {
    for (int role = 0; role < LAVA_WORKSPACE_ROLES; role++)
        lava_memory_free(device, &workspace->buffers[role]);
}

uint64_t lava_workspace_overhead_bytes(const struct lava_workspace *workspace) {
    return workspace->buffers[LAVA_WORKSPACE_RAW].bytes;
}

/* What each role of a block needs; 0 for the roles that are not a block's. */
static void needs(const struct lava_blocking *blocking, uint64_t bytes[LAVA_WORKSPACE_ROLES]) {
    bool twice = blocking->blocks_m * blocking->blocks_n > 1;
    bool twice_b = twice || blocking->blocks_k > 1;
    memset(bytes, 0, LAVA_WORKSPACE_ROLES * sizeof *bytes);
    bytes[LAVA_WORKSPACE_PACKED_A] = blocking->packed_a_bytes;
    bytes[LAVA_WORKSPACE_PACKED_B] = blocking->packed_b_bytes;
    bytes[LAVA_WORKSPACE_PACKED_B_OTHER] = twice_b ? blocking->packed_b_bytes : 0;
    bytes[LAVA_WORKSPACE_ACCUMULATOR] = blocking->accumulator_bytes;
    bytes[LAVA_WORKSPACE_ACCUMULATOR_OTHER] = twice ? blocking->accumulator_bytes : 0;
    bytes[LAVA_WORKSPACE_RESULT] = blocking->result_bytes;
    bytes[LAVA_WORKSPACE_RESULT_OTHER] = twice ? blocking->result_bytes : 0;
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
                                        const struct lava_blocking *blocking) {
    uint64_t bytes[LAVA_WORKSPACE_ROLES];
    needs(blocking, bytes);
    enum lava_status status = grow(workspace, device, bytes);
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
