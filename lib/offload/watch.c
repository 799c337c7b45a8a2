/* Runs the thread that watches a driver. Called by prepare.c and more_devices.c.
 *
 * Invariant: give_up is called at most once for a watch. Time is counted in seconds that the watching thread
 * has lived through, so a process that is stopped for an hour, by a shell or a debugger, loses nothing. */
#include "lib/offload/watch.h"

#include <time.h>

#include "lib/base/clock.h"
#include "lib/base/thread.h"

/* Seconds without a step. To open a device is one step, and so is each pipeline. An H200's driver takes 0.3 s
 * for the first one and at most 0.7 s for a pipeline; others take up to 5 s after a boot, and more in
 * containers and on hosts with many GPUs. Until then only those wait that have asked to (LAVABLAS_INIT=sync).
 */
#define PATIENCE_S 60
/* A software device compiles a pipeline in up to 10 s on one processor, which the program may need, too. */
#define SOFTWARE_PATIENCE_S 300

static _Atomic unsigned second_ms = 1000;

void lava_watch_set_second(unsigned ms) {
    second_ms = ms;
}

/* The lock is held. Returns false at the end of the work. */
static bool wait_a_second(struct lava_watch *watch) {
    const struct timespec end = lava_clock_deadline(second_ms * UINT64_C(1000000));
    while (watch->threads > 0)
        if (pthread_cond_timedwait(&watch->ended, &watch->lock, &end))
            return true;
    return false;
}

static void *watch_over(void *argument) {
    struct lava_watch *watch = argument;
    unsigned steps = watch->steps;
    int silent_s = 0;
    pthread_mutex_lock(&watch->lock);
    while (!watch->given_up && wait_a_second(watch)) {
        bool is_silent = watch->inside > 0 && watch->steps == steps;
        silent_s = is_silent ? silent_s + 1 : 0;
        steps = watch->steps;
        watch->given_up = silent_s >= (watch->patient ? SOFTWARE_PATIENCE_S : PATIENCE_S);
    }
    watch->watched = false;
    pthread_mutex_unlock(&watch->lock);
    if (watch->given_up)
        watch->give_up();
    return NULL;
}

/* Begins to watch for one more thread. */
static bool begin(struct lava_watch *watch) {
    pthread_mutex_lock(&watch->lock);
    if (!watch->watched && !watch->given_up)
        watch->watched = lava_thread_start("lava-watch", watch_over, watch);
    bool begun = watch->watched;
    watch->threads += begun;
    pthread_mutex_unlock(&watch->lock);
    return begun;
}

void lava_watch_end(struct lava_watch *watch) {
    pthread_mutex_lock(&watch->lock);
    watch->threads--;
    pthread_cond_signal(&watch->ended);
    pthread_mutex_unlock(&watch->lock);
}

bool lava_watch_start(struct lava_watch *watch, const char *name, void *(*function)(void *), void *argument) {
    if (!begin(watch))
        return false;
    if (lava_thread_start(name, function, argument))
        return true;
    lava_watch_end(watch);
    return false;
}

void lava_watch_step(struct lava_watch *watch) {
    watch->steps++;
}

void lava_watch_enter(struct lava_watch *watch) {
    lava_watch_step(watch);
    watch->inside++;
}

void lava_watch_leave(struct lava_watch *watch) {
    watch->inside--;
    lava_watch_step(watch);
}

void lava_watch_be_patient(struct lava_watch *watch) {
    watch->patient = true;
}

bool lava_watch_is_given_up(const struct lava_watch *watch) {
    return watch->given_up;
}
