/* Runs planned operations, of every kind, one or a batch, on the devices of the process. Any thread that has
 * entered the gate. */
#ifndef LAVA_OFFLOAD_DEVICE_RUN_H
#define LAVA_OFFLOAD_DEVICE_RUN_H

#include <stdbool.h>

#include "lib/offload/call.h"
#include "lib/product/runner.h"

/* Runs the call's operation by the plan, which gets smaller if memory is short, or by one for several
 * devices if they gain. One whose device failed before anything was written goes to another device.
 * Returns LAVA_ERROR_UNAVAILABLE if no device could be had. *progress tells what is written. *lost: the
 * last device has failed. */
enum lava_status lava_device_run(struct lava_call *call, struct lava_plan *plan,
                                 struct lava_progress *progress, bool *lost);

/* Returns whether nothing of C is written, nor of right-hand sides. */
bool lava_device_run_wrote_nothing(const struct lava_operation *operation,
                                   const struct lava_progress *progress);

#endif
