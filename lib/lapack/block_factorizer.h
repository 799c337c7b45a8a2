/* Runs the plan of a factorization by block columns, ?potrf or ?getrf, of a matrix that does not fit the
 * device, and of solves with such factors, ?potrs, ?posv, ?getrs or ?gesv. One user of an engine at a time,
 * as for lib/product/runner.h: lib/offload sees to that. */
#ifndef LAVA_LAPACK_BLOCK_FACTORIZER_H
#define LAVA_LAPACK_BLOCK_FACTORIZER_H

#include "lib/product/runner.h"

/* plan->place must be GPU, and plan->columns have a width. C's factor is written block column by block
 * column, each when the host has all of it; then the right-hand sides, in chunks, unless U has a zero on its
 * diagonal. *progress says, also on failure, how many whole columns of both were, and that it went
 * by_columns. Then the CPU can go on (lib/host/cpu_systems.h). LAVA_ERROR_NOT_DEFINITE: a block column is
 * not, those before it were written. LAVA_ERROR_DEVICE_MEMORY: narrower ones may fit. On failure the device
 * is idle again or marked as failed. */
enum lava_status lava_block_factorizer_run(struct lava_engine *engine, const struct lava_operation *operation,
                                           const struct lava_plan *plan, struct lava_progress *progress);

#endif
