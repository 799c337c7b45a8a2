/* Definitions shared by the shaders for dgemm by residues and their host code, as interface.h is for the
 * others (doc/notes/fp64-by-integers.md). lib/product/residue_product.c and perf/residues run them. Include after
 * interface.h.
 *
 * Lines are rows of op(A) and columns of op(B). Their residues are stored modulus by modulus, in slabs of SLAB of K:
 *
 *     (modulus i, line w, k)  ->  residues[((i * slabs + k / SLAB) * lines + w) * SLAB + k % SLAB]
 *
 * Matrices of a subgroup (KHR) are loaded as fragments, of WIDTH lines and DEPTH of K, that are contiguous. They lie where
 * their lines would be:
 *
 *     (modulus i, line w, k)  ->  residues[((i * slabs + k / SLAB) * lines + w / WIDTH * WIDTH) * SLAB +
 *                                          k % SLAB / DEPTH * WIDTH * DEPTH + w % WIDTH * DEPTH + k % DEPTH]
 *
 * which is the order of lines for WIDTH 1 and DEPTH SLAB. Lines are padded with zeros to whole tiles, and K to whole slabs. What a tile needs of a slab is contiguous, and
 * so is its block of sums:
 *
 *     (modulus i, tile t, row r, column c)  ->  sums[((i * tiles + t) * TILE_N + c) * TILE_M + r]
 *
 * where tiles are those of one dispatch.
 */
#ifndef LAVA_SHADERS_RESIDUES_H
#define LAVA_SHADERS_RESIDUES_H

#define LAVA_RESIDUES_SLAB        64
#define LAVA_RESIDUES_INVOCATIONS 256
#define LAVA_RESIDUES_LINES       64  /* a workgroup scans or converts 64 lines, */
#define LAVA_RESIDUES_DEPTH       256 /* and this much of K */
#define LAVA_RESIDUES_COLUMNS     4   /* a workgroup combines all rows and 4 columns of a tile, at a time */

/* Words of a line's description (struct lava_residues_line), and of a panel's: whether it cannot take part at all,
 * whether an element was rounded, and the fewest large elements of its lines. */
#define LAVA_RESIDUES_WORDS    8
#define LAVA_RESIDUES_GREATEST 0
#define LAVA_RESIDUES_SQUARES  1
#define LAVA_RESIDUES_LOST     2
#define LAVA_RESIDUES_LARGE    3
#define LAVA_RESIDUES_BARRED   0

/* What scan does. */
#define LAVA_RESIDUES_CLEARS   0
#define LAVA_RESIDUES_EXPONENT 1
#define LAVA_RESIDUES_NORM     2
/* Convert: imaginary parts change their sign. Scan has no signs. */
#define LAVA_RESIDUES_CONJUGATED 1
/* Added to the part of C that is written: two rows of the real product are one of C. */
#define LAVA_RESIDUES_ROW_PAIRS 4

#if !defined(LAVA_SHADER) || !defined(LAVA_SHADER_LEFT)
LAVA_BLOCK_BEGIN(lava_residues_constants)
LAVA_ADDRESS source;  /* the operand, fp64, column-major; of multiply: residues of op(A); of combine: the sums */
LAVA_ADDRESS other;   /* residues of op(B); of combine: numbers of struct lava_residues, from weights to inverse;
                         of convert: the packed operand, in panels of LINES lines; 0: none is written */
LAVA_ADDRESS target;  /* residues; sums; C */
LAVA_ADDRESS lines_a; /* descriptions of the operand's lines, or of both operands' */
LAVA_ADDRESS lines_b;
LAVA_ADDRESS panels_a; /* descriptions of panels */
LAVA_ADDRESS panels_b;
LAVA_ADDRESS alpha_fp64; /* the bits of a double */
LAVA_ADDRESS beta_fp64;
LAVA_U32 lines; /* without padding; of combine: rows of C */
LAVA_U32 k;
LAVA_U32 ld;           /* of the operand, in its elements, or of C, in numbers */
LAVA_U32 padded_lines; /* of op(A) and op(B) */
LAVA_U32 padded_lines_b;
LAVA_U32 slabs;
LAVA_U32 step;  /* of scan; of convert 0 or CONJUGATED; of multiply and combine the part of C that is written
                   (LAVA_UPDATE_ALL, ROW_PAIRS) */
LAVA_I32 level; /* lava_residues_level */
LAVA_U32 columns; /* of C */
LAVA_U32 least_weight;
LAVA_U32 limit; /* of struct lava_residues */
LAVA_I32 limit_exponent;
LAVA_U32 count;      /* of moduli */
LAVA_U32 first_tile; /* multiply, combine: the first tile along N of this dispatch */
LAVA_BLOCK_END(lava_residues_constants)
#endif

/* Tiles that the screen leaves, in fp64. */
#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_LEFT)
LAVA_BLOCK_BEGIN(lava_residues_left_constants)
LAVA_ADDRESS a; /* the packed operands */
LAVA_ADDRESS b;
LAVA_ADDRESS c;
LAVA_ADDRESS panels_a; /* descriptions of panels */
LAVA_ADDRESS panels_b;
LAVA_ADDRESS alpha_fp64;
LAVA_ADDRESS beta_fp64;
LAVA_U32 rows; /* of C */
LAVA_U32 columns;
LAVA_U32 k;
LAVA_U32 slabs; /* of a packed operand */
LAVA_U32 ldc;
LAVA_U32 span;   /* steps after which sums begin anew; 0: never */
LAVA_U32 region; /* the part of C that is written (LAVA_UPDATE_ALL, ROW_PAIRS) */
LAVA_U32 tiles_m; /* the tiles that the screen judges */
LAVA_U32 first_tile;
LAVA_U32 least_weight;
LAVA_BLOCK_END(lava_residues_left_constants)
#endif

#endif
