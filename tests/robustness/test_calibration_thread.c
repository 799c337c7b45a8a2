/* The background calibration thread on the software device, where it must be started explicitly: what it
 * stores decides in the next process, it does not disturb a busy program, and fork and exit do not wait for
 * it. The library is linked in. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/calibrate/calibration.h"
#include "lib/calibrate/figures_file.h"
#include "lib/calibrate/survey.h"
#include "lib/offload/context.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "tests/robustness/cases.h"

#define WORK_S     1.5
#define CHILD_S    20
#define MEASURED_S 40.0
#define FORKS      40
#define TRIES      30

/* Above the offload threshold. */
static struct product product = {.m = 500, .n = 400, .k = 400, .alpha = 1};

/* A separate cache, because figures stored there must not affect other tests. The driver's cache is kept.
 * Also sets a CPU BLAS with one thread, which can be timed on a busy machine too. */
static void use_own_cache(void) {
    char folder[512], command[1100];
    const char *home = getenv("XDG_CACHE_HOME");
    snprintf(folder, sizeof folder, "%s/calibration", home ? home : "/tmp");
    snprintf(command, sizeof command, "mkdir -p '%s' && rm -rf '%s/lavablas'", folder, folder);
    CASE_CHECK(system(command) == 0);
    setenv("XDG_CACHE_HOME", folder, 1);
    case_use_plain_cpu_blas();
}

/* Uses OpenBLAS, whose threads matter for fork and exit. The thread sanitizer does not see how they
 * synchronize. */
static void use_found_cpu_blas(void) {
#if !defined(__SANITIZE_THREAD__)
    unsetenv("LAVABLAS_CPU_BLAS");
#endif
}

static pid_t start_child(void function(void)) {
    fflush(NULL);
    pid_t id = fork();
    if (id == 0) {
        alarm(CHILD_S + (unsigned)MEASURED_S);
        function();
        exit(case_result());
    }
    return id;
}

static bool child_succeeds(pid_t id) {
    int status = -1;
    return waitpid(id, &status, 0) == id && status == 0;
}

/* Call before there is any thread, because then the child may do anything. */
static bool child_does(void function(void)) {
    return child_succeeds(start_child(function));
}

static bool prepare(void) {
    enum lava_reason reason;
    lava_offload_open();
    return CASE_CHECK(lava_prepare_may_multiply(LAVA_TYPE_FP32, true, &reason));
}

static bool ends(void) {
    for (double start = case_now(); case_now() < start + MEASURED_S; case_sleep(0.01))
        if (!lava_calibration_is_running())
            return true;
    return false;
}

static bool has_all_figures(void) {
    return lava_calibration_is_stored() &&
           !lava_survey_lacks(lava_calibration_figures(), lava_context_capabilities(), LAVA_TYPE_FP32);
}

/* Tries again if the machine had too much other work, because the thread then gives up, or leaves out what
 * its time does not suffice for. */
static bool ends_with_figures(void) {
    for (int i = 0; i < TRIES && ends(); i++)
        if (has_all_figures() || !lava_calibration_start(LAVA_TYPE_FP32))
            break;
    return has_all_figures();
}

static void check_stored(void) {
    struct lava_file_cache_place place;
    struct lava_figures read = {.cpu = lava_cpu_blas_figures(lava_cpu_blas_get())};
    const struct lava_figures *figures = lava_calibration_figures();
    CASE_CHECK(lava_calibration_is_stored());
    lava_figures_file_place(lava_context_capabilities(), lava_config_get()->cache_home, &place);
    CASE_CHECK(!strcmp(place.path, lava_calibration_path()));
    CASE_CHECK(lava_figures_file_read(&place, &read));
    CASE_CHECK(!lava_survey_lacks(figures, lava_context_capabilities(), LAVA_TYPE_FP32));
    double stored_ns = read.device.call_latency_ns, ns = figures->device.call_latency_ns;
    CASE_CHECK(isfinite(ns) && ns > 0 && fabs(stored_ns - ns) < 1e-3 * ns);
}

static void measure_and_store(void) {
    if (!prepare())
        return;
    const struct lava_figures *starting = lava_calibration_figures();
    CASE_CHECK(!lava_calibration_is_stored());
    CASE_CHECK(starting->cpu.flops_per_s[LAVA_TYPE_FP32] > 0);
    CASE_CHECK(starting->device.call_latency_ns <= 0);
    CASE_CHECK(lava_calibration_start(LAVA_TYPE_FP32));
    CASE_CHECK(ends_with_figures());
    check_stored();
    CASE_CHECK(lava_calibration_figures() != starting);
    CASE_CHECK(starting->device.call_latency_ns <= 0); /* existing users still decide by the same figures */
}

static int stores_and_loads(void) {
    use_own_cache();
    CASE_CHECK(child_does(measure_and_store));
    if (prepare())
        check_stored();
    CASE_CHECK(!lava_calibration_is_running());
    return case_result();
}

/* cpu_ns is the time in the grid. */
static void store_figures(double cpu_ns) {
    struct lava_figures figures = {0};
    struct lava_file_cache_place place;
    if (!prepare())
        return;
    for (int i = 0; i < LAVA_SURVEY_POINTS; i++)
        (&figures.cpu.product_ns[0][0][0])[i] = cpu_ns;
    lava_figures_file_place(lava_context_capabilities(), lava_config_get()->cache_home, &place);
    CASE_CHECK(lava_figures_file_write(&place, &figures));
}

static void store_slow_cpu(void) {
    store_figures(1e12);
}

static void store_fast_cpu(void) {
    store_figures(1);
}

static void expect_gpu(void) {
    case_multiply(&product, "gpu");
}

static void expect_cpu(void) {
    case_multiply(&product, "cpu");
}

static int stored_figures_decide(void) {
    use_own_cache();
    product_make(&product, 1);
    CASE_CHECK(child_does(expect_cpu)); /* by the starting values */
    CASE_CHECK(child_does(store_slow_cpu));
    CASE_CHECK(child_does(expect_gpu));
    CASE_CHECK(child_does(store_fast_cpu));
    CASE_CHECK(child_does(expect_cpu));
    product_free(&product);
    return case_result();
}

/* Simulates a call of another thread that is in progress. */
static int waits_for_the_call_under_way(void) {
    use_own_cache();
    if (!prepare())
        return 1;
    lava_calibration_call_begins();
    CASE_CHECK(lava_calibration_start(LAVA_TYPE_FP32));
    case_sleep(1.5); /* long enough for all measurements twice */
    CASE_CHECK(lava_calibration_is_running());
    CASE_CHECK(!lava_calibration_is_stored());
    lava_calibration_call_ends(lava_clock_now_ns());
    CASE_CHECK(ends_with_figures());
    check_stored();
    return case_result();
}

/* One call after the other. */
static int waits_for_a_busy_program(void) {
    use_own_cache();
    product_make(&product, 1);
    if (!prepare())
        return 1;
    float *c = product_new_c(&product);
    case_call(&product, c);
    CASE_CHECK(lava_calibration_start(LAVA_TYPE_FP32));
    for (double start = case_now(); case_now() < start + 1.5;)
        case_call(&product, c);
    CASE_CHECK(lava_calibration_is_running());
    CASE_CHECK(!lava_calibration_is_stored());
    CASE_CHECK(product_check(&product, c, "between measurements"));
    CASE_CHECK(ends_with_figures());
    check_stored();
    free(c);
    product_free(&product);
    return case_result();
}

static double used_s(clockid_t clock) {
    struct timespec used;
    clock_gettime(clock, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* Uses a processor until told to stop, as a LAPACK routine's threads do that no call of the library shows. */
static void *work_elsewhere(void *stop) {
    while (!atomic_load((_Atomic bool *)stop))
        ;
    return NULL;
}

/* The thread that multiplied before is at work, and another one of the process. */
static int waits_for_work_elsewhere(void) {
    pthread_t other;
    _Atomic bool stop = false;
    use_own_cache();
    product_make(&product, 1);
    if (!prepare())
        return 1;
    case_multiply(&product, NULL);
    CASE_CHECK(pthread_create(&other, NULL, work_elsewhere, &stop) == 0);
    CASE_CHECK(lava_calibration_start(LAVA_TYPE_FP32));
    double thread_s = -used_s(CLOCK_THREAD_CPUTIME_ID), process_s = -used_s(CLOCK_PROCESS_CPUTIME_ID);
    for (double start = case_now(); case_now() < start + WORK_S;)
        ;
    thread_s += used_s(CLOCK_THREAD_CPUTIME_ID);
    process_s += used_s(CLOCK_PROCESS_CPUTIME_ID);
    /* beside other processes the two have no processors of their own, and the work does not show */
    bool shows = thread_s > 0.8 * WORK_S && process_s > 1.8 * thread_s;
    CASE_CHECK(!shows || lava_calibration_is_running());
    CASE_CHECK(!shows || !lava_calibration_is_stored());
    stop = true;
    pthread_join(other, NULL);
    if (!shows && !case_result())
        return CASE_SKIPPED;
    CASE_CHECK(ends_with_figures());
    check_stored();
    product_free(&product);
    return case_result();
}

static int no_cache_no_measurements(void) {
    if (!prepare())
        return 1;
    CASE_CHECK(!strcmp(lava_calibration_path(), ""));
    CASE_CHECK(!lava_calibration_start(LAVA_TYPE_FP32));
    CASE_CHECK(!lava_calibration_is_running());
    return case_result();
}

/* Not for a software device, and not in mode gpu. */
static int not_begun(void) {
    use_own_cache();
    product_make(&product, 1);
    case_multiply(&product, NULL);
    lava_calibration_begin(LAVA_TYPE_FP32);
    CASE_CHECK(!lava_calibration_is_running());
    CASE_CHECK(!lava_calibration_is_stored());
    product_free(&product);
    return case_result();
}

/* Makes the software device look like another. */
static bool pretend_gpu(void) {
    if (!prepare())
        return false;
    static struct lava_capabilities gpu;
    gpu = *lava_context_capabilities();
    gpu.kind = LAVA_DEVICE_DISCRETE;
    lava_calibration_load(&gpu);
    lava_calibration_begin(LAVA_TYPE_FP32);
    return true;
}

static int begun_on_a_gpu(void) {
    use_own_cache();
    if (!pretend_gpu())
        return 1;
    CASE_CHECK(lava_calibration_is_running());
    CASE_CHECK(ends_with_figures());
    check_stored();
    lava_calibration_begin(LAVA_TYPE_FP32); /* nothing is missing */
    CASE_CHECK(!lava_calibration_is_running());
    return case_result();
}

static int not_begun_on_a_gpu(void) {
    use_own_cache();
    if (!pretend_gpu())
        return 1;
    CASE_CHECK(!lava_calibration_is_running());
    return case_result();
}

static int device_fails(void) {
    int cancel_state;
    use_own_cache();
    if (!prepare())
        return 1;
    CASE_CHECK(lava_calibration_start(LAVA_TYPE_FP32));
    case_sleep(0.02);
    struct lava_engine *engine = lava_context_lock(&cancel_state);
    if (CASE_CHECK(engine != NULL)) {
        lava_device_fail(engine->device, LAVA_ERROR_DEVICE_LOST);
        lava_context_unlock(cancel_state);
    }
    CASE_CHECK(ends());
    CASE_CHECK(!lava_calibration_is_stored());
    return case_result();
}

/* The child multiplies with the CPU BLAS that the thread was using. It has no such thread. */
static void multiply_forked(void) {
    case_multiply(&product, "cpu");
    CASE_CHECK(case_threads_named("lava-calibrate") == 0);
    CASE_CHECK(!lava_calibration_start(LAVA_TYPE_FP32));
}

static int fork_during_measurements(void) {
    if (CASE_FORK_IS_UNSAFE)
        return CASE_SKIPPED;
    pid_t children[FORKS];
    int forks = 0;
    use_own_cache();
    use_found_cpu_blas();
    product_make(&product, 1);
    if (!prepare())
        return 1;
    CASE_CHECK(lava_calibration_start(LAVA_TYPE_FP32));
    for (; forks < FORKS && lava_calibration_is_running(); case_sleep(0.01))
        children[forks++] = start_child(multiply_forked);
    CASE_CHECK(forks > 5);
    while (forks > 0)
        CASE_CHECK(child_succeeds(children[--forks]));
    CASE_CHECK(ends());
    product_free(&product);
    return case_result();
}

/* Returns the status to exit with at a different moment each time, from the first product on the device to
 * the last on the CPU. */
static int some_moment_of_measurements(void) {
    use_own_cache();
    use_found_cpu_blas();
    if (!prepare())
        return 1;
    CASE_CHECK(lava_calibration_start(LAVA_TYPE_FP32));
    case_sleep((double)(getpid() % 32) * 0.03);
    case_ends();
    return case_result() ? 1 : 3;
}

static int exit_during_measurements(void) {
    exit(some_moment_of_measurements());
}

static const struct test_case cases[] = {
    {.name = "stores_and_loads", .run = stores_and_loads},
    {.name = "stored_figures_decide",
     .run = stored_figures_decide,
     .variables = {"LAVABLAS_MODE=auto", "LAVABLAS_INIT=sync"}},
    {.name = "waits_for_the_call_under_way", .run = waits_for_the_call_under_way},
    {.name = "waits_for_a_busy_program", .run = waits_for_a_busy_program},
    /* If others keep the processors busy, the program looks at rest at times. */
    {.name = "waits_for_work_elsewhere", .run = waits_for_work_elsewhere, .attempts = 4},
    {.name = "no_cache_no_measurements", .run = no_cache_no_measurements, .variables = {"LAVABLAS_CACHE=0"}},
    {.name = "not_begun_on_software",
     .run = not_begun,
     .variables = {"LAVABLAS_MODE=auto", "LAVABLAS_INIT=sync"}},
    {.name = "not_begun_in_mode_gpu", .run = not_begun},
    {.name = "begun_on_a_gpu", .run = begun_on_a_gpu, .variables = {"LAVABLAS_MODE=auto"}},
    {.name = "not_begun_on_a_gpu", .run = not_begun_on_a_gpu},
    {.name = "not_begun_turned_off",
     .run = not_begun_on_a_gpu,
     .variables = {"LAVABLAS_MODE=auto", "LAVABLAS_CALIBRATE=off"}},
    {.name = "not_begun_without_learning",
     .run = not_begun_on_a_gpu,
     .variables = {"LAVABLAS_MODE=auto", "LAVABLAS_LEARN=off"}},
    {.name = "device_fails", .run = device_fails, .lines = -1},
    {.name = "fork_during_measurements", .run = fork_during_measurements, .repeats = 2},
    {.name = "exit_during_measurements", .run = exit_during_measurements, .repeats = 5, .status = 3 << 8},
    {.name = "return_during_measurements",
     .run = some_moment_of_measurements,
     .repeats = 3,
     .status = 3 << 8},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
