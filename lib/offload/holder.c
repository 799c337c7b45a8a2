/* Remembers where on its stack a thread has asked for a lane. further.c begins,
 * context.c ends, offload.c looks.
 *
 * A later call of the thread that begins at the same height of the stack or above has come after that. One
 * that begins below may be inside; if it is not, the CPU computes until there is one above. */
#include "lib/offload/holder.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/calibrate/calibration.h"
#include "lib/offload/gate.h"

/* The calling thread's product. */
static _Thread_local struct {
    uintptr_t frame; /* 0: there is none */
    void (*left)(void);
} held;

static pthread_key_t key; /* not NULL for a thread that has a product */
static bool has_key;

/* `remaining`: calls of the thread that go on. */
static void leave(unsigned remaining) {
    held.frame = 0;
    lava_calibration_call_ends(lava_clock_now_ns());
    lava_gate_forget(remaining);
    lava_log_always(
        "a product was left in the middle, by siglongjmp or the end of its thread: no device is used "
        "from now on");
    held.left();
}

static void end_thread(void *unused) {
    (void)unused;
    if (held.frame)
        leave(0);
}

static void create_key(void) {
    has_key = pthread_key_create(&key, end_thread) == 0;
}

void lava_holder_begin(void (*left)(void)) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, create_key);
    if (has_key)
        pthread_setspecific(key, &held);
    held.left = left;
    held.frame = (uintptr_t)__builtin_frame_address(0);
}

void lava_holder_end(void) {
    held.frame = 0;
    if (has_key)
        pthread_setspecific(key, NULL);
}

bool lava_holder_is_inside(void) {
    if (!held.frame)
        return false;
    if ((uintptr_t)__builtin_frame_address(0) < held.frame)
        return true;
    leave(1);
    return false;
}
