/* Eigenvalues and eigenvectors of a symmetric tridiagonal matrix on the CPU, by the implicit QL method. It
 * serves for the small problems that divide and conquer begins with, and if no CPU library has ?stedc. Any
 * thread. */
#ifndef LAVA_HOST_CPU_QL_H
#define LAVA_HOST_CPU_QL_H

#include <stdbool.h>
#include <stdint.h>

/* The matrix with `order` elements of d on its diagonal, and e beside it, whose elements are neither so large
 * that squares overflow nor subnormal. d <- the eigenvalues, in any order; e is destroyed; the columns of q,
 * of `rows` rows, are multiplied by the vectors' matrix from the right. Returns 0, or how many elements of e
 * have not become zero, if that takes more than 30 steps for each value; all arrays are undefined then.
 *
 * H. Bowdler, R. S. Martin, C. Reinsch and J. H. Wilkinson, "The QR and QL algorithms for symmetric
 * matrices", Numer. Math. 11, 1968. */
int64_t lava_cpu_ql(int64_t order, double *d, double *e, double *q, int64_t rows, int64_t ld);

#endif
