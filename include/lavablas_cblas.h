/* The BLAS routines that LavaBLAS exports, for programs without another cblas.h at hand. C and C++.
 *
 * LavaBLAS is a partial BLAS: it exports what it can speed up, and a program links a complete BLAS behind it.
 * May be included after another library's cblas.h (then it declares nothing twice), not before one.
 *
 * Source: BLAS Technical Forum Standard (2001), chapter 2, and its appendix for the C interface; Dongarra, Du
 * Croz, Hammarling, Duff: A set of level 3 Basic Linear Algebra Subprograms, ACM TOMS 16 (1990). */
#ifndef LAVABLAS_CBLAS_H
#define LAVABLAS_CBLAS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Guards of netlib's, OpenBLAS's, BLIS's and ATLAS's header, GSL's, oneMKL's, and NVPL's. */
#if !defined(CBLAS_H) && !defined(__GSL_CBLAS_H__) && !defined(__MKL_CBLAS_H__) && !defined(NVPL_BLAS_CBLAS_H)

typedef enum CBLAS_LAYOUT { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 } CBLAS_TRANSPOSE;

/* C <- alpha op(A) op(B) + beta C in single precision.
 *
 * op(X) is X for CblasNoTrans, its transpose for CblasTrans and CblasConjTrans. op(A) is m x k, op(B) is
 * k x n, C is m x n; k = 0 and alpha = 0 leave C <- beta C.
 *
 * Leading dimensions are the distance, in elements, between columns (CblasColMajor) or rows (CblasRowMajor)
 * as stored, at least 1 and at least
 *
 *                  A, CblasNoTrans   A, else   B, CblasNoTrans   B, else   C
 *   CblasColMajor  m                 k         k                 n         m
 *   CblasRowMajor  k                 m         n                 k         n
 *
 * With beta = 0, C need not be set; with alpha = 0 neither A nor B is read. C must not overlap A or B.
 *
 * Errors: an argument out of range is reported by the CPU BLAS behind LavaBLAS, in its own way (most call
 * xerbla_ or cblas_xerbla), and C is unchanged.
 * Threads: may be called by any number of threads at once, for different C. */
void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                 float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c,
                 int ldc);

#endif

/* Guards of OpenBLAS's and oneMKL's headers of Fortran prototypes. */
#if !defined(OPENBLAS_F77BLAS_H) && !defined(_MKL_BLAS_H_)

/* The same as Fortran sees it: column-major, every argument by reference. transa and transb are 'N', 'T' or
 * 'C', in either case ('C' is 'T' for real numbers); shapes and leading dimensions are those of
 * CblasColMajor above, and so are overlap, errors (the CPU BLAS calls xerbla_) and threads.
 *
 * The last two arguments are the lengths of transa and transb, 1 each, as Fortran compilers pass them.
 * Programs that declare the function without them work too. */
void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc, size_t transa_length, size_t transb_length);

#endif

#ifdef __cplusplus
}
#endif

#endif
