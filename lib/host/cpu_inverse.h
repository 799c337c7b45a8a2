/* Inverses of triangles, and of what was factored, on the CPU, with the CPU BLAS's ?gemm. It finishes what a
 * device has begun, and serves if no CPU library has the routine; a well-kept one is several times as
 * fast. Any thread. */
#ifndef LAVA_HOST_CPU_INVERSE_H
#define LAVA_HOST_CPU_INVERSE_H

#include "lib/host/cpu_parts.h"

/* Returns whether a solve or an inverse divides by an element of a given diagonal, neither of whose parts
 * reaches `least`, but which is not zero. */
bool lava_cpu_inverse_has_smaller(const struct lava_operation *operation, double least);

/* C <- the inverse of a triangle, the product of a triangle with itself, or the inverse by a Cholesky factor
 * or by L and U (dispatch/operation.h). The last needs the operation's `work`. Returns 0. */
lava_cpu_finish lava_cpu_inverse_run;

/* Where the columns of X are in the inverse X P, P being the pivots' swaps: column j of it is column order[j]
 * of X. */
void lava_cpu_inverse_order(const int64_t *pivots, int64_t n, int64_t *order);

#endif
