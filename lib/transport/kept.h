/* Matrices that stay on the device between calls (lib/engine/residents.h). Their stale parts are uploaded
 * first. New copies of a product's operands get what the packs upload anyway. One user at a time. */
#ifndef LAVA_TRANSPORT_KEPT_H
#define LAVA_TRANSPORT_KEPT_H

#include "lib/transport/stream.h"

/* One of the matrices that the operation only reads, if it is flagged as staying: takes the copy; uploads
 * what is stale of it, and if LAVABLAS_RESIDENT=check compares it: if it differs it is given up, and *kept is
 * empty then; gives it back, when the stream is closed with that status. An empty one is allowed there. */
bool lava_kept_take(struct lava_engine *engine, const struct lava_operation *operation, bool is_b,
                    struct lava_resident_hold *kept);
enum lava_status lava_kept_fill(struct lava_stream *stream, struct lava_resident_hold *kept);
void lava_kept_return(struct lava_device *device, struct lava_resident_hold *kept, enum lava_status status);

/* The same for A and B of a product, which pack reads. Takes the operands that the operation has flagged as
 * staying, as far as they are there, and uploads to them. Called before anything is staged ahead. What is not
 * taken is imported or copied. */
enum lava_status lava_kept_open(struct lava_stream *stream, const struct lava_operation *operation);
/* Returns whether the block of the operand is on the device. If so, stored->first becomes its address there,
 * and its ld that of the copy. */
bool lava_kept_find(const struct lava_stream *stream, const struct lava_operation *operation, bool is_b,
                    struct lava_stored *stored);
/* Returns where a block of A or B that is about to be packed belongs in a copy that is new, and the copy's
 * ld; 0: nowhere, or it is there already. */
uint64_t lava_kept_target(struct lava_stream *stream, bool is_b, const struct lava_stored *stored,
                          int64_t *ld);
/* C is written: finds out what has come to new copies. The rest stays stale, and goes up in the next call. A
 * failure here ends a copy, and not the product. */
void lava_kept_complete(struct lava_stream *stream);
/* Gives them back. The stream is closed; status is its result. */
void lava_kept_close(struct lava_stream *stream, enum lava_status status);

#endif
