/* What host and shaders share for solves with triangles, and for Cholesky's, LU and QR factorizations: sizes,
 * flags and push-constant blocks. A part of interface.h, which includes it. */
#ifndef LAVA_SHADERS_INTERFACE_FACTORS_H
#define LAVA_SHADERS_INTERFACE_FACTORS_H

/* If a device flushes subnormals, pivots, squares of roots, norms and diagonals are at least 2 to the
 * minus these: 2^10 / u times the smallest normal number. */
#define LAVA_LEAST_EXPONENT      92
#define LAVA_LEAST_EXPONENT_FP64 959
/* Solve with a triangular block of at most this many rows, in pieces of this many. A workgroup has
 * INVOCATIONS / (ORDER / PIECE) right-hand sides. With blocks of 64 there would be twice as many products,
 * which take some 10 us each however small. Complex pieces of 16 spill registers on Intel's devices
 * (Mesa 26.1: Tiger Lake, Lunar Lake, Battlemage). */
#define LAVA_SOLVE_ORDER         128
#define LAVA_SOLVE_PIECE         16
#define LAVA_SOLVE_PIECE_COMPLEX 8
#define LAVA_SOLVE_INVOCATIONS   256
#define LAVA_SOLVE_SHARED_BYTES  22016 /* at most, by fp64 */
/* Flags of solve. */
#define LAVA_SOLVE_BY_ROWS     1  /* right-hand sides are rows of B */
#define LAVA_SOLVE_TRANSPOSED  2  /* columns of T are rows of A */
#define LAVA_SOLVE_REVERSED    4  /* T is upper triangular */
#define LAVA_SOLVE_CONJUGATED  8  /* T's elements are those of A conjugated */
#define LAVA_SOLVE_UNIT        16 /* the diagonal is not read; its elements are 1 */
#define LAVA_SOLVE_KEEPS_ZEROS 32 /* elements that have become 0 are not divided */
/* Cholesky factorization of a block of at most this many rows, by one workgroup; each invocation owns a row.
 * Complex pieces of 16 would take twice the registers. Blocks are those of solve, which comes between. */
#define LAVA_CHOLESKY_ORDER         LAVA_SOLVE_ORDER
#define LAVA_CHOLESKY_TOO_SMALL     0x80000000u /* is added to the status */
#define LAVA_CHOLESKY_PIECE         16
#define LAVA_CHOLESKY_PIECE_COMPLEX 8
/* LU factorization of a panel of at most this many columns, by this many workgroups at most. */
#define LAVA_LU_PANEL           32
#define LAVA_LU_TOO_SMALL       0x80000000u /* is added to a pivot: lu.glsl */
#define LAVA_LU_INVOCATIONS     128
#define LAVA_LU_GROUPS          256
#define LAVA_LU_CANDIDATE_BYTES 16
/* Panels in one dispatch (panel.glsl), of LU and QR: what precedes the scratch for exchanges, the smallest
 * subgroups and workgroups, and the most workgroups. */
#define LAVA_PANEL_STATE_BYTES       16
#define LAVA_PANEL_SUBGROUP          4
#define LAVA_PANEL_LEAST_INVOCATIONS 64
#define LAVA_PANEL_GROUPS            256
/* Row swaps: a workgroup applies this many pivots at a time, to BATCH columns per invocation. */
#define LAVA_SWAP_PIVOTS      32
#define LAVA_SWAP_INVOCATIONS 256 /* complex fp64: one for each word of two rows per pivot */
#define LAVA_SWAP_BATCH       8
/* QR factorization of a panel of at most this many columns, by this many workgroups at most; each invocation
 * reads the key of a workgroup. The reflections of a block of panels are applied together: with 128 columns
 * the products compute more than they move. Other numbers of columns have not been tried. */
#define LAVA_QR_PANEL       32
#define LAVA_QR_INVOCATIONS 128
#define LAVA_QR_GROUPS      LAVA_QR_INVOCATIONS
#define LAVA_QR_KEY_BYTES   16
#define LAVA_QR_BLOCK       128
/* Copies of reflectors. */
#define LAVA_REFLECTORS_INVOCATIONS 256
#define LAVA_REFLECTORS_COPIES      1
#define LAVA_REFLECTORS_RESETS      2 /* the source becomes the unit matrix's columns */
#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_SOLVE)
LAVA_BLOCK_BEGIN(lava_solve_constants)
LAVA_ADDRESS a;          /* a triangular block, column-major */
LAVA_ADDRESS b;          /* right-hand sides, column-major, replaced by the solutions */
LAVA_ADDRESS alpha_fp64; /* the bits of a double, for fp64 */
LAVA_ADDRESS alpha_imaginary_fp64;
LAVA_F32 alpha;
LAVA_F32 alpha_imaginary;
LAVA_U32 lda; /* in elements; columns begin at multiples of 16 bytes */
LAVA_U32 ldb;
LAVA_U32 order; /* of the block: 1 to LAVA_SOLVE_ORDER; of steps: of the triangle */
LAVA_U32 sides; /* how many right-hand sides */
LAVA_U32 flags; /* LAVA_SOLVE_* */
LAVA_U32 step;  /* of steps: the block that is solved for, in the order of substitution */
LAVA_BLOCK_END(lava_solve_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_CHOLESKY)
LAVA_BLOCK_BEGIN(lava_cholesky_constants)
LAVA_ADDRESS a;      /* a block on the diagonal, column-major, replaced by its factor */
LAVA_ADDRESS status; /* a word: 0, or the order of the first leading minor that is not positive definite */
LAVA_U32 lda;        /* in elements; columns begin at multiples of 16 bytes */
LAVA_U32 order;      /* of the block: 1 to LAVA_CHOLESKY_ORDER */
LAVA_U32 index;      /* of the block's first row in the whole matrix, from 0 */
LAVA_U32 upper;      /* 1: U is stored, with U^H U = A; 0: L, with L L^H = A */
LAVA_BLOCK_END(lava_cholesky_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_LU)
LAVA_BLOCK_BEGIN(lava_lu_constants)
LAVA_ADDRESS a;      /* the panel's first element, column-major */
LAVA_ADDRESS pivots; /* the panel's first pivot */
LAVA_ADDRESS work;   /* scratch: lava_device_lu_work_words */
LAVA_U32 ld;         /* in elements */
LAVA_U32 rows;       /* at least as many as columns */
LAVA_U32 columns;    /* 1 to LAVA_LU_PANEL */
LAVA_U32 first_row;  /* of the matrix: pivots count its rows, from 1 */
LAVA_U32 step;       /* lu.comp: 0 to columns */
/* The rest is used with LAVA_GRID (panel.glsl). There 0 columns clear `rows` words of 64 bits of the
 * scratch. */
LAVA_U32 panel; /* panels that have used the scratch since it was cleared */
LAVA_U32 polls; /* reads of a word after which a workgroup gives up */
LAVA_BLOCK_END(lava_lu_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_SWAP)
LAVA_BLOCK_BEGIN(lava_swap_constants)
LAVA_ADDRESS a;      /* row 0 of the first column, column-major */
LAVA_ADDRESS pivots; /* row i is swapped with row pivots[i] - 1 */
LAVA_U32 ld;         /* in elements */
LAVA_U32 columns;
LAVA_U32 first; /* the rows whose pivots are used, and how many they are */
LAVA_U32 count;
LAVA_U32 backwards;     /* 1: from the last pivot to the first */
LAVA_U32 element_words; /* 1, 2 or 4 */
LAVA_BLOCK_END(lava_swap_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_QR)
LAVA_BLOCK_BEGIN(lava_qr_constants)
LAVA_ADDRESS a;    /* the panel's first element, column-major */
LAVA_ADDRESS v;    /* where V has that element */
LAVA_ADDRESS t;    /* the panel's block on T's diagonal, whose columns are LAVA_QR_BLOCK elements apart */
LAVA_ADDRESS tau;  /* the panel's first one */
LAVA_ADDRESS work; /* scratch: lava_device_qr_work */
LAVA_U32 ld;       /* in elements */
LAVA_U32 ldv;
LAVA_U32 rows;    /* at least as many as columns */
LAVA_U32 columns; /* 1 to LAVA_QR_PANEL */
LAVA_U32 above;   /* rows of V above the panel, which become zero */
LAVA_U32 step;    /* qr.comp: 0 to columns */
LAVA_U32 panel;   /* qr_panel.comp with LAVA_GRID: as in LU */
LAVA_U32 polls;
LAVA_BLOCK_END(lava_qr_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_QR_TRIANGLE)
LAVA_BLOCK_BEGIN(lava_qr_triangle_constants)
LAVA_ADDRESS gram; /* V^H V, column-major; columns are LAVA_QR_BLOCK elements apart */
LAVA_ADDRESS t;    /* as gram */
LAVA_ADDRESS tau;  /* of the first one */
LAVA_U32 order;    /* 1 to LAVA_QR_BLOCK */
LAVA_I32 tau_step; /* elements from a tau to the next one, 1 or -1 */
LAVA_BLOCK_END(lava_qr_triangle_constants)
#endif

#if !defined(LAVA_SHADER) || defined(LAVA_SHADER_REFLECTORS)
LAVA_BLOCK_BEGIN(lava_reflectors_constants)
LAVA_ADDRESS source; /* row 0 of the first column, column-major */
LAVA_ADDRESS v;
LAVA_U32 ld; /* in elements */
LAVA_U32 ldv;
LAVA_U32 rows;
LAVA_U32 columns;
LAVA_U32 first;         /* the row of the first column's diagonal */
LAVA_U32 flags;         /* LAVA_REFLECTORS_* */
LAVA_U32 element_words; /* 1, 2 or 4 */
LAVA_U32 one_word;      /* the word of an element that is not 0 if the element is 1, and its bits */
LAVA_U32 one_bits;
LAVA_BLOCK_END(lava_reflectors_constants)
#endif

#endif
