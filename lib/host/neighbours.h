/* Tells whether other threads of the process keep the processors busy: a CPU BLAS's threads spin for up to
 * 0.1 s after each of its products. Copy threads that do not know of them hardly run. Any thread. */
#ifndef LAVA_HOST_NEIGHBOURS_H
#define LAVA_HOST_NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

/* A look at the clocks. */
struct lava_neighbours {
    uint64_t wall_ns, process_ns;
};

void lava_neighbours_begin(struct lava_neighbours *look);
/* Returns whether, since then, threads other than `own` have run on more than half of the processors. Waits
 * until some microseconds have gone by. */
bool lava_neighbours_are_busy(const struct lava_neighbours *look, unsigned own);

#endif
