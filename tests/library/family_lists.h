/* The arguments of each routine of called_families.h as C declares them, and the notes of them, for
 * tests/library/called_families.c and stub_families.c. */
#ifndef LAVA_TESTS_FAMILY_LISTS_H
#define LAVA_TESTS_FAMILY_LISTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/routines.h"

// clang-format off

#define FAMILIES_PUT(at, argument) memcpy(&note->arguments[at], &(argument), sizeof(argument));

#define FAMILIES_GEMMT_CBLAS_LIST(integer, type, scalar)                                                      \
    (int layout, int uplo, int transa, int transb, integer n, integer k, LAVA_VALUE_##scalar alpha,     \
     const void *a, integer lda, const void *b, integer ldb, LAVA_VALUE_##scalar beta, void *c, integer ldc)
#define FAMILIES_GEMMT_CBLAS_PUT                                                                        \
    FAMILIES_PUT(0, layout) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, transa) FAMILIES_PUT(3, transb)       \
    FAMILIES_PUT(4, n) FAMILIES_PUT(5, k) FAMILIES_PUT(6, alpha) FAMILIES_PUT(7, a)                     \
    FAMILIES_PUT(8, lda) FAMILIES_PUT(9, b) FAMILIES_PUT(10, ldb) FAMILIES_PUT(11, beta)                \
    FAMILIES_PUT(12, c) FAMILIES_PUT(13, ldc)
#define FAMILIES_GEMMT_FORTRAN_LIST(integer, type, scalar)                                                    \
    (const char *uplo, const char *transa, const char *transb, const integer *n, const integer *k,      \
     const void *alpha, const void *a, const integer *lda, const void *b, const integer *ldb,           \
     const void *beta, void *c, const integer *ldc, size_t length_1, size_t length_2, size_t length_3)
#define FAMILIES_GEMMT_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, transa) FAMILIES_PUT(2, transb) FAMILIES_PUT(3, n)            \
    FAMILIES_PUT(4, k) FAMILIES_PUT(5, alpha) FAMILIES_PUT(6, a) FAMILIES_PUT(7, lda)                   \
    FAMILIES_PUT(8, b) FAMILIES_PUT(9, ldb) FAMILIES_PUT(10, beta) FAMILIES_PUT(11, c)                  \
    FAMILIES_PUT(12, ldc) FAMILIES_PUT(13, length_1) FAMILIES_PUT(14, length_2)                         \
    FAMILIES_PUT(15, length_3)

#define FAMILIES_SYRK_CBLAS_LIST(integer, type, scalar)                                                       \
    (int layout, int uplo, int trans, integer n, integer k, LAVA_VALUE_##scalar alpha, const void *a,   \
     integer lda, LAVA_VALUE_##scalar beta, void *c, integer ldc)
#define FAMILIES_SYRK_CBLAS_PUT                                                                         \
    FAMILIES_PUT(0, layout) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, trans) FAMILIES_PUT(3, n)             \
    FAMILIES_PUT(4, k) FAMILIES_PUT(5, alpha) FAMILIES_PUT(6, a) FAMILIES_PUT(7, lda)                   \
    FAMILIES_PUT(8, beta) FAMILIES_PUT(9, c) FAMILIES_PUT(10, ldc)
#define FAMILIES_SYRK_FORTRAN_LIST(integer, type, scalar)                                                     \
    (const char *uplo, const char *trans, const integer *n, const integer *k, const void *alpha,        \
     const void *a, const integer *lda, const void *beta, void *c, const integer *ldc, size_t length_1, \
     size_t length_2)
#define FAMILIES_SYRK_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, trans) FAMILIES_PUT(2, n) FAMILIES_PUT(3, k)                  \
    FAMILIES_PUT(4, alpha) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, beta)                \
    FAMILIES_PUT(8, c) FAMILIES_PUT(9, ldc) FAMILIES_PUT(10, length_1) FAMILIES_PUT(11, length_2)

#define FAMILIES_SYMM_CBLAS_LIST(integer, type, scalar)                                                 \
    (int layout, int side, int uplo, integer m, integer n, LAVA_VALUE_##scalar alpha, const void *a,    \
     integer lda, const void *b, integer ldb, LAVA_VALUE_##scalar beta, void *c, integer ldc)
#define FAMILIES_SYMM_PUT                                                                               \
    FAMILIES_PUT(0, side) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, m) FAMILIES_PUT(3, n)                   \
    FAMILIES_PUT(4, alpha) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, b)                   \
    FAMILIES_PUT(8, ldb) FAMILIES_PUT(9, beta) FAMILIES_PUT(10, c) FAMILIES_PUT(11, ldc)
#define FAMILIES_SYMM_CBLAS_PUT FAMILIES_SYMM_PUT FAMILIES_PUT(12, layout)
#define FAMILIES_SYMM_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *side, const char *uplo, const integer *m, const integer *n, const void *alpha,         \
     const void *a, const integer *lda, const void *b, const integer *ldb, const void *beta, void *c,   \
     const integer *ldc, size_t length_1, size_t length_2)
#define FAMILIES_SYMM_FORTRAN_PUT                                                                       \
    FAMILIES_SYMM_PUT FAMILIES_PUT(12, length_1) FAMILIES_PUT(13, length_2)
#define FAMILIES_HEMM_CBLAS_LIST   FAMILIES_SYMM_CBLAS_LIST
#define FAMILIES_HEMM_CBLAS_PUT    FAMILIES_SYMM_CBLAS_PUT
#define FAMILIES_HEMM_FORTRAN_LIST FAMILIES_SYMM_FORTRAN_LIST
#define FAMILIES_HEMM_FORTRAN_PUT  FAMILIES_SYMM_FORTRAN_PUT

#define FAMILIES_SYR2K_CBLAS_LIST(integer, type, scalar)                                                \
    (int layout, int uplo, int trans, integer n, integer k, LAVA_VALUE_##type alpha, const void *a,     \
     integer lda, const void *b, integer ldb, LAVA_VALUE_##scalar beta, void *c, integer ldc)
#define FAMILIES_SYR2K_PUT                                                                              \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, trans) FAMILIES_PUT(2, n) FAMILIES_PUT(3, k)                  \
    FAMILIES_PUT(4, alpha) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, b)                   \
    FAMILIES_PUT(8, ldb) FAMILIES_PUT(9, beta) FAMILIES_PUT(10, c) FAMILIES_PUT(11, ldc)
#define FAMILIES_SYR2K_CBLAS_PUT FAMILIES_SYR2K_PUT FAMILIES_PUT(12, layout)
#define FAMILIES_SYR2K_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const char *trans, const integer *n, const integer *k, const void *alpha,        \
     const void *a, const integer *lda, const void *b, const integer *ldb, const void *beta, void *c,   \
     const integer *ldc, size_t length_1, size_t length_2)
#define FAMILIES_SYR2K_FORTRAN_PUT                                                                      \
    FAMILIES_SYR2K_PUT FAMILIES_PUT(12, length_1) FAMILIES_PUT(13, length_2)

#define FAMILIES_TRMM_CBLAS_LIST(integer, type, scalar)                                                 \
    (int layout, int side, int uplo, int trans, int diag, integer m, integer n,                         \
     LAVA_VALUE_##scalar alpha, const void *a, integer lda, void *b, integer ldb)
#define FAMILIES_TRMM_PUT                                                                               \
    FAMILIES_PUT(0, side) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, trans) FAMILIES_PUT(3, diag)            \
    FAMILIES_PUT(4, m) FAMILIES_PUT(5, n) FAMILIES_PUT(6, alpha) FAMILIES_PUT(7, a)                     \
    FAMILIES_PUT(8, lda) FAMILIES_PUT(9, b) FAMILIES_PUT(10, ldb)
#define FAMILIES_TRMM_CBLAS_PUT FAMILIES_TRMM_PUT FAMILIES_PUT(11, layout)
#define FAMILIES_TRMM_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *side, const char *uplo, const char *trans, const char *diag, const integer *m,         \
     const integer *n, const void *alpha, const void *a, const integer *lda, void *b,                   \
     const integer *ldb, size_t length_1, size_t length_2, size_t length_3, size_t length_4)
#define FAMILIES_TRMM_FORTRAN_PUT                                                                       \
    FAMILIES_TRMM_PUT FAMILIES_PUT(11, length_1) FAMILIES_PUT(12, length_2)                             \
    FAMILIES_PUT(13, length_3) FAMILIES_PUT(14, length_4)
#define FAMILIES_TRSM_CBLAS_LIST   FAMILIES_TRMM_CBLAS_LIST
#define FAMILIES_TRSM_CBLAS_PUT    FAMILIES_TRMM_CBLAS_PUT
#define FAMILIES_TRSM_FORTRAN_LIST FAMILIES_TRMM_FORTRAN_LIST
#define FAMILIES_TRSM_FORTRAN_PUT  FAMILIES_TRMM_FORTRAN_PUT

#define FAMILIES_GEMV_CBLAS_LIST(integer, type, scalar)                                                 \
    (int layout, int trans, integer m, integer n, LAVA_VALUE_##scalar alpha, const void *a,             \
     integer lda, const void *x, integer incx, LAVA_VALUE_##scalar beta, void *y, integer incy)
#define FAMILIES_VECTOR_PUT                                                                             \
    FAMILIES_PUT(0, n) FAMILIES_PUT(1, alpha) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda)                   \
    FAMILIES_PUT(4, x) FAMILIES_PUT(5, incx) FAMILIES_PUT(6, beta) FAMILIES_PUT(7, y)                   \
    FAMILIES_PUT(8, incy)
#define FAMILIES_GEMV_PUT       FAMILIES_VECTOR_PUT FAMILIES_PUT(9, trans) FAMILIES_PUT(10, m)
#define FAMILIES_GEMV_CBLAS_PUT FAMILIES_GEMV_PUT FAMILIES_PUT(11, layout)
#define FAMILIES_GEMV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *trans, const integer *m, const integer *n, const void *alpha, const void *a,           \
     const integer *lda, const void *x, const integer *incx, const void *beta, void *y,                 \
     const integer *incy, size_t length_1)
#define FAMILIES_GEMV_FORTRAN_PUT FAMILIES_GEMV_PUT FAMILIES_PUT(11, length_1)

#define FAMILIES_SYMV_CBLAS_LIST(integer, type, scalar)                                                 \
    (int layout, int uplo, integer n, LAVA_VALUE_##scalar alpha, const void *a, integer lda,            \
     const void *x, integer incx, LAVA_VALUE_##scalar beta, void *y, integer incy)
#define FAMILIES_SYMV_CBLAS_PUT FAMILIES_VECTOR_PUT FAMILIES_PUT(9, uplo) FAMILIES_PUT(10, layout)
#define FAMILIES_SYMV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *uplo, const integer *n, const void *alpha, const void *a, const integer *lda,          \
     const void *x, const integer *incx, const void *beta, void *y, const integer *incy,                \
     size_t length_1)
#define FAMILIES_SYMV_FORTRAN_PUT  FAMILIES_VECTOR_PUT FAMILIES_PUT(9, uplo) FAMILIES_PUT(10, length_1)
#define FAMILIES_HEMV_CBLAS_LIST   FAMILIES_SYMV_CBLAS_LIST
#define FAMILIES_HEMV_CBLAS_PUT    FAMILIES_SYMV_CBLAS_PUT
#define FAMILIES_HEMV_FORTRAN_LIST FAMILIES_SYMV_FORTRAN_LIST
#define FAMILIES_HEMV_FORTRAN_PUT  FAMILIES_SYMV_FORTRAN_PUT

#define FAMILIES_TRMV_CBLAS_LIST(integer, type, scalar)                                                 \
    (int layout, int uplo, int trans, int diag, integer n, const void *a, integer lda, void *x,         \
     integer incx)
#define FAMILIES_TRMV_PUT                                                                               \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, trans) FAMILIES_PUT(2, diag) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, x) FAMILIES_PUT(7, incx)
#define FAMILIES_TRMV_CBLAS_PUT FAMILIES_TRMV_PUT FAMILIES_PUT(8, layout)
#define FAMILIES_TRMV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *uplo, const char *trans, const char *diag, const integer *n, const void *a,            \
     const integer *lda, void *x, const integer *incx, size_t length_1, size_t length_2,                \
     size_t length_3)
#define FAMILIES_TRMV_FORTRAN_PUT                                                                       \
    FAMILIES_TRMV_PUT FAMILIES_PUT(8, length_1) FAMILIES_PUT(9, length_2) FAMILIES_PUT(10, length_3)
#define FAMILIES_TRSV_CBLAS_LIST   FAMILIES_TRMV_CBLAS_LIST
#define FAMILIES_TRSV_CBLAS_PUT    FAMILIES_TRMV_CBLAS_PUT
#define FAMILIES_TRSV_FORTRAN_LIST FAMILIES_TRMV_FORTRAN_LIST
#define FAMILIES_TRSV_FORTRAN_PUT  FAMILIES_TRMV_FORTRAN_PUT

#define FAMILIES_BATCH_CBLAS_LIST(integer, type, scalar)                                                      \
    (int layout, const int *transa, const int *transb, const integer *m, const integer *n,              \
     const integer *k, const void *alpha, const void *const *a, const integer *lda,                     \
     const void *const *b, const integer *ldb, const void *beta, void *const *c, const integer *ldc,    \
     integer group_count, const integer *group_size)
#define FAMILIES_BATCH_PUT                                                                              \
    FAMILIES_PUT(0, transa) FAMILIES_PUT(1, transb) FAMILIES_PUT(2, m) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, k) FAMILIES_PUT(5, alpha) FAMILIES_PUT(6, a) FAMILIES_PUT(7, lda)                   \
    FAMILIES_PUT(8, b) FAMILIES_PUT(9, ldb) FAMILIES_PUT(10, beta) FAMILIES_PUT(11, c)                  \
    FAMILIES_PUT(12, ldc) FAMILIES_PUT(13, group_count) FAMILIES_PUT(14, group_size)
#define FAMILIES_BATCH_CBLAS_PUT FAMILIES_BATCH_PUT FAMILIES_PUT(15, layout)
#define FAMILIES_BATCH_FORTRAN_LIST(integer, type, scalar)                                                    \
    (const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,      \
     const void *alpha, const void *const *a, const integer *lda, const void *const *b,                 \
     const integer *ldb, const void *beta, void *const *c, const integer *ldc,                          \
     const integer *group_count, const integer *group_size, size_t length_1, size_t length_2)
#define FAMILIES_BATCH_FORTRAN_PUT                                                                      \
    FAMILIES_BATCH_PUT FAMILIES_PUT(15, length_1) FAMILIES_PUT(16, length_2)

#define FAMILIES_STRIDED_CBLAS_LIST(integer, type, scalar)                                                    \
    (int layout, int transa, int transb, integer m, integer n, integer k, LAVA_VALUE_##scalar alpha,    \
     const void *a, integer lda, integer stridea, const void *b, integer ldb, integer strideb,          \
     LAVA_VALUE_##scalar beta, void *c, integer ldc, integer stridec, integer batch_size)
#define FAMILIES_STRIDED_PUT                                                                            \
    FAMILIES_PUT(0, transa) FAMILIES_PUT(1, transb) FAMILIES_PUT(2, m) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, k) FAMILIES_PUT(5, alpha) FAMILIES_PUT(6, a) FAMILIES_PUT(7, lda)                   \
    FAMILIES_PUT(8, stridea) FAMILIES_PUT(9, b) FAMILIES_PUT(10, ldb) FAMILIES_PUT(11, strideb)         \
    FAMILIES_PUT(12, beta) FAMILIES_PUT(13, c) FAMILIES_PUT(14, ldc) FAMILIES_PUT(15, stridec)          \
    FAMILIES_PUT(16, batch_size)
#define FAMILIES_STRIDED_CBLAS_PUT FAMILIES_STRIDED_PUT FAMILIES_PUT(17, layout)
#define FAMILIES_STRIDED_FORTRAN_LIST(integer, type, scalar)                                                  \
    (const char *transa, const char *transb, const integer *m, const integer *n, const integer *k,      \
     const void *alpha, const void *a, const integer *lda, const integer *stridea, const void *b,       \
     const integer *ldb, const integer *strideb, const void *beta, void *c, const integer *ldc,         \
     const integer *stridec, const integer *batch_size, size_t length_1, size_t length_2)
#define FAMILIES_STRIDED_FORTRAN_PUT                                                                    \
    FAMILIES_STRIDED_PUT FAMILIES_PUT(17, length_1) FAMILIES_PUT(18, length_2)

#define FAMILIES_SYRK_BATCH_CBLAS_LIST(integer, type, scalar)                                           \
    (int layout, const int *uplo, const int *trans, const integer *n, const integer *k,                 \
     const void *alpha, const void *const *a, const integer *lda, const void *beta, void *const *c,     \
     const integer *ldc, integer group_count, const integer *group_size)
#define FAMILIES_SYRK_BATCH_PUT                                                                         \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, trans) FAMILIES_PUT(2, n) FAMILIES_PUT(3, k)                  \
    FAMILIES_PUT(4, alpha) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, beta)                \
    FAMILIES_PUT(8, c) FAMILIES_PUT(9, ldc) FAMILIES_PUT(10, group_count)                               \
    FAMILIES_PUT(11, group_size)
#define FAMILIES_SYRK_BATCH_CBLAS_PUT FAMILIES_SYRK_BATCH_PUT FAMILIES_PUT(12, layout)
#define FAMILIES_SYRK_BATCH_FORTRAN_LIST(integer, type, scalar)                                         \
    (const char *uplo, const char *trans, const integer *n, const integer *k, const void *alpha,        \
     const void *const *a, const integer *lda, const void *beta, void *const *c, const integer *ldc,    \
     const integer *group_count, const integer *group_size, size_t length_1, size_t length_2)
#define FAMILIES_SYRK_BATCH_FORTRAN_PUT                                                                 \
    FAMILIES_SYRK_BATCH_PUT                                                                             \
    FAMILIES_PUT(12, length_1) FAMILIES_PUT(13, length_2)
#define FAMILIES_SYRK_STRIDED_CBLAS_LIST(integer, type, scalar)                                         \
    (int layout, int uplo, int trans, integer n, integer k, LAVA_VALUE_##scalar alpha,                  \
     const void *a, integer lda, integer stridea, LAVA_VALUE_##scalar beta, void *c, integer ldc,       \
     integer stridec, integer batch_size)
#define FAMILIES_SYRK_STRIDED_PUT                                                                       \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, trans) FAMILIES_PUT(2, n) FAMILIES_PUT(3, k)                  \
    FAMILIES_PUT(4, alpha) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, stridea)             \
    FAMILIES_PUT(8, beta) FAMILIES_PUT(9, c) FAMILIES_PUT(10, ldc) FAMILIES_PUT(11, stridec)            \
    FAMILIES_PUT(12, batch_size)
#define FAMILIES_SYRK_STRIDED_CBLAS_PUT FAMILIES_SYRK_STRIDED_PUT FAMILIES_PUT(13, layout)
#define FAMILIES_SYRK_STRIDED_FORTRAN_LIST(integer, type, scalar)                                       \
    (const char *uplo, const char *trans, const integer *n, const integer *k, const void *alpha,        \
     const void *a, const integer *lda, const integer *stridea, const void *beta, void *c,              \
     const integer *ldc, const integer *stridec, const integer *batch_size, size_t length_1,            \
     size_t length_2)
#define FAMILIES_SYRK_STRIDED_FORTRAN_PUT                                                               \
    FAMILIES_SYRK_STRIDED_PUT                                                                           \
    FAMILIES_PUT(13, length_1) FAMILIES_PUT(14, length_2)

#define FAMILIES_TRSM_BATCH_CBLAS_LIST(integer, type, scalar)                                           \
    (int layout, const int *side, const int *uplo, const int *trans, const int *diag,                   \
     const integer *m, const integer *n, const void *alpha, const void *const *a,                       \
     const integer *lda, void *const *b, const integer *ldb, integer group_count,                       \
     const integer *group_size)
#define FAMILIES_TRSM_BATCH_PUT                                                                         \
    FAMILIES_PUT(0, side) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, trans) FAMILIES_PUT(3, diag)            \
    FAMILIES_PUT(4, m) FAMILIES_PUT(5, n) FAMILIES_PUT(6, alpha) FAMILIES_PUT(7, a)                     \
    FAMILIES_PUT(8, lda) FAMILIES_PUT(9, b) FAMILIES_PUT(10, ldb) FAMILIES_PUT(11, group_count)         \
    FAMILIES_PUT(12, group_size)
#define FAMILIES_TRSM_BATCH_CBLAS_PUT FAMILIES_TRSM_BATCH_PUT FAMILIES_PUT(13, layout)
#define FAMILIES_TRSM_BATCH_FORTRAN_LIST(integer, type, scalar)                                         \
    (const char *side, const char *uplo, const char *trans, const char *diag, const integer *m,         \
     const integer *n, const void *alpha, const void *const *a, const integer *lda, void *const *b,     \
     const integer *ldb, const integer *group_count, const integer *group_size, size_t length_1,        \
     size_t length_2, size_t length_3, size_t length_4)
#define FAMILIES_TRSM_BATCH_FORTRAN_PUT                                                                 \
    FAMILIES_TRSM_BATCH_PUT                                                                             \
    FAMILIES_PUT(13, length_1) FAMILIES_PUT(14, length_2) FAMILIES_PUT(15, length_3)                    \
    FAMILIES_PUT(16, length_4)
#define FAMILIES_TRSM_STRIDED_CBLAS_LIST(integer, type, scalar)                                         \
    (int layout, int side, int uplo, int trans, int diag, integer m, integer n,                         \
     LAVA_VALUE_##scalar alpha, const void *a, integer lda, integer stridea, void *b, integer ldb,      \
     integer strideb, integer batch_size)
#define FAMILIES_TRSM_STRIDED_PUT                                                                       \
    FAMILIES_PUT(0, side) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, trans) FAMILIES_PUT(3, diag)            \
    FAMILIES_PUT(4, m) FAMILIES_PUT(5, n) FAMILIES_PUT(6, alpha) FAMILIES_PUT(7, a)                     \
    FAMILIES_PUT(8, lda) FAMILIES_PUT(9, stridea) FAMILIES_PUT(10, b) FAMILIES_PUT(11, ldb)             \
    FAMILIES_PUT(12, strideb) FAMILIES_PUT(13, batch_size)
#define FAMILIES_TRSM_STRIDED_CBLAS_PUT FAMILIES_TRSM_STRIDED_PUT FAMILIES_PUT(14, layout)
#define FAMILIES_TRSM_STRIDED_FORTRAN_LIST(integer, type, scalar)                                       \
    (const char *side, const char *uplo, const char *trans, const char *diag, const integer *m,         \
     const integer *n, const void *alpha, const void *a, const integer *lda, const integer *stridea,    \
     void *b, const integer *ldb, const integer *strideb, const integer *batch_size,                    \
     size_t length_1, size_t length_2, size_t length_3, size_t length_4)
#define FAMILIES_TRSM_STRIDED_FORTRAN_PUT                                                               \
    FAMILIES_TRSM_STRIDED_PUT                                                                           \
    FAMILIES_PUT(14, length_1) FAMILIES_PUT(15, length_2) FAMILIES_PUT(16, length_3)                    \
    FAMILIES_PUT(17, length_4)

#define FAMILIES_POTRF_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const integer *n, void *a, const integer *lda, integer *info, size_t length_1)
#define FAMILIES_POTRF_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda)                    \
    FAMILIES_PUT(4, info) FAMILIES_PUT(5, length_1)

#define FAMILIES_GETRF_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *m, const integer *n, void *a, const integer *lda, integer *ipiv, integer *info)
#define FAMILIES_GETRF_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda) FAMILIES_PUT(4, ipiv) \
    FAMILIES_PUT(5, info)

#define FAMILIES_POTRS_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const integer *n, const integer *nrhs, const void *a, const integer *lda, void *b, \
     const integer *ldb, integer *info, size_t length_1)
#define FAMILIES_POTRS_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a)                   \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, b) FAMILIES_PUT(6, ldb) FAMILIES_PUT(7, info)                  \
    FAMILIES_PUT(8, length_1)
#define FAMILIES_POSV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *uplo, const integer *n, const integer *nrhs, void *a, const integer *lda, void *b,     \
     const integer *ldb, integer *info, size_t length_1)
#define FAMILIES_POSV_FORTRAN_PUT FAMILIES_POTRS_FORTRAN_PUT
#define FAMILIES_GETRS_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *trans, const integer *n, const integer *nrhs, const void *a, const integer *lda,       \
     const integer *ipiv, void *b, const integer *ldb, integer *info, size_t length_1)
#define FAMILIES_GETRS_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, trans) FAMILIES_PUT(8, length_1) FAMILIES_GESV_FORTRAN_PUT
#define FAMILIES_GESV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const integer *n, const integer *nrhs, void *a, const integer *lda, integer *ipiv, void *b,        \
     const integer *ldb, integer *info)
#define FAMILIES_GESV_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a) FAMILIES_PUT(4, lda)                    \
    FAMILIES_PUT(5, ipiv) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb) FAMILIES_PUT(9, info)

/* tau is where ?getrf has ipiv. */
#define FAMILIES_GEQRF_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *m, const integer *n, void *a, const integer *lda, void *tau, void *work,            \
     const integer *lwork, integer *info)
#define FAMILIES_GEQRF_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda) FAMILIES_PUT(4, tau)  \
    FAMILIES_PUT(5, work) FAMILIES_PUT(6, lwork) FAMILIES_PUT(7, info)
#define FAMILIES_ORGQR_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *m, const integer *n, const integer *k, void *a, const integer *lda,                 \
     const void *tau, void *work, const integer *lwork, integer *info)
#define FAMILIES_ORGQR_FORTRAN_PUT FAMILIES_GEQRF_FORTRAN_PUT FAMILIES_PUT(8, k)

#define FAMILIES_ORMQR_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *side, const char *trans, const integer *m, const integer *n, const integer *k,         \
     const void *a, const integer *lda, const void *tau, void *c, const integer *ldc, void *work,       \
     const integer *lwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_ORMQR_FORTRAN_PUT                                                                      \
    FAMILIES_ORGQR_FORTRAN_PUT FAMILIES_PUT(9, side) FAMILIES_PUT(10, trans) FAMILIES_PUT(11, c)        \
    FAMILIES_PUT(12, ldc) FAMILIES_PUT(13, length_1) FAMILIES_PUT(14, length_2)

#define FAMILIES_GELS_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *trans, const integer *m, const integer *n, const integer *nrhs, void *a,               \
     const integer *lda, void *b, const integer *ldb, void *work, const integer *lwork, integer *info,  \
     size_t length_1)
#define FAMILIES_GELS_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, trans) FAMILIES_PUT(1, m) FAMILIES_PUT(2, n) FAMILIES_PUT(3, nrhs)                  \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb)                     \
    FAMILIES_PUT(8, work) FAMILIES_PUT(9, lwork) FAMILIES_PUT(10, info) FAMILIES_PUT(11, length_1)

#define FAMILIES_TRTRS_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const char *trans, const char *diag, const integer *n, const integer *nrhs,      \
     const void *a, const integer *lda, void *b, const integer *ldb, integer *info, size_t length_1,    \
     size_t length_2, size_t length_3)
#define FAMILIES_TRTRS_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, trans) FAMILIES_PUT(2, diag) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, nrhs) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, b)                    \
    FAMILIES_PUT(8, ldb) FAMILIES_PUT(9, info) FAMILIES_PUT(10, length_1) FAMILIES_PUT(11, length_2)    \
    FAMILIES_PUT(12, length_3)

#define FAMILIES_TRTRI_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const char *diag, const integer *n, void *a, const integer *lda, integer *info,  \
     size_t length_1, size_t length_2)
#define FAMILIES_TRTRI_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, diag) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                   \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, info) FAMILIES_PUT(6, length_1) FAMILIES_PUT(7, length_2)
#define FAMILIES_LAUUM_FORTRAN_LIST FAMILIES_POTRF_FORTRAN_LIST
#define FAMILIES_LAUUM_FORTRAN_PUT  FAMILIES_POTRF_FORTRAN_PUT
#define FAMILIES_POTRI_FORTRAN_LIST FAMILIES_POTRF_FORTRAN_LIST
#define FAMILIES_POTRI_FORTRAN_PUT  FAMILIES_POTRF_FORTRAN_PUT
#define FAMILIES_GETRI_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *n, void *a, const integer *lda, const integer *ipiv, void *work,                    \
     const integer *lwork, integer *info)
#define FAMILIES_GETRI_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, n) FAMILIES_PUT(1, a) FAMILIES_PUT(2, lda) FAMILIES_PUT(3, ipiv)                    \
    FAMILIES_PUT(4, work) FAMILIES_PUT(5, lwork) FAMILIES_PUT(6, info)

#define FAMILIES_SYTRD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *uplo, const integer *n, void *a, const integer *lda, void *d, void *e, void *tau,      \
     void *work, const integer *lwork, integer *info, size_t length_1)
#define FAMILIES_SYTRD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, uplo) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda) FAMILIES_PUT(4, d) \
    FAMILIES_PUT(5, e) FAMILIES_PUT(6, tau) FAMILIES_PUT(7, work) FAMILIES_PUT(8, lwork)                \
    FAMILIES_PUT(9, info) FAMILIES_PUT(10, length_1)

#define FAMILIES_SYEV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *jobz, const char *uplo, const integer *n, void *a, const integer *lda, void *w,        \
     void *work, const integer *lwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_SYEV_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                   \
     FAMILIES_PUT(4, lda) FAMILIES_PUT(5, w) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork)               \
     FAMILIES_PUT(8, info) FAMILIES_PUT(9, length_1) FAMILIES_PUT(10, length_2)

#define FAMILIES_HEEV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const char *jobz, const char *uplo, const integer *n, void *a, const integer *lda, void *w,        \
     void *work, const integer *lwork, void *rwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_HEEV_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                   \
     FAMILIES_PUT(4, lda) FAMILIES_PUT(5, w) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork)               \
     FAMILIES_PUT(8, rwork) FAMILIES_PUT(9, info) FAMILIES_PUT(10, length_1) FAMILIES_PUT(11, length_2)

#define FAMILIES_SYEVD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *uplo, const integer *n, void *a, const integer *lda, void *w,        \
     void *work, const integer *lwork, integer *iwork, const integer *liwork, integer *info,            \
     size_t length_1, size_t length_2)
#define FAMILIES_SYEVD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                   \
     FAMILIES_PUT(4, lda) FAMILIES_PUT(5, w) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork)               \
     FAMILIES_PUT(8, iwork) FAMILIES_PUT(9, liwork) FAMILIES_PUT(10, info) FAMILIES_PUT(11, length_1)   \
     FAMILIES_PUT(12, length_2)

#define FAMILIES_HEEVD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *uplo, const integer *n, void *a, const integer *lda, void *w,        \
     void *work, const integer *lwork, void *rwork, const integer *lrwork, integer *iwork,              \
     const integer *liwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_HEEVD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, uplo) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                   \
     FAMILIES_PUT(4, lda) FAMILIES_PUT(5, w) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork)               \
     FAMILIES_PUT(8, rwork) FAMILIES_PUT(9, lrwork) FAMILIES_PUT(10, iwork) FAMILIES_PUT(11, liwork)    \
     FAMILIES_PUT(12, info) FAMILIES_PUT(13, length_1) FAMILIES_PUT(14, length_2)

#define FAMILIES_SYEVR_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *range, const char *uplo, const integer *n, void *a,                  \
     const integer *lda, const void *vl, const void *vu, const integer *il, const integer *iu,          \
     const void *abstol, integer *m, void *w, void *z, const integer *ldz, integer *isuppz, void *work, \
     const integer *lwork, integer *iwork, const integer *liwork, integer *info, size_t length_1,       \
     size_t length_2, size_t length_3)
#define FAMILIES_SYEVR_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, range) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
     FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, vl) FAMILIES_PUT(7, vu)                    \
     FAMILIES_PUT(8, il) FAMILIES_PUT(9, iu) FAMILIES_PUT(10, abstol) FAMILIES_PUT(11, m)               \
     FAMILIES_PUT(12, w) FAMILIES_PUT(13, z) FAMILIES_PUT(14, ldz) FAMILIES_PUT(15, isuppz)             \
     FAMILIES_PUT(16, work) FAMILIES_PUT(17, lwork) FAMILIES_PUT(18, iwork) FAMILIES_PUT(19, liwork)    \
     FAMILIES_PUT(20, info) FAMILIES_PUT(21, length_1) FAMILIES_PUT(22, length_2)                       \
     FAMILIES_PUT(23, length_3)

#define FAMILIES_HEEVR_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *range, const char *uplo, const integer *n, void *a,                  \
     const integer *lda, const void *vl, const void *vu, const integer *il, const integer *iu,          \
     const void *abstol, integer *m, void *w, void *z, const integer *ldz, integer *isuppz, void *work, \
     const integer *lwork, void *rwork, const integer *lrwork, integer *iwork, const integer *liwork,   \
     integer *info, size_t length_1, size_t length_2, size_t length_3)
#define FAMILIES_HEEVR_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, range) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
     FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, vl) FAMILIES_PUT(7, vu)                    \
     FAMILIES_PUT(8, il) FAMILIES_PUT(9, iu) FAMILIES_PUT(10, abstol) FAMILIES_PUT(11, m)               \
     FAMILIES_PUT(12, w) FAMILIES_PUT(13, z) FAMILIES_PUT(14, ldz) FAMILIES_PUT(15, isuppz)             \
     FAMILIES_PUT(16, work) FAMILIES_PUT(17, lwork) FAMILIES_PUT(18, rwork) FAMILIES_PUT(19, lrwork)    \
     FAMILIES_PUT(20, iwork) FAMILIES_PUT(21, liwork) FAMILIES_PUT(22, info) FAMILIES_PUT(23, length_1) \
     FAMILIES_PUT(24, length_2) FAMILIES_PUT(25, length_3)

#define FAMILIES_SYEVX_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *range, const char *uplo, const integer *n, void *a,                  \
     const integer *lda, const void *vl, const void *vu, const integer *il, const integer *iu,          \
     const void *abstol, integer *m, void *w, void *z, const integer *ldz, void *work,                  \
     const integer *lwork, integer *iwork, integer *ifail, integer *info, size_t length_1,              \
     size_t length_2, size_t length_3)
#define FAMILIES_SYEVX_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, range) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
     FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, vl) FAMILIES_PUT(7, vu)                    \
     FAMILIES_PUT(8, il) FAMILIES_PUT(9, iu) FAMILIES_PUT(10, abstol) FAMILIES_PUT(11, m)               \
     FAMILIES_PUT(12, w) FAMILIES_PUT(13, z) FAMILIES_PUT(14, ldz) FAMILIES_PUT(15, work)               \
     FAMILIES_PUT(16, lwork) FAMILIES_PUT(17, iwork) FAMILIES_PUT(18, ifail) FAMILIES_PUT(19, info)     \
     FAMILIES_PUT(20, length_1) FAMILIES_PUT(21, length_2) FAMILIES_PUT(22, length_3)

#define FAMILIES_HEEVX_FORTRAN_LIST(integer, type, scalar)                                              \
    (const char *jobz, const char *range, const char *uplo, const integer *n, void *a,                  \
     const integer *lda, const void *vl, const void *vu, const integer *il, const integer *iu,          \
     const void *abstol, integer *m, void *w, void *z, const integer *ldz, void *work,                  \
     const integer *lwork, void *rwork, integer *iwork, integer *ifail, integer *info, size_t length_1, \
     size_t length_2, size_t length_3)
#define FAMILIES_HEEVX_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, range) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
     FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, vl) FAMILIES_PUT(7, vu)                    \
     FAMILIES_PUT(8, il) FAMILIES_PUT(9, iu) FAMILIES_PUT(10, abstol) FAMILIES_PUT(11, m)               \
     FAMILIES_PUT(12, w) FAMILIES_PUT(13, z) FAMILIES_PUT(14, ldz) FAMILIES_PUT(15, work)               \
     FAMILIES_PUT(16, lwork) FAMILIES_PUT(17, rwork) FAMILIES_PUT(18, iwork) FAMILIES_PUT(19, ifail)    \
     FAMILIES_PUT(20, info) FAMILIES_PUT(21, length_1) FAMILIES_PUT(22, length_2)                       \
     FAMILIES_PUT(23, length_3)

#define FAMILIES_SYGV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const integer *itype, const char *jobz, const char *uplo, const integer *n, void *a, const         \
     integer *lda, void *b, const integer *ldb, void *w, void *work, const integer *lwork, integer      \
     *info, size_t length_1, size_t length_2)
#define FAMILIES_SYGV_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb)                     \
    FAMILIES_PUT(8, w) FAMILIES_PUT(9, work) FAMILIES_PUT(10, lwork) FAMILIES_PUT(11, info)             \
    FAMILIES_PUT(12, length_1) FAMILIES_PUT(13, length_2)

#define FAMILIES_HEGV_FORTRAN_LIST(integer, type, scalar)                                               \
    (const integer *itype, const char *jobz, const char *uplo, const integer *n, void *a, const         \
     integer *lda, void *b, const integer *ldb, void *w, void *work, const integer *lwork, void         \
     *rwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_HEGV_FORTRAN_PUT                                                                       \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb)                     \
    FAMILIES_PUT(8, w) FAMILIES_PUT(9, work) FAMILIES_PUT(10, lwork) FAMILIES_PUT(11, rwork)            \
    FAMILIES_PUT(12, info) FAMILIES_PUT(13, length_1) FAMILIES_PUT(14, length_2)

#define FAMILIES_SYGVD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *itype, const char *jobz, const char *uplo, const integer *n, void *a, const         \
     integer *lda, void *b, const integer *ldb, void *w, void *work, const integer *lwork, integer      \
     *iwork, const integer *liwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_SYGVD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb)                     \
    FAMILIES_PUT(8, w) FAMILIES_PUT(9, work) FAMILIES_PUT(10, lwork) FAMILIES_PUT(11, iwork)            \
    FAMILIES_PUT(12, liwork) FAMILIES_PUT(13, info) FAMILIES_PUT(14, length_1)                          \
    FAMILIES_PUT(15, length_2)

#define FAMILIES_HEGVD_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *itype, const char *jobz, const char *uplo, const integer *n, void *a, const         \
     integer *lda, void *b, const integer *ldb, void *w, void *work, const integer *lwork, void         \
     *rwork, const integer *lrwork, integer *iwork, const integer *liwork, integer *info, size_t        \
     length_1, size_t length_2)
#define FAMILIES_HEGVD_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, uplo) FAMILIES_PUT(3, n)               \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, b) FAMILIES_PUT(7, ldb)                     \
    FAMILIES_PUT(8, w) FAMILIES_PUT(9, work) FAMILIES_PUT(10, lwork) FAMILIES_PUT(11, rwork)            \
    FAMILIES_PUT(12, lrwork) FAMILIES_PUT(13, iwork) FAMILIES_PUT(14, liwork) FAMILIES_PUT(15, info)    \
    FAMILIES_PUT(16, length_1) FAMILIES_PUT(17, length_2)

#define FAMILIES_SYGVX_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *itype, const char *jobz, const char *range, const char *uplo, const integer *n,     \
     void *a, const integer *lda, void *b, const integer *ldb, const void *vl, const void *vu, const    \
     integer *il, const integer *iu, const void *abstol, integer *m, void *w, void *z, const integer    \
     *ldz, void *work, const integer *lwork, integer *iwork, integer *ifail, integer *info, size_t      \
     length_1, size_t length_2, size_t length_3)
#define FAMILIES_SYGVX_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, range) FAMILIES_PUT(3, uplo)           \
    FAMILIES_PUT(4, n) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, b)                       \
    FAMILIES_PUT(8, ldb) FAMILIES_PUT(9, vl) FAMILIES_PUT(10, vu) FAMILIES_PUT(11, il)                  \
    FAMILIES_PUT(12, iu) FAMILIES_PUT(13, abstol) FAMILIES_PUT(14, m) FAMILIES_PUT(15, w)               \
    FAMILIES_PUT(16, z) FAMILIES_PUT(17, ldz) FAMILIES_PUT(18, work) FAMILIES_PUT(19, lwork)            \
    FAMILIES_PUT(20, iwork) FAMILIES_PUT(21, ifail) FAMILIES_PUT(22, info)                              \
    FAMILIES_PUT(23, length_1) FAMILIES_PUT(24, length_2) FAMILIES_PUT(25, length_3)

#define FAMILIES_HEGVX_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *itype, const char *jobz, const char *range, const char *uplo, const integer *n,     \
     void *a, const integer *lda, void *b, const integer *ldb, const void *vl, const void *vu, const    \
     integer *il, const integer *iu, const void *abstol, integer *m, void *w, void *z, const integer    \
     *ldz, void *work, const integer *lwork, void *rwork, integer *iwork, integer *ifail, integer       \
     *info, size_t length_1, size_t length_2, size_t length_3)
#define FAMILIES_HEGVX_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, itype) FAMILIES_PUT(1, jobz) FAMILIES_PUT(2, range) FAMILIES_PUT(3, uplo)           \
    FAMILIES_PUT(4, n) FAMILIES_PUT(5, a) FAMILIES_PUT(6, lda) FAMILIES_PUT(7, b)                       \
    FAMILIES_PUT(8, ldb) FAMILIES_PUT(9, vl) FAMILIES_PUT(10, vu) FAMILIES_PUT(11, il)                  \
    FAMILIES_PUT(12, iu) FAMILIES_PUT(13, abstol) FAMILIES_PUT(14, m) FAMILIES_PUT(15, w)               \
    FAMILIES_PUT(16, z) FAMILIES_PUT(17, ldz) FAMILIES_PUT(18, work) FAMILIES_PUT(19, lwork)            \
    FAMILIES_PUT(20, rwork) FAMILIES_PUT(21, iwork) FAMILIES_PUT(22, ifail) FAMILIES_PUT(23, info)      \
    FAMILIES_PUT(24, length_1) FAMILIES_PUT(25, length_2) FAMILIES_PUT(26, length_3)

#define FAMILIES_GEQP3_FORTRAN_LIST(integer, type, scalar)                                              \
    (const integer *m, const integer *n, void *a, const integer *lda, integer *jpvt, void *tau,         \
     void *work, const integer *lwork, integer *info)
#define FAMILIES_GEQP3_FORTRAN_PUT                                                                      \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, a) FAMILIES_PUT(3, lda) FAMILIES_PUT(4, jpvt) \
    FAMILIES_PUT(5, tau) FAMILIES_PUT(6, work) FAMILIES_PUT(7, lwork) FAMILIES_PUT(8, info)
#define FAMILIES_CGEQP3_FORTRAN_LIST(integer, type, scalar)                                             \
    (const integer *m, const integer *n, void *a, const integer *lda, integer *jpvt, void *tau,         \
     void *work, const integer *lwork, void *rwork, integer *info)
#define FAMILIES_CGEQP3_FORTRAN_PUT FAMILIES_GEQP3_FORTRAN_PUT FAMILIES_PUT(9, rwork)

#define FAMILIES_GESDD_FORTRAN_LIST(integer, type, scalar)                                             \
    (const char *jobz, const integer *m, const integer *n, void *a, const integer *lda, void *s,       \
     void *u, const integer *ldu, void *vt, const integer *ldvt, void *work,                           \
     const integer *lwork, integer *iwork, integer *info, size_t length_1)
#define FAMILIES_GESDD_FORTRAN_PUT                                                                     \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, m) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, s) FAMILIES_PUT(6, u) FAMILIES_PUT(7, ldu)                    \
    FAMILIES_PUT(8, vt) FAMILIES_PUT(9, ldvt) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)           \
    FAMILIES_PUT(12, iwork) FAMILIES_PUT(13, info) FAMILIES_PUT(14, length_1)

#define FAMILIES_GESDD_COMPLEX_FORTRAN_LIST(integer, type, scalar)                                     \
    (const char *jobz, const integer *m, const integer *n, void *a, const integer *lda, void *s,       \
     void *u, const integer *ldu, void *vt, const integer *ldvt, void *work,                           \
     const integer *lwork, void *rwork, integer *iwork, integer *info, size_t length_1)
#define FAMILIES_GESDD_COMPLEX_FORTRAN_PUT                                                             \
    FAMILIES_PUT(0, jobz) FAMILIES_PUT(1, m) FAMILIES_PUT(2, n) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, s) FAMILIES_PUT(6, u) FAMILIES_PUT(7, ldu)                    \
    FAMILIES_PUT(8, vt) FAMILIES_PUT(9, ldvt) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)           \
    FAMILIES_PUT(12, rwork) FAMILIES_PUT(13, iwork) FAMILIES_PUT(14, info)                             \
    FAMILIES_PUT(15, length_1)

#define FAMILIES_GESVD_FORTRAN_LIST(integer, type, scalar)                                             \
    (const char *jobu, const char *jobvt, const integer *m, const integer *n, void *a,                 \
     const integer *lda, void *s, void *u, const integer *ldu, void *vt, const integer *ldvt,          \
     void *work, const integer *lwork, integer *info, size_t length_1, size_t length_2)
#define FAMILIES_GESVD_FORTRAN_PUT                                                                     \
    FAMILIES_PUT(0, jobu) FAMILIES_PUT(1, jobvt) FAMILIES_PUT(2, m) FAMILIES_PUT(3, n)                 \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, s) FAMILIES_PUT(7, u)                      \
    FAMILIES_PUT(8, ldu) FAMILIES_PUT(9, vt) FAMILIES_PUT(10, ldvt) FAMILIES_PUT(11, work)             \
    FAMILIES_PUT(12, lwork) FAMILIES_PUT(13, info) FAMILIES_PUT(14, length_1)                          \
    FAMILIES_PUT(15, length_2)

#define FAMILIES_GESVD_COMPLEX_FORTRAN_LIST(integer, type, scalar)                                     \
    (const char *jobu, const char *jobvt, const integer *m, const integer *n, void *a,                 \
     const integer *lda, void *s, void *u, const integer *ldu, void *vt, const integer *ldvt,          \
     void *work, const integer *lwork, void *rwork, integer *info, size_t length_1,                    \
     size_t length_2)
#define FAMILIES_GESVD_COMPLEX_FORTRAN_PUT                                                             \
    FAMILIES_PUT(0, jobu) FAMILIES_PUT(1, jobvt) FAMILIES_PUT(2, m) FAMILIES_PUT(3, n)                 \
    FAMILIES_PUT(4, a) FAMILIES_PUT(5, lda) FAMILIES_PUT(6, s) FAMILIES_PUT(7, u)                      \
    FAMILIES_PUT(8, ldu) FAMILIES_PUT(9, vt) FAMILIES_PUT(10, ldvt) FAMILIES_PUT(11, work)             \
    FAMILIES_PUT(12, lwork) FAMILIES_PUT(13, rwork) FAMILIES_PUT(14, info)                             \
    FAMILIES_PUT(15, length_1) FAMILIES_PUT(16, length_2)

#define FAMILIES_GELSD_FORTRAN_LIST(integer, type, scalar)                                             \
    (const integer *m, const integer *n, const integer *nrhs, void *a, const integer *lda,             \
     void *b, const integer *ldb, void *s, const void *rcond, integer *rank, void *work,               \
     const integer *lwork, integer *iwork, integer *info)
#define FAMILIES_GELSD_FORTRAN_PUT                                                                     \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, b) FAMILIES_PUT(6, ldb) FAMILIES_PUT(7, s)                    \
    FAMILIES_PUT(8, rcond) FAMILIES_PUT(9, rank) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)        \
    FAMILIES_PUT(12, iwork) FAMILIES_PUT(13, info)

#define FAMILIES_GELSD_COMPLEX_FORTRAN_LIST(integer, type, scalar)                                     \
    (const integer *m, const integer *n, const integer *nrhs, void *a, const integer *lda,             \
     void *b, const integer *ldb, void *s, const void *rcond, integer *rank, void *work,               \
     const integer *lwork, void *rwork, integer *iwork, integer *info)
#define FAMILIES_GELSD_COMPLEX_FORTRAN_PUT                                                             \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, b) FAMILIES_PUT(6, ldb) FAMILIES_PUT(7, s)                    \
    FAMILIES_PUT(8, rcond) FAMILIES_PUT(9, rank) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)        \
    FAMILIES_PUT(12, rwork) FAMILIES_PUT(13, iwork) FAMILIES_PUT(14, info)

#define FAMILIES_GELSS_FORTRAN_LIST(integer, type, scalar)                                             \
    (const integer *m, const integer *n, const integer *nrhs, void *a, const integer *lda,             \
     void *b, const integer *ldb, void *s, const void *rcond, integer *rank, void *work,               \
     const integer *lwork, integer *info)
#define FAMILIES_GELSS_FORTRAN_PUT                                                                     \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, b) FAMILIES_PUT(6, ldb) FAMILIES_PUT(7, s)                    \
    FAMILIES_PUT(8, rcond) FAMILIES_PUT(9, rank) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)        \
    FAMILIES_PUT(12, info)

#define FAMILIES_GELSS_COMPLEX_FORTRAN_LIST(integer, type, scalar)                                     \
    (const integer *m, const integer *n, const integer *nrhs, void *a, const integer *lda,             \
     void *b, const integer *ldb, void *s, const void *rcond, integer *rank, void *work,               \
     const integer *lwork, void *rwork, integer *info)
#define FAMILIES_GELSS_COMPLEX_FORTRAN_PUT                                                             \
    FAMILIES_PUT(0, m) FAMILIES_PUT(1, n) FAMILIES_PUT(2, nrhs) FAMILIES_PUT(3, a)                     \
    FAMILIES_PUT(4, lda) FAMILIES_PUT(5, b) FAMILIES_PUT(6, ldb) FAMILIES_PUT(7, s)                    \
    FAMILIES_PUT(8, rcond) FAMILIES_PUT(9, rank) FAMILIES_PUT(10, work) FAMILIES_PUT(11, lwork)        \
    FAMILIES_PUT(12, rwork) FAMILIES_PUT(13, info)

#define FAMILIES_ROUTINES(X)                                                                            \
    LAVA_GEMMT_ROUTINES(X) LAVA_SYRK_ROUTINES(X) LAVA_SYMM_ROUTINES(X) LAVA_SYR2K_ROUTINES(X)           \
    LAVA_TRIANGULAR_ROUTINES(X) LAVA_GEMV_ROUTINES(X) LAVA_SYMV_ROUTINES(X) LAVA_TRMV_ROUTINES(X)       \
    LAVA_BATCH_ROUTINES(X) LAVA_STRIDED_ROUTINES(X)                                                     \
    LAVA_SYRK_BATCH_ROUTINES(X) LAVA_TRSM_BATCH_ROUTINES(X)                                             \
    LAVA_POTRF_ROUTINES(X) LAVA_GETRF_ROUTINES(X) LAVA_POTRS_ROUTINES(X)                           \
    LAVA_POSV_ROUTINES(X) LAVA_GETRS_ROUTINES(X) LAVA_GESV_ROUTINES(X)                             \
    LAVA_GEQRF_ROUTINES(X) LAVA_ORGQR_ROUTINES(X) LAVA_ORMQR_ROUTINES(X)                                \
    LAVA_GELS_ROUTINES(X) LAVA_TRTRS_ROUTINES(X) LAVA_TRTRI_ROUTINES(X) LAVA_LAUUM_ROUTINES(X)                                 \
    LAVA_POTRI_ROUTINES(X) LAVA_GETRI_ROUTINES(X) LAVA_SYTRD_ROUTINES(X)                                \
    LAVA_SYEV_ROUTINES(X) LAVA_SYEVD_ROUTINES(X) LAVA_SYEVR_ROUTINES(X) LAVA_SYEVX_ROUTINES(X)          \
    LAVA_SYGV_ROUTINES(X) LAVA_SYGVD_ROUTINES(X) LAVA_SYGVX_ROUTINES(X)                                   \
    LAVA_GEQP3_ROUTINES(X)                                                                     \
    LAVA_GESDD_ROUTINES(X) LAVA_GESVD_ROUTINES(X) LAVA_GELSD_ROUTINES(X) LAVA_GELSS_ROUTINES(X)

// clang-format on

#endif
