/* Decides when the figures are measured, and publishes them. Called by lib/offload for every call, when a
 * device is prepared and at exit; tools/calibrate.c and tools/main read the figures.
 *
 * The thread that measures waits until the program leaves the processors to it (quiet.h). For one product at
 * a time it then locks the engine, by the callback, or `turn`. `turn` is for the CPU BLAS, which must not be
 * at work in a fork() or when exit() destroys it: both wait for `turn`. A child of fork() has no such thread
 * and starts none.
 *
 * Invariant: figures that are published are never changed or freed. Measured ones are stored first. */
#include "lib/calibrate/calibration.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/base/thread.h"
#include "lib/calibrate/expected.h"
#include "lib/calibrate/figures_file.h"
#include "lib/calibrate/own_routines.h"
#include "lib/calibrate/quiet.h"
#include "lib/calibrate/survey.h"
#include "lib/host/processor.h"

#define NS_PER_MS 1000000u
/* The thread sleeps between the first two times before it looks again, and gives up after the third in all.
 */
#define SHORTEST_SLEEP_NS (3u * NS_PER_MS)
#define LONGEST_SLEEP_NS  (200u * NS_PER_MS)
#define GIVE_UP_NS        (120000u * (uint64_t)NS_PER_MS)

static struct {
    const struct lava_calibration_callbacks *_Atomic callbacks; /* NULL: not connected */
    const struct lava_figures *_Atomic published;               /* NULL: the starting values */
    struct lava_figures starting;
    pthread_once_t starting_once;

    /* written by load */
    struct lava_file_cache_place place, shared;
    const struct lava_file_cache_place
        *_Atomic source;                    /* of the published figures: one of the two, or NULL */
    const struct lava_capabilities *device; /* the caller's: it knows what the self-tests have refused */

    _Atomic bool stopped;  /* by exit(), or in a child of fork() */
    pthread_mutex_t turn;  /* held while the CPU BLAS is used or the file is written */
    pthread_mutex_t start; /* guards what follows */
    pthread_cond_t changed;
    unsigned wanted; /* types to be measured, a set of 1 << type */
    bool running;    /* the thread exists */
} state = {.starting_once = PTHREAD_ONCE_INIT,
           .turn = PTHREAD_MUTEX_INITIALIZER,
           .start = PTHREAD_MUTEX_INITIALIZER,
           .changed = PTHREAD_COND_INITIALIZER};

static void make_starting(void) {
    state.starting.cpu = lava_cpu_blas_figures(lava_cpu_blas_get());
}

static const struct lava_figures *starting_figures(void) {
    pthread_once(&state.starting_once, make_starting);
    return &state.starting;
}

const struct lava_figures *lava_calibration_figures(void) {
    const struct lava_figures *figures = atomic_load_explicit(&state.published, memory_order_acquire);
    return figures ? figures : starting_figures();
}

bool lava_calibration_is_stored(void) {
    return state.published != NULL;
}

const char *lava_calibration_path(void) {
    return state.place.path;
}

const char *lava_calibration_source(void) {
    const struct lava_file_cache_place *source = state.source;
    return source ? source->path : "";
}

void lava_calibration_connect(const struct lava_calibration_callbacks *callbacks) {
    state.callbacks = callbacks;
}

static bool publish(const struct lava_figures *figures) {
    struct lava_figures *kept = malloc(sizeof *kept);
    if (!kept)
        return false;
    *kept = *figures;
    atomic_store_explicit(&state.published, kept, memory_order_release);
    const struct lava_calibration_callbacks *callbacks = state.callbacks;
    if (callbacks)
        callbacks->measured(kept);
    return true;
}

/* A software device is not to be expected by anyone. */
static void note_device(void) {
    if (state.device->kind != LAVA_DEVICE_CPU)
        lava_expected_note(state.device);
}

void lava_calibration_load(const struct lava_capabilities *device) {
    const struct lava_config *config = lava_config_get();
    struct lava_figures figures = *starting_figures();
    state.device = device;
    lava_figures_file_place(device, config->cache ? config->cache_home : NULL, &state.place);
    lava_figures_file_shared_place(device, config, &state.shared);
    state.source = lava_figures_file_read_newer(&state.place, &state.shared, &figures);
    if (state.source && publish(&figures)) {
        note_device();
        LAVA_LOG(INFO, "calibration: figures from %s", lava_calibration_source());
    }
}

/* Only the thread that measures uses this. */
static struct {
    uint64_t begun;     /* calls that had begun before the turn */
    uint64_t turn_ns;   /* when the turn began */
    uint64_t waited_ns; /* how long it has waited for the program */
    int cancel_state;
} background;

void lava_calibration_call_begins(void) {
    lava_quiet_call_begins();
}

void lava_calibration_call_ends(uint64_t now_ns) {
    lava_quiet_call_ends(now_ns);
}

static void sleep_unless_stopped(uint64_t ns) {
    const struct timespec end = lava_clock_deadline(ns);
    pthread_mutex_lock(&state.start);
    if (!state.stopped)
        pthread_cond_timedwait(&state.changed, &state.start, &end);
    pthread_mutex_unlock(&state.start);
}

/* Returns false if the process ends, or if the program was busy for too long. */
static bool wait_for_quiet(enum lava_quiet_use use) {
    uint64_t ns = SHORTEST_SLEEP_NS;
    while (!state.stopped && background.waited_ns < GIVE_UP_NS) {
        if (lava_quiet_allows(use))
            return true;
        sleep_unless_stopped(ns);
        background.waited_ns += ns;
        ns = 2 * ns < LONGEST_SLEEP_NS ? 2 * ns : LONGEST_SLEEP_NS;
    }
    return false;
}

static void give_turn_back(struct lava_engine *engine) {
    const struct lava_calibration_callbacks *callbacks = state.callbacks;
    if (engine)
        callbacks->unlock(background.cancel_state);
    else
        pthread_mutex_unlock(&state.turn);
}

static bool begin_turn(struct lava_microbenchmark *benchmark, struct lava_engine **engine) {
    const struct lava_calibration_callbacks *callbacks = state.callbacks;
    enum lava_quiet_use use = engine ? LAVA_QUIET_DEVICE : LAVA_QUIET_CPU;
    (void)benchmark;
    if (engine && !callbacks)
        return false;
    while (wait_for_quiet(use)) {
        if (!engine)
            pthread_mutex_lock(&state.turn);
        else if (!(*engine = callbacks->lock(&background.cancel_state)))
            return false;
        background.begun = lava_quiet_calls();
        background.turn_ns = lava_clock_now_ns();
        if (!state.stopped && lava_quiet_allows(use))
            return true;
        give_turn_back(engine ? *engine : NULL);
    }
    return false;
}

static bool end_turn(struct lava_microbenchmark *benchmark, struct lava_engine *engine) {
    (void)benchmark;
    bool undisturbed = lava_quiet_calls() == background.begun;
    lava_quiet_turn_ended(engine ? LAVA_QUIET_DEVICE : LAVA_QUIET_CPU,
                          lava_clock_now_ns() - background.turn_ns);
    give_turn_back(engine);
    return undisturbed;
}

/* Nothing is stored if the CPU BLAS was told to use another number of threads meanwhile. */
static void store(const struct lava_figures *figures, bool complete) {
    struct lava_file_cache_place place;
    lava_figures_file_place(state.device, lava_config_get()->cache_home, &place);
    pthread_mutex_lock(&state.turn);
    if (!state.stopped && place.key_bytes == state.place.key_bytes &&
        !memcmp(place.key, state.place.key, place.key_bytes) &&
        lava_figures_file_write(&state.place, figures) && publish(figures)) {
        state.source = &state.place;
        note_device();
        LAVA_LOG(INFO, "calibration: %s, stored in %s", complete ? "done" : "a part", state.place.path);
    }
    pthread_mutex_unlock(&state.turn);
}

/* The next process goes on from there. */
static void store_part(struct lava_microbenchmark *benchmark) {
    store(&benchmark->figures, false);
}

/* The routines are asked for here, because that takes the loader's lock: a child of fork() would find it
 * locked for good. */
static void find_routines(const struct lava_cpu_blas *blas) {
    pthread_mutex_lock(&state.turn);
    lava_own_routines_find(blas);
    pthread_mutex_unlock(&state.turn);
}

static void calibrate(unsigned types) {
    struct lava_microbenchmark benchmark = {.blas = lava_cpu_blas_get(),
                                            .capabilities = state.device,
                                            .figures = *lava_calibration_figures(),
                                            .begin = begin_turn,
                                            .end = end_turn,
                                            .part_done = store_part};
    lava_survey_set_quick(&benchmark);
    find_routines(benchmark.blas);
    uint64_t start_ns = lava_clock_now_ns();
    bool complete = lava_survey_run(&benchmark, types);
    lava_microbenchmark_finish(&benchmark);
    LAVA_LOG(INFO, "calibration: %s after %.2f s", complete ? "measured" : "given up",
             (double)(lava_clock_now_ns() - start_ns) * 1e-9);
    if (complete)
        store(&benchmark.figures, true);
}

/* Returns the types to be measured. Returns 0, and marks the thread as ended, if there are none. */
static unsigned take_wanted(void) {
    pthread_mutex_lock(&state.start);
    unsigned types = state.wanted;
    state.wanted = 0;
    state.running = types != 0;
    if (!types)
        lava_thread_ends();
    pthread_cond_broadcast(&state.changed);
    pthread_mutex_unlock(&state.start);
    return types;
}

static void *measure_in_background(void *unused) {
    unsigned types;
    (void)unused;
    lava_processor_use_all();
    while ((types = take_wanted()))
        calibrate(types);
    return NULL;
}

static void before_fork(void) {
    pthread_mutex_lock(&state.turn);
}

static void after_fork(void) {
    pthread_mutex_unlock(&state.turn);
}

static void after_fork_in_child(void) {
    state.stopped = true;
    pthread_mutex_unlock(&state.turn);
}

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static bool fork_is_handled;
static void handle_fork(void) {
    fork_is_handled = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

bool lava_calibration_start(enum lava_type type) {
    pthread_once(&fork_once, handle_fork);
    if (!fork_is_handled || state.stopped || !lava_file_cache_prepare(&state.place))
        return false;
    pthread_mutex_lock(&state.start);
    state.wanted |= 1u << type;
    if (!state.running)
        state.running = lava_thread_start("lava-calibrate", measure_in_background, NULL);
    bool running = state.running;
    pthread_mutex_unlock(&state.start);
    return running;
}

void lava_calibration_begin(enum lava_type type) {
    const struct lava_config *config = lava_config_get();
    /* without learning, decisions stay as the stored figures have them */
    bool may = config->mode == LAVA_MODE_AUTO && config->calibrate && config->learn;
    if (may && state.device->kind != LAVA_DEVICE_CPU &&
        lava_survey_lacks(lava_calibration_figures(), state.device, type))
        lava_calibration_start(type);
}

bool lava_calibration_is_running(void) {
    pthread_mutex_lock(&state.start);
    bool running = state.running;
    pthread_mutex_unlock(&state.start);
    return running;
}

void lava_calibration_stop(const struct timespec *deadline) {
    pthread_mutex_lock(&state.start);
    state.stopped = true;
    pthread_cond_broadcast(&state.changed);
    pthread_mutex_unlock(&state.start);
    if (pthread_mutex_timedlock(&state.turn, deadline) == 0)
        pthread_mutex_unlock(&state.turn);
}

void lava_calibration_settle(const struct timespec *deadline) {
    pthread_mutex_lock(&state.start);
    while (state.running && !pthread_cond_timedwait(&state.changed, &state.start, deadline))
        ;
    pthread_mutex_unlock(&state.start);
}
