/* Threads that share a caller's job: parts of a copy (copy_pool.c), columns to convert (half.c). None exists
 * before the first job worth them, nor after lava_thread_pool_end; where none can be created, and in a child
 * of fork(), the caller does everything. All signals but those a thread raises itself are blocked in them. */
#ifndef LAVA_HOST_THREAD_POOL_H
#define LAVA_HOST_THREAD_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LAVA_THREAD_POOL_MAX 64

/* One part of a job. Called by several threads at once, for different cells. */
typedef void lava_thread_pool_cell(void *context, int64_t cell);

/* Owned by the caller, who alone calls the functions below. The caller fills in the first fields; the others
 * begin as zeros and are the functions'. */
struct lava_thread_pool {
    const char *name; /* of the threads, 15 characters */
    unsigned threads; /* the caller included; no more than LAVA_THREAD_POOL_MAX are used */
    int spins;        /* how often they look for the next job before they sleep */
    _Atomic pid_t
        *exclusive; /* not NULL: of the teams with this one, a process has threads for one at a time */

    unsigned created; /* threads that exist */
    bool started;     /* creation was tried */
    bool claimed;     /* *exclusive is this team's */
    pid_t owner;      /* in a child of fork() the threads do not exist */
    pthread_t thread[LAVA_THREAD_POOL_MAX - 1];

    lava_thread_pool_cell *function; /* the current job */
    void *context;
    int64_t cells;
    _Atomic int64_t next_cell;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;  /* a new job, or quit */
    pthread_cond_t done;  /* busy became 0 */
    bool open;            /* the current job may be joined */
    bool quit;
    /* changed under the lock, read also without it by who spins */
    atomic_uint jobs; /* counts jobs, so that a thread takes part in each once */
    atomic_uint busy; /* threads at work on the current one */
};

/* Calls function for 0 ... cells - 1, in any order; returns when all have returned. A job of one cell is the
 * caller's own. No cancellation point while threads are at work. */
void lava_thread_pool_run(struct lava_thread_pool *team, lava_thread_pool_cell *function, void *context,
                          int64_t cells);
/* Joins the threads. False in a child of fork(), where the team must be left as it is: its lock may be held
 * by a thread that is not there. */
bool lava_thread_pool_end(struct lava_thread_pool *team);

#endif
