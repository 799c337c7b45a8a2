/* The part of lavablas_cblas.h with products of a matrix and a vector. Include that header, not this one.
 *
 *     y <- alpha op(A) x + beta y
 *
 * of a general A, which is m x n (?gemv), and of one that is symmetric (?symv) or Hermitian (?hemv) and n x
 * n, of which only the triangle is read that uplo names, without imaginary parts on the diagonal of a
 * Hermitian one. incx and incy are the distances of the vectors' elements, not 0; a negative one begins with
 * the last element in memory. With beta = 0, y need not be set; with alpha = 0 neither A nor x is read. y
 * must not overlap A or x. Types, scalars, operations, leading dimensions, errors and threads are as for
 * cblas_?gemm. If the CPU BLAS has no routine of the name, a plain loop computes.
 *
 * With a triangular A, which is n x n: ?trmv computes x <- op(A) x, and ?trsv the y with op(A) y = x, and
 * writes it to x. Only the triangle of A that uplo names is read, without the diagonal for CblasUnit: its
 * elements are 1 then. ?trsv does not check whether A is singular.
 *
 * Source: Dongarra, Du Croz, Hammarling, Hanson: An extended set of Fortran Basic Linear Algebra Subprograms,
 * ACM TOMS 14 (1988). */
#ifndef LAVABLAS_LEVEL2_H
#define LAVABLAS_LEVEL2_H

#ifndef LAVABLAS_CBLAS_H
#    error "include lavablas_cblas.h instead"
#endif

#ifdef LAVABLAS_ONLY_CBLAS

void cblas_sgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, int m, int n, float alpha, const float *a,
                 int lda, const float *x, int incx, float beta, float *y, int incy);
void cblas_dgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, int m, int n, double alpha, const double *a,
                 int lda, const double *x, int incx, double beta, double *y, int incy);
void cblas_cgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, int m, int n, const void *alpha, const void *a,
                 int lda, const void *x, int incx, const void *beta, void *y, int incy);
void cblas_zgemv(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, int m, int n, const void *alpha, const void *a,
                 int lda, const void *x, int incx, const void *beta, void *y, int incy);
void cblas_ssymv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, int n, float alpha, const float *a, int lda,
                 const float *x, int incx, float beta, float *y, int incy);
void cblas_dsymv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, int n, double alpha, const double *a, int lda,
                 const double *x, int incx, double beta, double *y, int incy);
void cblas_chemv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, int n, const void *alpha, const void *a, int lda,
                 const void *x, int incx, const void *beta, void *y, int incy);
void cblas_zhemv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, int n, const void *alpha, const void *a, int lda,
                 const void *x, int incx, const void *beta, void *y, int incy);
void cblas_strmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n,
                 const float *a, int lda, float *x, int incx);
void cblas_dtrmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n,
                 const double *a, int lda, double *x, int incx);
void cblas_ctrmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n,
                 const void *a, int lda, void *x, int incx);
void cblas_ztrmv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n,
                 const void *a, int lda, void *x, int incx);
void cblas_strsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n,
                 const float *a, int lda, float *x, int incx);
void cblas_dtrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n,
                 const double *a, int lda, double *x, int incx);
void cblas_ctrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n,
                 const void *a, int lda, void *x, int incx);
void cblas_ztrsv(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int n,
                 const void *a, int lda, void *x, int incx);

#endif

#if defined(LAVABLAS_ONLY_CBLAS) || defined(LAVABLAS_DECLARE_ILP64)

void cblas_sgemv64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, int64_t m, int64_t n, float alpha,
                    const float *a, int64_t lda, const float *x, int64_t incx, float beta, float *y,
                    int64_t incy);
void cblas_dgemv64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, int64_t m, int64_t n, double alpha,
                    const double *a, int64_t lda, const double *x, int64_t incx, double beta, double *y,
                    int64_t incy);
void cblas_cgemv64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, int64_t m, int64_t n, const void *alpha,
                    const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                    int64_t incy);
void cblas_zgemv64_(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE trans, int64_t m, int64_t n, const void *alpha,
                    const void *a, int64_t lda, const void *x, int64_t incx, const void *beta, void *y,
                    int64_t incy);
void cblas_ssymv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, int64_t n, float alpha, const float *a, int64_t lda,
                    const float *x, int64_t incx, float beta, float *y, int64_t incy);
void cblas_dsymv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, int64_t n, double alpha, const double *a,
                    int64_t lda, const double *x, int64_t incx, double beta, double *y, int64_t incy);
void cblas_chemv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, int64_t n, const void *alpha, const void *a,
                    int64_t lda, const void *x, int64_t incx, const void *beta, void *y, int64_t incy);
void cblas_zhemv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, int64_t n, const void *alpha, const void *a,
                    int64_t lda, const void *x, int64_t incx, const void *beta, void *y, int64_t incy);
void cblas_strmv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n,
                    const float *a, int64_t lda, float *x, int64_t incx);
void cblas_dtrmv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n,
                    const double *a, int64_t lda, double *x, int64_t incx);
void cblas_ctrmv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n,
                    const void *a, int64_t lda, void *x, int64_t incx);
void cblas_ztrmv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n,
                    const void *a, int64_t lda, void *x, int64_t incx);
void cblas_strsv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n,
                    const float *a, int64_t lda, float *x, int64_t incx);
void cblas_dtrsv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n,
                    const double *a, int64_t lda, double *x, int64_t incx);
void cblas_ctrsv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n,
                    const void *a, int64_t lda, void *x, int64_t incx);
void cblas_ztrsv64_(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, CBLAS_DIAG diag, int64_t n,
                    const void *a, int64_t lda, void *x, int64_t incx);

#endif

#if !defined(OPENBLAS_F77BLAS_H) && !defined(_MKL_BLAS_H_)

void sgemv_(const char *trans, const int *m, const int *n, const float *alpha, const float *a, const int *lda,
            const float *x, const int *incx, const float *beta, float *y, const int *incy,
            size_t trans_length);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t trans_length);
void cgemv_(const char *trans, const int *m, const int *n, const void *alpha, const void *a, const int *lda,
            const void *x, const int *incx, const void *beta, void *y, const int *incy, size_t trans_length);
void zgemv_(const char *trans, const int *m, const int *n, const void *alpha, const void *a, const int *lda,
            const void *x, const int *incx, const void *beta, void *y, const int *incy, size_t trans_length);
void ssymv_(const char *uplo, const int *n, const float *alpha, const float *a, const int *lda,
            const float *x, const int *incx, const float *beta, float *y, const int *incy,
            size_t uplo_length);
void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy,
            size_t uplo_length);
void chemv_(const char *uplo, const int *n, const void *alpha, const void *a, const int *lda, const void *x,
            const int *incx, const void *beta, void *y, const int *incy, size_t uplo_length);
void zhemv_(const char *uplo, const int *n, const void *alpha, const void *a, const int *lda, const void *x,
            const int *incx, const void *beta, void *y, const int *incy, size_t uplo_length);
void sgemv_64_(const char *trans, const int64_t *m, const int64_t *n, const float *alpha, const float *a,
               const int64_t *lda, const float *x, const int64_t *incx, const float *beta, float *y,
               const int64_t *incy, size_t trans_length);
void dgemv_64_(const char *trans, const int64_t *m, const int64_t *n, const double *alpha, const double *a,
               const int64_t *lda, const double *x, const int64_t *incx, const double *beta, double *y,
               const int64_t *incy, size_t trans_length);
void cgemv_64_(const char *trans, const int64_t *m, const int64_t *n, const void *alpha, const void *a,
               const int64_t *lda, const void *x, const int64_t *incx, const void *beta, void *y,
               const int64_t *incy, size_t trans_length);
void zgemv_64_(const char *trans, const int64_t *m, const int64_t *n, const void *alpha, const void *a,
               const int64_t *lda, const void *x, const int64_t *incx, const void *beta, void *y,
               const int64_t *incy, size_t trans_length);
void ssymv_64_(const char *uplo, const int64_t *n, const float *alpha, const float *a, const int64_t *lda,
               const float *x, const int64_t *incx, const float *beta, float *y, const int64_t *incy,
               size_t uplo_length);
void dsymv_64_(const char *uplo, const int64_t *n, const double *alpha, const double *a, const int64_t *lda,
               const double *x, const int64_t *incx, const double *beta, double *y, const int64_t *incy,
               size_t uplo_length);
void chemv_64_(const char *uplo, const int64_t *n, const void *alpha, const void *a, const int64_t *lda,
               const void *x, const int64_t *incx, const void *beta, void *y, const int64_t *incy,
               size_t uplo_length);
void zhemv_64_(const char *uplo, const int64_t *n, const void *alpha, const void *a, const int64_t *lda,
               const void *x, const int64_t *incx, const void *beta, void *y, const int64_t *incy,
               size_t uplo_length);
void strmv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *a,
            const int *lda, float *x, const int *incx, size_t uplo_length, size_t trans_length,
            size_t diag_length);
void dtrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx, size_t uplo_length, size_t trans_length,
            size_t diag_length);
void ctrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const void *a,
            const int *lda, void *x, const int *incx, size_t uplo_length, size_t trans_length,
            size_t diag_length);
void ztrmv_(const char *uplo, const char *trans, const char *diag, const int *n, const void *a,
            const int *lda, void *x, const int *incx, size_t uplo_length, size_t trans_length,
            size_t diag_length);
void strsv_(const char *uplo, const char *trans, const char *diag, const int *n, const float *a,
            const int *lda, float *x, const int *incx, size_t uplo_length, size_t trans_length,
            size_t diag_length);
void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const double *a,
            const int *lda, double *x, const int *incx, size_t uplo_length, size_t trans_length,
            size_t diag_length);
void ctrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const void *a,
            const int *lda, void *x, const int *incx, size_t uplo_length, size_t trans_length,
            size_t diag_length);
void ztrsv_(const char *uplo, const char *trans, const char *diag, const int *n, const void *a,
            const int *lda, void *x, const int *incx, size_t uplo_length, size_t trans_length,
            size_t diag_length);
void strmv_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const float *a,
               const int64_t *lda, float *x, const int64_t *incx, size_t uplo_length, size_t trans_length,
               size_t diag_length);
void dtrmv_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const double *a,
               const int64_t *lda, double *x, const int64_t *incx, size_t uplo_length, size_t trans_length,
               size_t diag_length);
void ctrmv_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const void *a,
               const int64_t *lda, void *x, const int64_t *incx, size_t uplo_length, size_t trans_length,
               size_t diag_length);
void ztrmv_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const void *a,
               const int64_t *lda, void *x, const int64_t *incx, size_t uplo_length, size_t trans_length,
               size_t diag_length);
void strsv_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const float *a,
               const int64_t *lda, float *x, const int64_t *incx, size_t uplo_length, size_t trans_length,
               size_t diag_length);
void dtrsv_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const double *a,
               const int64_t *lda, double *x, const int64_t *incx, size_t uplo_length, size_t trans_length,
               size_t diag_length);
void ctrsv_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const void *a,
               const int64_t *lda, void *x, const int64_t *incx, size_t uplo_length, size_t trans_length,
               size_t diag_length);
void ztrsv_64_(const char *uplo, const char *trans, const char *diag, const int64_t *n, const void *a,
               const int64_t *lda, void *x, const int64_t *incx, size_t uplo_length, size_t trans_length,
               size_t diag_length);

#endif

#endif
