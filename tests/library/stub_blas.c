/* A CPU BLAS for tests, built several times with different sets of symbols: STUB_CBLAS, STUB_FORTRAN,
 * STUB_ISAMAX (LP64), STUB_ILP64, STUB_TRAMPOLINE, STUB_SWITCH, STUB_LOOPS, STUB_USER, STUB_BARE. Computes
 * with three loops. With an unknown operation it only counts the call. */
#include <stddef.h>
#include <stdint.h>

#define VISIBLE __attribute__((visibility("default")))

#if defined(STUB_FORTRAN) || defined(STUB_CBLAS)
VISIBLE int stub_cblas_calls;
VISIBLE int stub_sgemm_calls;
VISIBLE int stub_bad_calls;
#endif

#if defined(STUB_FORTRAN) || (defined(STUB_CBLAS) && !defined(STUB_LOOPS))
static void multiply(int a_is_t, int b_is_t, int m, int n, int k, float alpha, const float *a, int lda,
                     const float *b, int ldb, float beta, float *c, int ldc) {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            float sum = 0;
            for (int p = 0; p < k; p++)
                sum += a[a_is_t ? p + (ptrdiff_t)i * lda : i + (ptrdiff_t)p * lda] *
                       b[b_is_t ? j + (ptrdiff_t)p * ldb : p + (ptrdiff_t)j * ldb];
            float *element = c + i + (ptrdiff_t)j * ldc;
            *element = alpha * sum + (beta == 0 ? 0 : beta * *element);
        }
}
#endif

#ifdef STUB_FORTRAN
static int transposed(char operation) {
    return operation == 'N' ? 0 : operation == 'T' || operation == 'C' ? 1 : -1;
}

VISIBLE void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                    const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                    const float *beta, float *c, const int *ldc, size_t transa_length, size_t transb_length);
void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc, size_t transa_length, size_t transb_length) {
    stub_sgemm_calls++;
    if (transposed(*transa) < 0 || transposed(*transb) < 0 || transa_length != 1 || transb_length != 1)
        stub_bad_calls++;
    else
        multiply(transposed(*transa), transposed(*transb), *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c,
                 *ldc);
}
#endif

#ifdef STUB_LOOPS
/* Set by the test to the sgemm_ that this library would find in the process. */
VISIBLE void (*stub_global_sgemm)(const char *, const char *, const int *, const int *, const int *,
                                  const float *, const float *, const int *, const float *, const int *,
                                  const float *, float *, const int *, size_t, size_t);
#endif

#ifdef STUB_CBLAS
VISIBLE void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha, const float *a,
                         int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha, const float *a,
                 int lda, const float *b, int ldb, float beta, float *c, int ldc) {
    stub_cblas_calls++;
    if (layout < 101 || layout > 102 || transa < 111 || transa > 113 || transb < 111 || transb > 113) {
        stub_bad_calls++;
        return;
    }
#    ifdef STUB_LOOPS
    stub_global_sgemm(transa == 111 ? "N" : "T", transb == 111 ? "N" : "T", &m, &n, &k, &alpha, a, &lda, b,
                      &ldb, &beta, c, &ldc, 1, 1);
#    else
    if (layout == 102)
        multiply(transa != 111, transb != 111, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    else
        multiply(transb != 111, transa != 111, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc);
#    endif
}
#endif

#if defined(STUB_ISAMAX) || defined(STUB_ILP64)
#    ifdef STUB_ILP64
typedef int64_t integer;
#    else
typedef int32_t integer;
#    endif
VISIBLE integer isamax_(const integer *n, const float *x, const integer *increment);
integer isamax_(const integer *n, const float *x, const integer *increment) {
    integer best = 0;
    if (*n < 1 || *increment < 1)
        return 0;
    for (integer i = 1; i < *n; i++)
        if (x[i * *increment] > x[best * *increment])
            best = i;
    return best + 1;
}
#endif

#ifdef STUB_TRAMPOLINE
VISIBLE void lbt_forward(void);
void lbt_forward(void) {
}
#endif

#ifdef STUB_SWITCH
VISIBLE int flexiblas_avail(void);
int flexiblas_avail(void) {
    return 1;
}
#endif

#ifdef STUB_USER
/* A reference to a product of another library, so that the linker keeps the library it is linked with. */
extern void sgemm_(void);
VISIBLE void (*const stub_user)(void) = sgemm_;
#endif

#ifdef STUB_BARE
/* A program's own function with a BLAS name. */
VISIBLE int sgemm(int x);
int sgemm(int x) {
    return x;
}
#endif
