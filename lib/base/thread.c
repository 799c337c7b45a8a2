/* Starts the library's threads, and says how they share processors with the program's. A new thread inherits
 * its mask of signals, so the caller's is changed only while the thread is created. */
#include "lib/base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* A thread of this niceness gets a tenth of a processor beside one of the program's. With 19 it is never done
 * while all processors work. */
#define NICENESS 10

/* What a new thread does. It belongs to that thread. */
struct beginning {
    char name[LAVA_THREAD_NAME_BYTES];
    void *(*function)(void *);
    void *argument;
};

static void *begin(void *argument) {
    const struct beginning beginning = *(struct beginning *)argument;
    free(argument);
    pthread_setname_np(pthread_self(), beginning.name);
    return beginning.function(beginning.argument);
}

static bool create_with(pthread_t *thread, size_t stack_bytes, struct beginning *beginning) {
    pthread_attr_t attributes;
    int error = -1;
    if (stack_bytes > 0 && pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, stack_bytes);
        error = pthread_create(thread, &attributes, begin, beginning);
        pthread_attr_destroy(&attributes);
    }
    /* A program with much thread-local storage needs the default size, because that storage is on the
     * stack. */
    if (error)
        error = pthread_create(thread, NULL, begin, beginning);
    return error == 0;
}

static bool create(pthread_t *thread, size_t stack_bytes, const struct beginning *wanted) {
    struct beginning *beginning = malloc(sizeof *beginning);
    if (!beginning)
        return false;
    *beginning = *wanted;
    bool created = create_with(thread, stack_bytes, beginning);
    if (!created)
        free(beginning);
    return created;
}

unsigned lava_thread_start_team(const char *name, pthread_t *threads, unsigned count, size_t stack_bytes,
                                void *(*function)(void *), void *argument) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    struct beginning wanted = {.function = function, .argument = argument};
    sigset_t all, before;
    unsigned created = 0;
    memcpy(wanted.name, name, strnlen(name, sizeof wanted.name - 1));
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (created < count && create(&threads[created], stack_bytes, &wanted))
        created++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}

bool lava_thread_start(const char *name, void *(*function)(void *), void *argument) {
    pthread_t thread;
    bool started = lava_thread_start_team(name, &thread, 1, 0, function, argument) == 1;
    if (started)
        pthread_detach(thread);
    return started;
}

void lava_thread_give_way(void) {
    /* on Linux this is the calling thread alone; nothing is lost where it is refused */
    if (getpriority(PRIO_PROCESS, 0) < NICENESS)
        setpriority(PRIO_PROCESS, 0, NICENESS);
}
