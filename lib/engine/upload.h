/* Uploads chunks of a stored operand and packs them, or packs an operand that is on the device. The CPU
 * copies one chunk while the bus carries others. One user at a time. */
#ifndef LAVA_ENGINE_UPLOAD_H
#define LAVA_ENGINE_UPLOAD_H

#include "lib/engine/stream.h"

/* A block of a stored operand and where it is packed. */
struct lava_packing {
    const void *source; /* first element; where on_device is set, its address there */
    bool on_device;     /* the operand is on the device; its columns begin at multiples of 16 bytes */
    size_t element_bytes;
    int64_t source_ld;
    int64_t rows, columns;            /* as stored */
    bool transpose;                   /* K runs along the rows */
    const struct lava_pipeline *pack; /* pipeline for the type, the kernel and this transposition */
    int64_t width_padded, k_padded;
    uint32_t pack_block;        /* elements in each direction that a workgroup packs */
    uint64_t target;            /* address of the packed operand */
    uint64_t panels, exponents; /* addresses of its other sections; 0: none */
    /* For a complex operand: the pipeline that splits it into parts, and how (struct lava_split_constants).
     * Then rows and columns count complex elements, and width_padded and k_padded count parts. NULL: the
     * operand is real. */
    const struct lava_pipeline *split;
    uint32_t rows_each, columns_each, parts;
    bool wait_for_readers; /* a submitted multiply may still read the target */
    /* In a batch: how many such blocks are packed side by side. Block i begins i times the stride (in
     * elements) after the first, or at sources[i] if that is not NULL. 0: one. */
    int64_t products, source_stride;
    const void *const *sources;
    const struct lava_packing
        *twin; /* the same stored block packed a second time from the same upload, or NULL */
};

enum lava_status lava_upload_pack(struct lava_stream *stream, const struct lava_packing *operand);

/* A matrix in host memory and its place on the device. */
struct lava_upload {
    const void *source;
    int64_t source_ld;
    size_t element_bytes;
    int64_t rows, columns;
    const struct lava_buffer *target;
    uint64_t target_offset;
    int64_t target_ld;
};
/* Uploads a matrix, after the commands so far; what is added to the stream later sees it. */
enum lava_status lava_upload_matrix(struct lava_stream *stream, const struct lava_upload *upload);

/* Uploads plain bytes to a device buffer (a list of tiles) at once: nothing that is in the stream may be
 * reading the target. */
enum lava_status lava_upload_bytes(struct lava_stream *stream, const void *source, uint64_t bytes,
                                   const struct lava_buffer *target, uint64_t target_offset);

#endif
