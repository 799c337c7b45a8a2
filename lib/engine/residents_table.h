/* What the files of the store share, residents.c, resident_making.c and residents_list.c: the table, its
 * lock, and what is done under it. Invariants are in residents.c. */
#ifndef LAVA_ENGINE_RESIDENTS_TABLE_H
#define LAVA_ENGINE_RESIDENTS_TABLE_H

#include <pthread.h>
#include <stdatomic.h>

#include "dispatch/residency.h"
#include "lib/base/calm.h"
#include "lib/engine/resident_copy.h"
#include "lib/engine/sights.h"
#include "lib/vk/device_set.h"

/* Matrices that are remembered. */
#define LAVA_RESIDENTS_SEEN 64
/* A look waits for others this long, and then does without a copy. */
#define LAVA_RESIDENTS_LOOK_NS 100000000
/* A thread that has to tell something waits longer. If another one has had the lock for this long, it may
 * never give it back: a handler of SIGSEGV jumped out of a look. Then nothing stays any more, and looks do
 * not wait. */
#define LAVA_RESIDENTS_STUCK_NS UINT64_C(10000000000)

struct lava_seen {
    struct lava_host_matrix matrix; /* first NULL: the place is empty */
    struct lava_residency rule;
    uint64_t last; /* number of the last look */
    struct lava_sights sights;
    const char *refusal;  /* why it gets no copy; NULL: it may */
    const char *gone;     /* why its last copy went */
    double rent_ns;       /* of one use of the whole matrix */
    uint64_t calls, uses; /* without a copy, and of copies that later calls found */
    double saved_ns;
    uint64_t written_bytes; /* by the program while it had its last copy, as far as looks have found */
    bool is_making;         /* a call makes a copy */
    struct lava_resident *copy;
};

/* A device that has copies. */
struct lava_home {
    _Atomic(const struct lava_device_shared *) device; /* NULL: the place is free */
    _Atomic uint64_t bytes;      /* of all buffers: those of the dead, and those being made, too */
    _Atomic uint64_t held_bytes; /* of those that calls have */
    struct lava_resident *dead;
};

struct lava_residents {
    pthread_mutex_t lock;
    _Atomic uint64_t locked_since_ns; /* 0: it is not locked */
    enum lava_resident_use use;
    unsigned devices;                   /* that have the table */
    uint64_t most_bytes, looks, copies; /* on each device; that were made */
    bool is_distrusted;                 /* the kernel told nothing of a write, or a copy differed */
    struct lava_residents_sums sums;
    struct lava_seen seen[LAVA_RESIDENTS_SEEN];
    struct lava_home homes[LAVA_DEVICE_SET_MAX];
};

/* Signals wait until the thread unlocks. Returns false if it did not get the lock in time. */
bool lava_residents_lock(struct lava_residents *residents, uint64_t ns, struct lava_calm *calm);
void lava_residents_unlock(struct lava_residents *residents, const struct lava_calm *calm);

/* The caller has the lock. */

/* Returns what is remembered of a matrix, or NULL. */
struct lava_seen *lava_residents_find(struct lava_residents *residents,
                                      const struct lava_host_matrix *matrix);
/* Takes the matrix's copy out of the table. in_vain: as in lava_residency_forget. */
void lava_residents_forget(struct lava_seen *seen, bool in_vain);
/* Gives the call the copy, and what is stale of its block to that call alone. */
void lava_residents_begin_use(struct lava_resident *copy, const struct lava_host_matrix *matrix,
                              struct lava_resident_hold *hold);

/* Returns the device's home; NULL if it has none, and all places are taken. */
struct lava_home *lava_residents_home(struct lava_residents *residents, const struct lava_device *device);

/* The caller does not have the lock. */

/* Returns a dead copy with a buffer of this size, or of any size for 0; NULL if there is none. */
struct lava_resident *lava_residents_take_dead(struct lava_residents *residents, struct lava_home *home,
                                               uint64_t bytes);
/* Frees the device's dead copies. Returns whether there were any. */
bool lava_residents_bury(struct lava_residents *residents, struct lava_device *device);
/* Makes a copy of a matrix that has none, in use. */
bool lava_residents_make(struct lava_residents *residents, struct lava_device *device,
                         const struct lava_host_matrix *matrix, struct lava_resident_hold *hold);

#endif
