/* Creates the library's own threads. Called by lib/host/thread_pool, lib/host/team and lib/engine/builder. */
#include "lib/host/threads.h"

#include <signal.h>
#include <stdbool.h>

static bool create_thread(pthread_t *thread, size_t stack_bytes, void *(*function)(void *), void *argument) {
    pthread_attr_t attributes;
    int error = -1;
    if (stack_bytes > 0 && pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, stack_bytes);
        error = pthread_create(thread, &attributes, function, argument);
        pthread_attr_destroy(&attributes);
    }
    /* A program with much thread-local storage needs the default size, because that storage is on the
     * stack. */
    if (error)
        error = pthread_create(thread, NULL, function, argument);
    return error == 0;
}

unsigned lava_threads_create(const char *name, pthread_t *threads, unsigned count, size_t stack_bytes,
                             void *(*function)(void *), void *argument) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t all, before;
    unsigned created = 0;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (created < count && create_thread(&threads[created], stack_bytes, function, argument))
        pthread_setname_np(threads[created++], name);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}
