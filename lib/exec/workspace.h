/* The executor's memory on the device and its staging memory, kept between calls and grown when a product
 * needs more. One user at a time. */
#ifndef LAVA_EXEC_WORKSPACE_H
#define LAVA_EXEC_WORKSPACE_H

#include "dispatch/blocking.h"
#include "lib/vk/memory.h"

#define LAVA_WORKSPACE_SLOTS     8   /* of staging memory, each direction */
#define LAVA_WORKSPACE_RAW_SLOTS 128 /* at most, on the device */

enum lava_workspace_role {
    LAVA_WORKSPACE_PACKED_A,
    LAVA_WORKSPACE_PACKED_B, /* one in use, the other being filled */
    LAVA_WORKSPACE_PACKED_B_OTHER,
    LAVA_WORKSPACE_ACCUMULATOR, /* blocking.blocks_held of them, and of these */
    LAVA_WORKSPACE_RESULT,
    LAVA_WORKSPACE_PARTS,    /* of a complex operand's chunk */
    LAVA_WORKSPACE_SCHEDULE, /* LAVA_BLOCKING_SCHEDULES lists */
    LAVA_WORKSPACE_RAW,      /* chunks as uploaded, until they are packed: many, so that uploads run ahead of
                              * the arithmetic; none where the device reads staging memory at its own speed */
    LAVA_WORKSPACE_STAGING_UP,
    LAVA_WORKSPACE_STAGING_DOWN,
    LAVA_WORKSPACE_ROLES
};

struct lava_workspace {
    struct lava_buffer buffers[LAVA_WORKSPACE_ROLES];
    uint64_t slot_bytes;    /* of staging memory and of raw chunks */
    uint32_t raw_slots_max; /* what the device's memory allows */
    /* what the schedule buffer holds: tiles_m | tiles_n << 32 and the order, per list; 0: nothing */
    struct {
        uint64_t shape;
        int schedule;
    } lists[LAVA_BLOCKING_SCHEDULES];
    uint64_t list_bytes;
};

/* Slot size for the limits, and the staging buffers themselves. */
enum lava_status lava_workspace_init(struct lava_workspace *workspace, struct lava_device *device);
void lava_workspace_finish(struct lava_workspace *workspace, struct lava_device *device);

/* Device memory that is not a block's: to be taken off the device's memory before blocking. */
uint64_t lava_workspace_overhead_bytes(const struct lava_workspace *workspace);

/* Makes every buffer at least as large as the blocking needs, with raw slots for that many bytes where there
 * is room; of_parts: the operands are complex. The device must be idle. LAVA_ERROR_DEVICE_MEMORY: a smaller
 * blocking may fit. */
enum lava_status lava_workspace_reserve(struct lava_workspace *workspace, struct lava_device *device,
                                        const struct lava_blocking *blocking, uint64_t upload_bytes,
                                        bool of_parts);
uint32_t lava_workspace_raw_slots(const struct lava_workspace *workspace);
/* Gives all memory back, until it is reserved again. The device must be idle. */
void lava_workspace_release(struct lava_workspace *workspace, struct lava_device *device);

#endif
