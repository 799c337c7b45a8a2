/* Preparation, fork and exit. Called by runtime.c and gate.c.
 *
 * The state only moves forward: COLD, STARTING, then READY or UNAVAILABLE. A forked child never touches its
 * parent's device, executor or lock: it has `forked` and forwards, and its exit() ends before the driver's
 * handlers. At exit the product in flight is waited for and none is begun after it, so the driver's own
 * handlers find the device idle; nothing is destroyed. */
#include "lib/exec/lifecycle.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/fault.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/cpu/processor.h"
#include "lib/exec/gate.h"
#include "lib/exec/self_test.h"

/* How long exit() may wait for a product or a preparation in flight. */
#define EXIT_WAIT_MS 1500
/* How long a product of another thread is held up then. */
#define EXIT_PAUSE_MS 200
/* Threads copying to and from staging memory, the caller included: half of the processors, at most eight. */
#define COPY_THREADS_MAX 8

enum state { COLD, STARTING, READY, UNAVAILABLE };

static struct {
    _Atomic int state;
    _Atomic bool forked, exiting;
    pthread_t exiter;       /* the thread in exit(), where exiting is set */
    pthread_mutex_t change; /* guards the step from COLD to STARTING and the wait for what follows */
    pthread_cond_t changed;
    pthread_mutex_t executor_lock;
    struct lava_executor *executor;
    struct lava_capabilities capabilities;
    const char *explanation;
} life = {.change = PTHREAD_MUTEX_INITIALIZER,
          .changed = PTHREAD_COND_INITIALIZER,
          .executor_lock = PTHREAD_MUTEX_INITIALIZER,
          .explanation = "not started"};

static unsigned copy_threads(void) {
    int threads = lava_processor_count() / 2;
    return (unsigned)(threads < 1 ? 1 : threads > COPY_THREADS_MAX ? COPY_THREADS_MAX : threads);
}

/* Once no call can use the device the gate need not look at any: unless they are counted. */
static void close_gate(void) {
    const struct lava_config *config = lava_config_get();
    if (!config->stats && config->log_level < LAVA_LOG_DEBUG)
        atomic_store_explicit(&lava_gate.forward_below, (double)INFINITY, memory_order_release);
}

static struct timespec exit_deadline(void) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += EXIT_WAIT_MS / 1000;
    deadline.tv_nsec += EXIT_WAIT_MS % 1000 * 1000000L;
    if (deadline.tv_nsec >= 1000000000L) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000000000L;
    }
    return deadline;
}

/* Waits for the product or preparation in flight. The lock is not kept: a handler that comes later may wait
 * for a thread that multiplies. */
static void let_finish(void) {
    const struct timespec deadline = exit_deadline();
    if (pthread_mutex_timedlock(&life.executor_lock, &deadline))
        LAVA_LOG(INFO, "exit with a product still on the device");
    else
        pthread_mutex_unlock(&life.executor_lock);
}

static void begin_exit(void) {
    if (life.exiting)
        return;
    life.exiter = pthread_self();
    life.exiting = true;
    let_finish();
}

/* The driver's handlers join its threads, which do not exist in a child of fork(). Their stacks lie in the C
 * library's cache, where a new thread of the child may get one: a wait without end. And with more than 40 MiB
 * of them the first join has the cache unmap others, which are joined next: a crash, even in a child that
 * does nothing but exit (both measured with Mesa's; NVIDIA's 580 crashes or waits too). So a child ends here;
 * the handlers registered before the driver's are given up with it. */
static void leave_forked(int status) {
    lava_stats_print();
    fflush(NULL);
    _exit(status);
}

/* exit()'s handlers run last in, first out. This one is registered after the driver's, so it runs before:
 * several times, for a driver registers its own bit by bit. */
static void leave(int status, void *unused) {
    (void)unused;
    if (life.forked)
        leave_forked(status);
    begin_exit();
}

static void leave_first(void) {
    on_exit(leave, NULL);
}

/* This one is registered before any driver is loaded: for a process without one. */
static void have_left(void) {
    if (!life.forked)
        begin_exit();
}

/* Drivers register handlers while they are being loaded, and exit() would run those before any of ours,
 * beside a preparation that is under way (measured: LLVM's destructors, then a crash). Only what a thread has
 * to do at its own end comes before them. */
static void await_preparation(void *unused) {
    const struct timespec deadline = exit_deadline();
    (void)unused;
    if (life.forked)
        return;
    pthread_mutex_lock(&life.change);
    while (life.state == STARTING && !pthread_cond_timedwait(&life.changed, &life.change, &deadline))
        ;
    pthread_mutex_unlock(&life.change);
}

/* For the calling thread, should it be the one that calls exit(). C has no thread-local destructors; this is
 * what C++'s are made of. Safe because the library is never unloaded. */
static void await_at_thread_end(void) {
    extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
    extern void *__dso_handle;
    static _Thread_local bool registered;
    if (!registered)
        __cxa_thread_atexit_impl(await_preparation, NULL, &__dso_handle);
    registered = true;
}

/* A thread that multiplies while another is in exit() mostly does not live to see the result. Let into the
 * CPU BLAS at once it could be there when that is torn down: OpenBLAS then waits for ever. */
static void pause_at_exit(void) {
    static _Thread_local bool paused; /* once: a handler may wait for this thread to end its work */
    const struct timespec pause = {.tv_nsec = EXIT_PAUSE_MS * 1000000L};
    if (!paused && !pthread_equal(pthread_self(), life.exiter))
        nanosleep(&pause, NULL);
    paused = true;
}

static void forked_child(void) {
    life.forked = true;
    if (life.state == STARTING)
        leave_first(); /* the driver may have its handlers already */
    close_gate();
}

void lava_lifecycle_install(void) {
    pthread_atfork(NULL, NULL, forked_child);
    atexit(have_left);
}

static enum lava_status prepare(struct lava_executor **executor, const char **why) {
    struct lava_device *device;
    lava_device_on_load(leave_first);
    enum lava_status status = lava_device_create(lava_config_get(), &device, why);
    if (status)
        return status;
    *why = "no memory for staging";
    if ((status = lava_executor_create(device, copy_threads(), executor)))
        return status;
    *why = "the self-test failed";
    if ((status = lava_self_test_run(*executor))) {
        lava_executor_destroy(*executor);
        *executor = NULL;
        return status;
    }
    lava_pipelines_save((*executor)->device);
    *why = "ready";
    return LAVA_OK;
}

static void *prepare_in_background(void *unused) {
    struct lava_executor *executor = NULL;
    const char *why = "";
    (void)unused;
    /* the first caller's rounding mode and traps are not for this thread nor for the driver's, which inherit
     */
    fesetenv(FE_DFL_ENV);
    /* held throughout: exit() waits for it as for any product */
    pthread_mutex_lock(&life.executor_lock);
    enum lava_status status = life.exiting ? LAVA_ERROR_UNAVAILABLE : prepare(&executor, &why);
    pthread_mutex_unlock(&life.executor_lock);

    pthread_mutex_lock(&life.change);
    life.executor = executor;
    life.explanation = why;
    if (!status)
        life.capabilities = executor->capabilities;
    life.state = status ? UNAVAILABLE : READY;
    pthread_cond_broadcast(&life.changed);
    pthread_mutex_unlock(&life.change);
    if (status)
        close_gate();
    LAVA_LOG(INFO, "device: %s%s%s", status ? "none, " : life.capabilities.name, status ? "" : ": ", why);
    return NULL;
}

/* With every signal blocked: the program's handlers run on the program's threads. */
static bool start_thread(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes))
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, &attributes, prepare_in_background, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

static void start(void) {
    pthread_mutex_lock(&life.change);
    if (life.state == COLD) {
        life.state = STARTING;
        life.explanation = "being prepared";
        if (!start_thread()) {
            life.explanation = "no thread to prepare the device";
            life.state = UNAVAILABLE;
        }
    }
    pthread_mutex_unlock(&life.change);
}

bool lava_lifecycle_ready(bool wait, enum lava_reason *reason) {
    if (life.forked || life.exiting) {
        if (!life.forked)
            pause_at_exit();
        *reason = life.forked ? LAVA_REASON_FORKED : LAVA_REASON_NO_DEVICE;
        return false;
    }
    if (life.state == COLD)
        start();
    if (life.state == STARTING)
        await_at_thread_end();
    if (wait && life.state == STARTING) {
        int cancel_state;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
        pthread_mutex_lock(&life.change);
        while (life.state == STARTING)
            pthread_cond_wait(&life.changed, &life.change);
        pthread_mutex_unlock(&life.change);
        pthread_setcancelstate(cancel_state, NULL);
    }
    int state = life.state;
    if (state == READY && life.executor->device->failed) {
        close_gate();
        *reason = LAVA_REASON_FAILED;
        return false;
    }
    *reason = state == STARTING ? LAVA_REASON_STARTING : LAVA_REASON_NO_DEVICE;
    return state == READY;
}

bool lava_lifecycle_cold(void) {
    return life.state == COLD;
}

const char *lava_lifecycle_explanation(void) {
    pthread_mutex_lock(&life.change);
    const char *explanation = life.explanation;
    if (life.state == READY && life.executor->device->failed)
        explanation = "the device failed";
    pthread_mutex_unlock(&life.change);
    return explanation;
}

const struct lava_capabilities *lava_lifecycle_capabilities(void) {
    return &life.capabilities;
}

struct lava_executor *lava_lifecycle_lock(int *cancel_state) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    pthread_mutex_lock(&life.executor_lock);
    if (!life.exiting && !life.executor->device->failed)
        return life.executor;
    bool exiting = life.exiting;
    lava_lifecycle_unlock(*cancel_state);
    if (exiting)
        pause_at_exit();
    return NULL;
}

void lava_lifecycle_unlock(int cancel_state) {
    pthread_mutex_unlock(&life.executor_lock);
    pthread_setcancelstate(cancel_state, NULL);
}
