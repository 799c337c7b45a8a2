/* The tasks of the device for one product, one after another, in order. This is the only place that walks
 * over blocks. The runner performs the tasks (lib/product/runner.c), the estimate adds up their times
 * (cost.c), and `lavablas explain --plan` prints them. Tasks are produced one at a time, not stored.
 *
 * A product that writes all of C:
 *
 *     for each row block
 *         for each column block
 *             for each panel of K
 *                 pack op(B); wait for room; for each piece of op(A): pack it, multiply it
 *             epilogue; download
 *         wait for all downloads
 *
 * A triangle of C is computed in strips: rows of the lower triangle, columns of the upper one. A strip needs
 * its own rows of op(A) and columns of op(B), and those of all strips before it, which stay packed. If op(B)
 * is op(A) transposed, one upload serves both.
 *
 *     +--+                    for each strip
 *     |0 |                        pack op(A)'s rows; pack op(B)'s columns
 *     +--+--+                     wait for room; multiply; epilogue; download
 *     |1    |                 wait for all downloads
 *     +-----+--+
 *     |2       |
 *     +--------+
 *
 * The blocks of a batch are several products each: all of C and of both operands of every one.
 *
 *     for each block
 *         pack op(B); wait for room; pack op(A); multiply; epilogue; download
 *     wait for all downloads
 *
 * If op(B) is op(A) transposed, one upload serves both there, too, and only the tiles of each C's triangle
 * are multiplied.
 *
 * If the matrices are on the device there are no downloads and no waits: the epilogue updates C.
 *
 * If C <- alpha C op(B) needs it (lava_operation_descends), the column blocks go from the last one to the
 * first.
 *
 * If only one triangle of an operand is stored, each strip of its width has several packs: the part before
 * the square on the diagonal, the square, and the part after it. A symmetric matrix has one of these parts
 * stored in the other triangle's place, transposed. A triangular one has zeros there, which are left out.
 *
 *     strip of op(A)'s rows    +--------+--+-------+       K ->
 *                              | before |sq| after |
 *                              +--------+--+-------+
 *
 * A piece of a triangular op(A) needs op(B) only up to the piece's last row, or from its first one on. So in
 * the first column block op(B), if it is fp64, is packed with the pieces, as many rows of it as a piece has,
 * before the piece. The pieces of an upper triangle go from the last one to the first. Else the device would
 * wait for all of that column block.
 *
 * If a product is added transposed (`twice`), K is that of both, one after the other: op(A) is followed by
 * op(B)' in the packed rows, op(B) by op(A)' in the packed columns. Each matrix is uploaded once.
 *
 * Several programs may share a product, each for an engine: then each takes its next block when it gets
 * there, until none is left. Every block is computed as one program for all of C computes it. A program packs
 * op(A) again when its row block is another one.
 *
 *     a triangle:             for each strip that the program takes
 *                                 of the strips up to this one that are not packed: pack what later ones need
 *                                 pack what this one alone needs
 *                                 wait for room; multiply; epilogue; download
 *
 * A strip of the lower triangle needs all columns of op(B) before its end, and no other's rows of op(A). So a
 * program skips the rows of strips that others compute, unless op(B) is op(A) transposed or the product is
 * added transposed: there one upload has both. The blocks of a batch have nothing in common.
 *
 * Pure functions on plain structs. A program belongs to one thread. */
#ifndef LAVA_DISPATCH_PROGRAM_H
#define LAVA_DISPATCH_PROGRAM_H

#include "dispatch/blocking.h"
#include "dispatch/region.h"

enum lava_task_kind {
    LAVA_TASK_PACK_A, /* upload, unless they are on the device, and pack rows [row, row + rows) of op(A), for
                         [from_k, from_k + depth) */
    LAVA_TASK_PACK_B, /* the same for op(B)'s columns */
    LAVA_TASK_WAIT,   /* until at most `unfinished` downloads are not written back to C */
    LAVA_TASK_MULTIPLY, /* rows [row, row + rows) of the block, for [first_k, first_k + k) */
    LAVA_TASK_EPILOGUE, /* alpha, sum of slices, compact result or update of C, for the whole block */
    LAVA_TASK_DOWNLOAD, /* start the block's download; a later wait writes it back */
    LAVA_TASK_KINDS
};

/* How a pack finds its part of an operand. */
enum lava_part {
    LAVA_PART_STORED, /* where it is stored */
    LAVA_PART_TURNED, /* in the other triangle, transposed */
    LAVA_PART_SQUARE  /* a square on the diagonal, of which one triangle is stored */
};

/* A block of C, in elements of the product (in parts, if it is a product of parts). The packed_ members say
 * which rows of op(A) and columns of op(B) are in the packed buffers. */
struct lava_block {
    int64_t row, rows, column, columns;
    int64_t packed_row, packed_rows, packed_column, packed_columns;
    int64_t product,
        products;      /* of a batch: the first and how many, each with these rows and columns; else 0, 1 */
    uint32_t number;   /* of the program's blocks, from 0 */
    uint32_t place;    /* index into blocking.blocks_held places */
    uint32_t buffer_b; /* index of the packed op(B) buffer, 0 or 1 */
};

struct lava_task {
    enum lava_task_kind kind;
    const struct lava_block *block; /* owned by the program; valid until the next task */
    int64_t row, rows;              /* PACK_A, MULTIPLY: absolute */
    int64_t column, columns;        /* PACK_B: absolute */
    int64_t first_k, k;             /* the panel of K */
    int64_t from_k, depth;          /* PACK: the part of it */
    enum lava_part part;
    bool serves_both; /* PACK: the same elements are packed for the other operand, too: `row` and `column` say
                       * where, and other_k is its from_k there */
    int64_t other_k;
    bool is_common; /* PACK: each of several programs that share the product packs it, if it gets that far */
    bool is_overwriting; /* PACK: overwrites what a multiply may still read */
    bool accumulates;    /* MULTIPLY: adds to the sums of earlier panels of K */
    bool is_last;        /* MULTIPLY: the last one of its block */
    uint32_t unfinished; /* WAIT */
    bool ends_rows;      /* WAIT: for all downloads of a row block, or after the last strip */
};

/* A pack that takes several tasks: rows of op(A) or columns of op(B). */
struct lava_program_pack {
    bool is_b, is_overwriting, serves_both;
    int64_t next, end;     /* the strips that are left */
    int64_t from_k, depth; /* of a general operand */
    int part, after;       /* of the strip; the stage after the pack */
};

/* Gives a program its blocks: of C, all of block_m rows and block_n columns but the last ones; of a triangle,
 * strips; of a batch, `products` products each but the last one. */
struct lava_program_share {
    /* Sets *index to the program's block with that number. C's blocks are counted row block by row block from
     * 0 on, strips from the shortest one, those of a batch from its first product. Returns false if there is
     * none; then there is none after it. Another iterator over the same program gets the same answers. */
    bool (*take)(void *context, uint32_t number, uint32_t *index);
    void *context;
};

/* Sets a block's rows, columns and products in a shared product; the operation is real, or of parts. */
void lava_program_share_place(const struct lava_operation *operation, const struct lava_blocking *blocking,
                              uint32_t index, struct lava_block *block);

struct lava_program {
    const struct lava_operation *operation; /* owned by the caller; real, or of parts */
    const struct lava_program_share
        *share; /* NULL: all of C. Else blocks have equal widths. Set after begin */
    const struct lava_kernel *kernel;
    const struct lava_blocking *blocking;
    int stage;
    int64_t row, column, first_k, piece;
    int64_t strip, packed; /* of a triangle: where the strip begins that is being packed; strips before
                            * `packed` are */
    struct lava_block block;
    struct lava_program_pack pack;
    uint32_t blocks;                /* begun so far */
    bool is_first;                  /* the block is the first one of its row block */
    uint32_t packs_of_b, downloads; /* packs so far; downloads not waited for */
    uint32_t next_place;
};

void lava_program_begin(struct lava_program *program, const struct lava_operation *operation,
                        const struct lava_kernel *kernel, const struct lava_blocking *blocking);
/* Returns false if there are no more tasks. */
bool lava_program_next(struct lava_program *program, struct lava_task *task);

/* Returns the region of C in a block. diagonal and rows are in C's own elements. */
struct lava_region_block lava_program_region(const struct lava_operation *operation,
                                             const struct lava_block *block);
/* The same in the kernel's tiles, for `rows` rows of the block from `row` on. */
struct lava_region_tiles lava_program_tiles(const struct lava_operation *operation,
                                            const struct lava_kernel *kernel, const struct lava_block *block,
                                            int64_t row, int64_t rows);

#endif
