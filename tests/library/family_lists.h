/* The arguments of each routine of called_families.h as C declares them, and the notes of them, for
 * tests/library/called_families.c and stub_families.c. */
#ifndef LAVA_TESTS_FAMILY_LISTS_H
#define LAVA_TESTS_FAMILY_LISTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/routines.h"
#include "tests/library/family_lists_lapack.h"

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

// clang-format on

#endif
