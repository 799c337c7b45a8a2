/* Threads that share a caller's jobs: cells of a copy (copy_pool.c), columns to convert (half.c). They are
 * created at the first job that is large enough and end in lava_thread_pool_end. If none can be created, and
 * in a child of fork(), the caller does everything. All signals except those that a thread raises itself are
 * blocked in them.
 *
 * Jobs are queued and finish in any order: no thread waits for another at the end of a job, it goes on with
 * the next one. */
#ifndef LAVA_HOST_THREAD_POOL_H
#define LAVA_HOST_THREAD_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LAVA_THREAD_POOL_MAX  128
#define LAVA_THREAD_POOL_JOBS 32 /* unfinished at once, at most */

/* Runs one cell of a job. Called by several threads at once, for different cells. */
typedef void lava_thread_pool_cell(void *context, int64_t cell);

/* Calls of the function for 0 ... cells - 1. */
struct lava_thread_work {
    lava_thread_pool_cell *function;
    void *context;
    int64_t cells;
    const char *name; /* in the trace, static storage; NULL: it is not shown */
    uint64_t bytes;   /* of all cells, for the trace; 0: they are not counted */
};

/* A job in the queue. */
struct lava_thread_job {
    struct lava_thread_work work;
    _Atomic uint32_t cells;
    _Atomic uint32_t left; /* cells that have not returned */
};

/* A job that threads work on when nothing is queued. Nobody waits for its cells. */
struct lava_thread_spare_job {
    struct lava_thread_work work;
    _Atomic int64_t cells, next;
    atomic_uint busy; /* threads that may be in a cell */
};

/* Owned by the caller, and used by one thread at a time. The caller fills in the fields up to `exclusive`;
 * the others must be zero at first and belong to the functions below. */
struct lava_thread_pool {
    const char *name;      /* of the threads, at most 15 characters */
    unsigned threads;      /* including the caller; at most LAVA_THREAD_POOL_MAX are used */
    bool may_crowd;        /* lava_thread_pool_set_crowded is called */
    unsigned more_crowded; /* threads that work only while the pool is crowded */
    int spins;             /* spin iterations before a thread blocks */
    _Atomic pid_t
        *exclusive; /* not NULL: among pools that share this variable, only one per process has threads */

    unsigned created; /* threads that exist */
    bool started;     /* creation was tried */
    bool claimed;     /* this pool has claimed *exclusive */
    pid_t owner;      /* process that created the threads; they do not exist in a child of fork() */
    pthread_t thread[LAVA_THREAD_POOL_MAX - 1];
    atomic_uint joined; /* threads that have taken their number */

    struct lava_thread_job jobs[LAVA_THREAD_POOL_JOBS]; /* job i is in place i % LAVA_THREAD_POOL_JOBS */
    _Atomic uint32_t queued;                            /* number of jobs so far */
    _Atomic uint64_t next; /* the next cell: job in the upper half, cell in the lower half */
    struct lava_thread_spare_job spare;
    atomic_bool crowded, quit;
    /* Futexes. Threads sleep on a bell, of all or of those that work only in a crowd; the caller sleeps on
     * `ended`. */
    _Atomic uint32_t bells[2], ended;
    atomic_uint sleeping[2], waiting;
};

/* Creates the threads, unless they were. They inherit the caller's niceness. */
void lava_thread_pool_create_threads(struct lava_thread_pool *team);

/* Queues a job: its cells are run in any order, by any thread of the pool. Returns the job's number for
 * lava_thread_pool_finish, which has to be called before LAVA_THREAD_POOL_JOBS more are queued.
 *
 * In the trace, the cells that a thread runs one after the other are a span of that thread. */
uint32_t lava_thread_pool_start(struct lava_thread_pool *team, const struct lava_thread_work *work);
/* Works on the job and those before it, and returns when all its calls have returned. */
void lava_thread_pool_finish(struct lava_thread_pool *team, uint32_t job);
/* Returns whether all its calls have returned. */
bool lava_thread_pool_is_finished(const struct lava_thread_pool *team, uint32_t job);
/* Both at once. The caller runs a job of one cell alone. */
void lava_thread_pool_run(struct lava_thread_pool *team, const struct lava_thread_work *work);
/* Runs all cells by the calling thread. */
void lava_thread_pool_run_alone(const struct lava_thread_work *work);

/* Has threads work on these cells when no job is queued, until they are done or lava_thread_pool_end_spare
 * returns. There is one such job at a time. */
void lava_thread_pool_start_spare(struct lava_thread_pool *team, const struct lava_thread_work *work);
void lava_thread_pool_end_spare(struct lava_thread_pool *team);

/* Says whether other threads of the process keep the processors busy. If so, the threads of the pool are
 * bound to one processor each, more of them work, and they rest in between: they take what the scheduler
 * grants at once. No job may be queued. */
void lava_thread_pool_set_crowded(struct lava_thread_pool *team, bool crowded);

/* Returns the processor time that the threads of all pools that may crowd have had so far. Time since a
 * thread last ran out of work is not included. Any thread. */
uint64_t lava_thread_pool_all_ns(void);

/* Joins the threads. Returns false in a child of fork(). The pool must then be left as it is, because its
 * threads do not exist there. */
bool lava_thread_pool_end(struct lava_thread_pool *team);

#endif
