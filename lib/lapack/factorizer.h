/* Runs the plan of a factorization, ?potrf or ?getrf, and of solves with the factors, ?potrs, ?posv, ?getrs
 * or ?gesv, from host memory to host memory. One user of an engine at a time, as for lib/product/runner.h:
 * lib/offload sees to that. */
#ifndef LAVA_LAPACK_FACTORIZER_H
#define LAVA_LAPACK_FACTORIZER_H

#include "lib/product/runner.h"

/* plan->place must be GPU. C's factor is written when the device has all of it, column by column, and then
 * the right-hand sides, in the same way, unless U has a zero on its diagonal; *progress says, also on
 * failure, how many whole columns of both were. Then the CPU can go on (lib/host/cpu_systems.h).
 * LAVA_ERROR_NOT_DEFINITE: nothing was written. LAVA_ERROR_DEVICE_MEMORY: neither was it. On failure the
 * device is idle again or marked as failed. */
enum lava_status lava_factorizer_run(struct lava_engine *engine, const struct lava_operation *operation,
                                     const struct lava_plan *plan, struct lava_progress *progress);

#endif
