/* Takes lanes for products, makes further ones, and keeps those in line who wait. Called by context.c.
 *
 * `lock` guards everything here, and no other lock is taken while it is held. It is never held for long.
 * Invariant: a lane's engine is used only by who has taken the lane, all devices, or closed the lane's
 * device. */
#include "lib/offload/lanes.h"

#include <fenv.h>
#include <stddef.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/base/thread.h"
#include "lib/engine/residents.h"
#include "lib/offload/process.h"
#include "lib/vk/gpu.h"

#define LANES LAVA_DEVICE_USERS
/* Two products at a time keep the bus and the device busy. */
#define USUAL_LANES 2
/* Newcomers pass a thread that has waited for less than this. */
#define PATIENCE_NS 2000000u

struct lava_lanes lava_lanes = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .freed = PTHREAD_COND_INITIALIZER, .count = 1};

static _Thread_local struct lava_wait_queue_place own_place; /* in a line, while the thread waits */

void lava_lanes_tell_freed(void) {
    lava_wait_queue_wake(&lava_lanes.line);
    lava_wait_queue_wake_all(&lava_lanes.reclaimers);
    pthread_cond_broadcast(&lava_lanes.freed);
}

/* Returns what of the device's memory belongs to others than the engine. Matrices that stay, and that
 * no call has, are freed for a product that needs it. */
static uint64_t others_bytes(const struct lava_engine *engine) {
    struct lava_residents *residents = engine->device->shared->residents;
    uint64_t used = engine->device->shared->device_bytes;
    uint64_t free = lava_arena_block_bytes(&engine->arena) + lava_arena_kept_bytes(&engine->arena) +
                    (residents ? lava_residents_free_bytes(residents, engine->device) : 0);
    return used > free ? used - free : 0;
}

/* Returns whether the lane, which is not the first, has room for the blocks beside what the others hold. */
static bool has_room(const struct lava_lane *lane, uint64_t block_bytes) {
    uint64_t limit = lane->engine->device->capabilities.memory_bytes, others = others_bytes(lane->engine);
    return others <= limit && block_bytes <= limit - others &&
           (lane->failed_bytes == 0 || block_bytes < lane->failed_bytes);
}

struct lava_lanes_device *lava_lanes_device_of(const struct lava_lane *lane) {
    return &lava_lanes.devices[((const char *)lane - (const char *)lava_lanes.devices) /
                               (ptrdiff_t)sizeof lava_lanes.devices[0]];
}

bool lava_lanes_has_failed(const struct lava_lanes_device *device) {
    return device->lanes[0].engine->device->shared->failed;
}

bool lava_lanes_serves(const struct lava_lanes_device *device, const struct lava_lanes_waiter *self) {
    const struct lava_engine *engine = device->lanes[0].engine;
    if (!engine || lava_lanes_has_failed(device))
        return false;
    if (self->on)
        return engine->device->shared == self->on;
    if (self->block_bytes == LAVA_LANES_FIRST_ONLY)
        return device == &lava_lanes.devices[self->device];
    return device == lava_lanes.devices ||
           (!(self->needs & ~device->serves) && self->block_bytes <= engine->capabilities.memory_bytes);
}

bool lava_lanes_is_free(const struct lava_lanes_device *device, int lane,
                        const struct lava_lanes_waiter *self) {
    const struct lava_lane *place = &device->lanes[lane];
    if (!place->engine || place->taken || device->closed)
        return false;
    return lane == 0 || (!device->reclaiming && self->block_bytes != LAVA_LANES_FIRST_ONLY &&
                         has_room(place, self->block_bytes));
}

/* A device at rest is taken before another lane of a busy one. A thread that passes others leaves their
 * devices to them. */
static struct lava_lane *find_lane(const struct lava_lanes_waiter *self, uint64_t left) {
    for (int i = 0; i < LANES && !lava_lanes.whole; i++)
        for (unsigned j = 0; j < lava_lanes.count; j++)
            if (!(left >> j & 1) && lava_lanes_is_free(&lava_lanes.devices[j], i, self) &&
                lava_lanes_serves(&lava_lanes.devices[j], self))
                return &lava_lanes.devices[j].lanes[i];
    return NULL;
}

/* Returns whether it is worthwhile to wait for a lane. */
static bool has_hope(const struct lava_lanes_waiter *self) {
    for (unsigned i = 0; i < lava_lanes.count; i++)
        if (lava_lanes_serves(&lava_lanes.devices[i], self))
            return true;
    return false;
}

bool lava_lanes_is_unused(void) {
    return !lava_lanes.whole && lava_lanes.taken == 0 && !lava_lanes.making;
}

void lava_lanes_take(struct lava_lane *lane) {
    struct lava_lanes_device *device = lava_lanes_device_of(lane);
    lane->taken = true;
    lava_engine_begin_call(lane->engine);
    lava_stats_lanes(++device->taken);
    lava_stats_device((unsigned)(device - lava_lanes.devices));
    lava_lanes.taken++;
}

/* Takes what the thread waits for, if it is free. left: devices that others are to have. */
static bool take(const struct lava_lanes_waiter *self, uint64_t left, struct lava_lane **lane) {
    if (lava_lanes.given_up) {
        if (!self->whole)
            *lane = NULL;
        return true;
    }
    if (self->whole) {
        bool unused = lava_lanes_is_unused();
        lava_lanes.whole = lava_lanes.whole || unused;
        return unused;
    }
    *lane = find_lane(self, left);
    if (*lane)
        lava_lanes_take(*lane);
    return *lane || !has_hope(self);
}

static bool may_pass(void) {
    return !lava_lanes.line.first || lava_clock_now_ns() - lava_lanes.line.first->since_ns < PATIENCE_NS;
}

/* Takes it if it is the thread's turn, or if those before it wait for one device each, another one. NULL: the
 * thread does not stand in line. */
static bool try_to_take(const struct lava_lanes_waiter *self, const struct lava_wait_queue_place *place,
                        struct lava_lane **lane) {
    bool is_turn = lava_lanes.given_up || (place ? lava_lanes.line.first == place : may_pass());
    uint64_t left = 0;
    bool passes = !is_turn && !self->whole && lava_wait_queue_may_pass(&lava_lanes.line, place, &left);
    return (is_turn || passes) && take(self, left, lane);
}

/* Returns the place for another lane of the device if it may be made: all that exist are taken. */
static struct lava_lane *place_on(struct lava_lanes_device *device) {
    const struct lava_engine *engine = device->lanes[0].engine;
    if (!engine || device->reclaiming || device->refused || device->closed || lava_lanes_has_failed(device))
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

static struct lava_lane *place_for_lane(void) {
    struct lava_lane *place = NULL;
    if (lava_lanes.making || lava_process_is_exiting())
        return NULL;
    for (unsigned i = 0; i < lava_lanes.count && !place; i++)
        place = place_on(&lava_lanes.devices[i]);
    return place;
}

static void *make_lane(void *place);

static void begin_making(void) {
    struct lava_lane *place = place_for_lane();
    if (place)
        lava_lanes.making = lava_thread_start("lava-lane", make_lane, place);
}

/* Returns the bit of the one device that the thread waits for; 0: it waits for any, or for all. */
static uint64_t waits_for(const struct lava_lanes_waiter *self) {
    uint64_t devices = 0;
    for (unsigned i = 0; i < lava_lanes.count && self->on; i++)
        if (lava_lanes_serves(&lava_lanes.devices[i], self))
            devices |= UINT64_C(1) << i;
    return devices;
}

void lava_lanes_enter(const struct lava_lanes_waiter *self, struct lava_lane **lane) {
    if (try_to_take(self, NULL, lane))
        return;
    if (!self->whole && self->block_bytes != LAVA_LANES_FIRST_ONLY)
        begin_making();
    own_place.waits_for = waits_for(self);
    lava_wait_queue_enter(&lava_lanes.line, &own_place);
    do
        lava_wait_queue_wait(&own_place, &lava_lanes.lock);
    while (!try_to_take(self, &own_place, lane));
    lava_wait_queue_leave(&lava_lanes.line, &own_place); /* there may be a lane for the next one, too */
}

void lava_lanes_leave(struct lava_lane *lane) {
    lane->taken = false;
    lava_engine_end_call(lane->engine);
    lava_lanes_device_of(lane)->taken--;
    lava_lanes.taken--;
    lava_lanes_tell_freed();
}

/* Returns the engine for another lane; NULL if there is no room for it. The first engine may be at work.
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
    struct lava_lane *place = argument;
    /* the driver's threads, and the copy threads, must not inherit a caller's rounding mode and traps */
    fesetenv(FE_DFL_ENV);
    uint64_t begin_ns = lava_clock_now_ns();
    struct lava_lanes_device *device = lava_lanes_device_of(place);
    struct lava_engine *first = device->lanes[0].engine;
    struct lava_engine *engine = make_engine(first, (unsigned)(place - device->lanes));
    LAVA_LOG(INFO, "another product at a time: %s, %.1f ms", engine ? "yes" : "there is no room for it",
             (double)(lava_clock_now_ns() - begin_ns) / 1e6);
    lava_thread_ends();
    pthread_mutex_lock(&lava_lanes.lock);
    if (engine)
        engine->figures = first->figures;
    *place = (struct lava_lane){.engine = engine};
    device->refused = !engine;
    lava_lanes.making = false;
    lava_lanes_tell_freed();
    pthread_mutex_unlock(&lava_lanes.lock);
    return NULL;
}

static uint64_t held_bytes(const struct lava_device *device) {
    return device->shared->device_bytes + device->shared->staging_bytes;
}

bool lava_lanes_reclaim(struct lava_lanes_device *place) {
    const struct lava_device *device = place->lanes[0].engine->device;
    pthread_mutex_lock(&lava_lanes.lock);
    place->reclaiming = true;
    lava_wait_queue_enter(&lava_lanes.reclaimers, &own_place);
    while ((place->taken > 1 || lava_lanes.making) && !lava_lanes.given_up)
        lava_wait_queue_wait(&own_place, &lava_lanes.lock);
    lava_wait_queue_leave(&lava_lanes.reclaimers, &own_place);
    struct lava_engine *engines[LANES] = {NULL};
    for (int i = 1; i < LANES && !lava_lanes.given_up; i++)
        engines[i] = place->lanes[i].engine;
    pthread_mutex_unlock(&lava_lanes.lock);
    uint64_t before = held_bytes(device);
    for (int i = 1; i < LANES; i++)
        if (engines[i])
            lava_engine_release(engines[i]);
    bool any = held_bytes(device) < before;
    pthread_mutex_lock(&lava_lanes.lock);
    for (int i = 1; i < LANES; i++)
        place->lanes[i].failed_bytes = 0;
    place->reclaiming = false;
    lava_lanes_tell_freed();
    pthread_mutex_unlock(&lava_lanes.lock);
    return any;
}

void lava_lanes_give_up(void) {
    lava_lanes.given_up = true;
    lava_wait_queue_leave(&lava_lanes.line, &own_place); /* it may have left a wait in the middle */
    lava_wait_queue_leave(&lava_lanes.reclaimers, &own_place);
    lava_wait_queue_wake_all(
        &lava_lanes.line); /* others may have left theirs, too, and stand before one who waits */
    lava_lanes_tell_freed();
}
