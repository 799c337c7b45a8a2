/* The compute stages of one run: pack operands, multiply blocks of C, epilogue. They record commands for
 * tasks of the program; the runner keeps the order. Private to lib/product. */
#ifndef LAVA_PRODUCT_STAGES_H
#define LAVA_PRODUCT_STAGES_H

#include "lib/product/run.h"

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
/* C <- beta C, if nothing is multiplied. */
enum lava_status lava_stages_scale(struct lava_run *run);
/* The buffer, and the byte offset in it, where the device leaves the finished block. The arena owns the
 * buffer. */
const struct lava_buffer *lava_stages_result(const struct lava_run *run, const struct lava_block *block,
                                             uint64_t *offset);

#endif
