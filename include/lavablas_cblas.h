/* The BLAS routines that LavaBLAS exports, for programs without another cblas.h at hand. C and C++.
 *
 * LavaBLAS is a partial BLAS: it exports what it can speed up, and a program links a complete BLAS behind it.
 * May be included after another library's cblas.h (then it declares nothing twice), not before one. If
 * that header lacks the routines of half precision, define LAVABLAS_DECLARE_HALF before including this one:
 * they are then declared all the same, with the other header's CBLAS_LAYOUT and CBLAS_TRANSPOSE.
 * lavablas_hgemm, in lavablas.h, needs neither. LAVABLAS_DECLARE_ILP64 does the same for 64-bit integers.
 *
 * Exported besides, for programs that declare them themselves: Fortran's names without the underscore
 * (sgemm), with _64 (sgemm_64, cblas_sgemm_64), and those of SciPy's OpenBLAS (scipy_sgemm_,
 * scipy_cblas_sgemm64_ ...).
 *
 * Source: BLAS Technical Forum Standard (2001), chapter 2, and its appendix for the C interface; Dongarra, Du
 * Croz, Hammarling, Duff: A set of level 3 Basic Linear Algebra Subprograms, ACM TOMS 16 (1990). Half
 * precision, triangles and batches: the Developer Reference of oneMKL (2025) and cblas.h of OpenBLAS
 * (0.3.31), which agree if both have a routine. */
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

/* C <- alpha op(A) op(B) + beta C: in single precision, in double, and of complex numbers in both.
 *
 *                 A, B and C              alpha, beta
 *   cblas_sgemm   float                   float
 *   cblas_dgemm   double                  double
 *   cblas_cgemm   complex: two floats,    by pointer to such a number
 *                 the real part first
 *   cblas_zgemm   complex: two doubles    by pointer to such a number
 *
 * cblas_cgemm3m and cblas_zgemm3m are the same with three real products instead of four, if the CPU BLAS
 * computes: faster, with larger errors in the smaller of an element's two parts.
 *
 * op(X) is X for CblasNoTrans, its transpose for CblasTrans, and for CblasConjTrans the transpose of its
 * complex conjugate; of real numbers that is the transpose. op(A) is m x k, op(B) is k x n, C is m x n; k = 0
 * and alpha = 0 leave C <- beta C.
 *
 * Leading dimensions are the distance, in elements (a complex number is one), between columns (CblasColMajor)
 * or rows (CblasRowMajor) as stored, at least 1 and at least
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
void cblas_dgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                 double alpha, const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc);
void cblas_cgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                 const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta, void *c,
                 int ldc);
void cblas_zgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                 const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta, void *c,
                 int ldc);
void cblas_cgemm3m(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                   const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta,
                   void *c, int ldc);
void cblas_zgemm3m(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m, int n, int k,
                   const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta,
                   void *c, int ldc);

/* One triangle of such a product, C being n x n: the elements on the diagonal and above it (CblasUpper) or
 * below it (CblasLower), in either layout. The others are neither read nor written. Types, scalars,
 * operations, leading dimensions, errors and threads as above, with m = n. cblas_?gemmtr (the reference's
 * name, BLAS 3.12.1) is cblas_?gemmt (oneMKL's and OpenBLAS's). If the CPU BLAS has no routine of the
 * name, the triangle is made of products, and errors are reported as for half precision below. */
typedef enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;

void cblas_sgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int n,
                  int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c,
                  int ldc);
void cblas_dgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int n,
                  int k, double alpha, const double *a, int lda, const double *b, int ldb, double beta,
                  double *c, int ldc);
void cblas_cgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int n,
                  int k, const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta,
                  void *c, int ldc);
void cblas_zgemmt(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int n,
                  int k, const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta,
                  void *c, int ldc);
void cblas_sgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                   int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta,
                   float *c, int ldc);
void cblas_dgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                   int n, int k, double alpha, const double *a, int lda, const double *b, int ldb,
                   double beta, double *c, int ldc);
void cblas_cgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                   int n, int k, const void *alpha, const void *a, int lda, const void *b, int ldb,
                   const void *beta, void *c, int ldc);
void cblas_zgemmtr(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                   int n, int k, const void *alpha, const void *a, int lda, const void *b, int ldb,
                   const void *beta, void *c, int ldc);

/* One triangle of C <- alpha A A' + beta C (trans CblasNoTrans, A is n x k) or alpha A' A + beta C (A is k x
 * n), where A' is A transposed or, of ?herk, conjugated and transposed; C is n x n. Trans is CblasTrans or
 * CblasConjTrans of real types, CblasTrans of cblas_?syrk of complex ones, CblasConjTrans of cblas_?herk. The
 * other triangle is neither read nor written. Of ?herk imaginary parts on C's diagonal are not read and are
 * written as zero. Leading dimensions, errors and threads as above. Reference BLAS, dsyrk.f and zherk.f. */
void cblas_ssyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, float alpha,
                 const float *a, int lda, float beta, float *c, int ldc);
void cblas_dsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, double alpha,
                 const double *a, int lda, double beta, double *c, int ldc);
void cblas_csyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, const void *alpha,
                 const void *a, int lda, const void *beta, void *c, int ldc);
void cblas_zsyrk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, const void *alpha,
                 const void *a, int lda, const void *beta, void *c, int ldc);
void cblas_cherk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, float alpha,
                 const void *a, int lda, float beta, void *c, int ldc);
void cblas_zherk(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, double alpha,
                 const void *a, int lda, double beta, void *c, int ldc);

/* C <- alpha A B + beta C (CblasLeft, A is m x m) or alpha B A + beta C (CblasRight, A is n x n), where A is
 * symmetric or, of ?hemm, Hermitian; B and C are m x n. Only the triangle of A that uplo names is read; of
 * ?hemm, no imaginary parts on the diagonal. lda is at least m (CblasLeft) or n; ldb and ldc as ldc above.
 * Errors and threads as above. Reference BLAS, dsymm.f and zhemm.f. */
typedef enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 } CBLAS_SIDE;

void cblas_ssymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, float alpha,
                 const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cblas_dsymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
void cblas_csymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, const void *alpha,
                 const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
void cblas_zsymm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, const void *alpha,
                 const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
void cblas_chemm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, const void *alpha,
                 const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc);
void cblas_zhemm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, int m, int n, const void *alpha,
                 const void *a, int lda, const void *b, int ldb, const void *beta, void *c, int ldc);

/* One triangle of C <- alpha A B' + alpha B A' + beta C (trans CblasNoTrans, A and B are n x k) or
 * alpha A' B + alpha B' A + beta C (A and B are k x n), where X' is X transposed. Of ?her2k X' is also
 * conjugated, the second product has the conjugate of alpha, beta is real, and the diagonal is as of ?herk.
 * Trans, the other triangle, leading dimensions, errors and threads as for ?syrk and ?herk. Reference BLAS,
 * dsyr2k.f and zher2k.f. */
void cblas_ssyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, float alpha,
                  const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
void cblas_dsyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k, double alpha,
                  const double *a, int lda, const double *b, int ldb, double beta, double *c, int ldc);
void cblas_csyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k,
                  const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta,
                  void *c, int ldc);
void cblas_zsyr2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k,
                  const void *alpha, const void *a, int lda, const void *b, int ldb, const void *beta,
                  void *c, int ldc);
void cblas_cher2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k,
                  const void *alpha, const void *a, int lda, const void *b, int ldb, float beta, void *c,
                  int ldc);
void cblas_zher2k(CBLAS_LAYOUT layout, CBLAS_UPLO uplo, CBLAS_TRANSPOSE trans, int n, int k,
                  const void *alpha, const void *a, int lda, const void *b, int ldb, double beta, void *c,
                  int ldc);

/* With a triangular A: ?trmm computes B <- alpha op(A) B (CblasLeft, A is m x m) or alpha B op(A)
 * (CblasRight, A is n x n); ?trsm computes the X with op(A) X = alpha B or X op(A) = alpha B, and writes it
 * to B. B is m x n. Only the triangle of A that uplo names is read, without the diagonal for CblasUnit: its
 * elements are 1 then. ?trsm does not check whether A is singular. Leading dimensions as for ?symm, errors
 * and threads as above. Reference BLAS, dtrmm.f and dtrsm.f. */
typedef enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 } CBLAS_DIAG;

void cblas_strmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                 CBLAS_DIAG diag, int m, int n, float alpha, const float *a, int lda, float *b, int ldb);
void cblas_dtrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                 CBLAS_DIAG diag, int m, int n, double alpha, const double *a, int lda, double *b, int ldb);
void cblas_ctrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                 CBLAS_DIAG diag, int m, int n, const void *alpha, const void *a, int lda, void *b, int ldb);
void cblas_ztrmm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                 CBLAS_DIAG diag, int m, int n, const void *alpha, const void *a, int lda, void *b, int ldb);
void cblas_strsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                 CBLAS_DIAG diag, int m, int n, float alpha, const float *a, int lda, float *b, int ldb);
void cblas_dtrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                 CBLAS_DIAG diag, int m, int n, double alpha, const double *a, int lda, double *b, int ldb);
void cblas_ctrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                 CBLAS_DIAG diag, int m, int n, const void *alpha, const void *a, int lda, void *b, int ldb);
void cblas_ztrsm(CBLAS_LAYOUT layout, CBLAS_SIDE side, CBLAS_UPLO uplo, CBLAS_TRANSPOSE transa,
                 CBLAS_DIAG diag, int m, int n, const void *alpha, const void *a, int lda, void *b, int ldb);

/* Many products, in groups of one shape. transa to ldc and group_size have an element for each of group_count
 * groups (a complex scalar is two floats or doubles), but a, b and c, which have one for each product: those
 * of the first group first, group_size[0] of them. Everything else is as for cblas_?gemm, for each product.
 *
 * No product's C may overlap an operand or C of another product. If the CPU BLAS has no routine of the
 * name, products are computed one after the other, and errors are reported as for half precision below,
 * before anything is computed. cblas_sbgemm_batch (OpenBLAS) has bf16 A and B, the rest float. Batches of
 * cblas_?syrk and cblas_?trsm are in lavablas_batch.h, which this header includes. */
void cblas_sgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                       const int *m, const int *n, const int *k, const float *alpha, const float **a,
                       const int *lda, const float **b, const int *ldb, const float *beta, float **c,
                       const int *ldc, int group_count, const int *group_size);
void cblas_dgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                       const int *m, const int *n, const int *k, const double *alpha, const double **a,
                       const int *lda, const double **b, const int *ldb, const double *beta, double **c,
                       const int *ldc, int group_count, const int *group_size);
void cblas_cgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                       const int *m, const int *n, const int *k, const void *alpha, const void **a,
                       const int *lda, const void **b, const int *ldb, const void *beta, void **c,
                       const int *ldc, int group_count, const int *group_size);
void cblas_zgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                       const int *m, const int *n, const int *k, const void *alpha, const void **a,
                       const int *lda, const void **b, const int *ldb, const void *beta, void **c,
                       const int *ldc, int group_count, const int *group_size);

/* The same of one group, whose matrices begin at equal distances: product i has its A i * stridea elements
 * after a, and so on, i from 0 to batch_size - 1. With stridea = 0 or strideb = 0 all products share one A or
 * B. */
void cblas_sgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m,
                               int n, int k, float alpha, const float *a, int lda, int stridea,
                               const float *b, int ldb, int strideb, float beta, float *c, int ldc,
                               int stridec, int batch_size);
void cblas_dgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m,
                               int n, int k, double alpha, const double *a, int lda, int stridea,
                               const double *b, int ldb, int strideb, double beta, double *c, int ldc,
                               int stridec, int batch_size);
void cblas_cgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m,
                               int n, int k, const void *alpha, const void *a, int lda, int stridea,
                               const void *b, int ldb, int strideb, const void *beta, void *c, int ldc,
                               int stridec, int batch_size);
void cblas_zgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m,
                               int n, int k, const void *alpha, const void *a, int lda, int stridea,
                               const void *b, int ldb, int strideb, const void *beta, void *c, int ldc,
                               int stridec, int batch_size);

#endif

#if defined(LAVABLAS_ONLY_CBLAS) || defined(LAVABLAS_DECLARE_HALF)

/* The same product of half precision matrices. Shapes, layouts, leading dimensions (in elements), overlap and
 * threads are those of cblas_sgemm; with beta = 0 C need not be set, with alpha = 0 neither A nor B is read.
 *
 * A uint16_t holds the bits of a number, also if it is passed by value (_Float16 and __bf16 travel in
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
 * infinity; subnormal numbers are kept, a NaN stays one. If the CPU BLAS has the routine and computes the
 * product, its own rounding counts.
 *
 * Errors: an argument out of range is reported by the CPU BLAS's routine of the same name. If it has none,
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
void cblas_sbgemm_batch(CBLAS_LAYOUT layout, const CBLAS_TRANSPOSE *transa, const CBLAS_TRANSPOSE *transb,
                        const int *m, const int *n, const int *k, const float *alpha, const uint16_t **a,
                        const int *lda, const uint16_t **b, const int *ldb, const float *beta, float **c,
                        const int *ldc, int group_count, const int *group_size);
void cblas_sbgemm_batch_strided(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m,
                                int n, int k, float alpha, const uint16_t *a, int lda, int stridea,
                                const uint16_t *b, int ldb, int strideb, float beta, float *c, int ldc,
                                int stridec, int batch_size);

#endif

/* Guards of OpenBLAS's and oneMKL's headers of Fortran prototypes. */
#if !defined(OPENBLAS_F77BLAS_H) && !defined(_MKL_BLAS_H_)

/* The same as Fortran sees it: column-major, every argument by reference. transa and transb are 'N', 'T' or
 * 'C', in either case ('C' is 'T' for real numbers); complex numbers are pairs as above; shapes and leading
 * dimensions are those of CblasColMajor above, and so are overlap, errors (the CPU BLAS calls xerbla_) and
 * threads.
 *
 * The last two arguments are the lengths of transa and transb, 1 each, as Fortran compilers pass them.
 * Programs that declare the function without them work too. */
void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
            const float *beta, float *c, const int *ldc, size_t transa_length, size_t transb_length);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t transa_length, size_t transb_length);
void cgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const void *alpha, const void *a, const int *lda, const void *b, const int *ldb, const void *beta,
            void *c, const int *ldc, size_t transa_length, size_t transb_length);
void zgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const void *alpha, const void *a, const int *lda, const void *b, const int *ldb, const void *beta,
            void *c, const int *ldc, size_t transa_length, size_t transb_length);
void cgemm3m_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
              const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
              const void *beta, void *c, const int *ldc, size_t transa_length, size_t transb_length);
void zgemm3m_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
              const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
              const void *beta, void *c, const int *ldc, size_t transa_length, size_t transb_length);

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

/* Triangles, structured matrices and batches as Fortran sees them: uplo is 'U' or 'L', side 'L' or 'R', diag
 * 'N' or 'U', in either case; ?gemm_batch has an array of characters for each of transa and transb, and its
 * a, b and c are arrays of addresses. */
void sgemmt_(const char *uplo, const char *transa, const char *transb, const int *n, const int *k,
             const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
             const float *beta, float *c, const int *ldc, size_t uplo_length, size_t transa_length,
             size_t transb_length);
void dgemmt_(const char *uplo, const char *transa, const char *transb, const int *n, const int *k,
             const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
             const double *beta, double *c, const int *ldc, size_t uplo_length, size_t transa_length,
             size_t transb_length);
void cgemmt_(const char *uplo, const char *transa, const char *transb, const int *n, const int *k,
             const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
             const void *beta, void *c, const int *ldc, size_t uplo_length, size_t transa_length,
             size_t transb_length);
void zgemmt_(const char *uplo, const char *transa, const char *transb, const int *n, const int *k,
             const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
             const void *beta, void *c, const int *ldc, size_t uplo_length, size_t transa_length,
             size_t transb_length);
void sgemmtr_(const char *uplo, const char *transa, const char *transb, const int *n, const int *k,
              const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
              const float *beta, float *c, const int *ldc, size_t uplo_length, size_t transa_length,
              size_t transb_length);
void dgemmtr_(const char *uplo, const char *transa, const char *transb, const int *n, const int *k,
              const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
              const double *beta, double *c, const int *ldc, size_t uplo_length, size_t transa_length,
              size_t transb_length);
void cgemmtr_(const char *uplo, const char *transa, const char *transb, const int *n, const int *k,
              const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
              const void *beta, void *c, const int *ldc, size_t uplo_length, size_t transa_length,
              size_t transb_length);
void zgemmtr_(const char *uplo, const char *transa, const char *transb, const int *n, const int *k,
              const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
              const void *beta, void *c, const int *ldc, size_t uplo_length, size_t transa_length,
              size_t transb_length);
void ssyrk_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha,
            const float *a, const int *lda, const float *beta, float *c, const int *ldc, size_t uplo_length,
            size_t trans_length);
void dsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *beta, double *c, const int *ldc,
            size_t uplo_length, size_t trans_length);
void csyrk_(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha, const void *a,
            const int *lda, const void *beta, void *c, const int *ldc, size_t uplo_length,
            size_t trans_length);
void zsyrk_(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha, const void *a,
            const int *lda, const void *beta, void *c, const int *ldc, size_t uplo_length,
            size_t trans_length);
void cherk_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha,
            const void *a, const int *lda, const float *beta, void *c, const int *ldc, size_t uplo_length,
            size_t trans_length);
void zherk_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
            const void *a, const int *lda, const double *beta, void *c, const int *ldc, size_t uplo_length,
            size_t trans_length);
void ssymm_(const char *side, const char *uplo, const int *m, const int *n, const float *alpha,
            const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c,
            const int *ldc, size_t side_length, size_t uplo_length);
void dsymm_(const char *side, const char *uplo, const int *m, const int *n, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t side_length, size_t uplo_length);
void csymm_(const char *side, const char *uplo, const int *m, const int *n, const void *alpha, const void *a,
            const int *lda, const void *b, const int *ldb, const void *beta, void *c, const int *ldc,
            size_t side_length, size_t uplo_length);
void zsymm_(const char *side, const char *uplo, const int *m, const int *n, const void *alpha, const void *a,
            const int *lda, const void *b, const int *ldb, const void *beta, void *c, const int *ldc,
            size_t side_length, size_t uplo_length);
void chemm_(const char *side, const char *uplo, const int *m, const int *n, const void *alpha, const void *a,
            const int *lda, const void *b, const int *ldb, const void *beta, void *c, const int *ldc,
            size_t side_length, size_t uplo_length);
void zhemm_(const char *side, const char *uplo, const int *m, const int *n, const void *alpha, const void *a,
            const int *lda, const void *b, const int *ldb, const void *beta, void *c, const int *ldc,
            size_t side_length, size_t uplo_length);
void ssyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const float *alpha,
             const float *a, const int *lda, const float *b, const int *ldb, const float *beta, float *c,
             const int *ldc, size_t uplo_length, size_t trans_length);
void dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha,
             const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
             const int *ldc, size_t uplo_length, size_t trans_length);
void csyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha,
             const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c,
             const int *ldc, size_t uplo_length, size_t trans_length);
void zsyr2k_(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha,
             const void *a, const int *lda, const void *b, const int *ldb, const void *beta, void *c,
             const int *ldc, size_t uplo_length, size_t trans_length);
void cher2k_(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha,
             const void *a, const int *lda, const void *b, const int *ldb, const float *beta, void *c,
             const int *ldc, size_t uplo_length, size_t trans_length);
void zher2k_(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha,
             const void *a, const int *lda, const void *b, const int *ldb, const double *beta, void *c,
             const int *ldc, size_t uplo_length, size_t trans_length);
void strmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const float *alpha, const float *a, const int *lda, float *b, const int *ldb,
            size_t side_length, size_t uplo_length, size_t transa_length, size_t diag_length);
void dtrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb,
            size_t side_length, size_t uplo_length, size_t transa_length, size_t diag_length);
void ctrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const void *alpha, const void *a, const int *lda, void *b, const int *ldb,
            size_t side_length, size_t uplo_length, size_t transa_length, size_t diag_length);
void ztrmm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const void *alpha, const void *a, const int *lda, void *b, const int *ldb,
            size_t side_length, size_t uplo_length, size_t transa_length, size_t diag_length);
void strsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const float *alpha, const float *a, const int *lda, float *b, const int *ldb,
            size_t side_length, size_t uplo_length, size_t transa_length, size_t diag_length);
void dtrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const double *alpha, const double *a, const int *lda, double *b, const int *ldb,
            size_t side_length, size_t uplo_length, size_t transa_length, size_t diag_length);
void ctrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const void *alpha, const void *a, const int *lda, void *b, const int *ldb,
            size_t side_length, size_t uplo_length, size_t transa_length, size_t diag_length);
void ztrsm_(const char *side, const char *uplo, const char *transa, const char *diag, const int *m,
            const int *n, const void *alpha, const void *a, const int *lda, void *b, const int *ldb,
            size_t side_length, size_t uplo_length, size_t transa_length, size_t diag_length);
void sgemm_batch_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                  const float *alpha, const float **a, const int *lda, const float **b, const int *ldb,
                  const float *beta, float **c, const int *ldc, const int *group_count, const int *group_size,
                  size_t transa_length, size_t transb_length);
void dgemm_batch_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                  const double *alpha, const double **a, const int *lda, const double **b, const int *ldb,
                  const double *beta, double **c, const int *ldc, const int *group_count,
                  const int *group_size, size_t transa_length, size_t transb_length);
void cgemm_batch_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                  const void *alpha, const void **a, const int *lda, const void **b, const int *ldb,
                  const void *beta, void **c, const int *ldc, const int *group_count, const int *group_size,
                  size_t transa_length, size_t transb_length);
void zgemm_batch_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                  const void *alpha, const void **a, const int *lda, const void **b, const int *ldb,
                  const void *beta, void **c, const int *ldc, const int *group_count, const int *group_size,
                  size_t transa_length, size_t transb_length);
void sgemm_batch_strided_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                          const float *alpha, const float *a, const int *lda, const int *stridea,
                          const float *b, const int *ldb, const int *strideb, const float *beta, float *c,
                          const int *ldc, const int *stridec, const int *batch_size, size_t transa_length,
                          size_t transb_length);
void dgemm_batch_strided_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                          const double *alpha, const double *a, const int *lda, const int *stridea,
                          const double *b, const int *ldb, const int *strideb, const double *beta, double *c,
                          const int *ldc, const int *stridec, const int *batch_size, size_t transa_length,
                          size_t transb_length);
void cgemm_batch_strided_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                          const void *alpha, const void *a, const int *lda, const int *stridea, const void *b,
                          const int *ldb, const int *strideb, const void *beta, void *c, const int *ldc,
                          const int *stridec, const int *batch_size, size_t transa_length,
                          size_t transb_length);
void zgemm_batch_strided_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                          const void *alpha, const void *a, const int *lda, const int *stridea, const void *b,
                          const int *ldb, const int *strideb, const void *beta, void *c, const int *ldc,
                          const int *stridec, const int *batch_size, size_t transa_length,
                          size_t transb_length);

#endif

#include "lavablas_batch.h"   /* batches of updates and of solves */
#include "lavablas_cblas64.h" /* the same with 64-bit integers */
#include "lavablas_level2.h"  /* a matrix by a vector */

#undef LAVABLAS_ONLY_CBLAS

#ifdef __cplusplus
}
#endif

#endif
