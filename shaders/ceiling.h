/* What the ceiling shaders and their host share, as interface.h does for the library's own: benchmarks measure
 * with them what a device can do at most. Included by both, after interface.h. */
#ifndef LAVA_SHADERS_CEILING_H
#define LAVA_SHADERS_CEILING_H

#define LAVA_CEILING_INVOCATIONS 256 /* of a workgroup of ceiling_copy */
#define LAVA_CEILING_WORDS       4   /* that an invocation of it has on their way at a time */
#define LAVA_CEILING_FMA_SETS    2   /* of operands that take turns, in ceiling_fma and ceiling_matrix */
#define LAVA_CEILING_MATRIX_SETS 2
#define LAVA_CEILING_NEVER       1.2345e30 /* no sum is this large */

LAVA_BLOCK_BEGIN(lava_ceiling_constants)
LAVA_ADDRESS source;
LAVA_ADDRESS target;
LAVA_U32 rounds; /* fma, matrix: times all sets are multiplied */
LAVA_U32 words;  /* copy: of 16 bytes, a multiple of what a workgroup has on its way */
LAVA_U32 store;  /* copy: 0: only read */
LAVA_BLOCK_END(lava_ceiling_constants)

#endif
