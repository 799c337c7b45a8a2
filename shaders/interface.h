/* Definitions shared by the host and the shaders: identifiers of specialization constants and the
 * push-constant blocks. Sizes are in elements unless a name says otherwise. An address is a buffer device
 * address.
 *
 * Packed layouts. An operand is split along its width (rows of op(A), columns of op(B)) into panels as wide
 * as the kernel's tile. The panels are stored one after another. Each panel is stored step by step of K, so
 * the data that a workgroup needs for one step is one contiguous run of 16-byte words. The layout is the same
 * for every transposition, leading dimension and edge. Within a step there are two orders:
 *
 *   panels      for each k, the panel's elements are contiguous:
 *                   (w, k)  ->  packed[(w / panel) * panel * k_padded + k * panel + w % panel]
 *   octets      for each eight of K, an element of the width has its eight contiguous:
 *                   (w, k)  ->  packed[(w / panel) * panel * k_padded + k / 8 * panel * 8 + w % panel * 8 +
 *                                      k % 8]
 *   fragments   one cooperative matrix after another, each `width` elements of the panel by `depth` of K.
 *               Within a matrix, the share of each invocation (width * depth / SUBGROUP elements) is
 *               contiguous:
 *                   fragment (f, g), f = w / width within the panel, g = k / depth
 *                       begins at (w / panel) * panel * k_padded + (g * (panel / width) + f) * width * depth
 *                   element e of invocation i's share is at i * (width * depth / SUBGROUP) + e
 *               The driver decides which matrix elements form a share. Pack and multiply use the same
 *               matrix type, so they agree.
 *
 * The width is padded with zeros to a multiple of the panel, K to a multiple of tile_k.
 *
 * Planes (dispatch/schemes.h). An operand stored as planes has, for each fragment, the fragments of its
 * planes one after another, so the distance between fragments is PLANES times as large. If tiles may be
 * screened out (SCREENED), two more arrays follow: the elements as panels of fp32, and exponent words. There
 * is one exponent word for each LAVA_PACK_BLOCK_MATRIX x LAVA_PACK_BLOCK_MATRIX block:
 *     exponents[(w / panel * depths + k / BLOCK) * (panel / BLOCK) + w % panel / BLOCK],
 *     depths = k_padded / BLOCK, rounded up
 * A word holds biased exponents of the nonzero elements: the greatest << 16 | 255 - the least. screen.comp
 * replaces a panel's first word by the word of the whole panel. op(B)'s exponents are followed by the three
 * words of the fallback's indirect dispatch: x (0, or the number of workgroups), 1, 1.
 *
 * Parts. A complex product is computed as a real product of size m x 2n x 2k, by the induced 1m method (Van
 * Zee, SIAM J. Sci. Comput. 42(5), 2020). The operands are packed as real matrices of their parts
 * (parts.glsl). For each element:
 *
 *     op(A)   m x 2k    [ re a   im a ]
 *     op(B)   2k x 2n   [ re b   im b ;  -im b   re b ]
 *     C       m x 2n    [ re c   im c ]                  recombined by epilogue_complex.comp
 *
 * A keeps its size in bytes; B takes twice as many. A conjugated element has the opposite sign of im. */
#ifndef LAVA_SHADERS_INTERFACE_H
#define LAVA_SHADERS_INTERFACE_H

#ifdef LAVA_SHADER /* GLSL */
#    define LAVA_BLOCK_BEGIN(name) layout(push_constant, scalar) uniform lava_constants {
#    define LAVA_BLOCK_END(name)                                                                             \
        }                                                                                                    \
        constants;
#    define LAVA_U32     uint
#    define LAVA_I32     int
#    define LAVA_F32     float
#    define LAVA_ADDRESS uint64_t
#else
#    include <stdint.h>
#    define LAVA_BLOCK_BEGIN(name) struct name {
#    define LAVA_BLOCK_END(name)                                                                             \
        }                                                                                                    \
        ;
#    define LAVA_U32     uint32_t
#    define LAVA_I32     int32_t
#    define LAVA_F32     float
#    define LAVA_ADDRESS uint64_t
#endif

/* Specialization constants. Every module declares those that it uses with these identifiers. */
#define LAVA_CONSTANT_INVOCATIONS 0 /* per workgroup */
#define LAVA_CONSTANT_TILE_M      1
#define LAVA_CONSTANT_TILE_N      2
#define LAVA_CONSTANT_TILE_K      3
#define LAVA_CONSTANT_PART_M      4 /* part of the tile: per invocation (SIMT) or per subgroup (matrix) */
#define LAVA_CONSTANT_PART_N      5
#define LAVA_CONSTANT_LANES_M     6 /* a subgroup is LANES_M x LANES_N invocations */
#define LAVA_CONSTANT_LANES_N     7
#define LAVA_CONSTANT_STAGES      8
#define LAVA_CONSTANT_PANEL       9  /* pack: width of a panel */
#define LAVA_CONSTANT_TRANSPOSE   10 /* pack: 1: K runs along the rows of the source */
#define LAVA_CONSTANT_SHAPE_M     11 /* shape of a cooperative matrix */
#define LAVA_CONSTANT_SHAPE_N     12
#define LAVA_CONSTANT_SHAPE_K     13
#define LAVA_CONSTANT_SUBGROUP    14 /* invocations per subgroup, for modules with cooperative matrices */
#define LAVA_CONSTANT_OPERAND     15 /* pack of fragments: 0: A, 1: B */
#define LAVA_CONSTANT_PLANES      16 /* planes per element */
/* adds the products of plane i of A and plane j of B with i + j <= LEVELS */
#define LAVA_CONSTANT_LEVELS   17
#define LAVA_CONSTANT_SHIFT    18 /* each plane is scaled by 2^SHIFT relative to the one before */
#define LAVA_CONSTANT_SPAN_K   19 /* multiply by planes: length of K after which a new sum begins */
#define LAVA_CONSTANT_SCREENED 20 /* pack by planes: also writes panels and exponents */
#define LAVA_CONSTANT_UNROLL   21 /* matrix times vector: columns that an invocation reads at a time */
#define LAVA_CONSTANT_TRIANGLE 22 /* the same: 1: the matrix is triangular */
#define LAVA_CONSTANT_DENORMAL 23 /* 1: the device keeps subnormals */
#define LAVA_CONSTANT_COUNT    24

/* Work per workgroup of the helper shaders. The host sizes their dispatches with these. */
#define LAVA_PACK_BLOCK           32 /* pack of fp32 and fp64: a workgroup handles 32 x 32 elements */
#define LAVA_PACK_BLOCK_MATRIX    64 /* pack for cooperative matrices, and area of an exponent word: 64 x 64 */
#define LAVA_PACK_INVOCATIONS     256
#define LAVA_SCREEN_INVOCATIONS   128
#define LAVA_ELEMENT_ROWS         64 /* scale, square: a workgroup handles 64 x 4 elements */
#define LAVA_ELEMENT_COLUMNS      4
#define LAVA_EPILOGUE_INVOCATIONS 256
#define LAVA_COPY_INVOCATIONS     256
#define LAVA_UPDATE_INVOCATIONS   128 /* rows of C per workgroup; half precision has twice the number */
#define LAVA_PATCH_PADDING        4 /* multiply with LAVA_PATCHED: fp32 elements after each column of a patch */
#include "interface_factors.h"

/* Tridiagonal form: columns of a panel, and rows and columns of a tile. */
#define LAVA_TRIDIAGONAL_PANEL       64
#define LAVA_TRIDIAGONAL_TILE        64
#define LAVA_TRIDIAGONAL_ROWS        32 /* of a column, per workgroup */
#define LAVA_TRIDIAGONAL_INVOCATIONS 256
#define LAVA_TRIDIAGONAL_HEAD        8 /* elements of the scratch that describe a reflection */
#define LAVA_TRIDIAGONAL_KEY_BYTES   16
#define LAVA_TRIDIAGONAL_STATE_BYTES 128 /* a line of the cache */
/* Eigenvalues by multisection: those of a workgroup, and the points of each. */
#define LAVA_BISECTION_VALUES 16
#define LAVA_BISECTION_POINTS 8
/* Norms of columns. */
#define LAVA_NORMS_INVOCATIONS 256
/* Flags of matrices that are arranged: A is read; B is added; A's elements below the diagonal are zeros; A is transposed
 * and conjugated; its columns come from the last one to the first. B is Hermitian, with real numbers on its diagonal, and
 * its elements below, or above, the diagonal stay as they are. */
#define LAVA_ARRANGE_READS     1
#define LAVA_ARRANGE_ADDS      2
#define LAVA_ARRANGE_UPPER     4
#define LAVA_ARRANGE_ADJOINT   8
#define LAVA_ARRANGE_FROM_LAST 16
#define LAVA_ARRANGE_HAS_LOWER 32
#define LAVA_ARRANGE_HAS_UPPER 64
/* Flags of a tridiagonal form's columns. */
#define LAVA_TRIDIAGONAL_FINISHES 1 /* the reflection of the column before */
#define LAVA_TRIDIAGONAL_BEGINS   2 /* the column is brought up to date */
#define LAVA_TRIDIAGONAL_CLEARS   4 /* nothing else is done */
/* Divide and conquer (divide.glsl): invocations of a workgroup, rows and columns of a tile of its products, words that
 * describe a merge, and steps of a root's iteration, at most: 11 were needed (doc/notes/eigenvalues.md). */
#define LAVA_DIVIDE_INVOCATIONS 64
#define LAVA_DIVIDE_TILE        32
#define LAVA_DIVIDE_DEPTH       16
#define LAVA_DIVIDE_MERGE_WORDS 8
#define LAVA_DIVIDE_STEPS       80
/* What divide_columns.comp does. */
#define LAVA_DIVIDE_PLACES  0 /* Q <- the leaves' columns, zeros elsewhere */
#define LAVA_DIVIDE_GATHERS 1 /* Q2 <- Q's columns in another order */
#define LAVA_DIVIDE_RETURNS 2 /* Q's last columns, which deflate, <- Q2's */
#define LAVA_DIVIDE_ENDS    3 /* all columns of Q <- Q2's */
#define LAVA_DIVIDE_READS   4 /* the row of each column that the next merge wants */
/* QR with column pivoting (pivoted.glsl). A block has BLOCK columns. A workgroup has ROWS rows of a column, a tile of
 * TILE_ROWS x TILE_COLUMNS elements, or the norms of COLUMNS columns. */
#define LAVA_PIVOTED_BLOCK        32
#define LAVA_PIVOTED_INVOCATIONS  256
#define LAVA_PIVOTED_ROWS         32
#define LAVA_PIVOTED_TILE_ROWS    256
#define LAVA_PIVOTED_TILE_COLUMNS 32
#define LAVA_PIVOTED_COLUMNS      16
#define LAVA_PIVOTED_KEY_BYTES    16
/* Flags. */
#define LAVA_PIVOTED_MEASURES 1 /* there is no reflection yet: all norms are computed */
/* The bidiagonal form (bidiagonal.glsl). A panel has PANEL columns, each with two reflections. A workgroup finishes
 * OTHERS columns or rows, or has a tile of TILE_ROWS x TILE_COLUMNS elements. */
#define LAVA_BIDIAGONAL_PANEL        32
#define LAVA_BIDIAGONAL_INVOCATIONS  256
#define LAVA_BIDIAGONAL_OTHERS       16
#define LAVA_BIDIAGONAL_TILE_ROWS    256
#define LAVA_BIDIAGONAL_TILE_COLUMNS 32
#define LAVA_BIDIAGONAL_SUM_BYTES    16
/* Flags. */
#define LAVA_BIDIAGONAL_RIGHT  1 /* the reflection is applied from the right */
#define LAVA_BIDIAGONAL_BEGINS 2 /* there is none yet: the first column is taken */
/* The regions of update: the values of enum lava_region. */
#define LAVA_UPDATE_ALL   0
#define LAVA_UPDATE_LOWER 1

/* Matrix times vector. A workgroup has LANES invocations along the rows, each of which reads 16 bytes of a
 * column; its other invocations form more such groups. sum_vectors.comp adds the sums of a split. A workgroup
 * of it has SUM_WORDS words of the result, and adds SUM_TERMS terms of each at a time. */
#define LAVA_VECTOR_LEAST_LANES 16
#define LAVA_VECTOR_SUM_WORDS   32
#define LAVA_VECTOR_SUM_TERMS   8
/* Shared memory for the sums of an invocation: UNROLL elements, at most this many bytes. */
#define LAVA_VECTOR_SHARED_EACH 64
/* Flags. */
#define LAVA_VECTOR_LOWER     1 /* the stored triangle; without it the upper one */
#define LAVA_VECTOR_UNIT      2 /* the diagonal is not read; its elements are 1 */
#define LAVA_VECTOR_CONJUGATE 4 /* the elements are those of A conjugated */
#define LAVA_VECTOR_HERMITIAN 8 /* the other triangle is the conjugated one; the diagonal is real */
#define LAVA_VECTOR_TRANSPOSED 16 /* solve: with the transposed matrix */
/* Solve for a vector: unknowns of a block, and of a block of a complex type. */
#define LAVA_VECTOR_BLOCK         128
#define LAVA_VECTOR_BLOCK_COMPLEX 64

/* Bits of `triangle`: the operand is op(B); it is lower as op(A), or upper as op(B); both are of parts; what
 * is beyond the diagonal may not be zeros, so its products are left out. */
#define LAVA_TRIANGLE_OF_B   1
#define LAVA_TRIANGLE_BEFORE 2
#define LAVA_TRIANGLE_PARTS  4
#define LAVA_TRIANGLE_MASKED 8

/* Bits of `sums`. ADDED: the sums are added to the target's contents, which come from an earlier panel of K.
 * The bits from SPAN_SHIFT on, for SIMT alone: the number of steps after which new sums begin, which are
 * added to the target as well; 0: one sum takes all steps. */
#define LAVA_SUMS_ADDED      1
#define LAVA_SUMS_SPAN_SHIFT 1

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_MULTIPLY)
LAVA_BLOCK_BEGIN(lava_multiply_constants)
LAVA_ADDRESS packed_a;
LAVA_ADDRESS packed_b;
LAVA_ADDRESS target; /* padded accumulator block(s), column-major, fp32, fp64 or (narrow modules) A's type */
LAVA_ADDRESS tile_list;    /* tile order, one uint per tile: row | column << 16 */
LAVA_ADDRESS slice_stride; /* elements between the targets of two split-K slices */
LAVA_U32 tiles;            /* tiles in the tile order */
/* first unit of this dispatch; a unit is one tile of one slice: slice * tiles + index */
LAVA_U32 first_unit;
LAVA_U32 end_unit;
LAVA_U32 steps; /* number of tile_k steps in the whole packed K */
LAVA_U32 steps_per_slice;
LAVA_U32 target_ld; /* a multiple of tile_m */
LAVA_U32 sums;      /* bits: LAVA_SUMS_* */
LAVA_F32 alpha;
LAVA_ADDRESS alpha_fp64; /* the bits of a double, for fp64 */
/* The rest is used if tiles may be screened out. */
LAVA_ADDRESS exponents_a;
LAVA_ADDRESS exponents_b;
LAVA_ADDRESS arguments; /* indirect dispatch of the fallback, raised when a tile is screened out */
LAVA_U32 fallback_groups;
LAVA_U32 limits; /* of biased exponents of A and B, the least | the most << 16: struct lava_screen_limits */
LAVA_U32 sum_limits; /* the same of their sums */
/* Batch: tiles of one product along M. Products are side by side along N, also in the target. 0: no batch. */
LAVA_U32 tiles_each;
/* The rest is used with TRIANGLE (triangle.glsl). */
LAVA_U32 triangle;
LAVA_I32 diagonal;
LAVA_BLOCK_END(lava_multiply_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_PACK)
LAVA_BLOCK_BEGIN(lava_pack_constants)
LAVA_ADDRESS source; /* chunk of the stored operand, column-major */
LAVA_ADDRESS target; /* first panel of the packed operand */
LAVA_U32 source_ld;  /* a multiple of 16 bytes */
LAVA_U32 rows;       /* size of the chunk */
LAVA_U32 columns;
LAVA_U32 rows_filled; /* the same, including the zero padding that this chunk must write */
LAVA_U32 columns_filled;
LAVA_U32 first_width; /* position of the chunk in the packed operand, multiples of the pack's block */
LAVA_U32 first_k;
LAVA_U32 k_padded;
/* The next two are used for panels of a batch. Its products are along z of the dispatch. */
LAVA_U32 source_each; /* elements from one product's chunk to the next */
LAVA_U32 width_each;  /* the same in the packed operand */
/* The rest is used with SCREENED. */
LAVA_ADDRESS panels;
LAVA_ADDRESS exponents;
/* The rest is used if parts is not 0: the operand is complex. Then source_ld counts elements, rows and
 * columns count parts, and any alignment of elements will do (parts.glsl). */
LAVA_U32 parts;     /* two bits per part; row p, column q begins at bit 2 (p + 2 q) */
LAVA_U32 rows_each; /* parts per element along rows: 1 or 2 */
LAVA_U32 columns_each;
LAVA_BLOCK_END(lava_pack_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_VECTOR)
LAVA_BLOCK_BEGIN(lava_vector_constants)
LAVA_ADDRESS a;             /* the stored matrix, column-major; columns begin at multiples of 16 bytes */
LAVA_ADDRESS x;             /* the vector, in whole words; solve: it becomes the solution */
LAVA_ADDRESS target;        /* a vector of sums for each split: one for each workgroup along y; symmetric: x */
LAVA_ADDRESS other;         /* symmetric: the sums by columns, one vector for each workgroup along y */
LAVA_ADDRESS target_stride; /* bytes from one such vector to the next; solve: from one x to the next */
LAVA_U32 lda;               /* in elements */
LAVA_U32 rows;              /* as stored */
LAVA_U32 columns;
LAVA_U32 lanes_shift; /* there are 2 to this many lanes */
LAVA_U32 span;        /* of a split: columns; transposed and symmetric: words of rows. Solve: the step */
LAVA_U32 flags;
LAVA_BLOCK_END(lava_vector_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_SUM_VECTORS)
LAVA_BLOCK_BEGIN(lava_sum_vectors_constants)
LAVA_ADDRESS source;  /* vectors of sums; symmetric: one for each strip of columns */
LAVA_ADDRESS other;   /* symmetric: one for each chunk of rows */
LAVA_ADDRESS target;
LAVA_ADDRESS stride;  /* bytes from one vector to the next */
LAVA_U32 words;       /* of 16 bytes, in the result */
LAVA_U32 count;       /* vectors of the source */
LAVA_U32 other_count; /* 0: not symmetric */
LAVA_U32 strip_words; /* words of the result in a strip, and in a chunk */
LAVA_U32 chunk_words;
LAVA_U32 flags; /* LAVA_VECTOR_LOWER */
LAVA_BLOCK_END(lava_sum_vectors_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_SCREEN)
LAVA_BLOCK_BEGIN(lava_screen_constants)
LAVA_ADDRESS exponents_a;
LAVA_ADDRESS exponents_b;
LAVA_ADDRESS arguments; /* indirect dispatch of the fallback, reset to no workgroups */
LAVA_U32 panels_a;
LAVA_U32 panels_b;
LAVA_U32 words_a; /* exponent words per panel */
LAVA_U32 words_b;
/* The rest is used if is_triangle is 1: one operand is triangular (triangle.glsl). */
LAVA_U32 is_triangle;
LAVA_U32 tile_m;
LAVA_U32 tile_n;
LAVA_U32 triangle;
LAVA_I32 diagonal;
LAVA_BLOCK_END(lava_screen_constants)
#endif

/* Bits that describe a part. */
#define LAVA_PART_IMAGINARY 1
#define LAVA_PART_NEGATIVE  2

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_SCALE)
LAVA_BLOCK_BEGIN(lava_scale_constants)
LAVA_ADDRESS source; /* chunk of the stored complex operand, column-major */
LAVA_ADDRESS target; /* the same elements times alpha */
LAVA_U32 source_ld;
LAVA_U32 target_ld;
LAVA_U32 rows; /* size of the chunk */
LAVA_U32 columns;
LAVA_F32 alpha;
LAVA_F32 alpha_imaginary;
LAVA_ADDRESS alpha_fp64;
LAVA_ADDRESS alpha_imaginary_fp64;
LAVA_BLOCK_END(lava_scale_constants)
#endif

/* Values of `structure` and `stored` of a square: those of enum lava_structure and enum lava_region. */
#define LAVA_SQUARE_HERMITIAN  2
#define LAVA_SQUARE_TRIANGULAR 3
#define LAVA_SQUARE_LOWER      1

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_SQUARE)
LAVA_BLOCK_BEGIN(lava_square_constants)
LAVA_ADDRESS source; /* a square on the diagonal of the stored matrix, column-major */
LAVA_ADDRESS target; /* the same square of op(X), column-major */
LAVA_U32 source_ld;
LAVA_U32 target_ld;
LAVA_U32 size;          /* rows and columns */
LAVA_U32 element_words; /* of 32 bits */
LAVA_U32 part_words;    /* half as many in an element of a complex type */
LAVA_U32 structure;
LAVA_U32 stored;     /* which triangle is read */
LAVA_U32 transposed; /* 1: the target is the source transposed */
LAVA_U32 conjugate;  /* 1: elements of the stored triangle get the opposite sign of im */
LAVA_U32 unit_diagonal;
LAVA_BLOCK_END(lava_square_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_FINISH)
LAVA_BLOCK_BEGIN(lava_epilogue_constants)
LAVA_ADDRESS source; /* accumulators written by multiply */
LAVA_ADDRESS target; /* compact result, column-major, in the module's type */
LAVA_ADDRESS slice_stride;
LAVA_U32 slices;
LAVA_U32 source_ld;
/* four elements per word, per result column; for complex results source_ld is in parts */
LAVA_U32 words_per_column;
LAVA_U32 words; /* in the whole result */
LAVA_F32 alpha;
LAVA_ADDRESS alpha_fp64; /* the bits of a double, for fp64 */
LAVA_U32 source_each;    /* batch, whose products are along z: elements from one product to the next */
LAVA_U32 target_each;
/* The rest is used for complex results. */
LAVA_ADDRESS alpha_imaginary_fp64;
LAVA_F32 alpha_imaginary;
LAVA_BLOCK_END(lava_epilogue_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_UPDATE)
LAVA_BLOCK_BEGIN(lava_update_constants)
LAVA_ADDRESS source; /* accumulators written by multiply */
LAVA_ADDRESS target; /* a block of C, column-major */
LAVA_ADDRESS slice_stride;
LAVA_ADDRESS alpha_fp64; /* scalars for fp64: the bits of a double */
LAVA_ADDRESS alpha_imaginary_fp64;
LAVA_ADDRESS beta_fp64;
LAVA_ADDRESS beta_imaginary_fp64;
LAVA_F32 alpha;
LAVA_F32 alpha_imaginary;
LAVA_F32 beta;
LAVA_F32 beta_imaginary;
LAVA_U32 slices;    /* 0: nothing was multiplied; C <- beta C */
LAVA_U32 source_ld; /* of complex types: in parts */
LAVA_U32 target_ld; /* in elements; even for half precision, where rows begin at whole words */
LAVA_U32 rows;      /* of the block */
LAVA_U32 columns;
LAVA_U32 region;
LAVA_I32 diagonal;      /* element (i, j) lies on C's diagonal if i = j + diagonal */
LAVA_U32 real_diagonal; /* 1: imaginary parts on the diagonal are not read, and written as zero */
LAVA_BLOCK_END(lava_update_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_TRIDIAGONAL_REFLECTORS)
LAVA_BLOCK_BEGIN(lava_tridiagonal_reflectors_constants)
LAVA_ADDRESS source; /* the element that row 0 of V's first column would be of */
LAVA_ADDRESS v;
LAVA_I32 column_step; /* elements from a column of the source to the next one */
LAVA_U32 ldv;
LAVA_U32 rows; /* of V */
LAVA_U32 columns;
LAVA_I32 one; /* the row of V's first column that has its one */
LAVA_I32 one_step;
LAVA_U32 element_words; /* as above */
LAVA_U32 one_word;
LAVA_U32 one_bits;
LAVA_BLOCK_END(lava_tridiagonal_reflectors_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_EXPAND)
LAVA_BLOCK_BEGIN(lava_expand_constants)
LAVA_ADDRESS source; /* real */
LAVA_ADDRESS target; /* complex */
LAVA_U32 ld;         /* in elements */
LAVA_U32 ldt;
LAVA_U32 rows;
LAVA_U32 columns;
LAVA_U32 number_words; /* 1 or 2 */
LAVA_BLOCK_END(lava_expand_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_ARRANGE)
LAVA_BLOCK_BEGIN(lava_arrange_constants)
LAVA_ADDRESS source;
LAVA_ADDRESS target;
LAVA_ADDRESS of_source_fp64; /* s, t and u, in both widths */
LAVA_ADDRESS of_unit_fp64;
LAVA_ADDRESS of_target_fp64;
LAVA_F32 of_source;
LAVA_F32 of_unit;
LAVA_F32 of_target;
LAVA_U32 ld; /* in elements */
LAVA_U32 ldt;
LAVA_U32 rows; /* of the target */
LAVA_U32 columns;
LAVA_U32 flags;
LAVA_BLOCK_END(lava_arrange_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_COLUMN_NORMS)
LAVA_BLOCK_BEGIN(lava_column_norms_constants)
LAVA_ADDRESS matrix;
LAVA_ADDRESS squares; /* a real number for each column */
LAVA_U32 ld;
LAVA_U32 rows;
LAVA_U32 columns;
LAVA_BLOCK_END(lava_column_norms_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_BISECTION)
LAVA_BLOCK_BEGIN(lava_bisection_constants)
LAVA_ADDRESS diagonal;
LAVA_ADDRESS squares; /* of what is beside it: element i belongs to row i and the one before; the first is 0 */
LAVA_ADDRESS low;     /* of the intervals; `count` of them */
LAVA_ADDRESS high;
LAVA_U32 order;
LAVA_U32 first; /* the number of the first eigenvalue, from 0 on */
LAVA_U32 count;
LAVA_BLOCK_END(lava_bisection_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_COPY)
LAVA_BLOCK_BEGIN(lava_copy_constants)
LAVA_ADDRESS source; /* the first column; a multiple of 4 */
LAVA_ADDRESS target;
LAVA_ADDRESS source_pitch; /* bytes from one column to the next, a multiple of 4 */
LAVA_ADDRESS target_pitch;
LAVA_U32 bytes; /* of each column, even */
LAVA_U32 columns;
LAVA_BLOCK_END(lava_copy_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_TRIDIAGONAL)
LAVA_BLOCK_BEGIN(lava_tridiagonal_constants)
LAVA_ADDRESS a;        /* element (0, 0): the first one of a lower triangle, the last one of an upper triangle */
LAVA_ADDRESS v;        /* row 0 of V, W and V again, LAVA_TRIDIAGONAL_PANEL columns each */
LAVA_ADDRESS tau;      /* that of column 0; E's element is `order` elements after it */
LAVA_ADDRESS diagonal; /* D's element 0 */
LAVA_ADDRESS work;     /* scratch: tridiagonal.glsl */
LAVA_ADDRESS state;    /* of workgroups that wait for each other: tridiagonal_panel.comp */
LAVA_ADDRESS mark;     /* a number that is -1 in the end if they waited in vain, else 0 */
LAVA_I32 row_step;     /* elements from a row to the next one, 1 or -1: in all of these */
LAVA_I32 column_step;  /* the same of columns of A */
LAVA_U32 ldv;          /* elements from a column of V to the next one */
LAVA_U32 order;        /* of A */
LAVA_U32 panel;        /* the panel's first column */
LAVA_U32 column;
LAVA_U32 flags;   /* LAVA_TRIDIAGONAL_* */
LAVA_U32 arrived; /* workgroups that have come to the waits of earlier panels */
LAVA_U32 polls;   /* reads after which a workgroup gives up */
LAVA_BLOCK_END(lava_tridiagonal_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_PIVOTED)
LAVA_BLOCK_BEGIN(lava_pivoted_constants)
LAVA_ADDRESS a;    /* column-major */
LAVA_ADDRESS form; /* tau, R's diagonal and pivots, `order` elements each; a pivot is a word */
LAVA_ADDRESS work; /* scratch: pivoted.glsl */
LAVA_U32 ld;       /* in elements */
LAVA_U32 rows;     /* of A */
LAVA_U32 columns;
LAVA_U32 order;  /* reflections */
LAVA_U32 block;  /* the block's first column */
LAVA_U32 column; /* of the reflection; one before the first column if there is none yet */
LAVA_U32 flags;  /* LAVA_PIVOTED_* */
LAVA_BLOCK_END(lava_pivoted_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_BIDIAGONAL)
LAVA_BLOCK_BEGIN(lava_bidiagonal_constants)
LAVA_ADDRESS a;    /* column-major */
LAVA_ADDRESS form; /* tauq, taup, D and E, `columns` elements each */
LAVA_ADDRESS work; /* scratch: bidiagonal.glsl */
LAVA_U32 ld;       /* in elements */
LAVA_U32 rows;     /* of A, at least as many as columns */
LAVA_U32 columns;
LAVA_U32 first; /* the vector's first row; right: its first column */
LAVA_U32 pairs; /* the panel's reflections so far */
LAVA_U32 flags; /* LAVA_BIDIAGONAL_* */
LAVA_BLOCK_END(lava_bidiagonal_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_DIVIDE)
LAVA_BLOCK_BEGIN(lava_divide_constants)
LAVA_ADDRESS q;         /* the vectors so far, column-major */
LAVA_ADDRESS gathered;  /* Q2 */
LAVA_ADDRESS s;         /* the vectors of the merged problems; the leaves at first */
LAVA_ADDRESS numbers;   /* poles, weights, rho of each merge */
LAVA_ADDRESS words;     /* sources, places, merges */
LAVA_ADDRESS rotations; /* of all merges */
LAVA_ADDRESS results;   /* scratch: divide.glsl */
LAVA_U32 ldq;           /* in elements */
LAVA_U32 ld;            /* of Q2 and S */
LAVA_U32 ld_leaves;
LAVA_U32 order;
LAVA_U32 merges;
LAVA_U32 each; /* workgroups' tasks for each merge, at most */
LAVA_U32 mode; /* LAVA_DIVIDE_* of columns; of vectors: 0: weights, 1: vectors */
LAVA_BLOCK_END(lava_divide_constants)
#endif

#endif
