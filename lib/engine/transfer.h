/* Matrices between user memory and the device: chunks of an operand up and packed, blocks of C down and
 * merged. The CPU copies one chunk while the bus carries others. Every wait is bounded. One user at a time.
 */
#ifndef LAVA_ENGINE_TRANSFER_H
#define LAVA_ENGINE_TRANSFER_H

#include "dispatch/region.h"
#include "lib/engine/arena.h"
#include "lib/host/copy_pool.h"
#include "lib/vk/queue.h"

struct lava_stamps;
struct lava_download;

/* Blocks of C that are finished or will be, and are not in user memory yet. */
#define LAVA_TRANSFER_DOWNLOADS LAVA_BLOCKING_BLOCKS_HELD

struct lava_transfer {
    struct lava_device *device;
    struct lava_arena *arena;
    struct lava_copy_pool *pool;
    struct lava_stamps *stamps; /* NULL: packing is not timed */
    bool from_staging;          /* pack reads staging memory: nothing is copied to raw slots */
    /* Everything goes into one submission, or a few where much is to be read; the result is left in staging
     * memory. For a product of one block whose operands fit the staging slots. */
    bool at_once;

    struct lava_point staged[LAVA_ARENA_SLOTS];  /* the device reads the staging slot until then */
    struct lava_point raw[LAVA_ARENA_RAW_SLOTS]; /* pack reads the raw slot until then */
    uint32_t next_slot, next_raw;
    uint32_t chunks;            /* of operands so far */
    struct lava_point uploaded; /* the last plain upload: multiply has to wait for it */

    bool recording; /* commands for the compute queue that are not submitted yet */
    struct lava_commands commands;
    struct lava_point commands_wait; /* the last upload that they read */
    uint64_t commands_bytes;         /* at_once: that they read of staging memory */
    bool packing;                    /* a stretch of packs is being timed */

    /* Downloads in the order of their start, the first unfinished; their chunks use the slots in turn. */
    struct lava_download *downloads[LAVA_TRANSFER_DOWNLOADS];
    uint32_t download_count;
    struct lava_point down[LAVA_ARENA_SLOTS]; /* when the slot is filled */
    uint64_t issued, merged;                  /* chunks of all downloads */
};

/* Commands for the compute queue, collected until lava_transfer_flush: begin gives those to record into;
 * submit has them start when the upload `after` (NULL: none) is reached too, and tells in *done when they
 * will have finished. */
enum lava_status lava_transfer_begin(struct lava_transfer *transfer, struct lava_commands *commands);
enum lava_status lava_transfer_submit(struct lava_transfer *transfer, const struct lava_point *after,
                                      struct lava_point *done);
enum lava_status lava_transfer_flush(struct lava_transfer *transfer);
/* After a failure: what was collected is dropped. */
void lava_transfer_abandon(struct lava_transfer *transfer);

/* Up to LAVA_QUEUE_STAMP_PAIRS timed stretches of the compute queue, each of a kind. */
enum lava_stamp_kind { LAVA_STAMP_PACK, LAVA_STAMP_MULTIPLY, LAVA_STAMP_EPILOGUE, LAVA_STAMP_KINDS };
struct lava_stamps {
    uint32_t pairs;
    uint8_t kinds[LAVA_QUEUE_STAMP_PAIRS];
};
/* Brackets what is recorded between the two; no stamps (NULL) or no room: nothing. */
void lava_transfer_stamp_begin(struct lava_transfer *transfer, const struct lava_commands *commands,
                               enum lava_stamp_kind kind);
void lava_transfer_stamp_end(struct lava_transfer *transfer, const struct lava_commands *commands);

/* A block of a stored operand and where it goes. */
struct lava_operand {
    const void *source; /* its first element */
    size_t element_bytes;
    int64_t source_ld;
    int64_t rows, columns;            /* as stored */
    bool transpose;                   /* K runs along the rows */
    const struct lava_pipeline *pack; /* for the type, the kernel and this transposition */
    int64_t width_padded, k_padded;
    uint32_t pack_block;        /* elements each way that a workgroup packs */
    uint64_t target;            /* addresses: where the packed operand begins */
    uint64_t panels, exponents; /* and its other parts; 0: it has none */
    /* Of a complex operand: what splits it into parts, and how (struct lava_split_constants). Then rows and
     * columns count complex elements, and width_padded and k_padded parts. NULL: it is real. */
    const struct lava_pipeline *split;
    uint32_t rows_each, columns_each, parts;
    bool wait_for_readers; /* the target may still be read by a multiply that was submitted */
    const struct lava_operand
        *twin; /* the same stored block, packed a second time from the same upload; or NULL */
};

enum lava_status lava_transfer_pack(struct lava_transfer *transfer, const struct lava_operand *operand);

/* Plain bytes to a device buffer: a tile list. */
enum lava_status lava_transfer_upload(struct lava_transfer *transfer, const void *source, uint64_t bytes,
                                      const struct lava_buffer *target, uint64_t target_offset);

/* A block of C on its way down. Everything before (column `columns_done`, row `rows_done`) of the block is
 * merged. */
struct lava_download {
    const struct lava_buffer *source;
    uint64_t source_offset;
    enum lava_type source_type, target_type; /* as lava_copy_pool_write_back takes them */
    int64_t source_ld;
    void *target;
    int64_t target_ld;
    int64_t rows, columns;
    struct lava_region_block region; /* what of the block is written to C */
    bool real_diagonal;
    struct lava_scalar beta;
    struct lava_point ready; /* when the device has finished the block */
    /* progress */
    int64_t chunk_rows, chunk_columns, chunks, issued, merged;
    int64_t columns_done, rows_done;
};

/* Puts it behind those that are not finished; at most LAVA_TRANSFER_DOWNLOADS of them. Its commands are
 * submitted. */
enum lava_status lava_transfer_start_download(struct lava_transfer *transfer, struct lava_download *download);
/* Waits until at most `count` downloads are unfinished. */
enum lava_status lava_transfer_finish_downloads(struct lava_transfer *transfer, uint32_t count);
#endif
