/* QR factorization with column pivoting on the device, as LAPACK's ?geqp3. A part of what device_matrix.h
 * offers, with its rules: everything in a stream happens in the order of the calls, and these return before
 * it has finished. */
#ifndef LAVA_LAPACK_DEVICE_PIVOTED_QR_H
#define LAVA_LAPACK_DEVICE_PIVOTED_QR_H

#include "lib/lapack/device_matrix.h"

struct lava_device_pivoted_qr {
    struct lava_device_matrix a;    /* FP32, FP64, CFP32 or CFP64 */
    int64_t fixed;                  /* A's first columns that stay where they are */
    struct lava_device_matrix form; /* of A's type, one column of three elements for each reflection: all tau,
                                     * R's diagonal, and pivots, each the first word of an element. Column e
                                     * was swapped with column pivots[e], in order, both from 0; those of
                                     * fixed columns, and their elements of the diagonal, are not written */
    struct lava_device_matrix work; /* scratch of A's type, one column of this many rows: */
    enum lava_precision precision;  /* of the products of blocks */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};
int64_t lava_device_pivoted_qr_work_elements(enum lava_type type, int64_t rows, int64_t columns);

/* A <- R and the reflections of Q with A P = Q R, as ?geqrf leaves them. Fixed columns are factored as they
 * are (device_qr.h). Then each column is the one whose rest has the largest norm, the first of equals. Blocks
 * of LAVA_PIVOTED_BLOCK columns take three dispatches per column (shaders/pivoted.glsl) and a product, which
 * brings the rest of the matrix up to date. G. Quintana-Orti, X. Sun and C. H. Bischof, "A BLAS-3 version of
 * the QR factorization with column pivoting", SIAM J. Sci. Comput. 19(5), 1998.
 *
 * The error is that of Householder's method (device_qr.h). The choice of columns depends on rounding where
 * norms are nearly equal.
 *
 * Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, the matrices overlap, or the
 * device cannot compute in the type; nothing was added to the stream then. After any other failure A is
 * undefined, and the stream has failed. */
enum lava_status lava_device_pivoted_qr(struct lava_stream *stream,
                                        const struct lava_device_pivoted_qr *pivoted);

/* Must be called with the form, of `order` reflections, once it has been downloaded. Returns
 * LAVA_ERROR_STALLED as lava_device_qr_check does, LAVA_ERROR_SCALED if a number of it is not finite, and
 * LAVA_ERROR_UNDERFLOW if a reflection's norm is too small for a device that flushes subnormals: the result
 * is undefined then. */
enum lava_status lava_device_pivoted_qr_check(struct lava_device *device, enum lava_type type,
                                              const void *form, int64_t order, int64_t fixed);
/* Returns the pivot of a reflection that is not of a fixed column. */
int64_t lava_device_pivoted_qr_pivot(enum lava_type type, const void *form, int64_t order, int64_t at);

/* A's columns i and j <- each other's. The scratch is one for the factorization. */
enum lava_status lava_device_pivoted_qr_swap(struct lava_stream *stream,
                                             const struct lava_device_pivoted_qr *pivoted, int64_t i,
                                             int64_t j);

#endif
