/* Creates the library's own threads. Called by lib/host/thread_pool at its first large job. */
#include "lib/host/threads.h"

#include <signal.h>
#include <stdbool.h>

/* Enough for loops over arrays. */
#define STACK_BYTES (128 * 1024)

static bool create_thread(pthread_t *thread, void *(*function)(void *), void *argument) {
    pthread_attr_t attributes;
    int error = -1;
    if (pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        error = pthread_create(thread, &attributes, function, argument);
        pthread_attr_destroy(&attributes);
    }
    /* A program with much thread-local storage needs the default size, because that storage is on the
     * stack. */
    if (error)
        error = pthread_create(thread, NULL, function, argument);
    return error == 0;
}

unsigned lava_threads_create(const char *name, pthread_t *threads, unsigned count, void *(*function)(void *),
                             void *argument) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t all, before;
    unsigned created = 0;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (created < count && create_thread(&threads[created], function, argument))
        pthread_setname_np(threads[created++], name);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}
