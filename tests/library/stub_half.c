/* The half-precision routines of a CPU BLAS, for tests: every routine notes its arguments and computes
 * nothing. lavablas_hgemm is not a BLAS routine and is missing on purpose. */
#include "tests/library/stub_half.h"

#define VISIBLE __attribute__((visibility("default")))

extern struct stub_half_call stub_half_last;
VISIBLE struct stub_half_call stub_half_last;

static struct stub_half_call *note(const char *routine) {
    int calls = stub_half_last.calls + 1;
    stub_half_last = (struct stub_half_call){.calls = calls, .routine = routine};
    return &stub_half_last;
}

#define CBLAS(name, scalar, result, alpha_field, beta_field)                                                 \
    VISIBLE void name(int layout, int transa, int transb, int m, int n, int k, scalar alpha,                 \
                      const uint16_t *a, int lda, const uint16_t *b, int ldb, scalar beta, result *c,        \
                      int ldc);                                                                              \
    void name(int layout, int transa, int transb, int m, int n, int k, scalar alpha, const uint16_t *a,      \
              int lda, const uint16_t *b, int ldb, scalar beta, result *c, int ldc) {                        \
        struct stub_half_call *call = note(#name);                                                           \
        call->layout = layout;                                                                               \
        call->transa = transa;                                                                               \
        call->transb = transb;                                                                               \
        call->m = m;                                                                                         \
        call->n = n;                                                                                         \
        call->k = k;                                                                                         \
        call->alpha_field = alpha;                                                                           \
        call->a = a;                                                                                         \
        call->lda = lda;                                                                                     \
        call->b = b;                                                                                         \
        call->ldb = ldb;                                                                                     \
        call->beta_field = beta;                                                                             \
        call->c = c;                                                                                         \
        call->ldc = ldc;                                                                                     \
    }

CBLAS(cblas_shgemm, float, float, alpha, beta)
CBLAS(cblas_gemm_f16f16f32, float, float, alpha, beta)
CBLAS(cblas_hgemm, uint16_t, uint16_t, alpha_bits, beta_bits)
CBLAS(cblas_sbgemm, float, float, alpha, beta)
CBLAS(cblas_gemm_bf16bf16f32, float, float, alpha, beta)
CBLAS(cblas_bgemm, uint16_t, uint16_t, alpha_bits, beta_bits)

#define FORTRAN(name)                                                                                        \
    VISIBLE void name(const void *transa, const void *transb, const void *m, const void *n, const void *k,   \
                      const void *alpha, const void *a, const void *lda, const void *b, const void *ldb,     \
                      const void *beta, const void *c, const void *ldc, size_t transa_length,                \
                      size_t transb_length);                                                                 \
    void name(const void *transa, const void *transb, const void *m, const void *n, const void *k,           \
              const void *alpha, const void *a, const void *lda, const void *b, const void *ldb,             \
              const void *beta, const void *c, const void *ldc, size_t transa_length,                        \
              size_t transb_length) {                                                                        \
        const void *const pointers[13] = {transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};     \
        struct stub_half_call *call = note(#name);                                                           \
        for (int i = 0; i < 13; i++)                                                                         \
            call->pointers[i] = pointers[i];                                                                 \
        call->lengths[0] = transa_length;                                                                    \
        call->lengths[1] = transb_length;                                                                    \
    }

FORTRAN(shgemm_)
FORTRAN(hgemm_)
FORTRAN(hgemm)
FORTRAN(sbgemm_)
FORTRAN(bgemm_)
