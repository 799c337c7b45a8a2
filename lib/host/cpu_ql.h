/* Eigenvalues and eigenvectors of a symmetric tridiagonal matrix on the CPU, by the implicit QL method. It
 * serves for the small problems that divide and conquer begins with, and if no CPU library has ?stedc. Any
 * thread. */
#ifndef LAVA_HOST_CPU_QL_H
#define LAVA_HOST_CPU_QL_H

#include <float.h>
#include <stdint.h>

/* With more digits than results have, if the processor has them: each of many rotations rounds. In fp64 the
 * vectors of 40 rows were orthogonal to 8 to 14 units, beside LAPACK's 5 to 6; so they are to half a unit. */
#if LDBL_MANT_DIG == 64
typedef long double lava_cpu_wide;
#    define LAVA_CPU_WIDE_UNIT (LDBL_EPSILON / 2)
#else /* computed by the compiler's library, or no wider */
typedef double lava_cpu_wide;
#    define LAVA_CPU_WIDE_UNIT (DBL_EPSILON / 2)
#endif

/* The matrix with `order` elements of d on its diagonal, and e beside it, whose elements are neither so large
 * that squares overflow nor subnormal. d <- the eigenvalues, in any order; e is destroyed; the columns of q,
 * of `rows` rows, are multiplied by the vectors' matrix from the right. Returns 0, or how many elements of e
 * have not become zero, if that takes more than 30 steps for each value; all arrays are undefined then.
 *
 * H. Bowdler, R. S. Martin, C. Reinsch and J. H. Wilkinson, "The QR and QL algorithms for symmetric
 * matrices", Numer. Math. 11, 1968. */
int64_t lava_cpu_ql(int64_t order, lava_cpu_wide *d, lava_cpu_wide *e, lava_cpu_wide *q, int64_t rows,
                    int64_t ld);

#endif
