/* Plans inverses of matrices that do not fit the device. The matrix stays in host memory. A block of its
 * columns is on the device at a time, and what it needs of the others passes by in slices
 * (lib/engine/block_inverter.h). Pure functions, called by inverse.c. */
#ifndef LAVA_DISPATCH_BLOCK_INVERSE_H
#define LAVA_DISPATCH_BLOCK_INVERSE_H

#include "dispatch/halving.h"

/* Fills in what inverse.h says, and the block columns. Returns LAVA_REASON_FORCED, or why there is no plan;
 * *plan is as before then. */
enum lava_reason lava_block_inverse_plan(const struct lava_halving *request, struct lava_plan *plan);

#endif
