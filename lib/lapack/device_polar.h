/* The polar factor of a matrix on the device: A = U H with orthonormal columns in U, and H Hermitian and not
 * negative. Singular values and vectors follow from H's eigenvalues and eigenvectors. A part of what
 * device_matrix.h offers, with its rules. */
#ifndef LAVA_LAPACK_DEVICE_POLAR_H
#define LAVA_LAPACK_DEVICE_POLAR_H

#include "lib/lapack/device_matrix.h"

struct lava_device_polar {
    struct lava_device_matrix a; /* at least as many rows as columns; only read. FP32, FP64, CFP32 or CFP64 */
    struct lava_device_matrix u; /* of A's size and type */
    struct lava_device_matrix work;         /* scratch of A's type, one column of this many rows: */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};
/* Returns the elements of scratch for a size. */
int64_t lava_device_polar_work_elements(enum lava_type type, int64_t rows, int64_t columns);

/* U <- the unitary polar factor, by the iteration of Nakatsukasa, Bai and Gygi ("Optimizing Halley's
 * iteration for computing the matrix polar decomposition", SIAM J. Matrix Anal. Appl. 31(5), 2010): each step
 * takes every singular value x of U to x (a + b x^2) / (1 + c x^2), which is nearer to 1. It is made of
 * products, a Cholesky factorization and solves: the QR factorization of [sqrt(c) U; I] is one by Cholesky's,
 * with a correction where c is large. Two steps do, and two polynomials, if the smallest singular value is
 * not less than 3e-7 times the norm (fp32: 1e-6), or else two more.
 *
 * Columns of U are orthonormal by some u sqrt(n), but for directions whose singular values are less than u
 * times the norm: what becomes of these is between 0 and 1. U^H A may fail to be Hermitian by more than
 * rounding, if the rows and columns of A differ much in size; the caller looks at that. What follows from a U
 * and an H that pass both has the error of LAPACK's ?gesdd.
 *
 * It waits for the device. Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, or the
 * matrices overlap; nothing was added to the stream then. LAVA_ERROR_SCALED: the sum of all squares is not a
 * finite number, LAVA_ERROR_UNDERFLOW: it is too small; LAVA_ERROR_NOT_DEFINITE: a factorization has failed.
 * U is undefined then, and the stream goes on. */
enum lava_status lava_device_polar(struct lava_stream *stream, const struct lava_device_polar *polar);

#endif
