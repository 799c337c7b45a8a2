/* What the schemes are compared with: the CPU BLAS's sgemm_ and plain fp32 sums. */
#ifndef PERF_ACCURACY_REFERENCE_H
#define PERF_ACCURACY_REFERENCE_H

#include <stdbool.h>

#include "problem.h"

typedef void reference_sgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                             const float *alpha, const float *a, const int *lda, const float *b,
                             const int *ldb, const float *beta, float *c, const int *ldc);

struct reference {
    const char *name;
    reference_sgemm *sgemm; /* NULL: sequential sums stand in for it */
};

/* path: a library, "none", or NULL for OpenBLAS, else the system's BLAS, else none. One thread, so that sums
 * are the same on any number of cores. False, with a line on stderr, where what was asked for is not there.
 */
bool reference_open(struct reference *reference, const char *path);
void reference_multiply(const struct reference *reference, const struct problem *p, float c[ROWS][COLUMNS]);
/* One fp32 multiply-add after another in the order of K: what a thread of multiply_simt.comp does. */
void reference_multiply_sequential(const struct problem *p, float c[ROWS][COLUMNS]);

#endif
