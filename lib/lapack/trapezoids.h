/* Takes a matrix to the device in trapezoids, as it is stored, and brings a result back (dispatch/solve.h).
 * Used by lapack_runner.c and qr_runner.c. One user at a time. */
#ifndef LAVA_LAPACK_TRAPEZOIDS_H
#define LAVA_LAPACK_TRAPEZOIDS_H

#include "dispatch/plan.h"
#include "lib/lapack/device_matrix.h"
#include "lib/transport/download.h"

/* Downloads under way at once: one is written back while another is on the bus. */
#define LAVA_TRAPEZOIDS_HELD 3

struct lava_trapezoids {
    /* the caller sets these; the matrix may be a block of whole columns */
    struct lava_stream *stream;
    struct lava_device_matrix matrix;
    enum lava_region region; /* the part that is transferred; the rest of a trapezoid is not written */
    const void *first;       /* in host memory */
    int64_t ld;
    struct lava_point after; /* uploads wait for it; zero: for nothing */
    /* zero at first */
    struct lava_download downloads[LAVA_TRAPEZOIDS_HELD];
    int64_t parts[LAVA_TRAPEZOIDS_HELD]; /* the trapezoids that these download */
    int64_t started;                     /* trapezoids that are, or were, being downloaded */
    int64_t staged;                      /* trapezoids that were staged ahead */
    bool descends;                       /* as of the result */
    bool is_written;                     /* all of the result is */
};

/* Returns the next trapezoid that will be uploaded, for stream->staging.next; false: there is none. */
bool lava_trapezoids_stage(struct lava_trapezoids *trapezoids, struct lava_stored *stored);
/* matrix <- host memory. Nothing uses the matrix that is added to the stream later. */
enum lava_status lava_trapezoids_upload(const struct lava_trapezoids *trapezoids);

/* Host memory <- a result as large as the matrix, finished at that point, or, if it is zero, when
 * everything is that was added so far. Returns when it is written. No other download may be unfinished. */
struct lava_trapezoids_result {
    struct lava_device_matrix matrix;
    void *first;
    int64_t ld;
    struct lava_point after;
    bool descends; /* columns are written from the last one to the first */
};
enum lava_status lava_trapezoids_download(struct lava_trapezoids *trapezoids,
                                          const struct lava_trapezoids_result *result);
/* Returns how many whole columns of the result are written. The number is right after lava_download_settle.
 */
int64_t lava_trapezoids_written(const struct lava_trapezoids *trapezoids);

#endif
