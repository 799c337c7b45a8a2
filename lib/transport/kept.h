/* A and B of a product that stay on the device between calls (lib/engine/residents.h): what of them is stale
 * goes up first, and pack reads them there. New copies get what the packs upload anyway. One user at a time.
 */
#ifndef LAVA_TRANSPORT_KEPT_H
#define LAVA_TRANSPORT_KEPT_H

#include "lib/transport/stream.h"

/* Takes the operands that the operation has flagged as staying, as far as they are there, and uploads to
 * them. Called before anything is staged ahead. What is not taken is imported or copied. */
enum lava_status lava_kept_open(struct lava_stream *stream, const struct lava_operation *operation);
/* Returns whether the block of the operand is on the device. If so, stored->first becomes its address there,
 * and its ld that of the copy. */
bool lava_kept_find(const struct lava_stream *stream, const struct lava_operation *operation, bool is_b,
                    struct lava_stored *stored);
/* Returns where a block of A or B that is about to be packed belongs in a copy that is new, and the copy's
 * ld; 0: nowhere, or it is there already. */
uint64_t lava_kept_target(struct lava_stream *stream, bool is_b, const struct lava_stored *stored,
                          int64_t *ld);
/* C is written: finds out what has come to new copies. The rest stays stale, and goes up in the next call.
 * What fails is a copy's end, and not the product's. */
void lava_kept_complete(struct lava_stream *stream);
/* Gives them back. The stream is closed; status is its result. */
void lava_kept_close(struct lava_stream *stream, const struct lava_operation *operation,
                     enum lava_status status);

#endif
