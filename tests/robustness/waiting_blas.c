/* A CPU BLAS whose first product of some work returns only when LavaBLAS's device is ready. OpenBLAS
 * multiplies. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "lavablas.h"

/* Less than a piece of a long product. The search for the CPU BLAS and the self-test multiply less. */
#define LEAST_WORK 1e8

#define VISIBLE __attribute__((visibility("default")))

typedef void sgemm_function(const char *, const char *, const int *, const int *, const int *, const float *,
                            const float *, const int *, const float *, const int *, const float *, float *,
                            const int *, size_t, size_t);

static sgemm_function *multiply;

static void find(void) {
    void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&multiply = dlsym(library, "sgemm_");
}

VISIBLE sgemm_function sgemm_;
void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc, size_t transa_length, size_t transb_length) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    if (multiply)
        multiply(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, transa_length, transb_length);
    if ((double)*m * *n * *k < LEAST_WORK)
        return;
    static int products;
    __typeof__(lavablas_wait) *wait;
    *(void **)&wait = dlsym(RTLD_DEFAULT, "lavablas_wait");
    if (wait && products++ == 0)
        wait(NULL);
}

VISIBLE int isamax_(const int *n, const float *x, const int *increment);
int isamax_(const int *n, const float *x, const int *increment) {
    int largest = 0;
    for (int i = 1; i < *n; i++)
        if (x[i * *increment] * x[i * *increment] > x[largest * *increment] * x[largest * *increment])
            largest = i;
    return *n < 1 ? 0 : largest + 1;
}
