/* Preparation, fork and exit. Called by runtime.c and gate.c.
 *
 * A type's state only moves forward: COLD, STARTING, then READY or UNAVAILABLE; the first type prepared
 * brings the device. A forked child never touches its parent's device, engine or lock: it has `forked` and
 * forwards, and its exit() ends before the driver's handlers. At exit the product in flight is waited for and
 * none is begun after it, so the driver's own handlers find the device idle; nothing is destroyed. */
#include "lib/offload/lifecycle.h"

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
#include "lib/calibrate/calibration.h"
#include "lib/host/processor.h"
#include "lib/offload/idle.h"
#include "lib/offload/self_test.h"
#include "lib/offload/threshold.h"
#include "lib/vk/gpu.h"

/* How long exit() may wait for a product or a preparation in flight. */
#define EXIT_WAIT_MS 1500
/* How long a product of another thread is held up then. */
#define EXIT_PAUSE_MS 200

enum state { COLD, STARTING, READY, UNAVAILABLE };

static struct {
    _Atomic int states[LAVA_TYPE_REAL_COUNT];
    _Atomic bool
        refused[LAVA_TYPE_REAL_COUNT]; /* the device is there, but has no kernel of the type that works */
    _Atomic bool forked, exiting;
    pthread_t exiter;       /* the thread in exit(), where exiting is set */
    pthread_mutex_t change; /* guards changes of states and the wait for them; taken after engine_lock */
    pthread_cond_t changed;
    pthread_mutex_t engine_lock;
    pthread_mutex_t loading; /* held while a driver is loaded, and by fork() */
    /* written by a preparation, before a type is READY */
    struct lava_engine *engine;
    struct lava_capabilities capabilities;
    const char *explanations[LAVA_TYPE_REAL_COUNT]; /* NULL: not started; guarded by change */
} life = {.change = PTHREAD_MUTEX_INITIALIZER,
          .changed = PTHREAD_COND_INITIALIZER,
          .engine_lock = PTHREAD_MUTEX_INITIALIZER,
          .loading = PTHREAD_MUTEX_INITIALIZER};

static bool any_is(enum state state) {
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
        if (life.states[type] == (int)state)
            return true;
    return false;
}

/* Once no call can use the device the gate need not look at any: unless they are counted. */
static void close_gate(void) {
    const struct lava_config *config = lava_config_get();
    if (!config->stats && config->log_level < LAVA_LOG_DEBUG)
        atomic_store_explicit(&lava_threshold.forward_below, (double)INFINITY, memory_order_release);
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
    if (pthread_mutex_timedlock(&life.engine_lock, &deadline))
        LAVA_LOG(INFO, "exit with a product still on the device");
    else
        pthread_mutex_unlock(&life.engine_lock);
}

static void begin_exit(void) {
    if (life.exiting)
        return;
    life.exiter = pthread_self();
    life.exiting = true;
    const struct timespec deadline = exit_deadline();
    lava_calibration_stop(&deadline);
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
    while (any_is(STARTING) && !pthread_cond_timedwait(&life.changed, &life.change, &deadline))
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

/* While a driver is loaded it registers exit handlers, hundreds where it brings a compiler, and a child of
 * fork() has the C library's lock for these as another thread had it then: locked for good, and exit() takes
 * it. So fork() waits until the driver is loaded. A driver may fork itself (NVIDIA's runs nvidia-modprobe).
 */
static _Thread_local bool is_loading;

static void before_fork(void) {
    if (!is_loading)
        pthread_mutex_lock(&life.loading);
}

static void after_fork(void) {
    if (!is_loading)
        pthread_mutex_unlock(&life.loading);
}

static void forked_child(void) {
    after_fork();
    life.forked = true;
    if (any_is(STARTING))
        leave_first(); /* the driver may have its handlers already */
    close_gate();
}

void lava_lifecycle_install(void) {
    pthread_atfork(before_fork, after_fork, forked_child);
    atexit(have_left);
}

static void set_state(enum lava_type type, enum state state, const char *explanation) {
    pthread_mutex_lock(&life.change);
    life.states[type] = (int)state;
    life.explanations[type] = explanation;
    pthread_cond_broadcast(&life.changed);
    pthread_mutex_unlock(&life.change);
}

static enum lava_status create_engine(const char **why) {
    struct lava_device *device;
    lava_device_on_load(leave_first);
    pthread_mutex_lock(&life.loading);
    is_loading = true;
    enum lava_status status = lava_gpu_open(lava_config_get(), &device, why);
    is_loading = false;
    pthread_mutex_unlock(&life.loading);
    if (status)
        return status;
    *why = "no memory for staging";
    if ((status = lava_engine_create(device, lava_copy_pool_threads(), &life.engine)))
        return status;
    life.capabilities = life.engine->capabilities;
    lava_calibration_load(&life.capabilities);
    return LAVA_OK;
}

/* For all types. What a call may be looking at, because a type is or was ready, is not destroyed. */
static void give_device_up(enum lava_status status, const char *why) {
    if (any_is(READY)) {
        lava_device_fail(life.engine->device, status);
    } else {
        lava_engine_destroy(life.engine);
        life.engine = NULL;
    }
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
        if (life.states[type] != READY)
            set_state((enum lava_type)type, UNAVAILABLE, why);
    close_gate();
    LAVA_LOG(INFO, "no device: %s", why);
}

/* A device that cannot do half precision goes on with fp32; one that fails at fp32 is trusted no more. */
static void prepare_type(enum lava_type type) {
    const char *name = life.capabilities.name, *type_name = lava_type_name(type);
    enum lava_status status = lava_self_test_run(life.engine, type);
    if (!status)
        lava_pipelines_save(life.engine->device);
    if (!status && life.engine->device->failed)
        status = LAVA_ERROR_DEVICE_LOST;
    if (type == LAVA_TYPE_FP32) /* nobody reads it before: only rows of fp32 are refused */
        life.capabilities.refused_kernels = life.engine->capabilities.refused_kernels;
    if (!status) {
        set_state(type, READY, "ready");
        lava_calibration_begin(type);
        LAVA_LOG(INFO, "device: %s: ready for %s", name, type_name);
    } else if (status == LAVA_ERROR_UNAVAILABLE) {
        life.refused[type] = true;
        set_state(type, UNAVAILABLE, "the device runs no kernel of this type");
        LAVA_LOG(INFO, "device: %s: no kernel for %s", name, type_name);
    } else if (type == LAVA_TYPE_FP32 || life.engine->device->failed) {
        give_device_up(status, "the self-test failed");
    } else {
        life.refused[type] = true;
        set_state(type, UNAVAILABLE, "the self-test failed");
        LAVA_LOG(WARN, "%s: not used for %s: %s", name, type_name, lava_status_name(status));
    }
}

/* Under the engine's lock: no other preparation and no product is under way. */
static void prepare(enum lava_type type) {
    const char *why = "the process ends";
    if (life.states[type] != STARTING)
        return; /* the device was given up meanwhile */
    if (life.exiting) {
        set_state(type, UNAVAILABLE, why);
        return;
    }
    enum lava_status status = life.engine ? LAVA_OK : create_engine(&why);
    if (status)
        give_device_up(status, why);
    else if (life.engine->device->failed)
        set_state(type, UNAVAILABLE, "the device failed");
    else
        prepare_type(type);
}

static void *prepare_in_background(void *type) {
    /* the first caller's rounding mode and traps are not for this thread nor for the driver's, which inherit
     */
    fesetenv(FE_DFL_ENV);
    /* held throughout: exit() waits for it as for any product */
    pthread_mutex_lock(&life.engine_lock);
    prepare((enum lava_type)(intptr_t)type);
    if (life.engine)
        lava_idle_touch();
    pthread_mutex_unlock(&life.engine_lock);
    return NULL;
}

bool lava_lifecycle_start_thread(void *(*function)(void *), void *argument) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes))
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, &attributes, function, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

static void start(enum lava_type type) {
    pthread_mutex_lock(&life.change);
    if (life.states[type] == COLD) {
        life.states[type] = STARTING;
        life.explanations[type] = "being prepared";
        if (!lava_lifecycle_start_thread(prepare_in_background, (void *)(intptr_t)type)) {
            life.explanations[type] = "no thread to prepare the device";
            life.states[type] = UNAVAILABLE;
        }
    }
    pthread_mutex_unlock(&life.change);
}

static void wait_for(enum lava_type type) {
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&life.change);
    while (life.states[type] == STARTING)
        pthread_cond_wait(&life.changed, &life.change);
    pthread_mutex_unlock(&life.change);
    pthread_setcancelstate(cancel_state, NULL);
}

bool lava_lifecycle_ready_for(enum lava_type type, bool wait, enum lava_reason *reason) {
    if (life.forked || life.exiting) {
        if (!life.forked)
            pause_at_exit();
        *reason = life.forked ? LAVA_REASON_FORKED : LAVA_REASON_NO_DEVICE;
        return false;
    }
    if (life.states[type] == COLD)
        start(type);
    if (life.states[type] == STARTING)
        await_at_thread_end();
    if (wait && life.states[type] == STARTING)
        wait_for(type);
    int state = life.states[type];
    if (state == READY && life.engine->device->failed) {
        close_gate();
        *reason = LAVA_REASON_FAILED;
        return false;
    }
    bool busy = !wait && any_is(STARTING); /* with another type: the lock would not be had for a while */
    enum lava_reason unavailable = life.refused[type] ? LAVA_REASON_NO_KERNEL : LAVA_REASON_NO_DEVICE;
    *reason = state == UNAVAILABLE ? unavailable : LAVA_REASON_STARTING;
    return state == READY && !busy;
}

bool lava_lifecycle_ready(bool wait, enum lava_reason *reason) {
    return lava_lifecycle_ready_for(LAVA_TYPE_FP32, wait, reason);
}

bool lava_lifecycle_cold(void) {
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
        if (life.states[type] != COLD)
            return false;
    return true;
}

const char *lava_lifecycle_explanation(void) {
    pthread_mutex_lock(&life.change);
    const char *explanation = life.explanations[LAVA_TYPE_FP32];
    if (life.states[LAVA_TYPE_FP32] == READY && life.engine->device->failed)
        explanation = "the device failed";
    pthread_mutex_unlock(&life.change);
    return explanation ? explanation : "not started";
}

const struct lava_capabilities *lava_lifecycle_capabilities(void) {
    return &life.capabilities;
}

/* Under the lock, which is given up where there is nothing to be used. */
static struct lava_engine *usable_engine(int cancel_state) {
    if (life.engine && !life.exiting && !life.engine->device->failed)
        return life.engine;
    lava_lifecycle_unlock(cancel_state);
    return NULL;
}

struct lava_engine *lava_lifecycle_lock(int *cancel_state) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    pthread_mutex_lock(&life.engine_lock);
    struct lava_engine *engine = usable_engine(*cancel_state);
    if (!engine && life.exiting)
        pause_at_exit();
    return engine;
}

bool lava_lifecycle_try_lock(struct lava_engine **engine, int *cancel_state) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel_state);
    bool locked = pthread_mutex_trylock(&life.engine_lock) == 0;
    if (locked)
        *engine = usable_engine(*cancel_state);
    else
        pthread_setcancelstate(*cancel_state, NULL);
    return locked;
}

void lava_lifecycle_unlock(int cancel_state) {
    pthread_mutex_unlock(&life.engine_lock);
    pthread_setcancelstate(cancel_state, NULL);
}
