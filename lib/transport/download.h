/* Downloads blocks of C and writes them back: C <- result + beta C, on the CPU, which also multiplies the
 * result by an alpha that has an imaginary part. The products of a batch, too, and matrices from the device.
 * One user at a time. */
#ifndef LAVA_TRANSPORT_DOWNLOAD_H
#define LAVA_TRANSPORT_DOWNLOAD_H

#include "dispatch/region.h"
#include "lib/transport/stream.h"

/* A block of C that is being downloaded. Everything before (column `columns_done`, row `rows_done`) of the
 * block is written back. The caller owns the struct and keeps it until the download is finished. */
struct lava_download {
    const struct lava_buffer *source;
    uint64_t source_offset;
    enum lava_type source_type, target_type; /* as in struct lava_write_back */
    int64_t source_ld;
    bool gathers; /* columns lie far apart: the device moves them together; else what lies between comes, too
                   */
    void *target;
    int64_t target_ld;
    int64_t rows, columns;
    struct lava_region_block region; /* the part of the block that is written to C */
    bool real_diagonal;
    struct lava_scalar alpha, beta; /* as in struct lava_write_back */
    bool descends;                  /* its columns are written from the last one to the first */
    /* In a batch: the columns of each product; `columns` are those of all, one after another at the source.
     * Product i goes to the target and i times the stride (in elements) after it, or to targets[i] if that is
     * not NULL. 0: no batch. */
    int64_t columns_each, target_stride;
    void *const *targets;
    bool starts_early; /* copied as soon as the device has finished, beside uploads; else when somebody waits
                        */
    struct lava_point uploaded; /* an upload to the source that the copies also wait for; zero: none */
    struct lava_point ready;    /* reached when the device has finished the block */
    /* progress */
    int64_t staged_ld; /* leading dimension in staging memory */
    int64_t chunk_rows, chunk_columns, chunks, issued, written;
    int64_t columns_done, rows_done;
};

/* Queues the download behind the unfinished ones, at most LAVA_STREAM_DOWNLOADS in all. The commands that
 * compute the block are already submitted. */
enum lava_status lava_download_start(struct lava_stream *stream, struct lava_download *download);
/* Waits until at most `count` downloads are unfinished. */
enum lava_status lava_download_finish(struct lava_stream *stream, uint32_t count);
/* Finishes the write-backs that are under way. After a failure the progress of the downloads is true then. */
void lava_download_settle(struct lava_stream *stream);

#endif
