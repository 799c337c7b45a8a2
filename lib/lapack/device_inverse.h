/* Inverses on the device: ?trtri, ?lauum, and what ?getri does between them. A part of what device_matrix.h
 * offers, with its rules: everything in a stream happens in the order of the calls, and these return before
 * it has finished. */
#ifndef LAVA_LAPACK_DEVICE_INVERSE_H
#define LAVA_LAPACK_DEVICE_INVERSE_H

#include "lib/lapack/device_matrix.h"

/* A triangle, in place. */
struct lava_device_triangle {
    struct lava_device_matrix a; /* square. FP32, FP64, CFP32 or CFP64 */
    enum lava_region stored; /* LOWER or UPPER; the other triangle is not used, whatever it is, nor changed */
    bool unit_diagonal;      /* the diagonal is not used or changed; its elements are 1 */
    bool by_columns;         /* lava_device_invert: solves X A = I in place of A X = I, see below */
    enum lava_precision precision;          /* of the products, see below */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};

/* A <- its inverse X. A zero on the diagonal gives Inf and NaN.
 *
 * The unit matrix's columns are solved for, all at once, by substitution (device_solve.h). The rows are
 * halved down to those of a block, always across all columns that are not zero: find the first half, add its
 * products with the second half of A, find the second half. A block of at most LAVA_SOLVE_ORDER rows is
 * inverted by a kernel of its own. So |A X - I| <= 4 (n + 2) u |A| |X|; complex, by absolute values. N. J.
 * Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 14.2.
 *
 * By columns it is the same for the transposed triangle: X A = I, down to the blocks on the diagonal. What is
 * then multiplied with X from the right has the error of X A - I, not that of A X - I, which may be larger by
 * A's condition.
 *
 * Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, or the device cannot compute
 * in the type; nothing was added to the stream then. After any other failure A is undefined, and the stream
 * has failed. */
enum lava_status lava_device_invert(struct lava_stream *stream, const struct lava_device_triangle *triangle);

/* A <- L^H L for a lower triangle L, or U U^H for an upper one: the same triangle of the result. Imaginary
 * parts of its diagonal are zero. `work` has the type, and at least lava_device_square_order(n) rows and
 * columns. The error is that of products: 4 (n + 1) u |L^H| |L|. A unit diagonal is refused, and so is
 * by_columns. Returns what lava_device_invert returns. */
int64_t lava_device_square_order(int64_t n);
enum lava_status lava_device_square(struct lava_stream *stream, const struct lava_device_triangle *triangle,
                                    const struct lava_device_matrix *work);

/* X <- the matrix with X L = inv(U), by the factors L and U in A, as lava_device_lu leaves them. That is the
 * inverse of P' L U before its columns are swapped. U becomes its inverse. X is as large as A, of its type,
 * and does not overlap it. The error is that of ?getri: |X L U - I| <= c n u |X| |L| |U|. Returns what
 * lava_device_invert returns. */
struct lava_device_inverse_lu {
    struct lava_device_matrix a, x;
    enum lava_precision precision;
    const struct lava_overrides *overrides;
};
enum lava_status lava_device_invert_lu(struct lava_stream *stream,
                                       const struct lava_device_inverse_lu *inverse);

#endif
