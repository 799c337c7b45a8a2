/* Finds the CPU BLAS and its routines. The search runs once, at the first call. After that the result is
 * read-only and may be used from any thread.
 *
 * Search order: LAVABLAS_CPU_BLAS; a library in the process with the plain names (sgemm_, cblas_sgemm), even
 * if loaded RTLD_LOCAL; a library in the process with other names (scipy_sgemm_, sgemm_64_ ...: NumPy's and
 * SciPy's wheels have only those); libopenblas.so.0; libblas.so.3; a plain C loop, after one line on stderr.
 * Never used: this library itself, and a library with 64-bit integers behind a plain name. The latter is
 * detected by calling isamax_ with a length whose upper half is negative, as libblastrampoline does. */
#ifndef LAVA_HOST_CPU_BLAS_H
#define LAVA_HOST_CPU_BLAS_H

#include "dispatch/figures.h"
#include "lib/host/find.h"

/* Never NULL. The first call finds the library; it may dlopen, so it is not async-signal-safe. */
const struct lava_cpu_blas *lava_cpu_blas_get(void);

/* Returns the CPU BLAS's own routine of that name (lib/host/find.h), or NULL if there was none at the first
 * call with it. Cheap after the first call. */
lava_function *lava_cpu_blas_routine(enum lava_routine routine);
/* Returns whether that is a routine of LAPACK with 64-bit integers behind a name of LP64. Its callers pass
 * such integers, so it has to get every call. */
bool lava_cpu_blas_is_wide(enum lava_routine routine);
/* Returns whether that is in the library whose ?gemm computes products. */
bool lava_cpu_blas_is_beside(enum lava_routine routine);

/* Computes the operation with the CPU BLAS's ?gemm, for any type (half precision: lib/host/half.h) and any
 * structure (lib/host/cpu_structured.h). Sizes beyond its integers are split. Conjugated operands are also
 * transposed, as in BLAS. */
void lava_cpu_blas_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation);
/* The same for rows x columns of C from (row, column): inside the region, or a triangle on its diagonal.
 * Nothing if either is not positive. lib/host/cpu_structured.h says what the rest of C must hold. */
void lava_cpu_blas_run_block(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                             int64_t row, int64_t rows, int64_t column, int64_t columns);

/* Expected rates, from the cores it may use (affinity; OMP_NUM_THREADS is not read) and the instruction
 * set. */
struct lava_cpu_figures lava_cpu_blas_figures(const struct lava_cpu_blas *blas);

#endif
