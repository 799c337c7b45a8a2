/* Blocks signals and cancellation while a lock is held, or threads work. Called by lib/host and
 * lib/engine/residents. */
#include "lib/base/calm.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

struct lava_calm lava_calm_down(void) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}; /* of this thread's code */
    struct lava_calm calm = {.saved_errno = errno};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&all, own[i]);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &calm.cancel_state);
    pthread_sigmask(SIG_BLOCK, &all, &calm.signals);
    return calm;
}

void lava_calm_end(const struct lava_calm *calm) {
    errno = calm->saved_errno;
    pthread_sigmask(SIG_SETMASK, &calm->signals, NULL);
    pthread_setcancelstate(calm->cancel_state, NULL);
}
