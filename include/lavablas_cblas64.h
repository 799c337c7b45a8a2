/* The part of lavablas_cblas.h with 64-bit integers (ILP64). Include that header, not this one.
 *
 * The same products with int64_t sizes and leading dimensions, under the names that OpenBLAS and Julia gave
 * them; everything said there holds. They are other functions than those without 64: calling one with the
 * other's integers goes wrong unnoticed. If the CPU BLAS has no routine of the name, its LP64 routine
 * computes, sizes beyond int in pieces, and errors are reported as for half precision, under the name
 * without 64.
 *
 * After another library's cblas.h they are declared if LAVABLAS_DECLARE_ILP64 is defined. */
#ifndef LAVABLAS_CBLAS64_H
#define LAVABLAS_CBLAS64_H

#ifndef LAVABLAS_CBLAS_H
#    error "include lavablas_cblas.h instead"
#endif

#if defined(LAVABLAS_ONLY_CBLAS) || defined(LAVABLAS_DECLARE_ILP64)

void cblas_sgemm64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int64_t m, int64_t n,
                    int64_t k, float alpha, const float *a, int64_t lda, const float *b, int64_t ldb,
                    float beta, float *c, int64_t ldc);
void cblas_dgemm64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int64_t m, int64_t n,
                    int64_t k, double alpha, const double *a, int64_t lda, const double *b, int64_t ldb,
                    double beta, double *c, int64_t ldc);
void cblas_cgemm64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int64_t m, int64_t n,
                    int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                    const void *beta, void *c, int64_t ldc);
void cblas_zgemm64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int64_t m, int64_t n,
                    int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                    const void *beta, void *c, int64_t ldc);
void cblas_cgemm3m64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int64_t m,
                      int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                      int64_t ldb, const void *beta, void *c, int64_t ldc);
void cblas_zgemm3m64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int64_t m,
                      int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                      int64_t ldb, const void *beta, void *c, int64_t ldc);

void cblas_sgemmt64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                     int64_t n, int64_t k, float alpha, const float *a, int64_t lda, const float *b,
                     int64_t ldb, float beta, float *c, int64_t ldc);
void cblas_dgemmt64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                     int64_t n, int64_t k, double alpha, const double *a, int64_t lda, const double *b,
                     int64_t ldb, double beta, double *c, int64_t ldc);
void cblas_cgemmt64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                     int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                     int64_t ldb, const void *beta, void *c, int64_t ldc);
void cblas_zgemmt64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                     int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                     int64_t ldb, const void *beta, void *c, int64_t ldc);
void cblas_sgemmtr64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                      int64_t n, int64_t k, float alpha, const float *a, int64_t lda, const float *b,
                      int64_t ldb, float beta, float *c, int64_t ldc);
void cblas_dgemmtr64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                      int64_t n, int64_t k, double alpha, const double *a, int64_t lda, const double *b,
                      int64_t ldb, double beta, double *c, int64_t ldc);
void cblas_cgemmtr64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                      int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                      int64_t ldb, const void *beta, void *c, int64_t ldc);
void cblas_zgemmtr64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                      int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda, const void *b,
                      int64_t ldb, const void *beta, void *c, int64_t ldc);
void cblas_ssyrk64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                    float alpha, const float *a, int64_t lda, float beta, float *c, int64_t ldc);
void cblas_dsyrk64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                    double alpha, const double *a, int64_t lda, double beta, double *c, int64_t ldc);
void cblas_csyrk64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                    const void *alpha, const void *a, int64_t lda, const void *beta, void *c, int64_t ldc);
void cblas_zsyrk64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                    const void *alpha, const void *a, int64_t lda, const void *beta, void *c, int64_t ldc);
void cblas_cherk64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                    float alpha, const void *a, int64_t lda, float beta, void *c, int64_t ldc);
void cblas_zherk64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                    double alpha, const void *a, int64_t lda, double beta, void *c, int64_t ldc);
void cblas_ssymm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int64_t m, int64_t n, float alpha,
                    const float *a, int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                    int64_t ldc);
void cblas_dsymm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int64_t m, int64_t n, double alpha,
                    const double *a, int64_t lda, const double *b, int64_t ldb, double beta, double *c,
                    int64_t ldc);
void cblas_csymm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int64_t m, int64_t n,
                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                    const void *beta, void *c, int64_t ldc);
void cblas_zsymm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int64_t m, int64_t n,
                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                    const void *beta, void *c, int64_t ldc);
void cblas_chemm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int64_t m, int64_t n,
                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                    const void *beta, void *c, int64_t ldc);
void cblas_zhemm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int64_t m, int64_t n,
                    const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                    const void *beta, void *c, int64_t ldc);
void cblas_ssyr2k64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                     float alpha, const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                     float *c, int64_t ldc);
void cblas_dsyr2k64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                     double alpha, const double *a, int64_t lda, const double *b, int64_t ldb, double beta,
                     double *c, int64_t ldc);
void cblas_csyr2k64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                     const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                     const void *beta, void *c, int64_t ldc);
void cblas_zsyr2k64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                     const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                     const void *beta, void *c, int64_t ldc);
void cblas_cher2k64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                     const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, float beta,
                     void *c, int64_t ldc);
void cblas_zher2k64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n, int64_t k,
                     const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb, double beta,
                     void *c, int64_t ldc);
void cblas_strmm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                    CBLAS_DIAG diag, int64_t m, int64_t n, float alpha, const float *a, int64_t lda, float *b,
                    int64_t ldb);
void cblas_dtrmm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                    CBLAS_DIAG diag, int64_t m, int64_t n, double alpha, const double *a, int64_t lda,
                    double *b, int64_t ldb);
void cblas_ctrmm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                    CBLAS_DIAG diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,
                    void *b, int64_t ldb);
void cblas_ztrmm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                    CBLAS_DIAG diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,
                    void *b, int64_t ldb);
void cblas_strsm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                    CBLAS_DIAG diag, int64_t m, int64_t n, float alpha, const float *a, int64_t lda, float *b,
                    int64_t ldb);
void cblas_dtrsm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                    CBLAS_DIAG diag, int64_t m, int64_t n, double alpha, const double *a, int64_t lda,
                    double *b, int64_t ldb);
void cblas_ctrsm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                    CBLAS_DIAG diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,
                    void *b, int64_t ldb);
void cblas_ztrsm64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                    CBLAS_DIAG diag, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,
                    void *b, int64_t ldb);

void cblas_sgemm_batch64_(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                          const int64_t *m, const int64_t *n, const int64_t *k, const float *alpha,
                          const float **a, const int64_t *lda, const float **b, const int64_t *ldb,
                          const float *beta, float **c, const int64_t *ldc, int64_t group_count,
                          const int64_t *group_size);
void cblas_dgemm_batch64_(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                          const int64_t *m, const int64_t *n, const int64_t *k, const double *alpha,
                          const double **a, const int64_t *lda, const double **b, const int64_t *ldb,
                          const double *beta, double **c, const int64_t *ldc, int64_t group_count,
                          const int64_t *group_size);
void cblas_cgemm_batch64_(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                          const int64_t *m, const int64_t *n, const int64_t *k, const void *alpha,
                          const void **a, const int64_t *lda, const void **b, const int64_t *ldb,
                          const void *beta, void **c, const int64_t *ldc, int64_t group_count,
                          const int64_t *group_size);
void cblas_zgemm_batch64_(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                          const int64_t *m, const int64_t *n, const int64_t *k, const void *alpha,
                          const void **a, const int64_t *lda, const void **b, const int64_t *ldb,
                          const void *beta, void **c, const int64_t *ldc, int64_t group_count,
                          const int64_t *group_size);
void cblas_sgemm_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                                  int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
                                  int64_t stridea, const float *b, int64_t ldb, int64_t strideb, float beta,
                                  float *c, int64_t ldc, int64_t stridec, int64_t batch_size);
void cblas_dgemm_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                                  int64_t m, int64_t n, int64_t k, double alpha, const double *a, int64_t lda,
                                  int64_t stridea, const double *b, int64_t ldb, int64_t strideb, double beta,
                                  double *c, int64_t ldc, int64_t stridec, int64_t batch_size);
void cblas_cgemm_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                                  int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                                  int64_t lda, int64_t stridea, const void *b, int64_t ldb, int64_t strideb,
                                  const void *beta, void *c, int64_t ldc, int64_t stridec,
                                  int64_t batch_size);
void cblas_zgemm_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                                  int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,
                                  int64_t lda, int64_t stridea, const void *b, int64_t ldb, int64_t strideb,
                                  const void *beta, void *c, int64_t ldc, int64_t stridec,
                                  int64_t batch_size);

#endif

#if !defined(OPENBLAS_F77BLAS_H) && !defined(_MKL_BLAS_H_)

void sgemm_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n, const int64_t *k,
               const float *alpha, const float *a, const int64_t *lda, const float *b, const int64_t *ldb,
               const float *beta, float *c, const int64_t *ldc, size_t transa_length, size_t transb_length);
void dgemm_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n, const int64_t *k,
               const double *alpha, const double *a, const int64_t *lda, const double *b, const int64_t *ldb,
               const double *beta, double *c, const int64_t *ldc, size_t transa_length, size_t transb_length);
void cgemm_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n, const int64_t *k,
               const void *alpha, const void *a, const int64_t *lda, const void *b, const int64_t *ldb,
               const void *beta, void *c, const int64_t *ldc, size_t transa_length, size_t transb_length);
void zgemm_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n, const int64_t *k,
               const void *alpha, const void *a, const int64_t *lda, const void *b, const int64_t *ldb,
               const void *beta, void *c, const int64_t *ldc, size_t transa_length, size_t transb_length);
void cgemm3m_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n, const int64_t *k,
                 const void *alpha, const void *a, const int64_t *lda, const void *b, const int64_t *ldb,
                 const void *beta, void *c, const int64_t *ldc, size_t transa_length, size_t transb_length);
void zgemm3m_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n, const int64_t *k,
                 const void *alpha, const void *a, const int64_t *lda, const void *b, const int64_t *ldb,
                 const void *beta, void *c, const int64_t *ldc, size_t transa_length, size_t transb_length);

void sgemmt_64_(const char *uplo, const char *transa, const char *transb, const int64_t *n, const int64_t *k,
                const float *alpha, const float *a, const int64_t *lda, const float *b, const int64_t *ldb,
                const float *beta, float *c, const int64_t *ldc, size_t uplo_length, size_t transa_length,
                size_t transb_length);
void dgemmt_64_(const char *uplo, const char *transa, const char *transb, const int64_t *n, const int64_t *k,
                const double *alpha, const double *a, const int64_t *lda, const double *b, const int64_t *ldb,
                const double *beta, double *c, const int64_t *ldc, size_t uplo_length, size_t transa_length,
                size_t transb_length);
void cgemmt_64_(const char *uplo, const char *transa, const char *transb, const int64_t *n, const int64_t *k,
                const void *alpha, const void *a, const int64_t *lda, const void *b, const int64_t *ldb,
                const void *beta, void *c, const int64_t *ldc, size_t uplo_length, size_t transa_length,
                size_t transb_length);
void zgemmt_64_(const char *uplo, const char *transa, const char *transb, const int64_t *n, const int64_t *k,
                const void *alpha, const void *a, const int64_t *lda, const void *b, const int64_t *ldb,
                const void *beta, void *c, const int64_t *ldc, size_t uplo_length, size_t transa_length,
                size_t transb_length);
void sgemmtr_64_(const char *uplo, const char *transa, const char *transb, const int64_t *n, const int64_t *k,
                 const float *alpha, const float *a, const int64_t *lda, const float *b, const int64_t *ldb,
                 const float *beta, float *c, const int64_t *ldc, size_t uplo_length, size_t transa_length,
                 size_t transb_length);
void dgemmtr_64_(const char *uplo, const char *transa, const char *transb, const int64_t *n, const int64_t *k,
                 const double *alpha, const double *a, const int64_t *lda, const double *b,
                 const int64_t *ldb, const double *beta, double *c, const int64_t *ldc, size_t uplo_length,
                 size_t transa_length, size_t transb_length);
void cgemmtr_64_(const char *uplo, const char *transa, const char *transb, const int64_t *n, const int64_t *k,
                 const void *alpha, const void *a, const int64_t *lda, const void *b, const int64_t *ldb,
                 const void *beta, void *c, const int64_t *ldc, size_t uplo_length, size_t transa_length,
                 size_t transb_length);
void zgemmtr_64_(const char *uplo, const char *transa, const char *transb, const int64_t *n, const int64_t *k,
                 const void *alpha, const void *a, const int64_t *lda, const void *b, const int64_t *ldb,
                 const void *beta, void *c, const int64_t *ldc, size_t uplo_length, size_t transa_length,
                 size_t transb_length);
void ssyrk_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const float *alpha,
               const float *a, const int64_t *lda, const float *beta, float *c, const int64_t *ldc,
               size_t uplo_length, size_t trans_length);
void dsyrk_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const double *alpha,
               const double *a, const int64_t *lda, const double *beta, double *c, const int64_t *ldc,
               size_t uplo_length, size_t trans_length);
void csyrk_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const void *alpha,
               const void *a, const int64_t *lda, const void *beta, void *c, const int64_t *ldc,
               size_t uplo_length, size_t trans_length);
void zsyrk_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const void *alpha,
               const void *a, const int64_t *lda, const void *beta, void *c, const int64_t *ldc,
               size_t uplo_length, size_t trans_length);
void cherk_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const float *alpha,
               const void *a, const int64_t *lda, const float *beta, void *c, const int64_t *ldc,
               size_t uplo_length, size_t trans_length);
void zherk_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const double *alpha,
               const void *a, const int64_t *lda, const double *beta, void *c, const int64_t *ldc,
               size_t uplo_length, size_t trans_length);
void ssymm_64_(const char *side, const char *uplo, const int64_t *m, const int64_t *n, const float *alpha,
               const float *a, const int64_t *lda, const float *b, const int64_t *ldb, const float *beta,
               float *c, const int64_t *ldc, size_t side_length, size_t uplo_length);
void dsymm_64_(const char *side, const char *uplo, const int64_t *m, const int64_t *n, const double *alpha,
               const double *a, const int64_t *lda, const double *b, const int64_t *ldb, const double *beta,
               double *c, const int64_t *ldc, size_t side_length, size_t uplo_length);
void csymm_64_(const char *side, const char *uplo, const int64_t *m, const int64_t *n, const void *alpha,
               const void *a, const int64_t *lda, const void *b, const int64_t *ldb, const void *beta,
               void *c, const int64_t *ldc, size_t side_length, size_t uplo_length);
void zsymm_64_(const char *side, const char *uplo, const int64_t *m, const int64_t *n, const void *alpha,
               const void *a, const int64_t *lda, const void *b, const int64_t *ldb, const void *beta,
               void *c, const int64_t *ldc, size_t side_length, size_t uplo_length);
void chemm_64_(const char *side, const char *uplo, const int64_t *m, const int64_t *n, const void *alpha,
               const void *a, const int64_t *lda, const void *b, const int64_t *ldb, const void *beta,
               void *c, const int64_t *ldc, size_t side_length, size_t uplo_length);
void zhemm_64_(const char *side, const char *uplo, const int64_t *m, const int64_t *n, const void *alpha,
               const void *a, const int64_t *lda, const void *b, const int64_t *ldb, const void *beta,
               void *c, const int64_t *ldc, size_t side_length, size_t uplo_length);
void ssyr2k_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const float *alpha,
                const float *a, const int64_t *lda, const float *b, const int64_t *ldb, const float *beta,
                float *c, const int64_t *ldc, size_t uplo_length, size_t trans_length);
void dsyr2k_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const double *alpha,
                const double *a, const int64_t *lda, const double *b, const int64_t *ldb, const double *beta,
                double *c, const int64_t *ldc, size_t uplo_length, size_t trans_length);
void csyr2k_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const void *alpha,
                const void *a, const int64_t *lda, const void *b, const int64_t *ldb, const void *beta,
                void *c, const int64_t *ldc, size_t uplo_length, size_t trans_length);
void zsyr2k_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const void *alpha,
                const void *a, const int64_t *lda, const void *b, const int64_t *ldb, const void *beta,
                void *c, const int64_t *ldc, size_t uplo_length, size_t trans_length);
void cher2k_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const void *alpha,
                const void *a, const int64_t *lda, const void *b, const int64_t *ldb, const float *beta,
                void *c, const int64_t *ldc, size_t uplo_length, size_t trans_length);
void zher2k_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k, const void *alpha,
                const void *a, const int64_t *lda, const void *b, const int64_t *ldb, const double *beta,
                void *c, const int64_t *ldc, size_t uplo_length, size_t trans_length);
void strmm_64_(const char *side, const char *uplo, const char *transa, const char *diag, const int64_t *m,
               const int64_t *n, const float *alpha, const float *a, const int64_t *lda, float *b,
               const int64_t *ldb, size_t side_length, size_t uplo_length, size_t transa_length,
               size_t diag_length);
void dtrmm_64_(const char *side, const char *uplo, const char *transa, const char *diag, const int64_t *m,
               const int64_t *n, const double *alpha, const double *a, const int64_t *lda, double *b,
               const int64_t *ldb, size_t side_length, size_t uplo_length, size_t transa_length,
               size_t diag_length);
void ctrmm_64_(const char *side, const char *uplo, const char *transa, const char *diag, const int64_t *m,
               const int64_t *n, const void *alpha, const void *a, const int64_t *lda, void *b,
               const int64_t *ldb, size_t side_length, size_t uplo_length, size_t transa_length,
               size_t diag_length);
void ztrmm_64_(const char *side, const char *uplo, const char *transa, const char *diag, const int64_t *m,
               const int64_t *n, const void *alpha, const void *a, const int64_t *lda, void *b,
               const int64_t *ldb, size_t side_length, size_t uplo_length, size_t transa_length,
               size_t diag_length);
void strsm_64_(const char *side, const char *uplo, const char *transa, const char *diag, const int64_t *m,
               const int64_t *n, const float *alpha, const float *a, const int64_t *lda, float *b,
               const int64_t *ldb, size_t side_length, size_t uplo_length, size_t transa_length,
               size_t diag_length);
void dtrsm_64_(const char *side, const char *uplo, const char *transa, const char *diag, const int64_t *m,
               const int64_t *n, const double *alpha, const double *a, const int64_t *lda, double *b,
               const int64_t *ldb, size_t side_length, size_t uplo_length, size_t transa_length,
               size_t diag_length);
void ctrsm_64_(const char *side, const char *uplo, const char *transa, const char *diag, const int64_t *m,
               const int64_t *n, const void *alpha, const void *a, const int64_t *lda, void *b,
               const int64_t *ldb, size_t side_length, size_t uplo_length, size_t transa_length,
               size_t diag_length);
void ztrsm_64_(const char *side, const char *uplo, const char *transa, const char *diag, const int64_t *m,
               const int64_t *n, const void *alpha, const void *a, const int64_t *lda, void *b,
               const int64_t *ldb, size_t side_length, size_t uplo_length, size_t transa_length,
               size_t diag_length);
void sgemm_batch_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n,
                     const int64_t *k, const float *alpha, const float **a, const int64_t *lda,
                     const float **b, const int64_t *ldb, const float *beta, float **c, const int64_t *ldc,
                     const int64_t *group_count, const int64_t *group_size, size_t transa_length,
                     size_t transb_length);
void dgemm_batch_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n,
                     const int64_t *k, const double *alpha, const double **a, const int64_t *lda,
                     const double **b, const int64_t *ldb, const double *beta, double **c, const int64_t *ldc,
                     const int64_t *group_count, const int64_t *group_size, size_t transa_length,
                     size_t transb_length);
void cgemm_batch_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n,
                     const int64_t *k, const void *alpha, const void **a, const int64_t *lda, const void **b,
                     const int64_t *ldb, const void *beta, void **c, const int64_t *ldc,
                     const int64_t *group_count, const int64_t *group_size, size_t transa_length,
                     size_t transb_length);
void zgemm_batch_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n,
                     const int64_t *k, const void *alpha, const void **a, const int64_t *lda, const void **b,
                     const int64_t *ldb, const void *beta, void **c, const int64_t *ldc,
                     const int64_t *group_count, const int64_t *group_size, size_t transa_length,
                     size_t transb_length);
void sgemm_batch_strided_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n,
                             const int64_t *k, const float *alpha, const float *a, const int64_t *lda,
                             const int64_t *stridea, const float *b, const int64_t *ldb,
                             const int64_t *strideb, const float *beta, float *c, const int64_t *ldc,
                             const int64_t *stridec, const int64_t *batch_size, size_t transa_length,
                             size_t transb_length);
void dgemm_batch_strided_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n,
                             const int64_t *k, const double *alpha, const double *a, const int64_t *lda,
                             const int64_t *stridea, const double *b, const int64_t *ldb,
                             const int64_t *strideb, const double *beta, double *c, const int64_t *ldc,
                             const int64_t *stridec, const int64_t *batch_size, size_t transa_length,
                             size_t transb_length);
void cgemm_batch_strided_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n,
                             const int64_t *k, const void *alpha, const void *a, const int64_t *lda,
                             const int64_t *stridea, const void *b, const int64_t *ldb,
                             const int64_t *strideb, const void *beta, void *c, const int64_t *ldc,
                             const int64_t *stridec, const int64_t *batch_size, size_t transa_length,
                             size_t transb_length);
void zgemm_batch_strided_64_(const char *transa, const char *transb, const int64_t *m, const int64_t *n,
                             const int64_t *k, const void *alpha, const void *a, const int64_t *lda,
                             const int64_t *stridea, const void *b, const int64_t *ldb,
                             const int64_t *strideb, const void *beta, void *c, const int64_t *ldc,
                             const int64_t *stridec, const int64_t *batch_size, size_t transa_length,
                             size_t transb_length);

#endif

#endif
