/* Starts the library's threads, and says how they share processors with the program's. A new thread inherits
 * its mask of signals, so the caller's is changed only while the thread is created. */
#include "lib/base/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>

/* A thread of this niceness gets a tenth of a processor beside one of the program's. With 19 it is never done
 * while all processors work. */
#define NICENESS 10

/* More threads than begin at the same time. In a child of fork() places stay taken whose threads were
 * beginning in the parent. */
#define PLACES 256

/* What a new thread does. The place is free again as soon as the thread has a copy. It is not allocated,
 * because a thread that calls free() gets an arena of its own, with 64 MiB of addresses; a copy thread never
 * needs one. */
struct beginning {
    char name[LAVA_THREAD_NAME_BYTES];
    void *(*function)(void *);
    void *argument;
};
static struct place {
    atomic_bool is_taken;
    struct beginning beginning;
} places[PLACES];

static struct place *take_place(void) {
    for (int i = 0; i < PLACES; i++)
        if (!atomic_exchange(&places[i].is_taken, true))
            return &places[i];
    return NULL;
}

static void *begin(void *argument) {
    struct place *place = argument;
    const struct beginning beginning = place->beginning;
    atomic_store(&place->is_taken, false);
    pthread_setname_np(pthread_self(), beginning.name);
    return beginning.function(beginning.argument);
}

static bool create_at(struct place *place, pthread_t *thread, size_t stack_bytes) {
    pthread_attr_t attributes;
    int error = -1;
    if (stack_bytes > 0 && pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, stack_bytes);
        error = pthread_create(thread, &attributes, begin, place);
        pthread_attr_destroy(&attributes);
    }
    /* A program with much thread-local storage needs the default size, because that storage is on the
     * stack. */
    if (error)
        error = pthread_create(thread, NULL, begin, place);
    return error == 0;
}

static bool create(pthread_t *thread, size_t stack_bytes, const struct beginning *beginning) {
    struct place *place = take_place();
    if (!place)
        return false;
    place->beginning = *beginning;
    bool created = create_at(place, thread, stack_bytes);
    if (!created)
        atomic_store(&place->is_taken, false);
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
