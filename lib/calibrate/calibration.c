/* When it is measured, and where it is kept. Called by runtime.c for every call, by lifecycle.c when the
 * device is prepared and at exit, by perf/calibrate and tools/lavablas.
 *
 * The thread that measures waits until the program has no call inside the library, and takes the engine's
 * lock, or `turn`, for one product at a time. `turn` is for the CPU BLAS, which may meet neither fork() nor
 * its own destructors at exit while it is at work; both wait for it. A child of fork() has no such thread and
 * starts none. Invariant: what is published has been stored, and is never changed or freed. */
#include "lib/calibrate/calibration.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/calibrate/survey.h"
#include "lib/host/processor.h"
#include "lib/offload/idle.h"
#include "lib/offload/lifecycle.h"
#include "lib/offload/threshold.h"

#define NS_PER_MS 1000000u
/* A program without a call for so long is not in the midst of a series of them. For the device it is longer:
 * OpenBLAS's threads spin for tens of milliseconds after a product, where copying would need the processors.
 */
#define QUIET_NS        (3u * NS_PER_MS)
#define QUIET_DEVICE_NS (30u * NS_PER_MS)
/* Between two looks at a busy one, at most; and in all, before its next run may have better luck. */
#define LONGEST_SLEEP_NS (200u * NS_PER_MS)
#define GIVE_UP_NS       (120000u * (uint64_t)NS_PER_MS)

#define MODEL_BYTES 128
#define KEY_BYTES   LAVA_FILE_CACHE_MAX_KEY_BYTES
/* Of what the figures mean: raised with every change of the estimates that they are fitted to, of the grid
 * and of how they are measured. */
#define FIGURES_VERSION 3

static struct {
    const struct lava_figures *_Atomic published; /* NULL: the starting values */
    struct lava_figures starting;
    pthread_once_t starting_once;

    /* written by load */
    struct lava_file_cache_place place;
    const struct lava_capabilities
        *device; /* the lifecycle's own: what the self-tests refused is known there */

    _Atomic uint64_t begun, ended; /* calls of the program */
    _Atomic uint64_t last_ns;      /* when one ended last */

    _Atomic bool stopped;  /* by exit(), or in a child of fork() */
    pthread_mutex_t turn;  /* the CPU BLAS is used, or the file written */
    pthread_mutex_t start; /* guards the two below */
    unsigned wanted;       /* types to be measured */
    bool running;          /* the thread is there */
} state = {.starting_once = PTHREAD_ONCE_INIT,
           .turn = PTHREAD_MUTEX_INITIALIZER,
           .start = PTHREAD_MUTEX_INITIALIZER};

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

/* The first line of /proc/cpuinfo that begins so; "" where there is none. */
static void read_cpuinfo(const char *name, char model[MODEL_BYTES]) {
    char line[256];
    model[0] = '\0';
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && !model[0] && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (value && strncmp(line, name, strlen(name)) == 0)
            snprintf(model, MODEL_BYTES, "%.*s", (int)strcspn(value + 1, "\n"), value + 1);
    }
    if (file)
        fclose(file);
}

/* Arm's processors have numbers instead of names. */
static void find_processor(char model[MODEL_BYTES]) {
    read_cpuinfo("model name", model);
    if (!model[0])
        read_cpuinfo("CPU part", model);
}

/* Of the CPU BLAS: what it says itself, as OpenBLAS does, else what it was told, else one a processor. */
static int blas_threads(const struct lava_cpu_blas *blas) {
    static const char *const names[] = {"openblas_get_num_threads", "scipy_openblas_get_num_threads",
                                        "openblas_get_num_threads64_", "scipy_openblas_get_num_threads64_"};
    int (*get)(void) = NULL;
    int threads = lava_config_get()->cpu_threads;
    void *handle = dlopen(blas->path, RTLD_LAZY | RTLD_NOLOAD), *address = NULL;
    for (size_t i = 0; handle && !address && i < sizeof names / sizeof names[0]; i++)
        address = dlsym(handle, names[i]);
    if (address) {
        memcpy(&get, &address, sizeof get);
        threads = get();
    }
    if (handle)
        dlclose(handle);
    dlerror(); /* that it is none of OpenBLAS's is not for the program to hear */
    return threads > 0 ? threads : lava_processor_count();
}

void lava_calibration_place(const struct lava_capabilities *device, const char *home,
                            struct lava_file_cache_place *place) {
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    char key[KEY_BYTES], name[LAVA_FILE_CACHE_MAX_NAME], model[MODEL_BYTES];
    struct stat info;
    if (stat(blas->path, &info))
        memset(&info, 0, sizeof info); /* the built-in loop */
    find_processor(model);
    int length = snprintf(key, sizeof key,
                          "figures %d\ndevice %04x:%04x %s\ndriver %#x\nprocessor%s\nprocessors %d\n"
                          "CPU BLAS %s\nof %lld bytes, changed %lld\nthreads %d\nstaging %llu\n",
                          FIGURES_VERSION, (unsigned)device->vendor_id, (unsigned)device->device_id,
                          device->name, (unsigned)device->driver_version, model, lava_processor_count(),
                          blas->path, (long long)info.st_size, (long long)info.st_mtime, blas_threads(blas),
                          (unsigned long long)lava_config_get()->pinned_bytes);
    snprintf(name, sizeof name, "figures-%04x-%04x", (unsigned)device->vendor_id,
             (unsigned)device->device_id);
    lava_file_cache_place_init(place, home, name, key, (size_t)length);
}

bool lava_calibration_read(const struct lava_file_cache_place *place, struct lava_figures *figures) {
    size_t bytes;
    char *text = lava_file_cache_load(place, &bytes);
    bool usable = text && text[bytes - 1] == '\0' && lava_figures_parse(text, figures);
    free(text);
    return usable;
}

bool lava_calibration_write(const struct lava_file_cache_place *place, const struct lava_figures *figures) {
    int length = lava_figures_print(figures, NULL, 0);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text)
        return false;
    lava_figures_print(figures, text, (size_t)length + 1);
    bool stored = lava_file_cache_store(place, text, (size_t)length + 1);
    free(text);
    return stored;
}

static bool publish(const struct lava_figures *figures) {
    struct lava_figures *kept = malloc(sizeof *kept);
    if (!kept)
        return false;
    *kept = *figures;
    atomic_store_explicit(&state.published, kept, memory_order_release);
    lava_threshold_measured(kept);
    return true;
}

void lava_calibration_load(const struct lava_capabilities *device) {
    const struct lava_config *config = lava_config_get();
    struct lava_figures figures = *starting_figures();
    state.device = device;
    lava_calibration_place(device, config->cache ? config->cache_home : NULL, &state.place);
    if (lava_calibration_read(&state.place, &figures) && publish(&figures))
        LAVA_LOG(INFO, "calibration: figures from %s", state.place.path);
}

/* The thread's own. */
static struct {
    uint64_t begun;     /* calls before the turn */
    uint64_t waited_ns; /* for the program, in all */
    int cancel_state;
} background;

void lava_calibration_call_begins(void) {
    atomic_fetch_add(&state.begun, 1);
}

void lava_calibration_call_ends(uint64_t now_ns) {
    atomic_store_explicit(&state.last_ns, now_ns, memory_order_relaxed);
    atomic_fetch_add(&state.ended, 1);
}

/* ended before begun: a call in between makes the two differ, never agree. */
static bool is_quiet(uint64_t quiet_ns) {
    uint64_t ended = state.ended, begun = state.begun;
    return ended == begun && lava_stats_now_ns() - state.last_ns >= quiet_ns;
}

/* False: the process ends, or the program was busy for too long. */
static bool wait_for_quiet(uint64_t quiet_ns) {
    uint64_t ns = QUIET_NS;
    while (!state.stopped && background.waited_ns < GIVE_UP_NS) {
        const struct timespec pause = {.tv_nsec = (long)ns};
        if (is_quiet(quiet_ns))
            return true;
        nanosleep(&pause, NULL);
        background.waited_ns += ns;
        ns = 2 * ns < LONGEST_SLEEP_NS ? 2 * ns : LONGEST_SLEEP_NS;
    }
    return false;
}

static void give_turn_back(struct lava_engine *engine) {
    if (engine) {
        lava_idle_touch();
        lava_lifecycle_unlock(background.cancel_state);
    } else {
        pthread_mutex_unlock(&state.turn);
    }
}

static bool begin_turn(struct lava_microbenchmark *gauge, struct lava_engine **engine) {
    uint64_t quiet_ns = engine ? QUIET_DEVICE_NS : QUIET_NS;
    (void)gauge;
    while (wait_for_quiet(quiet_ns)) {
        if (!engine)
            pthread_mutex_lock(&state.turn);
        else if (!(*engine = lava_lifecycle_lock(&background.cancel_state)))
            return false;
        background.begun = state.begun;
        if (!state.stopped && is_quiet(quiet_ns))
            return true;
        give_turn_back(engine ? *engine : NULL);
    }
    return false;
}

static bool end_turn(struct lava_microbenchmark *gauge, struct lava_engine *engine) {
    (void)gauge;
    bool undisturbed = state.begun == background.begun;
    give_turn_back(engine);
    return undisturbed;
}

/* Not where the CPU BLAS was told to use other threads meanwhile. */
static void store(const struct lava_figures *figures) {
    struct lava_file_cache_place place;
    lava_calibration_place(state.device, lava_config_get()->cache_home, &place);
    pthread_mutex_lock(&state.turn);
    if (!state.stopped && place.key_bytes == state.place.key_bytes &&
        !memcmp(place.key, state.place.key, place.key_bytes) &&
        lava_calibration_write(&state.place, figures) && publish(figures))
        LAVA_LOG(INFO, "calibration: done, stored in %s", state.place.path);
    pthread_mutex_unlock(&state.turn);
}

static void calibrate(unsigned types) {
    struct lava_microbenchmark gauge = {.blas = lava_cpu_blas_get(),
                                        .capabilities = state.device,
                                        .figures = *lava_calibration_figures(),
                                        .begin = begin_turn,
                                        .end = end_turn};
    lava_survey_set_quick(&gauge);
    uint64_t start_ns = lava_stats_now_ns();
    bool complete = lava_survey_run(&gauge, types);
    lava_microbenchmark_finish(&gauge);
    LAVA_LOG(INFO, "calibration: %s after %.2f s", complete ? "measured" : "given up",
             (double)(lava_stats_now_ns() - start_ns) * 1e-9);
    if (complete)
        store(&gauge.figures);
}

/* 0, and the thread is gone for who asks, where nothing is wanted any more. */
static unsigned take_wanted(void) {
    pthread_mutex_lock(&state.start);
    unsigned types = state.wanted;
    state.wanted = 0;
    state.running = types != 0;
    pthread_mutex_unlock(&state.start);
    return types;
}

static void *measure_in_background(void *unused) {
    unsigned types;
    (void)unused;
    pthread_setname_np(pthread_self(), "lavablas-gauge");
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
static bool fork_is_seen_to;
static void see_to_fork(void) {
    fork_is_seen_to = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

bool lava_calibration_start(enum lava_type type) {
    pthread_once(&fork_once, see_to_fork);
    if (!fork_is_seen_to || state.stopped || !lava_file_cache_prepare(&state.place))
        return false;
    pthread_mutex_lock(&state.start);
    state.wanted |= 1u << type;
    if (!state.running)
        state.running = lava_lifecycle_start_thread(measure_in_background, NULL);
    bool running = state.running;
    pthread_mutex_unlock(&state.start);
    return running;
}

void lava_calibration_begin(enum lava_type type) {
    const struct lava_config *config = lava_config_get();
    if (config->mode == LAVA_MODE_AUTO && config->calibrate && state.device->kind != LAVA_DEVICE_CPU &&
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
    state.stopped = true;
    if (pthread_mutex_timedlock(&state.turn, deadline) == 0)
        pthread_mutex_unlock(&state.turn);
}
