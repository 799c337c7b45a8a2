/* A driver that never ends one of its exit handlers, registers one late, forks while it is loaded, or is
 * never loaded to the end. The test stands in for the driver. The library is linked in. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lavablas_cblas.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/offload.h"
#include "lib/offload/prepare.h"
#include "lib/offload/process.h"
#include "lib/offload/threshold.h"
#include "tests/robustness/cases.h"

#define SIZE   200 /* OpenBLAS uses threads, and no device is prepared for it */
#define FORKS  20
#define CALLS  20 /* after the last fork */
#define STUCK  5  /* the process's status */
#define MOST_S 9

static bool is_at_rest_now;
static atomic_int finished;

static void stop_measuring(const struct timespec *deadline) {
    (void)deadline;
}

static void finish(const struct timespec *deadline) {
    (void)deadline;
    finished++;
}

static bool is_at_rest(void) {
    return is_at_rest_now;
}

static bool enter_child(void) {
    return false;
}

static void install(void) {
    static const struct lava_process_callbacks callbacks = {.stop_measuring = stop_measuring,
                                                            .finish_product = finish,
                                                            .finish_preparation = finish,
                                                            .is_at_rest = is_at_rest,
                                                            .enter_child = enter_child};
    lava_process_install(&callbacks);
}

static void never_end(void) {
    for (;;)
        pause();
}

/* The process ends with its status, and nothing that was printed is lost. */
static void end_beside_a_driver(int output) {
    FILE *file = fdopen(output, "w");
    install();
    atexit(never_end);
    lava_process_register_exit();
    if (file)
        fputs("printed", file);
    exit(STUCK);
}

static int handler_never_ends(void) {
    int ends[2], status = -1;
    char text[16] = "";
    if (!CASE_CHECK(pipe(ends) == 0))
        return 1;
    pid_t child = fork();
    if (child == 0)
        end_beside_a_driver(ends[1]);
    close(ends[1]);
    double end_s = case_now() + MOST_S;
    while (waitpid(child, &status, WNOHANG) == 0 && case_now() < end_s)
        case_sleep(0.01);
    kill(child, SIGKILL);
    CASE_CHECK(status == STUCK << 8);
    CASE_CHECK(read(ends[0], text, sizeof text - 1) == 7 && !strcmp(text, "printed"));
    return case_result();
}

/* If nothing is at work nobody is hurried. */
static void check_no_watch(void) {
    if (!CASE_CHECK(case_threads_named("lava-exit") == 0))
        _exit(1);
}

static int handler_at_rest(void) {
    is_at_rest_now = true;
    install();
    atexit(check_no_watch);
    lava_process_register_exit();
    case_ends();
    return STUCK;
}

/* A compiler registers a handler with the first kernel, long after the driver was loaded. */
static void check_finished(void) {
    if (!CASE_CHECK(finished == 2))
        _exit(1);
}

static int handler_comes_late(void) {
    is_at_rest_now = true;
    install();
    lava_process_register_exit();
    lava_process_await_at_thread_end();
    atexit(check_finished);
    case_ends();
    return STUCK;
}

static float a[SIZE * SIZE], b[SIZE * SIZE];
static atomic_long calls;
static atomic_bool stopped;

static void multiply(float *c) {
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, SIZE, SIZE, SIZE, 1, a, SIZE, b, SIZE, 0, c, SIZE);
}

static void *multiply_until_stopped(void *unused) {
    static float c[SIZE * SIZE];
    while (!stopped) {
        multiply(c);
        calls++;
    }
    return unused;
}

static bool await_calls(long count) {
    double end_s = case_now() + 10;
    while (calls < count && case_now() < end_s)
        case_sleep(0.001);
    return calls >= count;
}

/* A call of the program uses OpenBLAS's threads, and a driver forks: OpenBLAS ends them then. */
static int driver_forks(void) {
    pthread_t thread;
    if (CASE_FORK_IS_UNSAFE)
        return CASE_SKIPPED;
    lava_offload_open();
    lava_threshold_spare(true); /* as in a preparation: such a call is not forwarded at once */
    pthread_create(&thread, NULL, multiply_until_stopped, NULL);
    CASE_CHECK(await_calls(CALLS));
    lava_process_begin_loading();
    for (int i = 0; i < FORKS && !case_result(); i++) {
        int status = -1;
        long before = calls;
        pid_t child = fork();
        if (child == 0)
            _exit(STUCK);
        CASE_CHECK(waitpid(child, &status, 0) == child && status == STUCK << 8);
        CASE_CHECK(await_calls(before + 2));
    }
    lava_process_end_loading();
    CASE_CHECK(await_calls(calls + CALLS));
    if (case_result()) /* the thread is stuck, and exit() would wait for OpenBLAS's */
        _exit(1);
    stopped = true;
    pthread_join(thread, NULL);
    return 0;
}

/* Calls inside a call pass, and so does a fork in the middle of a long one. */
static atomic_bool is_closed, has_passed;
static void *close_gate(void *unused) {
    lava_fork_gate_close();
    is_closed = true;
    case_sleep(0.01);
    is_closed = false;
    lava_fork_gate_open();
    return unused;
}

static int long_call_lets_pass(void) {
    pthread_t thread;
    double end_s = case_now() + 3;
    lava_fork_gate_enter();
    lava_fork_gate_enter();
    pthread_create(&thread, NULL, close_gate, NULL);
    while (!has_passed && case_now() < end_s) {
        lava_fork_gate_pass();
        CASE_CHECK(!is_closed); /* in the CPU BLAS */
        case_sleep(0.001);
        lava_fork_gate_leave();
        lava_fork_gate_pass();
        has_passed = pthread_tryjoin_np(thread, NULL) == 0;
        lava_fork_gate_enter();
    }
    CASE_CHECK(has_passed);
    return case_result();
}

/* A call that waits for the device lets the driver fork, which the device needs. */
static void *multiply_once(void *unused) {
    static float c[SIZE * SIZE];
    multiply(c);
    return unused;
}

static int waiting_call_lets_pass(void) {
    pthread_t thread;
    double end_s = case_now() + 10;
    pthread_create(&thread, NULL, multiply_once, NULL);
    while (!lava_readiness_is_under_way() && case_now() < end_s)
        case_sleep(0.0005);
    lava_fork_gate_close();
    CASE_CHECK(lava_readiness_is_under_way());
    lava_fork_gate_open();
    pthread_join(thread, NULL);
    return case_result();
}

static void *load_for_ever(void *unused) {
    lava_process_begin_loading();
    is_closed = true;
    never_end();
    return unused;
}

static int driver_is_never_loaded(void) {
    pthread_t thread;
    int status = -1;
    install();
    is_at_rest_now = true;
    lava_process_set_fork_wait(300000000);
    pthread_create(&thread, NULL, load_for_ever, NULL);
    while (!is_closed)
        case_sleep(0.001);
    double begin_s = case_now();
    pid_t child = fork();
    if (child == 0)
        _exit(STUCK);
    CASE_CHECK(waitpid(child, &status, 0) == child && status == STUCK << 8);
    CASE_CHECK(case_now() - begin_s < 5);
    return case_result();
}

static const struct test_case cases[] = {
    {.name = "handler_never_ends", .run = handler_never_ends, .lines = 1},
    {.name = "handler_at_rest", .run = handler_at_rest, .status = STUCK << 8},
    {.name = "handler_comes_late", .run = handler_comes_late, .status = STUCK << 8},
    {.name = "driver_forks",
     .run = driver_forks,
     .variables = {"LAVABLAS_MODE=auto", "LAVABLAS_STATS", "OPENBLAS_NUM_THREADS=2"}},
    {.name = "long_call_lets_pass", .run = long_call_lets_pass},
    {.name = "waiting_call_lets_pass", .run = waiting_call_lets_pass, .variables = {"LAVABLAS_INIT=sync"}},
    {.name = "driver_is_never_loaded", .run = driver_is_never_loaded},
    {.name = NULL},
};

int main(int argument_count, char **arguments) {
    return cases_main(argument_count, arguments, cases);
}
