/* Tells whether other threads of the process keep the processors busy: a CPU BLAS's threads spin for up to
 * 0.1 s after each of its products. Copy threads that do not know of them hardly run. */
#ifndef LAVA_HOST_NEIGHBOURS_H
#define LAVA_HOST_NEIGHBOURS_H

#include <stdbool.h>
#include <stdint.h>

/* Who looks. Zero-initialized, it has not looked yet. One thread at a time. */
struct lava_neighbours {
    uint64_t wall_ns, process_ns; /* when it began to look */
    uint64_t looked_ns;           /* when it last found out */
    uint32_t disturbances;        /* seen by then */
    bool is_looking;
};

/* Begins to look, unless it did a moment ago and nothing is known to have happened since: a look takes 30 us
 * where the process has many threads. Nor while several of its own threads are awake, `own`: they share the
 * processors with the others, and nobody knows how. */
void lava_neighbours_begin(struct lava_neighbours *look, unsigned own);
/* Sets *busy to whether threads other than the caller have run on more than half of the processors since
 * then. Waits until some microseconds have gone by. Returns false, and sets nothing, where it did not begin
 * to look: the last answer still holds. */
bool lava_neighbours_end(struct lava_neighbours *look, bool *busy);

/* Says that other threads may have begun to run: the CPU BLAS has multiplied. Any thread. */
void lava_neighbours_disturb(void);

#endif
