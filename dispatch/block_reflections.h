/* Plans QR, what is made with Q, and least squares, of matrices that do not fit the device. They stay in host
 * memory. A block of columns, or of rows where Q is on the right, is on the device at a time, and the
 * reflections pass by in slices (lib/engine/block_reflector.h). Pure functions, called by qr.c. */
#ifndef LAVA_DISPATCH_BLOCK_REFLECTIONS_H
#define LAVA_DISPATCH_BLOCK_REFLECTIONS_H

#include "dispatch/halving.h"

/* Fills in what qr.h says, and the block columns. Right-hand sides, and the columns of a product with Q on
 * the left, go in chunks of at most as many. Returns LAVA_REASON_FORCED, or why there is no plan; *plan is as
 * before then. */
enum lava_reason lava_block_reflections_plan(const struct lava_halving *request, struct lava_plan *plan);

#endif
