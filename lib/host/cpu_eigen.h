/* Eigenvalues and eigenvectors of a Hermitian matrix on the CPU, one after another. It serves if no CPU
 * library has ?syevd and the like; a well-kept one is many times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_EIGEN_H
#define LAVA_HOST_CPU_EIGEN_H

#include "lib/host/cpu_parts.h"
#include "lib/host/cpu_ql.h"

/* Writes the eigenvalues that are wanted, how many there are, and their vectors; C is destroyed. Of what a
 * device has begun, none or all columns are there. Returns 0, or info as LAPACK's routine: how many
 * eigenvalues were not found; -1 without memory. */
lava_cpu_finish lava_cpu_eigen_run;

/* D <- the eigenvalues of the tridiagonal matrix D and E, ascending, Q, n x n, <- its eigenvectors, unless it
 * is NULL; E has room for n elements, of which the last is 0. Returns how many eigenvalues were not found. */
int64_t lava_cpu_eigen_find(int64_t n, lava_cpu_wide *d, lava_cpu_wide *e, lava_cpu_wide *q);

/* Returns which of all n eigenvalues, of the operation's real type, are wanted. */
struct lava_cpu_range lava_cpu_eigen_select(const struct lava_operation *operation, const void *values);

#endif
