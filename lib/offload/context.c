/* Holds the engines and tells who may use them. Called by offload.c, idle.c and lib/blas for products, and by
 * prepare.c and more_devices.c.
 *
 * `lock` guards everything here, and no other lock is taken while it is held. It is never held for long.
 *
 * Invariant: the first engine is written only by a preparation, and not after a type is ready, except for its
 * figures, which are atomic. A lane's engine is used only by who has taken the lane, all devices, or closed
 * the lane's device. Further devices are added, never removed. A
 * child of fork() never touches its parent's engines or this lock, because no type is ready for it
 * (prepare.c). */
#include "lib/offload/context.h"

#include <fenv.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/base/thread.h"
#include "lib/offload/jump_guard.h"
#include "lib/offload/process.h"
#include "lib/offload/wait_queue.h"
#include "lib/vk/gpu.h"

#define LANES   LAVA_DEVICE_USERS
#define DEVICES LAVA_DEVICE_SET_MAX
/* Two products at a time keep the bus and the device busy. */
#define USUAL_LANES 2
/* Newcomers pass a thread that has waited for less than this. */
#define PATIENCE_NS 2000000u
/* A product of so many bytes fits the first lane only. */
#define FIRST_LANE_ONLY UINT64_MAX

/* What a thread asks for: a lane or all devices. */
struct waiter {
    bool whole;
    uint64_t block_bytes; /* where it waits for a lane */
    uint64_t needs;       /* what the lane's device must be tested for */
    unsigned device;      /* whose first lane it waits for, where block_bytes is FIRST_LANE_ONLY */
};

struct lane {
    struct lava_engine *engine;
    bool taken;            /* by a product */
    uint64_t failed_bytes; /* blocks of so many bytes did not fit the device; 0: all did */
};

/* A device of the process, which exists where its first lane has an engine. */
struct device {
    struct lane lanes[LANES];
    unsigned taken;  /* lanes */
    uint64_t serves; /* what it is tested for, as in readiness.h; the first one: see there */
    bool closed;     /* a preparation has it */
    bool refused;    /* another lane could not be made */
    bool reclaiming; /* the first lane's product waits for the memory of the others */
};

static struct {
    pthread_mutex_t lock;
    struct device devices[DEVICES];
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
} context = {.lock = PTHREAD_MUTEX_INITIALIZER, .freed = PTHREAD_COND_INITIALIZER, .count = 1};

static _Thread_local struct lava_wait_queue_place own_place; /* in the line, while the thread waits */

/* The lock is held by the caller of what follows, up to the next such line. */

/* Something that others may wait for has ended. */
static void tell_freed(void) {
    lava_wait_queue_wake(&context.line);
    lava_wait_queue_wake_all(&context.reclaimers);
    pthread_cond_broadcast(&context.freed);
}

/* Returns whether the lane, which is not the first, has room for the blocks beside what the others hold. */
static bool has_room(const struct lane *lane, uint64_t block_bytes) {
    const struct lava_engine *engine = lane->engine;
    uint64_t limit = engine->device->capabilities.memory_bytes, used = engine->device->shared->device_bytes;
    uint64_t others = used - lava_arena_block_bytes(&engine->arena) - lava_arena_kept_bytes(&engine->arena);
    return others <= limit && block_bytes <= limit - others &&
           (lane->failed_bytes == 0 || block_bytes < lane->failed_bytes);
}

static struct device *device_of(const struct lane *lane) {
    return &context.devices[((const char *)lane - (const char *)context.devices) /
                            (ptrdiff_t)sizeof context.devices[0]];
}

static bool has_failed(const struct device *device) {
    return device->lanes[0].engine->device->shared->failed;
}

/* Returns whether the device may take products that need so much, now or when it is free. */
static bool serves(const struct device *device, const struct waiter *self) {
    const struct lava_engine *engine = device->lanes[0].engine;
    if (!engine || has_failed(device))
        return false;
    if (self->block_bytes == FIRST_LANE_ONLY)
        return device == &context.devices[self->device];
    return device == context.devices ||
           (!(self->needs & ~device->serves) && self->block_bytes <= engine->capabilities.memory_bytes);
}

static bool is_free(const struct device *device, int lane, const struct waiter *self) {
    const struct lane *place = &device->lanes[lane];
    if (!place->engine || place->taken || device->closed)
        return false;
    return lane == 0 || (!device->reclaiming && self->block_bytes != FIRST_LANE_ONLY &&
                         has_room(place, self->block_bytes));
}

/* A device at rest is taken before another lane of a busy one. */
static struct lane *find_lane(const struct waiter *self) {
    for (int i = 0; i < LANES && !context.whole; i++)
        for (unsigned j = 0; j < context.count; j++)
            if (is_free(&context.devices[j], i, self) && serves(&context.devices[j], self))
                return &context.devices[j].lanes[i];
    return NULL;
}

/* Returns whether it is worthwhile to wait for a lane. */
static bool has_hope(const struct waiter *self) {
    for (unsigned i = 0; i < context.count; i++)
        if (serves(&context.devices[i], self))
            return true;
    return false;
}

static bool is_unused(void) {
    return !context.whole && context.taken == 0 && !context.making;
}

static void take_lane(struct lane *lane) {
    struct device *device = device_of(lane);
    lane->taken = true;
    lava_engine_begin_call(lane->engine);
    lava_stats_lanes(++device->taken);
    lava_stats_device((unsigned)(device - context.devices));
    context.taken++;
}

/* Takes what the thread waits for, if it is free. *lane is set where that is a lane: NULL, and nothing is
 * taken, where no device is left that it could wait for. */
static bool take(const struct waiter *self, struct lane **lane) {
    if (context.given_up) {
        if (!self->whole)
            *lane = NULL;
        return true;
    }
    if (self->whole) {
        bool unused = is_unused();
        context.whole = context.whole || unused;
        return unused;
    }
    *lane = find_lane(self);
    if (*lane)
        take_lane(*lane);
    return *lane || !has_hope(self);
}

static bool may_pass(void) {
    return !context.line.first || lava_clock_now_ns() - context.line.first->since_ns < PATIENCE_NS;
}

/* Returns the place for another lane of the device where it may be made: all that exist are taken. */
static struct lane *place_on(struct device *device) {
    const struct lava_engine *engine = device->lanes[0].engine;
    if (!engine || device->reclaiming || device->refused || device->closed || has_failed(device))
        return NULL;
    int configured = lava_config_get()->lanes;
    int usual = engine->capabilities.kind == LAVA_DEVICE_CPU ? 1 : USUAL_LANES;
    int lanes = configured > 0 ? configured : usual;
    for (int i = 0; i < LANES && i < lanes; i++) {
        if (!device->lanes[i].engine)
            return &device->lanes[i];
        if (!device->lanes[i].taken)
            return NULL;
    }
    return NULL;
}

static struct lane *place_for_lane(void) {
    struct lane *place = NULL;
    if (context.making || lava_process_is_exiting())
        return NULL;
    for (unsigned i = 0; i < context.count && !place; i++)
        place = place_on(&context.devices[i]);
    return place;
}

static void *make_lane(void *place);

static void begin_making(void) {
    struct lane *place = place_for_lane();
    if (place)
        context.making = lava_thread_start("lava-lane", make_lane, place);
}

/* Takes a lane, or all devices. Who waits for that is served when first in line, and goes on when the devices
 * are given up. */
static void enter(const struct waiter *self, struct lane **lane) {
    if (may_pass() && take(self, lane))
        return;
    if (!self->whole && self->block_bytes != FIRST_LANE_ONLY)
        begin_making();
    lava_wait_queue_enter(&context.line, &own_place);
    do
        lava_wait_queue_wait(&own_place, &context.lock);
    while ((context.line.first != &own_place && !context.given_up) || !take(self, lane));
    lava_wait_queue_leave(&context.line, &own_place); /* there may be a lane for the next one, too */
}

static void leave(struct lane *lane) {
    lane->taken = false;
    lava_engine_end_call(lane->engine);
    device_of(lane)->taken--;
    context.taken--;
    tell_freed();
}

/* The lock is not held by the caller of what follows. */

/* Returns the engine for another lane; NULL where there is no room for it. The first engine may be at work.
 */
static struct lava_engine *make_engine(const struct lava_engine *first, unsigned user) {
    struct lava_device *device;
    struct lava_engine *engine;
    if (lava_process_is_exiting() || first->device->shared->failed ||
        lava_gpu_share(first->device, user, &device) ||
        lava_engine_create(device, lava_copy_pool_further_threads(), &engine))
        return NULL;
    return engine;
}

static void *make_lane(void *argument) {
    struct lane *place = argument;
    /* the driver's threads, and the copy threads, must not inherit a caller's rounding mode and traps */
    fesetenv(FE_DFL_ENV);
    uint64_t begin_ns = lava_clock_now_ns();
    struct device *device = device_of(place);
    struct lava_engine *first = device->lanes[0].engine;
    struct lava_engine *engine = make_engine(first, (unsigned)(place - device->lanes));
    LAVA_LOG(INFO, "another product at a time: %s, %.1f ms", engine ? "yes" : "there is no room for it",
             (double)(lava_clock_now_ns() - begin_ns) / 1e6);
    lava_thread_ends();
    pthread_mutex_lock(&context.lock);
    if (engine)
        engine->figures = first->figures;
    *place = (struct lane){.engine = engine};
    device->refused = !engine;
    context.making = false;
    tell_freed();
    pthread_mutex_unlock(&context.lock);
    return NULL;
}

static bool is_usable(const struct lava_engine *engine) {
    return engine && !context.given_up && !lava_process_is_exiting() && !engine->device->shared->failed;
}

static void end_product(const struct lava_lane_lock *lock) {
    lava_jump_guard_end();
    pthread_setcancelstate(lock->cancel_state, NULL);
}

/* Gives the lane back where its engine must not be used. NULL: no lane was taken. */
static struct lava_engine *keep_usable(struct lava_lane_lock *lock, struct lane *lane) {
    lock->engine = NULL;
    if (lane) {
        lock->device = (unsigned)(device_of(lane) - context.devices);
        lock->lane = (unsigned)(lane - device_of(lane)->lanes);
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

static struct lane *lane_of(const struct lava_lane_lock *lock) {
    return &context.devices[lock->device].lanes[lock->lane];
}

struct lava_engine *lava_context_lock_lane(uint64_t block_bytes, uint64_t needs,
                                           struct lava_lane_lock *lock) {
    struct waiter self = {.block_bytes = block_bytes, .needs = needs};
    struct lane *lane;
    *lock = (struct lava_lane_lock){.block_bytes = block_bytes};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &lock->cancel_state);
    pthread_mutex_lock(&context.lock);
    enter(&self, &lane);
    pthread_mutex_unlock(&context.lock);
    return keep_usable(lock, lane);
}

void lava_context_unlock_lane(struct lava_lane_lock *lock) {
    lava_context_unlock_other(lock);
    end_product(lock);
}

unsigned lava_context_lock_others(uint64_t block_bytes, uint64_t needs, unsigned most,
                                  struct lava_lane_lock *locks) {
    const struct waiter self = {.block_bytes = block_bytes, .needs = needs};
    unsigned count = 0;
    pthread_mutex_lock(&context.lock);
    bool may_take = !context.line.first && !context.whole && !lava_process_is_exiting();
    for (unsigned i = 0; i < context.count && may_take && count < most; i++) {
        struct device *device = &context.devices[i];
        if (device->taken > 0 || !is_free(device, 0, &self) || !serves(device, &self))
            continue;
        take_lane(&device->lanes[0]);
        locks[count++] = (struct lava_lane_lock){
            .engine = device->lanes[0].engine, .device = i, .block_bytes = block_bytes};
    }
    pthread_mutex_unlock(&context.lock);
    return count;
}

void lava_context_unlock_other(struct lava_lane_lock *lock) {
    pthread_mutex_lock(&context.lock);
    leave(lane_of(lock));
    pthread_mutex_unlock(&context.lock);
    lock->engine = NULL;
}

static uint64_t held_bytes(const struct lava_device *device) {
    return device->shared->device_bytes + device->shared->staging_bytes;
}

/* Frees the memory of all the device's lanes but the first, which the caller has taken. */
static bool reclaim(struct device *place) {
    const struct lava_device *device = place->lanes[0].engine->device;
    pthread_mutex_lock(&context.lock);
    place->reclaiming = true;
    lava_wait_queue_enter(&context.reclaimers, &own_place);
    while ((place->taken > 1 || context.making) && !context.given_up)
        lava_wait_queue_wait(&own_place, &context.lock);
    lava_wait_queue_leave(&context.reclaimers, &own_place);
    struct lava_engine *engines[LANES] = {NULL};
    for (int i = 1; i < LANES && !context.given_up; i++)
        engines[i] = place->lanes[i].engine;
    pthread_mutex_unlock(&context.lock);
    uint64_t before = held_bytes(device);
    for (int i = 1; i < LANES; i++)
        if (engines[i])
            lava_engine_release(engines[i]);
    bool any = held_bytes(device) < before;
    pthread_mutex_lock(&context.lock);
    for (int i = 1; i < LANES; i++)
        place->lanes[i].failed_bytes = 0;
    place->reclaiming = false;
    tell_freed();
    pthread_mutex_unlock(&context.lock);
    return any;
}

/* Who holds a further lane gives it back before it waits for the first one, and only the first one's holder
 * waits for the others: nobody waits in a circle. */
bool lava_context_find_memory(struct lava_lane_lock *lock) {
    struct waiter self = {.block_bytes = FIRST_LANE_ONLY, .device = lock->device};
    struct lane *lane = lane_of(lock);
    if (lock->lane == 0) {
        bool again = !lock->reclaimed && reclaim(device_of(lane));
        lock->reclaimed = true;
        return again;
    }
    pthread_mutex_lock(&context.lock);
    lane->failed_bytes = lock->block_bytes;
    leave(lane);
    enter(&self, &lane);
    pthread_mutex_unlock(&context.lock);
    return keep_usable(lock, lane) != NULL;
}

void lava_context_lock_whole(void) {
    struct waiter self = {.whole = true};
    pthread_mutex_lock(&context.lock);
    enter(&self, NULL);
    pthread_mutex_unlock(&context.lock);
}

void lava_context_unlock_whole(void) {
    pthread_mutex_lock(&context.lock);
    context.whole = false;
    tell_freed();
    pthread_mutex_unlock(&context.lock);
}

static struct lava_engine *first_engine(void) {
    return context.devices[0].lanes[0].engine;
}

/* Unlocks where there is no engine to use. */
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
    pthread_mutex_lock(&context.lock);
    bool locked = context.given_up || (!context.line.first && is_unused());
    context.whole = context.whole || locked;
    pthread_mutex_unlock(&context.lock);
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
static void release_device(struct device *device) {
    struct lava_engine *engines[LANES] = {NULL};
    pthread_mutex_lock(&context.lock);
    bool is_left = device->closed || !is_usable(device->lanes[0].engine);
    for (int i = 1; i < LANES && !is_left; i++) {
        engines[i] = device->lanes[i].engine;
        device->lanes[i] = (struct lane){.engine = NULL};
    }
    device->refused = false;
    pthread_mutex_unlock(&context.lock);
    for (int i = 1; i < LANES; i++) /* joins threads, so nothing is locked meanwhile */
        lava_engine_destroy(engines[i]);
    if (!is_left)
        lava_engine_release(device->lanes[0].engine);
}

void lava_context_release(void) {
    for (unsigned i = 0; i < context.count; i++)
        release_device(&context.devices[i]);
}

const struct lava_capabilities *lava_context_capabilities(void) {
    return &context.capabilities;
}

struct lava_engine *lava_context_engine(void) {
    return first_engine();
}

const struct lava_figures *lava_context_figures(void) {
    return context.figures;
}

void lava_context_set_figures(const struct lava_figures *figures) {
    pthread_mutex_lock(&context.lock);
    context.figures = figures;
    for (unsigned i = 0; i < context.count; i++)
        for (int j = 0; j < LANES; j++)
            if (context.devices[i].lanes[j].engine)
                context.devices[i].lanes[j].engine->figures = figures;
    pthread_mutex_unlock(&context.lock);
}

unsigned lava_context_devices(void) {
    return context.count;
}

bool lava_context_is_failed(void) {
    bool failed = true;
    if (context.given_up || !has_failed(&context.devices[0]))
        return context.given_up;
    pthread_mutex_lock(&context.lock);
    for (unsigned i = 1; i < context.count && failed; i++)
        failed = !context.devices[i].lanes[0].engine || context.devices[i].serves == 0 ||
                 has_failed(&context.devices[i]);
    pthread_mutex_unlock(&context.lock);
    return failed;
}

bool lava_context_is_busy(uint64_t needs) {
    const struct waiter self = {.needs = needs};
    pthread_mutex_lock(&context.lock);
    bool busy = true;
    for (unsigned i = 0; i < context.count && busy; i++)
        busy = !is_free(&context.devices[i], 0, &self) || !serves(&context.devices[i], &self);
    pthread_mutex_unlock(&context.lock);
    return busy;
}

void lava_context_add_device(unsigned device, struct lava_engine *engine) {
    pthread_mutex_lock(&context.lock);
    engine->figures = first_engine()->figures;
    context.devices[device].closed = true;
    context.devices[device].lanes[0].engine = engine;
    pthread_mutex_unlock(&context.lock);
}

bool lava_context_close_device(unsigned device) {
    pthread_mutex_lock(&context.lock);
    context.devices[device].closed = true;
    while ((context.whole || context.making || context.devices[device].taken > 0) && !context.given_up)
        pthread_cond_wait(&context.freed, &context.lock);
    bool is_own = !context.given_up;
    pthread_mutex_unlock(&context.lock);
    return is_own;
}

void lava_context_open_device(unsigned device, uint64_t serves) {
    pthread_mutex_lock(&context.lock);
    context.devices[device].serves |= serves;
    context.devices[device].closed = false;
    tell_freed();
    pthread_mutex_unlock(&context.lock);
}

void lava_context_set_engine(struct lava_engine *engine) {
    pthread_mutex_lock(&context.lock);
    context.devices[0].lanes[0].engine = engine;
    context.count = engine ? engine->device->set_size : 1;
    if (engine)
        context.capabilities = engine->capabilities;
    pthread_mutex_unlock(&context.lock);
}

bool lava_context_is_software(const struct timespec *deadline) {
    if (pthread_mutex_timedlock(&context.lock, deadline))
        return false;
    bool is_software = first_engine() && context.capabilities.kind == LAVA_DEVICE_CPU;
    pthread_mutex_unlock(&context.lock);
    return is_software;
}

void lava_context_refuse(const struct lava_kernel *kernel) {
    lava_kernel_refuse(kernel, &context.capabilities);
}

void lava_context_admit(const struct lava_kernel *kernel) {
    lava_kernel_admit(kernel, &context.capabilities);
}

/* Who holds the lock for long is no user at rest. */
bool lava_context_is_unused(void) {
    if (pthread_mutex_trylock(&context.lock))
        return false;
    bool unused = is_unused();
    pthread_mutex_unlock(&context.lock);
    return unused;
}

void lava_context_give_up(void) {
    pthread_mutex_lock(&context.lock);
    context.given_up = true;
    lava_wait_queue_leave(&context.line, &own_place); /* it may have left a wait in the middle */
    lava_wait_queue_leave(&context.reclaimers, &own_place);
    lava_wait_queue_wake_all(
        &context.line); /* others may have left theirs, too, and stand before one who waits */
    tell_freed();
    pthread_mutex_unlock(&context.lock);
}

/* Nothing stays locked: an exit handler that comes later may wait for a thread that multiplies. */
void lava_context_finish(const struct timespec *deadline) {
    bool unused = false;
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (pthread_mutex_timedlock(&context.lock, deadline) == 0) {
        while (!(unused = is_unused() || context.given_up) &&
               !pthread_cond_timedwait(&context.freed, &context.lock, deadline))
            ;
        pthread_mutex_unlock(&context.lock);
    }
    pthread_setcancelstate(cancel_state, NULL);
    if (!unused)
        LAVA_LOG(INFO, "exit with a product still on the device");
}
