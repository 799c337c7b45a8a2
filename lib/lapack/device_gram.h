/* Hermitian products and norms on the device, which the polar factor and QR by Cholesky's factor are made of.
 * A part of what device_matrix.h offers, with its rules. */
#ifndef LAVA_LAPACK_DEVICE_GRAM_H
#define LAVA_LAPACK_DEVICE_GRAM_H

#include "lib/lapack/device_matrix.h"

/* C <- beta C + alpha A^H B, whose result must be Hermitian: the upper triangle is computed, in the
 * arithmetic of the type. The lower one becomes its mirror image, or is left as it is. */
struct lava_device_gram {
    struct lava_device_matrix a, b, c; /* of one type */
    double alpha, beta;
    bool is_upper;                          /* the lower triangle is left as it is */
    const struct lava_overrides *overrides; /* for tests and benchmarks. NULL: none */
};
/* Returns what lava_device_product and lava_device_mirror return. */
enum lava_status lava_device_gram(struct lava_stream *stream, const struct lava_device_gram *gram);

/* Sets *norm to Frobenius's, which may overflow or be NaN. `squares` is scratch of A's real type, one column
 * with a row for each of A's. It waits for the device. */
enum lava_status lava_device_norm(struct lava_stream *stream, const struct lava_device_matrix *a,
                                  const struct lava_device_matrix *squares, double *norm);

#endif
