/* Runs a plan: streams a product through the device, block by block.
 *
 *     upload + pack A, once per row block          B, once per block         (transfer.c)
 *     multiply, in dispatches of a fraction of a second, then finish         (stages.c)
 *     download and merge a block where its place is needed, or at the end    (transfer.c)
 *
 * C is written by the merge alone, from finished data. Whatever fails leaves a record of what is merged, and
 * the caller of the engine computes the rest on the CPU. One user at a time: lib/offload/offload holds the
 * lock. */
#ifndef LAVA_ENGINE_ENGINE_H
#define LAVA_ENGINE_ENGINE_H

#include "dispatch/policy.h"
#include "lib/engine/transfer.h"

struct lava_engine {
    struct lava_device *device; /* owned */
    struct lava_arena arena;
    struct lava_copy_pool *pool;
    struct lava_capabilities capabilities; /* the device's, less what the engine itself takes of its memory */
};

/* Takes the device over, also on failure. copy_threads counts the caller. */
enum lava_status lava_engine_create(struct lava_device *device, unsigned copy_threads,
                                    struct lava_engine **engine);
/* NULL is allowed. Frees nothing where the device does not come to rest. Not called in a normal exit: see
 * lib/offload/process.c. */
void lava_engine_destroy(struct lava_engine *engine);

/* Gives all its memory back, on the device and staging; the next run takes it again. The device is idle and
 * the caller its one user. */
void lava_engine_release(struct lava_engine *engine);

/* What of C is merged: all columns of the rows before `row`; of the `rows` rows from there on, the columns
 * before `column`, and of that column the first `partial` rows. */
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

/* How long a wait may last from now on, where the device is expected to take so long for what is waited for.
 */
void lava_engine_expect(struct lava_engine *engine, double seconds);

/* The pipelines a kernel needs, made now rather than in a call. */
enum lava_status lava_engine_prepare(struct lava_engine *engine, const struct lava_kernel *kernel);

#endif
