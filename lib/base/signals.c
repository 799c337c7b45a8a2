/* Blocks and unblocks signals in a thread. Called by lib/offload and lib/blas around what the device
 * computes. */
#include "lib/base/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

static _Thread_local struct {
    bool is_holding;
    sigset_t before;
} own;

/* The thread's own faults: it cannot go on without their handlers. */
static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
/* How people and programs end or stop a process. */
static const int ends[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGALRM, SIGTSTP, SIGXCPU};

static bool has_handler(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
}

void lava_signals_hold(void) {
    sigset_t held;
    if (own.is_holding)
        return;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        sigdelset(&held, faults[i]);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (!has_handler(ends[i]))
            sigdelset(&held, ends[i]);
    own.is_holding = pthread_sigmask(SIG_BLOCK, &held, &own.before) == 0;
}

void lava_signals_release(void) {
    if (!own.is_holding)
        return;
    own.is_holding = false; /* before a handler may leave */
    pthread_sigmask(SIG_SETMASK, &own.before, NULL);
}
