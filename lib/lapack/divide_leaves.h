/* The small problems that divide and conquer begins with: where they are, and their eigenvalues and vectors,
 * by the CPU's threads. Called by device_divide.c. */
#ifndef LAVA_LAPACK_DIVIDE_LEAVES_H
#define LAVA_LAPACK_DIVIDE_LEAVES_H

#include "lib/base/status.h"
#include "lib/host/copy_pool.h"

/* Rows of a leaf, at most. A level of the smallest merges takes an H100 some 0.3 ms at any order, and leaves
 * take the square of their size: at order 4096 128 leaves of 32 rows take 16 threads some 2 ms, 64 leaves of
 * 64 rows 8 ms. Reckoned (doc/notes/eigenvalues.md). */
#define LAVA_DIVIDE_LEAF 32
/* They begin at multiples of this: blocks of a matrix begin at multiples of 16 bytes. */
#define LAVA_DIVIDE_ALIGN 4

/* Returns how many leaves a matrix has, a power of two, and where one begins, or the last one ends. */
int64_t lava_divide_leaves_count(int64_t order);
int64_t lava_divide_leaves_begin(int64_t order, int64_t leaf);

/* The leaves of the tridiagonal matrix d, e, from whose diagonal the elements of e between leaves were torn.
 * d <- the eigenvalues; column j of q <- the vector of d[j], from its leaf's first row on; its columns have
 * ld rows. ld is at least the size of each leaf. Returns LAVA_ERROR_UNAVAILABLE if one does not converge, or
 * memory is short. */
enum lava_status lava_divide_leaves_solve(struct lava_copy_pool *pool, int64_t order, double *d,
                                          const double *e, double *q, int64_t ld);

#endif
