/* Matrices between user memory and the device: chunks of an operand up and packed, a block of C down and
 * merged. The CPU copies chunk i + 1 while the bus carries chunk i; every wait is bounded. One user at a
 * time. */
#ifndef LAVA_EXEC_TRANSFER_H
#define LAVA_EXEC_TRANSFER_H

#include "lib/cpu/copy_pool.h"
#include "lib/exec/workspace.h"
#include "lib/vk/queue.h"

struct lava_stamps;

struct lava_transfer {
    struct lava_device *device;
    struct lava_workspace *workspace;
    struct lava_copy_pool *pool;
    struct lava_stamps *stamps;                   /* NULL: packing is not timed */
    struct lava_point up[LAVA_WORKSPACE_SLOTS];   /* when the device is done with the slot */
    struct lava_point down[LAVA_WORKSPACE_SLOTS]; /* when the slot is filled */
    uint32_t next_up;
    struct lava_point uploaded; /* the last plain upload: multiply has to wait for it */
};

/* Up to LAVA_QUEUE_STAMP_PAIRS timed stretches of the compute queue, each of a kind. */
enum lava_stamp_kind { LAVA_STAMP_PACK, LAVA_STAMP_MULTIPLY, LAVA_STAMP_FINISH, LAVA_STAMP_KINDS };
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
    const struct lava_buffer *target;
    bool wait_for_readers; /* the target may still be read by a multiply that was submitted */
};

enum lava_status lava_transfer_pack(struct lava_transfer *transfer, const struct lava_operand *operand);

/* Plain bytes to a device buffer (a schedule). */
enum lava_status lava_transfer_upload(struct lava_transfer *transfer, const void *source, uint64_t bytes,
                                      const struct lava_buffer *target, uint64_t target_offset);

/* A block of C on its way down. Everything before (column `columns_done`, row `rows_done`) of the block is
 * merged. */
struct lava_download {
    const struct lava_buffer *source;
    enum lava_type source_type, target_type; /* as lava_copy_pool_merge takes them */
    int64_t source_ld;
    void *target;
    int64_t target_ld;
    int64_t rows, columns;
    float beta;
    struct lava_point ready; /* when the device has finished the block */
    /* progress */
    int64_t chunk_rows, chunk_columns, chunks, issued, merged;
    int64_t columns_done, rows_done;
};

/* Submits copies into as many slots as are free. */
enum lava_status lava_transfer_start_download(struct lava_transfer *transfer, struct lava_download *download);
/* Waits for the rest and merges it into C. */
enum lava_status lava_transfer_finish_download(struct lava_transfer *transfer,
                                               struct lava_download *download);

#endif
