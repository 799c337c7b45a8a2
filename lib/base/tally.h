/* Counts the calls below the cut-off, and the calls under another one, if statistics are wanted. Calls
 * below the cut-off are counted exactly, but only one in some 64 is timed: a clock costs as much as such a
 * call. Any thread may call these functions; a begun call ends in the thread that began it. */
#ifndef LAVA_BASE_TALLY_H
#define LAVA_BASE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dispatch/policy.h"
#include "lib/base/routines.h"

/* A small call that goes on. */
struct lava_tally_call {
    struct lava_tally_cell *cell; /* NULL: it is not small, or under another one */
    struct lava_tally_pair *pair; /* NULL: it is not small, or not under another one */
    uint64_t start_ns;            /* 0: it is not timed */
    uint64_t flops, bytes;        /* the caller sets them */
};

struct lava_tally_sum {
    uint64_t calls, timed, elapsed_ns; /* elapsed_ns is estimated if fewer than all calls were timed */
    uint64_t flops, bytes;
};

/* A thread's outermost call, and what it has counted. */
struct lava_tally_thread {
    uintptr_t frame; /* of the outermost call; 0: none */
    enum lava_routine routine;
    struct lava_tally_shard *shard; /* NULL: none yet */
};

/* Notes that a call begins whose struct is there on the thread's stack; lava_tally_leave forgets it. The
 * outermost one counts, unless it was left without an end: then one at the same height or above takes its
 * place. Returns the calling thread's. */
struct lava_tally_thread *lava_tally_enter(uintptr_t frame, enum lava_routine routine);
static inline void lava_tally_leave(struct lava_tally_thread *thread, uintptr_t frame) {
    if (thread->frame == frame)
        thread->frame = 0;
}
/* Returns the routine of the call that this one is under; LAVA_ROUTINE_COUNT: it is the outermost. */
enum lava_routine lava_tally_outer(uintptr_t frame);

/* Begins a small call of the class of sizes (sizes.h), whose struct is at the frame. Returns false if
 * there is no memory: it is counted as others are. */
bool lava_tally_begin(struct lava_tally_call *call, enum lava_routine routine, uintptr_t frame, int size);
/* Returns what the call took; what the last timed one of its kind took, if it was not timed. */
uint64_t lava_tally_end(const struct lava_tally_call *call);
/* Returns the small outermost calls of a routine and class of sizes. */
struct lava_tally_sum lava_tally_sum(enum lava_routine routine, int size);

/* What calls under another one sum up to, by both routines and the place. Their time and work are parts of
 * the outer calls'. */
struct lava_tally_under {
    enum lava_routine outer, routine;
    enum lava_place place;
    uint64_t calls, timed, elapsed_ns, flops;
    uint64_t cpu_ns; /* of calls on the GPU: what the CPU was estimated to take */
};
/* Counts one that is not small. */
void lava_tally_count_under(enum lava_routine outer, enum lava_routine routine, enum lava_place place,
                            uint64_t elapsed_ns, double flops, double cpu_ns);
/* Reads one after the other: *index is 0 at first. Returns false at the end. */
bool lava_tally_next_under(size_t *index, struct lava_tally_under *under);

/* Forgets all. Called in a child of fork(), which has one thread. */
void lava_tally_reset(void);

#endif
