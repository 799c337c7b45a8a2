/* Starts the library's threads, waits for the ends of those that have done their work, and says how they
 * share processors with the program's. A new thread inherits its mask of signals, so the caller's is changed
 * only while the thread is created. */
#include "lib/base/thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A thread of this niceness gets a tenth of a processor beside one of the program's. With 19 it is never done
 * while all processors work. */
#define NICENESS 10

/* More threads than begin at the same time. In a child of fork() places stay taken whose threads were
 * beginning in the parent. */
#define PLACES 256

/* Threads of lava_thread_start that can be told apart at once. One that finds no track is detached: nobody
 * waits for its end. */
#define TRACKS 64

enum track_state { TRACK_FREE, TRACK_TAKEN, TRACK_ENDS, TRACK_JOINS };
/* The track of a thread: taken from its start until it was joined. In a child of fork() the tracks are of
 * threads that do not exist. */
static struct track {
    _Atomic int state; /* one of enum track_state */
    pid_t owner;
    pthread_t thread; /* set by the thread itself */
} tracks[TRACKS];
static _Thread_local struct track *own_track;

/* What a new thread does. The place is free again as soon as the thread has a copy. It is not allocated,
 * because a thread that calls free() gets an arena of its own, with 64 MiB of addresses; a copy thread never
 * needs one. */
struct beginning {
    char name[LAVA_THREAD_NAME_BYTES];
    void *(*function)(void *);
    void *argument;
    struct track *track; /* NULL: it has none */
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
    own_track = beginning.track;
    if (own_track)
        own_track->thread = pthread_self();
    void *result = beginning.function(beginning.argument);
    lava_thread_ends();
    return result;
}

void lava_thread_ends(void) {
    if (own_track)
        own_track->state = TRACK_ENDS;
    own_track = NULL;
}

/* Returns false if the thread has not ended by then; deadline NULL: now. One thread at a time joins it. */
static bool join_by(struct track *track, const struct timespec *deadline) {
    int ends = TRACK_ENDS;
    while (!atomic_compare_exchange_strong(&track->state, &ends, TRACK_JOINS)) {
        if (ends != TRACK_JOINS)
            return true;
        if (!deadline)
            return false;
        sched_yield(); /* a thread that is being started has looked, and waits for nothing */
        ends = TRACK_ENDS;
    }
    bool is_own = track->owner == getpid();
    int error = !is_own    ? 0
                : deadline ? pthread_timedjoin_np(track->thread, NULL, deadline)
                           : pthread_tryjoin_np(track->thread, NULL);
    track->state = is_own && !error ? TRACK_FREE : TRACK_ENDS;
    return !error;
}

static bool join_all(const struct timespec *deadline) {
    bool all = true;
    for (int i = 0; i < TRACKS; i++)
        all = join_by(&tracks[i], deadline) && all;
    return all;
}

/* A thread that is cancelled in a join would leave its track for good. */
bool lava_thread_settle(const struct timespec *deadline) {
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    bool all = join_all(deadline);
    pthread_setcancelstate(cancel_state, NULL);
    return all;
}

static struct track *take_track(void) {
    join_all(NULL);
    for (int i = 0; i < TRACKS; i++) {
        int is_free = TRACK_FREE;
        if (!atomic_compare_exchange_strong(&tracks[i].state, &is_free, TRACK_TAKEN))
            continue;
        tracks[i].owner = getpid();
        return &tracks[i];
    }
    return NULL;
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

static unsigned start_all(pthread_t *threads, unsigned count, size_t stack_bytes,
                          const struct beginning *beginning) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    sigset_t all, before;
    unsigned created = 0;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (created < count && create(&threads[created], stack_bytes, beginning))
        created++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}

unsigned lava_thread_start_team(const char *name, pthread_t *threads, unsigned count, size_t stack_bytes,
                                void *(*function)(void *), void *argument) {
    struct beginning wanted = {.function = function, .argument = argument};
    memcpy(wanted.name, name, strnlen(name, sizeof wanted.name - 1));
    return start_all(threads, count, stack_bytes, &wanted);
}

bool lava_thread_start(const char *name, void *(*function)(void *), void *argument) {
    struct beginning wanted = {.function = function, .argument = argument, .track = take_track()};
    pthread_t thread;
    memcpy(wanted.name, name, strnlen(name, sizeof wanted.name - 1));
    bool started = start_all(&thread, 1, 0, &wanted) == 1;
    if (started && !wanted.track)
        pthread_detach(thread);
    if (!started && wanted.track)
        wanted.track->state = TRACK_FREE;
    return started;
}

void lava_thread_give_way(void) {
    /* on Linux this is the calling thread alone; nothing is lost if it is refused */
    if (getpriority(PRIO_PROCESS, 0) < NICENESS)
        setpriority(PRIO_PROCESS, 0, NICENESS);
}

bool lava_thread_is_on_other_stack(void) {
    stack_t stack;
    return sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_ONSTACK);
}
