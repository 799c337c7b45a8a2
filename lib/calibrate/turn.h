/* What microbenchmarks share: turns, the matrices, and how work on the CPU is timed. */
#ifndef LAVA_CALIBRATE_TURN_H
#define LAVA_CALIBRATE_TURN_H

#include "lib/calibrate/microbenchmark.h"

/* No product is run more often. */
#define LAVA_TURN_RUNS_MOST 64

/* Allocates the matrices, if they are not there. Returns false where there is no memory. */
bool lava_turn_allocate(struct lava_microbenchmark *benchmark);

/* As begin and end of the microbenchmark. begin also returns false once the limit of time is reached. */
bool lava_turn_begin(struct lava_microbenchmark *benchmark, struct lava_engine **engine);
bool lava_turn_end(struct lava_microbenchmark *benchmark, struct lava_engine *engine);

/* What is timed. `prepare`, which is not, comes before each run; NULL: nothing does. */
struct lava_turn_work {
    void (*prepare)(const struct lava_microbenchmark *benchmark, void *context);
    void (*run)(const struct lava_microbenchmark *benchmark, void *context);
    void *context;
};
/* Takes the best time of several turns, each of at least two runs. SKIPPED: it was never twice the same, and
 * *ns is as before. */
enum lava_microbenchmark_outcome lava_turn_time_on_cpu(struct lava_microbenchmark *benchmark,
                                                       const struct lava_turn_work *work, double *ns);

#endif
