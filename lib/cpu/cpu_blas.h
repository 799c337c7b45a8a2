/* Finds the CPU BLAS and holds its entry points. Found once, at the first call; after that read-only, any
 * thread.
 *
 * In this order: LAVABLAS_CPU_BLAS; the one already in the process, also one loaded RTLD_LOCAL;
 * libopenblas.so.0; libblas.so.3; a plain C loop, after one line on stderr. Never this library itself, never
 * an ILP64 library (found out by calling its isamax_ with a length whose upper half is negative, as
 * libblastrampoline does). */
#ifndef LAVA_CPU_CPU_BLAS_H
#define LAVA_CPU_CPU_BLAS_H

#include <stdint.h>

#include "dispatch/figures.h"
#include "dispatch/problem.h"
#include "lib/base/stats.h"

typedef void lava_cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha,
                              const float *a, int lda, const float *b, int ldb, float beta, float *c,
                              int ldc);
/* gfortran's hidden lengths of the two characters included. */
typedef void lava_sgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                        const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                        const float *beta, float *c, const int *ldc, size_t transa_length,
                        size_t transb_length);

/* The argument lists of half precision: 16-bit elements, by value and by pointer, are integers that hold the
 * bits. CBLAS with C and scalars in fp32 (c is void so that lavablas_hgemm has the list too), CBLAS with C
 * and scalars of the elements' type, Fortran. */
typedef void lava_cblas_mixed_gemm(int layout, int transa, int transb, int m, int n, int k, float alpha,
                                   const uint16_t *a, int lda, const uint16_t *b, int ldb, float beta,
                                   void *c, int ldc);
typedef void lava_cblas_half_gemm(int layout, int transa, int transb, int m, int n, int k, uint16_t alpha,
                                  const uint16_t *a, int lda, const uint16_t *b, int ldb, uint16_t beta,
                                  uint16_t *c, int ldc);
typedef void lava_half_gemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                            const void *alpha, const uint16_t *a, const int *lda, const uint16_t *b,
                            const int *ldb, const void *beta, void *c, const int *ldc, size_t transa_length,
                            size_t transb_length);
/* Any of them. */
typedef void lava_function(void);

struct lava_cpu_blas {
    lava_cblas_sgemm *cblas_sgemm; /* never NULL: where the library has only one of the two, the other */
    lava_sgemm *sgemm;             /* is made of it */
    /* From LAVA_ROUTINE_FIRST_HALF on the routine of that name, where the CPU has one, else NULL. */
    lava_function *half[LAVA_ROUTINE_COUNT];
    char path[512]; /* of the library, or "built-in loop" */
};

/* Never NULL. The first call finds the library; it may dlopen, so it is not async-signal-safe. */
const struct lava_cpu_blas *lava_cpu_blas_get(void);

/* Computes the problem on the CPU BLAS, of any types (half precision: lib/cpu/half.h); sizes beyond int are
 * cut into pieces. */
void lava_cpu_blas_run(const struct lava_cpu_blas *blas, const struct lava_problem *problem);

/* What to expect of it: cores it may use (affinity, OMP_NUM_THREADS is not read) and instruction set. */
struct lava_cpu_figures lava_cpu_blas_figures(const struct lava_cpu_blas *blas);

#endif
