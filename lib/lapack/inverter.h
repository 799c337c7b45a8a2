/* Runs the plan of an inverse, ?trtri, ?lauum, ?potri or ?getri, from host memory to host memory. One user of
 * an engine at a time, as for lib/product/runner.h: lib/offload sees to that. */
#ifndef LAVA_LAPACK_INVERTER_H
#define LAVA_LAPACK_INVERTER_H

#include "lib/product/runner.h"

/* plan->place must be GPU. C's inverse is written when the device has all of it, column by column; *progress
 * says, also on failure, how many whole columns were. Then the CPU can go on (lib/host/cpu_inverse.h): of
 * inverses by a factor, none or all columns are written. LAVA_ERROR_DEVICE_MEMORY: nothing was. On failure
 * the device is idle again or marked as failed. */
enum lava_status lava_inverter_run(struct lava_engine *engine, const struct lava_operation *operation,
                                   const struct lava_plan *plan, struct lava_progress *progress);

#endif
