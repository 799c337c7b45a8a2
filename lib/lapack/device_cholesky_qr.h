/* QR by Cholesky's factor of A^H A on the device, for matrices with many more rows than columns: products and
 * solves that fill the device, in place of panels of reflections. A part of what device_matrix.h offers, with
 * its rules. Called by singular_runner.c. */
#ifndef LAVA_LAPACK_DEVICE_CHOLESKY_QR_H
#define LAVA_LAPACK_DEVICE_CHOLESKY_QR_H

#include "lib/lapack/device_matrix.h"

/* A = Q K B with orthonormal columns in Q K. B is not triangular, and Q K is not made: what Q K is multiplied
 * with is smaller. */
struct lava_device_cholesky_qr {
    struct lava_device_matrix a; /* at least as many rows as columns; only read. FP32, FP64, CFP32 or CFP64 */
    struct lava_device_matrix q; /* <- Q, of A's size and type */
    struct lava_device_matrix k, b;       /* <- K and B, columns x columns */
    struct lava_device_matrix one, other; /* scratch of that size */
    struct lava_device_matrix squares;    /* scratch of A's real type, one column of A's columns */
    struct lava_device_matrix status;     /* of Cholesky's factorization (device_cholesky.h) */
    const struct lava_overrides *overrides;
};

/* With R of A^H A = R^H R, Q is A R^-1, and its Gram matrix I + S. K is (I + S)^(-1/2), B is (I + S)^(1/2) R,
 * both by series: Y. Yamamoto, Y. Nakatsukasa, Y. Yanagisawa and T. Fukaya, "Roundoff error analysis of the
 * CholeskyQR2 algorithm", ETNA 44, 2015, factor I + S instead. S is as large as u times the square of A's
 * condition, when its columns are scaled.
 *
 * It waits for the device. Returns LAVA_ERROR_NOT_DEFINITE if S is too large for the series: all but A are
 * undefined then, and the stream goes on. So it is if squares overflow or underflow. */
enum lava_status lava_device_cholesky_qr(struct lava_stream *stream,
                                         const struct lava_device_cholesky_qr *qr);

#endif
