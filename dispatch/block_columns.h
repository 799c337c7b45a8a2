/* Plans factorizations of matrices that do not fit the device, and solves with their factors. The matrix
 * stays in host memory. A block of its columns is on the device at a time, and what was factored before
 * passes by in slices (lib/lapack/block_factorizer.c). Pure functions, called by factorization.c. */
#ifndef LAVA_DISPATCH_BLOCK_COLUMNS_H
#define LAVA_DISPATCH_BLOCK_COLUMNS_H

#include "dispatch/halving.h"
#include "shaders/interface.h"

/* Widths of blocks and of slices are multiples of this. */
#define LAVA_BLOCK_COLUMNS_ALIGN LAVA_SOLVE_ORDER
/* No slice has more columns. A starting value. */
#define LAVA_BLOCK_COLUMNS_SLICE 512
/* A slice is uploaded while another one is at work. */
#define LAVA_BLOCK_COLUMNS_SLICES 2

/* Tries widths, and slices as wide as fit beside them, and keeps the plan whose estimate is lowest: fills in
 * what factorization.h says, and the block columns; the right-hand sides go in chunks of at most as many.
 * Returns LAVA_REASON_FORCED, or why there is no plan; *plan is as before then. */
enum lava_reason lava_block_columns_plan(const struct lava_halving *request, struct lava_plan *plan);

#endif
