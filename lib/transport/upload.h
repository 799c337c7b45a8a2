/* Uploads chunks of a stored operand and packs them, or packs an operand that is on the device. The CPU
 * copies one chunk while the bus carries others. One user at a time. */
#ifndef LAVA_TRANSPORT_UPLOAD_H
#define LAVA_TRANSPORT_UPLOAD_H

#include "lib/transport/stream.h"

/* How a square of which one triangle is stored becomes a matrix of all its elements, and which of them are
 * packed. */
struct lava_square {
    const struct lava_pipeline *pipeline;   /* NULL: all elements are stored */
    struct lava_square_constants constants; /* without source, target and source_ld */
    int64_t row, column;                    /* the first element that is packed */
};

/* A block of a stored operand and where it is packed. */
struct lava_packing {
    struct lava_stored stored; /* if on_device is set, `first` is its address there, and its columns begin
                                * at multiples of 16 bytes */
    int64_t rows, columns;     /* what is packed of it: all, or a part of the square */
    struct lava_square square;
    bool on_device;
    uint64_t chunk_bytes; /* on_device: a dispatch reads this much at most; 0: all. It is a matrix of the
                           * program's, and may be larger than a dispatch */
    bool transpose;       /* K runs along the rows */
    const struct lava_pipeline *pack; /* pipeline for the type, the kernel and this transposition */
    int64_t first_width, first_k;     /* within the panels at the target */
    int64_t width_filled, k_filled;   /* rows or columns, and depth, with the zeros after the last ones */
    int64_t k_padded;                 /* of the panels */
    uint32_t pack_block;              /* elements in each direction that a workgroup packs */
    uint64_t target;                  /* address of the packed operand */
    uint64_t panels, exponents;       /* addresses of its other sections; 0: none */
    /* How a complex operand becomes parts (struct lava_pack_constants). Then rows and columns count complex
     * elements, and the widths and depths count parts. parts is 0 for a real operand, and each is 1. */
    uint32_t rows_each, columns_each, parts;
    const struct lava_pipeline *scale; /* multiplies a complex operand by alpha before; or NULL */
    struct lava_scalar alpha;
    bool wait_for_readers; /* a submitted multiply may still read the target */
    uint64_t kept;         /* address in a copy that stays, where the block is stored as well; 0: nowhere */
    int64_t kept_ld;
    const struct lava_packing
        *twin; /* the same stored block packed a second time from the same upload, or NULL */
};

/* If blocks are staged ahead (stream->staging.next), the stored block must be the next of them. */
enum lava_status lava_upload_pack(struct lava_stream *stream, const struct lava_packing *operand);

/* A matrix in host memory and its place on the device. */
struct lava_upload {
    struct lava_stored stored;
    const struct lava_buffer *target;
    uint64_t target_offset;
    int64_t target_ld;
    bool fills_columns;      /* what is between its columns is its own, too, and may be written */
    struct lava_point after; /* the last commands that use the target; zero: none that is under way */
};
/* Uploads a matrix; what is added to the stream later sees it. If blocks are staged ahead
 * (stream->staging.next), the stored block must be the next of them. */
enum lava_status lava_upload_matrix(struct lava_stream *stream, const struct lava_upload *upload);

/* Uploads plain bytes to a device buffer (a list of tiles) at once: nothing that is in the stream may be
 * reading the target. */
enum lava_status lava_upload_bytes(struct lava_stream *stream, const void *source, uint64_t bytes,
                                   const struct lava_buffer *target, uint64_t target_offset);

#endif
