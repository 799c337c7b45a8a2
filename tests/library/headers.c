/* The header of prototypes after another cblas.h, whose guard and types stand here in its place. */
#define CBLAS_H
enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
void cblas_sgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE transa, enum CBLAS_TRANSPOSE transb, int m,
                 int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta,
                 float *c, int ldc);
#include "lavablas.h"
#include "lavablas_cblas.h"

void (*const lava_headers_sgemm)(const char *, const char *, const int *, const int *, const int *,
                                 const float *, const float *, const int *, const float *, const int *,
                                 const float *, float *, const int *, size_t, size_t) = sgemm_;
