/* Starts background threads for lib/offload and lib/calibrate, and says how threads share processors with the
 * program's. A new thread inherits its mask of signals, so the caller's is changed only while the thread is
 * created. */
#include "lib/base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

/* A thread of this niceness gets a tenth of a processor beside one of the program's. With 19 it is never done
 * while all processors work. */
#define NICENESS 10

bool lava_thread_start(void *(*function)(void *), void *argument) {
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pthread_attr_init(&attributes))
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, &attributes, function, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

void lava_thread_give_way(void) {
    /* on Linux this is the calling thread alone; nothing is lost where it is refused */
    if (getpriority(PRIO_PROCESS, 0) < NICENESS)
        setpriority(PRIO_PROCESS, 0, NICENESS);
}
