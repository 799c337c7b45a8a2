/* Copies and norms of matrices on the device. A part of what device_matrix.h offers, with its rules:
 * everything in a stream happens in the order of the calls, and these return before it has finished. */
#ifndef LAVA_LAPACK_DEVICE_ARRANGE_H
#define LAVA_LAPACK_DEVICE_ARRANGE_H

#include "lib/lapack/device_matrix.h"

/* B <- s op(A) + t I + u B. FP32, FP64, CFP32 or CFP64, both the same. */
struct lava_device_arrange {
    struct lava_device_matrix a; /* not read if s is 0 */
    struct lava_device_matrix b; /* not read if u is 0. It does not overlap A */
    double s, t, u;
    bool adjoint;   /* op(A) is A^H */
    bool upper;     /* what is below the diagonal of op(A) is not read, and taken for zero */
    bool from_last; /* A's columns come from the last one to the first */
};

/* Returns LAVA_ERROR_UNAVAILABLE if sizes or types do not match, or the matrices overlap; nothing was added
 * to the stream then. The same holds for the others. */
enum lava_status lava_device_arrange(struct lava_stream *stream, const struct lava_device_arrange *arrange);

/* The other triangle of A, square, <- the adjoint of the stored one, and the imaginary parts of the diagonal
 * <- 0. None of that is read. */
enum lava_status lava_device_mirror(struct lava_stream *stream, const struct lava_device_matrix *a,
                                    enum lava_region stored);

/* squares <- the sum of squares of each column of A. `squares` is of A's real type, one column, with a row
 * for each. */
enum lava_status lava_device_column_norms(struct lava_stream *stream, const struct lava_device_matrix *a,
                                          const struct lava_device_matrix *squares);

#endif
