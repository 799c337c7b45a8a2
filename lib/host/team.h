/* Threads that divide a caller's jobs into equal parts: thread i takes part i of every job, so that what it
 * has touched before is still in its processor's cache. For jobs of some microseconds that come one after
 * another; lib/host/thread_pool.h is for larger ones, whose cells any thread takes.
 *
 * The caller takes every part that its thread has not begun yet. So nobody waits for a thread that sleeps or
 * that the scheduler holds back, unless it is in the midst of its part. In a child of fork() the caller takes
 * all parts. */
#ifndef LAVA_HOST_TEAM_H
#define LAVA_HOST_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LAVA_TEAM_MAX 16 /* including the caller */

/* Runs a part of a job. Called by several threads at once, for different parts. */
typedef void lava_team_part(const void *job, unsigned part, unsigned parts);

/* On a cache line of its own, because its thread looks at it often. */
struct lava_team_place {
    _Alignas(64) _Atomic uint32_t taken; /* the last job whose part was taken */
};

/* One caller at a time. The first three fields are the caller's; the others must be zero at first. */
struct lava_team {
    const char *name; /* of the threads, at most 15 characters */
    unsigned threads; /* including the caller, at most LAVA_TEAM_MAX */
    int spins;        /* spin iterations before a thread sleeps */

    bool started;   /* creation was tried */
    unsigned parts; /* of every job: the threads that exist, and the caller */
    pid_t owner;    /* process that created the threads */
    pthread_t thread[LAVA_TEAM_MAX - 1];
    atomic_uint joined; /* threads that have taken their number */
    atomic_bool quit;

    lava_team_part *function;
    const void *job;
    _Atomic uint32_t number; /* of the job; threads sleep on it */
    atomic_uint sleeping;
    _Atomic uint32_t left; /* parts beside the caller's own that have not returned */
    struct lava_team_place places[LAVA_TEAM_MAX];
};

/* Creates the threads, if that was not tried before. */
void lava_team_open(struct lava_team *team);
/* Has function called for every part, and returns when all calls have returned. Returns false, with nothing
 * called, if there are no threads. */
bool lava_team_run(struct lava_team *team, lava_team_part *function, const void *job);

/* Joins the threads, if they are of this process. For tests: the library's sleep until the process ends. */
void lava_team_end(struct lava_team *team);

#endif
