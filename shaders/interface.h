/* What the host and the shaders agree on, included by both: identifiers of specialization constants and the
 * push-constant blocks. Sizes are in elements unless a name says otherwise; an address is a buffer device
 * address.
 *
 * The packed layouts. An operand is cut along its width (rows of op(A), columns of op(B)) into panels as
 * wide as the kernel's tile, and the panels lie one after another. A panel is stored step by step of K, so the
 * part of a panel that a workgroup needs for a step is one contiguous run of 16-byte words, the same for every
 * transposition, leading dimension and edge. Within a step, one of two orders:
 *
 *   panels      for each k the panel's elements side by side:
 *                   (w, k)  ->  packed[(w / panel) * panel * k_padded + k * panel + w % panel]
 *   fragments   a cooperative matrix at a time, `width` elements of the panel by `depth` of K, and of each
 *               the share of every invocation of a subgroup, width * depth / SUBGROUP elements, side by side:
 *                   fragment (f, g), f = w / width within the panel, g = k / depth
 *                       begins at (w / panel) * panel * k_padded + (g * (panel / width) + f) * width * depth
 *                   element e of invocation i's share is at i * (width * depth / SUBGROUP) + e
 *               Which matrix element that is belongs to the driver: pack and multiply use the same type.
 *
 * Width is padded with zeros to a multiple of the panel, K to a multiple of tile_k.
 *
 * An operand by planes (dispatch/schemes.h) has for each fragment those of its planes one after another: a fragment then begins
 * PLANES times as far on. Where tiles may be screened out (SCREENED) the elements follow once more as panels of fp32, and
 * exponents: a word for each LAVA_PACK_BLOCK_MATRIX elements along K and so many along the width,
 *     exponents[(w / panel * depths + k / BLOCK) * (panel / BLOCK) + w % panel / BLOCK],  depths = k_padded / BLOCK, rounded up
 * biased exponents of what is not 0: the greatest << 16 | 255 - the least. After screen.comp a panel's first word is that of all of
 * it. Behind op(B)'s exponents are the three words of the fallback's indirect dispatch: 0, or its workgroups along x; 1; 1.
 *
 * Parts. A complex product is computed as a real one, m x 2n x 2k, of the operands' parts, which are packed like any other:
 *
 *     op(A)   m x 2k    [ re a   im a ]                  for each element
 *     op(B)   2k x 2n   [ re b   im b ;  -im b   re b ]
 *     C       m x 2n    [ re c   im c ]                  brought together by epilogue_complex.comp
 *
 * so that A's bytes are the same and B's twice as many. A conjugated element has im with the other sign. */
#ifndef LAVA_SHADERS_INTERFACE_H
#define LAVA_SHADERS_INTERFACE_H

#ifdef LAVA_SHADER /* GLSL */
#    define LAVA_BLOCK_BEGIN(name) layout(push_constant, scalar) uniform lava_constants {
#    define LAVA_BLOCK_END(name)                                                                             \
        }                                                                                                    \
        constants;
#    define LAVA_U32     uint
#    define LAVA_F32     float
#    define LAVA_ADDRESS uint64_t
#else
#    include <stdint.h>
#    define LAVA_BLOCK_BEGIN(name) struct name {
#    define LAVA_BLOCK_END(name)                                                                             \
        }                                                                                                    \
        ;
#    define LAVA_U32     uint32_t
#    define LAVA_F32     float
#    define LAVA_ADDRESS uint64_t
#endif

/* Specialization constants. Every module declares those it uses under these identifiers. */
#define LAVA_CONSTANT_INVOCATIONS  0 /* of a workgroup */
#define LAVA_CONSTANT_TILE_M       1
#define LAVA_CONSTANT_TILE_N       2
#define LAVA_CONSTANT_TILE_K       3
#define LAVA_CONSTANT_PART_M       4 /* of the tile: an invocation's (SIMT) or a subgroup's (matrix) */
#define LAVA_CONSTANT_PART_N       5
#define LAVA_CONSTANT_LANES_M      6 /* a subgroup is LANES_M x LANES_N invocations */
#define LAVA_CONSTANT_LANES_N      7
#define LAVA_CONSTANT_STAGES       8
#define LAVA_CONSTANT_PANEL        9  /* pack: width of a panel */
#define LAVA_CONSTANT_TRANSPOSE    10 /* pack: K runs along the rows of the source */
#define LAVA_CONSTANT_SHAPE_M      11 /* of a cooperative matrix */
#define LAVA_CONSTANT_SHAPE_N      12
#define LAVA_CONSTANT_SHAPE_K      13
#define LAVA_CONSTANT_SUBGROUP     14 /* invocations of a subgroup, where a module has cooperative matrices */
#define LAVA_CONSTANT_NARROW       15 /* multiply: 1: the target has A's and B's type, 0: fp32 */
#define LAVA_CONSTANT_OPERAND      16 /* pack of fragments: 0: A, 1: B */
#define LAVA_CONSTANT_PLANES       17 /* of an element */
#define LAVA_CONSTANT_LEVELS       18 /* products of plane i of A and j of B up to i + j of this */
#define LAVA_CONSTANT_SHIFT        19 /* a plane is multiplied by so many powers of two more than the one before */
#define LAVA_CONSTANT_SPAN_K       20 /* multiply by planes: sums begin anew after so much of K */
#define LAVA_CONSTANT_SCREENED     21 /* pack by planes: writes panels and exponents */
#define LAVA_CONSTANT_COUNT        22

/* Work per workgroup of the helpers, needed by the host to size a dispatch. */
#define LAVA_PACK_BLOCK         32 /* pack of fp32 and fp64 handles blocks of 32 x 32 elements, one a workgroup */
#define LAVA_PACK_BLOCK_MATRIX  64 /* pack for cooperative matrices, and a word of exponents: 64 x 64 */
#define LAVA_PACK_INVOCATIONS   256
#define LAVA_SCREEN_INVOCATIONS 128
#define LAVA_SPLIT_ROWS         64 /* elements each way of a workgroup */
#define LAVA_SPLIT_COLUMNS      4
#define LAVA_EPILOGUE_INVOCATIONS 256

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_MULTIPLY)
LAVA_BLOCK_BEGIN(lava_multiply_constants)
LAVA_ADDRESS packed_a;
LAVA_ADDRESS packed_b;
LAVA_ADDRESS target;      /* padded accumulator block(s), column-major, fp32, fp64 or (NARROW) A's type */
LAVA_ADDRESS schedule;    /* one uint a tile: row | column << 16 */
LAVA_ADDRESS slice_stride; /* elements between the targets of two slices of a split K */
LAVA_U32 tiles;           /* entries of the schedule */
LAVA_U32 first_unit;      /* of this dispatch; a unit is a tile of a slice: slice * tiles + index */
LAVA_U32 end_unit;
LAVA_U32 steps; /* of tile_k, over the whole packed K */
LAVA_U32 steps_per_slice;
LAVA_U32 target_ld;  /* a multiple of tile_m */
LAVA_U32 accumulate; /* 1: add to what the target holds, an earlier panel of K */
LAVA_F32 alpha;
LAVA_ADDRESS alpha_fp64; /* the bits of a double, for fp64 */
/* The rest where tiles may be screened out. */
LAVA_ADDRESS exponents_a;
LAVA_ADDRESS exponents_b;
LAVA_ADDRESS arguments; /* of the fallback's dispatch: its workgroups, once a tile is screened out */
LAVA_U32 fallback_groups;
LAVA_U32 least; /* biased exponents of A and B, and their sums: struct lava_screen_limits */
LAVA_U32 most;
LAVA_U32 least_sum;
LAVA_U32 most_sum;
/* Of a batch: tiles of a product along M. Products lie side by side along N, in the target too. 0: no batch. */
LAVA_U32 tiles_each;
LAVA_BLOCK_END(lava_multiply_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_PACK)
LAVA_BLOCK_BEGIN(lava_pack_constants)
LAVA_ADDRESS source; /* chunk of the stored operand, column-major */
LAVA_ADDRESS target; /* packed operand, its first panel */
LAVA_U32 source_ld;  /* a multiple of 16 bytes */
LAVA_U32 rows;       /* of the chunk */
LAVA_U32 columns;
LAVA_U32 rows_filled; /* the same, with the zero padding that this chunk has to write */
LAVA_U32 columns_filled;
LAVA_U32 first_width; /* where the chunk lies in the packed operand, multiples of the pack's block */
LAVA_U32 first_k;
LAVA_U32 k_padded;
/* The next two for panels of a batch, whose products are along z of the dispatch. */
LAVA_U32 source_each; /* elements from one's chunk to the next's */
LAVA_U32 width_each;  /* and in the packed operand */
/* The rest for SCREENED. */
LAVA_ADDRESS panels;
LAVA_ADDRESS exponents;
LAVA_BLOCK_END(lava_pack_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_SCREEN)
LAVA_BLOCK_BEGIN(lava_screen_constants)
LAVA_ADDRESS exponents_a;
LAVA_ADDRESS exponents_b;
LAVA_ADDRESS arguments; /* of the fallback's dispatch: set to no workgroups */
LAVA_U32 panels_a;
LAVA_U32 panels_b;
LAVA_U32 words_a; /* of a panel */
LAVA_U32 words_b;
LAVA_BLOCK_END(lava_screen_constants)
#endif

/* Bits of a part. */
#define LAVA_PART_IMAGINARY 1
#define LAVA_PART_NEGATIVE  2

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_SPLIT)
LAVA_BLOCK_BEGIN(lava_split_constants)
LAVA_ADDRESS source;   /* chunk of the stored complex operand, column-major */
LAVA_ADDRESS target;   /* its parts, column-major */
LAVA_U32 source_ld;    /* complex elements */
LAVA_U32 target_ld;    /* parts */
LAVA_U32 rows;         /* of the chunk */
LAVA_U32 columns;
LAVA_U32 rows_each;    /* of parts for an element: 1 or 2 */
LAVA_U32 columns_each;
LAVA_U32 parts;        /* two bits for each: of row p and column q from bit 2 (p + 2 q) on */
LAVA_BLOCK_END(lava_split_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_FINISH)
LAVA_BLOCK_BEGIN(lava_epilogue_constants)
LAVA_ADDRESS source; /* accumulators as multiply left them */
LAVA_ADDRESS target; /* compact result, column-major, in the module's type */
LAVA_ADDRESS slice_stride;
LAVA_U32 slices;
LAVA_U32 source_ld;
LAVA_U32 words_per_column; /* four elements each, of a result column; source_ld is in parts, where they are complex */
LAVA_U32 words;            /* of the result */
LAVA_F32 alpha;
LAVA_ADDRESS alpha_fp64; /* the bits of a double, for fp64 */
LAVA_U32 source_each; /* of a batch, whose products are along z: elements from one to the next */
LAVA_U32 target_each;
/* The rest for complex results. */
LAVA_ADDRESS alpha_imaginary_fp64;
LAVA_F32 alpha_imaginary;
LAVA_BLOCK_END(lava_epilogue_constants)
#endif

#endif
