/* Copies stored operands to staging memory, chunk by chunk, ahead of the commands that need them: while the
 * device's queues are fed with one chunk, the copy threads fill slots with the next ones. One user at a time.
 */
#ifndef LAVA_TRANSPORT_STAGING_H
#define LAVA_TRANSPORT_STAGING_H

#include "lib/transport/stream.h"

/* Where a slot is on the device, and in which buffer. */
const struct lava_buffer *lava_staging_buffer(const struct lava_stream *stream, uint32_t slot,
                                              uint64_t *offset);

/* Returns the next chunk when it is in its slot. The block is the one that `next` returned, or, if that is
 * NULL, the one given here. Until the device has read the slot, as stream->staged[slot] tells, it is kept. */
enum lava_status lava_staging_fetch(struct lava_stream *stream, const struct lava_stored *stored,
                                    struct lava_staged *staged);

#endif
