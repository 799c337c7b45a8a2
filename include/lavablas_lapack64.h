/* The part of lavablas_lapack.h with 64-bit integers (ILP64). Include that header, not this one.
 *
 * The same routines with int64_t sizes, leading dimensions and pivots, under the names that OpenBLAS and
 * Julia gave them; everything said there holds. They are other functions than those without 64: calling one
 * with the other's integers goes wrong unnoticed. */
#ifndef LAVABLAS_LAPACK64_H
#define LAVABLAS_LAPACK64_H

#ifndef LAVABLAS_LAPACK_H
#    error "include lavablas_lapack.h instead"
#endif

void spotrf_64_(const char *uplo, const int64_t *n, float *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void dpotrf_64_(const char *uplo, const int64_t *n, double *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void cpotrf_64_(const char *uplo, const int64_t *n, void *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void zpotrf_64_(const char *uplo, const int64_t *n, void *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void sgetrf_64_(const int64_t *m, const int64_t *n, float *a, const int64_t *lda, int64_t *ipiv,
                int64_t *info);
void dgetrf_64_(const int64_t *m, const int64_t *n, double *a, const int64_t *lda, int64_t *ipiv,
                int64_t *info);
void cgetrf_64_(const int64_t *m, const int64_t *n, void *a, const int64_t *lda, int64_t *ipiv,
                int64_t *info);
void zgetrf_64_(const int64_t *m, const int64_t *n, void *a, const int64_t *lda, int64_t *ipiv,
                int64_t *info);
void spotrs_64_(const char *uplo, const int64_t *n, const int64_t *nrhs, const float *a, const int64_t *lda,
                float *b, const int64_t *ldb, int64_t *info, size_t uplo_length);
void dpotrs_64_(const char *uplo, const int64_t *n, const int64_t *nrhs, const double *a, const int64_t *lda,
                double *b, const int64_t *ldb, int64_t *info, size_t uplo_length);
void cpotrs_64_(const char *uplo, const int64_t *n, const int64_t *nrhs, const void *a, const int64_t *lda,
                void *b, const int64_t *ldb, int64_t *info, size_t uplo_length);
void zpotrs_64_(const char *uplo, const int64_t *n, const int64_t *nrhs, const void *a, const int64_t *lda,
                void *b, const int64_t *ldb, int64_t *info, size_t uplo_length);
void sposv_64_(const char *uplo, const int64_t *n, const int64_t *nrhs, float *a, const int64_t *lda,
               float *b, const int64_t *ldb, int64_t *info, size_t uplo_length);
void dposv_64_(const char *uplo, const int64_t *n, const int64_t *nrhs, double *a, const int64_t *lda,
               double *b, const int64_t *ldb, int64_t *info, size_t uplo_length);
void cposv_64_(const char *uplo, const int64_t *n, const int64_t *nrhs, void *a, const int64_t *lda, void *b,
               const int64_t *ldb, int64_t *info, size_t uplo_length);
void zposv_64_(const char *uplo, const int64_t *n, const int64_t *nrhs, void *a, const int64_t *lda, void *b,
               const int64_t *ldb, int64_t *info, size_t uplo_length);
void sgetrs_64_(const char *trans, const int64_t *n, const int64_t *nrhs, const float *a, const int64_t *lda,
                const int64_t *ipiv, float *b, const int64_t *ldb, int64_t *info, size_t trans_length);
void dgetrs_64_(const char *trans, const int64_t *n, const int64_t *nrhs, const double *a, const int64_t *lda,
                const int64_t *ipiv, double *b, const int64_t *ldb, int64_t *info, size_t trans_length);
void cgetrs_64_(const char *trans, const int64_t *n, const int64_t *nrhs, const void *a, const int64_t *lda,
                const int64_t *ipiv, void *b, const int64_t *ldb, int64_t *info, size_t trans_length);
void zgetrs_64_(const char *trans, const int64_t *n, const int64_t *nrhs, const void *a, const int64_t *lda,
                const int64_t *ipiv, void *b, const int64_t *ldb, int64_t *info, size_t trans_length);
void sgesv_64_(const int64_t *n, const int64_t *nrhs, float *a, const int64_t *lda, int64_t *ipiv, float *b,
               const int64_t *ldb, int64_t *info);
void dgesv_64_(const int64_t *n, const int64_t *nrhs, double *a, const int64_t *lda, int64_t *ipiv, double *b,
               const int64_t *ldb, int64_t *info);
void cgesv_64_(const int64_t *n, const int64_t *nrhs, void *a, const int64_t *lda, int64_t *ipiv, void *b,
               const int64_t *ldb, int64_t *info);
void zgesv_64_(const int64_t *n, const int64_t *nrhs, void *a, const int64_t *lda, int64_t *ipiv, void *b,
               const int64_t *ldb, int64_t *info);
void strtrs_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const int64_t *nrhs,
                const float *a, const int64_t *lda, float *b, const int64_t *ldb, int64_t *info,
                size_t uplo_length, size_t trans_length, size_t diag_length);
void dtrtrs_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const int64_t *nrhs,
                const double *a, const int64_t *lda, double *b, const int64_t *ldb, int64_t *info,
                size_t uplo_length, size_t trans_length, size_t diag_length);
void ctrtrs_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const int64_t *nrhs,
                const void *a, const int64_t *lda, void *b, const int64_t *ldb, int64_t *info,
                size_t uplo_length, size_t trans_length, size_t diag_length);
void ztrtrs_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const int64_t *nrhs,
                const void *a, const int64_t *lda, void *b, const int64_t *ldb, int64_t *info,
                size_t uplo_length, size_t trans_length, size_t diag_length);
void strtri_64_(const char *uplo, const char *diag, const int64_t *n, float *a, const int64_t *lda,
                int64_t *info, size_t uplo_length, size_t diag_length);
void dtrtri_64_(const char *uplo, const char *diag, const int64_t *n, double *a, const int64_t *lda,
                int64_t *info, size_t uplo_length, size_t diag_length);
void ctrtri_64_(const char *uplo, const char *diag, const int64_t *n, void *a, const int64_t *lda,
                int64_t *info, size_t uplo_length, size_t diag_length);
void ztrtri_64_(const char *uplo, const char *diag, const int64_t *n, void *a, const int64_t *lda,
                int64_t *info, size_t uplo_length, size_t diag_length);
void spotri_64_(const char *uplo, const int64_t *n, float *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void dpotri_64_(const char *uplo, const int64_t *n, double *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void cpotri_64_(const char *uplo, const int64_t *n, void *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void zpotri_64_(const char *uplo, const int64_t *n, void *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void slauum_64_(const char *uplo, const int64_t *n, float *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void dlauum_64_(const char *uplo, const int64_t *n, double *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void clauum_64_(const char *uplo, const int64_t *n, void *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void zlauum_64_(const char *uplo, const int64_t *n, void *a, const int64_t *lda, int64_t *info,
                size_t uplo_length);
void ssytrd_64_(const char *uplo, const int64_t *n, float *a, const int64_t *lda, float *d, float *e,
                float *tau, float *work, const int64_t *lwork, int64_t *info, size_t uplo_length);
void dsytrd_64_(const char *uplo, const int64_t *n, double *a, const int64_t *lda, double *d, double *e,
                double *tau, double *work, const int64_t *lwork, int64_t *info, size_t uplo_length);
void chetrd_64_(const char *uplo, const int64_t *n, void *a, const int64_t *lda, float *d, float *e,
                void *tau, void *work, const int64_t *lwork, int64_t *info, size_t uplo_length);
void zhetrd_64_(const char *uplo, const int64_t *n, void *a, const int64_t *lda, double *d, double *e,
                void *tau, void *work, const int64_t *lwork, int64_t *info, size_t uplo_length);
void sgebrd_64_(const int64_t *m, const int64_t *n, float *a, const int64_t *lda, float *d, float *e,
                float *tauq, float *taup, float *work, const int64_t *lwork, int64_t *info);
void dgebrd_64_(const int64_t *m, const int64_t *n, double *a, const int64_t *lda, double *d, double *e,
                double *tauq, double *taup, double *work, const int64_t *lwork, int64_t *info);
void cgebrd_64_(const int64_t *m, const int64_t *n, void *a, const int64_t *lda, float *d, float *e,
                void *tauq, void *taup, void *work, const int64_t *lwork, int64_t *info);
void zgebrd_64_(const int64_t *m, const int64_t *n, void *a, const int64_t *lda, double *d, double *e,
                void *tauq, void *taup, void *work, const int64_t *lwork, int64_t *info);
void sorgbr_64_(const char *vect, const int64_t *m, const int64_t *n, const int64_t *k, float *a,
                const int64_t *lda, const float *tau, float *work, const int64_t *lwork, int64_t *info,
                size_t vect_length);
void dorgbr_64_(const char *vect, const int64_t *m, const int64_t *n, const int64_t *k, double *a,
                const int64_t *lda, const double *tau, double *work, const int64_t *lwork, int64_t *info,
                size_t vect_length);
void cungbr_64_(const char *vect, const int64_t *m, const int64_t *n, const int64_t *k, void *a,
                const int64_t *lda, const void *tau, void *work, const int64_t *lwork, int64_t *info,
                size_t vect_length);
void zungbr_64_(const char *vect, const int64_t *m, const int64_t *n, const int64_t *k, void *a,
                const int64_t *lda, const void *tau, void *work, const int64_t *lwork, int64_t *info,
                size_t vect_length);
void sormbr_64_(const char *vect, const char *side, const char *trans, const int64_t *m, const int64_t *n,
                const int64_t *k, const float *a, const int64_t *lda, const float *tau, float *c,
                const int64_t *ldc, float *work, const int64_t *lwork, int64_t *info, size_t vect_length,
                size_t side_length, size_t trans_length);
void dormbr_64_(const char *vect, const char *side, const char *trans, const int64_t *m, const int64_t *n,
                const int64_t *k, const double *a, const int64_t *lda, const double *tau, double *c,
                const int64_t *ldc, double *work, const int64_t *lwork, int64_t *info, size_t vect_length,
                size_t side_length, size_t trans_length);
void cunmbr_64_(const char *vect, const char *side, const char *trans, const int64_t *m, const int64_t *n,
                const int64_t *k, const void *a, const int64_t *lda, const void *tau, void *c,
                const int64_t *ldc, void *work, const int64_t *lwork, int64_t *info, size_t vect_length,
                size_t side_length, size_t trans_length);
void zunmbr_64_(const char *vect, const char *side, const char *trans, const int64_t *m, const int64_t *n,
                const int64_t *k, const void *a, const int64_t *lda, const void *tau, void *c,
                const int64_t *ldc, void *work, const int64_t *lwork, int64_t *info, size_t vect_length,
                size_t side_length, size_t trans_length);
void ssyev_64_(const char *jobz, const char *uplo, const int64_t *n, float *a, const int64_t *lda, float *w,
               float *work, const int64_t *lwork, int64_t *info, size_t jobz_length, size_t uplo_length);
void dsyev_64_(const char *jobz, const char *uplo, const int64_t *n, double *a, const int64_t *lda, double *w,
               double *work, const int64_t *lwork, int64_t *info, size_t jobz_length, size_t uplo_length);
void cheev_64_(const char *jobz, const char *uplo, const int64_t *n, void *a, const int64_t *lda, float *w,
               void *work, const int64_t *lwork, float *rwork, int64_t *info, size_t jobz_length,
               size_t uplo_length);
void zheev_64_(const char *jobz, const char *uplo, const int64_t *n, void *a, const int64_t *lda, double *w,
               void *work, const int64_t *lwork, double *rwork, int64_t *info, size_t jobz_length,
               size_t uplo_length);
void ssyevd_64_(const char *jobz, const char *uplo, const int64_t *n, float *a, const int64_t *lda, float *w,
                float *work, const int64_t *lwork, int64_t *iwork, const int64_t *liwork, int64_t *info,
                size_t jobz_length, size_t uplo_length);
void dsyevd_64_(const char *jobz, const char *uplo, const int64_t *n, double *a, const int64_t *lda,
                double *w, double *work, const int64_t *lwork, int64_t *iwork, const int64_t *liwork,
                int64_t *info, size_t jobz_length, size_t uplo_length);
void cheevd_64_(const char *jobz, const char *uplo, const int64_t *n, void *a, const int64_t *lda, float *w,
                void *work, const int64_t *lwork, float *rwork, const int64_t *lrwork, int64_t *iwork,
                const int64_t *liwork, int64_t *info, size_t jobz_length, size_t uplo_length);
void zheevd_64_(const char *jobz, const char *uplo, const int64_t *n, void *a, const int64_t *lda, double *w,
                void *work, const int64_t *lwork, double *rwork, const int64_t *lrwork, int64_t *iwork,
                const int64_t *liwork, int64_t *info, size_t jobz_length, size_t uplo_length);
void ssyevr_64_(const char *jobz, const char *range, const char *uplo, const int64_t *n, float *a,
                const int64_t *lda, const float *vl, const float *vu, const int64_t *il, const int64_t *iu,
                const float *abstol, int64_t *m, float *w, float *z, const int64_t *ldz, int64_t *isuppz,
                float *work, const int64_t *lwork, int64_t *iwork, const int64_t *liwork, int64_t *info,
                size_t jobz_length, size_t range_length, size_t uplo_length);
void dsyevr_64_(const char *jobz, const char *range, const char *uplo, const int64_t *n, double *a,
                const int64_t *lda, const double *vl, const double *vu, const int64_t *il, const int64_t *iu,
                const double *abstol, int64_t *m, double *w, double *z, const int64_t *ldz, int64_t *isuppz,
                double *work, const int64_t *lwork, int64_t *iwork, const int64_t *liwork, int64_t *info,
                size_t jobz_length, size_t range_length, size_t uplo_length);
void cheevr_64_(const char *jobz, const char *range, const char *uplo, const int64_t *n, void *a,
                const int64_t *lda, const float *vl, const float *vu, const int64_t *il, const int64_t *iu,
                const float *abstol, int64_t *m, float *w, void *z, const int64_t *ldz, int64_t *isuppz,
                void *work, const int64_t *lwork, float *rwork, const int64_t *lrwork, int64_t *iwork,
                const int64_t *liwork, int64_t *info, size_t jobz_length, size_t range_length,
                size_t uplo_length);
void zheevr_64_(const char *jobz, const char *range, const char *uplo, const int64_t *n, void *a,
                const int64_t *lda, const double *vl, const double *vu, const int64_t *il, const int64_t *iu,
                const double *abstol, int64_t *m, double *w, void *z, const int64_t *ldz, int64_t *isuppz,
                void *work, const int64_t *lwork, double *rwork, const int64_t *lrwork, int64_t *iwork,
                const int64_t *liwork, int64_t *info, size_t jobz_length, size_t range_length,
                size_t uplo_length);
void ssyevx_64_(const char *jobz, const char *range, const char *uplo, const int64_t *n, float *a,
                const int64_t *lda, const float *vl, const float *vu, const int64_t *il, const int64_t *iu,
                const float *abstol, int64_t *m, float *w, float *z, const int64_t *ldz, float *work,
                const int64_t *lwork, int64_t *iwork, int64_t *ifail, int64_t *info, size_t jobz_length,
                size_t range_length, size_t uplo_length);
void dsyevx_64_(const char *jobz, const char *range, const char *uplo, const int64_t *n, double *a,
                const int64_t *lda, const double *vl, const double *vu, const int64_t *il, const int64_t *iu,
                const double *abstol, int64_t *m, double *w, double *z, const int64_t *ldz, double *work,
                const int64_t *lwork, int64_t *iwork, int64_t *ifail, int64_t *info, size_t jobz_length,
                size_t range_length, size_t uplo_length);
void cheevx_64_(const char *jobz, const char *range, const char *uplo, const int64_t *n, void *a,
                const int64_t *lda, const float *vl, const float *vu, const int64_t *il, const int64_t *iu,
                const float *abstol, int64_t *m, float *w, void *z, const int64_t *ldz, void *work,
                const int64_t *lwork, float *rwork, int64_t *iwork, int64_t *ifail, int64_t *info,
                size_t jobz_length, size_t range_length, size_t uplo_length);
void zheevx_64_(const char *jobz, const char *range, const char *uplo, const int64_t *n, void *a,
                const int64_t *lda, const double *vl, const double *vu, const int64_t *il, const int64_t *iu,
                const double *abstol, int64_t *m, double *w, void *z, const int64_t *ldz, void *work,
                const int64_t *lwork, double *rwork, int64_t *iwork, int64_t *ifail, int64_t *info,
                size_t jobz_length, size_t range_length, size_t uplo_length);
void ssygv_64_(const int64_t *itype, const char *jobz, const char *uplo, const int64_t *n, float *a,
               const int64_t *lda, float *b, const int64_t *ldb, float *w, float *work, const int64_t *lwork,
               int64_t *info, size_t jobz_length, size_t uplo_length);
void dsygv_64_(const int64_t *itype, const char *jobz, const char *uplo, const int64_t *n, double *a,
               const int64_t *lda, double *b, const int64_t *ldb, double *w, double *work,
               const int64_t *lwork, int64_t *info, size_t jobz_length, size_t uplo_length);
void chegv_64_(const int64_t *itype, const char *jobz, const char *uplo, const int64_t *n, void *a,
               const int64_t *lda, void *b, const int64_t *ldb, float *w, void *work, const int64_t *lwork,
               float *rwork, int64_t *info, size_t jobz_length, size_t uplo_length);
void zhegv_64_(const int64_t *itype, const char *jobz, const char *uplo, const int64_t *n, void *a,
               const int64_t *lda, void *b, const int64_t *ldb, double *w, void *work, const int64_t *lwork,
               double *rwork, int64_t *info, size_t jobz_length, size_t uplo_length);
void ssygvd_64_(const int64_t *itype, const char *jobz, const char *uplo, const int64_t *n, float *a,
                const int64_t *lda, float *b, const int64_t *ldb, float *w, float *work, const int64_t *lwork,
                int64_t *iwork, const int64_t *liwork, int64_t *info, size_t jobz_length, size_t uplo_length);
void dsygvd_64_(const int64_t *itype, const char *jobz, const char *uplo, const int64_t *n, double *a,
                const int64_t *lda, double *b, const int64_t *ldb, double *w, double *work,
                const int64_t *lwork, int64_t *iwork, const int64_t *liwork, int64_t *info,
                size_t jobz_length, size_t uplo_length);
void chegvd_64_(const int64_t *itype, const char *jobz, const char *uplo, const int64_t *n, void *a,
                const int64_t *lda, void *b, const int64_t *ldb, float *w, void *work, const int64_t *lwork,
                float *rwork, const int64_t *lrwork, int64_t *iwork, const int64_t *liwork, int64_t *info,
                size_t jobz_length, size_t uplo_length);
void zhegvd_64_(const int64_t *itype, const char *jobz, const char *uplo, const int64_t *n, void *a,
                const int64_t *lda, void *b, const int64_t *ldb, double *w, void *work, const int64_t *lwork,
                double *rwork, const int64_t *lrwork, int64_t *iwork, const int64_t *liwork, int64_t *info,
                size_t jobz_length, size_t uplo_length);
void ssygvx_64_(const int64_t *itype, const char *jobz, const char *range, const char *uplo, const int64_t *n,
                float *a, const int64_t *lda, float *b, const int64_t *ldb, const float *vl, const float *vu,
                const int64_t *il, const int64_t *iu, const float *abstol, int64_t *m, float *w, float *z,
                const int64_t *ldz, float *work, const int64_t *lwork, int64_t *iwork, int64_t *ifail,
                int64_t *info, size_t jobz_length, size_t range_length, size_t uplo_length);
void dsygvx_64_(const int64_t *itype, const char *jobz, const char *range, const char *uplo, const int64_t *n,
                double *a, const int64_t *lda, double *b, const int64_t *ldb, const double *vl,
                const double *vu, const int64_t *il, const int64_t *iu, const double *abstol, int64_t *m,
                double *w, double *z, const int64_t *ldz, double *work, const int64_t *lwork, int64_t *iwork,
                int64_t *ifail, int64_t *info, size_t jobz_length, size_t range_length, size_t uplo_length);
void chegvx_64_(const int64_t *itype, const char *jobz, const char *range, const char *uplo, const int64_t *n,
                void *a, const int64_t *lda, void *b, const int64_t *ldb, const float *vl, const float *vu,
                const int64_t *il, const int64_t *iu, const float *abstol, int64_t *m, float *w, void *z,
                const int64_t *ldz, void *work, const int64_t *lwork, float *rwork, int64_t *iwork,
                int64_t *ifail, int64_t *info, size_t jobz_length, size_t range_length, size_t uplo_length);
void zhegvx_64_(const int64_t *itype, const char *jobz, const char *range, const char *uplo, const int64_t *n,
                void *a, const int64_t *lda, void *b, const int64_t *ldb, const double *vl, const double *vu,
                const int64_t *il, const int64_t *iu, const double *abstol, int64_t *m, double *w, void *z,
                const int64_t *ldz, void *work, const int64_t *lwork, double *rwork, int64_t *iwork,
                int64_t *ifail, int64_t *info, size_t jobz_length, size_t range_length, size_t uplo_length);
void sstedc_64_(const char *compz, const int64_t *n, float *d, float *e, float *z, const int64_t *ldz,
                float *work, const int64_t *lwork, int64_t *iwork, const int64_t *liwork, int64_t *info,
                size_t compz_length);
void dstedc_64_(const char *compz, const int64_t *n, double *d, double *e, double *z, const int64_t *ldz,
                double *work, const int64_t *lwork, int64_t *iwork, const int64_t *liwork, int64_t *info,
                size_t compz_length);
void cstedc_64_(const char *compz, const int64_t *n, float *d, float *e, void *z, const int64_t *ldz,
                void *work, const int64_t *lwork, float *rwork, const int64_t *lrwork, int64_t *iwork,
                const int64_t *liwork, int64_t *info, size_t compz_length);
void zstedc_64_(const char *compz, const int64_t *n, double *d, double *e, void *z, const int64_t *ldz,
                void *work, const int64_t *lwork, double *rwork, const int64_t *lrwork, int64_t *iwork,
                const int64_t *liwork, int64_t *info, size_t compz_length);
void sgesdd_64_(const char *jobz, const int64_t *m, const int64_t *n, float *a, const int64_t *lda, float *s,
                float *u, const int64_t *ldu, float *vt, const int64_t *ldvt, float *work,
                const int64_t *lwork, int64_t *iwork, int64_t *info, size_t jobz_length);
void dgesdd_64_(const char *jobz, const int64_t *m, const int64_t *n, double *a, const int64_t *lda,
                double *s, double *u, const int64_t *ldu, double *vt, const int64_t *ldvt, double *work,
                const int64_t *lwork, int64_t *iwork, int64_t *info, size_t jobz_length);
void cgesdd_64_(const char *jobz, const int64_t *m, const int64_t *n, void *a, const int64_t *lda, float *s,
                void *u, const int64_t *ldu, void *vt, const int64_t *ldvt, void *work, const int64_t *lwork,
                float *rwork, int64_t *iwork, int64_t *info, size_t jobz_length);
void zgesdd_64_(const char *jobz, const int64_t *m, const int64_t *n, void *a, const int64_t *lda, double *s,
                void *u, const int64_t *ldu, void *vt, const int64_t *ldvt, void *work, const int64_t *lwork,
                double *rwork, int64_t *iwork, int64_t *info, size_t jobz_length);
void sgesvd_64_(const char *jobu, const char *jobvt, const int64_t *m, const int64_t *n, float *a,
                const int64_t *lda, float *s, float *u, const int64_t *ldu, float *vt, const int64_t *ldvt,
                float *work, const int64_t *lwork, int64_t *info, size_t jobu_length, size_t jobvt_length);
void dgesvd_64_(const char *jobu, const char *jobvt, const int64_t *m, const int64_t *n, double *a,
                const int64_t *lda, double *s, double *u, const int64_t *ldu, double *vt, const int64_t *ldvt,
                double *work, const int64_t *lwork, int64_t *info, size_t jobu_length, size_t jobvt_length);
void cgesvd_64_(const char *jobu, const char *jobvt, const int64_t *m, const int64_t *n, void *a,
                const int64_t *lda, float *s, void *u, const int64_t *ldu, void *vt, const int64_t *ldvt,
                void *work, const int64_t *lwork, float *rwork, int64_t *info, size_t jobu_length,
                size_t jobvt_length);
void zgesvd_64_(const char *jobu, const char *jobvt, const int64_t *m, const int64_t *n, void *a,
                const int64_t *lda, double *s, void *u, const int64_t *ldu, void *vt, const int64_t *ldvt,
                void *work, const int64_t *lwork, double *rwork, int64_t *info, size_t jobu_length,
                size_t jobvt_length);
void sgelsd_64_(const int64_t *m, const int64_t *n, const int64_t *nrhs, float *a, const int64_t *lda,
                float *b, const int64_t *ldb, float *s, const float *rcond, int64_t *rank, float *work,
                const int64_t *lwork, int64_t *iwork, int64_t *info);
void dgelsd_64_(const int64_t *m, const int64_t *n, const int64_t *nrhs, double *a, const int64_t *lda,
                double *b, const int64_t *ldb, double *s, const double *rcond, int64_t *rank, double *work,
                const int64_t *lwork, int64_t *iwork, int64_t *info);
void cgelsd_64_(const int64_t *m, const int64_t *n, const int64_t *nrhs, void *a, const int64_t *lda, void *b,
                const int64_t *ldb, float *s, const float *rcond, int64_t *rank, void *work,
                const int64_t *lwork, float *rwork, int64_t *iwork, int64_t *info);
void zgelsd_64_(const int64_t *m, const int64_t *n, const int64_t *nrhs, void *a, const int64_t *lda, void *b,
                const int64_t *ldb, double *s, const double *rcond, int64_t *rank, void *work,
                const int64_t *lwork, double *rwork, int64_t *iwork, int64_t *info);
void sgelss_64_(const int64_t *m, const int64_t *n, const int64_t *nrhs, float *a, const int64_t *lda,
                float *b, const int64_t *ldb, float *s, const float *rcond, int64_t *rank, float *work,
                const int64_t *lwork, int64_t *info);
void dgelss_64_(const int64_t *m, const int64_t *n, const int64_t *nrhs, double *a, const int64_t *lda,
                double *b, const int64_t *ldb, double *s, const double *rcond, int64_t *rank, double *work,
                const int64_t *lwork, int64_t *info);
void cgelss_64_(const int64_t *m, const int64_t *n, const int64_t *nrhs, void *a, const int64_t *lda, void *b,
                const int64_t *ldb, float *s, const float *rcond, int64_t *rank, void *work,
                const int64_t *lwork, float *rwork, int64_t *info);
void zgelss_64_(const int64_t *m, const int64_t *n, const int64_t *nrhs, void *a, const int64_t *lda, void *b,
                const int64_t *ldb, double *s, const double *rcond, int64_t *rank, void *work,
                const int64_t *lwork, double *rwork, int64_t *info);
void sgetri_64_(const int64_t *n, float *a, const int64_t *lda, const int64_t *ipiv, float *work,
                const int64_t *lwork, int64_t *info);
void dgetri_64_(const int64_t *n, double *a, const int64_t *lda, const int64_t *ipiv, double *work,
                const int64_t *lwork, int64_t *info);
void cgetri_64_(const int64_t *n, void *a, const int64_t *lda, const int64_t *ipiv, void *work,
                const int64_t *lwork, int64_t *info);
void zgetri_64_(const int64_t *n, void *a, const int64_t *lda, const int64_t *ipiv, void *work,
                const int64_t *lwork, int64_t *info);
void sgeqp3_64_(const int64_t *m, const int64_t *n, float *a, const int64_t *lda, int64_t *jpvt, float *tau,
                float *work, const int64_t *lwork, int64_t *info);
void dgeqp3_64_(const int64_t *m, const int64_t *n, double *a, const int64_t *lda, int64_t *jpvt, double *tau,
                double *work, const int64_t *lwork, int64_t *info);
void cgeqp3_64_(const int64_t *m, const int64_t *n, void *a, const int64_t *lda, int64_t *jpvt, void *tau,
                void *work, const int64_t *lwork, float *rwork, int64_t *info);
void zgeqp3_64_(const int64_t *m, const int64_t *n, void *a, const int64_t *lda, int64_t *jpvt, void *tau,
                void *work, const int64_t *lwork, double *rwork, int64_t *info);
void sgeqrf_64_(const int64_t *m, const int64_t *n, float *a, const int64_t *lda, float *tau, float *work,
                const int64_t *lwork, int64_t *info);
void dgeqrf_64_(const int64_t *m, const int64_t *n, double *a, const int64_t *lda, double *tau, double *work,
                const int64_t *lwork, int64_t *info);
void cgeqrf_64_(const int64_t *m, const int64_t *n, void *a, const int64_t *lda, void *tau, void *work,
                const int64_t *lwork, int64_t *info);
void zgeqrf_64_(const int64_t *m, const int64_t *n, void *a, const int64_t *lda, void *tau, void *work,
                const int64_t *lwork, int64_t *info);
void sorgqr_64_(const int64_t *m, const int64_t *n, const int64_t *k, float *a, const int64_t *lda,
                const float *tau, float *work, const int64_t *lwork, int64_t *info);
void dorgqr_64_(const int64_t *m, const int64_t *n, const int64_t *k, double *a, const int64_t *lda,
                const double *tau, double *work, const int64_t *lwork, int64_t *info);
void cungqr_64_(const int64_t *m, const int64_t *n, const int64_t *k, void *a, const int64_t *lda,
                const void *tau, void *work, const int64_t *lwork, int64_t *info);
void zungqr_64_(const int64_t *m, const int64_t *n, const int64_t *k, void *a, const int64_t *lda,
                const void *tau, void *work, const int64_t *lwork, int64_t *info);
void sormqr_64_(const char *side, const char *trans, const int64_t *m, const int64_t *n, const int64_t *k,
                const float *a, const int64_t *lda, const float *tau, float *c, const int64_t *ldc,
                float *work, const int64_t *lwork, int64_t *info, size_t side_length, size_t trans_length);
void dormqr_64_(const char *side, const char *trans, const int64_t *m, const int64_t *n, const int64_t *k,
                const double *a, const int64_t *lda, const double *tau, double *c, const int64_t *ldc,
                double *work, const int64_t *lwork, int64_t *info, size_t side_length, size_t trans_length);
void cunmqr_64_(const char *side, const char *trans, const int64_t *m, const int64_t *n, const int64_t *k,
                const void *a, const int64_t *lda, const void *tau, void *c, const int64_t *ldc, void *work,
                const int64_t *lwork, int64_t *info, size_t side_length, size_t trans_length);
void zunmqr_64_(const char *side, const char *trans, const int64_t *m, const int64_t *n, const int64_t *k,
                const void *a, const int64_t *lda, const void *tau, void *c, const int64_t *ldc, void *work,
                const int64_t *lwork, int64_t *info, size_t side_length, size_t trans_length);
void sgels_64_(const char *trans, const int64_t *m, const int64_t *n, const int64_t *nrhs, float *a,
               const int64_t *lda, float *b, const int64_t *ldb, float *work, const int64_t *lwork,
               int64_t *info, size_t trans_length);
void dgels_64_(const char *trans, const int64_t *m, const int64_t *n, const int64_t *nrhs, double *a,
               const int64_t *lda, double *b, const int64_t *ldb, double *work, const int64_t *lwork,
               int64_t *info, size_t trans_length);
void cgels_64_(const char *trans, const int64_t *m, const int64_t *n, const int64_t *nrhs, void *a,
               const int64_t *lda, void *b, const int64_t *ldb, void *work, const int64_t *lwork,
               int64_t *info, size_t trans_length);
void zgels_64_(const char *trans, const int64_t *m, const int64_t *n, const int64_t *nrhs, void *a,
               const int64_t *lda, void *b, const int64_t *ldb, void *work, const int64_t *lwork,
               int64_t *info, size_t trans_length);

#endif
