/* Holds the engines and tells who may use them. Called by offload.c, idle.c and lib/blas for products, and by
 * prepare.c and more_devices.c. lanes.c has the lock and the state.
 *
 * Invariant: the first engine is written only by a preparation, and not after a type is usable, except for
 * its figures, which are atomic. Further devices are added, never removed. A child of fork() never touches
 * its parent's engines or this lock, because nothing is usable for it (readiness.c). */
#include "lib/offload/context.h"

#include <pthread.h>

#include "dispatch/residue_choice.h"
#include "lib/base/log.h"
#include "lib/offload/jump_guard.h"
#include "lib/offload/lanes.h"
#include "lib/offload/process.h"

#define LANES LAVA_DEVICE_USERS

static bool is_usable(const struct lava_engine *engine) {
    return engine && !lava_lanes.given_up && !lava_process_is_exiting() && !engine->device->shared->failed;
}

static void end_product(const struct lava_lane_lock *lock) {
    lava_jump_guard_end();
    pthread_setcancelstate(lock->cancel_state, NULL);
}

/* Gives the lane back if its engine must not be used. NULL: no lane was taken. */
static struct lava_engine *keep_usable(struct lava_lane_lock *lock, struct lava_lane *lane) {
    lock->engine = NULL;
    if (lane) {
        lock->device = (unsigned)(lava_lanes_device_of(lane) - lava_lanes.devices);
        lock->lane = (unsigned)(lane - lava_lanes_device_of(lane)->lanes);
        lock->engine = lane->engine;
        if (is_usable(lane->engine))
            return lock->engine;
        lava_context_unlock_lane(lock);
    } else {
        end_product(lock);
    }
    if (lava_process_is_exiting())
        lava_process_pause_at_exit();
    return NULL;
}

static struct lava_lane *lane_of(const struct lava_lane_lock *lock) {
    return &lava_lanes.devices[lock->device].lanes[lock->lane];
}

static struct lava_engine *lock_lane(const struct lava_lanes_waiter *self, struct lava_lane_lock *lock) {
    struct lava_lane *lane;
    *lock = (struct lava_lane_lock){.block_bytes = self->block_bytes};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &lock->cancel_state);
    pthread_mutex_lock(&lava_lanes.lock);
    lava_lanes_enter(self, &lane);
    pthread_mutex_unlock(&lava_lanes.lock);
    return keep_usable(lock, lane);
}

struct lava_engine *lava_context_lock_lane(uint64_t block_bytes, uint64_t needs,
                                           struct lava_lane_lock *lock) {
    return lava_context_lock_on(NULL, block_bytes, needs, lock);
}

struct lava_engine *lava_context_lock_on(const struct lava_device_shared *device, uint64_t block_bytes,
                                         uint64_t needs, struct lava_lane_lock *lock) {
    const struct lava_lanes_waiter self = {.block_bytes = block_bytes, .needs = needs, .on = device};
    return lock_lane(&self, lock);
}

void lava_context_unlock_lane(struct lava_lane_lock *lock) {
    lava_context_unlock_other(lock);
    end_product(lock);
}

unsigned lava_context_lock_others(uint64_t block_bytes, uint64_t needs, unsigned most,
                                  struct lava_lane_lock *locks) {
    const struct lava_lanes_waiter self = {.block_bytes = block_bytes, .needs = needs};
    unsigned count = 0;
    pthread_mutex_lock(&lava_lanes.lock);
    bool may_take = !lava_lanes.line.first && !lava_lanes.whole && !lava_process_is_exiting();
    for (unsigned i = 0; i < lava_lanes.count && may_take && count < most; i++) {
        struct lava_lanes_device *device = &lava_lanes.devices[i];
        if (device->taken > 0 || !lava_lanes_is_free(device, 0, &self) || !lava_lanes_serves(device, &self))
            continue;
        lava_lanes_take(&device->lanes[0]);
        locks[count++] = (struct lava_lane_lock){
            .engine = device->lanes[0].engine, .device = i, .block_bytes = block_bytes};
    }
    pthread_mutex_unlock(&lava_lanes.lock);
    return count;
}

void lava_context_unlock_other(struct lava_lane_lock *lock) {
    pthread_mutex_lock(&lava_lanes.lock);
    lava_lanes_leave(lane_of(lock));
    pthread_mutex_unlock(&lava_lanes.lock);
    lock->engine = NULL;
}

/* A thread that holds a further lane gives it back before it waits for the first one, and only the first
 * one's holder waits for the others: nobody waits in a circle. */
bool lava_context_find_memory(struct lava_lane_lock *lock) {
    struct lava_lanes_waiter self = {.block_bytes = LAVA_LANES_FIRST_ONLY, .device = lock->device};
    struct lava_lane *lane = lane_of(lock);
    if (lock->lane == 0) {
        bool again = !lock->reclaimed && lava_lanes_reclaim(lava_lanes_device_of(lane));
        lock->reclaimed = true;
        return again;
    }
    pthread_mutex_lock(&lava_lanes.lock);
    lane->failed_bytes = lock->block_bytes;
    lava_lanes_leave(lane);
    lava_lanes_enter(&self, &lane);
    pthread_mutex_unlock(&lava_lanes.lock);
    return keep_usable(lock, lane) != NULL;
}

void lava_context_lock_whole(void) {
    struct lava_lanes_waiter self = {.whole = true};
    pthread_mutex_lock(&lava_lanes.lock);
    lava_lanes_enter(&self, NULL);
    pthread_mutex_unlock(&lava_lanes.lock);
}

void lava_context_unlock_whole(void) {
    pthread_mutex_lock(&lava_lanes.lock);
    lava_lanes.whole = false;
    lava_lanes_tell_freed();
    pthread_mutex_unlock(&lava_lanes.lock);
}

static struct lava_engine *first_engine(void) {
    return lava_lanes.devices[0].lanes[0].engine;
}

/* Unlocks if there is no engine to use. */
static struct lava_engine *usable_engine(int cancel_state) {
    if (is_usable(first_engine()))
        return first_engine();
    lava_context_unlock(cancel_state);
    return NULL;
}

struct lava_engine *lava_context_lock(int *cancel_state) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    lava_context_lock_whole();
    struct lava_engine *engine = usable_engine(*cancel_state);
    if (!engine && lava_process_is_exiting())
        lava_process_pause_at_exit();
    return engine;
}

bool lava_context_try_lock(struct lava_engine **engine, int *cancel_state) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    pthread_mutex_lock(&lava_lanes.lock);
    bool locked = lava_lanes.given_up || (!lava_lanes.line.first && lava_lanes_is_unused());
    lava_lanes.whole = lava_lanes.whole || locked;
    pthread_mutex_unlock(&lava_lanes.lock);
    if (locked)
        *engine = usable_engine(*cancel_state);
    else
        pthread_setcancelstate(*cancel_state, NULL);
    return locked;
}

void lava_context_unlock(int cancel_state) {
    lava_context_unlock_whole();
    pthread_setcancelstate(cancel_state, NULL);
}

/* The caller has locked all devices; one that a preparation has, or that has failed, is left alone. */
static void release_device(struct lava_lanes_device *device) {
    struct lava_engine *engines[LANES] = {NULL};
    pthread_mutex_lock(&lava_lanes.lock);
    bool is_left = device->closed || !is_usable(device->lanes[0].engine);
    for (int i = 1; i < LANES && !is_left; i++) {
        engines[i] = device->lanes[i].engine;
        device->lanes[i] = (struct lava_lane){.engine = NULL};
    }
    device->refused = false;
    pthread_mutex_unlock(&lava_lanes.lock);
    for (int i = 1; i < LANES; i++) /* joins threads, so nothing is locked meanwhile */
        lava_engine_destroy(engines[i]);
    if (!is_left)
        lava_engine_release(device->lanes[0].engine);
}

void lava_context_release(void) {
    for (unsigned i = 0; i < lava_lanes.count; i++)
        release_device(&lava_lanes.devices[i]);
}

const struct lava_capabilities *lava_context_capabilities(void) {
    return &lava_lanes.capabilities;
}

struct lava_engine *lava_context_engine(void) {
    return first_engine();
}

const struct lava_figures *lava_context_figures(void) {
    return lava_lanes.figures;
}

void lava_context_set_figures(const struct lava_figures *figures) {
    pthread_mutex_lock(&lava_lanes.lock);
    lava_lanes.figures = figures;
    for (unsigned i = 0; i < lava_lanes.count; i++)
        for (int j = 0; j < LANES; j++)
            if (lava_lanes.devices[i].lanes[j].engine)
                lava_lanes.devices[i].lanes[j].engine->figures = figures;
    pthread_mutex_unlock(&lava_lanes.lock);
}

unsigned lava_context_devices(void) {
    return lava_lanes.count;
}

bool lava_context_is_failed(void) {
    bool failed = true;
    if (lava_lanes.given_up || !lava_lanes_has_failed(&lava_lanes.devices[0]))
        return lava_lanes.given_up;
    pthread_mutex_lock(&lava_lanes.lock);
    for (unsigned i = 1; i < lava_lanes.count && failed; i++)
        failed = !lava_lanes.devices[i].lanes[0].engine || lava_lanes.devices[i].serves == 0 ||
                 lava_lanes_has_failed(&lava_lanes.devices[i]);
    pthread_mutex_unlock(&lava_lanes.lock);
    return failed;
}

bool lava_context_is_busy(uint64_t needs) {
    const struct lava_lanes_waiter self = {.needs = needs};
    pthread_mutex_lock(&lava_lanes.lock);
    bool busy = true;
    for (unsigned i = 0; i < lava_lanes.count && busy; i++)
        busy = !lava_lanes_is_free(&lava_lanes.devices[i], 0, &self) ||
               !lava_lanes_serves(&lava_lanes.devices[i], &self);
    pthread_mutex_unlock(&lava_lanes.lock);
    return busy;
}

void lava_context_add_device(unsigned device, struct lava_engine *engine) {
    pthread_mutex_lock(&lava_lanes.lock);
    engine->figures = first_engine()->figures;
    lava_lanes.devices[device].closed = true;
    lava_lanes.devices[device].lanes[0].engine = engine;
    pthread_mutex_unlock(&lava_lanes.lock);
}

bool lava_context_close_device(unsigned device) {
    pthread_mutex_lock(&lava_lanes.lock);
    lava_lanes.devices[device].closed = true;
    while ((lava_lanes.whole || lava_lanes.making || lava_lanes.devices[device].taken > 0) &&
           !lava_lanes.given_up)
        pthread_cond_wait(&lava_lanes.freed, &lava_lanes.lock);
    bool is_own = !lava_lanes.given_up;
    pthread_mutex_unlock(&lava_lanes.lock);
    return is_own;
}

void lava_context_open_device(unsigned device, uint64_t serves) {
    pthread_mutex_lock(&lava_lanes.lock);
    lava_lanes.devices[device].serves |= serves;
    lava_lanes.devices[device].closed = false;
    lava_lanes_tell_freed();
    pthread_mutex_unlock(&lava_lanes.lock);
}

void lava_context_set_engine(struct lava_engine *engine) {
    pthread_mutex_lock(&lava_lanes.lock);
    lava_lanes.devices[0].lanes[0].engine = engine;
    lava_lanes.count = engine ? engine->device->set_size : 1;
    if (engine)
        lava_lanes.capabilities = engine->capabilities;
    pthread_mutex_unlock(&lava_lanes.lock);
}

bool lava_context_is_software(const struct timespec *deadline) {
    if (pthread_mutex_timedlock(&lava_lanes.lock, deadline))
        return false;
    bool is_software = first_engine() && lava_lanes.capabilities.kind == LAVA_DEVICE_CPU;
    pthread_mutex_unlock(&lava_lanes.lock);
    return is_software;
}

void lava_context_refuse(const struct lava_kernel *kernel) {
    lava_kernel_refuse(kernel, &lava_lanes.capabilities);
}

void lava_context_admit(const struct lava_kernel *kernel) {
    lava_kernel_admit(kernel, &lava_lanes.capabilities);
}

void lava_context_refuse_residues(void) {
    lava_residue_refuse(&lava_lanes.capabilities);
}

void lava_context_admit_residues(void) {
    lava_residue_admit(&lava_lanes.capabilities);
}

/* If another thread holds the lock, the lanes count as used. */
bool lava_context_is_unused(void) {
    if (pthread_mutex_trylock(&lava_lanes.lock))
        return false;
    bool unused = lava_lanes_is_unused();
    pthread_mutex_unlock(&lava_lanes.lock);
    return unused;
}

void lava_context_give_up(void) {
    pthread_mutex_lock(&lava_lanes.lock);
    lava_lanes_give_up();
    pthread_mutex_unlock(&lava_lanes.lock);
}

/* Nothing stays locked: an exit handler that comes later may wait for a thread that multiplies. */
void lava_context_finish(const struct timespec *deadline) {
    bool unused = false;
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (pthread_mutex_timedlock(&lava_lanes.lock, deadline) == 0) {
        while (!(unused = lava_lanes_is_unused() || lava_lanes.given_up) &&
               !pthread_cond_timedwait(&lava_lanes.freed, &lava_lanes.lock, deadline))
            ;
        pthread_mutex_unlock(&lava_lanes.lock);
    }
    pthread_setcancelstate(cancel_state, NULL);
    if (!unused)
        LAVA_LOG(INFO, "exit with a product still on the device");
}
