/* Prepares the device in a background thread: opens it, makes the engine, and tests the kernels of a type.
 * Called by offload.c for every call that is large enough for a device.
 *
 * Invariant: a type's state only moves forward: COLD, STARTING, READY, UNAVAILABLE. It is READY when its
 * first kernel is tested. The first type brings the device, which is locked until then. Its thread goes on
 * with the other kernels, and locks the whole device for each test; other types' do so once a type is ready.
 * `change` guards the states, below the device's lock.
 *
 * Other operations than plain products need later steps (ways.h), with states by type of their own.
 *
 * A driver may never come back from a call. `driver` is given up then: all that is not READY becomes
 * UNAVAILABLE, and stays so. The thread that waits in the driver keeps its lock of the devices, so context.c
 * has to let the others pass. */
#include "lib/offload/prepare.h"

#include <fenv.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/base/report.h"
#include "lib/base/thread.h"
#include "lib/calibrate/calibration.h"
#include "lib/host/copy_pool.h"
#include "lib/host/vector_copy.h"
#include "lib/offload/context.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/idle.h"
#include "lib/offload/kernel_demand.h"
#include "lib/offload/process.h"
#include "lib/offload/self_test.h"
#include "lib/offload/steps.h"
#include "lib/offload/threshold.h"
#include "lib/offload/watch.h"
#include "lib/vk/gpu.h"

enum state { COLD, STARTING, READY, UNAVAILABLE };

static struct {
    _Atomic int states[LAVA_TYPE_REAL_COUNT];
    _Atomic bool unfinished[LAVA_TYPE_REAL_COUNT];  /* the thread of the preparation is at work */
    _Atomic bool held[LAVA_TYPE_REAL_COUNT];        /* ready, and waits for a demand for other kernels */
    _Atomic bool wanted[LAVA_TYPE_REAL_COUNT];      /* somebody waits for these kernels */
    _Atomic bool refused[LAVA_TYPE_REAL_COUNT];     /* the device has no kernel of the type that works */
    const char *explanations[LAVA_TYPE_REAL_COUNT]; /* NULL: not started; guarded by change */
    _Atomic int later[LAVA_STEP_COUNT][LAVA_TYPE_REAL_COUNT]; /* the states of the later steps */
    _Atomic bool was_ready; /* a type is or was ready: calls may use the engine, or wait for it */
    pthread_mutex_t change;
    pthread_cond_t changed;
} preparation = {.change = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* A preparation that begins before the program's CPU BLAS is there leaves the figures, which depend on it, to
 * the first call. */
static struct {
    pthread_mutex_t lock;
    bool later, is_due; /* not yet; and a device waits for them */
} figures = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void give_up(void);
static struct lava_watch driver = LAVA_WATCH(give_up);

static bool any_is(enum state state) {
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
        if (preparation.states[type] == (int)state)
            return true;
    return false;
}

/* Returns whether a thread is at work for the type, in a step before this one. */
static bool is_at_work_before(int type, int end) {
    bool at_work = preparation.unfinished[type];
    for (int step = 0; step < end && !at_work; step++)
        at_work = preparation.later[step][type] == STARTING;
    return at_work;
}

static void begin_change(void) {
    pthread_mutex_lock(&preparation.change);
}

/* Small calls leave a processor to the preparation as long as one is under way. */
static void end_change(void) {
    lava_threshold_spare(lava_prepare_needs_processors());
    pthread_cond_broadcast(&preparation.changed);
    pthread_mutex_unlock(&preparation.change);
}

/* Nothing changes any more once the driver was given up. */
static void set_state(enum lava_type type, enum state state, const char *explanation) {
    begin_change();
    if (!lava_watch_is_given_up(&driver)) {
        preparation.was_ready = preparation.was_ready || state == READY;
        preparation.states[type] = (int)state;
        preparation.explanations[type] = explanation;
    }
    end_change();
}

/* Asked before each step of a preparation: whether the steps that are left are not wanted any more. */
static bool must_stop(void) {
    lava_watch_step(&driver);
    return lava_process_is_exiting() || lava_watch_is_given_up(&driver);
}

static void load_figures(void) {
    lava_calibration_load(lava_context_capabilities());
    lava_context_set_figures(lava_calibration_figures());
}

static enum lava_status create_engine(const char **why) {
    struct lava_device *device;
    struct lava_engine *engine;
    lava_device_on_load(lava_process_register_exit);
    lava_process_begin_loading();
    enum lava_status status = lava_gpu_open(lava_config_get(), &device, why);
    lava_process_end_loading();
    lava_watch_step(&driver);
    if (status || lava_watch_is_given_up(&driver))
        return status ? status : LAVA_ERROR_UNAVAILABLE;
    if (device->capabilities.kind == LAVA_DEVICE_CPU)
        lava_watch_be_patient(&driver);
    *why = "no memory for staging";
    if ((status = lava_engine_create(device, lava_copy_pool_threads(), &engine)))
        return status;
    lava_context_set_engine(engine);
    lava_report_note(LAVA_REPORT_DEVICE, lava_context_capabilities()->name);
    pthread_mutex_lock(&figures.lock);
    figures.is_due = figures.later;
    if (!figures.later)
        load_figures();
    pthread_mutex_unlock(&figures.lock);
    return LAVA_OK;
}

/* Gives the device up for all types. Where a type was ready, a call may look at the engine: it stays. */
static void give_device_up(enum lava_status status, const char *why) {
    struct lava_engine *engine = lava_context_engine();
    if (preparation.was_ready) {
        lava_device_fail(engine->device, status);
    } else {
        lava_engine_destroy(engine);
        lava_context_set_engine(NULL);
    }
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
        if (preparation.states[type] != READY)
            set_state((enum lava_type)type, UNAVAILABLE, why);
    lava_threshold_close();
    lava_report_note(LAVA_REPORT_NO_DEVICE, why);
    LAVA_LOG(INFO, "no device: %s", why);
}

/* Called by the thread that watches the driver. The thread that waits in it may be anywhere. If a type is or
 * was ready, its products go to the CPU from here on, and those in flight end as on a device that fails. */
static void give_up(void) {
    const char *why = "the driver did not answer";
    begin_change();
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++) {
        preparation.unfinished[type] = false;
        for (int step = 0; step < LAVA_STEP_COUNT; step++)
            if (preparation.later[step][type] != READY)
                preparation.later[step][type] = UNAVAILABLE;
        if (preparation.states[type] == READY)
            continue;
        preparation.states[type] = UNAVAILABLE;
        preparation.explanations[type] = why;
    }
    bool was_ready = preparation.was_ready;
    end_change();
    if (was_ready)
        lava_device_fail(lava_context_engine()->device, LAVA_ERROR_TIMEOUT);
    else
        LAVA_LOG(WARN, "no device: %s; the CPU computes everything", why);
    lava_context_give_up();
    lava_threshold_close();
    lava_report_note(LAVA_REPORT_NO_DEVICE, why);
}

/* A product may be in its way for any time. */
static bool lock_engine(int *cancel_state) {
    lava_watch_leave(&driver);
    bool is_locked = lava_context_lock(cancel_state) != NULL;
    lava_watch_enter(&driver);
    return is_locked;
}

/* A test allocates what a product would, and the thread for idle memory may have ended before it. */
static void unlock_engine(int cancel_state) {
    lava_idle_touch();
    lava_context_unlock(cancel_state);
}

static void lock_each_test(struct lava_self_test *test) {
    test->lock = lock_engine;
    test->unlock = unlock_engine;
}

/* Products of the type may begin. The engine is locked by each of the tests that remain. */
static void set_ready(struct lava_self_test *test) {
    set_state(test->type, READY, "ready");
    if (lava_watch_is_given_up(&driver))
        return;
    LAVA_LOG(INFO, "device: %s: ready for %s", test->engine->capabilities.label, lava_type_name(test->type));
    lava_idle_touch();
    lava_vector_copy_allow(lava_vector_copy_threads(), LAVA_VECTOR_COPY_ALONE_NS);
    if (!test->lock)
        lava_context_unlock_whole();
    lock_each_test(test);
}

/* What the first products of the type will need. */
static void reserve(const struct lava_self_test *test) {
    int cancel_state;
    if (!lava_self_test_lock(test, &cancel_state))
        return;
    lava_engine_reserve_usual(test->engine, test->type);
    lava_self_test_unlock(test, cancel_state);
}

static void set_held(enum lava_type type, bool held) {
    begin_change();
    preparation.held[type] = held;
    end_change();
}

/* Called where nobody waits for the device. The first kernel computes all products of the type meanwhile, and
 * no pipeline is being created. The watch sees nothing of this thread. */
static void await_demand(struct lava_self_test *test, bool ready) {
    enum lava_type type = test->type;
    struct lava_kernel_demand_look look = {0};
    lava_watch_leave(&driver);
    lava_pipelines_hold(test->engine->device, false);
    lava_pipelines_save(test->engine->device);
    set_held(type, true);
    while (ready && !preparation.wanted[type] && !lava_kernel_demand_is_there(type, &look) &&
           !lava_process_is_exiting() && !lava_watch_is_given_up(&driver)) {
        struct timespec until = lava_clock_deadline(LAVA_KERNEL_DEMAND_LOOK_NS);
        begin_change();
        pthread_cond_timedwait(&preparation.changed, &preparation.change, &until);
        pthread_mutex_unlock(&preparation.change);
    }
    set_held(type, false);
    lava_pipelines_hold(test->engine->device, true);
    lava_watch_enter(&driver);
    lava_self_test_go_on(test);
}

/* Tests the type's kernels. The type is ready as soon as one without planes is right: that one takes all
 * products until the others are tested, too. shares: the device is ready for others, so it is not locked. */
static enum lava_status test_kernels(struct lava_engine *engine, enum lava_type type, bool shares,
                                     bool *ready) {
    struct lava_self_test test;
    const struct lava_kernel *kernel;
    bool waits = lava_config_get()->mode == LAVA_MODE_AUTO && !lava_config_get()->init_sync;
    enum lava_status result, status = lava_self_test_begin(&test, engine, type, waits, must_stop);
    *ready = false;
    if (shares)
        lock_each_test(&test);
    for (int i = 0; i < test.count; i++)
        lava_context_refuse(test.kernels[i]);
    reserve(&test);
    while (!status && !lava_watch_is_given_up(&driver) && (kernel = lava_self_test_next(&test, &result))) {
        lava_watch_step(&driver);
        if (result != LAVA_ERROR_UNAVAILABLE)
            status = engine->device->shared->failed ? LAVA_ERROR_DEVICE_LOST : result;
        bool is_right = !result && !status, makes_ready = is_right && kernel->scheme == LAVA_SCHEME_NONE;
        if (is_right)
            lava_context_admit(kernel);
        if (makes_ready && !*ready) {
            *ready = true;
            set_ready(&test);
        }
        if (waits)
            await_demand(&test, *ready);
        waits = false;
    }
    lava_self_test_end(&test);
    return status || *ready ? status : LAVA_ERROR_UNAVAILABLE;
}

/* A kernel failed after others were right and products have used them: none is trusted any more. */
static void end_type(struct lava_engine *engine, enum lava_type type, enum lava_status status) {
    int cancel_state;
    if (lava_process_is_exiting() || !lava_context_lock(&cancel_state))
        return;
    if (type == LAVA_TYPE_FP32)
        lava_device_fail(engine->device, status);
    else
        set_state(type, UNAVAILABLE, "the self-test failed");
    lava_context_unlock(cancel_state);
    LAVA_LOG(WARN, "%s: not used for %s any more: %s", engine->capabilities.label, lava_type_name(type),
             lava_status_name(status));
}

/* Measuring needs the CPU BLAS, too. */
static void calibrate(enum lava_type type) {
    pthread_mutex_lock(&figures.lock);
    if (!figures.later)
        lava_calibration_begin(type);
    pthread_mutex_unlock(&figures.lock);
}

/* A device that fails at half precision goes on with fp32; one that fails at fp32 is not trusted any more.
 * shares: as above. Returns whether the engine is still locked, if it was. */
static bool prepare_type(struct lava_engine *engine, enum lava_type type, bool shares) {
    const char *label = lava_context_capabilities()->label, *type_name = lava_type_name(type);
    bool ready;
    enum lava_status status = test_kernels(engine, type, shares, &ready);
    if (lava_watch_is_given_up(&driver))
        return !ready;
    if (!ready && shares && lava_process_is_exiting()) {
        set_state(type, UNAVAILABLE, "the process ends");
        return true;
    }
    if (ready) {
        lava_pipelines_save(engine->device);
        if (status)
            end_type(engine, type, status);
        else
            calibrate(type);
        return false;
    }
    if (status == LAVA_ERROR_UNAVAILABLE) {
        preparation.refused[type] = true;
        set_state(type, UNAVAILABLE, "the device runs no kernel of this type");
        LAVA_LOG(INFO, "device: %s: no kernel for %s", label, type_name);
    } else if (type == LAVA_TYPE_FP32 || engine->device->shared->failed) {
        give_device_up(status, "the self-test failed");
    } else {
        preparation.refused[type] = true;
        set_state(type, UNAVAILABLE, "the self-test failed");
        LAVA_LOG(WARN, "%s: not used for %s: %s", label, type_name, lava_status_name(status));
    }
    return true;
}

/* The context is locked, unless the device is shared. Returns whether it still is, if it was. */
static bool prepare(enum lava_type type, bool shares) {
    const char *why = "the process ends";
    if (preparation.states[type] != STARTING)
        return true; /* the device was given up meanwhile */
    if (lava_process_is_exiting()) {
        set_state(type, UNAVAILABLE, why);
        return true;
    }
    enum lava_status status = lava_context_engine() ? LAVA_OK : create_engine(&why);
    if (lava_watch_is_given_up(&driver))
        return true;
    if (!status && !lava_context_engine()->device->shared->failed) {
        lava_steps_give_way(lava_context_engine());
        return prepare_type(lava_context_engine(), type, shares);
    }
    if (status)
        give_device_up(status, why);
    else
        set_state(type, UNAVAILABLE, "the device failed");
    return true;
}

static void set_finished(enum lava_type type) {
    lava_thread_ends();
    begin_change();
    preparation.unfinished[type] = false;
    end_change();
}

static void *prepare_in_background(void *argument) {
    enum lava_type type = (enum lava_type)(intptr_t)argument;
    /* This thread and the driver's threads must not inherit the first caller's rounding mode and traps. */
    fesetenv(FE_DFL_ENV);
    /* Until the device is ready for a first type the context stays locked, and exit() waits for it. */
    bool shares = preparation.was_ready;
    if (!shares) {
        lava_context_lock_whole();
        shares = preparation.was_ready; /* meanwhile */
        if (shares)
            lava_context_unlock_whole();
    }
    lava_watch_enter(&driver);
    if (prepare(type, shares) && !shares) {
        if (lava_context_engine() && !lava_watch_is_given_up(&driver))
            lava_idle_touch();
        lava_context_unlock_whole();
    }
    set_finished(type);
    lava_watch_leave(&driver);
    lava_watch_end(&driver);
    return NULL;
}

static void set_later(enum lava_step step, enum lava_type type, enum state state) {
    lava_thread_ends();
    begin_change();
    if (!lava_watch_is_given_up(&driver))
        preparation.later[step][type] = (int)state;
    end_change();
}

/* The thread alone takes 80 MiB of addresses, which the CPU BLAS may need. */
static void start(enum lava_type type) {
    const char *why = "";
    begin_change();
    bool has_room = !lava_prepare_is_cold() || lava_gpu_has_room(&why);
    for (int other = 0; !has_room && other < LAVA_TYPE_REAL_COUNT; other++)
        preparation.states[other] = UNAVAILABLE;
    if (preparation.states[type] == COLD) {
        preparation.states[type] = STARTING;
        preparation.unfinished[type] = true;
        preparation.explanations[type] = "being prepared";
        if (!lava_watch_start(&driver, "lava-prepare", prepare_in_background, (void *)(intptr_t)type)) {
            preparation.explanations[type] = "no thread to prepare the device";
            preparation.states[type] = UNAVAILABLE;
            preparation.unfinished[type] = false;
        }
    }
    end_change();
    if (!has_room)
        give_device_up(LAVA_ERROR_UNAVAILABLE, why);
}

/* Waits for the steps before this one, as far as they are under way. */
static void wait_for_steps(enum lava_type type, int end) {
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    bool is_suspended = lava_fork_gate_suspend(); /* the driver that is waited for may fork */
    pthread_mutex_lock(&preparation.change);
    preparation.wanted[type] = true;
    pthread_cond_broadcast(&preparation.changed);
    while (is_at_work_before((int)type, end))
        pthread_cond_wait(&preparation.changed, &preparation.change);
    pthread_mutex_unlock(&preparation.change);
    lava_fork_gate_resume(is_suspended);
    pthread_setcancelstate(cancel_state, NULL);
}

/* Creates and tests what the step's operations need, with the kernels that the earlier steps admitted. Each
 * test locks the device. */
static enum state prepare_later(enum lava_step step, enum lava_type type) {
    struct lava_self_test test = {.type = type, .lock = lock_engine, .unlock = unlock_engine};
    wait_for_steps(type, (int)step);
    int before = step == LAVA_STEP_STRUCTURED ? preparation.states[type]
                                              : preparation.later[lava_steps[step].needs][type];
    if (before != READY || lava_process_is_exiting())
        return UNAVAILABLE;
    test.engine = lava_context_engine();
    lava_thread_give_way();
    const char *label = lava_context_capabilities()->label, *type_name = lava_type_name(type);
    uint64_t begin_ns = lava_clock_now_ns();
    lava_watch_enter(&driver);
    enum lava_status status = lava_steps[step].test(&test, must_stop);
    lava_watch_leave(&driver);
    bool ends = lava_process_is_exiting() || lava_watch_is_given_up(&driver);
    if (!ends)
        lava_pipelines_save(test.engine->device);
    if (!status) {
        LAVA_LOG(INFO, "device: %s: ready for %s of %s, %.0f ms", label, lava_steps[step].what, type_name,
                 (double)(lava_clock_now_ns() - begin_ns) / 1e6);
        return READY;
    }
    if (!ends && !test.engine->device->shared->failed)
        LAVA_LOG(WARN, "%s: not used for %s of %s: %s", label, lava_steps[step].what, type_name,
                 lava_status_name(status));
    return UNAVAILABLE;
}

/* The argument is step and type in one number. */
static void *prepare_later_in_background(void *argument) {
    enum lava_step step = (enum lava_step)((intptr_t)argument / LAVA_TYPE_REAL_COUNT);
    enum lava_type type = (enum lava_type)((intptr_t)argument % LAVA_TYPE_REAL_COUNT);
    fesetenv(FE_DFL_ENV); /* as for the first step */
    set_later(step, type, prepare_later(step, type));
    lava_watch_end(&driver);
    return NULL;
}

static void start_later(enum lava_step step, enum lava_type type) {
    intptr_t argument = (intptr_t)step * LAVA_TYPE_REAL_COUNT + (intptr_t)type;
    begin_change();
    if (preparation.later[step][type] == COLD) {
        preparation.later[step][type] = STARTING;
        if (!lava_watch_start(&driver, "lava-prepare", prepare_later_in_background, (void *)argument))
            preparation.later[step][type] = UNAVAILABLE;
    }
    end_change();
}

/* Starts what the step needs, then the step itself, unless they were. */
static void start_chain(enum lava_step step, enum lava_type type) {
    if (lava_steps[step].needs != step)
        start_chain(lava_steps[step].needs, type);
    if (preparation.later[step][type] == COLD)
        start_later(step, type);
}

void lava_prepare_early(uint64_t needs) {
    pthread_mutex_lock(&figures.lock);
    figures.later = true;
    pthread_mutex_unlock(&figures.lock);
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++) {
        if (needs & lava_steps_type_bit(type))
            start((enum lava_type)type);
        for (enum lava_step step = 0; step < LAVA_STEP_COUNT; step++)
            if (needs & lava_steps_bit(type, step))
                start_chain(step, (enum lava_type)type);
    }
    lava_process_await_at_thread_end();
}

void lava_prepare_use_cpu_blas(void) {
    pthread_mutex_lock(&figures.lock);
    bool was_later = figures.later;
    figures.later = false;
    if (figures.is_due)
        load_figures();
    figures.is_due = false;
    for (int type = 0; was_later && type < LAVA_TYPE_REAL_COUNT; type++)
        if (preparation.states[type] == READY && !preparation.unfinished[type])
            lava_calibration_begin((enum lava_type)type);
    pthread_mutex_unlock(&figures.lock);
}

/* Where there was no device before fork(), the child has lost none. */
enum lava_reason lava_prepare_forked_reason(void) {
    return preparation.states[LAVA_TYPE_FP32] == UNAVAILABLE ? LAVA_REASON_NO_DEVICE : LAVA_REASON_FORKED;
}

/* A child of fork() and a process in exit() use no device. */
static bool is_over(enum lava_reason *reason) {
    bool is_forked = lava_process_is_forked(), is_exiting = !is_forked && lava_process_is_exiting();
    if (is_exiting)
        lava_process_pause_at_exit();
    if (is_forked || is_exiting)
        *reason = is_forked ? lava_prepare_forked_reason() : LAVA_REASON_NO_DEVICE;
    return is_forked || is_exiting;
}

bool lava_prepare_ready_for(enum lava_type type, bool wait, enum lava_reason *reason) {
    if (is_over(reason))
        return false;
    if (preparation.states[type] == COLD)
        start(type);
    if (preparation.states[type] == STARTING)
        lava_process_await_at_thread_end();
    if (wait && preparation.unfinished[type])
        wait_for_steps(type, 0);
    int state = preparation.states[type];
    if (state == READY && lava_context_is_failed()) {
        lava_threshold_close();
        *reason = LAVA_REASON_FAILED;
        return false;
    }
    enum lava_reason unavailable = preparation.refused[type] ? LAVA_REASON_NO_KERNEL : LAVA_REASON_NO_DEVICE;
    *reason = state == UNAVAILABLE ? unavailable : LAVA_REASON_STARTING;
    return state == READY;
}

uint64_t lava_prepare_settled(uint64_t needs) {
    uint64_t settled = 0;
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++) {
        if (preparation.states[type] == READY && !preparation.unfinished[type])
            settled |= lava_steps_type_bit(type);
        for (enum lava_step step = 0; step < LAVA_STEP_COUNT; step++)
            if (preparation.later[step][type] == READY)
                settled |= lava_steps_bit(type, step);
    }
    return settled & needs;
}

bool lava_prepare_would_start(const struct lava_operation *operation) {
    enum lava_type type = lava_type_real(operation->type);
    if (!preparation.was_ready)
        return false;
    if (preparation.states[type] == COLD)
        return true;
    return preparation.states[type] == READY && !lava_operation_is_plain(operation) &&
           preparation.later[lava_steps_of(operation)][type] == COLD;
}

bool lava_prepare_ready_to(const struct lava_operation *operation, bool wait, enum lava_reason *reason) {
    enum lava_type type = lava_type_real(operation->type);
    if (!lava_prepare_ready_for(type, wait, reason))
        return false;
    if (lava_operation_is_plain(operation))
        return true;
    enum lava_step needed = lava_steps_of(operation);
    start_chain(needed, type);
    if (wait && preparation.later[needed][type] == STARTING) {
        wait_for_steps(type, LAVA_STEP_COUNT);
        if (!lava_prepare_ready_for(type, wait, reason))
            return false; /* the device failed, or the process ends */
    }
    int state = preparation.later[needed][type];
    *reason = state == UNAVAILABLE ? LAVA_REASON_NO_KERNEL : LAVA_REASON_STARTING;
    return state == READY;
}

bool lava_prepare_ready(bool wait, enum lava_reason *reason) {
    return lava_prepare_ready_for(LAVA_TYPE_FP32, wait, reason);
}

bool lava_prepare_is_given_up(void) {
    return lava_watch_is_given_up(&driver);
}

bool lava_prepare_is_cold(void) {
    return !any_is(STARTING) && !any_is(READY) && !any_is(UNAVAILABLE);
}

static bool is_under_way(bool held_too) {
    bool any = any_is(STARTING);
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
        any = any || (is_at_work_before(type, LAVA_STEP_COUNT) && (held_too || !preparation.held[type]));
    return any;
}

bool lava_prepare_is_under_way(void) {
    return is_under_way(true);
}

bool lava_prepare_needs_processors(void) {
    return is_under_way(false);
}

void lava_prepare_finish(const struct timespec *deadline) {
    pthread_mutex_lock(&preparation.change);
    pthread_cond_broadcast(&preparation.changed); /* who waits for a demand ends */
    while (any_is(STARTING) && !pthread_cond_timedwait(&preparation.changed, &preparation.change, deadline))
        ;
    pthread_mutex_unlock(&preparation.change);
}

void lava_prepare_settle(const struct timespec *deadline) {
    pthread_mutex_lock(&preparation.change);
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
        while (is_at_work_before(type, LAVA_STEP_COUNT) &&
               !pthread_cond_timedwait(&preparation.changed, &preparation.change, deadline))
            ;
    pthread_mutex_unlock(&preparation.change);
}

const char *lava_prepare_explanation(void) {
    pthread_mutex_lock(&preparation.change);
    const char *explanation = preparation.explanations[LAVA_TYPE_FP32];
    if (preparation.states[LAVA_TYPE_FP32] == READY && lava_context_is_failed())
        explanation = "the device failed";
    pthread_mutex_unlock(&preparation.change);
    return explanation ? explanation : "not started";
}
