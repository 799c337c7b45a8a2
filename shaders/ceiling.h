/* Definitions shared by the ceiling shaders and their host code, as interface.h is for the library's own
 * shaders. Benchmarks use them to measure the peak rates of a device. Include after interface.h. */
#ifndef LAVA_SHADERS_CEILING_H
#define LAVA_SHADERS_CEILING_H

#define LAVA_CEILING_INVOCATIONS 256 /* per workgroup of ceiling_copy */
#define LAVA_CEILING_WORDS       4   /* reads in flight per invocation of it */
#define LAVA_CEILING_FMA_SETS    2   /* operand sets that alternate, in ceiling_fma and ceiling_matrix */
#define LAVA_CEILING_MATRIX_SETS 2
#define LAVA_CEILING_NEVER       1.2345e30 /* larger than any sum */

LAVA_BLOCK_BEGIN(lava_ceiling_constants)
LAVA_ADDRESS source;
LAVA_ADDRESS target;
LAVA_U32 rounds; /* fma, matrix: how often all sets are multiplied */
LAVA_U32 words;  /* copy: of 16 bytes; a multiple of LAVA_CEILING_WORDS * LAVA_CEILING_INVOCATIONS */
LAVA_U32 store;  /* copy: 0: only read */
LAVA_BLOCK_END(lava_ceiling_constants)

#endif
