/* Handles fork() and exit(). lib/offload/offload installs it; prepare.c calls it while a driver is loaded,
 * and context.c asks whether the process ends.
 *
 * Invariant: `forked`, `ending` and `exiting` are set once and never reset. Nothing is destroyed at exit: the
 * driver's own handlers find the device idle. */
#include "lib/offload/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/report.h"

/* Each wait at exit() may take this long. */
#define EXIT_WAIT_MS 1500
/* A product of another thread is held up this long then. */
#define EXIT_PAUSE_MS 200
/* fork() waits until a driver has been loading for so long. A driver that answers takes up to 5 s. */
#define FORK_WAIT_NS 10000000000u

static struct {
    const struct lava_process_callbacks *callbacks; /* NULL: not installed */
    _Atomic bool forked, exiting;
    _Atomic bool ending;     /* the main thread ends: exit() will run its handlers next */
    pthread_t exiter;        /* the thread in exit(), where exiting or ending is set */
    pthread_mutex_t loading; /* held while a driver is loaded, and by fork() */
    _Atomic uint64_t loading_since_ns;
    _Atomic uint64_t fork_wait_ns;
} process = {.loading = PTHREAD_MUTEX_INITIALIZER, .fork_wait_ns = FORK_WAIT_NS};

bool lava_process_is_forked(void) {
    return process.forked;
}

bool lava_process_is_exiting(void) {
    return process.exiting || process.ending;
}

static struct timespec deadline_in(uint64_t ns) {
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    ns += (uint64_t)deadline.tv_nsec;
    deadline.tv_sec += (time_t)(ns / 1000000000u);
    deadline.tv_nsec = (long)(ns % 1000000000u);
    return deadline;
}

static struct timespec exit_deadline(void) {
    return deadline_in(EXIT_WAIT_MS * UINT64_C(1000000));
}

static void begin_exit(void) {
    if (process.exiting)
        return;
    process.exiter = pthread_self();
    process.exiting = true;
    if (!process.callbacks)
        return;
    struct timespec deadline = exit_deadline();
    process.callbacks->stop_measuring(&deadline);
    deadline = exit_deadline();
    process.callbacks->finish_product(&deadline);
}

/* A driver's exit handlers join its threads, which do not exist in a child of fork(). Their stacks lie in the
 * C library's cache, where a new thread of the child may get one: the join then waits for ever. With more
 * than 40 MiB of such stacks the first join makes the cache unmap others, which are joined next: a crash,
 * even in a child that does nothing but exit. (Both were measured with Mesa's driver; NVIDIA's 580 crashes or
 * waits, too.) So a child ends here, and the handlers that were registered before the driver's are lost. */
static void leave_forked(int status) {
    lava_report_print();
    fflush(NULL);
    _exit(status);
}

static void leave(int status, void *unused) {
    (void)unused;
    if (process.forked)
        leave_forked(status);
    begin_exit();
}

/* exit() runs the last registered handler first. A driver registers its handlers bit by bit, so this is
 * called several times. */
void lava_process_register_exit(void) {
    on_exit(leave, NULL);
}

/* This handler is registered before any driver is loaded: it serves a process that never loads one. */
static void leave_without_driver(void) {
    if (!process.forked)
        begin_exit();
}

/* The main thread rarely ends but in exit(): the preparation then stops before its next kernel. */
static void await_preparation(void *unused) {
    const struct timespec deadline = exit_deadline();
    (void)unused;
    if (process.forked || !process.callbacks)
        return;
    if (gettid() == getpid()) {
        process.exiter = pthread_self();
        process.ending = true;
    }
    process.callbacks->finish_preparation(&deadline);
}

/* A driver registers exit handlers while it is loaded, and exit() would run those before any of ours, beside
 * a preparation that is under way (measured: LLVM's destructors, then a crash). Only a thread's own
 * destructors come before them; this one serves a thread that calls exit(). C has no thread-local
 * destructors, so this calls the function that implements those of C++. That is safe because the library is
 * never unloaded. */
void lava_process_await_at_thread_end(void) {
    extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
    extern void *__dso_handle;
    static _Thread_local bool registered;
    if (!registered)
        __cxa_thread_atexit_impl(await_preparation, NULL, &__dso_handle);
    registered = true;
}

/* A thread that multiplies while another is in exit() rarely lives to see the result. If it entered the CPU
 * BLAS at once, it could be there when that is torn down: OpenBLAS then waits for ever. */
void lava_process_pause_at_exit(void) {
    static _Thread_local bool paused; /* once: a handler may wait for this thread to end its work */
    const struct timespec pause = {.tv_nsec = EXIT_PAUSE_MS * 1000000L};
    if (!paused && !pthread_equal(pthread_self(), process.exiter))
        nanosleep(&pause, NULL);
    paused = true;
}

/* A driver that is being loaded registers exit handlers, hundreds where it brings a compiler. A child of
 * fork() inherits the C library's lock for these; if another thread holds it then, it is locked for good in
 * the child, and exit() takes it. So fork() waits until the driver is loaded. The loading thread does not
 * wait, because a driver may call fork() itself (NVIDIA's runs nvidia-modprobe).
 *
 * A driver that does not answer registers nothing meanwhile, so after a while fork() goes on. A child of
 * fork() loads no driver, so its own children need not wait. */
static _Thread_local bool is_loading, fork_holds;

void lava_process_begin_loading(void) {
    pthread_mutex_lock(&process.loading);
    process.loading_since_ns = lava_clock_now_ns();
    is_loading = true;
}

void lava_process_end_loading(void) {
    is_loading = false;
    process.loading_since_ns = 0;
    pthread_mutex_unlock(&process.loading);
}

void lava_process_set_fork_wait(uint64_t ns) {
    process.fork_wait_ns = ns;
}

/* All forks during one loading wait for so long together. */
static void before_fork(void) {
    fork_holds = false;
    if (is_loading || process.forked)
        return;
    uint64_t since_ns = process.loading_since_ns, wait_ns = process.fork_wait_ns;
    uint64_t spent_ns = since_ns ? lava_clock_now_ns() - since_ns : 0;
    struct timespec deadline = deadline_in(spent_ns < wait_ns ? wait_ns - spent_ns : 0);
    fork_holds = pthread_mutex_timedlock(&process.loading, &deadline) == 0;
}

static void after_fork(void) {
    if (fork_holds)
        pthread_mutex_unlock(&process.loading);
    fork_holds = false;
}

static void after_fork_in_child(void) {
    after_fork();
    process.forked = true;
    if (process.callbacks->enter_child())
        lava_process_register_exit();
}

void lava_process_install(const struct lava_process_callbacks *callbacks) {
    process.callbacks = callbacks;
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    atexit(leave_without_driver);
}
