/* Singular values and vectors of a matrix on the device that has no fewer rows than columns, by its polar
 * factor. A part of what device_matrix.h offers, with its rules; it waits for the device between its steps.
 * Called by singular_runner.c. */
#ifndef LAVA_LAPACK_DEVICE_SINGULAR_H
#define LAVA_LAPACK_DEVICE_SINGULAR_H

#include "lib/lapack/device_matrix.h"

struct lava_device_singular {
    bool has_vectors;
    struct lava_device_matrix b;     /* aligned; <- the left vectors, or undefined */
    struct lava_device_matrix u;     /* scratch of B's size and type */
    struct lava_device_matrix right; /* of B's type, columns x columns: <- the right vectors, or undefined */
    struct lava_device_matrix other; /* scratch of that size */
    struct lava_device_matrix form;  /* scratch of B's type, one column of three times B's columns */
    struct lava_device_matrix norms; /* scratch of B's real type, one column of B's columns */
    struct lava_device_matrix work;  /* scratch of B's type, one column of this many rows: */
    void *words;                     /* host memory of this many bytes; the values are at its beginning: B's
                                      * columns, of its real type */
    const struct lava_overrides *overrides;
};
int64_t lava_device_singular_work_elements(enum lava_type type, int64_t rows, int64_t columns,
                                           bool has_vectors);
size_t lava_device_singular_words_bytes(enum lava_type type, int64_t columns);

/* B = U H with the polar factor U (device_polar.h), and H = V L V^H: the values are |L|, in descending order,
 * the right vectors V, the left ones U V. Columns of U V whose values are rounding errors are not
 * orthonormal, and are replaced by the last columns of its QR factorization. Y. Nakatsukasa and N. J. Higham,
 * "Stable and efficient spectral divide and conquer algorithms for the symmetric eigenvalue decomposition and
 * the SVD", SIAM J. Sci. Comput. 35(3), 2013.
 *
 * The values are there when it returns, the vectors when the stream gets there. LAVA_ERROR_SELF_TEST: U^H B
 * is not Hermitian, or the values cannot be right; LAVA_ERROR_STALLED, LAVA_ERROR_SCALED,
 * LAVA_ERROR_UNDERFLOW and LAVA_ERROR_NOT_DEFINITE as those of the steps. */
enum lava_status lava_device_singular(struct lava_stream *stream,
                                      const struct lava_device_singular *singular);

/* C <- op(A) B, in the arithmetic of the type. It does not wait. */
enum lava_status lava_device_singular_multiply(struct lava_stream *stream,
                                               const struct lava_overrides *overrides,
                                               const struct lava_device_matrix *a, bool adjoint,
                                               const struct lava_device_matrix *b,
                                               const struct lava_device_matrix *c);

#endif
