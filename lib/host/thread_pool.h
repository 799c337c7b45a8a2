/* Threads that share a caller's job: cells of a copy (copy_pool.c), columns to convert (half.c). They are
 * created at the first job that is large enough and end in lava_thread_pool_end. If none can be created, and
 * in a child of fork(), the caller does everything. All signals except those that a thread raises itself are
 * blocked in them. */
#ifndef LAVA_HOST_THREAD_POOL_H
#define LAVA_HOST_THREAD_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LAVA_THREAD_POOL_MAX 64

/* Runs one cell of a job. Called by several threads at once, for different cells. */
typedef void lava_thread_pool_cell(void *context, int64_t cell);

/* Owned by the caller, and used by one thread at a time. The caller fills in the fields up to `exclusive`;
 * the others must be zero at first and belong to the functions below. */
struct lava_thread_pool {
    const char *name; /* of the threads, at most 15 characters */
    unsigned threads; /* including the caller; at most LAVA_THREAD_POOL_MAX are used */
    int spins;        /* spin iterations before a thread blocks */
    _Atomic pid_t
        *exclusive; /* not NULL: among pools that share this variable, only one per process has threads */

    unsigned created; /* threads that exist */
    bool started;     /* creation was tried */
    bool claimed;     /* this pool has claimed *exclusive */
    pid_t owner;      /* process that created the threads; they do not exist in a child of fork() */
    pthread_t thread[LAVA_THREAD_POOL_MAX - 1];

    lava_thread_pool_cell *function; /* the current job */
    void *context;
    int64_t cells;
    _Atomic int64_t next_cell;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;  /* a new job, or quit */
    pthread_cond_t done;  /* busy became 0 */
    bool open;            /* threads may join the current job */
    bool quit;
    /* changed under the lock; spinning threads read them without it */
    atomic_uint jobs; /* number of jobs so far, so that a thread joins each once */
    atomic_uint busy; /* threads working on the current job */
};

/* Calls function for 0 ... cells - 1, in any order, and returns when all calls have returned. The caller runs
 * a job of one cell alone. No cancellation point while threads are working. */
void lava_thread_pool_run(struct lava_thread_pool *team, lava_thread_pool_cell *function, void *context,
                          int64_t cells);
/* Joins the threads. Returns false in a child of fork(). The pool must then be left as it is: its lock may be
 * held by a thread that does not exist there. */
bool lava_thread_pool_end(struct lava_thread_pool *team);

#endif
