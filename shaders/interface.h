/* What the host and the shaders agree on, included by both: identifiers of specialization constants and the
 * push-constant blocks. Sizes are in elements unless a name says otherwise; an address is a buffer device
 * address.
 *
 * The packed layout. An operand is cut along its width (rows of op(A), columns of op(B)) into panels as
 * wide as the kernel's tile, and the panels lie one after another. A panel is stored step by step of K: for
 * each k the panel's elements side by side. So the part of a panel that a workgroup needs for tile_k steps of
 * K is one contiguous run of 16-byte words, the same for every transposition, leading dimension and edge:
 *
 *     element (w, k) of the operand  ->  packed[(w / panel) * panel * k_padded + k * panel + w % panel]
 *
 * Width is padded with zeros to a multiple of the panel, K to a multiple of tile_k. */
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
#define LAVA_CONSTANT_INVOCATION_M 4
#define LAVA_CONSTANT_INVOCATION_N 5
#define LAVA_CONSTANT_LANES_M      6 /* a subgroup is LANES_M x LANES_N invocations */
#define LAVA_CONSTANT_LANES_N      7
#define LAVA_CONSTANT_STAGES       8
#define LAVA_CONSTANT_PANEL        9  /* pack: width of a panel */
#define LAVA_CONSTANT_TRANSPOSE    10 /* pack: K runs along the rows of the source */
#define LAVA_CONSTANT_COUNT        11

/* Work per workgroup of the helpers, needed by the host to size a dispatch. */
#define LAVA_PACK_BLOCK         32 /* pack handles blocks of 32 x 32 elements, one a workgroup */
#define LAVA_PACK_INVOCATIONS   256
#define LAVA_FINISH_INVOCATIONS 256

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_MULTIPLY)
LAVA_BLOCK_BEGIN(lava_multiply_constants)
LAVA_ADDRESS packed_a;
LAVA_ADDRESS packed_b;
LAVA_ADDRESS target;      /* padded accumulator block(s), column-major */
LAVA_ADDRESS schedule;    /* one uint a tile: row | column << 16 */
LAVA_ADDRESS slab_stride; /* elements between the targets of two slabs of a split K */
LAVA_U32 tiles;           /* entries of the schedule */
LAVA_U32 first_unit;      /* of this dispatch; a unit is a tile of a slab: slab * tiles + index */
LAVA_U32 end_unit;
LAVA_U32 steps; /* of tile_k, over the whole packed K */
LAVA_U32 steps_per_slab;
LAVA_U32 target_ld;  /* a multiple of tile_m */
LAVA_U32 accumulate; /* 1: add to what the target holds, an earlier panel of K */
LAVA_F32 alpha;
LAVA_BLOCK_END(lava_multiply_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_PACK)
LAVA_BLOCK_BEGIN(lava_pack_constants)
LAVA_ADDRESS source; /* chunk of the stored operand, column-major */
LAVA_ADDRESS target; /* packed operand, its first panel */
LAVA_U32 source_ld;  /* a multiple of 4 */
LAVA_U32 rows;       /* of the chunk */
LAVA_U32 columns;
LAVA_U32 rows_filled; /* the same, with the zero padding that this chunk has to write */
LAVA_U32 columns_filled;
LAVA_U32 first_width; /* where the chunk lies in the packed operand, a multiple of 4 */
LAVA_U32 first_k;
LAVA_U32 k_padded;
LAVA_BLOCK_END(lava_pack_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_FINISH)
LAVA_BLOCK_BEGIN(lava_finish_constants)
LAVA_ADDRESS source; /* accumulators as multiply left them */
LAVA_ADDRESS target; /* compact result, column-major */
LAVA_ADDRESS slab_stride;
LAVA_U32 slabs;
LAVA_U32 source_ld;
LAVA_U32 words_per_column; /* 16-byte words of a result column */
LAVA_U32 words;            /* of the result */
LAVA_F32 alpha;
LAVA_BLOCK_END(lava_finish_constants)
#endif

#endif
