/* What is under way on one engine: commands that are collected for the compute queue, copies between host and
 * device, and downloads. upload.h and download.h add to it, lib/product/runner.h performs operations in it.
 * Every wait is bounded. One stream at a time on an engine, one user at a time. */
#ifndef LAVA_TRANSPORT_STREAM_H
#define LAVA_TRANSPORT_STREAM_H

#include "dispatch/import_choice.h"
#include "lib/base/stats.h"
#include "lib/engine/arena.h"
#include "lib/engine/residents.h"
#include "lib/engine/shared_staging.h"
#include "lib/host/copy_pool.h"
#include "lib/vk/queue.h"

struct lava_engine;
struct lava_download;

/* A block of a matrix in host memory, or the same block of each product of a batch. */
struct lava_stored {
    const void *first;
    int64_t ld; /* in elements */
    size_t element_bytes;
    int64_t rows, columns;
    bool is_whole;  /* it is one chunk; it must fit a slot */
    bool is_shared; /* other members of a crew upload the same block */
    /* In a batch: how many such blocks are packed side by side. Block i begins i times the stride (in
     * elements) after the first, or at sources[i] if that is not NULL. 0: one. */
    int64_t products, stride;
    const void *const *sources;
};

/* rows x columns at (row, column) of a block, or of a result. */
struct lava_chunk {
    int64_t row, column, rows, columns;
};

/* A chunk in a staging slot. Its columns begin at multiples of 16 bytes. */
struct lava_staged {
    uint32_t slot; /* from LAVA_ARENA_SLOTS on: one that is shared */
    struct lava_chunk chunk;
    int64_t first_product, products; /* of a batch; else 0, 1 */
    int64_t ld;                      /* in elements */
    uint64_t bytes;
    bool is_last; /* of its block */
    struct lava_copy_ticket copy;
};

/* Belongs to a stream, which zeroes it. */
struct lava_staging {
    /* Returns the next block that will be packed, or false: there is none. They are asked for in the order of
     * their packs. NULL: no block is known ahead. */
    bool (*next)(void *context, struct lava_stored *stored);
    void *context;

    struct lava_stored stored; /* the block that is being staged */
    bool is_open;              /* it has more chunks */
    struct lava_chunking chunking;
    int64_t row, column, columns, product; /* of its next chunk */
    uint32_t chunks;                       /* of all blocks so far */

    struct lava_staged staged[LAVA_ARENA_SLOTS]; /* copied or being copied; not fetched yet */
    uint32_t first, count, next_slot;

    struct lava_shared_member shared; /* lib/product/runner.c lets it join and leave */
    uint32_t shared_read;             /* a set of shared slots: their uploads are among the commands */
    uint32_t shared_last;             /* the same of the last chunk that was fetched; 0: it is not shared */
};

/* An operand of the stream's product. Belongs to a stream, which zeroes it. */
struct lava_import {
    enum { LAVA_IMPORT_UNTRIED, LAVA_IMPORT_MADE, LAVA_IMPORT_DECLINED } state;
    struct lava_import_pages pages; /* of the operand */
    struct lava_buffer buffer;      /* empty if the other operand's import has the pages */
    uint64_t address;               /* of the first page, on the device */
};

/* Blocks of an operand that reach its new copy while they are packed. No two of them have common elements.
 * More of them are not followed. */
#define LAVA_KEPT_BLOCKS 64
struct lava_kept_blocks {
    bool is_open;
    bool has_failed; /* after the product had ended well */
    int count;
    struct lava_chunk blocks[LAVA_KEPT_BLOCKS]; /* of the matrix */
};

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
/* Most blocks of C that are computed or being computed but not yet in user memory. */
#define LAVA_STREAM_DOWNLOADS LAVA_BLOCKING_BLOCKS_HELD

struct lava_stream {
    struct lava_engine *engine;
    struct lava_device *device; /* the engine's, as the next two */
    struct lava_arena *arena;
    struct lava_copy_pool *pool;
    bool stamped;      /* dispatches are timed */
    bool times_copies; /* copies are timed; the stamps were cleared before */
    bool traces;       /* both are, for the trace */
    uint64_t copied_bytes[LAVA_TRANSFERS], timed_bytes[LAVA_TRANSFERS];
    bool from_staging; /* pack reads staging memory; nothing is copied to raw slots */
    /* Everything goes into one submission, or a few if much is read. The result is left in staging memory.
     * This is set only for a product of one block whose operands fit the staging slots. */
    bool at_once;
    double expected_s; /* the device's time for what was added */
    enum lava_status
        failure; /* the first one, of lib/lapack/device_matrix.h's calls; then only close is allowed */

    uint32_t slots; /* staging slots that are used in turn, in each direction */
    /* The device reads the staging slot until then; shared slots come after the engine's own. */
    struct lava_point staged[LAVA_ARENA_SLOTS + LAVA_SHARED_SLOTS];
    struct lava_point raw[LAVA_ARENA_RAW_SLOTS]; /* pack reads the raw slot until then */
    struct lava_staging staging;
    struct lava_import imports[2]; /* of A and of B */
    struct lava_resident_hold kept[2];
    struct lava_kept_blocks kept_blocks[2];
    uint32_t next_raw;
    struct lava_point uploaded; /* the last plain upload; multiply has to wait for it */

    bool recording; /* there are commands for the compute queue that are not submitted yet */
    struct lava_commands commands;
    struct lava_point commands_wait; /* the last upload that the commands read */
    uint64_t commands_bytes;         /* at_once: bytes of staging memory that the commands read */
    struct lava_point computed;      /* reached when all commands so far have finished */
    uint32_t steps;                  /* that are collected */
    bool packing;                    /* a run of packs is being timed */
    uint32_t lists_used;             /* one bit per list of tiles that a dispatch reads */
    uint32_t next_list;              /* the list that is overwritten next if all are used */
    struct lava_stamps stamps[LAVA_ROLE_COUNT];

    /* Downloads in the order of their start, all unfinished. Their chunks use the slots in turn. */
    struct lava_download *downloads[LAVA_STREAM_DOWNLOADS];
    uint32_t download_count;
    struct lava_point down[LAVA_ARENA_SLOTS]; /* reached when the slot is filled */
    struct lava_copy_ticket write_backs[LAVA_ARENA_SLOTS];
    /* Chunks of all downloads: copies that were submitted, write-backs that were started and finished. */
    uint64_t issued, writing, written;
};

/* Begins an empty stream; the device must be idle. stamped: dispatches are timed, for lava_stream_time. If
 * a trace is written everything is timed. */
void lava_stream_open(struct lava_stream *stream, struct lava_engine *engine, bool stamped);
/* Finds out whether other threads of the process keep the processors busy, and tells the copy threads. Called
 * before the first copy. */
void lava_stream_look_around(struct lava_stream *stream);
/* Submits what is collected, or drops it if status is a failure, and waits until the device is idle. Adds
 * what ran to the trace. Returns status, or what went wrong now; the device is idle then or marked as failed.
 */
enum lava_status lava_stream_close(struct lava_stream *stream, enum lava_status status);

/* Commands for the compute queue are collected until lava_stream_flush. begin returns the commands to
 * record into. submit delays their start until the upload `after` (NULL: none) is reached too, and sets *done
 * to the point when they will have finished. */
enum lava_status lava_stream_begin(struct lava_stream *stream, struct lava_commands *commands);
enum lava_status lava_stream_submit(struct lava_stream *stream, const struct lava_point *after,
                                    struct lava_point *done);
enum lava_status lava_stream_flush(struct lava_stream *stream);
/* Ends a step of the stream's work, as a product on the device: submits what is collected if the device has
 * little to do, or if many steps are. */
enum lava_status lava_stream_end_step(struct lava_stream *stream);
/* Adds a dispatch that waits for all before it. N workgroups, as far as the device allows. */
enum lava_status lava_stream_dispatch(struct lava_stream *stream, const struct lava_pipeline *pipeline,
                                      const void *constants, uint32_t constants_bytes, uint32_t groups);
/* The same for n dispatches, each after the one before. *step, of the constants, counts them from 0 on.
 */
enum lava_status lava_stream_dispatch_steps(struct lava_stream *stream, const struct lava_pipeline *pipeline,
                                            const void *constants, uint32_t constants_bytes, uint32_t groups,
                                            uint32_t *step, uint32_t steps);
/* Remembers the first failure, after which nothing is added any more. Returns status. */
enum lava_status lava_stream_keep(struct lava_stream *stream, enum lava_status status);
/* Adds to the time that the device is expected to take; waits may last longer then. */
void lava_stream_expect(struct lava_stream *stream, double seconds);

/* Waits until the point is reached. The point may be among the collected commands. */
enum lava_status lava_stream_wait(struct lava_stream *stream, struct lava_point point);

/* A copy between host and device in a submission of its own, after the point `after`. Collected commands are
 * submitted first if `after` is among them or the queue is the same. */
struct lava_device_copy {
    enum lava_role role; /* selects the queue */
    const struct lava_buffer *source, *target;
    uint64_t source_offset, target_offset, bytes;
    struct lava_point uploaded; /* an upload that it also waits for; zero: none */
};

enum lava_status lava_stream_copy(struct lava_stream *stream, const struct lava_device_copy *copy,
                                  struct lava_point after, struct lava_point *done);

/* Stamp the beginning and the end of an interval. They do nothing if nothing is timed, or without room. */
void lava_stream_stamp_begin(struct lava_stream *stream, const struct lava_commands *commands,
                             enum lava_stamp_kind kind);
void lava_stream_stamp_end(struct lava_stream *stream, const struct lava_commands *commands);

/* Sums the times of each kind of dispatch, after lava_stream_close. */
void lava_stream_time(struct lava_stream *stream, uint64_t sums_ns[LAVA_STAMP_KINDS]);

#endif
