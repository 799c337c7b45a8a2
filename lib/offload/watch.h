/* Notices that a driver does not answer. A thread that calls a driver may wait in it for ever, and nothing
 * can end that thread. So another one watches: it asks every second whether the work has moved on, and gives
 * it up after a minute in which it has not.
 *
 * A watch belongs to one kind of work, which several threads may do. It is static storage. Any thread may
 * call these functions. */
#ifndef LAVA_OFFLOAD_WATCH_H
#define LAVA_OFFLOAD_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct lava_watch {
    /* Called once, by the watching thread with nothing locked. The threads of the work are left alone: they
     * may come back later, and must then ask lava_watch_is_given_up before they change what others read. */
    void (*give_up)(void);
    _Atomic unsigned steps; /* counts what is done */
    _Atomic int inside;     /* threads that may be in the driver */
    _Atomic bool patient;   /* the driver compiles with the processors that the program uses, too */
    _Atomic bool given_up;  /* never reset */
    pthread_mutex_t lock;   /* guards what follows */
    pthread_cond_t ended;
    int threads;  /* that do the work, or wait for their turn */
    bool watched; /* the watching thread exists */
};

#define LAVA_WATCH(function)                                                                                 \
    { .give_up = (function), .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER }

/* Starts one more thread of the work, which has that name and is watched. Returns false, with nothing begun,
 * if there is no thread for the work or to watch it. */
bool lava_watch_start(struct lava_watch *watch, const char *name, void *(*function)(void *), void *argument);
/* Called by that thread at its end. */
void lava_watch_end(struct lava_watch *watch);

/* These enclose what a thread does in the driver; elsewhere it may wait as long as it likes. */
void lava_watch_enter(struct lava_watch *watch);
void lava_watch_leave(struct lava_watch *watch);
/* Something was done. */
void lava_watch_step(struct lava_watch *watch);
/* Waits longer from here on: for a driver that compiles with the program's own processors. */
void lava_watch_be_patient(struct lava_watch *watch);

/* Returns true once the work was given up. */
bool lava_watch_is_given_up(const struct lava_watch *watch);

/* Tests make the second shorter. */
void lava_watch_set_second(unsigned ms);

#endif
