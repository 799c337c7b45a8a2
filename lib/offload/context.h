/* The process's devices and their engines, the first device's capabilities, and who may use them. prepare.c
 * creates the first engine, more_devices.c those of further devices.
 *
 * Each engine is a lane of its device: a product takes one, so as many products are computed at a time as
 * there are lanes. The first lane of a device always exists. Another is made in the background when a product
 * finds all others at work on products, up to LAVABLAS_LANES (on a software device one, unless that is set),
 * and if its staging memory fits. Preparations of the first device, the calibration, and the thread for
 * idle memory lock all devices. A preparation of a further device closes that one.
 *
 * All devices are of one model, so the first one's capabilities and figures decide for all. A device serves
 * what it was tested for; the first one serves everything that readiness.h calls usable. One that has failed
 * is passed over.
 *
 * A free lane is taken at once: the first lane of a device at rest if there is one, of the first such device;
 * else another lane. Those who wait are served in the order of their arrival; newcomers pass them while the
 * first of them has waited for less than some milliseconds, because a thread that is awake begins sooner than
 * one that has to wake up.
 *
 * Any thread may call these functions. Whoever holds one of these locks must not ask for another, except
 * through lava_context_find_memory. */
#ifndef LAVA_OFFLOAD_CONTEXT_H
#define LAVA_OFFLOAD_CONTEXT_H

#include <time.h>

#include "lib/engine/engine.h"
#include "lib/vk/device_set.h"

/* A lane that is taken. Belongs to the thread that took it. */
struct lava_lane_lock {
    struct lava_engine *engine; /* NULL: nothing is locked */
    unsigned device, lane;
    uint64_t block_bytes;
    bool reclaimed; /* the other lanes' memory was freed for it */
    int cancel_state;
};

/* Waits for a lane and takes it for one product whose blocks need block_bytes of the device's memory, on a
 * device that serves the needs (lava_steps_needs). Returns NULL, with nothing locked, if no device must
 * be used any more: the process exits, or they have failed. The thread cannot be cancelled until it unlocks.
 */
struct lava_engine *lava_context_lock_lane(uint64_t block_bytes, uint64_t needs, struct lava_lane_lock *lock);
/* The same on that device: copies that the product needs are there. NULL: on any. */
struct lava_engine *lava_context_lock_on(const struct lava_device_shared *device, uint64_t block_bytes,
                                         uint64_t needs, struct lava_lane_lock *lock);
/* Must not be called after a NULL. Ends what lava_more_devices_take has begun. */
void lava_context_unlock_lane(struct lava_lane_lock *lock);
/* Takes the first lanes of up to `most` other devices that serve the needs and are at rest, and for which
 * nobody waits. Returns how many. The caller holds a lane; if a wait for one would end in NULL, none is
 * taken. */
unsigned lava_context_lock_others(uint64_t block_bytes, uint64_t needs, unsigned most,
                                  struct lava_lane_lock *locks);
/* Gives one of these back. Any thread. */
void lava_context_unlock_other(struct lava_lane_lock *lock);
/* Called with a lane whose engine has found too little memory, before anything of C is written. Frees the
 * memory of other lanes, once, or takes its device's first lane instead of it, after waiting for that.
 * Returns true if the product may be tried again, by lock->engine, and false if there is nothing to
 * gain. lock->engine may be NULL then, as above. */
bool lava_context_find_memory(struct lava_lane_lock *lock);

/* Waits until nobody uses a device, and locks all of them. Returns the first engine, or NULL as above. */
struct lava_engine *lava_context_lock(int *cancel_state);
/* The same without waiting. Returns false if somebody uses a device or waits for one. If it returns
 * true, *engine may be NULL as above. */
bool lava_context_try_lock(struct lava_engine **engine, int *cancel_state);
/* Must not be called after a NULL. */
void lava_context_unlock(int cancel_state);
/* Destroys all engines but the first of each device, and frees the memory of those (lava_engine_release). The
 * caller has locked all devices. */
void lava_context_release(void);

/* Returns how many devices the process may use: 1, until the first one is open. */
unsigned lava_context_devices(void);
/* Returns whether every device has failed. A type is ready. */
bool lava_context_is_failed(void);
/* Returns whether no device that serves the needs is at rest. */
bool lava_context_is_busy(uint64_t needs);
/* A preparation adds the engine of a further device, closed. Takes ownership. */
void lava_context_add_device(unsigned device, struct lava_engine *engine);
/* Waits until nobody uses the device; no product takes it until it is opened. Returns false, and the caller
 * must not use it either, if no device is used any more. */
bool lava_context_close_device(unsigned device);
/* Products that need no more than this and what it served before may take the device. */
void lava_context_open_device(unsigned device, uint64_t serves);

/* Returns what the policy needs to know about the device. It may be read once a type is ready; the place of
 * the struct never changes. */
const struct lava_capabilities *lava_context_capabilities(void);
/* Returns the figures by which plans for the devices are chosen; NULL before a preparation has opened the
 * first one. At any time: they outlive the device. */
const struct lava_figures *lava_context_figures(void);
/* Sets them, for the engines too. They are never changed or freed. */
void lava_context_set_figures(const struct lava_figures *figures);

/* Returns the first engine, without a lock; NULL if there is none. The caller has locked the device, or a
 * type is ready: then the engine stays. */
struct lava_engine *lava_context_engine(void);
/* Returns whether it is one of a software device. Returns false if that is not known by the deadline of
 * CLOCK_REALTIME. Any thread, at any time. */
bool lava_context_is_software(const struct timespec *deadline);

/* These lock the whole device, whether or not there is an engine; they enclose a preparation. */
void lava_context_lock_whole(void);
void lava_context_unlock_whole(void);
/* A preparation sets the first engine, and NULL when it destroys it again. */
void lava_context_set_engine(struct lava_engine *engine);
/* A preparation tells which kernels products may use: none of a type at first, then those that are tested. */
void lava_context_refuse(const struct lava_kernel *kernel);
void lava_context_admit(const struct lava_kernel *kernel);
/* The same for fp64 products by residues (dispatch/residue_choice.h). */
void lava_context_refuse_residues(void);
void lava_context_admit_residues(void);

/* A preparation waits in the driver for ever, perhaps with all devices locked, or the calling thread has left
 * a product in the middle (jump_guard.h): nobody uses a device any more, and whoever waits for one goes on.
 */
void lava_context_give_up(void);

/* Waits for the products and the preparation in flight, until the deadline of CLOCK_REALTIME at the latest.
 */
void lava_context_finish(const struct timespec *deadline);
/* Returns whether no product and no preparation has a device now. Waits for nothing. */
bool lava_context_is_unused(void);

#endif
