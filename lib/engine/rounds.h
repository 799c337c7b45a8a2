/* Runs a batch on the device, round by round. Called by lib/blas/batch.c under the engine's lock. */
#ifndef LAVA_ENGINE_ROUNDS_H
#define LAVA_ENGINE_ROUNDS_H

#include "dispatch/batches.h"
#include "lib/blas/batch.h"

/* *finished counts products whose C is written, from the first on; the others' are untouched, whatever the
 * status. timing may be NULL; its multiply_ns is the sum of all rounds. Rounds are shorter than planned where
 * the engine has less staging memory. */
enum lava_status lava_rounds_run(struct lava_engine *engine, const struct lava_batch *batch,
                                 const struct lava_batch_plan *plan, int64_t *finished,
                                 struct lava_timing *timing);

#endif
