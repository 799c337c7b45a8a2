/* The CPU's own routines of BLAS and LAPACK, which are called where ?gemm alone would be slow: for small
 * triangles, and for panels of factorizations. Any thread. */
#ifndef LAVA_HOST_OWN_ROUTINE_H
#define LAVA_HOST_OWN_ROUTINE_H

#include "lib/host/cpu_blas.h"

/* Finds the routine under one of Fortran's names; NULL: no library has it. That of the library whose ?gemm
 * computes products comes first: NumPy and SciPy bring an OpenBLAS each, and while the threads of one spin,
 * those of the other take five times as long. No other library is opened for it: a plain name is looked for
 * only if the CPU BLAS serves it. *is_wide: its integers are int64_t. */
lava_function *lava_own_routine_find(const struct lava_cpu_blas *blas, const char *name, bool *is_wide);

/* Computes an operation in fp64, real or complex, by the CPU's own routine: a symmetric, Hermitian or
 * triangular product, a solve, a product with the transpose (?syrk, ?herk), LU or Cholesky, without
 * right-hand sides. *info is LAPACK's. Returns false if there is no such routine; then nothing was
 * written. */
bool lava_own_routine_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                          int64_t *info);

#endif
