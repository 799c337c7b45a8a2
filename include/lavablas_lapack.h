/* The routines of LAPACK that LavaBLAS exports, for programs without another header of LAPACK's at hand. C
 * and C++. May be included after another library's lapack.h; then it declares nothing.
 *
 * LavaBLAS is a partial LAPACK, as it is a partial BLAS: if it computes nothing itself, the routine of the
 * same name that the program would have reached without it gets the call. Exported besides, for programs that
 * declare them themselves: the names without the underscore (dpotrf), with _64 (dpotrf_64), and those of
 * SciPy's OpenBLAS (scipy_dpotrf_, scipy_dpotrf_64_).
 *
 * Source: E. Anderson et al., LAPACK Users' Guide, 3rd edition (1999); LAPACK 3.12. */
#ifndef LAVABLAS_LAPACK_H
#define LAVABLAS_LAPACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Guards of netlib's and OpenBLAS's header, and of oneMKL's. */
#if !defined(LAPACK_H) && !defined(_MKL_LAPACK_H_)

/* A <- its Cholesky factor: L with L L' = A for uplo 'L', U with U' U = A for 'U'. A is n x n, symmetric or
 * (c, z: complex numbers, two floats or doubles each, the real part first) Hermitian, column-major, and its
 * columns are lda elements apart, which is at least 1 and at least n. Only the named triangle is read and
 * written, of complex diagonals only the real part.
 *
 * info: 0 if the factor is there; -i if argument i is invalid (xerbla_ is called); i > 0 if the leading minor
 * of order i is not positive definite: then there is no factor, and the triangle is what the CPU's routine
 * leaves.
 *
 * The last argument is the length of uplo, 1, as Fortran compilers pass it. Programs that declare the
 * function without it work too. Any thread may call it; the matrix belongs to the call until it returns. */
void spotrf_(const char *uplo, const int *n, float *a, const int *lda, int *info, size_t uplo_length);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void cpotrf_(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uplo_length);
void zpotrf_(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uplo_length);

/* A <- L and U with P A = L U, by Gaussian elimination with partial pivoting. A is m x n, column-major, its
 * columns lda elements apart, at least 1 and at least m. U takes the place of A's upper triangle, L that
 * below the diagonal; L's diagonal is 1 and not stored. ipiv has min(m, n) elements: row i was swapped with
 * row ipiv[i - 1], for i = 1, 2 and so on, both counted from 1.
 *
 * info: 0; -i if argument i is invalid (xerbla_ is called); i > 0 if U's element (i, i) is the first one on
 * the diagonal that is exactly zero: then L and U are there, but U has no inverse. Threads: as above; ipiv
 * belongs to the call, too. */
void sgetrf_(const int *m, const int *n, float *a, const int *lda, int *ipiv, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void cgetrf_(const int *m, const int *n, void *a, const int *lda, int *ipiv, int *info);
void zgetrf_(const int *m, const int *n, void *a, const int *lda, int *ipiv, int *info);

/* B <- the X with A X = B, for nrhs right-hand sides: the columns of B, n rows, ldb elements apart, which is
 * at least 1 and at least n. ?potrs has A's Cholesky factor as ?potrf leaves it, ?getrs has L, U and ipiv of
 * ?getrf and also solves with A' ('T') or its conjugate ('C'). ?posv and ?gesv get A itself and factor it
 * first, as ?potrf and ?getrf do; if info is not 0 then, B remains as it was. A and B must not overlap.
 * info, lengths and threads are as above. */
void spotrs_(const char *uplo, const int *n, const int *nrhs, const float *a, const int *lda, float *b,
             const int *ldb, int *info, size_t uplo_length);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
             const int *ldb, int *info, size_t uplo_length);
void cpotrs_(const char *uplo, const int *n, const int *nrhs, const void *a, const int *lda, void *b,
             const int *ldb, int *info, size_t uplo_length);
void zpotrs_(const char *uplo, const int *n, const int *nrhs, const void *a, const int *lda, void *b,
             const int *ldb, int *info, size_t uplo_length);
void sposv_(const char *uplo, const int *n, const int *nrhs, float *a, const int *lda, float *b,
            const int *ldb, int *info, size_t uplo_length);
void dposv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, double *b,
            const int *ldb, int *info, size_t uplo_length);
void cposv_(const char *uplo, const int *n, const int *nrhs, void *a, const int *lda, void *b, const int *ldb,
            int *info, size_t uplo_length);
void zposv_(const char *uplo, const int *n, const int *nrhs, void *a, const int *lda, void *b, const int *ldb,
            int *info, size_t uplo_length);
void sgetrs_(const char *trans, const int *n, const int *nrhs, const float *a, const int *lda,
             const int *ipiv, float *b, const int *ldb, int *info, size_t trans_length);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info, size_t trans_length);
void cgetrs_(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda, const int *ipiv,
             void *b, const int *ldb, int *info, size_t trans_length);
void zgetrs_(const char *trans, const int *n, const int *nrhs, const void *a, const int *lda, const int *ipiv,
             void *b, const int *ldb, int *info, size_t trans_length);
void sgesv_(const int *n, const int *nrhs, float *a, const int *lda, int *ipiv, float *b, const int *ldb,
            int *info);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *ipiv, double *b, const int *ldb,
            int *info);
void cgesv_(const int *n, const int *nrhs, void *a, const int *lda, int *ipiv, void *b, const int *ldb,
            int *info);
void zgesv_(const int *n, const int *nrhs, void *a, const int *lda, int *ipiv, void *b, const int *ldb,
            int *info);

/* B <- the X with op(A) X = B for a triangular A, n x n: upper or lower by uplo, A, A' or its conjugate by
 * trans, and with ones on the diagonal, which is not read then, for diag 'U' instead of 'N'. info: 0, -i as
 * above, or i > 0 if element i of the diagonal is exactly zero: then B remains as it was. The last arguments
 * are the lengths of the characters. */
void strtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs,
             const float *a, const int *lda, float *b, const int *ldb, int *info, size_t uplo_length,
             size_t trans_length, size_t diag_length);
void dtrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs,
             const double *a, const int *lda, double *b, const int *ldb, int *info, size_t uplo_length,
             size_t trans_length, size_t diag_length);
void ctrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs,
             const void *a, const int *lda, void *b, const int *ldb, int *info, size_t uplo_length,
             size_t trans_length, size_t diag_length);
void ztrtrs_(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs,
             const void *a, const int *lda, void *b, const int *ldb, int *info, size_t uplo_length,
             size_t trans_length, size_t diag_length);

/* A <- its inverse, n x n. ?trtri: of a triangle, as above. ?potri: of a symmetric or Hermitian matrix by its
 * Cholesky factor, as ?potrf leaves it; the named triangle is written. ?getri: by L, U and ipiv of ?getrf,
 * with a workspace of lwork elements, at least n; with lwork = -1 nothing is computed, and work[0] becomes
 * the size that the CPU's routine asks for. ?lauum: A <- L' L, or U U', for a triangle of A with a real
 * diagonal.
 *
 * info: 0, -i as above, or, except for ?lauum, i > 0 if element i of the triangle's or U's diagonal is
 * exactly zero: then there is no inverse, and A remains as it was. */
void strtri_(const char *uplo, const char *diag, const int *n, float *a, const int *lda, int *info,
             size_t uplo_length, size_t diag_length);
void dtrtri_(const char *uplo, const char *diag, const int *n, double *a, const int *lda, int *info,
             size_t uplo_length, size_t diag_length);
void ctrtri_(const char *uplo, const char *diag, const int *n, void *a, const int *lda, int *info,
             size_t uplo_length, size_t diag_length);
void ztrtri_(const char *uplo, const char *diag, const int *n, void *a, const int *lda, int *info,
             size_t uplo_length, size_t diag_length);
void spotri_(const char *uplo, const int *n, float *a, const int *lda, int *info, size_t uplo_length);
void dpotri_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void cpotri_(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uplo_length);
void zpotri_(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uplo_length);
void slauum_(const char *uplo, const int *n, float *a, const int *lda, int *info, size_t uplo_length);
void dlauum_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void clauum_(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uplo_length);
void zlauum_(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t uplo_length);
void sgetri_(const int *n, float *a, const int *lda, const int *ipiv, float *work, const int *lwork,
             int *info);
void dgetri_(const int *n, double *a, const int *lda, const int *ipiv, double *work, const int *lwork,
             int *info);
void cgetri_(const int *n, void *a, const int *lda, const int *ipiv, void *work, const int *lwork, int *info);
void zgetri_(const int *n, void *a, const int *lda, const int *ipiv, void *work, const int *lwork, int *info);

/* ?sytrd, ?hetrd: A <- T = Q' A Q, tridiagonal and real, and Q's reflections, for a symmetric or Hermitian
 * matrix, n x n, of which the named triangle is read and written. d <- T's diagonal, n elements, e <- what is
 * beside it, n - 1; both lie in A, too. Q is a product of n - 1 reflections H = I - tau v v'. For 'L' v of
 * reflection i is 1 in row i + 1, 0 above it, and stored below it in column i of A; for 'U' v of reflection i
 * is 1 in row i, 0 below it, and stored above it in column i + 1; Q is H1 H2 ... for 'L', ... H2 H1 for 'U'.
 * work has lwork elements, at least 1; with lwork = -1 nothing is computed, and work[0] becomes the size that
 * the CPU's routine asks for. info: 0 or -i as above. */
void ssytrd_(const char *uplo, const int *n, float *a, const int *lda, float *d, float *e, float *tau,
             float *work, const int *lwork, int *info, size_t uplo_length);
void dsytrd_(const char *uplo, const int *n, double *a, const int *lda, double *d, double *e, double *tau,
             double *work, const int *lwork, int *info, size_t uplo_length);
void chetrd_(const char *uplo, const int *n, void *a, const int *lda, float *d, float *e, void *tau,
             void *work, const int *lwork, int *info, size_t uplo_length);
void zhetrd_(const char *uplo, const int *n, void *a, const int *lda, double *d, double *e, void *tau,
             void *work, const int *lwork, int *info, size_t uplo_length);

/* ?gebrd: A <- B = Q' A P, bidiagonal and real, and the reflections of Q and P, for an m x n matrix. d <- B's
 * diagonal, k = min(m, n) elements, e <- what is above it, k - 1, or below it if m < n; both lie in A, too. Q
 * and P are products of reflections H1 H2 ..., H = I - tau v v'. If m >= n, v of Q's reflection i is 1 in row
 * i, 0 above it, and stored below it in column i of A; v' of P's is 1 in column i + 1, and stored after it in
 * row i. If m < n, v of Q's begins in row i + 1, and v' of P's in column i. tauq and taup have k elements;
 * the last one of what begins beside the diagonal is 0. work has lwork elements, at least max(m, n); with
 * lwork = -1 nothing is computed, and work[0] becomes the size that the CPU's routine asks for. info: 0 or -i
 * as above. */
void sgebrd_(const int *m, const int *n, float *a, const int *lda, float *d, float *e, float *tauq,
             float *taup, float *work, const int *lwork, int *info);
void dgebrd_(const int *m, const int *n, double *a, const int *lda, double *d, double *e, double *tauq,
             double *taup, double *work, const int *lwork, int *info);
void cgebrd_(const int *m, const int *n, void *a, const int *lda, float *d, float *e, void *tauq, void *taup,
             void *work, const int *lwork, int *info);
void zgebrd_(const int *m, const int *n, void *a, const int *lda, double *d, double *e, void *tauq,
             void *taup, void *work, const int *lwork, int *info);

/* ?orgbr, ?ungbr: A, as ?gebrd left it, <- the first n columns of Q (vect 'Q'), or the first m rows of P'
 * ('P'), for tau of Q or P. k: the columns of the matrix that was reduced, or for P its rows. For 'Q' m >= n
 * >= min(m, k), for 'P' n >= m >= min(n, k). work has lwork elements, at least min(m, n), and lwork = -1 asks
 * as above. info: 0 or -i as above. */
void sorgbr_(const char *vect, const int *m, const int *n, const int *k, float *a, const int *lda,
             const float *tau, float *work, const int *lwork, int *info, size_t vect_length);
void dorgbr_(const char *vect, const int *m, const int *n, const int *k, double *a, const int *lda,
             const double *tau, double *work, const int *lwork, int *info, size_t vect_length);
void cungbr_(const char *vect, const int *m, const int *n, const int *k, void *a, const int *lda,
             const void *tau, void *work, const int *lwork, int *info, size_t vect_length);
void zungbr_(const char *vect, const int *m, const int *n, const int *k, void *a, const int *lda,
             const void *tau, void *work, const int *lwork, int *info, size_t vect_length);

/* ?ormbr, ?unmbr: C <- op(Q) C (side 'L') or C op(Q) ('R'), or op(P) in place of op(Q) with vect 'P', for the
 * reflections that ?gebrd left in A. trans: 'N', or 'T' for real types and 'C' for complex ones. C is m x n;
 * Q and P have the order of C's side, and k counts as for ?orgbr. work has lwork elements, at least n (L) or
 * m (R), and lwork = -1 asks as above. info: 0 or -i as above. */
void sormbr_(const char *vect, const char *side, const char *trans, const int *m, const int *n, const int *k,
             const float *a, const int *lda, const float *tau, float *c, const int *ldc, float *work,
             const int *lwork, int *info, size_t vect_length, size_t side_length, size_t trans_length);
void dormbr_(const char *vect, const char *side, const char *trans, const int *m, const int *n, const int *k,
             const double *a, const int *lda, const double *tau, double *c, const int *ldc, double *work,
             const int *lwork, int *info, size_t vect_length, size_t side_length, size_t trans_length);
void cunmbr_(const char *vect, const char *side, const char *trans, const int *m, const int *n, const int *k,
             const void *a, const int *lda, const void *tau, void *c, const int *ldc, void *work,
             const int *lwork, int *info, size_t vect_length, size_t side_length, size_t trans_length);
void zunmbr_(const char *vect, const char *side, const char *trans, const int *m, const int *n, const int *k,
             const void *a, const int *lda, const void *tau, void *c, const int *ldc, void *work,
             const int *lwork, int *info, size_t vect_length, size_t side_length, size_t trans_length);

/* ?syev, ?syevd, ?heev, ?heevd: w <- the eigenvalues of a symmetric or Hermitian matrix, n x n, ascending, of
 * which the named triangle is read. With jobz 'V' A <- the eigenvectors, its columns, in the same order; with
 * 'N' the triangle is destroyed. The workspaces have the sizes that LAPACK's routine asks for. If one of
 * lwork, lrwork and liwork is -1 nothing is computed, and the workspaces' first elements become those sizes.
 * info: 0, -i as above, or a positive number: not all eigenvalues were found. All are computed by divide and
 * conquer, or by bisection without vectors. */
void ssyev_(const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w, float *work,
            const int *lwork, int *info, size_t jobz_length, size_t uplo_length);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t jobz_length, size_t uplo_length);
void cheev_(const char *jobz, const char *uplo, const int *n, void *a, const int *lda, float *w, void *work,
            const int *lwork, float *rwork, int *info, size_t jobz_length, size_t uplo_length);
void zheev_(const char *jobz, const char *uplo, const int *n, void *a, const int *lda, double *w, void *work,
            const int *lwork, double *rwork, int *info, size_t jobz_length, size_t uplo_length);
void ssyevd_(const char *jobz, const char *uplo, const int *n, float *a, const int *lda, float *w,
             float *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t jobz_length,
             size_t uplo_length);
void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
             double *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t jobz_length,
             size_t uplo_length);
void cheevd_(const char *jobz, const char *uplo, const int *n, void *a, const int *lda, float *w, void *work,
             const int *lwork, float *rwork, const int *lrwork, int *iwork, const int *liwork, int *info,
             size_t jobz_length, size_t uplo_length);
void zheevd_(const char *jobz, const char *uplo, const int *n, void *a, const int *lda, double *w, void *work,
             const int *lwork, double *rwork, const int *lrwork, int *iwork, const int *liwork, int *info,
             size_t jobz_length, size_t uplo_length);

/* ?syevr, ?syevx, ?heevr, ?heevx: the same for all eigenvalues (range 'A'), for those greater than vl and not
 * greater than vu ('V'), or for those from il to iu, counted from 1 ('I'). *m <- how many there are, w <-
 * them, and z <- their eigenvectors, as many columns, ldz elements apart. The triangle of A is destroyed.
 * isuppz <- the rows from 1 to n for each vector; ifail <- zeros. abstol is not needed: the error is always
 * that of the least tolerance. */
void ssyevr_(const char *jobz, const char *range, const char *uplo, const int *n, float *a, const int *lda,
             const float *vl, const float *vu, const int *il, const int *iu, const float *abstol, int *m,
             float *w, float *z, const int *ldz, int *isuppz, float *work, const int *lwork, int *iwork,
             const int *liwork, int *info, size_t jobz_length, size_t range_length, size_t uplo_length);
void dsyevr_(const char *jobz, const char *range, const char *uplo, const int *n, double *a, const int *lda,
             const double *vl, const double *vu, const int *il, const int *iu, const double *abstol, int *m,
             double *w, double *z, const int *ldz, int *isuppz, double *work, const int *lwork, int *iwork,
             const int *liwork, int *info, size_t jobz_length, size_t range_length, size_t uplo_length);
void cheevr_(const char *jobz, const char *range, const char *uplo, const int *n, void *a, const int *lda,
             const float *vl, const float *vu, const int *il, const int *iu, const float *abstol, int *m,
             float *w, void *z, const int *ldz, int *isuppz, void *work, const int *lwork, float *rwork,
             const int *lrwork, int *iwork, const int *liwork, int *info, size_t jobz_length,
             size_t range_length, size_t uplo_length);
void zheevr_(const char *jobz, const char *range, const char *uplo, const int *n, void *a, const int *lda,
             const double *vl, const double *vu, const int *il, const int *iu, const double *abstol, int *m,
             double *w, void *z, const int *ldz, int *isuppz, void *work, const int *lwork, double *rwork,
             const int *lrwork, int *iwork, const int *liwork, int *info, size_t jobz_length,
             size_t range_length, size_t uplo_length);
void ssyevx_(const char *jobz, const char *range, const char *uplo, const int *n, float *a, const int *lda,
             const float *vl, const float *vu, const int *il, const int *iu, const float *abstol, int *m,
             float *w, float *z, const int *ldz, float *work, const int *lwork, int *iwork, int *ifail,
             int *info, size_t jobz_length, size_t range_length, size_t uplo_length);
void dsyevx_(const char *jobz, const char *range, const char *uplo, const int *n, double *a, const int *lda,
             const double *vl, const double *vu, const int *il, const int *iu, const double *abstol, int *m,
             double *w, double *z, const int *ldz, double *work, const int *lwork, int *iwork, int *ifail,
             int *info, size_t jobz_length, size_t range_length, size_t uplo_length);
void cheevx_(const char *jobz, const char *range, const char *uplo, const int *n, void *a, const int *lda,
             const float *vl, const float *vu, const int *il, const int *iu, const float *abstol, int *m,
             float *w, void *z, const int *ldz, void *work, const int *lwork, float *rwork, int *iwork,
             int *ifail, int *info, size_t jobz_length, size_t range_length, size_t uplo_length);
void zheevx_(const char *jobz, const char *range, const char *uplo, const int *n, void *a, const int *lda,
             const double *vl, const double *vu, const int *il, const int *iu, const double *abstol, int *m,
             double *w, void *z, const int *ldz, void *work, const int *lwork, double *rwork, int *iwork,
             int *ifail, int *info, size_t jobz_length, size_t range_length, size_t uplo_length);

/* ?sygv, ?sygvd, ?hegv, ?hegvd: the same of two matrices, of which the same triangle is read. B must be
 * positive definite, and its triangle <- its Cholesky factor. w <- the numbers l with A z = l B z (itype 1),
 * A B z = l z (2) or B A z = l z (3); the vectors z have Z^H B Z = I, or Z^H inv(B) Z = I (3). info: n + i:
 * the leading minor of B of order i is not positive definite. */
void ssygv_(const int *itype, const char *jobz, const char *uplo, const int *n, float *a, const int *lda,
            float *b, const int *ldb, float *w, float *work, const int *lwork, int *info, size_t jobz_length,
            size_t uplo_length);
void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
            double *b, const int *ldb, double *w, double *work, const int *lwork, int *info,
            size_t jobz_length, size_t uplo_length);
void chegv_(const int *itype, const char *jobz, const char *uplo, const int *n, void *a, const int *lda,
            void *b, const int *ldb, float *w, void *work, const int *lwork, float *rwork, int *info,
            size_t jobz_length, size_t uplo_length);
void zhegv_(const int *itype, const char *jobz, const char *uplo, const int *n, void *a, const int *lda,
            void *b, const int *ldb, double *w, void *work, const int *lwork, double *rwork, int *info,
            size_t jobz_length, size_t uplo_length);
void ssygvd_(const int *itype, const char *jobz, const char *uplo, const int *n, float *a, const int *lda,
             float *b, const int *ldb, float *w, float *work, const int *lwork, int *iwork, const int *liwork,
             int *info, size_t jobz_length, size_t uplo_length);
void dsygvd_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
             double *b, const int *ldb, double *w, double *work, const int *lwork, int *iwork,
             const int *liwork, int *info, size_t jobz_length, size_t uplo_length);
void chegvd_(const int *itype, const char *jobz, const char *uplo, const int *n, void *a, const int *lda,
             void *b, const int *ldb, float *w, void *work, const int *lwork, float *rwork, const int *lrwork,
             int *iwork, const int *liwork, int *info, size_t jobz_length, size_t uplo_length);
void zhegvd_(const int *itype, const char *jobz, const char *uplo, const int *n, void *a, const int *lda,
             void *b, const int *ldb, double *w, void *work, const int *lwork, double *rwork,
             const int *lrwork, int *iwork, const int *liwork, int *info, size_t jobz_length,
             size_t uplo_length);

/* ?sygvx, ?hegvx: the same for all or some eigenvalues, as ?syevx. */
void ssygvx_(const int *itype, const char *jobz, const char *range, const char *uplo, const int *n, float *a,
             const int *lda, float *b, const int *ldb, const float *vl, const float *vu, const int *il,
             const int *iu, const float *abstol, int *m, float *w, float *z, const int *ldz, float *work,
             const int *lwork, int *iwork, int *ifail, int *info, size_t jobz_length, size_t range_length,
             size_t uplo_length);
void dsygvx_(const int *itype, const char *jobz, const char *range, const char *uplo, const int *n, double *a,
             const int *lda, double *b, const int *ldb, const double *vl, const double *vu, const int *il,
             const int *iu, const double *abstol, int *m, double *w, double *z, const int *ldz, double *work,
             const int *lwork, int *iwork, int *ifail, int *info, size_t jobz_length, size_t range_length,
             size_t uplo_length);
void chegvx_(const int *itype, const char *jobz, const char *range, const char *uplo, const int *n, void *a,
             const int *lda, void *b, const int *ldb, const float *vl, const float *vu, const int *il,
             const int *iu, const float *abstol, int *m, float *w, void *z, const int *ldz, void *work,
             const int *lwork, float *rwork, int *iwork, int *ifail, int *info, size_t jobz_length,
             size_t range_length, size_t uplo_length);
void zhegvx_(const int *itype, const char *jobz, const char *range, const char *uplo, const int *n, void *a,
             const int *lda, void *b, const int *ldb, const double *vl, const double *vu, const int *il,
             const int *iu, const double *abstol, int *m, double *w, void *z, const int *ldz, void *work,
             const int *lwork, double *rwork, int *iwork, int *ifail, int *info, size_t jobz_length,
             size_t range_length, size_t uplo_length);

/* ?stedc: d <- the eigenvalues of the symmetric tridiagonal matrix with n elements d on its diagonal and n -
 * 1 elements e beside it, ascending. With compz 'I' z, n x n, <- its eigenvectors, columns in the same order;
 * with 'V' z <- z times them, so that those of ?sytrd's T become A's if z is Q; with 'N' z is not there. e
 * may be destroyed. The workspaces, their queries, and info are as for ?syevd. */
void sstedc_(const char *compz, const int *n, float *d, float *e, float *z, const int *ldz, float *work,
             const int *lwork, int *iwork, const int *liwork, int *info, size_t compz_length);
void dstedc_(const char *compz, const int *n, double *d, double *e, double *z, const int *ldz, double *work,
             const int *lwork, int *iwork, const int *liwork, int *info, size_t compz_length);
void cstedc_(const char *compz, const int *n, float *d, float *e, void *z, const int *ldz, void *work,
             const int *lwork, float *rwork, const int *lrwork, int *iwork, const int *liwork, int *info,
             size_t compz_length);
void zstedc_(const char *compz, const int *n, double *d, double *e, void *z, const int *ldz, void *work,
             const int *lwork, double *rwork, const int *lrwork, int *iwork, const int *liwork, int *info,
             size_t compz_length);

/* ?gesdd, ?gesvd: s <- the singular values of an m x n matrix, descending; u and vt <- its left vectors, as
 * columns, and its right ones, conjugated, as rows: all ('A'), as many as there are values ('S'), none ('N'),
 * or in A's place ('O'), which is one of them. ?gesdd has one job for both: its 'O' is that of the longer
 * side, and the others are all. A is destroyed. The workspaces have the sizes that LAPACK's routine asks for.
 * info: 0, -i as above, or a positive number: not all values were found. */
void sgesdd_(const char *jobz, const int *m, const int *n, float *a, const int *lda, float *s, float *u,
             const int *ldu, float *vt, const int *ldvt, float *work, const int *lwork, int *iwork, int *info,
             size_t jobz_length);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork,
             int *info, size_t jobz_length);
void cgesdd_(const char *jobz, const int *m, const int *n, void *a, const int *lda, float *s, void *u,
             const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, float *rwork,
             int *iwork, int *info, size_t jobz_length);
void zgesdd_(const char *jobz, const int *m, const int *n, void *a, const int *lda, double *s, void *u,
             const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, double *rwork,
             int *iwork, int *info, size_t jobz_length);
void sgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, float *a, const int *lda,
             float *s, float *u, const int *ldu, float *vt, const int *ldvt, float *work, const int *lwork,
             int *info, size_t jobu_length, size_t jobvt_length);
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda,
             double *s, double *u, const int *ldu, double *vt, const int *ldvt, double *work,
             const int *lwork, int *info, size_t jobu_length, size_t jobvt_length);
void cgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, void *a, const int *lda,
             float *s, void *u, const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork,
             float *rwork, int *info, size_t jobu_length, size_t jobvt_length);
void zgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, void *a, const int *lda,
             double *s, void *u, const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork,
             double *rwork, int *info, size_t jobu_length, size_t jobvt_length);

/* ?gelsd, ?gelss: the first n rows of b, m or n rows of nrhs columns, whichever is more, <- the least X for
 * which A X is nearest to its first m ones, by A's singular values, which s gets. Values count as zero that
 * are not greater than rcond times the largest one, or than the unit if rcond is negative; *rank <- how many
 * do not. With full rank the squares of what is below X in a column of b add up to its residual's. ?gelss
 * leaves the right vectors in A's first rows. */
void sgelsd_(const int *m, const int *n, const int *nrhs, float *a, const int *lda, float *b, const int *ldb,
             float *s, const float *rcond, int *rank, float *work, const int *lwork, int *iwork, int *info);
void dgelsd_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, double *s, const double *rcond, int *rank, double *work, const int *lwork,
             int *iwork, int *info);
void cgelsd_(const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b, const int *ldb,
             float *s, const float *rcond, int *rank, void *work, const int *lwork, float *rwork, int *iwork,
             int *info);
void zgelsd_(const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b, const int *ldb,
             double *s, const double *rcond, int *rank, void *work, const int *lwork, double *rwork,
             int *iwork, int *info);
void sgelss_(const int *m, const int *n, const int *nrhs, float *a, const int *lda, float *b, const int *ldb,
             float *s, const float *rcond, int *rank, float *work, const int *lwork, int *info);
void dgelss_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b,
             const int *ldb, double *s, const double *rcond, int *rank, double *work, const int *lwork,
             int *info);
void cgelss_(const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b, const int *ldb,
             float *s, const float *rcond, int *rank, void *work, const int *lwork, float *rwork, int *info);
void zgelss_(const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b, const int *ldb,
             double *s, const double *rcond, int *rank, void *work, const int *lwork, double *rwork,
             int *info);

/* ?geqrf: A <- Q and R with A = Q R. A is m x n, column-major, its columns lda elements apart, at least 1 and
 * at least m. R takes the place of A's upper triangle, and Q is a product of min(m, n) reflections H = I -
 * tau v v': v is 0 above the diagonal, 1 on it, and stored below it; tau has as many elements. ?orgqr, and
 * ?ungqr for complex numbers: A <- the first n columns of the Q of k such reflections, with m >= n >= k,
 * whose v A's first k columns hold.
 *
 * work has lwork elements, at least 1, and at least n if m > 0; with lwork -1 only work[0] is written: the
 * best lwork. So it is after every call. info: 0; -i if argument i is invalid (xerbla_ is called). Threads:
 * as above. */
void sgeqrf_(const int *m, const int *n, float *a, const int *lda, float *tau, float *work, const int *lwork,
             int *info);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void cgeqrf_(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork,
             int *info);
void zgeqrf_(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork,
             int *info);
void sorgqr_(const int *m, const int *n, const int *k, float *a, const int *lda, const float *tau,
             float *work, const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau,
             double *work, const int *lwork, int *info);
void cungqr_(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work,
             const int *lwork, int *info);
void zungqr_(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work,
             const int *lwork, int *info);

/* ?geqp3: A <- Q and R with A P = Q R, as ?geqrf leaves them, for a permutation P of A's columns: jpvt[j]
 * says, from 1 on, which column of A was column j of A P. Before, columns whose jpvt is not 0 are moved to
 * the front of A P; then each is the one that is largest without its part in the space of those before it.
 * jpvt has n elements. lwork is at least 3 n + 1, for complex numbers n + 1, or 1 if A is empty; rwork has 2
 * n elements. All else is as above. */
void sgeqp3_(const int *m, const int *n, float *a, const int *lda, int *jpvt, float *tau, float *work,
             const int *lwork, int *info);
void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau, double *work,
             const int *lwork, int *info);
void cgeqp3_(const int *m, const int *n, void *a, const int *lda, int *jpvt, void *tau, void *work,
             const int *lwork, float *rwork, int *info);
void zgeqp3_(const int *m, const int *n, void *a, const int *lda, int *jpvt, void *tau, void *work,
             const int *lwork, double *rwork, int *info);

/* C <- Q C or Q' C for side 'L', C Q or C Q' for 'R', with the Q of k reflections in A as ?geqrf leaves them;
 * trans is 'N', or 'T' (?unmqr: 'C') for Q'. C is m x n, its columns ldc elements apart, and A has as many
 * rows as Q; A and C must not overlap. lwork is at least n for 'L', m for 'R'. All else is as above. */
void sormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const float *a,
             const int *lda, const float *tau, float *c, const int *ldc, float *work, const int *lwork,
             int *info, size_t side_length, size_t trans_length);
void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a,
             const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork,
             int *info, size_t side_length, size_t trans_length);
void cunmqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const void *a,
             const int *lda, const void *tau, void *c, const int *ldc, void *work, const int *lwork,
             int *info, size_t side_length, size_t trans_length);
void zunmqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const void *a,
             const int *lda, const void *tau, void *c, const int *ldc, void *work, const int *lwork,
             int *info, size_t side_length, size_t trans_length);

/* B <- the X for which op(A) X is nearest to B, column by column of B; op(A) is A, its transpose (s, d) or
 * its conjugate transpose (c, z), by trans 'N', 'T' or 'C'. A is m x n and must have full rank; if op(A)
 * has more columns than rows there are several such X, and it is the one of least norm. B has nrhs columns of
 * ldb elements, at least 1, m and n; X is in its first rows, and if op(A) has more rows than columns, the
 * squares of what is below sum up to that of B - op(A) X. A <- its factors: those of ?geqrf, or of ?gelqf
 * if m < n.
 *
 * work has lwork elements, at least 1 and k + max(k, nrhs) for k = min(m, n). With lwork -1 the call is a
 * query: work[0] becomes the best lwork, and nothing else is done.
 *
 * info: 0; -i if argument i is invalid; i > 0 if element i of the triangular factor's diagonal is exactly
 * zero: then there is no X. */
void sgels_(const char *trans, const int *m, const int *n, const int *nrhs, float *a, const int *lda,
            float *b, const int *ldb, float *work, const int *lwork, int *info, size_t trans_length);
void dgels_(const char *trans, const int *m, const int *n, const int *nrhs, double *a, const int *lda,
            double *b, const int *ldb, double *work, const int *lwork, int *info, size_t trans_length);
void cgels_(const char *trans, const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b,
            const int *ldb, void *work, const int *lwork, int *info, size_t trans_length);
void zgels_(const char *trans, const int *m, const int *n, const int *nrhs, void *a, const int *lda, void *b,
            const int *ldb, void *work, const int *lwork, int *info, size_t trans_length);

#    include "lavablas_lapack64.h"

#endif

#ifdef __cplusplus
}
#endif

#endif
