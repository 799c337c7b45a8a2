/* Runs a plan: streams a product through the device, task by task of its program (dispatch/program.h). C is
 * written by the waits alone, from finished data. Whatever fails leaves a record of what is written, and the
 * caller computes the rest on the CPU. One user at a time: lib/offload holds the lock. */
#ifndef LAVA_ENGINE_RUNNER_H
#define LAVA_ENGINE_RUNNER_H

#include "dispatch/policy.h"
#include "lib/engine/engine.h"

/* What of C's region is written: all columns of the rows before `row`; in the `rows` rows from there on, the
 * columns before `column`, and in that column the first `partial` rows. */
struct lava_progress {
    int64_t row, rows, column, partial;
};

/* Device time of one run, for benchmarks. repeat > 1 computes each block that many times (timed; the same
 * result, unless K is cut into panels). */
struct lava_timing {
    uint32_t repeat;
    uint64_t pack_ns, multiply_ns, epilogue_ns; /* the last two of one repetition */
};

/* plan->place is GPU. timing may be NULL. On failure the device is idle again or marked as failed. */
enum lava_status lava_runner_run(struct lava_engine *engine, const struct lava_problem *problem,
                                 const struct lava_plan *plan, struct lava_progress *progress,
                                 struct lava_timing *timing);

#endif
