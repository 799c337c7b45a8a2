/* Threads for the length of one product, which convert operands faster than one core can. They exist between
 * the first job worth them and lava_team_end, so that a process has none between products, and neither fork()
 * nor exit() meets them. One product in a process has them at a time: a program that multiplies from many
 * threads has threads enough. */
#ifndef LAVA_CPU_TEAM_H
#define LAVA_CPU_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LAVA_TEAM_MAX 8

/* One part of a job. Called by several threads at once, for different cells. */
typedef void lava_team_cell(void *context, int64_t cell);

/* Owned by the caller, who alone calls the functions below. Its fields are theirs. */
struct lava_team {
    unsigned wanted;  /* threads, without the caller */
    unsigned created; /* of them exist */
    bool started;     /* creation was tried */
    bool claimed;     /* the process's only team is this one */
    pthread_t thread[LAVA_TEAM_MAX - 1];

    lava_team_cell *function; /* the current job */
    void *context;
    int64_t cells;
    _Atomic int64_t next_cell;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work;  /* a new job, or quit */
    pthread_cond_t done;  /* busy became 0 */
    unsigned jobs;        /* counts jobs, so that a thread takes part in each once */
    bool open;            /* the current job may be joined */
    unsigned busy;        /* threads at work on it */
    bool quit;
};

/* threads counts the caller; more than LAVA_TEAM_MAX are cut to that. Creates none yet. */
void lava_team_begin(struct lava_team *team, unsigned threads);
/* Calls function for 0 ... cells - 1, in any order; returns when all have returned. A job of one cell is the
 * caller's own. Where no thread can be created the caller does everything. */
void lava_team_run(struct lava_team *team, lava_team_cell *function, void *context, int64_t cells);
/* Joins the threads. */
void lava_team_end(struct lava_team *team);

#endif
