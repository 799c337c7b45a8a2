/* Copies columns from one distance to another, on the device. Called by upload.c and download.c: a block of a
 * matrix is moved by the bus as one piece, without what lies between its columns. One user at a time. */
#ifndef LAVA_TRANSPORT_COLUMNS_H
#define LAVA_TRANSPORT_COLUMNS_H

#include "lib/transport/stream.h"

struct lava_columns {
    uint64_t source, target;             /* addresses on the device, multiples of 4 */
    uint64_t source_pitch, target_pitch; /* bytes from one column to the next, multiples of 4 */
    uint64_t bytes;                      /* of each, even, below 2^32 */
    uint64_t count;
};

/* Records the copy, without any order. */
enum lava_status lava_columns_record(struct lava_stream *stream, const struct lava_commands *commands,
                                     const struct lava_columns *columns);
/* Records the copy behind everything that the stream has recorded. It starts when the upload `after` (NULL:
 * none) is reached, too. The target is visible to later dispatches and to the host. *done is reached when it
 * has been written. kind: what it is timed as. */
enum lava_status lava_columns_copy(struct lava_stream *stream, const struct lava_columns *columns,
                                   enum lava_stamp_kind kind, const struct lava_point *after,
                                   struct lava_point *done);

#endif
