/* A block of a matrix that stays in host memory, collected in a buffer, and written when all of it is there.
 * Used by block_factorizer.c, block_inverter.c and block_reflector.c. */
#ifndef LAVA_LAPACK_BLOCK_BUFFER_H
#define LAVA_LAPACK_BLOCK_BUFFER_H

#include "lib/lapack/device_matrix.h"

/* The block's place in the matrix. */
struct lava_block_place {
    int64_t row, rows, column, columns;
};

/* C's block <- the buffer, which is column-major with as many rows as the block, but only the elements of C's
 * region. Nothing can fail. */
void lava_block_buffer_write(struct lava_stream *stream, const void *buffer, const struct lava_result *c,
                             const struct lava_block_place *place);

/* Makes room for the plan's largest product, before anything is under way, and looks at the processors. */
enum lava_status lava_block_buffer_begin(struct lava_stream *stream, const struct lava_plan *plan);

#endif
