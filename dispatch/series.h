/* The matrices of a batch. Any thread. */
#ifndef LAVA_DISPATCH_SERIES_H
#define LAVA_DISPATCH_SERIES_H

#include <stdbool.h>

#include "dispatch/operation.h"

/* Returns whether a product's C shares memory with another product's C or with an operand of the batch.
 * Returns true, too, if there is no memory to find out. */
bool lava_series_overlaps(const struct lava_operation *operation);

#endif
