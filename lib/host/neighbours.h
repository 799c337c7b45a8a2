/* Tells whether other threads of the process keep the processors busy: a CPU BLAS's threads spin for up to
 * 0.1 s after each of its products. Copy threads that do not know of them hardly run. */
#ifndef LAVA_HOST_NEIGHBOURS_H
#define LAVA_HOST_NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

/* Who looks. Zero-initialized, it has not looked yet. One thread at a time. */
struct lava_neighbours {
    uint64_t wall_ns, process_ns, own_ns; /* when it began to look */
    uint64_t looked_ns;                   /* when it last found out */
    uint32_t disturbances;                /* seen by then */
    bool is_looking;
};

/* Returns whether it is time for another look: not if the last one was a moment ago and nothing is known to
 * have happened since. A look takes some 50 us where the process has many threads. */
bool lava_neighbours_may_have_changed(const struct lava_neighbours *look);
/* Begins to look. own_ns is the processor time that its own threads but the caller have had so far, read
 * right before; so below. */
void lava_neighbours_begin(struct lava_neighbours *look, uint64_t own_ns);
/* Returns whether threads other than its own and the caller have run on more than a quarter of the
 * processors since then. At least LAVA_NEIGHBOURS_LEAST_NS must have gone by. */
#define LAVA_NEIGHBOURS_LEAST_NS 3000
bool lava_neighbours_are_busy(struct lava_neighbours *look, uint64_t own_ns);

/* Says that other threads may have begun to run: the CPU BLAS has multiplied. Any thread. */
void lava_neighbours_disturb(void);

#endif
