/* Finds the CPU BLAS and what it has. Found once, at the first call; after that read-only, any thread.
 *
 * In this order: LAVABLAS_CPU_BLAS; one already in the process with the plain names (sgemm_, cblas_sgemm),
 * also one loaded RTLD_LOCAL; one in the process with other names (scipy_sgemm_, sgemm_64_ ...: NumPy's and
 * SciPy's wheels bring no others); libopenblas.so.0; libblas.so.3; a plain C loop, after one line on stderr.
 * Never this library itself, never 64-bit integers behind a plain name (found out by calling isamax_ with a
 * length whose upper half is negative, as libblastrampoline does). */
#ifndef LAVA_HOST_CPU_BLAS_H
#define LAVA_HOST_CPU_BLAS_H

#include <stdint.h>

#include "dispatch/figures.h"
#include "dispatch/problem.h"
#include "lib/base/routines.h"

/* Any routine; called as what its row of the table says. */
typedef void lava_function(void);

/* How products of a type are computed: by a routine with Fortran's or CBLAS's argument list. */
struct lava_cpu_gemm {
    lava_function *function; /* NULL: the library has none, the built-in loop computes */
    enum lava_convention convention;
    bool is_ilp64;
};

struct lava_cpu_blas {
    void *handle;                               /* of the library, for dlsym; NULL: the built-in loop */
    bool serves_plain_names;                    /* it has one, or was asked for: no other is opened */
    struct lava_cpu_gemm gemm[LAVA_TYPE_COUNT]; /* FP32, FP64, CFP32, CFP64 */
    bool has_half[LAVA_TYPE_COUNT];             /* FP16, BF16: the CPU has a routine of its own */
    char path[512];                             /* of the library, or "built-in loop" */
};

/* Never NULL. The first call finds the library; it may dlopen, so it is not async-signal-safe. */
const struct lava_cpu_blas *lava_cpu_blas_get(void);

/* The CPU's own routine of that name (lib/host/find.h), looked for at the first call with it; NULL: there was
 * none then. Cheap after that. */
lava_function *lava_cpu_blas_routine(enum lava_routine routine);

/* Computes the problem on the CPU BLAS, of any types (half precision: lib/host/half.h); sizes beyond its
 * integers are cut into pieces. Operands that are conjugated are transposed too, as in BLAS. */
void lava_cpu_blas_run(const struct lava_cpu_blas *blas, const struct lava_problem *problem);

/* What to expect of it: cores it may use (affinity, OMP_NUM_THREADS is not read) and instruction set. */
struct lava_cpu_figures lava_cpu_blas_figures(const struct lava_cpu_blas *blas);

#endif
