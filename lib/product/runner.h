/* Runs a plan, task by task of its program (dispatch/program.h). lava_runner_run streams a product through
 * the device: only the wait tasks write C, from finished data; a failure leaves a record of what is written,
 * and the caller computes the rest on the CPU. lava_runner_add works on matrices on the device and updates C
 * there. One user of an engine at a time: lib/offload sees to that. */
#ifndef LAVA_PRODUCT_RUNNER_H
#define LAVA_PRODUCT_RUNNER_H

#include "dispatch/policy.h"
#include "dispatch/program.h"
#include "lib/engine/engine.h"
#include "lib/transport/stream.h"

struct lava_left_tiles;

/* The written part of C's region: all columns of the rows before `row`. In the next `rows` rows: the columns
 * before `column`, and the first `partial` rows of that column. If the operation descends, `column` columns
 * are written from the last one on; if it climbs, rows count from the last one on. Of C Q,
 * and of inverses by a factor, none or all columns are written. */
struct lava_progress {
    int64_t row, rows, column, partial;
    int64_t products; /* of a batch: the first ones, whole; the rest does not count then */
    int64_t sides;    /* right-hand sides of systems that are X; all of C is written then */
    bool by_columns;  /* of a factorization: columns that are not written are as they were, and have no pivots
                       * yet; else a column is written when all of the factor is known */
    /* Tiles whose products the written part lacks (lib/product/left_tiles.h); NULL: none. The caller adds
     * them, and frees this (lava_complete_left_tiles). */
    struct lava_left_tiles *left;
    int64_t blocks; /* of a share: the first blocks in its own order, whole. In the next one those of C's
                     * columns before `column`, and the first `partial` of its rows in that column, or of a
                     * batch its first `products`; row and rows do not count then */
};

/* Device time of one run, for benchmarks. With repeat > 1 each block is computed and timed that many times,
 * with the same result unless K is cut into panels. */
struct lava_timing {
    uint32_t repeat;
    uint64_t pack_ns, multiply_ns, epilogue_ns; /* multiply and epilogue: of one repetition */
};

/* plan->place must be GPU. timing may be NULL. Sets *progress also on failure. On failure the device is idle
 * again or marked as failed. */
enum lava_status lava_runner_run(struct lava_engine *engine, const struct lava_operation *operation,
                                 const struct lava_plan *plan, struct lava_progress *progress,
                                 struct lava_timing *timing);

/* A run's place among those of other engines that share the product. */
struct lava_runner_member {
    unsigned number;     /* 0: it looks after C's pages */
    bool shares_staging; /* they have lib/engine/shared_staging.h's slots */
};
/* Runs the blocks that the share gives, beside the other members. */
enum lava_status lava_runner_run_share(struct lava_engine *engine, const struct lava_operation *operation,
                                       const struct lava_plan *plan, const struct lava_program_share *share,
                                       const struct lava_runner_member *member,
                                       struct lava_progress *progress);

/* Makes room for the plan's blocks, waiting for the device if buffers must be replaced.
 * LAVA_ERROR_DEVICE_MEMORY: smaller blocks may fit; the stream is as before. */
enum lava_status lava_runner_reserve(struct lava_stream *stream, const struct lava_plan *plan);
/* Adds an operation on matrices that are on the device to a stream that has room. On failure some of it may
 * have been added, and C is undefined. */
enum lava_status lava_runner_add(struct lava_stream *stream, const struct lava_operation *operation,
                                 const struct lava_plan *plan);
/* Adds C <- beta C to a stream, for an operation that multiplies nothing. */
enum lava_status lava_runner_scale(struct lava_stream *stream, const struct lava_operation *operation);

#endif
