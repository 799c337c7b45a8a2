/* Cholesky factorization on the device: ?potrf. A part of what device_matrix.h offers, with its rules:
 * everything in a stream happens in the order of the calls, and a factorization returns before it has
 * finished. */
#ifndef LAVA_LAPACK_DEVICE_CHOLESKY_H
#define LAVA_LAPACK_DEVICE_CHOLESKY_H

#include "lib/lapack/device_matrix.h"

/* A <- its Cholesky factor: L with L L^H = A if LOWER is stored, U with U^H U = A if UPPER is. The
 * imaginary parts of the diagonal are not read, and written as zero. */
struct lava_device_cholesky {
    struct lava_device_matrix a; /* square, symmetric or Hermitian. FP32, FP64, CFP32 or CFP64 */
    /* An integer of 32 bits, as a matrix of type FP32 with one element. The caller sets it to 0. It becomes
     * the order of the first leading minor that is not positive definite; then A is undefined. Otherwise it
     * stays as it is. */
    struct lava_device_matrix status;
    enum lava_region stored; /* LOWER or UPPER; the other triangle is not used, whatever it is, nor changed */
    enum lava_precision precision;          /* of the products, see below */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};

/* A block of at most LAVA_CHOLESKY_ORDER rows is factored by a kernel of its own. The columns
 * of L are halved down to those of a block, always down to the last row: factor the left half, subtract its
 * products from the right half, factor this. Below a block its columns are solved for (device_solve.h). So
 * the error is that of LAPACK: |A - L L^H| <= 4 (n + 1) u |L| |L^H| for A of n rows; complex, by absolute
 * values. N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, chapter 10.
 *
 * Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, the status lies within A, or
 * the device cannot compute in the type; nothing was added to the stream then. After any other failure A is
 * undefined, and the stream has failed. */
enum lava_status lava_device_cholesky(struct lava_stream *stream,
                                      const struct lava_device_cholesky *cholesky);

/* Must be called with the status once it has been downloaded. Returns LAVA_ERROR_NOT_DEFINITE, or
 * LAVA_ERROR_UNDERFLOW if the square of an element of L's diagonal is too small for a device that flushes
 * subnormals: A is undefined then. */
enum lava_status lava_device_cholesky_check(uint32_t status);

#endif
