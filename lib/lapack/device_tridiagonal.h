/* Reduction of a Hermitian matrix to tridiagonal form on the device, as LAPACK's ?sytrd and ?hetrd. A part of
 * what device_matrix.h offers, with its rules: everything in a stream happens in the order of the calls, and
 * these return before it has finished. */
#ifndef LAVA_LAPACK_DEVICE_TRIDIAGONAL_H
#define LAVA_LAPACK_DEVICE_TRIDIAGONAL_H

#include "lib/lapack/device_matrix.h"

struct lava_device_tridiagonal {
    struct lava_device_matrix a;    /* FP32, FP64, CFP32 or CFP64; square */
    enum lava_region stored;        /* its triangle */
    struct lava_device_matrix form; /* of A's type, one column of three times A's rows: tau, and the real
                                     * numbers E and D, as LAPACK counts them. The last one of E is not
                                     * written, that of tau tells whether workgroups gave up */
    struct lava_device_matrix work; /* scratch of A's type, one column of this many rows: */
    enum lava_precision precision;  /* of the products */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};
int64_t lava_device_tridiagonal_work_elements(enum lava_type type, int64_t order);

/* A's triangle <- T = Q^H A Q on the diagonal and beside it, and the reflections of Q elsewhere. Panels of
 * LAVA_TRIDIAGONAL_PANEL columns take one dispatch, or two per column (shaders/tridiagonal.glsl), and a
 * product, which brings the rest of the matrix up to date. J. J. Dongarra, S. J. Hammarling and D. C.
 * Sorensen, "Block reduction of matrices to condensed forms for eigenvalue computations", J. Comput. Appl.
 * Math. 27, 1989.
 *
 * The error is that of Householder's method: T is that of A + E, ||E|| <= c n u ||A|| for a small c (Higham,
 * "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 19.3).
 *
 * Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, the matrices overlap, or the
 * device cannot compute in the type; nothing was added to the stream then. After any other failure A is
 * undefined, and the stream has failed. */
enum lava_status lava_device_tridiagonal(struct lava_stream *stream,
                                         const struct lava_device_tridiagonal *tridiagonal);

/* Must be called with the form once it has been downloaded. Returns LAVA_ERROR_SCALED if a number of it is
 * not finite, and LAVA_ERROR_UNDERFLOW if a reflection's norm is too small for a device that flushes
 * subnormals, and LAVA_ERROR_STALLED if workgroups that should have run at the same time waited for each
 * other in vain: the result is undefined then. Columns have two dispatches on the device after that. */
enum lava_status lava_device_tridiagonal_check(struct lava_device *device, enum lava_type type,
                                               const void *form, int64_t order);

#endif
