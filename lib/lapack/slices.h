/* Passes the columns of a matrix that stays in host memory by what is on the device, slice by slice: solves
 * with a triangle that does not fit the device. While one slice is at work, the next one is uploaded. Used by
 * block_factorizer.c. One user at a time. */
#ifndef LAVA_LAPACK_SLICES_H
#define LAVA_LAPACK_SLICES_H

#include "dispatch/block_columns.h"
#include "lib/lapack/device_matrix.h"

struct lava_slices {
    /* the caller sets these */
    struct lava_stream *stream;
    const void *first; /* in host memory: the matrix whose columns pass by */
    int64_t ld;
    int64_t width; /* of a slice; a multiple of LAVA_BLOCK_COLUMNS_ALIGN */
    enum lava_precision precision;
    const struct lava_overrides *overrides; /* of the products */
    /* zero at first */
    struct lava_device_matrix held[LAVA_BLOCK_COLUMNS_SLICES];
    struct lava_point used[LAVA_BLOCK_COLUMNS_SLICES]; /* nothing uses the matrix after that */
    int64_t passed;                                    /* slices so far */
};

/* Makes the matrices, for columns of at most `rows` rows. Returns LAVA_ERROR_DEVICE_MEMORY without room;
 * free is allowed then. */
enum lava_status lava_slices_create(struct lava_slices *slices, struct lava_engine *engine,
                                    enum lava_type type, int64_t rows);
/* The stream must be closed. */
void lava_slices_free(struct lava_slices *slices, struct lava_engine *engine);

/* Uploads the next slice, rows x columns elements from (row, column) of the host's matrix on. It stays until
 * lava_slices_end, which is called when everything that uses it was added to the stream. */
enum lava_status lava_slices_begin(struct lava_slices *slices, int64_t row, int64_t rows, int64_t column,
                                   int64_t columns, struct lava_device_matrix *slice);
void lava_slices_end(struct lava_slices *slices);

/* B <- the X with op(T) X = B, for the triangle T of the first `order` columns. A lower T that is not
 * transposed may have more rows than columns, namely B's rows. Then the rows of B below lose what the X above
 * contribute, as in elimination. The error is that of device_solve.h. */
struct lava_slices_solve {
    struct lava_device_matrix b;
    int64_t order;
    enum lava_region stored;
    enum lava_op op;
    bool conjugate, unit_diagonal;
};
enum lava_status lava_slices_solve(struct lava_slices *slices, const struct lava_slices_solve *solve);

#endif
