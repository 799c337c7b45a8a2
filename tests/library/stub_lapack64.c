/* A LAPACK for tests, with 64-bit integers behind the plain names. It notes its calls and computes nothing.
 */
#include <stddef.h>
#include <stdint.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE int64_t stub_lapack64_n;
VISIBLE void dpotrf_(const char *uplo, const int64_t *n, double *a, const int64_t *lda, int64_t *info,
                     size_t uplo_length);
VISIBLE void dgetrf_(const int64_t *m, const int64_t *n, double *a, const int64_t *lda, int64_t *ipiv,
                     int64_t *info);

void dpotrf_(const char *uplo, const int64_t *n, double *a, const int64_t *lda, int64_t *info,
             size_t uplo_length) {
    (void)uplo, (void)a, (void)lda, (void)uplo_length;
    stub_lapack64_n = *n;
    *info = 0x100000007;
}

void dgetrf_(const int64_t *m, const int64_t *n, double *a, const int64_t *lda, int64_t *ipiv,
             int64_t *info) {
    (void)m, (void)a, (void)lda;
    stub_lapack64_n = *n;
    ipiv[*n - 1] = 0x200000008;
    *info = 0x300000009;
}
