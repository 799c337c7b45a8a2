/* The state of one run of a program: what its tasks share. The runner makes it, the stages read and advance
 * it. Private to lib/product. */
#ifndef LAVA_PRODUCT_RUN_H
#define LAVA_PRODUCT_RUN_H

#include "dispatch/policy.h"
#include "dispatch/program.h"
#include "lib/engine/engine.h"
#include "lib/transport/download.h"
#include "lib/transport/left_result.h"
#include "lib/transport/stream.h"

struct lava_left_tiles;

struct lava_run {
    struct lava_engine *engine;
    struct lava_device *device;
    const struct lava_operation *caller;    /* the caller's operation */
    const struct lava_operation *operation; /* the real product: the same, or one of parts */
    int64_t each;                           /* rows and columns of op(B) per stored one: 1, or 2 for parts */
    const struct lava_plan *plan;
    const struct lava_pipeline *multiply, *epilogue, *update;
    const struct lava_pipeline *pack[2][2];        /* of op(A) and op(B); [1]: K runs along the stored rows */
    const struct lava_pipeline *scale;             /* multiplies A by alpha; NULL: the sum is multiplied */
    const struct lava_pipeline *square;            /* NULL: all of A and B is stored */
    const struct lava_pipeline *screen, *fallback; /* NULL: no tile is screened out */
    enum lava_type result_type;                    /* element type of the downloaded result */
    struct lava_stream *stream;
    const struct lava_program_share *share; /* NULL: the run computes all of C */
    uint32_t repeat;
    uint32_t units_per_dispatch;
    struct lava_point done; /* reached when the last compute task has finished */
    struct lava_download downloads[LAVA_BLOCKING_BLOCKS_HELD];
    struct lava_block blocks[LAVA_BLOCKING_BLOCKS_HELD]; /* the blocks of these downloads */
    struct lava_block started;                           /* the last block whose download was started */
    struct lava_left_result left;                        /* what stays of C */
    const struct lava_buffer *matrices[3];               /* by residues: A, B and C; else NULL */
    struct lava_left_tiles *left_tiles;                  /* that the plan leaves to the CPU; NULL: none */
};

static inline const struct lava_buffer *lava_run_buffer(const struct lava_run *run,
                                                        enum lava_arena_role role) {
    return &run->engine->arena.buffers[role];
}

/* Returns the buffer that holds the block's packed op(B). */
static inline const struct lava_buffer *lava_run_packed_b(const struct lava_run *run,
                                                          const struct lava_block *block) {
    return lava_run_buffer(run, block->buffer_b ? LAVA_ARENA_PACKED_B_OTHER : LAVA_ARENA_PACKED_B);
}

#endif
