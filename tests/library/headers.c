/* Compiles the header of prototypes after another cblas.h. That header's guard and types are defined here
 * instead. It has two half-precision routines, as OpenBLAS 0.3.29's. The others are requested, and 64-bit
 * integers. */
#define CBLAS_H
#include <stdint.h>
typedef uint16_t bfloat16;
typedef enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_ORDER;
typedef enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 } CBLAS_TRANSPOSE;
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;
typedef CBLAS_ORDER CBLAS_LAYOUT;
void cblas_sgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transa, enum CBLAS_TRANSPOSE transb, int m,
                 int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta,
                 float *c, int ldc);
void cblas_zgemm(const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE transa,
                 const enum CBLAS_TRANSPOSE transb, const int m, const int n, const int k, const void *alpha,
                 const void *a, const int lda, const void *b, const int ldb, const void *beta, void *c,
                 const int ldc);
void cblas_sbgemm(const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE transa,
                  const enum CBLAS_TRANSPOSE transb, const int m, const int n, const int k, const float alpha,
                  const bfloat16 *a, const int lda, const bfloat16 *b, const int ldb, const float beta,
                  float *c, const int ldc);
void cblas_sbgemm_batch(const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE *transa,
                        const enum CBLAS_TRANSPOSE *transb, const int *m, const int *n, const int *k,
                        const float *alpha, const bfloat16 **a, const int *lda, const bfloat16 **b,
                        const int *ldb, const float *beta, float **c, const int *ldc, const int group_count,
                        const int *group_size);
#define LAVABLAS_DECLARE_HALF
#define LAVABLAS_DECLARE_ILP64
#include "lavablas.h"
#include "lavablas_cblas.h"

void (*const lava_headers_sgemm)(const char *, const char *, const int *, const int *, const int *,
                                 const float *, const float *, const int *, const float *, const int *,
                                 const float *, float *, const int *, size_t, size_t) = sgemm_;
void (*const lava_headers_hgemm)(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, uint16_t,
                                 const uint16_t *, int, const uint16_t *, int, uint16_t, uint16_t *,
                                 int) = cblas_hgemm;
void (*const lava_headers_zgemm64)(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int64_t, int64_t, int64_t,
                                   const void *, const void *, int64_t, const void *, int64_t, const void *,
                                   void *, int64_t) = cblas_zgemm64_;
void (*const lava_headers_dgemm_64)(const char *, const char *, const int64_t *, const int64_t *,
                                    const int64_t *, const double *, const double *, const int64_t *,
                                    const double *, const int64_t *, const double *, double *,
                                    const int64_t *, size_t, size_t) = dgemm_64_;
void (*const lava_headers_dtrsm)(CBLAS_LAYOUT, CBLAS_SIDE, CBLAS_UPLO, CBLAS_TRANSPOSE, CBLAS_DIAG, int64_t,
                                 int64_t, double, const double *, int64_t, int64_t, double *, int64_t,
                                 int64_t, int64_t) = cblas_dtrsm_batch_strided64_;
void (*const lava_headers_csyrk_64)(const char *, const char *, const int64_t *, const int64_t *,
                                    const void *, const void **, const int64_t *, const void *, void **,
                                    const int64_t *, const int64_t *, const int64_t *, size_t,
                                    size_t) = csyrk_batch_64_;
