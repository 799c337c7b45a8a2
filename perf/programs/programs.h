/* Shared by the programs of this folder. One thread; any failure ends the program. */
#ifndef PERF_PROGRAMS_H
#define PERF_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

#define PROGRAM_SIZES 5

/* Each creates its data, computes between program_start and program_stop, and prints its results. */
void pca_run(const int sizes[PROGRAM_SIZES]);
void mlp_run(const int sizes[PROGRAM_SIZES]);
void kmeans_run(const int sizes[PROGRAM_SIZES]);
void inverse_run(const int sizes[PROGRAM_SIZES]);
void cholesky_run(const int sizes[PROGRAM_SIZES]);

/* C <- alpha op(A) op(B), row-major and without gaps, by the BLAS's cblas_sgemm. op(A) is m x k, op(B) k x
 * n. */
void program_multiply(bool transa, bool transb, int m, int n, int k, float alpha, const float *a,
                      const float *b, float *c);

/* C <- alpha A op(B) + beta C by cblas_dgemm, row-major, m x n, K is k; ld is the distance between rows. */
void program_multiply_doubles(bool transb, int m, int n, int k, double alpha, const double *a, int lda,
                              const double *b, int ldb, double beta, double *c, int ldc);

/* Prints the time between the two calls. */
void program_start(void);
void program_stop(void);

/* Prints a result: its name, then values of the same scale. */
void program_print(const char *name, const double *values, int count);

/* Not initialized. The caller frees it. */
float *program_floats(size_t count);
double *program_doubles(size_t count);

/* The next number of a sequence, uniform in [-1, 1); the same sequence in every run. */
float program_random(void);

#endif
