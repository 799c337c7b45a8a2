/* Products with the Q of a tridiagonal form (device_tridiagonal.h), as LAPACK's ?ormtr and ?unmtr. A part of
 * what device_matrix.h offers, with its rules: everything in a stream happens in the order of the calls, and
 * these return before it has finished. */
#ifndef LAVA_LAPACK_DEVICE_TRIDIAGONAL_Q_H
#define LAVA_LAPACK_DEVICE_TRIDIAGONAL_Q_H

#include "lib/lapack/device_matrix.h"

struct lava_device_tridiagonal_q {
    struct lava_device_matrix a;            /* as lava_device_tridiagonal left it; only read */
    enum lava_region stored;                /* its triangle */
    struct lava_device_matrix form;         /* as that left it, too: tau comes first */
    struct lava_device_matrix c;            /* of A's type and rows, aligned */
    struct lava_device_matrix work;         /* scratch of A's type, one column of this many rows: */
    enum lava_precision precision;          /* of the products */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};
/* Returns the elements of scratch for an order and C's columns. */
int64_t lava_device_tridiagonal_q_work_elements(enum lava_type type, int64_t order, int64_t columns);

/* C <- Q C, by blocks of LAVA_QR_BLOCK reflections, three products each (device_reflectors.h).
 *
 * Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, or the matrices overlap; nothing
 * was added to the stream then. After any other failure C is undefined, and the stream has failed. */
enum lava_status lava_device_tridiagonal_multiply(struct lava_stream *stream,
                                                  const struct lava_device_tridiagonal_q *q);

/* C <- the real matrix, with imaginary parts of zero: C's type is the complex one of the matrix's. Returns
 * LAVA_ERROR_UNAVAILABLE as above. */
enum lava_status lava_device_expand(struct lava_stream *stream, const struct lava_device_matrix *real,
                                    const struct lava_device_matrix *c);

#endif
