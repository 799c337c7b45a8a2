/* LU factorization with partial pivoting on the device, as LAPACK's ?getrf, and swaps of rows, as ?laswp. A
 * part of what device_matrix.h offers, with its rules: everything in a stream happens in the order of the
 * calls, and these return before it has finished. */
#ifndef LAVA_LAPACK_DEVICE_LU_H
#define LAVA_LAPACK_DEVICE_LU_H

#include "lib/lapack/device_matrix.h"

/* A <- L and U with P A = L U: U with its diagonal, L without its diagonal of ones. */
struct lava_device_lu {
    struct lava_device_matrix a; /* FP32, FP64, CFP32 or CFP64 */
    /* min(rows, columns) words of 32 bits: a matrix of type FP32 with one column. Word i, from 0 on, is the
     * row, from 1 on, with which row i + 1 was swapped: LAPACK's ipiv. */
    struct lava_device_matrix pivots;
    struct lava_device_matrix work;         /* scratch: FP32, one column of lava_device_lu_work_words rows */
    enum lava_precision precision;          /* of the products, see below */
    const struct lava_overrides *overrides; /* of the products; for tests and benchmarks. NULL: none */
};
/* Returns the words of 32 bits of scratch for a matrix with `rows` rows. At most 210 KiB for fp32, 791 KiB
 * for complex fp64. */
int64_t lava_device_lu_work_words(enum lava_type type, int64_t rows);

/* Columns are halved down to panels of LAVA_LU_PANEL: factor the left half, apply its swaps to the right
 * half, solve for U's block and update the rest by a product, factor the right half, apply its swaps to the
 * left half. S. Toledo, "Locality of Reference in LU Decomposition with Partial Pivoting", SIAM J. Matrix
 * Anal. Appl. 18(4), 1997. A panel takes a dispatch per column, and one more.
 *
 * The error is that of elimination: |P A - L U| <= 2 n u |L| |U| for n the smaller size; complex, by absolute
 * values and twice as much. N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition,
 * chapter 9.
 *
 * Pivots are the first of the largest |re| + |im|, as Reference BLAS has them. If a column is zero, the
 * pivot is its own row, U has a zero there, and the factorization goes on: LAPACK's info is the first zero on
 * U's diagonal. Whatever A holds, pivots are in range.
 *
 * Returns LAVA_ERROR_UNAVAILABLE if sizes, types or alignment do not match, the matrices overlap, or the
 * device cannot compute in the type; nothing was added to the stream then. After any other failure A is
 * undefined, and the stream has failed. */
enum lava_status lava_device_lu(struct lava_stream *stream, const struct lava_device_lu *lu);

/* Must be called with all pivots once they have been downloaded. Returns LAVA_ERROR_STALLED if workgroups of
 * a panel have waited for each other in vain: A and the pivots are undefined then, but the pivots in range.
 * The device's panels take a dispatch per column from then on. Returns LAVA_ERROR_UNDERFLOW if a pivot is
 * zero or too small, and the device flushes subnormals: the same is undefined then. */
enum lava_status lava_device_lu_check(struct lava_device *device, const uint32_t *pivots, int64_t count);

/* Swaps row i of A with row pivots[i] (from 1 on), for i = first, first + 1 and so on, `count` of them; or
 * from the last one to the first, which undoes it. All these pivots must be rows of A. */
struct lava_device_swap {
    struct lava_device_matrix a; /* FP32, FP64, CFP32 or CFP64 */
    struct lava_device_matrix pivots;
    int64_t first, count;
    bool backwards;
};
/* Returns what lava_device_lu returns. */
enum lava_status lava_device_swap_rows(struct lava_stream *stream, const struct lava_device_swap *swap);

#endif
