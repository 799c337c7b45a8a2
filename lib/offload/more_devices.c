/* Opens further devices, makes their engines and tests their kernels. Called by offload.c and lib/blas.
 *
 * Invariant: a device's engine is made once and stays. While a thread tests kernels on it, the device is
 * closed to products. A kernel that was tested once, with whatever result, is not tested again. Everything
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

/* LOADING: its thread may be in the driver's initialization; REFUSED: it could not be opened, for good. */
enum state { IDLE, WORKING, LOADING, REFUSED };

struct further {
    struct lava_engine *engine; /* NULL: none was made */
    uint64_t wanted, tried;     /* needs, as in readiness.h */
    _Atomic int state;
};

static struct {
    struct further devices[LAVA_DEVICE_SET_MAX]; /* the first one is not used */
    pthread_mutex_t change;
    pthread_cond_t changed;
} further = {.change = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* `change` is held. */
static void set_locked(struct further *device, enum state state) {
    if (device->state != REFUSED)
        device->state = (int)state;
    pthread_cond_broadcast(&further.changed);
}

static void set(struct further *device, enum state state) {
    pthread_mutex_lock(&further.change);
    set_locked(device, state);
    pthread_mutex_unlock(&further.change);
}

bool lava_more_devices_is_at_work(bool loading) {
    bool any = false;
    for (unsigned i = 1; i < LAVA_DEVICE_SET_MAX; i++) {
        int state = further.devices[i].state;
        any = any || state == LOADING || (!loading && state == WORKING);
    }
    return any;
}

/* The driver does not answer for one of them, perhaps for several. All that are being prepared are left as
 * they are; the first device goes on. */
static void give_up(void) {
    pthread_mutex_lock(&further.change);
    for (unsigned i = 1; i < LAVA_DEVICE_SET_MAX; i++)
        if (further.devices[i].state != IDLE)
            set_locked(&further.devices[i], REFUSED);
    pthread_mutex_unlock(&further.change);
    LAVA_LOG(WARN, "further devices are not used: the driver did not answer");
}

static struct lava_watch driver = LAVA_WATCH(give_up);

/* Asked before each step. */
static bool must_stop(void) {
    lava_watch_step(&driver);
    return lava_process_is_exiting() || lava_watch_is_given_up(&driver);
}

/* Returns what is left to be tested. Marks the thread as ended if that is nothing. */
static uint64_t take_wanted(struct further *device) {
    pthread_mutex_lock(&further.change);
    uint64_t needs = device->state == REFUSED || must_stop() ? 0 : device->wanted & ~device->tried;
    device->tried |= needs;
    if (!needs) {
        lava_thread_ends();
        set_locked(device, IDLE);
    }
    pthread_mutex_unlock(&further.change);
    return needs;
}

static struct lava_engine *make_engine(struct further *place, unsigned number) {
    struct lava_device *device;
    struct lava_engine *engine = NULL;
    const char *why;
    set(place, LOADING);
    lava_watch_enter(&driver);
    lava_process_begin_loading();
    enum lava_status status = must_stop() ? LAVA_ERROR_UNAVAILABLE
                                          : lava_gpu_open_further(lava_config_get(), number, &device, &why);
    lava_process_end_loading();
    set(place, WORKING);
    if (status || must_stop() ||
        lava_engine_create(device, lava_copy_pool_device_threads(lava_context_devices()), &engine))
        LAVA_LOG(INFO, "device %u of the process cannot be used", number);
    if (engine && engine->capabilities.kind == LAVA_DEVICE_CPU)
        lava_watch_be_patient(&driver);
    lava_watch_leave(&driver);
    return engine;
}

/* Returns false if the device cannot be opened. */
static bool prepare(struct further *place, unsigned number, uint64_t needs) {
    uint64_t begin_ns = lava_clock_now_ns();
    if (place->engine) {
        if (!lava_context_close_device(number))
            return true;
    } else if ((place->engine = make_engine(place, number))) {
        lava_context_add_device(number, place->engine);
    } else {
        return false;
    }
    lava_watch_enter(&driver);
    uint64_t passed = lava_steps_test(place->engine, needs, must_stop);
    lava_watch_leave(&driver);
    if (lava_watch_is_given_up(&driver))
        return true; /* closed */
    lava_idle_touch();
    lava_context_open_device(number, passed);
    LAVA_LOG(INFO, "device %u of the process: %s: %s, %.0f ms", number, place->engine->capabilities.label,
             passed == needs ? "ready" : "not used for all types",
             (double)(lava_clock_now_ns() - begin_ns) / 1e6);
    return true;
}

static void *prepare_in_background(void *argument) {
    unsigned number = (unsigned)(uintptr_t)argument;
    struct further *place = &further.devices[number];
    uint64_t needs;
    /* the driver's threads must not inherit a caller's rounding mode and traps */
    fesetenv(FE_DFL_ENV);
    while ((needs = take_wanted(place)) && prepare(place, number, needs))
        ;
    if (needs) {
        lava_thread_ends();
        set(place, REFUSED);
    }
    lava_watch_end(&driver);
    return NULL;
}

/* Returns whether a thread prepares the device, or has prepared it, for all the needs. */
static bool want(struct further *place, unsigned number, uint64_t needs) {
    place->wanted |= needs;
    if (place->state == IDLE && (place->wanted & ~place->tried)) {
        lava_process_await_at_thread_end();
        if (lava_watch_start(&driver, "lava-further", prepare_in_background, (void *)(uintptr_t)number))
            set_locked(place, WORKING);
    }
    return place->state != IDLE || !(needs & ~place->tried);
}

void lava_more_devices_want(uint64_t needs, unsigned devices, bool wait) {
    int cancel_state;
    if (needs & ~lava_readiness_in(LAVA_READINESS_IN(READY)) || lava_process_is_exiting())
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&further.change);
    for (unsigned i = 1; i < lava_context_devices() && devices > 0; i++)
        devices -= further.devices[i].state != REFUSED && want(&further.devices[i], i, needs);
    while (wait && lava_more_devices_is_at_work(false))
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
struct lava_engine *lava_more_devices_take(const struct lava_device_shared *device, uint64_t block_bytes,
                                           uint64_t needs, struct lava_lane_lock *lock) {
    if (!device && lava_context_devices() > 1 && !lava_more_devices_is_at_work(false) &&
        lava_context_is_busy(needs))
        lava_more_devices_want(needs, count_wanted(needs) + 1, false);
    lava_jump_guard_begin(lava_context_give_up);
    return lava_context_lock_on(device, block_bytes, needs, lock);
}

void lava_more_devices_await(bool loading, const struct timespec *deadline) {
    if (pthread_mutex_timedlock(&further.change, deadline))
        return;
    while (lava_more_devices_is_at_work(loading) &&
           !pthread_cond_timedwait(&further.changed, &further.change, deadline))
        ;
    pthread_mutex_unlock(&further.change);
}
