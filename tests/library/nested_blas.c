/* A CPU BLAS and LAPACK whose routines call others by their exported names, as netlib's LAPACK does. They
 * compute nothing, but take their time: some milliseconds each, beside what those take that they call;
 * products of a few elements none. Used by test_nested.sh. */
#include <time.h>

#pragma GCC visibility push(default)

/* clang-format off */
#define TRIANGLE const char *uplo, const int *n, double *a, const int *lda, int *info
void dtrtri_(const char *uplo, const char *diag, const int *n, double *a, const int *lda, int *info);
void dlauum_(TRIANGLE);
void dpotri_(TRIANGLE);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *pivots,
             double *b, const int *ldb, int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivots, double *b, const int *ldb,
            int *info);
void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
            const double *alpha, const double *a, const int *lda, double *b, const int *ldb);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);
/* clang-format on */

void sgemm_(void); /* a library without it is taken for no BLAS */

static const double one = 1;

static void take(long milliseconds) {
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc) {
    (void)transa, (void)transb, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb;
    (void)beta, (void)c, (void)ldc;
    if (*m > 8)
        take(15);
}

void sgemm_(void) {
}

void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb) {
    (void)side, (void)uplo, (void)trans, (void)diag, (void)m, (void)n, (void)alpha, (void)a, (void)lda;
    (void)b, (void)ldb;
    take(15);
}

void dtrtri_(const char *uplo, const char *diag, const int *n, double *a, const int *lda, int *info) {
    (void)uplo, (void)diag, (void)n, (void)a, (void)lda;
    take(20);
    *info = 0;
}

void dlauum_(TRIANGLE) {
    (void)uplo, (void)n, (void)a, (void)lda;
    take(20);
    *info = 0;
}

void dpotri_(TRIANGLE) {
    take(5);
    dtrtri_(uplo, "N", n, a, lda, info);
    dlauum_(uplo, n, a, lda, info);
}

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info) {
    (void)pivots;
    take(10);
    dtrsm_("L", "L", "N", "U", m, n, &one, a, lda, a, lda);
    dgemm_("N", "N", m, n, n, &one, a, lda, a, lda, &one, a, lda);
    *info = 0;
}

void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *pivots, double *b, const int *ldb, int *info) {
    (void)trans, (void)nrhs, (void)pivots;
    dtrsm_("L", "U", "N", "N", n, nrhs, &one, a, lda, b, ldb);
    *info = 0;
}

void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivots, double *b, const int *ldb,
            int *info) {
    dgetrf_(n, n, a, lda, pivots, info);
    dgetrs_("N", n, nrhs, a, lda, pivots, b, ldb, info);
}
