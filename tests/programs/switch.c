/* A libblas.so.3 like FlexiBLAS, because no package is available: BLAS names, each forwarded to the same name
 * in a library that is opened with RTLD_LOCAL at the first call. Four names are enough here. SWITCH_BACKEND
 * names that library. SWITCH_DEEP makes it search symbols in its own dependencies first. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* The function by which FlexiBLAS is recognized. */
EXPORT int flexiblas_avail(void);
int flexiblas_avail(void) {
    return 1;
}

static void *backend_symbol(const char *name) {
    static void *backend;
    const char *path = getenv("SWITCH_BACKEND");
    if (!backend)
        backend = dlopen(path, RTLD_LAZY | RTLD_LOCAL | (getenv("SWITCH_DEEP") ? RTLD_DEEPBIND : 0));
    void *symbol = backend ? dlsym(backend, name) : NULL;
    if (!symbol) {
        printf("%s\n", dlerror());
        exit(1);
    }
    return symbol;
}

typedef void gemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                  const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                  const void *beta, void *c, const int *ldc);

#define DEFINE(name)                                                                                         \
    EXPORT gemm name;                                                                                        \
    void name(const char *transa, const char *transb, const int *m, const int *n, const int *k,              \
              const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,               \
              const void *beta, void *c, const int *ldc) {                                                   \
        void *symbol = backend_symbol(#name);                                                                \
        gemm *forward;                                                                                       \
        memcpy(&forward, &symbol, sizeof forward);                                                           \
        forward(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                               \
    }
DEFINE(sgemm_)
DEFINE(dgemm_)
DEFINE(cgemm_)
DEFINE(zgemm_)

/* With both names a library counts as complete, like FlexiBLAS. */
typedef void cblas_single(int layout, int transa, int transb, int m, int n, int k, float alpha,
                          const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
EXPORT cblas_single cblas_sgemm;
void cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha, const float *a,
                 int lda, const float *b, int ldb, float beta, float *c, int ldc) {
    void *symbol = backend_symbol("cblas_sgemm");
    cblas_single *forward;
    memcpy(&forward, &symbol, sizeof forward);
    forward(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
