/* Eigenvalues of a real symmetric tridiagonal matrix by multisection on the device, as LAPACK's ?stebz finds
 * them. A part of what device_matrix.h offers. It returns when the host has the values. */
#ifndef LAVA_LAPACK_DEVICE_BISECTION_H
#define LAVA_LAPACK_DEVICE_BISECTION_H

#include "lib/lapack/device_matrix.h"

struct lava_device_bisection {
    enum lava_type type;            /* LAVA_TYPE_FP32 or LAVA_TYPE_FP64 */
    int64_t order;                  /* positive */
    const void *d, *e;              /* in host memory: order and order - 1 elements, finite */
    int64_t first, count;           /* of the values in ascending order, from 0 on; at least one */
    void *values;                   /* in host memory: <- count elements, ascending */
    struct lava_device_matrix work; /* scratch of the type, one column of this many rows: */
};
int64_t lava_device_bisection_work_elements(int64_t order);

/* Each value is the middle of an interval of which the counts of negative pivots say that it is there. Its
 * error is that of such counts, a few units of |T| (W. Kahan, "Accurate eigenvalues of a symmetric
 * tri-diagonal matrix", Stanford CS41, 1966). T is multiplied by a power of two before, so that its norm is
 * about 1.
 *
 * Returns LAVA_ERROR_UNAVAILABLE if sizes or types do not match; nothing was added to the stream then. After
 * any other failure the values are undefined, and the stream has failed. */
enum lava_status lava_device_bisect(struct lava_stream *stream,
                                    const struct lava_device_bisection *bisection);

#endif
