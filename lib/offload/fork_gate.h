/* Holds calls up while a driver that is being loaded calls fork().
 *
 * OpenBLAS ends its threads in a handler of fork(), whoever forks. A call that uses them in another thread
 * then waits for ever, and at times fork() does. A program forks when it likes, but a driver forks when
 * LavaBLAS loads it, beside the program's calls. Any thread may call these functions. */
#ifndef LAVA_OFFLOAD_FORK_GATE_H
#define LAVA_OFFLOAD_FORK_GATE_H

#include <stdbool.h>
#include <stdint.h>

/* These enclose a program's call. A call inside another one of its thread passes. */
void lava_fork_gate_enter(void);
void lava_fork_gate_leave(void);
/* The calling thread has left its outer calls: only the `remaining` innermost ones go on. Returns how many it
 * has left. */
unsigned lava_fork_gate_forget(unsigned remaining);
/* Lets a fork pass in the middle of a long call, if the thread is not inside the CPU BLAS. */
void lava_fork_gate_pass(void);

/* Returns a number if the calling thread's call is the only one inside, and not inside another one, else
 * 0. The call has been alone from one look to another if both return the same number, which is not 0. */
uint64_t lava_fork_gate_alone(void);

/* These enclose what a call waits for outside of the CPU BLAS, perhaps for the loading driver itself: suspend
 * lets a fork pass meanwhile, and returns whether there is something to resume. */
bool lava_fork_gate_suspend(void);
void lava_fork_gate_resume(bool is_suspended);

/* Holds new calls up and waits until all others have ended, for five seconds at most. */
void lava_fork_gate_close(void);
void lava_fork_gate_open(void);

/* In a child of fork(), which has the calling thread alone: the gate is open. */
void lava_fork_gate_begin_anew(void);

#endif
