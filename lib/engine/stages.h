/* The compute stages of one run: pack operands, multiply blocks of C, epilogue. They record commands for
 * tasks of the program; the runner keeps the order. Private to lib/engine. */
#ifndef LAVA_ENGINE_STAGES_H
#define LAVA_ENGINE_STAGES_H

#include "dispatch/program.h"
#include "lib/engine/download.h"
#include "lib/engine/runner.h"
#include "lib/engine/stream.h"

/* The state of one run. */
struct lava_run {
    struct lava_engine *engine;
    struct lava_device *device;
    const struct lava_operation *caller;    /* the caller's operation */
    const struct lava_operation *operation; /* the real product: the same, or one of parts */
    int64_t each;                           /* rows and columns of op(B) per stored one: 1, or 2 for parts */
    const struct lava_plan *plan;
    const struct lava_pipeline *multiply, *epilogue, *update;
    const struct lava_pipeline *pack[2][2];        /* of op(A) and op(B); [1]: K runs along the stored rows */
    const struct lava_pipeline *split;             /* NULL: the product is real */
    const struct lava_pipeline *split_scaled;      /* multiplies A by alpha; NULL: the sum is multiplied */
    const struct lava_pipeline *square;            /* NULL: all of A and B is stored */
    const struct lava_pipeline *screen, *fallback; /* NULL: no tile is screened out */
    enum lava_type result_type;                    /* element type of the downloaded result */
    struct lava_stream *stream;
    uint32_t repeat;
    uint32_t units_per_dispatch;
    struct lava_point done; /* reached when the last compute task has finished */
    struct lava_download downloads[LAVA_BLOCKING_BLOCKS_HELD];
    struct lava_block blocks[LAVA_BLOCKING_BLOCKS_HELD]; /* the blocks of these downloads */
    struct lava_block started;                           /* the last block whose download was started */
};

const struct lava_buffer *lava_stages_buffer(const struct lava_run *run, enum lava_arena_role role);

/* The buffer that holds the block's packed op(B). */
const struct lava_buffer *lava_stages_packed_b(const struct lava_run *run, const struct lava_block *block);

/* Finds the stored block that a task packs. Returns false if the device reads it where the program has it,
 * and nothing is to be copied. */
bool lava_stages_copies(const struct lava_run *run, const struct lava_task *task, struct lava_stored *stored);
/* Uploads, unless they are on the device, and packs op(A)'s rows or op(B)'s columns, or both from one upload.
 */
enum lava_status lava_stages_pack(struct lava_run *run, const struct lava_task *task);
/* Multiplies what was packed before. *done is reached when the multiply has finished. */
enum lava_status lava_stages_multiply(struct lava_run *run, const struct lava_task *task,
                                      struct lava_point *done);
/* Sums the slices, multiplies by alpha and writes the block without its padding. *done is reached when it has
 * finished. */
enum lava_status lava_stages_epilogue(struct lava_run *run, const struct lava_block *block,
                                      struct lava_point *done);
/* The same for a matrix on the device: C <- alpha sums + beta C, for the elements of the region. */
enum lava_status lava_stages_update(struct lava_run *run, const struct lava_block *block);
/* C <- beta C, where nothing is multiplied. */
enum lava_status lava_stages_scale(struct lava_run *run);
/* The buffer, and the byte offset in it, where the device leaves the finished block. The arena owns the
 * buffer. */
const struct lava_buffer *lava_stages_result(const struct lava_run *run, const struct lava_block *block,
                                             uint64_t *offset);

#endif
