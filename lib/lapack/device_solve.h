/* Solves with triangular matrices on the device, and products with them in place: ?trsm and ?trmm, as level 3
 * by blocks and LAPACK need them. A part of
 * what device_matrix.h offers, with its rules: everything in a stream happens in the order of the calls, and
 * a solve returns before it has finished. */
#ifndef LAVA_LAPACK_DEVICE_SOLVE_H
#define LAVA_LAPACK_DEVICE_SOLVE_H

#include "lib/lapack/device_matrix.h"

/* B <- the X with op(A) X = alpha B, or with X op(A) = alpha B. With alpha = 0 B becomes zero, and A is not
 * read. */
struct lava_device_solve {
    struct lava_device_matrix a, b; /* A: square. FP32, FP64, CFP32 or CFP64, both the same */
    bool a_on_right;
    enum lava_region
        stored; /* the triangle of A, LOWER or UPPER; the other one is not used, whatever it is */
    enum lava_op op;
    bool conjugate;     /* complex types only */
    bool unit_diagonal; /* A's diagonal is not used; its elements are 1 */
    struct lava_scalar alpha;
    bool is_triangle; /* solves only: B is an upper triangle, whose zeros need not be read. So is A, on the
                       * left, as it is; and alpha is 1 */
    int64_t chain;    /* of the products (dispatch/operation.h); 0: any */
    enum lava_precision precision;          /* of the products, see below */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};

/* A block of at most LAVA_SOLVE_ORDER rows is solved by a kernel of its own, by substitution. A larger one is
 * halved: solve with the first half, subtract its contribution by a product, solve with the second half. So
 * the error is that of substitution: |op(A) X - alpha B| <= 4 (n + 2) u |A| |X| for A of n rows; complex, by
 * absolute values. N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, chapter 8.
 *
 * Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, B overlaps A, or the device
 * cannot compute in the type; nothing was added to the stream then. After any other failure B is undefined,
 * and the stream has failed. */
enum lava_status lava_device_solve(struct lava_stream *stream, const struct lava_device_solve *solve);

/* B <- alpha op(A) B, or alpha B op(A): ?trmm. The same halves in the other order: multiply the second one,
 * add to it what the first one contributes, multiply the first one. The error is that of products:
 * 4 (n + 2) u |alpha| |op(A)| |B|. Returns what lava_device_solve returns. */
enum lava_status lava_device_multiply_triangle(struct lava_stream *stream,
                                               const struct lava_device_solve *product);

#endif
