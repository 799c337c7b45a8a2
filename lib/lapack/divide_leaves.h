/* The small problems that divide and conquer begins with: where they are, and their eigenvalues and vectors,
 * by the CPU's threads. Called by device_divide.c. */
#ifndef LAVA_LAPACK_DIVIDE_LEAVES_H
#define LAVA_LAPACK_DIVIDE_LEAVES_H

#include "lib/base/status.h"
#include "lib/host/copy_pool.h"

/* Rows of a leaf, at most. A level more takes an H100 some 0.3 ms at any order (reckoned), and the leaves
 * take time by the square of their rows: one of 16, 24, 32 and 48 rows took a core 60, 180, 390 and 1200 us
 * (gcc 12 -O3, 2026-11-28). At order 4096 16 threads need 1 ms for 256 leaves of 16 rows, and 3 ms for 128
 * of 32. */
#define LAVA_DIVIDE_LEAF 24
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
