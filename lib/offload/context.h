/* The process's engines, the device's capabilities, and who may use them. prepare.c creates the first engine.
 *
 * Each engine is a lane: a product takes one, so as many products are computed at a time as there are lanes.
 * All engines use one device. The first lane always exists where there is a device. Another is made in the
 * background when a product finds all others at work on products, up to LAVABLAS_LANES (on a software device
 * one, unless that is set), and where its staging memory fits. Preparations, the calibration, and the thread
 * for idle memory lock the whole device.
 *
 * A free lane is taken at once, the first one if possible. Those who wait are served in the order of their
 * arrival; newcomers pass them while the first of them has waited for less than some milliseconds, because a
 * thread that is awake begins sooner than one that has to wake up.
 *
 * Any thread may call these functions. Whoever holds one of these locks must not ask for another, except
 * through lava_context_find_memory. */
#ifndef LAVA_OFFLOAD_CONTEXT_H
#define LAVA_OFFLOAD_CONTEXT_H

#include <time.h>

#include "lib/engine/engine.h"

/* A lane that is taken. Belongs to the thread that took it. */
struct lava_lane_lock {
    struct lava_engine *engine; /* NULL: nothing is locked */
    unsigned lane;
    uint64_t block_bytes;
    bool reclaimed; /* the other lanes' memory was freed for it */
    int cancel_state;
};

/* Waits for a lane and takes it for one product whose blocks need so many bytes of the device's memory.
 * Returns NULL, with nothing locked, where the device must not be used any more: the process exits, or the
 * device has failed. The thread cannot be cancelled until it unlocks. */
struct lava_engine *lava_context_lock_lane(uint64_t block_bytes, struct lava_lane_lock *lock);
/* Must not be called after a NULL. */
void lava_context_unlock_lane(struct lava_lane_lock *lock);
/* Called with a lane whose engine has found too little memory, before anything of C is written. Frees the
 * memory of other lanes, once, or takes the first lane instead of this one, after waiting for it. Returns
 * true where the product may be tried again, by lock->engine, and false where there is nothing to gain.
 * lock->engine may be NULL then, as above. */
bool lava_context_find_memory(struct lava_lane_lock *lock);

/* Waits until nobody uses the device, and locks the whole of it. Returns the first engine, or NULL as above.
 */
struct lava_engine *lava_context_lock(int *cancel_state);
/* The same without waiting. Returns false where somebody uses the device or waits for it. Where it returns
 * true, *engine may be NULL as above. */
bool lava_context_try_lock(struct lava_engine **engine, int *cancel_state);
/* Must not be called after a NULL. */
void lava_context_unlock(int cancel_state);
/* Destroys all engines but the first. The caller has locked the whole device. */
void lava_context_drop_lanes(void);

/* Returns what the policy needs to know about the device. It may be read once a type is ready; the place of
 * the struct never changes. */
const struct lava_capabilities *lava_context_capabilities(void);
/* Returns the figures by which the engines' plans are chosen. As for the capabilities. */
const struct lava_figures *lava_context_figures(void);
/* Sets them; nothing where there is no engine. They are never changed or freed. */
void lava_context_set_figures(const struct lava_figures *figures);

/* Returns the first engine, without a lock; NULL where there is none. The caller has locked the device, or a
 * type is ready: then the engine stays. */
struct lava_engine *lava_context_engine(void);

/* These enclose a preparation: they lock the whole device whether or not there is an engine. */
void lava_context_begin_preparation(void);
void lava_context_end_preparation(void);
/* A preparation sets the first engine, and NULL where it destroys it again. */
void lava_context_set_engine(struct lava_engine *engine);
/* A preparation tells which kernels products may use: none of a type at first, then those that are tested. */
void lava_context_refuse(const struct lava_kernel *kernel);
void lava_context_admit(const struct lava_kernel *kernel);

/* Waits for the products and the preparation in flight, until the deadline of CLOCK_REALTIME at the latest.
 */
void lava_context_finish(const struct timespec *deadline);

#endif
