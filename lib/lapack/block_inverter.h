/* Runs the plan of an inverse by block columns, ?trtri, ?lauum, ?potri or ?getri, of a matrix that does not
 * fit the device. One user of an engine at a time, as for lib/product/runner.h: lib/offload sees to that. */
#ifndef LAVA_LAPACK_BLOCK_INVERTER_H
#define LAVA_LAPACK_BLOCK_INVERTER_H

#include "lib/product/runner.h"

/* plan->place must be GPU, and plan->columns have a width. C is overwritten block column by block column,
 * each when the host has all of it. *progress says, also on failure, how many whole columns were, and, of
 * inverses by a factor, in which of both steps. Then the CPU can go on (lib/host/cpu_inverse.h).
 * LAVA_ERROR_DEVICE_MEMORY: narrower ones may fit. On failure the device is idle again or marked as failed.
 */
enum lava_status lava_block_inverter_run(struct lava_engine *engine, const struct lava_operation *operation,
                                         const struct lava_plan *plan, struct lava_progress *progress);

#endif
