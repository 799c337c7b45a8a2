/* Calls each exported name of level 3 but ?gemm's, and of ?gemm_batch and ?gemm_batch_strided, as a program
 * would that declares it itself, and notes all arguments of a call; tests/library/stub_families.c uses the
 * notes too. families_call[] is indexed by enum lava_routine; NULL: names of other families. */
#ifndef LAVA_TESTS_FAMILIES_H
#define LAVA_TESTS_FAMILIES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/routines.h"

/* The bytes of each argument, zero-padded to eight. */
#define FAMILIES_MOST_ARGUMENTS 20
struct families_note {
    int calls;
    const char *name;
    uint64_t arguments[FAMILIES_MOST_ARGUMENTS];
};

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

#define FAMILIES_ROUTINES(X)                                                                            \
    LAVA_GEMMT_ROUTINES(X) LAVA_SYRK_ROUTINES(X) LAVA_SYMM_ROUTINES(X) LAVA_SYR2K_ROUTINES(X)           \
    LAVA_TRIANGULAR_ROUTINES(X) LAVA_BATCH_ROUTINES(X) LAVA_STRIDED_ROUTINES(X)

// clang-format on

#ifndef FAMILIES_ONLY_LISTS

#    define FAMILIES_MOST_GROUPS 6

/* One element per group; all but ?gemm_batch have one group. C is B of ?trmm and ?trsm. */
struct families_arguments {
    int layout, uplo, side, diag;                                   /* CBLAS's enumerators */
    int transa[FAMILIES_MOST_GROUPS], transb[FAMILIES_MOST_GROUPS]; /* also enumerators */
    int64_t m[FAMILIES_MOST_GROUPS], n[FAMILIES_MOST_GROUPS], k[FAMILIES_MOST_GROUPS];
    int64_t lda[FAMILIES_MOST_GROUPS], ldb[FAMILIES_MOST_GROUPS], ldc[FAMILIES_MOST_GROUPS];
    int64_t size[FAMILIES_MOST_GROUPS], count;
    int64_t stride_a, stride_b, stride_c;
    const void *alpha, *beta; /* consecutive numbers of the routine's scalar type */
    const void *a, *b;        /* matrices, or for ?gemm_batch arrays of pointers */
    void *c;
};

/* The arguments of the last call. */
static struct families_note families_passed;

static inline char families_letter(int enumerator) {
    return enumerator >= 111 && enumerator <= 113   ? "NTC"[enumerator - 111]
           : enumerator == 121 || enumerator == 122 ? "UL"[enumerator - 121]
           : enumerator == 131 || enumerator == 132 ? "NU"[enumerator - 131]
           : enumerator == 141 || enumerator == 142 ? "LR"[enumerator - 141]
                                                    : '?';
}

#    define FAMILIES_VALUE_FP32(scalar)  (*(const float *)(scalar))
#    define FAMILIES_VALUE_FP64(scalar)  (*(const double *)(scalar))
#    define FAMILIES_VALUE_CFP32(scalar) (scalar)
#    define FAMILIES_VALUE_CFP64(scalar) (scalar)

/* The arguments with the routine's integer and character types. Those that Fortran passes by pointer are
 * static, so that the addresses can be compared after the call. */
#    define FAMILIES_INTEGERS(integer)                                                                       \
        static integer ms[FAMILIES_MOST_GROUPS], ns[FAMILIES_MOST_GROUPS], ks[FAMILIES_MOST_GROUPS],         \
            ldas[FAMILIES_MOST_GROUPS], ldbs[FAMILIES_MOST_GROUPS], ldcs[FAMILIES_MOST_GROUPS],              \
            sizes[FAMILIES_MOST_GROUPS], strides[3], counts[1];                                              \
        static char as[FAMILIES_MOST_GROUPS], bs[FAMILIES_MOST_GROUPS], uplos[1], sides[1], diags[1];        \
        for (int i = 0; i < FAMILIES_MOST_GROUPS; i++) {                                                     \
            ms[i] = (integer)x->m[i], ns[i] = (integer)x->n[i], ks[i] = (integer)x->k[i];                    \
            ldas[i] = (integer)x->lda[i], ldbs[i] = (integer)x->ldb[i], ldcs[i] = (integer)x->ldc[i];        \
            sizes[i] = (integer)x->size[i];                                                                  \
            as[i] = families_letter(x->transa[i]), bs[i] = families_letter(x->transb[i]);                    \
        }                                                                                                    \
        strides[0] = (integer)x->stride_a, strides[1] = (integer)x->stride_b;                                \
        strides[2] = (integer)x->stride_c, counts[0] = (integer)x->count;                                    \
        uplos[0] = families_letter(x->uplo), sides[0] = families_letter(x->side);                            \
        diags[0] = families_letter(x->diag)
#    define FAMILIES_UNUSED                                                                                  \
        (void)ms, (void)ns, (void)ks, (void)ldas, (void)ldbs, (void)ldcs, (void)sizes, (void)strides,        \
            (void)counts, (void)as, (void)bs, (void)uplos, (void)sides, (void)diags

#    define FAMILIES_GEMMT_CBLAS_PASS(type, scalar)                                                          \
        (x->layout, x->uplo, x->transa[0], x->transb[0], ns[0], ks[0], FAMILIES_VALUE_##scalar(x->alpha),    \
         x->a, ldas[0], x->b, ldbs[0], FAMILIES_VALUE_##scalar(x->beta), x->c, ldcs[0])
#    define FAMILIES_GEMMT_FORTRAN_PASS(type, scalar)                                                        \
        (uplos, as, bs, ns, ks, x->alpha, x->a, ldas, x->b, ldbs, x->beta, x->c, ldcs, 1001, 1002, 1003)
#    define FAMILIES_SYRK_CBLAS_PASS(type, scalar)                                                           \
        (x->layout, x->uplo, x->transa[0], ns[0], ks[0], FAMILIES_VALUE_##scalar(x->alpha), x->a, ldas[0],   \
         FAMILIES_VALUE_##scalar(x->beta), x->c, ldcs[0])
#    define FAMILIES_SYRK_FORTRAN_PASS(type, scalar)                                                         \
        (uplos, as, ns, ks, x->alpha, x->a, ldas, x->beta, x->c, ldcs, 1001, 1002)
#    define FAMILIES_SYMM_CBLAS_PASS(type, scalar)                                                           \
        (x->layout, x->side, x->uplo, ms[0], ns[0], FAMILIES_VALUE_##scalar(x->alpha), x->a, ldas[0], x->b,  \
         ldbs[0], FAMILIES_VALUE_##scalar(x->beta), x->c, ldcs[0])
#    define FAMILIES_SYMM_FORTRAN_PASS(type, scalar)                                                         \
        (sides, uplos, ms, ns, x->alpha, x->a, ldas, x->b, ldbs, x->beta, x->c, ldcs, 1001, 1002)
#    define FAMILIES_HEMM_CBLAS_PASS   FAMILIES_SYMM_CBLAS_PASS
#    define FAMILIES_HEMM_FORTRAN_PASS FAMILIES_SYMM_FORTRAN_PASS
#    define FAMILIES_SYR2K_CBLAS_PASS(type, scalar)                                                          \
        (x->layout, x->uplo, x->transa[0], ns[0], ks[0], FAMILIES_VALUE_##type(x->alpha), x->a, ldas[0],     \
         x->b, ldbs[0], FAMILIES_VALUE_##scalar(x->beta), x->c, ldcs[0])
#    define FAMILIES_SYR2K_FORTRAN_PASS(type, scalar)                                                        \
        (uplos, as, ns, ks, x->alpha, x->a, ldas, x->b, ldbs, x->beta, x->c, ldcs, 1001, 1002)
#    define FAMILIES_TRMM_CBLAS_PASS(type, scalar)                                                           \
        (x->layout, x->side, x->uplo, x->transa[0], x->diag, ms[0], ns[0],                                   \
         FAMILIES_VALUE_##scalar(x->alpha), x->a, ldas[0], x->c, ldcs[0])
#    define FAMILIES_TRMM_FORTRAN_PASS(type, scalar)                                                         \
        (sides, uplos, as, diags, ms, ns, x->alpha, x->a, ldas, x->c, ldcs, 1001, 1002, 1003, 1004)
#    define FAMILIES_TRSM_CBLAS_PASS   FAMILIES_TRMM_CBLAS_PASS
#    define FAMILIES_TRSM_FORTRAN_PASS FAMILIES_TRMM_FORTRAN_PASS
#    define FAMILIES_BATCH_CBLAS_PASS(type, scalar)                                                          \
        (x->layout, x->transa, x->transb, ms, ns, ks, x->alpha, x->a, ldas, x->b, ldbs, x->beta, x->c, ldcs, \
         counts[0], sizes)
#    define FAMILIES_BATCH_FORTRAN_PASS(type, scalar)                                                        \
        (as, bs, ms, ns, ks, x->alpha, x->a, ldas, x->b, ldbs, x->beta, x->c, ldcs, counts, sizes, 1001, 1002)
#    define FAMILIES_STRIDED_CBLAS_PASS(type, scalar)                                                        \
        (x->layout, x->transa[0], x->transb[0], ms[0], ns[0], ks[0], FAMILIES_VALUE_##scalar(x->alpha),      \
         x->a, ldas[0], strides[0], x->b, ldbs[0], strides[1], FAMILIES_VALUE_##scalar(x->beta), x->c,       \
         ldcs[0], strides[2], sizes[0])
#    define FAMILIES_STRIDED_FORTRAN_PASS(type, scalar)                                                      \
        (as, bs, ms, ns, ks, x->alpha, x->a, ldas, strides, x->b, ldbs, strides + 1, x->beta, x->c, ldcs,    \
         strides + 2, sizes, 1001, 1002)

#    define FAMILIES_CALL(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)        \
        void prefix##routine##suffix FAMILIES_##family##_##convention##_LIST(integer, type, scalar);         \
        static void families_note_##prefix##routine##suffix FAMILIES_##family##_##convention##_LIST(         \
            integer, type, scalar) {                                                                         \
            struct families_note *note = &families_passed;                                                   \
            *note = (struct families_note){.name = #prefix #routine #suffix};                                \
            FAMILIES_##family##_##convention##_PUT                                                           \
        }                                                                                                    \
        static void families_call_##prefix##routine##suffix(const struct families_arguments *x) {            \
            FAMILIES_INTEGERS(integer);                                                                      \
            FAMILIES_UNUSED;                                                                                 \
            families_note_##prefix##routine##suffix FAMILIES_##family##_##convention##_PASS(type, scalar);   \
            prefix##routine##suffix FAMILIES_##family##_##convention##_PASS(type, scalar);                   \
        }
FAMILIES_ROUTINES(FAMILIES_CALL)

#    define FAMILIES_ROW(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)         \
        [LAVA_ROUTINE_##prefix##routine##suffix] = families_call_##prefix##routine##suffix,
typedef void families_function(const struct families_arguments *arguments);
static families_function *const families_call[LAVA_ROUTINE_COUNT] = {FAMILIES_ROUTINES(FAMILIES_ROW)};

#endif

#endif
