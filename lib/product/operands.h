/* What a pack task reads, and where it writes. Called by stages.c. Private to lib/product. */
#ifndef LAVA_PRODUCT_OPERANDS_H
#define LAVA_PRODUCT_OPERANDS_H

#include "lib/product/run.h"
#include "lib/transport/upload.h"

/* Addresses of rows of op(A), or columns of op(B), in their packed buffer; 0 for sections that do not
 * exist. */
struct lava_packed_place {
    uint64_t elements, panels, exponents, arguments;
    uint32_t exponent_words; /* per panel */
};

/* Returns the place of this row of op(A), or column of op(B). k is the depth of the panel that is packed. */
struct lava_packed_place lava_operands_place_a(const struct lava_run *run, const struct lava_block *block,
                                               int64_t row, int64_t k);
struct lava_packed_place lava_operands_place_b(const struct lava_run *run, const struct lava_block *block,
                                               int64_t column, int64_t k);

/* Returns the stored block that a pack task reads, in the caller's elements. */
struct lava_stored lava_operands_stored(const struct lava_run *run, const struct lava_task *task);
/* Describes the pack. If the task serves both operands, *twin is the pack for the other one. */
struct lava_packing lava_operands_packing(const struct lava_run *run, const struct lava_task *task,
                                          struct lava_packing *twin);

#endif
