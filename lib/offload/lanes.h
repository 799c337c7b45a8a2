/* The lanes of the process's devices: who takes one, who waits for one, and in which order. The inner half of
 * context.c, which alone calls it.
 *
 * lava_lanes.lock is held by the caller of each function, except where it says otherwise. */
#ifndef LAVA_OFFLOAD_LANES_H
#define LAVA_OFFLOAD_LANES_H

#include <pthread.h>

#include "lib/engine/engine.h"
#include "lib/offload/wait_queue.h"
#include "lib/vk/device_set.h"

/* A product of this many bytes fits the first lane only. */
#define LAVA_LANES_FIRST_ONLY UINT64_MAX

/* What a thread asks for: a lane or all devices. */
struct lava_lanes_waiter {
    bool whole;
    uint64_t block_bytes;                /* if it waits for a lane */
    uint64_t needs;                      /* what the lane's device must be tested for */
    const struct lava_device_shared *on; /* only on this device; NULL: on any */
    unsigned device; /* whose first lane it waits for, if block_bytes is LAVA_LANES_FIRST_ONLY */
};

struct lava_lane {
    struct lava_engine *engine;
    bool taken;            /* by a product */
    uint64_t failed_bytes; /* blocks of this many bytes did not fit the device; 0: all did */
};

/* A device of the process, which exists if its first lane has an engine. */
struct lava_lanes_device {
    struct lava_lane lanes[LAVA_DEVICE_USERS];
    unsigned taken;  /* lanes */
    uint64_t serves; /* what it is tested for, as in readiness.h; the first one: see there */
    bool closed;     /* a preparation has it */
    bool refused;    /* another lane could not be made */
    bool reclaiming; /* the first lane's product waits for the memory of the others */
};

extern struct lava_lanes {
    pthread_mutex_t lock;
    struct lava_lanes_device devices[LAVA_DEVICE_SET_MAX];
    _Atomic unsigned count;            /* devices that may exist: the first ones; at least 1 */
    unsigned taken;                    /* lanes of all devices */
    bool whole;                        /* all devices are locked */
    _Atomic bool given_up;             /* nobody uses a device, and no lock is waited for; never reset */
    bool making;                       /* a thread makes a lane */
    struct lava_wait_queue line;       /* those who wait */
    struct lava_wait_queue reclaimers; /* who wait for the other lanes of their devices */
    pthread_cond_t freed;              /* a lane, or the device, or a lane was made */
    struct lava_capabilities capabilities;
    const struct lava_figures *_Atomic figures; /* NULL: none were set */
} lava_lanes;

struct lava_lanes_device *lava_lanes_device_of(const struct lava_lane *lane);
/* Returns whether the device has failed, may take such products now or when it is free, and whether its lane
 * is free for one now. */
bool lava_lanes_has_failed(const struct lava_lanes_device *device);
bool lava_lanes_serves(const struct lava_lanes_device *device, const struct lava_lanes_waiter *self);
bool lava_lanes_is_free(const struct lava_lanes_device *device, int lane,
                        const struct lava_lanes_waiter *self);
/* Returns whether nobody uses a device. */
bool lava_lanes_is_unused(void);
void lava_lanes_take(struct lava_lane *lane);
/* Takes a lane, or all devices. A thread that waits for that is served when it is first in line, and goes on
 * when the devices are given up. *lane is set if that is a lane: NULL, and nothing is taken, if no device is
 * left that the caller could wait for. */
void lava_lanes_enter(const struct lava_lanes_waiter *self, struct lava_lane **lane);
void lava_lanes_leave(struct lava_lane *lane);
/* Something that others may wait for has ended. */
void lava_lanes_tell_freed(void);
/* The devices are given up: whoever waits goes on. */
void lava_lanes_give_up(void);
/* Frees the memory of all the device's lanes but the first, which the caller has taken. Returns whether there
 * was any. The lock is not held. */
bool lava_lanes_reclaim(struct lava_lanes_device *device);

#endif
