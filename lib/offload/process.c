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
#include "lib/base/log.h"
#include "lib/base/report.h"
#include "lib/base/thread.h"
#include "lib/offload/fork_gate.h"
#include "lib/offload/silence.h"

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* Each wait for the device at exit() may take this long. */
#define EXIT_WAIT_MS 1500
/* The calibration uses the CPU BLAS for some milliseconds at a time; on a busy machine that takes longer. If
 * OpenBLAS's threads are ended meanwhile, exit() waits for them for ever. */
#define EXIT_MEASURING_MS 10000
/* A product of another thread is held up this long then. */
#define EXIT_PAUSE_MS 200
/* fork() waits until a driver has been loading for this long. A driver that answers takes up to 5 s. */
#define FORK_WAIT_NS (10 * NS_PER_S)

/* If the device is still at work after the waits, a driver's exit handlers may take this long. */
#define HANDLERS_S 5
/* The handlers that the program registered before are not hurried, but destructors of libraries come after.
 */
#define DESTRUCTORS_S 600
/* Buffers of output are written within this time at the end. */
#define FLUSH_S 1

static struct {
    const struct lava_process_callbacks *callbacks; /* NULL: not installed */
    _Atomic bool forked, exiting;
    _Atomic bool ending;     /* the main thread ends: exit() will run its handlers next */
    pthread_t exiter;        /* the thread in exit(), if exiting or ending is set */
    pthread_mutex_t loading; /* held while a driver is loaded, and by fork() */
    _Atomic uint64_t loading_since_ns;
    _Atomic uint64_t fork_wait_ns;
} process = {.loading = PTHREAD_MUTEX_INITIALIZER, .fork_wait_ns = FORK_WAIT_NS};

/* Watches exit() while a driver is at work beside its own exit handlers: they may wait for ever. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct timespec deadline;
    bool is_armed, is_started;
    int status;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

bool lava_process_is_forked(void) {
    return process.forked;
}

bool lava_process_is_exiting(void) {
    return process.exiting || process.ending;
}

/* A thread that is cancelled in exit() must not leave it half done. */
static void begin_exit(void) {
    int cancel_state;
    if (process.exiting)
        return;
    process.exiter = pthread_self();
    process.exiting = true;
    if (!process.callbacks)
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    struct timespec deadline = lava_clock_deadline(EXIT_MEASURING_MS * NS_PER_MS);
    process.callbacks->stop_measuring(&deadline);
    deadline = lava_clock_deadline(EXIT_WAIT_MS * NS_PER_MS);
    process.callbacks->finish_product(&deadline);
    deadline = lava_clock_deadline(EXIT_WAIT_MS * NS_PER_MS);
    lava_thread_settle(&deadline);
    pthread_setcancelstate(cancel_state, NULL);
}

/* A thread that has done its work may still be in the driver, which runs destructors of its own at the end of
 * a thread. A driver's exit handlers do not expect that. (NVIDIA's 580, 2026-11-26: a program had come to its
 * end, three threads of preparations were left, one of them spun, and nobody watched over exit().) */
static bool has_ended(void) {
    return process.callbacks->is_at_rest() && lava_thread_settle(NULL);
}

/* A driver's exit handlers join its threads, which do not exist in a child of fork(). Their stacks lie in the
 * C library's cache, where a new thread of the child may get one: the join then waits for ever. With more
 * than 40 MiB of such stacks the first join makes the cache unmap others, which are joined next: a crash,
 * even in a child that does nothing but exit. (Both were measured with Mesa's driver; NVIDIA's 580 crashes or
 * waits, too.) So nothing of the driver runs in a child that ends. If that cannot be had, the child ends
 * here, and the handlers that were registered before the driver's are lost. */
static void leave_forked(int status) {
    if (lava_silence_driver())
        return;
    lava_report_print();
    fflush(NULL);
    _exit(status);
}

static void *end_now(void *unused) {
    const struct timespec flush = {.tv_sec = FLUSH_S};
    nanosleep(&flush, NULL);
    _exit(watch.status);
    return unused;
}

/* Ends the process if exit() does not. A stuck thread may hold the lock of a file. */
static void *watch_exit(void *unused) {
    int is_over = 0;
    pthread_mutex_lock(&watch.lock);
    while (watch.is_armed && !is_over)
        is_over = pthread_cond_timedwait(&watch.changed, &watch.lock, &watch.deadline);
    bool ends = watch.is_armed;
    pthread_mutex_unlock(&watch.lock);
    if (!ends)
        return unused;
    LAVA_LOG(WARN, "exit: a driver's handlers do not end; the process ends without them");
    lava_thread_start("lava-end", end_now, NULL);
    lava_report_print();
    fflush(NULL);
    _exit(watch.status);
}

/* Arms the watch anew if something is still at work, else disarms it. */
static void set_watch(unsigned seconds) {
    bool is_armed = process.callbacks && !has_ended();
    pthread_mutex_lock(&watch.lock);
    watch.is_armed = is_armed;
    watch.deadline = lava_clock_deadline(seconds * NS_PER_S);
    if (is_armed && !watch.is_started)
        watch.is_started = lava_thread_start("lava-exit", watch_exit, NULL);
    pthread_cond_signal(&watch.changed);
    pthread_mutex_unlock(&watch.lock);
}

static void leave(int status, void *unused) {
    (void)unused;
    if (process.forked) {
        leave_forked(status);
        return;
    }
    if (process.exiting)
        return;
    begin_exit();
    watch.status = status;
    set_watch(HANDLERS_S);
}

/* exit() runs the last registered handler first. A driver registers its handlers bit by bit, so this is
 * called several times. */
void lava_process_register_exit(void) {
    on_exit(leave, NULL);
}

/* This handler is registered before any driver is loaded: it serves a process that never loads one. */
static void leave_without_driver(void) {
    if (process.forked)
        return;
    begin_exit();
    if (watch.is_started)
        set_watch(DESTRUCTORS_S);
}

/* The main thread rarely ends but in exit(): the preparation then stops before its next kernel, and our
 * handler comes before those that a compiler has registered since the driver was loaded. */
static void await_preparation(void *unused) {
    const struct timespec deadline = lava_clock_deadline(EXIT_WAIT_MS * NS_PER_MS);
    (void)unused;
    if (process.forked || !process.callbacks)
        return;
    if (gettid() == getpid()) {
        process.exiter = pthread_self();
        process.ending = true;
        lava_process_register_exit();
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

/* A driver that is being loaded registers exit handlers, hundreds if it brings a compiler. A child of
 * fork() inherits the C library's lock for these; if another thread holds it then, it is locked for good in
 * the child, and exit() takes it. So fork() waits until the driver is loaded. The loading thread does not
 * wait for that, because a driver may call fork() itself (NVIDIA's runs nvidia-modprobe), but for calls of
 * the CPU BLAS.
 *
 * A driver that does not answer registers nothing meanwhile, so after a while fork() goes on. A child of
 * fork() loads no driver, so its own children need not wait. */
static _Thread_local struct { bool is_loading, has_locked; } own;

void lava_process_begin_loading(void) {
    pthread_mutex_lock(&process.loading);
    process.loading_since_ns = lava_clock_now_ns();
    own.is_loading = true;
    lava_silence_begin();
}

void lava_process_end_loading(void) {
    lava_silence_end();
    own.is_loading = false;
    process.loading_since_ns = 0;
    pthread_mutex_unlock(&process.loading);
}

void lava_process_set_fork_wait(uint64_t ns) {
    process.fork_wait_ns = ns;
}

/* All forks during one loading share one time of waiting, which begins with the loading. */
static void before_fork(void) {
    own.has_locked = false;
    if (own.is_loading)
        lava_fork_gate_close();
    if (own.is_loading || process.forked)
        return;
    uint64_t since_ns = process.loading_since_ns, wait_ns = process.fork_wait_ns;
    uint64_t spent_ns = since_ns ? lava_clock_now_ns() - since_ns : 0;
    const struct timespec deadline = lava_clock_deadline(spent_ns < wait_ns ? wait_ns - spent_ns : 0);
    own.has_locked = pthread_mutex_timedlock(&process.loading, &deadline) == 0;
}

static void after_fork(void) {
    if (own.is_loading)
        lava_fork_gate_open();
    else if (own.has_locked)
        pthread_mutex_unlock(&process.loading);
}

static void after_fork_in_child(void) {
    after_fork();
    lava_fork_gate_begin_anew();
    own.is_loading = false; /* a child loads no driver */
    process.forked = true;
    if (process.callbacks->enter_child())
        lava_process_register_exit();
}

void lava_process_install(const struct lava_process_callbacks *callbacks) {
    process.callbacks = callbacks;
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    atexit(leave_without_driver);
}
