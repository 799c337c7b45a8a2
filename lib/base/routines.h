/* The routines that the library exports and their names, in two tables for the preprocessor. From these
 * tables lib/abi makes the entry points, lib/host the search for the CPU's own routines, lib/base/stats the
 * counters, and tests what they compare with. An enum lava_routine is one exported name.
 *
 * The routines of a family share an argument list; lib/abi has a file for each list. The data are constant,
 * so any thread may read them. */
#ifndef LAVA_BASE_ROUTINES_H
#define LAVA_BASE_ROUTINES_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/operation.h"

// clang-format off

/* A name is prefix, routine, suffix. If several would do, the CPU BLAS is called by the first name that it has.
 *
 *     prefix        suffix  convention  integers               called by                          */
/* Without the plain name, which is too short to belong to a BLAS for sure, if programs call the routine for small work. */
#define LAVA_FORMS_VECTOR(X, ...)                                                                         \
    X(             , _     , FORTRAN,    int,     __VA_ARGS__) /* Fortran: LAPACK, Octave, R             */ \
    X(cblas_       ,       , CBLAS,      int,     __VA_ARGS__) /* C: Debian's NumPy, GSL                 */ \
    X(scipy_       , _     , FORTRAN,    int,     __VA_ARGS__) /* SciPy's wheels                         */ \
    X(scipy_cblas_ ,       , CBLAS,      int,     __VA_ARGS__)                                              \
    X(             , _64_  , FORTRAN,    int64_t, __VA_ARGS__) /* Julia, OpenBLAS with a suffix          */ \
    X(cblas_       , 64_   , CBLAS,      int64_t, __VA_ARGS__)                                              \
    X(scipy_       , _64_  , FORTRAN,    int64_t, __VA_ARGS__) /* NumPy's wheels                         */ \
    X(scipy_cblas_ , 64_   , CBLAS,      int64_t, __VA_ARGS__)                                              \
    X(             , _64   , FORTRAN,    int64_t, __VA_ARGS__) /* netlib, oneMKL                         */ \
    X(cblas_       , _64   , CBLAS,      int64_t, __VA_ARGS__)
#define LAVA_FORMS_ALL(X, ...)                                                                            \
    LAVA_FORMS_VECTOR(X, __VA_ARGS__)                                                                       \
    X(             ,       , FORTRAN,    int,     __VA_ARGS__) /* oneMKL                                 */

/* Half precision has the names that OpenBLAS and oneMKL gave it, and one of this library's own, whose enumerators are
 * ints. */
#define LAVA_FORMS_OPENBLAS(X, ...)                                                                       \
    X(cblas_       ,       , CBLAS,      int,     __VA_ARGS__)                                              \
    X(             , _     , FORTRAN,    int,     __VA_ARGS__)
#define LAVA_FORMS_ONEMKL(X, ...)                                                                         \
    LAVA_FORMS_OPENBLAS(X, __VA_ARGS__)                                                                     \
    X(             ,       , FORTRAN,    int,     __VA_ARGS__)
#define LAVA_FORMS_CBLAS(X, ...)                                                                          \
    X(cblas_       ,       , CBLAS,      int,     __VA_ARGS__)
#define LAVA_FORMS_OWN(X, ...)                                                                            \
    X(lavablas_    ,       , OWN,        int,     __VA_ARGS__)

/* LAPACK's Fortran names. */
#define LAVA_FORMS_LAPACK(X, ...)                                                                         \
    X(             , _     , FORTRAN,    int,     __VA_ARGS__)                                              \
    X(scipy_       , _     , FORTRAN,    int,     __VA_ARGS__)                                              \
    X(             , _64_  , FORTRAN,    int64_t, __VA_ARGS__)                                              \
    X(scipy_       , _64_  , FORTRAN,    int64_t, __VA_ARGS__)                                              \
    X(             , _64   , FORTRAN,    int64_t, __VA_ARGS__)                                              \
    X(             ,       , FORTRAN,    int,     __VA_ARGS__)

/* X(prefix, suffix, convention, integer, family, routine, type of A and B, of C, of the scalars). The forms are one of
 * the lists above. */
#define LAVA_IN_REAL_TYPES(FORMS, X, family, routine)                             \
    FORMS(X, family, s##routine, FP32, FP32, FP32)                                \
    FORMS(X, family, d##routine, FP64, FP64, FP64)
#define LAVA_IN_COMPLEX_TYPES(FORMS, X, family, routine)                          \
    FORMS(X, family, c##routine, CFP32, CFP32, CFP32)                             \
    FORMS(X, family, z##routine, CFP64, CFP64, CFP64)
#define LAVA_IN_ALL_TYPES(FORMS, X, family, routine)                              \
    LAVA_IN_REAL_TYPES(FORMS, X, family, routine)                                 \
    LAVA_IN_COMPLEX_TYPES(FORMS, X, family, routine)

#define LAVA_GEMM_ROUTINES(X)                                                     \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, GEMM, gemm)                              \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_ALL, X, GEMM, gemm3m)                        \
    /*                     family routine           A and B  C     scalars */     \
    LAVA_FORMS_OPENBLAS(X, GEMM,  shgemm,           FP16,    FP32, FP32)          \
    LAVA_FORMS_CBLAS(   X, GEMM,  gemm_f16f16f32,   FP16,    FP32, FP32)          \
    LAVA_FORMS_ONEMKL(  X, GEMM,  hgemm,            FP16,    FP16, FP16)          \
    LAVA_FORMS_OWN(     X, GEMM,  hgemm,            FP16,    FP16, FP32)          \
    LAVA_FORMS_OPENBLAS(X, GEMM,  sbgemm,           BF16,    FP32, FP32)          \
    LAVA_FORMS_CBLAS(   X, GEMM,  gemm_bf16bf16f32, BF16,    FP32, FP32)          \
    LAVA_FORMS_OPENBLAS(X, GEMM,  bgemm,            BF16,    BF16, BF16)

/* These write one triangle of C. A routine has two names, oneMKL's and the reference's. */
#define LAVA_GEMMT_ROUTINES(X)                                                    \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, GEMMT, gemmt)                            \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, GEMMT, gemmtr)

/* A matrix by its own transpose, or conjugate transpose, one triangle of C. */
#define LAVA_SYRK_ROUTINES(X)                                                     \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, SYRK, syrk)                              \
    LAVA_FORMS_ALL(X, SYRK, cherk, CFP32, CFP32, FP32)                            \
    LAVA_FORMS_ALL(X, SYRK, zherk, CFP64, CFP64, FP64)

/* A symmetric or Hermitian matrix, of which one triangle is stored, by a general one. */
#define LAVA_SYMM_ROUTINES(X)                                                     \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, SYMM, symm)                              \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_ALL, X, HEMM, hemm)

/* Two matrices, each by the other's transpose, one triangle of C. alpha has the type of A and B: the scalar is
 * beta, which is real for ?her2k. */
#define LAVA_SYR2K_ROUTINES(X)                                                    \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, SYR2K, syr2k)                            \
    LAVA_FORMS_ALL(X, SYR2K, cher2k, CFP32, CFP32, FP32)                          \
    LAVA_FORMS_ALL(X, SYR2K, zher2k, CFP64, CFP64, FP64)

/* A triangular matrix by a general one, and its inverse by a general one. The general one is overwritten. */
#define LAVA_TRIANGULAR_ROUTINES(X)                                               \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, TRMM, trmm)                              \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, TRSM, trsm)

/* A matrix by a vector: a general one, and a symmetric or Hermitian one, of which one triangle is stored. */
#define LAVA_GEMV_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_VECTOR, X, GEMV, gemv)
#define LAVA_SYMV_ROUTINES(X)                                                     \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_VECTOR, X, SYMV, symv)                          \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_VECTOR, X, HEMV, hemv)

/* A triangular matrix by a vector, and its inverse by one, which is overwritten. There are no scalars. */
#define LAVA_TRMV_ROUTINES(X)                                                     \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_VECTOR, X, TRMV, trmv)                           \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_VECTOR, X, TRSV, trsv)

/* Groups of products by pointers, and one group at equal distances. */
#define LAVA_BATCH_ROUTINES(X)                                                    \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, BATCH, gemm_batch)                       \
    LAVA_FORMS_CBLAS(X, BATCH, sbgemm_batch, BF16, FP32, FP32)
#define LAVA_STRIDED_ROUTINES(X)                                                  \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, STRIDED, gemm_batch_strided)             \
    LAVA_FORMS_CBLAS(X, STRIDED, sbgemm_batch_strided, BF16, FP32, FP32)

/* The same of ?syrk and of ?trsm. */
#define LAVA_SYRK_BATCH_ROUTINES(X)                                               \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, SYRK_BATCH, syrk_batch)                  \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, SYRK_STRIDED, syrk_batch_strided)
#define LAVA_TRSM_BATCH_ROUTINES(X)                                               \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, TRSM_BATCH, trsm_batch)                  \
    LAVA_IN_ALL_TYPES(LAVA_FORMS_ALL, X, TRSM_STRIDED, trsm_batch_strided)

/* LAPACK: there are no scalars.
 * The Cholesky factor of a symmetric or Hermitian matrix; L and U of a general one, with partial pivoting. */
#define LAVA_POTRF_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, POTRF, potrf)
#define LAVA_GETRF_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, GETRF, getrf)

/* The X with A X = B by these factors, by those of LU also with a transposed A; and the same after A has been factored. B
 * becomes X. */
#define LAVA_POTRS_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, POTRS, potrs)
#define LAVA_POSV_ROUTINES(X)  LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, POSV, posv)
#define LAVA_GETRS_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, GETRS, getrs)
#define LAVA_GESV_ROUTINES(X)  LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, GESV, gesv)

/* R and the reflections of Q with A = Q R; the first columns of that Q; products with it. A or C is overwritten. */
#define LAVA_GEQRF_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, GEQRF, geqrf)
#define LAVA_ORGQR_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, ORGQR, orgqr)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, ORGQR, ungqr)
#define LAVA_ORMQR_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, ORMQR, ormqr)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, ORMQR, unmqr)

/* Least squares by QR, or by LQ. A and B are overwritten. */
#define LAVA_GELS_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, GELS, gels)

/* The inverse of a triangular matrix by a general one, which is overwritten. */
#define LAVA_TRTRS_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, TRTRS, trtrs)

/* The inverse of a triangular matrix; the product of a triangle with itself; inverses by the factors of Cholesky
 * and of LU. */
#define LAVA_TRTRI_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, TRTRI, trtri)
#define LAVA_LAUUM_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, LAUUM, lauum)
#define LAVA_POTRI_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, POTRI, potri)
#define LAVA_GETRI_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, GETRI, getri)

/* A symmetric or Hermitian matrix becomes tridiagonal, by reflections that are left in it. */
#define LAVA_SYTRD_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, SYTRD, sytrd)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, SYTRD, hetrd)

/* A general matrix becomes bidiagonal, by reflections from both sides. */
#define LAVA_GEBRD_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_LAPACK, X, GEBRD, gebrd)

/* The matrices Q and P of that, and products with them. */
#define LAVA_ORGBR_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, ORGBR, orgbr)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, ORGBR, ungbr)
#define LAVA_ORMBR_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, ORMBR, ormbr)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, ORMBR, unmbr)

/* Eigenvalues of a symmetric or Hermitian matrix, and its eigenvectors, which take its place; some of both, which go elsewhere. */
#define LAVA_SYEV_ROUTINES(X)                                                     \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, SYEV, syev)                          \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, HEEV, heev)
#define LAVA_SYEVD_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, SYEVD, syevd)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, HEEVD, heevd)
#define LAVA_SYEVR_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, SYEVR, syevr)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, HEEVR, heevr)
#define LAVA_SYEVX_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, SYEVX, syevx)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, HEEVX, heevx)

/* The same of two matrices, of which the second becomes its Cholesky factor. */
#define LAVA_SYGV_ROUTINES(X)                                                     \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, SYGV, sygv)                          \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, HEGV, hegv)
#define LAVA_SYGVD_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, SYGVD, sygvd)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, HEGVD, hegvd)
#define LAVA_SYGVX_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, SYGVX, sygvx)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, HEGVX, hegvx)

/* The same of a tridiagonal one, whose eigenvectors another matrix may be multiplied by. Complex types have a
 * workspace more. */
#define LAVA_STEDC_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, STEDC, stedc)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, STEDC_COMPLEX, stedc)

/* As ?geqrf, after columns have changed places. Complex types have a workspace more. */
#define LAVA_GEQP3_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, GEQP3, geqp3)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, CGEQP3, geqp3)

/* Singular values and vectors; least squares by them. */
#define LAVA_GESDD_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, GESDD, gesdd)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, GESDD_COMPLEX, gesdd)
#define LAVA_GESVD_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, GESVD, gesvd)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, GESVD_COMPLEX, gesvd)
#define LAVA_GELSD_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, GELSD, gelsd)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, GELSD_COMPLEX, gelsd)
#define LAVA_GELSS_ROUTINES(X)                                                    \
    LAVA_IN_REAL_TYPES(LAVA_FORMS_LAPACK, X, GELSS, gelss)                        \
    LAVA_IN_COMPLEX_TYPES(LAVA_FORMS_LAPACK, X, GELSS_COMPLEX, gelss)

/* A vector to another one. They have no operation and are not counted, so they are not among LAVA_ROUTINES. */
#define LAVA_COPY_ROUTINES(X) LAVA_IN_ALL_TYPES(LAVA_FORMS_VECTOR, X, COPY, copy)

/* All of them, and all but ?gemm. */
#define LAVA_ROUTINES(X) LAVA_GEMM_ROUTINES(X) LAVA_OTHER_ROUTINES(X)
#define LAVA_OTHER_ROUTINES(X)                                                 \
    LAVA_GEMMT_ROUTINES(X)                                                     \
    LAVA_SYRK_ROUTINES(X)                                                      \
    LAVA_SYMM_ROUTINES(X)                                                      \
    LAVA_SYR2K_ROUTINES(X)                                                     \
    LAVA_TRIANGULAR_ROUTINES(X)                                                \
    LAVA_GEMV_ROUTINES(X)                                                      \
    LAVA_SYMV_ROUTINES(X)                                                      \
    LAVA_TRMV_ROUTINES(X)                                                      \
    LAVA_BATCH_ROUTINES(X)                                                     \
    LAVA_STRIDED_ROUTINES(X)                                                   \
    LAVA_SYRK_BATCH_ROUTINES(X)                                                \
    LAVA_TRSM_BATCH_ROUTINES(X)                                                \
    LAVA_POTRF_ROUTINES(X)                                                     \
    LAVA_GETRF_ROUTINES(X)                                                     \
    LAVA_POTRS_ROUTINES(X)                                                     \
    LAVA_POSV_ROUTINES(X)                                                      \
    LAVA_GETRS_ROUTINES(X)                                                     \
    LAVA_GESV_ROUTINES(X)                                                      \
    LAVA_GEQRF_ROUTINES(X)                                                     \
    LAVA_ORGQR_ROUTINES(X)                                                     \
    LAVA_ORMQR_ROUTINES(X)                                                     \
    LAVA_GELS_ROUTINES(X)                                                      \
    LAVA_TRTRS_ROUTINES(X)                                                     \
    LAVA_TRTRI_ROUTINES(X)                                                     \
    LAVA_LAUUM_ROUTINES(X)                                                     \
    LAVA_POTRI_ROUTINES(X)                                                     \
    LAVA_GETRI_ROUTINES(X)                                                     \
    LAVA_SYTRD_ROUTINES(X)                                                     \
    LAVA_GEBRD_ROUTINES(X)                                                     \
    LAVA_ORGBR_ROUTINES(X)                                                     \
    LAVA_ORMBR_ROUTINES(X)                                                     \
    LAVA_SYEV_ROUTINES(X)                                                      \
    LAVA_SYEVD_ROUTINES(X)                                                     \
    LAVA_SYEVR_ROUTINES(X)                                                     \
    LAVA_SYEVX_ROUTINES(X)                                                     \
    LAVA_SYGV_ROUTINES(X)                                                      \
    LAVA_SYGVD_ROUTINES(X)                                                     \
    LAVA_SYGVX_ROUTINES(X)                                                     \
    LAVA_STEDC_ROUTINES(X)                                                     \
    LAVA_GEQP3_ROUTINES(X)                                                     \
    LAVA_GESDD_ROUTINES(X)                                                     \
    LAVA_GESVD_ROUTINES(X)                                                     \
    LAVA_GELSD_ROUTINES(X)                                                     \
    LAVA_GELSS_ROUTINES(X)

/* These say what a type is in C's argument lists: ELEMENT behind a pointer, BYTES of one, VALUE as a scalar, which is never by
 * value for complex types, and ADDRESS where such a scalar lies. 16-bit numbers are integers that hold the bits, as in
 * oneMKL and OpenBLAS: _Float16 would travel in another kind of register. */
#define LAVA_ELEMENT_FP32  float
#define LAVA_ELEMENT_FP64  double
#define LAVA_ELEMENT_CFP32 void
#define LAVA_ELEMENT_CFP64 void
#define LAVA_ELEMENT_FP16  uint16_t
#define LAVA_ELEMENT_BF16  uint16_t
#define LAVA_BYTES_FP32    4
#define LAVA_BYTES_FP64    8
#define LAVA_BYTES_CFP32   8
#define LAVA_BYTES_CFP64   16
#define LAVA_VALUE_FP32    float
#define LAVA_VALUE_FP64    double
#define LAVA_VALUE_CFP32   const void *
#define LAVA_VALUE_CFP64   const void *
#define LAVA_VALUE_FP16    uint16_t
#define LAVA_VALUE_BF16    uint16_t
#define LAVA_ADDRESS_FP32(scalar)  (&(scalar))
#define LAVA_ADDRESS_FP64(scalar)  (&(scalar))
#define LAVA_ADDRESS_CFP32(scalar) (scalar)
#define LAVA_ADDRESS_CFP64(scalar) (scalar)
#define LAVA_ADDRESS_FP16(scalar)  (&(scalar))
#define LAVA_ADDRESS_BF16(scalar)  (&(scalar))

/* LAVA_ROUTINE_cblas_sgemm, LAVA_ROUTINE_sgemm_ ... */
enum lava_routine {
#define LAVA_ROUTINE_ENUMERATOR(prefix, suffix, convention, integer, family, routine, ...) \
    LAVA_ROUTINE_##prefix##routine##suffix,
    LAVA_ROUTINES(LAVA_ROUTINE_ENUMERATOR)
    LAVA_ROUTINE_COUNT, /* of those with an operation */
    LAVA_ROUTINE_BEFORE_COPIES = LAVA_ROUTINE_COUNT - 1,
    LAVA_COPY_ROUTINES(LAVA_ROUTINE_ENUMERATOR)
#undef LAVA_ROUTINE_ENUMERATOR
    LAVA_ROUTINE_ALL
};

// clang-format on

enum lava_convention {
    LAVA_CONVENTION_FORTRAN,
    LAVA_CONVENTION_CBLAS,
    LAVA_CONVENTION_OWN /* like CBLAS; no other library has the routine */
};

/* Routines that compute the same with the same argument list. HEMM has SYMM's list, HEMV has SYMV's,
 * TRSM has TRMM's, TRSV has TRMV's, POSV has POTRS's, and LAUUM and POTRI have POTRF's. LAPACK's come last.
 */
enum lava_family {
    LAVA_FAMILY_GEMM,
    LAVA_FAMILY_GEMMT,
    LAVA_FAMILY_SYRK,
    LAVA_FAMILY_SYMM,
    LAVA_FAMILY_HEMM,
    LAVA_FAMILY_SYR2K,
    LAVA_FAMILY_TRMM,
    LAVA_FAMILY_TRSM,
    LAVA_FAMILY_GEMV,
    LAVA_FAMILY_SYMV,
    LAVA_FAMILY_HEMV,
    LAVA_FAMILY_TRMV,
    LAVA_FAMILY_TRSV,
    LAVA_FAMILY_BATCH,
    LAVA_FAMILY_STRIDED,
    LAVA_FAMILY_SYRK_BATCH,
    LAVA_FAMILY_SYRK_STRIDED,
    LAVA_FAMILY_TRSM_BATCH,
    LAVA_FAMILY_TRSM_STRIDED,
    LAVA_FAMILY_COPY,
    LAVA_FAMILY_POTRF,
    LAVA_FAMILY_GETRF,
    LAVA_FAMILY_POTRS,
    LAVA_FAMILY_POSV,
    LAVA_FAMILY_GETRS,
    LAVA_FAMILY_GESV,
    LAVA_FAMILY_GEQRF,
    LAVA_FAMILY_ORGQR,
    LAVA_FAMILY_ORMQR,
    LAVA_FAMILY_GELS,
    LAVA_FAMILY_TRTRS,
    LAVA_FAMILY_TRTRI,
    LAVA_FAMILY_LAUUM,
    LAVA_FAMILY_POTRI,
    LAVA_FAMILY_GETRI,
    LAVA_FAMILY_SYTRD,
    LAVA_FAMILY_GEBRD,
    LAVA_FAMILY_ORGBR,
    LAVA_FAMILY_ORMBR,
    LAVA_FAMILY_SYEV,
    LAVA_FAMILY_HEEV,
    LAVA_FAMILY_SYEVD,
    LAVA_FAMILY_HEEVD,
    LAVA_FAMILY_SYEVR,
    LAVA_FAMILY_HEEVR,
    LAVA_FAMILY_SYEVX,
    LAVA_FAMILY_HEEVX,
    LAVA_FAMILY_SYGV,
    LAVA_FAMILY_HEGV,
    LAVA_FAMILY_SYGVD,
    LAVA_FAMILY_HEGVD,
    LAVA_FAMILY_SYGVX,
    LAVA_FAMILY_HEGVX,
    LAVA_FAMILY_STEDC,
    LAVA_FAMILY_STEDC_COMPLEX,
    LAVA_FAMILY_GEQP3,
    LAVA_FAMILY_CGEQP3,
    LAVA_FAMILY_GESDD,
    LAVA_FAMILY_GESDD_COMPLEX,
    LAVA_FAMILY_GESVD,
    LAVA_FAMILY_GESVD_COMPLEX,
    LAVA_FAMILY_GELSD,
    LAVA_FAMILY_GELSD_COMPLEX,
    LAVA_FAMILY_GELSS,
    LAVA_FAMILY_GELSS_COMPLEX
};

struct lava_routine_row {
    enum lava_family family;
    const char *name;    /* as exported: "scipy_cblas_dgemm64_" */
    const char *prefix;  /* "scipy_cblas_" */
    const char *routine; /* "dgemm" */
    const char *suffix;  /* "64_" */
    enum lava_convention convention;
    bool is_ilp64;                       /* integers are int64_t */
    enum lava_type type, type_c, scalar; /* of A and B, of C, of alpha and beta (?her2k: of beta) */
};

const struct lava_routine_row *lava_routine_row(enum lava_routine routine);
const char *lava_routine_name(enum lava_routine routine);
/* Returns whether the list, names with commas between them, has the routine: as it is exported
 * ("cblas_dgemm"), or for all names that it has ("dgemm"). */
bool lava_routine_is_listed(enum lava_routine routine, const char *list);
/* Returns whether each name of the list is a routine's. */
bool lava_routine_knows_list(const char *list);
enum lava_type lava_routine_type(enum lava_routine routine);   /* of A and B */
enum lava_type lava_routine_type_c(enum lava_routine routine); /* of C */
/* Returns whether it is a routine of LAPACK, not of BLAS. */
bool lava_routine_is_lapack(enum lava_routine routine);
/* Returns whether the name is Fortran's or CBLAS's without another prefix or suffix, and integers are int:
 * "sgemm_", "cblas_sgemm". */
bool lava_routine_is_plain(enum lava_routine routine);

#endif
