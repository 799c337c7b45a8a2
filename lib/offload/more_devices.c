/* Opens further devices, makes their engines and tests their kernels. Called by offload.c and lib/blas.
 *
 * Invariant: a device's engine is made once and stays. While a thread tests kernels on it, the device is
 * closed to products. What was tested once, with whatever result, is not tested again. Everything
 * here is written under `change`; no other lock is taken while that is held. */
#include "lib/offload/more_devices.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/base/thread.h"
#include "lib/offload/idle.h"
#include "lib/offload/jump_guard.h"
#include "lib/offload/process.h"
#include "lib/offload/readiness.h"
#include "lib/offload/steps.h"
#include "lib/offload/watch.h"
#include "lib/vk/gpu.h"

struct further {
    struct lava_engine *engine; /* NULL: none was made */
    uint64_t wanted, tried;     /* needs, as in readiness.h */
    _Atomic bool working;       /* a thread prepares it */
    _Atomic bool loading;       /* the thread may be in the driver's initialization */
    _Atomic bool refused;       /* it could not be opened */
};

static struct {
    struct further devices[LAVA_DEVICE_SET_MAX]; /* the first one is not used */
    pthread_mutex_t change;
    pthread_cond_t changed;
} further = {.change = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* The driver does not answer for one of them, perhaps for several. All that are being prepared are left as
 * they are; the first device goes on. */
static void give_up(void) {
    pthread_mutex_lock(&further.change);
    for (unsigned i = 1; i < LAVA_DEVICE_SET_MAX; i++) {
        struct further *device = &further.devices[i];
        device->refused = device->refused || device->working;
        device->working = false;
    }
    pthread_cond_broadcast(&further.changed);
    pthread_mutex_unlock(&further.change);
    LAVA_LOG(WARN, "further devices are not used: the driver did not answer");
}

static struct lava_watch driver = LAVA_WATCH(give_up);

/* Asked before each step. */
static bool must_stop(void) {
    lava_watch_step(&driver);
    return lava_process_is_exiting() || lava_watch_is_given_up(&driver);
}

static void set(_Atomic bool *flag, bool value) {
    pthread_mutex_lock(&further.change);
    *flag = value;
    pthread_cond_broadcast(&further.changed);
    pthread_mutex_unlock(&further.change);
}

static bool any_is_working(void) {
    for (unsigned i = 1; i < LAVA_DEVICE_SET_MAX; i++)
        if (further.devices[i].working)
            return true;
    return false;
}

static bool any_is_loading(void) {
    for (unsigned i = 1; i < LAVA_DEVICE_SET_MAX; i++)
        if (further.devices[i].loading)
            return true;
    return false;
}

/* Returns what is left to be tested. Marks the thread as ended where that is nothing. */
static uint64_t take_wanted(struct further *device) {
    pthread_mutex_lock(&further.change);
    uint64_t needs = device->refused || must_stop() ? 0 : device->wanted & ~device->tried;
    device->tried |= needs;
    device->working = needs != 0;
    if (!needs)
        lava_thread_ends();
    pthread_cond_broadcast(&further.changed);
    pthread_mutex_unlock(&further.change);
    return needs;
}

static struct lava_engine *make_engine(struct further *place, unsigned number) {
    struct lava_device *device;
    struct lava_engine *engine = NULL;
    const char *why;
    set(&place->loading, true);
    lava_watch_enter(&driver);
    lava_process_begin_loading();
    enum lava_status status = must_stop() ? LAVA_ERROR_UNAVAILABLE
                                          : lava_gpu_open_further(lava_config_get(), number, &device, &why);
    lava_process_end_loading();
    set(&place->loading, false);
    if (status || must_stop() ||
        lava_engine_create(device, lava_copy_pool_device_threads(lava_context_devices()), &engine))
        LAVA_LOG(INFO, "device %u of the process cannot be used", number);
    if (engine && engine->capabilities.kind == LAVA_DEVICE_CPU)
        lava_watch_be_patient(&driver);
    lava_watch_leave(&driver);
    return engine;
}

static void prepare(struct further *place, unsigned number, uint64_t needs) {
    uint64_t begin_ns = lava_clock_now_ns();
    if (place->engine) {
        if (!lava_context_close_device(number))
            return;
    } else if ((place->engine = make_engine(place, number))) {
        lava_context_add_device(number, place->engine);
    } else {
        set(&place->refused, true);
        return;
    }
    lava_watch_enter(&driver);
    uint64_t passed = lava_steps_test(place->engine, needs, must_stop);
    lava_watch_leave(&driver);
    if (lava_watch_is_given_up(&driver))
        return; /* closed */
    lava_idle_touch();
    lava_context_open_device(number, passed);
    LAVA_LOG(INFO, "device %u of the process: %s: %s, %.0f ms", number, place->engine->capabilities.label,
             passed == needs ? "ready" : "not used for all types",
             (double)(lava_clock_now_ns() - begin_ns) / 1e6);
}

static void *prepare_in_background(void *argument) {
    unsigned number = (unsigned)(uintptr_t)argument;
    struct further *place = &further.devices[number];
    uint64_t needs;
    /* the driver's threads must not inherit a caller's rounding mode and traps */
    fesetenv(FE_DFL_ENV);
    while ((needs = take_wanted(place)))
        prepare(place, number, needs);
    lava_watch_end(&driver);
    return NULL;
}

/* Returns whether a thread prepares the device, or has prepared it, for all the needs. */
static bool want(struct further *place, unsigned number, uint64_t needs) {
    place->wanted |= needs;
    if (!place->working && !place->refused && (place->wanted & ~place->tried)) {
        lava_process_await_at_thread_end();
        place->working =
            lava_watch_start(&driver, "lava-further", prepare_in_background, (void *)(uintptr_t)number);
    }
    return place->working || !(needs & ~place->tried);
}

void lava_more_devices_want(uint64_t needs, unsigned devices, bool wait) {
    int cancel_state;
    if (needs & ~lava_readiness_in(LAVA_READINESS_IN(READY)) || lava_process_is_exiting())
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&further.change);
    for (unsigned i = 1; i < lava_context_devices() && devices > 0; i++)
        devices -= !further.devices[i].refused && want(&further.devices[i], i, needs);
    while (wait && any_is_working())
        pthread_cond_wait(&further.changed, &further.change);
    pthread_mutex_unlock(&further.change);
    pthread_setcancelstate(cancel_state, NULL);
}

/* Returns how many further devices are or were prepared for the needs. */
static unsigned count_wanted(uint64_t needs) {
    unsigned count = 0;
    pthread_mutex_lock(&further.change);
    for (unsigned i = 1; i < LAVA_DEVICE_SET_MAX; i++)
        count += !(needs & ~further.devices[i].wanted);
    pthread_mutex_unlock(&further.change);
    return count;
}

/* One device after the other begins: a crowd of two does not need eight. */
struct lava_engine *lava_more_devices_take(uint64_t block_bytes, uint64_t needs,
                                           struct lava_lane_lock *lock) {
    if (lava_context_devices() > 1 && !any_is_working() && lava_context_is_busy(needs))
        lava_more_devices_want(needs, count_wanted(needs) + 1, false);
    lava_jump_guard_begin(lava_context_give_up);
    return lava_context_lock_lane(block_bytes, needs, lock);
}

bool lava_more_devices_is_loading(void) {
    return any_is_loading();
}

bool lava_more_devices_is_working(void) {
    return any_is_working();
}

static void wait_while(bool (*any_is)(void), const struct timespec *deadline) {
    if (pthread_mutex_timedlock(&further.change, deadline))
        return;
    while (any_is() && !pthread_cond_timedwait(&further.changed, &further.change, deadline))
        ;
    pthread_mutex_unlock(&further.change);
}

void lava_more_devices_finish(const struct timespec *deadline) {
    wait_while(any_is_loading, deadline);
}

void lava_more_devices_settle(const struct timespec *deadline) {
    wait_while(any_is_working, deadline);
}
