/* Eigenvalues and eigenvectors of a symmetric tridiagonal matrix on the device, by divide and conquer, as
 * LAPACK's ?stedc. A part of what device_matrix.h offers, but this waits for the device: the result is there
 * when it returns. */
#ifndef LAVA_LAPACK_DEVICE_DIVIDE_H
#define LAVA_LAPACK_DEVICE_DIVIDE_H

#include "lib/lapack/device_matrix.h"

/* The symmetric tridiagonal matrix with diagonal d and subdiagonal e. */
struct lava_device_divide {
    enum lava_type type;         /* FP32 or FP64 */
    int64_t order;               /* positive */
    void *d, *e;                 /* in host memory: order and order - 1 elements. d <- the eigenvalues,
                                  * ascending; e is destroyed */
    struct lava_device_matrix q; /* order x order, real, of `type`, aligned: <- the eigenvectors, in the order
                                  * of d */
    struct lava_device_matrix work;         /* scratch of `type`, one column of this many rows: */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};
int64_t lava_device_divide_work_elements(enum lava_type type, int64_t order);

/* Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, q and work overlap, or the device
 * cannot compute in the type; nothing was added to the stream then. Returns LAVA_ERROR_SCALED if d or e is
 * not finite. After any other failure d, e and q are undefined, and the stream has failed. */
enum lava_status lava_device_divide(struct lava_stream *stream, const struct lava_device_divide *divide);

#endif
