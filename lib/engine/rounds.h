/* Runs a batch on the device, round by round. Called by lib/blas/batch.c under the engine's lock. */
#ifndef LAVA_ENGINE_ROUNDS_H
#define LAVA_ENGINE_ROUNDS_H

#include "dispatch/batches.h"
#include "lib/blas/batch.h"

/* Sets *finished to the number of products, counted from the first, whose C is written. The other products
 * are untouched, whatever the status. timing may be NULL; its multiply_ns is the sum of all rounds. Rounds
 * are shorter than planned if the engine has less staging memory. On failure the device is idle again or
 * marked as failed. */
enum lava_status lava_rounds_run(struct lava_engine *engine, const struct lava_batch *batch,
                                 const struct lava_batch_plan *plan, int64_t *finished,
                                 struct lava_timing *timing);

#endif
