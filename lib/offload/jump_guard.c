/* Remembers where on its stack a thread has asked for a lane. more_devices.c begins,
 * context.c ends, offload.c looks.
 *
 * A later call of the thread that begins at the same height of the stack or above has come after that. One
 * that begins below may be inside; if it is not, the CPU computes until there is one above. */
#include "lib/offload/jump_guard.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/thread.h"
#include "lib/calibrate/calibration.h"
#include "lib/offload/fork_gate.h"

/* The calling thread's product. */
static _Thread_local struct {
    uintptr_t frame; /* 0: there is none */
    int cancel_state;
    void (*give_up)(void);
} held;

static pthread_key_t key; /* not NULL for a thread that has a product */
static bool has_key;

/* `remaining` calls of the thread go on. What the others had begun ends: the thread may be cancelled again,
 * and the calibration does not wait for them. */
static void leave(unsigned remaining) {
    held.frame = 0;
    pthread_setcancelstate(held.cancel_state, NULL);
    for (unsigned calls = lava_fork_gate_forget(remaining); calls > 0; calls--)
        lava_calibration_call_ends(lava_clock_now_ns());
    lava_log_always(
        "a product was left in the middle, by siglongjmp or the end of its thread: no device is used "
        "from now on");
    held.give_up();
}

static void end_thread(void *unused) {
    (void)unused;
    if (held.frame)
        leave(0);
}

static void create_key(void) {
    has_key = pthread_key_create(&key, end_thread) == 0;
}

void lava_jump_guard_begin(void (*give_up)(void)) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, create_key);
    if (has_key)
        pthread_setspecific(key, &held);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &held.cancel_state);
    pthread_setcancelstate(held.cancel_state, NULL);
    held.give_up = give_up;
    held.frame = (uintptr_t)__builtin_frame_address(0);
}

void lava_jump_guard_end(void) {
    held.frame = 0;
    if (has_key)
        pthread_setspecific(key, NULL);
}

bool lava_jump_guard_is_inside(void) {
    if (!held.frame)
        return false;
    if ((uintptr_t)__builtin_frame_address(0) < held.frame || lava_thread_is_on_other_stack())
        return true;
    leave(1);
    return false;
}
