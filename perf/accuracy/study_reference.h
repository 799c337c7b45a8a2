/* References for the schemes: the CPU BLAS's sgemm_ and plain fp32 sums. */
#ifndef LAVA_PERF_ACCURACY_STUDY_REFERENCE_H
#define LAVA_PERF_ACCURACY_STUDY_REFERENCE_H

#include <stdbool.h>

#include "study_problem.h"

typedef void reference_sgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                             const float *alpha, const float *a, const int *lda, const float *b,
                             const int *ldb, const float *beta, float *c, const int *ldc);

struct reference {
    const char *name;
    reference_sgemm *sgemm; /* NULL: replaced by sequential sums */
};

/* path: a library, "none", or NULL for OpenBLAS, else the system's BLAS, else none. One thread, so that sums
 * are the same on any number of cores. Returns false, with a line on stderr, if the requested library is
 * missing. */
bool reference_open(struct reference *reference, const char *path);
void reference_multiply(const struct reference *reference, const struct problem *p, float c[ROWS][COLUMNS]);
/* One fp32 multiply-add after another in the order of K, as an invocation of shaders/multiply_simt.comp
 * computes. */
void reference_multiply_sequential(const struct problem *p, float c[ROWS][COLUMNS]);

#endif
