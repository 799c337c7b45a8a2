/* Reduction of a matrix to bidiagonal form on the device, as LAPACK's ?gebrd. A part of what device_matrix.h
 * offers, with its rules: everything in a stream happens in the order of the calls, and these return before
 * it has finished. */
#ifndef LAVA_LAPACK_DEVICE_BIDIAGONAL_H
#define LAVA_LAPACK_DEVICE_BIDIAGONAL_H

#include "lib/lapack/device_matrix.h"

struct lava_device_bidiagonal {
    struct lava_device_matrix a;    /* FP32, FP64, CFP32 or CFP64; no fewer rows than columns */
    struct lava_device_matrix form; /* of A's type, one column of four times A's columns: tauq, taup, and the
                                     * real numbers D and E, as LAPACK counts them. The last ones of taup and
                                     * E are not written */
    struct lava_device_matrix work; /* scratch of A's type, one column of this many rows: */
    enum lava_precision precision;  /* of the products of panels */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};
int64_t lava_device_bidiagonal_work_elements(enum lava_type type, int64_t rows, int64_t columns);

/* A <- B = Q^H A P, upper bidiagonal and real, and elsewhere the reflections of Q in columns and those of P
 * in rows, conjugated. A wide matrix is the adjoint of a tall one: its lower bidiagonal form is the adjoint
 * of that one's upper form, with Q and P exchanged, and so are all reflections.
 *
 * Panels of LAVA_BIDIAGONAL_PANEL columns take four dispatches per column (shaders/bidiagonal.glsl) and a
 * product, which brings the rest of the matrix up to date. J. J. Dongarra, S. J. Hammarling and D. C.
 * Sorensen, "Block reduction of matrices to condensed forms for eigenvalue computations", J. Comput. Appl.
 * Math. 27, 1989.
 *
 * The error is that of Householder's method: B is that of A + E, ||E|| <= c m u ||A|| for a small c (Higham,
 * "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 19.3).
 *
 * Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, the matrices overlap, or the
 * device cannot compute in the type; nothing was added to the stream then. After any other failure A is
 * undefined, and the stream has failed. */
enum lava_status lava_device_bidiagonal(struct lava_stream *stream,
                                        const struct lava_device_bidiagonal *bidiagonal);

/* Must be called with the form once it has been downloaded. Returns LAVA_ERROR_SCALED if a number of it is
 * not finite, and LAVA_ERROR_UNDERFLOW if a reflection's norm is too small for a device that flushes
 * subnormals: the result is undefined then. */
enum lava_status lava_device_bidiagonal_check(enum lava_type type, const void *form, int64_t columns);

#endif
