/* The BLAS routines that LavaBLAS exports, for programs without another cblas.h at hand. C and C++.
 *
 * LavaBLAS is a partial BLAS: it exports what it can speed up, and a program links a complete BLAS behind it.
 * May be included after another library's cblas.h (then it declares nothing twice), not before one. Where
 * that header lacks the routines of half precision, define LAVABLAS_DECLARE_HALF before including this one:
 * they are then declared all the same, with the other header's CBLAS_LAYOUT and CBLAS_TRANSPOSE.
 * lavablas_hgemm, in lavablas.h, needs neither.
 *
 * Source: BLAS Technical Forum Standard (2001), chapter 2, and its appendix for the C interface; Dongarra, Du
 * Croz, Hammarling, Duff: A set of level 3 Basic Linear Algebra Subprograms, ACM TOMS 16 (1990). Half
 * precision: the Developer Reference of oneMKL (2025) and cblas.h of OpenBLAS (0.3.31), which agree where
 * both have a routine. */
#ifndef LAVABLAS_CBLAS_H
#define LAVABLAS_CBLAS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Guards of netlib's, OpenBLAS's, BLIS's and ATLAS's header, GSL's, oneMKL's, and NVPL's. */
#if !defined(CBLAS_H) && !defined(__GSL_CBLAS_H__) && !defined(__MKL_CBLAS_H__) && !defined(NVPL_BLAS_CBLAS_H)
#    define LAVABLAS_ONLY_CBLAS 1
#endif

#ifdef LAVABLAS_ONLY_CBLAS

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

#if defined(LAVABLAS_ONLY_CBLAS) || defined(LAVABLAS_DECLARE_HALF)

/* The same product of half precision matrices. Shapes, layouts, leading dimensions (in elements), overlap and
 * threads are those of cblas_sgemm; with beta = 0 C need not be set, with alpha = 0 neither A nor B is read.
 *
 * A uint16_t holds the bits of a number, also where it is passed by value (_Float16 and __bf16 travel in
 * other registers: to pass one, copy its bits with memcpy):
 *
 *   fp16   IEEE 754 binary16: 11 significant bits, largest 65504, smallest 2^-24
 *   bf16   the upper half of an fp32: 8 significant bits, fp32's range
 *
 *                                                     A and B   alpha, beta   C      declared by
 *   cblas_shgemm                                      fp16      fp32          fp32   OpenBLAS
 *   cblas_gemm_f16f16f32, the same                    fp16      fp32          fp32   oneMKL
 *   cblas_hgemm                                       fp16      fp16          fp16   oneMKL
 *   lavablas_hgemm (lavablas.h)                       fp16      fp32          fp16
 *   cblas_sbgemm                                      bf16      fp32          fp32   OpenBLAS
 *   cblas_gemm_bf16bf16f32, the same                  bf16      fp32          fp32   oneMKL
 *   cblas_bgemm                                       bf16      bf16          bf16   OpenBLAS
 *
 * (Arm's cblas_hgemm passes __fp16 by value and is another routine.)
 *
 * Rounding: products of elements are exact, they are summed in fp32, and alpha and beta C are applied in
 * fp32. A 16-bit C is rounded once, at the end, to nearest, ties to even, beyond the largest number to
 * infinity; subnormal numbers are kept, a NaN stays one. Where the CPU BLAS has the routine and computes the
 * product, its own rounding counts.
 *
 * Errors: an argument out of range is reported by the CPU BLAS's routine of the same name. Where it has none,
 * xerbla_ is called with the routine's name and the argument's position, layout being 1, or, in a program
 * without xerbla_, one line is written to stderr. C is unchanged. */
void cblas_shgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                  float alpha, const uint16_t *a, int lda, const uint16_t *b, int ldb, float beta, float *c,
                  int ldc);
void cblas_gemm_f16f16f32(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n,
                          int k, float alpha, const uint16_t *a, int lda, const uint16_t *b, int ldb,
                          float beta, float *c, int ldc);
void cblas_hgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                 uint16_t alpha, const uint16_t *a, int lda, const uint16_t *b, int ldb, uint16_t beta,
                 uint16_t *c, int ldc);
void cblas_sbgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                  float alpha, const uint16_t *a, int lda, const uint16_t *b, int ldb, float beta, float *c,
                  int ldc);
void cblas_gemm_bf16bf16f32(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n,
                            int k, float alpha, const uint16_t *a, int lda, const uint16_t *b, int ldb,
                            float beta, float *c, int ldc);
void cblas_bgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                 uint16_t alpha, const uint16_t *a, int lda, const uint16_t *b, int ldb, uint16_t beta,
                 uint16_t *c, int ldc);

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

/* Half precision as Fortran sees it: as sgemm_, with the types, rounding and errors of the CBLAS routines
 * above; shgemm_ (OpenBLAS) is cblas_shgemm, hgemm_ and hgemm (oneMKL) are cblas_hgemm, sbgemm_ and bgemm_
 * (OpenBLAS) are cblas_sbgemm and cblas_bgemm. xerbla_ is told the name as "SHGEMM" or "HGEMM ", and transa
 * is argument 1. */
void shgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const float *alpha, const uint16_t *a, const int *lda, const uint16_t *b, const int *ldb,
             const float *beta, float *c, const int *ldc, size_t transa_length, size_t transb_length);
void hgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const uint16_t *alpha, const uint16_t *a, const int *lda, const uint16_t *b, const int *ldb,
            const uint16_t *beta, uint16_t *c, const int *ldc, size_t transa_length, size_t transb_length);
void hgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
           const uint16_t *alpha, const uint16_t *a, const int *lda, const uint16_t *b, const int *ldb,
           const uint16_t *beta, uint16_t *c, const int *ldc, size_t transa_length, size_t transb_length);
void sbgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const float *alpha, const uint16_t *a, const int *lda, const uint16_t *b, const int *ldb,
             const float *beta, float *c, const int *ldc, size_t transa_length, size_t transb_length);
void bgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const uint16_t *alpha, const uint16_t *a, const int *lda, const uint16_t *b, const int *ldb,
            const uint16_t *beta, uint16_t *c, const int *ldc, size_t transa_length, size_t transb_length);

#endif

#undef LAVABLAS_ONLY_CBLAS

#ifdef __cplusplus
}
#endif

#endif
