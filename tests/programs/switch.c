/* A libblas.so.3 as FlexiBLAS is one, for want of a packaged one: BLAS's names, each handed on to the same
 * name in a library that is opened out of the program's sight when the first is called. Four names are enough
 * here. SWITCH_BACKEND: that library; SWITCH_DEEP: it is to look for symbols in its own dependencies first.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* FlexiBLAS has it, and by it is known. */
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

/* A library with both is complete, as FlexiBLAS is. */
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
