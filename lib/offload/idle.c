/* Runs the thread that waits until the memory is idle. Called by whoever used the device: offload.c and
 * lib/blas for products, prepare.c for preparations, and the calibration.
 *
 * The thread exists while there is memory to free and ends with that, so an idle program is not woken up. It
 * never waits for the device: whoever has locked it, or a lane, uses it. A child of fork() has no such
 * thread and needs none. At exit and after a failure of the device it frees nothing. */
#include "lib/offload/idle.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/base/thread.h"
#include "lib/offload/context.h"

#define NS_PER_S 1000000000u

static struct {
    _Atomic uint64_t used_ns; /* the time of the last use */
    _Atomic bool waiting;     /* the thread exists; reset when the whole device is locked */
} idle;

static void sleep_until(uint64_t ns) {
    const struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        ;
}

/* Returns when the memory will have been idle for long enough; it has been already if that is past. */
static uint64_t due_ns(void) {
    return idle.used_ns + lava_config_get()->idle_ns;
}

/* All devices are locked. Returns false if a product came in between. */
static bool give_back(void) {
    if (lava_clock_now_ns() < due_ns())
        return false;
    lava_context_release();
    LAVA_LOG(INFO, "the device's memory is given back after %.3g s without a product",
             (double)lava_config_get()->idle_ns / NS_PER_S);
    lava_thread_ends();
    idle.waiting = false;
    return true;
}

static void *wait_for_idleness(void *unused) {
    uint64_t next_ns = due_ns();
    (void)unused;
    for (;;) {
        struct lava_engine *engine;
        int cancel_state;
        sleep_until(next_ns);
        next_ns = due_ns();
        if (lava_clock_now_ns() < next_ns)
            continue;
        if (!lava_context_try_lock(&engine, &cancel_state)) {
            /* it is in use now, so it is not idle before this time */
            next_ns = lava_clock_now_ns() + lava_config_get()->idle_ns;
            continue;
        }
        bool ended = !engine || give_back();
        if (engine)
            lava_context_unlock(cancel_state);
        if (ended)
            return NULL;
    }
}

void lava_idle_touch(void) {
    if (lava_config_get()->idle_ns == 0)
        return;
    idle.used_ns = lava_clock_now_ns();
    if (!atomic_exchange(&idle.waiting, true) && !lava_thread_start("lava-idle", wait_for_idleness, NULL))
        idle.waiting = false;
}

void lava_idle_unlock(int cancel_state) {
    lava_idle_touch();
    lava_context_unlock(cancel_state);
}
