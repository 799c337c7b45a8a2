/* Moves matrices between user memory and the device: uploads and packs chunks of an operand, downloads blocks
 * of C and writes them back (C <- result + beta C on the CPU). The CPU copies one chunk while the bus carries
 * others. Every wait is bounded. One user at a time. */
#ifndef LAVA_ENGINE_TRANSFER_H
#define LAVA_ENGINE_TRANSFER_H

#include "dispatch/region.h"
#include "lib/engine/arena.h"
#include "lib/host/copy_pool.h"
#include "lib/vk/queue.h"

struct lava_stamps;
struct lava_download;

/* Most blocks of C that are computed or being computed but not yet in user memory. */
#define LAVA_TRANSFER_DOWNLOADS LAVA_BLOCKING_BLOCKS_HELD

struct lava_transfer {
    struct lava_device *device;
    struct lava_arena *arena;
    struct lava_copy_pool *pool;
    struct lava_stamps *stamps; /* one per role; NULL: nothing is timed */
    bool traces;                /* copies are timed too; the stamps were cleared before */
    bool from_staging;          /* pack reads staging memory; nothing is copied to raw slots */
    /* Everything goes into one submission, or a few if much is read. The result is left in staging memory.
     * Only for a product of one block whose operands fit the staging slots. */
    bool at_once;

    struct lava_point staged[LAVA_ARENA_SLOTS];  /* the device reads the staging slot until then */
    struct lava_point raw[LAVA_ARENA_RAW_SLOTS]; /* pack reads the raw slot until then */
    uint32_t next_slot, next_raw;
    uint32_t chunks;            /* chunks of operands so far */
    struct lava_point uploaded; /* the last plain upload; multiply has to wait for it */

    bool recording; /* there are commands for the compute queue that are not submitted yet */
    struct lava_commands commands;
    struct lava_point commands_wait; /* the last upload that the commands read */
    uint64_t commands_bytes;         /* at_once: bytes of staging memory that the commands read */
    bool packing;                    /* a run of packs is being timed */

    /* Downloads in the order of their start, all unfinished. Their chunks use the slots in turn. */
    struct lava_download *downloads[LAVA_TRANSFER_DOWNLOADS];
    uint32_t download_count;
    struct lava_point down[LAVA_ARENA_SLOTS]; /* reached when the slot is filled */
    uint64_t issued, written;                 /* chunks submitted and chunks written back, of all downloads */
};

/* Commands for the compute queue are collected until lava_transfer_flush. begin returns the commands to
 * record into. submit delays their start until the upload `after` (NULL: none) is reached too, and sets *done
 * to the point when they will have finished. */
enum lava_status lava_transfer_begin(struct lava_transfer *transfer, struct lava_commands *commands);
enum lava_status lava_transfer_submit(struct lava_transfer *transfer, const struct lava_point *after,
                                      struct lava_point *done);
enum lava_status lava_transfer_flush(struct lava_transfer *transfer);
/* Drops the collected commands after a failure. */
void lava_transfer_abandon(struct lava_transfer *transfer);

/* Up to LAVA_QUEUE_STAMP_PAIRS timed intervals of a queue, each with a kind. */
enum lava_stamp_kind {
    LAVA_STAMP_PACK,
    LAVA_STAMP_MULTIPLY,
    LAVA_STAMP_EPILOGUE,
    LAVA_STAMP_UPLOAD,
    LAVA_STAMP_DOWNLOAD,
    LAVA_STAMP_KINDS
};
struct lava_stamps {
    uint32_t pairs;
    uint8_t kinds[LAVA_QUEUE_STAMP_PAIRS];
};
/* Stamp the beginning and the end of an interval. They do nothing without stamps (NULL) or without room. */
void lava_transfer_stamp_begin(struct lava_transfer *transfer, const struct lava_commands *commands,
                               enum lava_stamp_kind kind);
void lava_transfer_stamp_end(struct lava_transfer *transfer, const struct lava_commands *commands);

/* A block of a stored operand and where it is packed. */
struct lava_packing {
    const void *source; /* first element */
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
    const struct lava_packing
        *twin; /* the same stored block packed a second time from the same upload, or NULL */
};

enum lava_status lava_transfer_pack(struct lava_transfer *transfer, const struct lava_packing *operand);

/* Uploads plain bytes to a device buffer (a list of tiles). */
enum lava_status lava_transfer_upload(struct lava_transfer *transfer, const void *source, uint64_t bytes,
                                      const struct lava_buffer *target, uint64_t target_offset);

/* A block of C that is being downloaded. Everything before (column `columns_done`, row `rows_done`) of the
 * block is written back. The caller owns the struct and keeps it until the download is finished. */
struct lava_download {
    const struct lava_buffer *source;
    uint64_t source_offset;
    enum lava_type source_type, target_type; /* as in struct lava_write_back */
    int64_t source_ld;
    void *target;
    int64_t target_ld;
    int64_t rows, columns;
    struct lava_region_block region; /* the part of the block that is written to C */
    bool real_diagonal;
    struct lava_scalar beta;
    struct lava_point ready; /* reached when the device has finished the block */
    /* progress */
    int64_t chunk_rows, chunk_columns, chunks, issued, written;
    int64_t columns_done, rows_done;
};

/* Queues the download behind the unfinished ones, at most LAVA_TRANSFER_DOWNLOADS in all. The commands that
 * compute the block are already submitted. */
enum lava_status lava_transfer_start_download(struct lava_transfer *transfer, struct lava_download *download);
/* Waits until at most `count` downloads are unfinished. */
enum lava_status lava_transfer_finish_downloads(struct lava_transfer *transfer, uint32_t count);
#endif
