/* Decides when the process has multiplied enough to prepare a device. Any thread. */
#ifndef LAVA_OFFLOAD_START_H
#define LAVA_OFFLOAD_START_H

#include <stdbool.h>

#include "dispatch/operation.h"

/* Counts a call with so many products. Returns whether the process has multiplied too little so far to be
 * worth a preparation. That takes most of a second of one core, and of exit() in a process that ends before
 * it is done. Counts nothing once a preparation has begun. */
bool lava_start_is_early(const struct lava_operation *operation, double products);

#endif
