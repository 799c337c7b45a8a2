/* The half-precision routines that LavaBLAS exports, and a common way to call them. */
#ifndef LAVA_TESTS_HALF_ROUTINES_H
#define LAVA_TESTS_HALF_ROUTINES_H

#include "lavablas.h"
#include "lavablas_cblas.h"
#include "lib/host/convert.h"

typedef void cblas_mixed(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, float,
                         const uint16_t *, int, const uint16_t *, int, float, float *, int);
typedef void cblas_half(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, uint16_t,
                        const uint16_t *, int, const uint16_t *, int, uint16_t, uint16_t *, int);
typedef void fortran_mixed(const char *, const char *, const int *, const int *, const int *, const float *,
                           const uint16_t *, const int *, const uint16_t *, const int *, const float *,
                           float *, const int *, size_t, size_t);
typedef void fortran_half(const char *, const char *, const int *, const int *, const int *, const uint16_t *,
                          const uint16_t *, const int *, const uint16_t *, const int *, const uint16_t *,
                          uint16_t *, const int *, size_t, size_t);

struct half_routine {
    const char *name, *told; /* told: the name reported to xerbla_ */
    enum lava_type type, type_c;
    /* exactly one is set; none: lavablas_hgemm */
    cblas_mixed *cblas_mixed;
    cblas_half *cblas_half;
    fortran_mixed *fortran_mixed;
    fortran_half *fortran_half;
};

#define FP16      LAVA_TYPE_FP16, LAVA_TYPE_FP16
#define BF16      LAVA_TYPE_BF16, LAVA_TYPE_BF16
#define FP16_FP32 LAVA_TYPE_FP16, LAVA_TYPE_FP32
#define BF16_FP32 LAVA_TYPE_BF16, LAVA_TYPE_FP32
// clang-format off
static const struct half_routine half_routines[] = {
    {"cblas_shgemm",           "cblas_shgemm",           FP16_FP32, .cblas_mixed = cblas_shgemm},
    {"cblas_gemm_f16f16f32",   "cblas_gemm_f16f16f32",   FP16_FP32, .cblas_mixed = cblas_gemm_f16f16f32},
    {"shgemm_",                "SHGEMM",                 FP16_FP32, .fortran_mixed = shgemm_},
    {"cblas_hgemm",            "cblas_hgemm",            FP16,      .cblas_half = cblas_hgemm},
    {"hgemm_",                 "HGEMM ",                 FP16,      .fortran_half = hgemm_},
    {"hgemm",                  "HGEMM ",                 FP16,      .fortran_half = hgemm},
    {"lavablas_hgemm",         "lavablas_hgemm",         FP16,      .cblas_half = NULL},
    {"cblas_sbgemm",           "cblas_sbgemm",           BF16_FP32, .cblas_mixed = cblas_sbgemm},
    {"cblas_gemm_bf16bf16f32", "cblas_gemm_bf16bf16f32", BF16_FP32, .cblas_mixed = cblas_gemm_bf16bf16f32},
    {"sbgemm_",                "SBGEMM",                 BF16_FP32, .fortran_mixed = sbgemm_},
    {"cblas_bgemm",            "cblas_bgemm",            BF16,      .cblas_half = cblas_bgemm},
    {"bgemm_",                 "BGEMM ",                 BF16,      .fortran_half = bgemm_},
};
// clang-format on
#define HALF_ROUTINES (sizeof half_routines / sizeof half_routines[0])

/* The arguments of any of them, as the caller passes them. */
struct half_arguments {
    int layout, transa, transb; /* Fortran: no layout, and characters */
    int m, n, k, lda, ldb, ldc;
    float alpha, beta; /* for 16-bit scalars: numbers that 16 bits represent exactly */
    const uint16_t *a, *b;
    void *c;
};

static inline bool half_routine_is_fortran(const struct half_routine *routine) {
    return routine->fortran_mixed || routine->fortran_half;
}

static inline void half_routine_call(const struct half_routine *r, const struct half_arguments *x) {
    const char transa = (char)x->transa, transb = (char)x->transb;
    CBLAS_LAYOUT layout = (CBLAS_LAYOUT)x->layout;
    CBLAS_TRANSPOSE op_a = (CBLAS_TRANSPOSE)x->transa, op_b = (CBLAS_TRANSPOSE)x->transb;
    uint16_t alpha, beta;
    lava_convert_from_fp32_portable(r->type, &x->alpha, &alpha, 1);
    lava_convert_from_fp32_portable(r->type, &x->beta, &beta, 1);
    if (r->cblas_mixed)
        r->cblas_mixed(layout, op_a, op_b, x->m, x->n, x->k, x->alpha, x->a, x->lda, x->b, x->ldb, x->beta,
                       x->c, x->ldc);
    else if (r->cblas_half)
        r->cblas_half(layout, op_a, op_b, x->m, x->n, x->k, alpha, x->a, x->lda, x->b, x->ldb, beta, x->c,
                      x->ldc);
    else if (r->fortran_mixed)
        r->fortran_mixed(&transa, &transb, &x->m, &x->n, &x->k, &x->alpha, x->a, &x->lda, x->b, &x->ldb,
                         &x->beta, x->c, &x->ldc, 1, 1);
    else if (r->fortran_half)
        r->fortran_half(&transa, &transb, &x->m, &x->n, &x->k, &alpha, x->a, &x->lda, x->b, &x->ldb, &beta,
                        x->c, &x->ldc, 1, 1);
    else
        lavablas_hgemm(x->layout, x->transa, x->transb, x->m, x->n, x->k, x->alpha, x->a, x->lda, x->b,
                       x->ldb, x->beta, x->c, x->ldc);
}

#endif
