/* Prepares the device in background threads: opens it, makes the engine, and tests the kernels of a type and
 * of the later steps. Called by offload.c for every call that is large enough for a device.
 *
 * Invariant: a type is usable when its first kernel is tested. The first type brings the device, which is
 * locked until then. Its thread goes on with the other kernels, and locks the whole device for each test;
 * other types' do so once a type is usable. Later steps wait for those before them.
 *
 * A driver may never come back from a call. `driver` is given up then, and with it all that is not usable.
 * The thread that waits in the driver keeps its lock of the devices, so context.c has to let the others pass.
 */
#include "lib/offload/prepare.h"

#include <fenv.h>
#include <pthread.h>
#include <stdint.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/counters.h"
#include "lib/base/log.h"
#include "lib/base/thread.h"
#include "lib/calibrate/calibration.h"
#include "lib/host/copy_pool.h"
#include "lib/host/vector_copy.h"
#include "lib/offload/context.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/idle.h"
#include "lib/offload/process.h"
#include "lib/offload/self_test.h"
#include "lib/offload/steps.h"
#include "lib/offload/threshold.h"
#include "lib/offload/watch.h"
#include "lib/vk/gpu.h"

/* What the thread of a need does. */
struct work {
    uint64_t need;
    enum lava_type type;
    enum lava_step step;
    bool holds;      /* the whole device is locked */
    bool ready;      /* the type's first kernel is right */
    const char *why; /* what has become of it */
    struct lava_self_test test;
};

/* A preparation that begins before the program's CPU BLAS is there leaves the figures, which depend on it, to
 * the first call. */
static struct {
    pthread_mutex_t lock;
    bool later, is_due; /* not yet; and a device waits for them */
    unsigned types_due; /* a set of 1 << type: to be calibrated then */
} figures = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void give_up(void);
static struct lava_watch driver = LAVA_WATCH(give_up);

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
    uint64_t begin_ns = lava_clock_now_ns();
    if ((status = lava_engine_create(device, lava_copy_pool_threads(), &engine)))
        return status;
    begin_ns = lava_log_part("staging memory and copy threads", begin_ns);
    lava_context_set_engine(engine);
    lava_counters_note(LAVA_REPORT_DEVICE, lava_context_capabilities()->name);
    lava_counters_note(LAVA_REPORT_DRIVER, lava_context_capabilities()->driver);
    pthread_mutex_lock(&figures.lock);
    figures.is_due = figures.later;
    if (!figures.later)
        load_figures();
    pthread_mutex_unlock(&figures.lock);
    lava_log_part("figures", begin_ns);
    return LAVA_OK;
}

/* Nothing is started from here on. If something is or was usable, a call may look at the engine: it stays,
 * and other threads that test find out by themselves. Else these wait for the device, and nobody is in the
 * driver. */
static void give_device_up(enum lava_status status, const char *why) {
    bool stays = lava_readiness_is_open();
    if (stays) {
        lava_device_fail(lava_context_engine()->device, status);
    } else {
        lava_engine_destroy(lava_context_engine());
        lava_context_set_engine(NULL);
    }
    lava_readiness_tell(stays ? lava_readiness_in(LAVA_READINESS_IN(COLD)) : LAVA_READINESS_ALL,
                        LAVA_READINESS_GIVEN_UP, why);
    lava_threshold_close();
    lava_counters_note(LAVA_REPORT_NO_DEVICE, why);
    LAVA_LOG(INFO, "no device: %s", why);
}

/* Called by the thread that watches the driver. The thread that waits in it may be anywhere. If a type is or
 * was usable, its products go to the CPU from here on, and those in flight end as on a device that fails. */
static void give_up(void) {
    const char *why = "the driver did not answer";
    lava_readiness_tell(LAVA_READINESS_ALL, LAVA_READINESS_GIVEN_UP, why);
    if (lava_readiness_is_open())
        lava_device_fail(lava_context_engine()->device, LAVA_ERROR_TIMEOUT);
    else
        LAVA_LOG(WARN, "no device: %s; the CPU computes everything", why);
    lava_context_give_up();
    lava_threshold_close();
    lava_counters_note(LAVA_REPORT_NO_DEVICE, why);
}

/* A product may be in its way for any time. */
static bool lock_engine(int *cancel_state) {
    lava_watch_leave(&driver);
    bool is_locked = lava_context_lock(cancel_state) != NULL;
    lava_watch_enter(&driver);
    return is_locked;
}

static void unlock_whole(struct work *work) {
    if (work->holds)
        lava_context_unlock_whole();
    work->holds = false;
}

/* Until something is usable the context stays locked, and exit() waits for it. */
static void lock_whole(struct work *work) {
    if (lava_readiness_is_open())
        return;
    lava_context_lock_whole();
    work->holds = true;
    if (lava_readiness_is_open()) /* meanwhile */
        unlock_whole(work);
}

/* A test allocates what a product would, and the thread for idle memory may have ended before it. */
static void lock_each_test(struct lava_self_test *test) {
    test->lock = lock_engine;
    test->unlock = lava_idle_unlock;
}

/* Products of the type may begin. The engine is locked by each of the tests that remain. */
static void set_ready(struct work *work) {
    work->ready = true;
    if (lava_watch_is_given_up(&driver))
        return;
    lava_readiness_tell(work->need, LAVA_READINESS_ADMITTED, NULL);
    LAVA_LOG(INFO, "device: %s: ready for %s", work->test.engine->capabilities.label,
             lava_type_name(work->type));
    lava_idle_touch();
    lava_vector_copy_allow(lava_vector_copy_threads(), LAVA_VECTOR_COPY_ALONE_NS);
    unlock_whole(work);
    lock_each_test(&work->test);
}

/* What the first products of the type will need. */
static void reserve(const struct lava_self_test *test) {
    int cancel_state;
    if (!lava_self_test_lock(test, &cancel_state))
        return;
    lava_engine_reserve_usual(test->engine, test->type);
    lava_self_test_unlock(test, cancel_state);
}

/* Tests the type's kernels. The type is usable as soon as one without planes is right: that one takes all
 * products until the others are tested, too. */
static enum lava_status test_kernels(struct work *work, struct lava_engine *engine) {
    struct lava_self_test *test = &work->test;
    const struct lava_kernel *kernel;
    enum lava_status result, status = lava_self_test_begin(test, engine, work->type, must_stop);
    if (!work->holds)
        lock_each_test(test);
    for (int i = 0; i < test->count; i++)
        lava_context_refuse(test->kernels[i]);
    if (work->type == LAVA_TYPE_FP64)
        lava_context_refuse_residues();
    uint64_t begin_ns = lava_clock_now_ns();
    reserve(test);
    lava_log_part("memory for the first products", begin_ns);
    while (!status && !lava_watch_is_given_up(&driver) && (kernel = lava_self_test_next(test, &result))) {
        lava_watch_step(&driver);
        if (result != LAVA_ERROR_UNAVAILABLE)
            status = engine->device->shared->failed ? LAVA_ERROR_DEVICE_LOST : result;
        bool is_right = !result && !status;
        if (is_right)
            lava_context_admit(kernel);
        if (is_right && kernel->scheme == LAVA_SCHEME_NONE && !work->ready)
            set_ready(work);
    }
    lava_self_test_end(test);
    bool has_others = work->ready || test->count == 0;
    if (!status && has_others && !lava_watch_is_given_up(&driver) &&
        !lava_self_test_residues(test, must_stop)) {
        lava_context_admit_residues();
        if (!work->ready) /* the device has no fp64 */
            set_ready(work);
    }
    return status || work->ready ? status : LAVA_ERROR_UNAVAILABLE;
}

/* A kernel failed after others were right and products have used them: none is trusted any more. */
static void distrust(struct work *work, struct lava_engine *engine, enum lava_status status) {
    int cancel_state;
    if (lava_process_is_exiting() || !lava_context_lock(&cancel_state))
        return;
    if (work->type == LAVA_TYPE_FP32)
        lava_device_fail(engine->device, status);
    else
        lava_readiness_tell(work->need, LAVA_READINESS_REFUSES, NULL);
    lava_context_unlock(cancel_state);
    LAVA_LOG(WARN, "%s: not used for %s any more: %s", engine->capabilities.label, lava_type_name(work->type),
             lava_status_name(status));
}

/* Measuring needs the CPU BLAS, too. */
static void calibrate(enum lava_type type) {
    pthread_mutex_lock(&figures.lock);
    if (figures.later)
        figures.types_due |= 1u << type;
    else
        lava_calibration_begin(type);
    pthread_mutex_unlock(&figures.lock);
}

/* A device that fails at half precision goes on with fp32; one that fails at fp32 is not trusted any more. */
static enum lava_readiness_event prepare_type(struct work *work, struct lava_engine *engine) {
    const char *label = lava_context_capabilities()->label, *type_name = lava_type_name(work->type);
    bool shares = !work->holds;
    enum lava_status status = test_kernels(work, engine);
    if (lava_watch_is_given_up(&driver))
        return LAVA_READINESS_GIVEN_UP;
    if (work->ready) {
        lava_pipelines_save(engine->device);
        if (status)
            distrust(work, engine, status);
        else
            calibrate(work->type);
        return LAVA_READINESS_PASSED;
    }
    if (shares && lava_process_is_exiting()) {
        work->why = "the process ends";
        return LAVA_READINESS_GIVEN_UP;
    }
    if (status == LAVA_ERROR_UNAVAILABLE) {
        LAVA_LOG(INFO, "device: %s: no kernel for %s", label, type_name);
    } else if (work->type == LAVA_TYPE_FP32 || engine->device->shared->failed) {
        work->why = "the self-test failed";
        give_device_up(status, work->why);
        return LAVA_READINESS_GIVEN_UP;
    } else {
        LAVA_LOG(WARN, "%s: not used for %s: %s", label, type_name, lava_status_name(status));
    }
    return LAVA_READINESS_REFUSES;
}

/* The first step of a type. The first one of all opens the device. */
static enum lava_readiness_event prepare_first(struct work *work) {
    work->why = "the process ends";
    if (!(lava_readiness_in(LAVA_READINESS_IN(STARTING)) & work->need) || lava_process_is_exiting())
        return LAVA_READINESS_GIVEN_UP;
    enum lava_status status = lava_context_engine() ? LAVA_OK : create_engine(&work->why);
    if (lava_watch_is_given_up(&driver))
        return LAVA_READINESS_GIVEN_UP;
    if (status) {
        give_device_up(status, work->why);
        return LAVA_READINESS_GIVEN_UP;
    }
    work->why = "the device failed";
    if (lava_context_engine()->device->shared->failed)
        return LAVA_READINESS_GIVEN_UP;
    lava_steps_give_way(lava_context_engine());
    work->why = NULL;
    return prepare_type(work, lava_context_engine());
}

static enum lava_readiness_event prepare_type_alone(struct work *work) {
    lock_whole(work);
    lava_watch_enter(&driver);
    enum lava_readiness_event event = prepare_first(work);
    if (work->holds && lava_context_engine() && !lava_watch_is_given_up(&driver))
        lava_idle_touch();
    unlock_whole(work);
    lava_watch_leave(&driver);
    return event;
}

/* Creates and tests what the step's operations need, with the kernels that the earlier steps admitted. Each
 * test locks the device. */
static enum lava_readiness_event prepare_step(struct work *work) {
    uint64_t earlier = lava_steps_chain(work->type, work->step) & ~work->need;
    uint64_t before = work->need - lava_readiness_bit(work->type, LAVA_STEP_PLAIN); /* of the type */
    lava_readiness_await(before, LAVA_READINESS_AT_WORK, NULL);
    if ((earlier & ~lava_readiness_in(LAVA_READINESS_USABLE)) || lava_process_is_exiting() ||
        lava_self_test_is_of_residues(lava_context_engine(), work->type))
        return LAVA_READINESS_REFUSES;
    work->test =
        (struct lava_self_test){.type = work->type, .step = work->step, .engine = lava_context_engine()};
    lock_each_test(&work->test);
    lava_thread_give_way();
    const char *label = lava_context_capabilities()->label, *type_name = lava_type_name(work->type);
    const struct lava_step_facts *step = &lava_steps[work->step];
    uint64_t begin_ns = lava_clock_now_ns();
    lava_watch_enter(&driver);
    enum lava_status status = step->test(&work->test, must_stop);
    lava_watch_leave(&driver);
    bool ends = lava_process_is_exiting() || lava_watch_is_given_up(&driver);
    if (!ends)
        lava_pipelines_save(work->test.engine->device);
    if (!status) {
        LAVA_LOG(INFO, "device: %s: ready for %s of %s, %.0f ms", label, step->what, type_name,
                 (double)(lava_clock_now_ns() - begin_ns) / 1e6);
        return lava_watch_is_given_up(&driver) ? LAVA_READINESS_GIVEN_UP : LAVA_READINESS_PASSED;
    }
    if (!ends && !work->test.engine->device->shared->failed)
        LAVA_LOG(WARN, "%s: not used for %s of %s: %s", label, step->what, type_name,
                 lava_status_name(status));
    return LAVA_READINESS_REFUSES;
}

/* The argument is the need's number. The driver's threads must not inherit the first caller's rounding mode
 * and traps. */
static void *prepare_in_background(void *argument) {
    int number = (int)(intptr_t)argument;
    struct work work = {.need = UINT64_C(1) << number,
                        .type = (enum lava_type)(number / LAVA_STEP_COUNT),
                        .step = (enum lava_step)(number % LAVA_STEP_COUNT)};
    fesetenv(FE_DFL_ENV);
    bool is_first = work.step == LAVA_STEP_PLAIN;
    enum lava_readiness_event event = is_first ? prepare_type_alone(&work) : prepare_step(&work);
    lava_thread_ends();
    lava_readiness_tell(work.need, event, work.why);
    lava_watch_end(&driver);
    return NULL;
}

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static const char *why_no_room; /* NULL: there is room */

/* The thread alone takes 80 MiB of addresses, which the CPU BLAS may need. */
static void look_for_room(void) {
    const char *why = "";
    if (!lava_gpu_has_room(&why))
        why_no_room = why;
}

/* The first need that is started looks for room. */
static void start(uint64_t needs) {
    pthread_once(&looked, look_for_room);
    if (why_no_room) {
        give_device_up(LAVA_ERROR_UNAVAILABLE, why_no_room);
        return;
    }
    for (uint64_t rest = needs; rest; rest &= rest - 1) {
        uint64_t need = rest & -rest;
        const char *why = "no thread to prepare the device";
        if (lava_readiness_tell(need, LAVA_READINESS_WANTED, NULL) &&
            !lava_watch_start(&driver, "lava-prepare", prepare_in_background,
                              (void *)(intptr_t)__builtin_ctzll(need)))
            lava_readiness_tell(need, LAVA_READINESS_GIVEN_UP, why);
    }
}

static bool is_starting(const struct lava_readiness_answer *answer) {
    return !answer->may && answer->reason == LAVA_REASON_STARTING;
}

/* The driver that is waited for may fork. */
static void await(const struct lava_readiness_answer *answer) {
    if (is_starting(answer))
        lava_process_await_at_thread_end();
    bool is_suspended = lava_fork_gate_suspend();
    lava_readiness_await(answer->waits, LAVA_READINESS_AT_WORK, NULL);
    lava_fork_gate_resume(is_suspended);
}

bool lava_prepare_may_use(uint64_t needs, bool wait, enum lava_reason *reason) {
    struct lava_readiness_answer answer;
    while ((answer = lava_readiness_ask(needs)).starts || (wait && answer.waits)) {
        if (answer.starts)
            start(answer.starts);
        else
            await(&answer);
    }
    *reason = answer.reason;
    if (is_starting(&answer))
        lava_process_await_at_thread_end();
    if (answer.reason == LAVA_REASON_FAILED)
        lava_threshold_close();
    if (lava_readiness_phase() == LAVA_READINESS_EXITING)
        lava_process_pause_at_exit();
    return answer.may;
}

void lava_prepare_early(uint64_t needs) {
    pthread_mutex_lock(&figures.lock);
    figures.later = true;
    pthread_mutex_unlock(&figures.lock);
    start(needs & LAVA_READINESS_ALL);
}

void lava_prepare_use_cpu_blas(void) {
    if (lava_process_is_forked()) /* the parent's threads may have held these locks */
        return;
    pthread_mutex_lock(&figures.lock);
    figures.later = false;
    if (figures.is_due)
        load_figures();
    figures.is_due = false;
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
        if (figures.types_due & 1u << type)
            lava_calibration_begin((enum lava_type)type);
    figures.types_due = 0;
    pthread_mutex_unlock(&figures.lock);
}

bool lava_prepare_is_given_up(void) {
    return lava_watch_is_given_up(&driver);
}
