/* Runs the plan of a solve with a triangular matrix, ?trsm, from host memory to host memory. One user of an
 * engine at a time, as for lib/product/runner.h: lib/offload sees to that. */
#ifndef LAVA_LAPACK_SOLVER_H
#define LAVA_LAPACK_SOLVER_H

#include "lib/product/runner.h"

/* plan->place must be GPU. C's right-hand sides become X chunk by chunk, or its unknowns band by band, each
 * after it has been solved for. Sets *progress also on failure: to whole columns of one chunk or band of rows
 * of C, in the orders that lava_operation_descends and lava_operation_climbs tell. So the CPU can go on.
 * LAVA_ERROR_DEVICE_MEMORY: smaller chunks may fit; nothing was written then, unless *progress says so. On
 * failure the device is idle again or marked as failed. */
enum lava_status lava_solver_run(struct lava_engine *engine, const struct lava_operation *operation,
                                 const struct lava_plan *plan, struct lava_progress *progress);

#endif
