/* Calls each exported name of ?gemm in the tables of lib/base/routines.h as a program would that declares it
 * itself. names_call[] is indexed by enum lava_routine; NULL: names of other families, and lavablas_hgemm,
 * which no other library has. */
#ifndef LAVA_TESTS_NAMES_H
#define LAVA_TESTS_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/routines.h"

struct names_arguments {
    int layout, transa, transb; /* CBLAS's enumerators; Fortran's letters are derived from them */
    int64_t m, n, k, lda, ldb, ldc;
    const void *alpha, *beta; /* of the routine's scalar type */
    const void *a, *b;
    void *c;
    size_t lengths[2]; /* for Fortran */
};

/* Fortran: the arguments of the last call. */
static const void *names_passed[13];

static const char *names_letter(int enumerator) {
    static const char letters[] = "NTC?";
    return &letters[enumerator >= 111 && enumerator <= 113 ? enumerator - 111 : 3];
}

#define NAMES_VALUE_FP32(scalar)  (*(const float *)(scalar))
#define NAMES_VALUE_FP64(scalar)  (*(const double *)(scalar))
#define NAMES_VALUE_CFP32(scalar) (scalar)
#define NAMES_VALUE_CFP64(scalar) (scalar)
#define NAMES_VALUE_FP16(scalar)  (*(const uint16_t *)(scalar))
#define NAMES_VALUE_BF16(scalar)  (*(const uint16_t *)(scalar))

#define NAMES_CALL_GEMM_OWN(entry, integer, scalar)
#define NAMES_CALL_GEMM_CBLAS(entry, integer, scalar)                                                        \
    void entry(int layout, int transa, int transb, integer m, integer n, integer k,                          \
               LAVA_VALUE_##scalar alpha, const void *a, integer lda, const void *b, integer ldb,            \
               LAVA_VALUE_##scalar beta, void *c, integer ldc);                                              \
    static void names_call_##entry(const struct names_arguments *x) {                                        \
        entry(x->layout, x->transa, x->transb, (integer)x->m, (integer)x->n, (integer)x->k,                  \
              NAMES_VALUE_##scalar(x->alpha), x->a, (integer)x->lda, x->b, (integer)x->ldb,                  \
              NAMES_VALUE_##scalar(x->beta), x->c, (integer)x->ldc);                                         \
    }
#define NAMES_CALL_GEMM_FORTRAN(entry, integer, scalar)                                                      \
    void entry(const char *transa, const char *transb, const integer *m, const integer *n, const integer *k, \
               const void *alpha, const void *a, const integer *lda, const void *b, const integer *ldb,      \
               const void *beta, void *c, const integer *ldc, size_t transa_length, size_t transb_length);   \
    static void names_call_##entry(const struct names_arguments *x) {                                        \
        const char *transa = names_letter(x->transa), *transb = names_letter(x->transb);                     \
        const integer m = (integer)x->m, n = (integer)x->n, k = (integer)x->k;                               \
        const integer lda = (integer)x->lda, ldb = (integer)x->ldb, ldc = (integer)x->ldc;                   \
        const void *const passed[13] = {transa, transb, &m,   &n,      &k,   x->alpha, x->a,                 \
                                        &lda,   x->b,   &ldb, x->beta, x->c, &ldc};                          \
        for (int i = 0; i < 13; i++)                                                                         \
            names_passed[i] = passed[i];                                                                     \
        entry(transa, transb, &m, &n, &k, x->alpha, x->a, &lda, x->b, &ldb, x->beta, x->c, &ldc,             \
              x->lengths[0], x->lengths[1]);                                                                 \
    }

#define NAMES_CALL(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)               \
    NAMES_CALL_##family##_##convention(prefix##routine##suffix, integer, scalar)
LAVA_GEMM_ROUTINES(NAMES_CALL)

#define NAMES_ROW_FORTRAN(entry) [LAVA_ROUTINE_##entry] = names_call_##entry,
#define NAMES_ROW_CBLAS(entry)   [LAVA_ROUTINE_##entry] = names_call_##entry,
#define NAMES_ROW_OWN(entry)
#define NAMES_ROW(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)                \
    NAMES_ROW_##convention(prefix##routine##suffix)
typedef void names_function(const struct names_arguments *arguments);
static names_function *const names_call[LAVA_ROUTINE_COUNT] = {LAVA_GEMM_ROUTINES(NAMES_ROW)};

#endif
