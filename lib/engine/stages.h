/* The compute stages of one run: operands packed, blocks of C multiplied, the epilogue. They record commands
 * for tasks of the program and leave the order to the runner. Private to lib/engine. */
#ifndef LAVA_ENGINE_STAGES_H
#define LAVA_ENGINE_STAGES_H

#include "dispatch/program.h"
#include "lib/engine/runner.h"
#include "lib/engine/transfer.h"

/* What one run knows. */
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
    struct lava_stamps stamps[LAVA_ROLE_COUNT];
    uint32_t repeat;
    uint32_t units_per_dispatch;
    uint32_t lists_used;    /* a bit for each list of tiles that a dispatch of this run reads */
    struct lava_point done; /* when the last task that computes will have finished */
    struct lava_download downloads[LAVA_BLOCKING_BLOCKS_HELD];
    struct lava_block blocks[LAVA_BLOCKING_BLOCKS_HELD]; /* that they belong to */
    struct lava_block started;                           /* the last block whose download has begun */
};

const struct lava_buffer *lava_stages_buffer(const struct lava_run *run, enum lava_arena_role role);

/* Uploads and packs op(A)'s rows or op(B)'s columns, or both from one upload. */
enum lava_status lava_stages_pack(struct lava_run *run, const struct lava_task *task);
/* Multiplies what was packed before. *done tells when it will have finished. */
enum lava_status lava_stages_multiply(struct lava_run *run, const struct lava_task *task,
                                      struct lava_point *done);
/* Alpha, the sum of the slices, and the block without its padding. */
enum lava_status lava_stages_epilogue(struct lava_run *run, const struct lava_block *block,
                                      struct lava_point *done);
/* Where the finished block is left. */
const struct lava_buffer *lava_stages_result(const struct lava_run *run, const struct lava_block *block,
                                             uint64_t *offset);

#endif
