/* Keeps a thread from leaving what it has begun while it holds a lock that is not bound to a lane, or has
 * threads work: a signal handler of the program may jump out of what it interrupts (siglongjmp), and threads
 * may be cancelled. */
#ifndef LAVA_BASE_CALM_H
#define LAVA_BASE_CALM_H

#include <signal.h>

struct lava_calm {
    sigset_t signals;
    int cancel_state, saved_errno;
};

/* From now on signals wait, but those that a thread raises itself, and the thread is not cancelled. Takes
 * half a microsecond. */
struct lava_calm lava_calm_down(void);
/* As it was before, errno too. */
void lava_calm_end(const struct lava_calm *calm);

#endif
