/* Watches the program: its calls, and the processors that it uses. Called by calibration.c. */
#include "lib/calibrate/quiet.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "lib/base/clock.h"

#define NS_PER_MS 1000000u
/* The device needs a longer time without a call, because copying needs the processors: OpenBLAS's threads
 * spin for tens of milliseconds after a product. */
#define AFTER_CALL_NS        (3u * NS_PER_MS)
#define AFTER_CALL_DEVICE_NS (30u * NS_PER_MS)
/* Processors are counted over at least this long: on a busy machine a thread may wait some slices of 3 ms for
 * one. */
#define WINDOW_NS (40u * NS_PER_MS)
/* A caller that uses less of a processor waits for something: a person, a file, another process. */
#define CALLER_RESTS 0.25
/* A process that uses this many times as much as its caller has several threads at work. NumPy's eigh of
 * order 2048 took 1.0 to 1.5 s instead of 0.55 on an H200's 16 cores when turns came between its calls of the
 * CPU BLAS (2026-11-24). */
#define PROCESS_ALONE 1.5
/* Beside a caller at work, turns on the CPU take at most one part in this many of the time: its next product
 * may have to wait for one. */
#define SHARE_OF_TIME 32
/* After a turn on the CPU the threads of its BLAS spin for up to 130 ms. A program that computes with several
 * threads at times, as eigh does, loses more by that than by the turn: 2.1 s instead of 0.54 once (H200,
 * 2026-11-25). So turns on the CPU begin only beside a program that has used one thread for this long. */
#define CALM_NS (1000u * NS_PER_MS)
#define SPIN_NS (200u * NS_PER_MS)
/* After this many turns on the device in a row, the processors are counted anew. Between two of them a GPU
 * lowers its clock within tens of milliseconds: with a window of its own after each turn, an H100's rates
 * were measured at 345 MHz, a sixth of what they are (2026-11-27). */
#define DEVICE_TURNS 64

static struct {
    _Atomic uint64_t begun, ended; /* calls */
    _Atomic uint64_t last_ns;      /* when the last one ended */
    _Atomic clockid_t caller;      /* the processor time of the last caller's thread; 0: nobody called yet */
} program;

/* Only the thread that measures uses this. A window begins where the clocks were read. The caller's goes on
 * across turns, whose work is done by other threads; the process's begins anew. */
static struct {
    clockid_t caller;
    uint64_t caller_at_ns, caller_ns, process_at_ns, process_ns;
    bool caller_known, process_known; /* from a whole window */
    double caller_share, process_share;
    uint64_t turn_ns, turn_at_ns;
    unsigned device_turns;  /* in a row */
    uint64_t calm_since_ns; /* no window with several of the program's threads at work has ended since */
} watch;

void lava_quiet_call_begins(void) {
    static _Thread_local bool has_clock;
    static _Thread_local clockid_t own;
    atomic_fetch_add(&program.begun, 1);
    if (!has_clock)
        has_clock = pthread_getcpuclockid(pthread_self(), &own) == 0;
    if (has_clock && atomic_load_explicit(&program.caller, memory_order_relaxed) != own)
        atomic_store_explicit(&program.caller, own, memory_order_relaxed);
}

void lava_quiet_call_ends(uint64_t now_ns) {
    atomic_store_explicit(&program.last_ns, now_ns, memory_order_relaxed);
    atomic_fetch_add(&program.ended, 1);
}

uint64_t lava_quiet_calls(void) {
    return program.begun;
}

bool lava_quiet_decide(const struct lava_quiet_look *look, enum lava_quiet_use use) {
    if (look->call_ns < (use == LAVA_QUIET_DEVICE ? AFTER_CALL_DEVICE_NS : AFTER_CALL_NS))
        return false;
    if (look->caller < CALLER_RESTS)
        return true;
    if (look->process > PROCESS_ALONE * look->caller)
        return false;
    return use == LAVA_QUIET_DEVICE ||
           (look->calm_ns >= CALM_NS && look->rest_ns >= SHARE_OF_TIME * look->turn_ns);
}

static void begin_process_window(uint64_t now_ns) {
    watch.process_at_ns = now_ns;
    watch.process_ns = lava_clock_process_ns();
}

/* Threads that spin after a turn are not the program's work. A long window is one in which nobody looked. */
static void look_for_calm(uint64_t now_ns) {
    bool is_long = now_ns - watch.process_at_ns > CALM_NS / 2;
    bool may_spin = watch.turn_at_ns > 0 && watch.process_at_ns < watch.turn_at_ns + SPIN_NS;
    bool is_crowded = watch.process_known && watch.process_share > PROCESS_ALONE * watch.caller_share;
    if (watch.calm_since_ns == 0 || is_long || (is_crowded && !may_spin))
        watch.calm_since_ns = now_ns;
}

/* Returns whether the shares are known. A thread that has ended, or another that called meanwhile, begins a
 * new window. */
static bool look_at_processors(uint64_t now_ns) {
    clockid_t caller = program.caller;
    struct timespec used;
    bool is_there = clock_gettime(caller, &used) == 0;
    uint64_t caller_ns = is_there ? (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec : 0;
    if (caller != watch.caller || caller_ns < watch.caller_ns)
        watch.caller_known = false;
    else if (now_ns - watch.caller_at_ns >= WINDOW_NS) {
        watch.caller_known = true;
        watch.caller_share =
            is_there ? (double)(caller_ns - watch.caller_ns) / (double)(now_ns - watch.caller_at_ns) : 1;
        if (caller == 0)
            watch.caller_share = 0;
    }
    if (!watch.caller_known || now_ns - watch.caller_at_ns >= WINDOW_NS) {
        watch.caller = caller;
        watch.caller_at_ns = now_ns;
        watch.caller_ns = caller_ns;
    }
    if (now_ns - watch.process_at_ns >= WINDOW_NS) {
        watch.process_known = watch.process_at_ns > 0;
        watch.process_share =
            (double)(lava_clock_process_ns() - watch.process_ns) / (double)(now_ns - watch.process_at_ns);
        look_for_calm(now_ns);
        begin_process_window(now_ns);
    }
    return watch.caller_known && (watch.process_known || watch.caller_share < CALLER_RESTS);
}

/* `ended` is read before `begun`: a call between the two reads makes them differ, never agree. */
bool lava_quiet_allows(enum lava_quiet_use use) {
    uint64_t ended = program.ended, begun = program.begun, now_ns = lava_clock_now_ns();
    uint64_t last_ns = program.last_ns;
    bool is_known = look_at_processors(now_ns);
    const struct lava_quiet_look look = {.caller = watch.caller_share,
                                         .process = watch.process_known ? watch.process_share : 0,
                                         .call_ns = now_ns > last_ns ? now_ns - last_ns : 0,
                                         .turn_ns = watch.turn_ns,
                                         .calm_ns =
                                             watch.calm_since_ns > 0 ? now_ns - watch.calm_since_ns : 0,
                                         .rest_ns = now_ns - watch.turn_at_ns};
    return ended == begun && is_known && lava_quiet_decide(&look, use);
}

void lava_quiet_turn_ended(enum lava_quiet_use use, uint64_t turn_ns) {
    uint64_t now_ns = lava_clock_now_ns();
    if (use == LAVA_QUIET_CPU) {
        watch.turn_ns = turn_ns;
        watch.turn_at_ns = now_ns;
    }
    watch.device_turns = use == LAVA_QUIET_DEVICE ? (watch.device_turns + 1) % DEVICE_TURNS : 0;
    begin_process_window(now_ns);
    if (watch.device_turns == 0)
        watch.process_known = false;
}
