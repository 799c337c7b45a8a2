/* Decides when the process has multiplied enough to prepare a device, or more of one that is open. Any
 * thread.
 *
 * There are two reasons. Calls that the device would win, by estimates, are expected to go on: the first
 * device is asked for after 50 ms of them. And what was lost, by the CPU's measured times, is counted: at 150
 * ms the device, or a step of its preparation, would have paid for itself. */
#ifndef LAVA_OFFLOAD_START_H
#define LAVA_OFFLOAD_START_H

#include <stdbool.h>

#include "dispatch/operation.h"
#include "lib/offload/learning.h"

/* Counts a call with so many products. Returns whether the process has multiplied too little so far to be
 * worth a preparation. That takes most of a second of one core, and of exit() in a process that ends before
 * it is done. Counts nothing once a preparation has begun. */
bool lava_start_is_early(const struct lava_operation *operation, double products);

/* Returns the device's time for the operation by the figures that are known or guessed; 0: no device takes
 * it. */
double lava_start_device_ns(const struct lava_operation *operation);
/* Watches a call that the CPU BLAS gets while the device is not ready for it, with the device's time by the
 * figures that are known or guessed. */
void lava_start_watch(const struct lava_operation *operation, struct lava_learning *learning);
/* Counts what the device would have saved with such a call. */
void lava_start_count_lost(const struct lava_operation *operation, double lost_ns);
/* Returns whether that is enough to prepare what the operation needs, with what the next call would lose. */
bool lava_start_has_lost(const struct lava_operation *operation, double next_ns);

#endif
