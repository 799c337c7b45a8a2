/* The thread that waits for the memory to be idle. Called by whoever used the device: runtime.c for products,
 * lifecycle.c for preparations, calibration.c.
 *
 * It exists while there is memory to give back and ends with that, so a program that multiplies no more is
 * woken up no more. It never waits for the engine's lock: who has it uses the device. A child of fork() has
 * no such thread and needs none; at exit and after a failure of the device it does nothing. */
#include "lib/offload/idle.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/offload/lifecycle.h"

#define NS_PER_S 1000000000u

static struct {
    _Atomic uint64_t used_ns; /* when the device was used last */
    bool waiting;             /* the thread exists; guarded by the engine's lock */
} idle;

static void sleep_until(uint64_t ns) {
    const struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        ;
}

/* When the memory will have been idle for long enough; in the past: now. */
static uint64_t due_ns(void) {
    return idle.used_ns + lava_config_get()->idle_ns;
}

/* Under the lock. False: a product came in between. */
static bool give_back(struct lava_engine *engine) {
    if (lava_stats_now_ns() < due_ns())
        return false;
    lava_engine_release(engine);
    LAVA_LOG(INFO, "the device's memory is given back after %.3g s without a product",
             (double)lava_config_get()->idle_ns / NS_PER_S);
    idle.waiting = false;
    return true;
}

static void *wait_for_idleness(void *unused) {
    uint64_t next_ns = due_ns();
    (void)unused;
    pthread_setname_np(pthread_self(), "lavablas-idle");
    for (;;) {
        struct lava_engine *engine;
        int cancel_state;
        sleep_until(next_ns);
        next_ns = due_ns();
        if (lava_stats_now_ns() < next_ns)
            continue;
        if (!lava_lifecycle_try_lock(&engine, &cancel_state)) {
            /* in use now, so not idle before this */
            next_ns = lava_stats_now_ns() + lava_config_get()->idle_ns;
            continue;
        }
        bool ended = !engine || give_back(engine);
        if (engine)
            lava_lifecycle_unlock(cancel_state);
        if (ended)
            return NULL;
    }
}

void lava_idle_touch(void) {
    if (lava_config_get()->idle_ns == 0)
        return;
    idle.used_ns = lava_stats_now_ns();
    if (!idle.waiting)
        idle.waiting = lava_lifecycle_start_thread(wait_for_idleness, NULL);
}
