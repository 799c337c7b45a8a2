/* What a level of divide and conquer tells the device: one block of numbers and words, as shaders/divide.glsl
 * reads it. Called by device_divide.c. */
#ifndef LAVA_LAPACK_DIVIDE_LEVEL_H
#define LAVA_LAPACK_DIVIDE_LEVEL_H

#include "lib/lapack/deflation.h"

/* Where the block's parts begin, in bytes, and its size. */
struct lava_divide_layout {
    int64_t words, rotations, bytes;
};
/* rotations: of all merges. */
struct lava_divide_layout lava_divide_level_layout(enum lava_type type, int64_t order, int64_t merges,
                                                   int64_t rotations);

/* Fills in the block, of `order` columns; what merges keep is in `level`. */
void lava_divide_level_write(const struct lava_deflation *level, int64_t order,
                             const struct lava_merge *merges, int64_t count, void *block);
/* The same for columns that only move: a source and a place of each, of one merge that keeps all. NULL:
 * zeros. */
void lava_divide_level_write_columns(enum lava_type type, int64_t order, const uint32_t *sources,
                                     const uint32_t *places, void *block);

#endif
