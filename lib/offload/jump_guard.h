/* Notices that a thread has left a product on a device in the middle: a signal handler has jumped out of it
 * (siglongjmp), or has ended the thread. The lane that it has taken is lost then, and with that the device:
 * what was submitted, and the copy threads, may still be at work on it. Any thread may call these functions.
 */
#ifndef LAVA_OFFLOAD_JUMP_GUARD_H
#define LAVA_OFFLOAD_JUMP_GUARD_H

#include <stdbool.h>

/* The calling thread asks for a lane, and has given it back. give_up is called if it does not give it back:
 * by its next call, in exit(), or at the thread's end. */
void lava_jump_guard_begin(void (*give_up)(void));
void lava_jump_guard_end(void);

/* Called at the beginning of a call, which has entered the gate and counts for the calibration. Returns true
 * if it is made in the middle of a product of the same thread: by a signal handler, or by the CPU's LAPACK
 * that this library calls. It must not wait for a lane then. If the thread has left a product, what was
 * counted for that ends, and give_up is called. */
bool lava_jump_guard_is_inside(void);

#endif
