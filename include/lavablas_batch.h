/* The part of lavablas_cblas.h with ?syrk_batch and ?trsm_batch. Include that header, not this one.
 *
 * Many updates or solves, in groups of one shape or at equal distances: what cblas_?gemm_batch and
 * cblas_?gemm_batch_strided are to cblas_?gemm, these are to cblas_?syrk and cblas_?trsm. Options, too, have
 * an element for each group. No matrix that is written may overlap a matrix of another update or solve. If
 * the CPU BLAS has no routine of the name, they are computed one after the other with its ?gemm, and errors
 * are reported as for half precision there, before anything is computed.
 *
 * Source: the Developer Reference of oneMKL (2025). */
#ifndef LAVABLAS_BATCH_H
#define LAVABLAS_BATCH_H

#ifndef LAVABLAS_CBLAS_H
#    error "include lavablas_cblas.h instead"
#endif

#ifdef LAVABLAS_ONLY_CBLAS

void cblas_ssyrk_batch(CBLAS_LAYOUT layout, const CBLAS_UPLO *uplo, const CBLAS_TRANSPOSE *trans,
                       const int *n, const int *k, const float *alpha, const float **a, const int *lda,
                       const float *beta, float **c, const int *ldc, int group_count, const int *group_size);
void cblas_dsyrk_batch(CBLAS_LAYOUT layout, const CBLAS_UPLO *uplo, const CBLAS_TRANSPOSE *trans,
                       const int *n, const int *k, const double *alpha, const double **a, const int *lda,
                       const double *beta, double **c, const int *ldc, int group_count,
                       const int *group_size);
void cblas_csyrk_batch(CBLAS_LAYOUT layout, const CBLAS_UPLO *uplo, const CBLAS_TRANSPOSE *trans,
                       const int *n, const int *k, const void *alpha, const void **a, const int *lda,
                       const void *beta, void **c, const int *ldc, int group_count, const int *group_size);
void cblas_zsyrk_batch(CBLAS_LAYOUT layout, const CBLAS_UPLO *uplo, const CBLAS_TRANSPOSE *trans,
                       const int *n, const int *k, const void *alpha, const void **a, const int *lda,
                       const void *beta, void **c, const int *ldc, int group_count, const int *group_size);
void cblas_ssyrk_batch_strided(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k,
                               float alpha, const float *a, int lda, int stridea, float beta, float *c,
                               int ldc, int stridec, int batch_size);
void cblas_dsyrk_batch_strided(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k,
                               double alpha, const double *a, int lda, int stridea, double beta, double *c,
                               int ldc, int stridec, int batch_size);
void cblas_csyrk_batch_strided(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k,
                               const void *alpha, const void *a, int lda, int stridea, const void *beta,
                               void *c, int ldc, int stridec, int batch_size);
void cblas_zsyrk_batch_strided(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k,
                               const void *alpha, const void *a, int lda, int stridea, const void *beta,
                               void *c, int ldc, int stridec, int batch_size);
void cblas_strsm_batch(CBLAS_LAYOUT layout, const CBLAS_SIDE *side, const CBLAS_UPLO *uplo,
                       const CBLAS_TRANSPOSE *transa, const CBLAS_DIAG *diag, const int *m, const int *n,
                       const float *alpha, const float **a, const int *lda, float **b, const int *ldb,
                       int group_count, const int *group_size);
void cblas_dtrsm_batch(CBLAS_LAYOUT layout, const CBLAS_SIDE *side, const CBLAS_UPLO *uplo,
                       const CBLAS_TRANSPOSE *transa, const CBLAS_DIAG *diag, const int *m, const int *n,
                       const double *alpha, const double **a, const int *lda, double **b, const int *ldb,
                       int group_count, const int *group_size);
void cblas_ctrsm_batch(CBLAS_LAYOUT layout, const CBLAS_SIDE *side, const CBLAS_UPLO *uplo,
                       const CBLAS_TRANSPOSE *transa, const CBLAS_DIAG *diag, const int *m, const int *n,
                       const void *alpha, const void **a, const int *lda, void **b, const int *ldb,
                       int group_count, const int *group_size);
void cblas_ztrsm_batch(CBLAS_LAYOUT layout, const CBLAS_SIDE *side, const CBLAS_UPLO *uplo,
                       const CBLAS_TRANSPOSE *transa, const CBLAS_DIAG *diag, const int *m, const int *n,
                       const void *alpha, const void **a, const int *lda, void **b, const int *ldb,
                       int group_count, const int *group_size);
void cblas_strsm_batch_strided(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                               CBLAS_DIAG diag, int m, int n, float alpha, const float *a, int lda,
                               int stridea, float *b, int ldb, int strideb, int batch_size);
void cblas_dtrsm_batch_strided(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                               CBLAS_DIAG diag, int m, int n, double alpha, const double *a, int lda,
                               int stridea, double *b, int ldb, int strideb, int batch_size);
void cblas_ctrsm_batch_strided(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                               CBLAS_DIAG diag, int m, int n, const void *alpha, const void *a, int lda,
                               int stridea, void *b, int ldb, int strideb, int batch_size);
void cblas_ztrsm_batch_strided(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                               CBLAS_DIAG diag, int m, int n, const void *alpha, const void *a, int lda,
                               int stridea, void *b, int ldb, int strideb, int batch_size);

#endif

#if defined(LAVABLAS_ONLY_CBLAS) || defined(LAVABLAS_DECLARE_ILP64)

void cblas_ssyrk_batch64_(CBLAS_LAYOUT layout, const CBLAS_UPLO *uplo, const CBLAS_TRANSPOSE *trans,
                          const int64_t *n, const int64_t *k, const float *alpha, const float **a,
                          const int64_t *lda, const float *beta, float **c, const int64_t *ldc,
                          int64_t group_count, const int64_t *group_size);
void cblas_dsyrk_batch64_(CBLAS_LAYOUT layout, const CBLAS_UPLO *uplo, const CBLAS_TRANSPOSE *trans,
                          const int64_t *n, const int64_t *k, const double *alpha, const double **a,
                          const int64_t *lda, const double *beta, double **c, const int64_t *ldc,
                          int64_t group_count, const int64_t *group_size);
void cblas_csyrk_batch64_(CBLAS_LAYOUT layout, const CBLAS_UPLO *uplo, const CBLAS_TRANSPOSE *trans,
                          const int64_t *n, const int64_t *k, const void *alpha, const void **a,
                          const int64_t *lda, const void *beta, void **c, const int64_t *ldc,
                          int64_t group_count, const int64_t *group_size);
void cblas_zsyrk_batch64_(CBLAS_LAYOUT layout, const CBLAS_UPLO *uplo, const CBLAS_TRANSPOSE *trans,
                          const int64_t *n, const int64_t *k, const void *alpha, const void **a,
                          const int64_t *lda, const void *beta, void **c, const int64_t *ldc,
                          int64_t group_count, const int64_t *group_size);
void cblas_ssyrk_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n,
                                  int64_t k, float alpha, const float *a, int64_t lda, int64_t stridea,
                                  float beta, float *c, int64_t ldc, int64_t stridec, int64_t batch_size);
void cblas_dsyrk_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n,
                                  int64_t k, double alpha, const double *a, int64_t lda, int64_t stridea,
                                  double beta, double *c, int64_t ldc, int64_t stridec, int64_t batch_size);
void cblas_csyrk_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n,
                                  int64_t k, const void *alpha, const void *a, int64_t lda, int64_t stridea,
                                  const void *beta, void *c, int64_t ldc, int64_t stridec,
                                  int64_t batch_size);
void cblas_zsyrk_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int64_t n,
                                  int64_t k, const void *alpha, const void *a, int64_t lda, int64_t stridea,
                                  const void *beta, void *c, int64_t ldc, int64_t stridec,
                                  int64_t batch_size);
void cblas_strsm_batch64_(CBLAS_LAYOUT layout, const CBLAS_SIDE *side, const CBLAS_UPLO *uplo,
                          const CBLAS_TRANSPOSE *transa, const CBLAS_DIAG *diag, const int64_t *m,
                          const int64_t *n, const float *alpha, const float **a, const int64_t *lda,
                          float **b, const int64_t *ldb, int64_t group_count, const int64_t *group_size);
void cblas_dtrsm_batch64_(CBLAS_LAYOUT layout, const CBLAS_SIDE *side, const CBLAS_UPLO *uplo,
                          const CBLAS_TRANSPOSE *transa, const CBLAS_DIAG *diag, const int64_t *m,
                          const int64_t *n, const double *alpha, const double **a, const int64_t *lda,
                          double **b, const int64_t *ldb, int64_t group_count, const int64_t *group_size);
void cblas_ctrsm_batch64_(CBLAS_LAYOUT layout, const CBLAS_SIDE *side, const CBLAS_UPLO *uplo,
                          const CBLAS_TRANSPOSE *transa, const CBLAS_DIAG *diag, const int64_t *m,
                          const int64_t *n, const void *alpha, const void **a, const int64_t *lda, void **b,
                          const int64_t *ldb, int64_t group_count, const int64_t *group_size);
void cblas_ztrsm_batch64_(CBLAS_LAYOUT layout, const CBLAS_SIDE *side, const CBLAS_UPLO *uplo,
                          const CBLAS_TRANSPOSE *transa, const CBLAS_DIAG *diag, const int64_t *m,
                          const int64_t *n, const void *alpha, const void **a, const int64_t *lda, void **b,
                          const int64_t *ldb, int64_t group_count, const int64_t *group_size);
void cblas_strsm_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo,
                                  CBLAS_TRANSPOSE transa, CBLAS_DIAG diag, int64_t m, int64_t n, float alpha,
                                  const float *a, int64_t lda, int64_t stridea, float *b, int64_t ldb,
                                  int64_t strideb, int64_t batch_size);
void cblas_dtrsm_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo,
                                  CBLAS_TRANSPOSE transa, CBLAS_DIAG diag, int64_t m, int64_t n, double alpha,
                                  const double *a, int64_t lda, int64_t stridea, double *b, int64_t ldb,
                                  int64_t strideb, int64_t batch_size);
void cblas_ctrsm_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo,
                                  CBLAS_TRANSPOSE transa, CBLAS_DIAG diag, int64_t m, int64_t n,
                                  const void *alpha, const void *a, int64_t lda, int64_t stridea, void *b,
                                  int64_t ldb, int64_t strideb, int64_t batch_size);
void cblas_ztrsm_batch_strided64_(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo,
                                  CBLAS_TRANSPOSE transa, CBLAS_DIAG diag, int64_t m, int64_t n,
                                  const void *alpha, const void *a, int64_t lda, int64_t stridea, void *b,
                                  int64_t ldb, int64_t strideb, int64_t batch_size);

#endif

#if !defined(OPENBLAS_F77BLAS_H) && !defined(_MKL_BLAS_H_)

/* As Fortran sees them: each option is an array of characters, and a, b and c are arrays of addresses. The
 * lengths of the options, 1 each, follow the last argument. */
void ssyrk_batch_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha,
                  const float **a, const int *lda, const float *beta, float **c, const int *ldc,
                  const int *group_count, const int *group_size, size_t uplo_length, size_t trans_length);
void dsyrk_batch_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
                  const double **a, const int *lda, const double *beta, double **c, const int *ldc,
                  const int *group_count, const int *group_size, size_t uplo_length, size_t trans_length);
void csyrk_batch_(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha,
                  const void **a, const int *lda, const void *beta, void **c, const int *ldc,
                  const int *group_count, const int *group_size, size_t uplo_length, size_t trans_length);
void zsyrk_batch_(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha,
                  const void **a, const int *lda, const void *beta, void **c, const int *ldc,
                  const int *group_count, const int *group_size, size_t uplo_length, size_t trans_length);
void ssyrk_batch_strided_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha,
                          const float *a, const int *lda, const int *stridea, const float *beta, float *c,
                          const int *ldc, const int *stridec, const int *batch_size, size_t uplo_length,
                          size_t trans_length);
void dsyrk_batch_strided_(const char *uplo, const char *trans, const int *n, const int *k,
                          const double *alpha, const double *a, const int *lda, const int *stridea,
                          const double *beta, double *c, const int *ldc, const int *stridec,
                          const int *batch_size, size_t uplo_length, size_t trans_length);
void csyrk_batch_strided_(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha,
                          const void *a, const int *lda, const int *stridea, const void *beta, void *c,
                          const int *ldc, const int *stridec, const int *batch_size, size_t uplo_length,
                          size_t trans_length);
void zsyrk_batch_strided_(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha,
                          const void *a, const int *lda, const int *stridea, const void *beta, void *c,
                          const int *ldc, const int *stridec, const int *batch_size, size_t uplo_length,
                          size_t trans_length);
void strsm_batch_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
                  const int *n, const float *alpha, const float **a, const int *lda, float **b,
                  const int *ldb, const int *group_count, const int *group_size, size_t side_length,
                  size_t uplo_length, size_t transa_length, size_t diag_length);
void dtrsm_batch_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
                  const int *n, const double *alpha, const double **a, const int *lda, double **b,
                  const int *ldb, const int *group_count, const int *group_size, size_t side_length,
                  size_t uplo_length, size_t transa_length, size_t diag_length);
void ctrsm_batch_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
                  const int *n, const void *alpha, const void **a, const int *lda, void **b, const int *ldb,
                  const int *group_count, const int *group_size, size_t side_length, size_t uplo_length,
                  size_t transa_length, size_t diag_length);
void ztrsm_batch_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
                  const int *n, const void *alpha, const void **a, const int *lda, void **b, const int *ldb,
                  const int *group_count, const int *group_size, size_t side_length, size_t uplo_length,
                  size_t transa_length, size_t diag_length);
void strsm_batch_strided_(const char *side, const char *uplo, const char *transa, const char *diag,
                          const int *m, const int *n, const float *alpha, const float *a, const int *lda,
                          const int *stridea, float *b, const int *ldb, const int *strideb,
                          const int *batch_size, size_t side_length, size_t uplo_length, size_t transa_length,
                          size_t diag_length);
void dtrsm_batch_strided_(const char *side, const char *uplo, const char *transa, const char *diag,
                          const int *m, const int *n, const double *alpha, const double *a, const int *lda,
                          const int *stridea, double *b, const int *ldb, const int *strideb,
                          const int *batch_size, size_t side_length, size_t uplo_length, size_t transa_length,
                          size_t diag_length);
void ctrsm_batch_strided_(const char *side, const char *uplo, const char *transa, const char *diag,
                          const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                          const int *stridea, void *b, const int *ldb, const int *strideb,
                          const int *batch_size, size_t side_length, size_t uplo_length, size_t transa_length,
                          size_t diag_length);
void ztrsm_batch_strided_(const char *side, const char *uplo, const char *transa, const char *diag,
                          const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                          const int *stridea, void *b, const int *ldb, const int *strideb,
                          const int *batch_size, size_t side_length, size_t uplo_length, size_t transa_length,
                          size_t diag_length);
void ssyrk_batch_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k,
                     const float *alpha, const float **a, const int64_t *lda, const float *beta, float **c,
                     const int64_t *ldc, const int64_t *group_count, const int64_t *group_size,
                     size_t uplo_length, size_t trans_length);
void dsyrk_batch_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k,
                     const double *alpha, const double **a, const int64_t *lda, const double *beta,
                     double **c, const int64_t *ldc, const int64_t *group_count, const int64_t *group_size,
                     size_t uplo_length, size_t trans_length);
void csyrk_batch_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k,
                     const void *alpha, const void **a, const int64_t *lda, const void *beta, void **c,
                     const int64_t *ldc, const int64_t *group_count, const int64_t *group_size,
                     size_t uplo_length, size_t trans_length);
void zsyrk_batch_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k,
                     const void *alpha, const void **a, const int64_t *lda, const void *beta, void **c,
                     const int64_t *ldc, const int64_t *group_count, const int64_t *group_size,
                     size_t uplo_length, size_t trans_length);
void ssyrk_batch_strided_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k,
                             const float *alpha, const float *a, const int64_t *lda, const int64_t *stridea,
                             const float *beta, float *c, const int64_t *ldc, const int64_t *stridec,
                             const int64_t *batch_size, size_t uplo_length, size_t trans_length);
void dsyrk_batch_strided_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k,
                             const double *alpha, const double *a, const int64_t *lda, const int64_t *stridea,
                             const double *beta, double *c, const int64_t *ldc, const int64_t *stridec,
                             const int64_t *batch_size, size_t uplo_length, size_t trans_length);
void csyrk_batch_strided_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k,
                             const void *alpha, const void *a, const int64_t *lda, const int64_t *stridea,
                             const void *beta, void *c, const int64_t *ldc, const int64_t *stridec,
                             const int64_t *batch_size, size_t uplo_length, size_t trans_length);
void zsyrk_batch_strided_64_(const char *uplo, const char *trans, const int64_t *n, const int64_t *k,
                             const void *alpha, const void *a, const int64_t *lda, const int64_t *stridea,
                             const void *beta, void *c, const int64_t *ldc, const int64_t *stridec,
                             const int64_t *batch_size, size_t uplo_length, size_t trans_length);
void strsm_batch_64_(const char *side, const char *uplo, const char *transa, const char *diag,
                     const int64_t *m, const int64_t *n, const float *alpha, const float **a,
                     const int64_t *lda, float **b, const int64_t *ldb, const int64_t *group_count,
                     const int64_t *group_size, size_t side_length, size_t uplo_length, size_t transa_length,
                     size_t diag_length);
void dtrsm_batch_64_(const char *side, const char *uplo, const char *transa, const char *diag,
                     const int64_t *m, const int64_t *n, const double *alpha, const double **a,
                     const int64_t *lda, double **b, const int64_t *ldb, const int64_t *group_count,
                     const int64_t *group_size, size_t side_length, size_t uplo_length, size_t transa_length,
                     size_t diag_length);
void ctrsm_batch_64_(const char *side, const char *uplo, const char *transa, const char *diag,
                     const int64_t *m, const int64_t *n, const void *alpha, const void **a,
                     const int64_t *lda, void **b, const int64_t *ldb, const int64_t *group_count,
                     const int64_t *group_size, size_t side_length, size_t uplo_length, size_t transa_length,
                     size_t diag_length);
void ztrsm_batch_64_(const char *side, const char *uplo, const char *transa, const char *diag,
                     const int64_t *m, const int64_t *n, const void *alpha, const void **a,
                     const int64_t *lda, void **b, const int64_t *ldb, const int64_t *group_count,
                     const int64_t *group_size, size_t side_length, size_t uplo_length, size_t transa_length,
                     size_t diag_length);
void strsm_batch_strided_64_(const char *side, const char *uplo, const char *transa, const char *diag,
                             const int64_t *m, const int64_t *n, const float *alpha, const float *a,
                             const int64_t *lda, const int64_t *stridea, float *b, const int64_t *ldb,
                             const int64_t *strideb, const int64_t *batch_size, size_t side_length,
                             size_t uplo_length, size_t transa_length, size_t diag_length);
void dtrsm_batch_strided_64_(const char *side, const char *uplo, const char *transa, const char *diag,
                             const int64_t *m, const int64_t *n, const double *alpha, const double *a,
                             const int64_t *lda, const int64_t *stridea, double *b, const int64_t *ldb,
                             const int64_t *strideb, const int64_t *batch_size, size_t side_length,
                             size_t uplo_length, size_t transa_length, size_t diag_length);
void ctrsm_batch_strided_64_(const char *side, const char *uplo, const char *transa, const char *diag,
                             const int64_t *m, const int64_t *n, const void *alpha, const void *a,
                             const int64_t *lda, const int64_t *stridea, void *b, const int64_t *ldb,
                             const int64_t *strideb, const int64_t *batch_size, size_t side_length,
                             size_t uplo_length, size_t transa_length, size_t diag_length);
void ztrsm_batch_strided_64_(const char *side, const char *uplo, const char *transa, const char *diag,
                             const int64_t *m, const int64_t *n, const void *alpha, const void *a,
                             const int64_t *lda, const int64_t *stridea, void *b, const int64_t *ldb,
                             const int64_t *strideb, const int64_t *batch_size, size_t side_length,
                             size_t uplo_length, size_t transa_length, size_t diag_length);

#endif

#endif
