/* The table of routines, and their calls by Fortran's names; those of half precision and batches by CBLAS's.
 */
#include <string.h>

#include "perf/soak/soak_problem.h"
#include "tests/library/level3_functions.h"

typedef void half_function(int, int, int, int, int, int, float, const void *, int, const void *, int, float,
                           void *, int);
typedef void batch_function(int, const int *, const int *, const int *, const int *, const int *,
                            const void *, const void **, const int *, const void **, const int *,
                            const void *, void **, const int *, int, const int *);
typedef void posv_function(const char *, const int *, const int *, void *, const int *, void *, const int *,
                           int *, size_t);
typedef void gesv_function(const int *, const int *, void *, const int *, int *, void *, const int *, int *);
typedef void gels_function(const char *, const int *, const int *, const int *, void *, const int *, void *,
                           const int *, void *, const int *, int *, size_t);

#define DECLARE(family)                                                                                      \
    family##_function SOAK_NAME(s, family), SOAK_NAME(d, family), SOAK_NAME(c, family), SOAK_NAME(z, family);
#define SOAK_NAME(letter, family) letter##family##_
DECLARE(gemm)
DECLARE(symm)
DECLARE(syrk)
DECLARE(syr2k)
DECLARE(posv)
DECLARE(gesv)
DECLARE(gels)
triangular_function strmm_, dtrmm_, ctrmm_, ztrmm_, strsm_, dtrsm_, ctrsm_, ztrsm_;
batch_function cblas_sgemm_batch, cblas_dgemm_batch, cblas_cgemm_batch, cblas_zgemm_batch;
half_function cblas_shgemm, cblas_sbgemm;

// clang-format off
#define FOUR(FAMILY, name, before, after)                                                                    \
    {before "s" name after, FAMILY, SOAK_FP32},  {before "d" name after, FAMILY, SOAK_FP64},                 \
    {before "c" name after, FAMILY, SOAK_CFP32}, {before "z" name after, FAMILY, SOAK_CFP64}
const struct soak_routine soak_routines[] = {
    FOUR(SOAK_GEMM, "gemm", "", "_"),  FOUR(SOAK_SYMM, "symm", "", "_"), FOUR(SOAK_SYRK, "syrk", "", "_"),
    FOUR(SOAK_SYR2K, "syr2k", "", "_"), FOUR(SOAK_TRMM, "trmm", "", "_"), FOUR(SOAK_TRSM, "trsm", "", "_"),
    FOUR(SOAK_BATCH, "gemm_batch", "cblas_", ""),
    FOUR(SOAK_POSV, "posv", "", "_"),  FOUR(SOAK_GESV, "gesv", "", "_"), FOUR(SOAK_GELS, "gels", "", "_"),
    {"cblas_shgemm", SOAK_GEMM, SOAK_FP16}, {"cblas_sbgemm", SOAK_GEMM, SOAK_BF16},
};
const int soak_routine_count = sizeof soak_routines / sizeof soak_routines[0];

/* By type. */
static gemm_function *const gemm[] = {sgemm_, dgemm_, cgemm_, zgemm_};
static symm_function *const symm[] = {ssymm_, dsymm_, csymm_, zsymm_};
static syrk_function *const syrk[] = {ssyrk_, dsyrk_, csyrk_, zsyrk_};
static syr2k_function *const syr2k[] = {ssyr2k_, dsyr2k_, csyr2k_, zsyr2k_};
static triangular_function *const trmm[] = {strmm_, dtrmm_, ctrmm_, ztrmm_};
static triangular_function *const trsm[] = {strsm_, dtrsm_, ctrsm_, ztrsm_};
static batch_function *const batch[] = {cblas_sgemm_batch, cblas_dgemm_batch, cblas_cgemm_batch, cblas_zgemm_batch};
static posv_function *const posv[] = {sposv_, dposv_, cposv_, zposv_};
static gesv_function *const gesv[] = {sgesv_, dgesv_, cgesv_, zgesv_};
static gels_function *const gels[] = {sgels_, dgels_, cgels_, zgels_};
// clang-format on

/* A real scalar as the routines of a type take it. */
struct scalar {
    float single[2];
    double wide[2];
};

static struct scalar scalar_of(double value) {
    return (struct scalar){{(float)value, 0}, {value, 0}};
}

static const void *scalar_as(const struct scalar *scalar, enum soak_type type) {
    bool is_wide = type == SOAK_FP64 || type == SOAK_CFP64;
    return is_wide ? (const void *)scalar->wide : (const void *)scalar->single;
}

static int layout_op(char op) {
    return op == 'N' ? 111 : op == 'T' ? 112 : 113;
}

static void call_half(const struct soak_problem *p, void *c) {
    half_function *function = p->routine->type == SOAK_FP16 ? cblas_shgemm : cblas_sbgemm;
    function(102, layout_op(p->transa), layout_op(p->transb), p->m, p->n, p->k, (float)p->alpha, p->a, p->lda,
             p->b, p->ldb, (float)p->beta, c, p->ldc);
}

static void call_batch(const struct soak_problem *p, const void *alpha, const void *beta, void *c) {
    const void *as[16], *bs[16];
    void *cs[16];
    int transa = layout_op(p->transa), transb = layout_op(p->transb);
    size_t each = p->c_bytes / (size_t)p->count;
    for (int i = 0; i < p->count; i++) {
        as[i] = p->a, bs[i] = p->b;
        cs[i] = (char *)c + (size_t)i * each;
    }
    batch[p->routine->type](102, &transa, &transb, &p->m, &p->n, &p->k, alpha, as, &p->lda, bs, &p->ldb, beta,
                            cs, &p->ldc, 1, &p->count);
}

static int call_solver(const struct soak_problem *p, struct soak_room *room) {
    const int length = p->m * 64;
    int info = -99;
    enum soak_type type = p->routine->type;
    if (p->routine->family == SOAK_POSV)
        posv[type]("L", &p->n, &p->k, room->a, &p->lda, room->c, &p->ldc, &info, 1);
    else if (p->routine->family == SOAK_GESV)
        gesv[type](&p->n, &p->k, room->a, &p->lda, room->pivots, room->c, &p->ldc, &info);
    else
        gels[type]("N", &p->m, &p->n, &p->k, room->a, &p->lda, room->c, &p->ldc, room->work, &length, &info,
                   1);
    return info;
}

int soak_call(const struct soak_problem *p, struct soak_room *room) {
    enum soak_type type = p->routine->type;
    const struct scalar alphas = scalar_of(p->alpha), betas = scalar_of(p->beta), ones = scalar_of(1);
    const void *alpha = scalar_as(&alphas, type), *beta = scalar_as(&betas, type);
    void *c = memcpy(room->c, p->c, p->c_bytes);
    if (type >= SOAK_FP16) {
        call_half(p, c);
        return 0;
    }
    switch (p->routine->family) {
    case SOAK_GEMM:
        gemm[type](&p->transa, &p->transb, &p->m, &p->n, &p->k, alpha, p->a, &p->lda, p->b, &p->ldb, beta, c,
                   &p->ldc, 1, 1);
        return 0;
    case SOAK_SYMM:
        symm[type]("L", "L", &p->m, &p->n, alpha, p->a, &p->lda, p->b, &p->ldb, beta, c, &p->ldc, 1, 1);
        return 0;
    case SOAK_SYRK:
        syrk[type]("L", "N", &p->n, &p->k, alpha, p->a, &p->lda, beta, c, &p->ldc, 1, 1);
        return 0;
    case SOAK_SYR2K:
        syr2k[type]("L", "N", &p->n, &p->k, alpha, p->a, &p->lda, p->b, &p->ldb, beta, c, &p->ldc, 1, 1);
        return 0;
    case SOAK_TRMM:
        trmm[type]("L", "L", "N", "U", &p->m, &p->n, alpha, p->a, &p->lda, c, &p->ldc, 1, 1, 1, 1);
        return 0;
    case SOAK_TRSM:
        trsm[type]("L", "L", "N", "U", &p->m, &p->n, scalar_as(&ones, type), p->a, &p->lda, c, &p->ldc, 1, 1,
                   1, 1);
        return 0;
    case SOAK_BATCH:
        call_batch(p, alpha, beta, c);
        return 0;
    default:
        memcpy(room->a, p->a, p->a_bytes);
        return call_solver(p, room);
    }
}
