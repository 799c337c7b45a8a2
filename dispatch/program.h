/* What the device does for one product, task by task, in order. This is the only place that walks over
 * blocks: the runner performs the tasks (lib/engine/runner.c), the estimate adds up their times (cost.c),
 * `lavablas explain --plan` prints them. Tasks are produced one after the other, not stored.
 *
 * A product with all of C written:
 *
 *     for each row block
 *         for each column block
 *             for each panel of K
 *                 pack op(B); wait for room; for each piece of op(A): pack it, multiply it
 *             epilogue; download
 *         wait for all downloads
 *
 * A triangle of C grows by strips, rows of the lower one, columns of the upper. A strip needs the rows of
 * op(A) and columns of op(B) of all strips before, which stay packed, and its own. Where op(B) is op(A)
 * transposed, one upload serves both.
 *
 *     +--+                    for each strip
 *     |0 |                        pack op(A)'s rows; pack op(B)'s columns
 *     +--+--+                     wait for room; multiply; epilogue; download
 *     |1    |                 wait for all downloads
 *     +-----+--+
 *     |2       |
 *     +--------+
 *
 * Pure functions on plain structs; a program belongs to one thread. */
#ifndef LAVA_DISPATCH_PROGRAM_H
#define LAVA_DISPATCH_PROGRAM_H

#include "dispatch/blocking.h"
#include "dispatch/region.h"

enum lava_task_kind {
    LAVA_TASK_PACK_A, /* upload `rows` rows of op(A) from `row` on, for [first_k, first_k + k), and pack them
                       */
    LAVA_TASK_PACK_B, /* the same of op(B)'s columns */
    LAVA_TASK_WAIT,   /* until at most `unfinished` downloads are not written back to C */
    LAVA_TASK_MULTIPLY, /* rows [row, row + rows) of the block, for [first_k, first_k + k) */
    LAVA_TASK_EPILOGUE, /* the block: alpha, sum of slices, compact */
    LAVA_TASK_DOWNLOAD, /* of the block begins: it is written back by a later wait */
    LAVA_TASK_KINDS
};

/* A block of C, in elements of the product (parts, where it is one of parts), and what of op(A) and op(B) the
 * packed buffers hold that it reads. */
struct lava_block {
    int64_t row, rows, column, columns;
    int64_t packed_row, packed_rows, packed_column, packed_columns;
    uint32_t place;    /* which of blocking.blocks_held */
    uint32_t buffer_b; /* which of the two for packed op(B) */
};

struct lava_task {
    enum lava_task_kind kind;
    const struct lava_block *block; /* the program's; until the next task */
    int64_t row, rows;              /* PACK_A, MULTIPLY: absolute */
    int64_t column, columns;        /* PACK_B: absolute */
    int64_t first_k, k;
    bool serves_both;    /* PACK_A: the rows are op(B)'s columns, too */
    bool is_overwriting; /* PACK: over what a multiply may still read */
    bool accumulates;    /* MULTIPLY: adds to what panels of K before left */
    bool is_last;        /* MULTIPLY: of its block */
    uint32_t unfinished; /* WAIT */
    bool ends_rows;      /* WAIT: for all downloads, of a row block or of the last strip */
};

struct lava_program {
    const struct lava_problem *problem; /* the caller's; real, or of parts */
    const struct lava_kernel *kernel;
    const struct lava_blocking *blocking;
    int stage;
    int64_t row, column, first_k, piece;
    struct lava_block block;
    uint32_t packs_of_b, downloads; /* so far; not waited for */
    uint32_t next_place;
};

void lava_program_begin(struct lava_program *program, const struct lava_problem *problem,
                        const struct lava_kernel *kernel, const struct lava_blocking *blocking);
/* False: there are no more. */
bool lava_program_next(struct lava_program *program, struct lava_task *task);

/* The region of C in a block: diagonal and rows in C's own elements. */
struct lava_region_block lava_program_region(const struct lava_problem *problem,
                                             const struct lava_block *block);
/* The same in the kernel's tiles, for rows of the block from `row` on. */
struct lava_region_tiles lava_program_tiles(const struct lava_problem *problem,
                                            const struct lava_kernel *kernel, const struct lava_block *block,
                                            int64_t row, int64_t rows);

#endif
