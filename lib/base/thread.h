/* Starts the library's threads: every one of them, so that each has a name and the same mask of signals. Any
 * thread may call these functions. */
#ifndef LAVA_BASE_THREAD_H
#define LAVA_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* The size includes the byte that ends a name. A name begins with "lava-"; a longer one is cut. */
#define LAVA_THREAD_NAME_BYTES 16
/* Enough for loops over arrays. */
#define LAVA_THREAD_SMALL_STACK (128 * 1024)

/* Starts a thread that runs function(argument), and that nobody joins but lava_thread_settle. It has its name
 * before it does so; debuggers, ps and the trace show it. The text is copied.
 *
 * The program's signals must be handled by the program's threads, so the new one blocks all signals except
 * those that a thread raises itself. Those stay unblocked because a program may make its matrices' pages
 * fault on purpose (write barriers, dirty tracking). Returns false if no thread can be created. */
bool lava_thread_start(const char *name, void *(*function)(void *), void *argument);

/* Called by such a thread before it tells others that its work is done; else it counts as called when the
 * thread's function returns. From here on lava_thread_settle waits for the thread. */
void lava_thread_ends(void);

/* Waits until the deadline, a time of CLOCK_REALTIME, for those threads that have called lava_thread_ends and
 * have not ended: they run what a driver does at the end of a thread that called it. NULL: does not wait.
 * Returns whether all of them have ended. It is no cancellation point. */
bool lava_thread_settle(const struct timespec *deadline);

/* Starts up to `count` such threads, which have to be joined, with stacks of n bytes if possible (0:
 * the system's default). Returns how many there are. */
unsigned lava_thread_start_team(const char *name, pthread_t *threads, unsigned count, size_t stack_bytes,
                                void *(*function)(void *), void *argument);

/* Lets the program's threads go before the calling one, and before those that it creates from then on, if
 * there are more of them than processors. It cannot be undone. */
void lava_thread_give_way(void);

/* Returns whether a signal handler runs on a stack of its own. It is not above what it interrupts, wherever
 * that stack is. */
bool lava_thread_is_on_other_stack(void);

#endif
