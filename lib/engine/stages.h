/* The compute stages of one run of the engine: operands packed, blocks of C multiplied and finished. They
 * record commands and leave the order of things to the engine. Private to engine.c and stages.c. */
#ifndef LAVA_ENGINE_STAGES_H
#define LAVA_ENGINE_STAGES_H

#include "lib/engine/engine.h"

/* What one run of the engine knows. */
struct lava_run {
    struct lava_engine *engine;
    struct lava_device *device;
    const struct lava_problem *caller;  /* as it was asked for */
    const struct lava_problem *problem; /* the real product that is computed: the same, or one of parts */
    int64_t each; /* rows of op(B) for one of the caller's, and columns: 1, or 2 of parts */
    const struct lava_plan *plan;
    const struct lava_pipeline *multiply, *epilogue, *pack_a, *pack_b;
    const struct lava_pipeline *split;             /* NULL: there are no parts */
    const struct lava_pipeline *screen, *fallback; /* NULL: no tile is screened out */
    enum lava_type result_type;                    /* of what comes down */
    struct lava_transfer transfer;
    struct lava_stamps stamps;
    uint32_t repeat;
    uint32_t units_per_dispatch;
    uint32_t packs_of_b; /* so far: which of the two buffers is next */
    uint32_t lists_used; /* a bit for each list of tiles that a dispatch of this run reads */
    struct lava_download downloads[LAVA_BLOCKING_BLOCKS_HELD];
    int64_t download_column[LAVA_BLOCKING_BLOCKS_HELD]; /* where the block starts in the caller's C */
    int64_t columns_started; /* of them, in the row block: whose download has begun */
};

/* A block of C: rows x columns at (row, column), and where and how it lies on the device. */
struct lava_run_block {
    int64_t row, column, rows, columns;
    uint32_t tiles_m, tiles_n;
    uint32_t place; /* of blocks_held */
};

/* Rows of a block that are multiplied by one dispatch, from a tile on. */
struct lava_run_piece {
    int64_t row, rows;
    uint32_t first_tile, tiles;
};

const struct lava_buffer *lava_stages_buffer(const struct lava_run *run, enum lava_arena_role role);

/* op(A)'s rows of the piece, K from k0. */
enum lava_status lava_stages_pack_a(struct lava_run *run, const struct lava_run_block *block,
                                    const struct lava_run_piece *piece, int64_t k0, int64_t k);
/* op(B)'s columns of the block, into the buffer that the multiply before the last one read. */
enum lava_status lava_stages_pack_b(struct lava_run *run, const struct lava_run_block *block, int64_t k0,
                                    int64_t k);
/* The piece, for the panel of K that was packed last; accumulate: it is not the first one. */
enum lava_status lava_stages_multiply(struct lava_run *run, const struct lava_run_block *block,
                                      const struct lava_run_piece *piece, int64_t k, bool accumulate,
                                      struct lava_point *done);
/* Alpha, the sum of the slices, and the block without its padding. */
enum lava_status lava_stages_epilogue(struct lava_run *run, const struct lava_run_block *block,
                                      struct lava_point *done);
/* Where the finished block is left. */
const struct lava_buffer *lava_stages_result(const struct lava_run *run, const struct lava_run_block *block,
                                             uint64_t *offset);

#endif
