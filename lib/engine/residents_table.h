/* The table that lib/engine/residents.c keeps, and residents_list.c reads. No one else knows it. */
#ifndef LAVA_ENGINE_RESIDENTS_TABLE_H
#define LAVA_ENGINE_RESIDENTS_TABLE_H

#include <pthread.h>

#include "dispatch/residency.h"
#include "lib/base/calm.h"
#include "lib/base/clock.h"
#include "lib/engine/resident_copy.h"
#include "lib/engine/sights.h"

/* Matrices that are remembered. */
#define SEEN 64
/* A look waits for others this long, and then does without a copy. */
#define LOOK_NS 100000000
/* Who has to tell something waits longer. After that the thread that had the lock is no more: a handler of
 * SIGSEGV jumped out of a look. Then nothing stays any more. */
#define STUCK_NS UINT64_C(10000000000)

struct seen {
    struct lava_host_matrix matrix; /* first NULL: the place is empty */
    struct lava_residency rule;
    uint64_t last; /* number of the last look */
    struct lava_sights sights;
    const char *refusal;  /* why it gets no copy; NULL: it may */
    const char *gone;     /* why its last copy went */
    double rent_ns;       /* of one use of the whole matrix */
    uint64_t calls, uses; /* without a copy, and of copies that later calls found */
    double saved_ns;
    bool is_making; /* a call makes a copy */
    struct lava_resident *copy;
};

struct lava_residents {
    pthread_mutex_t lock;
    _Atomic bool is_stuck; /* nobody gets the lock any more */
    enum lava_resident_use use;
    uint64_t most_bytes, looks, copies; /* that were made */
    _Atomic uint64_t bytes;             /* of all buffers: those of the dead, and those being made, too */
    bool is_distrusted;                 /* the kernel told nothing of a write, or a copy differed */
    struct lava_residents_sums sums;
    struct seen seen[SEEN];
    struct lava_resident *dead;
};

/* Signals wait until the thread unlocks. Returns false if it did not get the lock in time. */
static inline bool lock(struct lava_residents *residents, uint64_t ns, struct lava_calm *calm) {
    const struct timespec until = lava_clock_deadline(ns);
    *calm = lava_calm_down();
    if (!residents->is_stuck && pthread_mutex_timedlock(&residents->lock, &until) == 0)
        return true;
    if (ns >= STUCK_NS)
        residents->is_stuck = true;
    lava_calm_end(calm);
    return false;
}

static inline void unlock(struct lava_residents *residents, const struct lava_calm *calm) {
    pthread_mutex_unlock(&residents->lock);
    lava_calm_end(calm);
}

#endif
