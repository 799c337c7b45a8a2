/* A CPU BLAS for tests, built several times with the names of different callers: each -DSTUB_ adds some.
 * Every routine notes its arguments. If stub_names_computes is set it also multiplies, except for half
 * precision. */
#include "tests/library/stub_names.h"

#include <string.h>

#include "lib/base/routines.h"
#include "tests/library/naive.h"

#define VISIBLE  __attribute__((visibility("default")))
#define YES(...) __VA_ARGS__
#define NO(...)

/* By prefix and integer type, as in the table of names. */
#ifdef STUB_FORTRAN
#    define KEEP_int YES
#else
#    define KEEP_int NO
#endif
#ifdef STUB_CBLAS
#    define KEEP_cblas_int YES
#else
#    define KEEP_cblas_int NO
#endif
#ifdef STUB_ILP64
#    define KEEP_int64_t       YES
#    define KEEP_cblas_int64_t YES
#else
#    define KEEP_int64_t       NO
#    define KEEP_cblas_int64_t NO
#endif
#ifdef STUB_SCIPY
#    define KEEP_scipy_int       YES
#    define KEEP_scipy_cblas_int YES
#else
#    define KEEP_scipy_int       NO
#    define KEEP_scipy_cblas_int NO
#endif
#ifdef STUB_NUMPY
#    define KEEP_scipy_int64_t YES
#else
#    define KEEP_scipy_int64_t NO
#endif
#if defined(STUB_NUMPY) || defined(STUB_NUMPY_CBLAS)
#    define KEEP_scipy_cblas_int64_t YES
#else
#    define KEEP_scipy_cblas_int64_t NO
#endif
#define KEEP_lavablas_int NO

extern struct stub_names_call stub_names_last;
VISIBLE struct stub_names_call stub_names_last;
extern int stub_names_computes;
VISIBLE int stub_names_computes;

static inline struct stub_names_call *note(const char *name) {
    int calls = stub_names_last.calls + 1;
    stub_names_last = (struct stub_names_call){.calls = calls, .name = name};
    return &stub_names_last;
}

/* For a call that is only noted, the operation may be anything. */
static inline char letter_of(int64_t enumerator) {
    return enumerator == 111 ? 'N' : enumerator == 112 ? 'T' : 'C';
}

static inline void compute(struct naive_product product, const void *alpha, const void *beta) {
    if (!stub_names_computes || product.type == LAVA_TYPE_FP16 || product.type == LAVA_TYPE_BF16)
        return;
    product.alpha = naive_read(product.type, alpha, 0);
    product.beta = naive_read(product.type, beta, 0);
    naive_run(&product);
}

__attribute__((unused)) static void compute_cblas(enum lava_type type, const void *alpha, const void *beta) {
    const struct stub_names_call *x = &stub_names_last;
    const int64_t *s = x->sizes;
    bool by_rows = x->options[0] == 101;
    struct naive_product product = {.type = type,
                                    .transa = letter_of(x->options[by_rows ? 2 : 1]),
                                    .transb = letter_of(x->options[by_rows ? 1 : 2]),
                                    .m = s[by_rows ? 1 : 0],
                                    .n = s[by_rows ? 0 : 1],
                                    .k = s[2],
                                    .lda = s[by_rows ? 4 : 3],
                                    .ldb = s[by_rows ? 3 : 4],
                                    .ldc = s[5],
                                    .a = x->matrices[by_rows ? 1 : 0],
                                    .b = x->matrices[by_rows ? 0 : 1]};
    memcpy(&product.c, &x->matrices[2], sizeof product.c);
    compute(product, alpha, beta);
}

__attribute__((unused)) static void compute_fortran(enum lava_type type) {
    const struct stub_names_call *x = &stub_names_last;
    const int64_t *s = x->sizes;
    struct naive_product product = {.type = type,
                                    .transa = *(const char *)x->pointers[0],
                                    .transb = *(const char *)x->pointers[1],
                                    .m = s[0],
                                    .n = s[1],
                                    .k = s[2],
                                    .lda = s[3],
                                    .ldb = s[4],
                                    .ldc = s[5],
                                    .a = x->pointers[6],
                                    .b = x->pointers[8]};
    memcpy(&product.c, &x->pointers[11], sizeof product.c);
    compute(product, x->pointers[5], x->pointers[10]);
}

#define GEMM_CBLAS(entry, integer, type, type_c, scalar)                                                     \
    VISIBLE void entry(int layout, int transa, int transb, integer m, integer n, integer k,                  \
                       LAVA_VALUE_##scalar alpha, const void *a, integer lda, const void *b, integer ldb,    \
                       LAVA_VALUE_##scalar beta, void *c, integer ldc);                                      \
    void entry(int layout, int transa, int transb, integer m, integer n, integer k,                          \
               LAVA_VALUE_##scalar alpha, const void *a, integer lda, const void *b, integer ldb,            \
               LAVA_VALUE_##scalar beta, void *c, integer ldc) {                                             \
        struct stub_names_call *call = note(#entry);                                                         \
        const int64_t options[3] = {layout, transa, transb}, sizes[6] = {m, n, k, lda, ldb, ldc};            \
        const void *const matrices[3] = {a, b, c};                                                           \
        memcpy(call->options, options, sizeof options);                                                      \
        memcpy(call->sizes, sizes, sizeof sizes);                                                            \
        memcpy(call->matrices, matrices, sizeof matrices);                                                   \
        memcpy(call->alpha, &alpha, sizeof alpha);                                                           \
        memcpy(call->beta, &beta, sizeof beta);                                                              \
        compute_cblas(LAVA_TYPE_##type, LAVA_ADDRESS_##scalar(alpha), LAVA_ADDRESS_##scalar(beta));          \
    }

#define GEMM_FORTRAN(entry, integer, type, type_c, scalar)                                                   \
    VISIBLE void entry(const char *transa, const char *transb, const integer *m, const integer *n,           \
                       const integer *k, const void *alpha, const void *a, const integer *lda,               \
                       const void *b, const integer *ldb, const void *beta, void *c, const integer *ldc,     \
                       size_t transa_length, size_t transb_length);                                          \
    void entry(const char *transa, const char *transb, const integer *m, const integer *n, const integer *k, \
               const void *alpha, const void *a, const integer *lda, const void *b, const integer *ldb,      \
               const void *beta, void *c, const integer *ldc, size_t transa_length, size_t transb_length) {  \
        struct stub_names_call *call = note(#entry);                                                         \
        const void *const pointers[13] = {transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc};     \
        const int64_t sizes[6] = {*m, *n, *k, *lda, *ldb, *ldc};                                             \
        memcpy(call->sizes, sizes, sizeof sizes);                                                            \
        memcpy(call->pointers, pointers, sizeof pointers);                                                   \
        call->lengths[0] = transa_length;                                                                    \
        call->lengths[1] = transb_length;                                                                    \
        compute_fortran(LAVA_TYPE_##type);                                                                   \
    }

#define ENTRY(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)                    \
    KEEP_##prefix##integer(family##_##convention(prefix##routine##suffix, integer, type, type_c, scalar))

LAVA_GEMM_ROUTINES(ENTRY)

/* Shows that integers behind names without 64 are ints. */
static inline int position_of_largest(const int *n, const float *x) {
    int best = 0;
    for (int i = 1; i < *n; i++)
        if (x[i] > x[best])
            best = i;
    return *n < 1 ? 0 : best + 1;
}

VISIBLE int isamax_(const int *n, const float *x, const int *increment);
int isamax_(const int *n, const float *x, const int *increment) {
    return *increment == 1 ? position_of_largest(n, x) : 0;
}

VISIBLE int scipy_isamax_(const int *n, const float *x, const int *increment);
int scipy_isamax_(const int *n, const float *x, const int *increment) {
    return *increment == 1 ? position_of_largest(n, x) : 0;
}
