/* Counts the threads inside calls, and holds them up. Called by offload.c for each call, and by process.c.
 *
 * Invariant: a thread counts itself before it looks whether the gate is closed, and the closing thread closes
 * the gate before it looks at the count. So one of them sees the other. */
#include "lib/offload/fork_gate.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"

/* A call that takes longer than this is left alone. */
#define MOST_NS 5000000000u
/* A thread that waits looks so often. */
#define LOOK_NS 100000

static struct {
    _Atomic unsigned inside; /* threads */
    _Atomic unsigned closed; /* how many threads close it */
    _Atomic uint64_t left;   /* so often a thread, all in all */
} gate;

static _Thread_local unsigned depth; /* of calls in each other */

/* Returns whether the number is 0 within the time. */
static bool await_zero(_Atomic unsigned *number, uint64_t most_ns) {
    const struct timespec look = {.tv_nsec = LOOK_NS};
    uint64_t end_ns = lava_clock_now_ns() + most_ns;
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    while (*number > 0 && lava_clock_now_ns() < end_ns)
        nanosleep(&look, NULL);
    pthread_setcancelstate(cancel_state, NULL);
    return *number == 0;
}

/* The closing thread waits for others first, and then forks: twice the time. */
void lava_fork_gate_enter(void) {
    if (depth++ > 0)
        return;
    gate.inside++;
    while (gate.closed > 0) {
        gate.inside--;
        bool is_open = await_zero(&gate.closed, 2 * (uint64_t)MOST_NS);
        gate.inside++;
        if (!is_open)
            return;
    }
}

void lava_fork_gate_leave(void) {
    if (depth > 0 && --depth == 0) {
        gate.left++;
        gate.inside--;
    }
}

unsigned lava_fork_gate_forget(unsigned remaining) {
    unsigned left = depth > remaining ? depth - remaining : 0;
    for (unsigned i = 0; i < left; i++)
        lava_fork_gate_leave();
    return left;
}

/* Another thread counts its end before it is seen to be outside. So one that came and went has changed the
 * number, and one that is still there is seen inside. */
uint64_t lava_fork_gate_alone(void) {
    return depth == 1 && gate.inside == 1 ? 1 + gate.left : 0;
}

/* A call inside another one may be inside the CPU BLAS. */
bool lava_fork_gate_suspend(void) {
    bool is_alone = depth == 1;
    if (is_alone)
        lava_fork_gate_leave();
    return is_alone;
}

void lava_fork_gate_resume(bool is_suspended) {
    if (is_suspended)
        lava_fork_gate_enter();
}

void lava_fork_gate_pass(void) {
    if (gate.closed > 0)
        lava_fork_gate_resume(lava_fork_gate_suspend());
}

void lava_fork_gate_close(void) {
    gate.closed++;
    if (!await_zero(&gate.inside, MOST_NS))
        LAVA_LOG(INFO, "the driver forks beside a call of the CPU BLAS");
}

void lava_fork_gate_open(void) {
    gate.closed--;
}

void lava_fork_gate_begin_anew(void) {
    gate.closed = 0;
    gate.inside = depth > 0;
}
