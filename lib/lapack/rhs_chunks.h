/* Streams the right-hand sides of a solve through the device in chunks. Its users say what is done with a
 * chunk: solver.c, factorizer.c and block_factorizer.c. One user at a time. */
#ifndef LAVA_LAPACK_RHS_CHUNKS_H
#define LAVA_LAPACK_RHS_CHUNKS_H

#include "dispatch/solve.h"
#include "lib/lapack/device_matrix.h"
#include "lib/transport/download.h"

struct lava_rhs_chunks {
    /* the caller sets these */
    struct lava_stream *stream;
    const struct lava_solve_chunks *plan;
    enum lava_type type;
    struct lava_solve_sizes sizes;
    void *first; /* in host memory; they become X */
    int64_t ld;
    bool descends; /* columns are written from the last one to the first */
    /* Adds to the stream what makes a chunk's right-hand sides X. */
    enum lava_status (*solve)(void *context, const struct lava_device_matrix *sides);
    void *context;
    /* zero at first */
    struct lava_device_matrix x[LAVA_SOLVE_HELD];
    struct lava_point solved[LAVA_SOLVE_HELD];
    struct lava_download downloads[LAVA_SOLVE_HELD];
    int64_t downloaded[LAVA_SOLVE_HELD]; /* the chunks that these download */
    int64_t staged, begun, started;      /* chunks that were staged ahead, begun; their downloads started */
};

/* Makes the matrices. Returns LAVA_ERROR_DEVICE_MEMORY if smaller chunks may fit; free is allowed then. */
enum lava_status lava_rhs_chunks_create(struct lava_rhs_chunks *chunks, struct lava_engine *engine);
/* The stream must be closed. */
void lava_rhs_chunks_free(struct lava_rhs_chunks *chunks, struct lava_engine *engine);

/* Returns the next chunk that will be uploaded, for stream->staging.next; false: there is none. */
bool lava_rhs_chunks_stage(struct lava_rhs_chunks *chunks, struct lava_stored *stored);
/* Uploads as many chunks as have a matrix and adds their solves. Nothing is written to host memory. */
enum lava_status lava_rhs_chunks_begin(struct lava_rhs_chunks *chunks);
/* Begins what is not begun, and downloads all chunks. No other download may be unfinished. */
enum lava_status lava_rhs_chunks_finish(struct lava_rhs_chunks *chunks);

/* What is written: all right-hand sides before `side`, and of the next `sides` ones whole columns, in the
 * order that `descends` says. The number is right after lava_download_settle. */
struct lava_side_progress {
    int64_t side, sides, columns;
};
struct lava_side_progress lava_rhs_chunks_progress(const struct lava_rhs_chunks *chunks);

#endif
