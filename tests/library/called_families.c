#include <stddef.h>
#include <string.h>

#include "tests/library/called_families.h"
#include "tests/library/family_lists.h"

struct families_note families_passed;

char families_letter(int enumerator) {
    return enumerator >= 111 && enumerator <= 113   ? "NTC"[enumerator - 111]
           : enumerator == 121 || enumerator == 122 ? "UL"[enumerator - 121]
           : enumerator == 131 || enumerator == 132 ? "NU"[enumerator - 131]
           : enumerator == 141 || enumerator == 142 ? "LR"[enumerator - 141]
                                                    : '?';
}

static void families_fill(char *letters, const int *options, int option) {
    for (int i = 0; i < FAMILIES_MOST_GROUPS; i++)
        letters[i] = families_letter(options ? options[i] : option);
}

/* The arguments with the routine's integer and character types. Fortran passes them by pointer: they are
 * static, so that the addresses can be compared after the call. */
#define FAMILIES_INTEGERS(integer)                                                                           \
    struct families_##integer {                                                                              \
        integer ms[FAMILIES_MOST_GROUPS], ns[FAMILIES_MOST_GROUPS], ks[FAMILIES_MOST_GROUPS];                \
        integer ldas[FAMILIES_MOST_GROUPS], ldbs[FAMILIES_MOST_GROUPS], ldcs[FAMILIES_MOST_GROUPS];          \
        integer sizes[FAMILIES_MOST_GROUPS], strides[3], counts[1], rsizes[1], isizes[1];                    \
        char as[FAMILIES_MOST_GROUPS], bs[FAMILIES_MOST_GROUPS];                                             \
        char uplos[FAMILIES_MOST_GROUPS], sides[FAMILIES_MOST_GROUPS], diags[FAMILIES_MOST_GROUPS];          \
        char jobs[1], ranges[1];                                                                             \
    };                                                                                                       \
    static const struct families_##integer *families_fill_##integer(const struct families_arguments *x) {    \
        static struct families_##integer v;                                                                  \
        for (int i = 0; i < FAMILIES_MOST_GROUPS; i++) {                                                     \
            v.ms[i] = (integer)x->m[i], v.ns[i] = (integer)x->n[i], v.ks[i] = (integer)x->k[i];              \
            v.ldas[i] = (integer)x->lda[i], v.ldbs[i] = (integer)x->ldb[i], v.ldcs[i] = (integer)x->ldc[i];  \
            v.sizes[i] = (integer)x->size[i];                                                                \
            v.as[i] = families_letter(x->transa[i]), v.bs[i] = families_letter(x->transb[i]);                \
        }                                                                                                    \
        v.strides[0] = (integer)x->stride_a, v.strides[1] = (integer)x->stride_b;                            \
        v.strides[2] = (integer)x->stride_c, v.counts[0] = (integer)x->count;                                \
        v.rsizes[0] = (integer)x->rsize, v.isizes[0] = (integer)x->isize;                                    \
        v.jobs[0] = x->job, v.ranges[0] = x->range;                                                          \
        families_fill(v.uplos, x->uplos, x->uplo);                                                           \
        families_fill(v.sides, x->sides, x->side);                                                           \
        families_fill(v.diags, x->diags, x->diag);                                                           \
        return &v;                                                                                           \
    }
FAMILIES_INTEGERS(int)
FAMILIES_INTEGERS(int64_t)

#define FAMILIES_VALUE_FP32(scalar)  (*(const float *)(scalar))
#define FAMILIES_VALUE_FP64(scalar)  (*(const double *)(scalar))
#define FAMILIES_VALUE_CFP32(scalar) (scalar)
#define FAMILIES_VALUE_CFP64(scalar) (scalar)

#define FAMILIES_GEMMT_CBLAS_PASS(type, scalar)                                                              \
    (x->layout, x->uplo, x->transa[0], x->transb[0], v->ns[0], v->ks[0], FAMILIES_VALUE_##scalar(x->alpha),  \
     x->a, v->ldas[0], x->b, v->ldbs[0], FAMILIES_VALUE_##scalar(x->beta), x->c, v->ldcs[0])
#define FAMILIES_GEMMT_FORTRAN_PASS(type, scalar)                                                            \
    (v->uplos, v->as, v->bs, v->ns, v->ks, x->alpha, x->a, v->ldas, x->b, v->ldbs, x->beta, x->c, v->ldcs,   \
     1001, 1002, 1003)
#define FAMILIES_SYRK_CBLAS_PASS(type, scalar)                                                               \
    (x->layout, x->uplo, x->transa[0], v->ns[0], v->ks[0], FAMILIES_VALUE_##scalar(x->alpha), x->a,          \
     v->ldas[0], FAMILIES_VALUE_##scalar(x->beta), x->c, v->ldcs[0])
#define FAMILIES_SYRK_FORTRAN_PASS(type, scalar)                                                             \
    (v->uplos, v->as, v->ns, v->ks, x->alpha, x->a, v->ldas, x->beta, x->c, v->ldcs, 1001, 1002)
#define FAMILIES_SYMM_CBLAS_PASS(type, scalar)                                                               \
    (x->layout, x->side, x->uplo, v->ms[0], v->ns[0], FAMILIES_VALUE_##scalar(x->alpha), x->a, v->ldas[0],   \
     x->b, v->ldbs[0], FAMILIES_VALUE_##scalar(x->beta), x->c, v->ldcs[0])
#define FAMILIES_SYMM_FORTRAN_PASS(type, scalar)                                                             \
    (v->sides, v->uplos, v->ms, v->ns, x->alpha, x->a, v->ldas, x->b, v->ldbs, x->beta, x->c, v->ldcs, 1001, \
     1002)
#define FAMILIES_HEMM_CBLAS_PASS   FAMILIES_SYMM_CBLAS_PASS
#define FAMILIES_HEMM_FORTRAN_PASS FAMILIES_SYMM_FORTRAN_PASS
#define FAMILIES_SYR2K_CBLAS_PASS(type, scalar)                                                              \
    (x->layout, x->uplo, x->transa[0], v->ns[0], v->ks[0], FAMILIES_VALUE_##type(x->alpha), x->a,            \
     v->ldas[0], x->b, v->ldbs[0], FAMILIES_VALUE_##scalar(x->beta), x->c, v->ldcs[0])
#define FAMILIES_SYR2K_FORTRAN_PASS(type, scalar)                                                            \
    (v->uplos, v->as, v->ns, v->ks, x->alpha, x->a, v->ldas, x->b, v->ldbs, x->beta, x->c, v->ldcs, 1001,    \
     1002)
#define FAMILIES_TRMM_CBLAS_PASS(type, scalar)                                                               \
    (x->layout, x->side, x->uplo, x->transa[0], x->diag, v->ms[0], v->ns[0],                                 \
     FAMILIES_VALUE_##scalar(x->alpha), x->a, v->ldas[0], x->c, v->ldcs[0])
#define FAMILIES_TRMM_FORTRAN_PASS(type, scalar)                                                             \
    (v->sides, v->uplos, v->as, v->diags, v->ms, v->ns, x->alpha, x->a, v->ldas, x->c, v->ldcs, 1001, 1002,  \
     1003, 1004)
#define FAMILIES_TRSM_CBLAS_PASS   FAMILIES_TRMM_CBLAS_PASS
#define FAMILIES_TRSM_FORTRAN_PASS FAMILIES_TRMM_FORTRAN_PASS
/* x and y are where other routines have B and C. */
#define FAMILIES_GEMV_CBLAS_PASS(type, scalar)                                                               \
    (x->layout, x->transa[0], v->ms[0], v->ns[0], FAMILIES_VALUE_##scalar(x->alpha), x->a, v->ldas[0], x->b, \
     v->ldbs[0], FAMILIES_VALUE_##scalar(x->beta), x->c, v->ldcs[0])
#define FAMILIES_GEMV_FORTRAN_PASS(type, scalar)                                                             \
    (v->as, v->ms, v->ns, x->alpha, x->a, v->ldas, x->b, v->ldbs, x->beta, x->c, v->ldcs, 1001)
#define FAMILIES_SYMV_CBLAS_PASS(type, scalar)                                                               \
    (x->layout, x->uplo, v->ns[0], FAMILIES_VALUE_##scalar(x->alpha), x->a, v->ldas[0], x->b, v->ldbs[0],    \
     FAMILIES_VALUE_##scalar(x->beta), x->c, v->ldcs[0])
#define FAMILIES_SYMV_FORTRAN_PASS(type, scalar)                                                             \
    (v->uplos, v->ns, x->alpha, x->a, v->ldas, x->b, v->ldbs, x->beta, x->c, v->ldcs, 1001)
#define FAMILIES_HEMV_CBLAS_PASS   FAMILIES_SYMV_CBLAS_PASS
#define FAMILIES_HEMV_FORTRAN_PASS FAMILIES_SYMV_FORTRAN_PASS

#define FAMILIES_TRMV_CBLAS_PASS(type, scalar)                                                               \
    (x->layout, x->uplo, x->transa[0], x->diag, v->ns[0], x->a, v->ldas[0], x->c, v->ldcs[0])
#define FAMILIES_TRMV_FORTRAN_PASS(type, scalar)                                                             \
    (v->uplos, v->as, v->diags, v->ns, x->a, v->ldas, x->c, v->ldcs, 1001, 1002, 1003)
#define FAMILIES_TRSV_CBLAS_PASS   FAMILIES_TRMV_CBLAS_PASS
#define FAMILIES_TRSV_FORTRAN_PASS FAMILIES_TRMV_FORTRAN_PASS

#define FAMILIES_BATCH_CBLAS_PASS(type, scalar)                                                              \
    (x->layout, x->transa, x->transb, v->ms, v->ns, v->ks, x->alpha, x->a, v->ldas, x->b, v->ldbs, x->beta,  \
     x->c, v->ldcs, v->counts[0], v->sizes)
#define FAMILIES_BATCH_FORTRAN_PASS(type, scalar)                                                            \
    (v->as, v->bs, v->ms, v->ns, v->ks, x->alpha, x->a, v->ldas, x->b, v->ldbs, x->beta, x->c, v->ldcs,      \
     v->counts, v->sizes, 1001, 1002)
#define FAMILIES_STRIDED_CBLAS_PASS(type, scalar)                                                            \
    (x->layout, x->transa[0], x->transb[0], v->ms[0], v->ns[0], v->ks[0], FAMILIES_VALUE_##scalar(x->alpha), \
     x->a, v->ldas[0], v->strides[0], x->b, v->ldbs[0], v->strides[1], FAMILIES_VALUE_##scalar(x->beta),     \
     x->c, v->ldcs[0], v->strides[2], v->sizes[0])
#define FAMILIES_STRIDED_FORTRAN_PASS(type, scalar)                                                          \
    (v->as, v->bs, v->ms, v->ns, v->ks, x->alpha, x->a, v->ldas, v->strides, x->b, v->ldbs, v->strides + 1,  \
     x->beta, x->c, v->ldcs, v->strides + 2, v->sizes, 1001, 1002)

#define FAMILIES_SYRK_BATCH_CBLAS_PASS(type, scalar)                                                         \
    (x->layout, x->uplos, x->transa, v->ns, v->ks, x->alpha, x->a, v->ldas, x->beta, x->c, v->ldcs,          \
     v->counts[0], v->sizes)
#define FAMILIES_SYRK_BATCH_FORTRAN_PASS(type, scalar)                                                       \
    (v->uplos, v->as, v->ns, v->ks, x->alpha, x->a, v->ldas, x->beta, x->c, v->ldcs, v->counts, v->sizes,    \
     1001, 1002)
#define FAMILIES_SYRK_STRIDED_CBLAS_PASS(type, scalar)                                                       \
    (x->layout, x->uplo, x->transa[0], v->ns[0], v->ks[0], FAMILIES_VALUE_##scalar(x->alpha), x->a,          \
     v->ldas[0], v->strides[0], FAMILIES_VALUE_##scalar(x->beta), x->c, v->ldcs[0], v->strides[2],           \
     v->sizes[0])
#define FAMILIES_SYRK_STRIDED_FORTRAN_PASS(type, scalar)                                                     \
    (v->uplos, v->as, v->ns, v->ks, x->alpha, x->a, v->ldas, v->strides, x->beta, x->c, v->ldcs,             \
     v->strides + 2, v->sizes, 1001, 1002)
#define FAMILIES_TRSM_BATCH_CBLAS_PASS(type, scalar)                                                         \
    (x->layout, x->sides, x->uplos, x->transa, x->diags, v->ms, v->ns, x->alpha, x->a, v->ldas, x->c,        \
     v->ldcs, v->counts[0], v->sizes)
#define FAMILIES_TRSM_BATCH_FORTRAN_PASS(type, scalar)                                                       \
    (v->sides, v->uplos, v->as, v->diags, v->ms, v->ns, x->alpha, x->a, v->ldas, x->c, v->ldcs, v->counts,   \
     v->sizes, 1001, 1002, 1003, 1004)
#define FAMILIES_TRSM_STRIDED_CBLAS_PASS(type, scalar)                                                       \
    (x->layout, x->side, x->uplo, x->transa[0], x->diag, v->ms[0], v->ns[0],                                 \
     FAMILIES_VALUE_##scalar(x->alpha), x->a, v->ldas[0], v->strides[0], x->c, v->ldcs[0], v->strides[2],    \
     v->sizes[0])
#define FAMILIES_TRSM_STRIDED_FORTRAN_PASS(type, scalar)                                                     \
    (v->sides, v->uplos, v->as, v->diags, v->ms, v->ns, x->alpha, x->a, v->ldas, v->strides, x->c, v->ldcs,  \
     v->strides + 2, v->sizes, 1001, 1002, 1003, 1004)

#define FAMILIES_POTRF_FORTRAN_PASS(type, scalar) (v->uplos, v->ns, x->c, v->ldcs, x->info, 1001)

#define FAMILIES_GETRF_FORTRAN_PASS(type, scalar) (v->ms, v->ns, x->c, v->ldcs, x->ipiv, x->info)

/* A is where other routines have C, and B where they have A. */
#define FAMILIES_POTRS_FORTRAN_PASS(type, scalar)                                                            \
    (v->uplos, v->ns, v->ks, x->c, v->ldcs, (void *)(uintptr_t)x->b, v->ldbs, x->info, 1001)
#define FAMILIES_POSV_FORTRAN_PASS FAMILIES_POTRS_FORTRAN_PASS
#define FAMILIES_GETRS_FORTRAN_PASS(type, scalar)                                                            \
    (v->as, v->ns, v->ks, x->c, v->ldcs, x->ipiv, (void *)(uintptr_t)x->b, v->ldbs, x->info, 1001)
#define FAMILIES_GESV_FORTRAN_PASS(type, scalar)                                                             \
    (v->ns, v->ks, x->c, v->ldcs, x->ipiv, (void *)(uintptr_t)x->b, v->ldbs, x->info)

/* B is the workspace, and size its length. */
#define FAMILIES_GEQRF_FORTRAN_PASS(type, scalar)                                                            \
    (v->ms, v->ns, x->c, v->ldcs, x->ipiv, (void *)(uintptr_t)x->b, v->sizes, x->info)
#define FAMILIES_ORGQR_FORTRAN_PASS(type, scalar)                                                            \
    (v->ms, v->ns, v->ks, x->c, v->ldcs, x->ipiv, (void *)(uintptr_t)x->b, v->sizes, x->info)
#define FAMILIES_ORMQR_FORTRAN_PASS(type, scalar)                                                            \
    (v->sides, v->as, v->ms, v->ns, v->ks, x->a, v->ldas, x->ipiv, x->c, v->ldcs, (void *)(uintptr_t)x->b,   \
     v->sizes, x->info, 1001, 1002)

/* JPVT is where other routines have ISUPPZ. */
#define FAMILIES_GEQP3_FORTRAN_PASS(type, scalar)                                                            \
    (v->ms, v->ns, x->c, v->ldcs, x->support, x->ipiv, (void *)(uintptr_t)x->b, v->sizes, x->info)
#define FAMILIES_CGEQP3_FORTRAN_PASS(type, scalar)                                                           \
    (v->ms, v->ns, x->c, v->ldcs, x->support, x->ipiv, (void *)(uintptr_t)x->b, v->sizes, x->rwork, x->info)

/* A is where other routines have C, the workspace where ?geqrf has tau. */
#define FAMILIES_GELS_FORTRAN_PASS(type, scalar)                                                             \
    (v->as, v->ms, v->ns, v->ks, x->c, v->ldcs, (void *)(uintptr_t)x->b, v->ldbs, x->ipiv, v->sizes,         \
     x->info, 1001)

#define FAMILIES_TRTRS_FORTRAN_PASS(type, scalar)                                                            \
    (v->uplos, v->as, v->diags, v->ns, v->ks, x->c, v->ldcs, (void *)(uintptr_t)x->b, v->ldbs, x->info,      \
     1001, 1002, 1003)

#define FAMILIES_TRTRI_FORTRAN_PASS(type, scalar)                                                            \
    (v->uplos, v->diags, v->ns, x->c, v->ldcs, x->info, 1001, 1002)
#define FAMILIES_LAUUM_FORTRAN_PASS FAMILIES_POTRF_FORTRAN_PASS
#define FAMILIES_POTRI_FORTRAN_PASS FAMILIES_POTRF_FORTRAN_PASS
/* The workspace is where B is, and lwork where its columns are counted. */
#define FAMILIES_GETRI_FORTRAN_PASS(type, scalar)                                                            \
    (v->ns, x->c, v->ldcs, x->ipiv, (void *)(uintptr_t)x->b, v->ks, x->info)

/* tau, D and E lie one after the other, tau as if it were of the largest type. */
#define FAMILIES_PART(from, bytes) ((void *)((uintptr_t)x->ipiv + (uintptr_t)x->n[0] * (from) * (bytes)))
#define FAMILIES_SYTRD_FORTRAN_PASS(type, scalar)                                                            \
    (v->uplos, v->ns, x->c, v->ldcs, FAMILIES_PART(1, 16), FAMILIES_PART(3, 8), x->ipiv,                     \
     (void *)(uintptr_t)x->b, v->sizes, x->info, 1001)

#define FAMILIES_ORGBR_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->ms, v->ns, v->ks, x->c, v->ldcs, x->ipiv, (void *)(uintptr_t)x->b, v->sizes, x->info, 1001)
#define FAMILIES_ORMBR_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->sides, v->as, v->ms, v->ns, v->ks, x->a, v->ldas, x->ipiv, x->c, v->ldcs,                   \
     (void *)(uintptr_t)x->b, v->sizes, x->info, 1001, 1002, 1003)
/* tauq, taup, D and E, in the same way. */
#define FAMILIES_GEBRD_FORTRAN_PASS(type, scalar)                                                            \
    (v->ms, v->ns, x->c, v->ldcs, FAMILIES_PART(2, 16), FAMILIES_PART(5, 8), x->ipiv, FAMILIES_PART(1, 16),  \
     (void *)(uintptr_t)x->b, v->sizes, x->info)

/* The range's ends are where other routines have scalars, and il and iu where they have m and k; the
 * tolerance is the least. */
static const double families_none[1];
#define FAMILIES_SYEV_FORTRAN_PASS(type, scalar)                                                             \
    (v->jobs, v->uplos, v->ns, x->c, v->ldcs, x->w, (void *)(uintptr_t)x->b, v->sizes, x->info, 1001, 1002)
#define FAMILIES_HEEV_FORTRAN_PASS(type, scalar)                                                             \
    (v->jobs, v->uplos, v->ns, x->c, v->ldcs, x->w, (void *)(uintptr_t)x->b, v->sizes, x->rwork, x->info,    \
     1001, 1002)
#define FAMILIES_SYEVD_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->uplos, v->ns, x->c, v->ldcs, x->w, (void *)(uintptr_t)x->b, v->sizes, x->iwork, v->isizes,  \
     x->info, 1001, 1002)
#define FAMILIES_HEEVD_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->uplos, v->ns, x->c, v->ldcs, x->w, (void *)(uintptr_t)x->b, v->sizes, x->rwork, v->rsizes,  \
     x->iwork, v->isizes, x->info, 1001, 1002)
#define FAMILIES_SYEVR_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->ranges, v->uplos, v->ns, x->c, v->ldcs, x->alpha, x->beta, v->ms, v->ks, families_none,     \
     x->found, x->w, x->z, v->ldas, x->support, (void *)(uintptr_t)x->b, v->sizes, x->iwork, v->isizes,      \
     x->info, 1001, 1002, 1003)
#define FAMILIES_HEEVR_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->ranges, v->uplos, v->ns, x->c, v->ldcs, x->alpha, x->beta, v->ms, v->ks, families_none,     \
     x->found, x->w, x->z, v->ldas, x->support, (void *)(uintptr_t)x->b, v->sizes, x->rwork, v->rsizes,      \
     x->iwork, v->isizes, x->info, 1001, 1002, 1003)
#define FAMILIES_SYEVX_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->ranges, v->uplos, v->ns, x->c, v->ldcs, x->alpha, x->beta, v->ms, v->ks, families_none,     \
     x->found, x->w, x->z, v->ldas, (void *)(uintptr_t)x->b, v->sizes, x->iwork, x->support, x->info, 1001,  \
     1002, 1003)
#define FAMILIES_HEEVX_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->ranges, v->uplos, v->ns, x->c, v->ldcs, x->alpha, x->beta, v->ms, v->ks, families_none,     \
     x->found, x->w, x->z, v->ldas, (void *)(uintptr_t)x->b, v->sizes, x->rwork, x->iwork, x->support,       \
     x->info, 1001, 1002, 1003)

/* E follows D, as if that were of the largest type. */
#define FAMILIES_D_AND_E x->w, (void *)((uintptr_t)x->w + (uintptr_t)x->n[0] * sizeof(double))
#define FAMILIES_STEDC_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->ns, FAMILIES_D_AND_E, x->c, v->ldcs, (void *)(uintptr_t)x->b, v->sizes, x->iwork,           \
     v->isizes, x->info, 1001)
#define FAMILIES_STEDC_COMPLEX_FORTRAN_PASS(type, scalar)                                                    \
    (v->jobs, v->ns, FAMILIES_D_AND_E, x->c, v->ldcs, (void *)(uintptr_t)x->b, v->sizes, x->rwork,           \
     v->rsizes, x->iwork, v->isizes, x->info, 1001)

/* The second matrix is A, and the problem's type is where batches have a count. */
#define FAMILIES_PENCIL x->c, v->ldcs, (void *)(uintptr_t)x->a, v->ldbs
#define FAMILIES_SYGV_FORTRAN_PASS(type, scalar)                                                             \
    (v->counts, v->jobs, v->uplos, v->ns, FAMILIES_PENCIL, x->w, (void *)(uintptr_t)x->b, v->sizes, x->info, \
     1001, 1002)
#define FAMILIES_HEGV_FORTRAN_PASS(type, scalar)                                                             \
    (v->counts, v->jobs, v->uplos, v->ns, FAMILIES_PENCIL, x->w, (void *)(uintptr_t)x->b, v->sizes,          \
     x->rwork, x->info, 1001, 1002)
#define FAMILIES_SYGVD_FORTRAN_PASS(type, scalar)                                                            \
    (v->counts, v->jobs, v->uplos, v->ns, FAMILIES_PENCIL, x->w, (void *)(uintptr_t)x->b, v->sizes,          \
     x->iwork, v->isizes, x->info, 1001, 1002)
#define FAMILIES_HEGVD_FORTRAN_PASS(type, scalar)                                                            \
    (v->counts, v->jobs, v->uplos, v->ns, FAMILIES_PENCIL, x->w, (void *)(uintptr_t)x->b, v->sizes,          \
     x->rwork, v->rsizes, x->iwork, v->isizes, x->info, 1001, 1002)
#define FAMILIES_SYGVX_FORTRAN_PASS(type, scalar)                                                            \
    (v->counts, v->jobs, v->ranges, v->uplos, v->ns, FAMILIES_PENCIL, x->alpha, x->beta, v->ms, v->ks,       \
     families_none, x->found, x->w, x->z, v->ldas, (void *)(uintptr_t)x->b, v->sizes, x->iwork, x->support,  \
     x->info, 1001, 1002, 1003)
#define FAMILIES_HEGVX_FORTRAN_PASS(type, scalar)                                                            \
    (v->counts, v->jobs, v->ranges, v->uplos, v->ns, FAMILIES_PENCIL, x->alpha, x->beta, v->ms, v->ks,       \
     families_none, x->found, x->w, x->z, v->ldas, (void *)(uintptr_t)x->b, v->sizes, x->rwork, x->iwork,    \
     x->support, x->info, 1001, 1002, 1003)

/* Singular values: the jobs are the letters, U is Z, V^H is where others have support. Least squares: the
 * right-hand sides are Z, the rank is what is found. */
#define FAMILIES_GESDD_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->ms, v->ns, x->c, v->ldcs, x->w, x->z, v->ldas, x->support, v->ldbs,                         \
     (void *)(uintptr_t)x->b, v->sizes, x->iwork, x->info, 1001)
#define FAMILIES_GESDD_COMPLEX_FORTRAN_PASS(type, scalar)                                                    \
    (v->jobs, v->ms, v->ns, x->c, v->ldcs, x->w, x->z, v->ldas, x->support, v->ldbs,                         \
     (void *)(uintptr_t)x->b, v->sizes, x->rwork, x->iwork, x->info, 1001)
#define FAMILIES_GESVD_FORTRAN_PASS(type, scalar)                                                            \
    (v->jobs, v->ranges, v->ms, v->ns, x->c, v->ldcs, x->w, x->z, v->ldas, x->support, v->ldbs,              \
     (void *)(uintptr_t)x->b, v->sizes, x->info, 1001, 1002)
#define FAMILIES_GESVD_COMPLEX_FORTRAN_PASS(type, scalar)                                                    \
    (v->jobs, v->ranges, v->ms, v->ns, x->c, v->ldcs, x->w, x->z, v->ldas, x->support, v->ldbs,              \
     (void *)(uintptr_t)x->b, v->sizes, x->rwork, x->info, 1001, 1002)
#define FAMILIES_GELSD_FORTRAN_PASS(type, scalar)                                                            \
    (v->ms, v->ns, v->ks, x->c, v->ldcs, x->z, v->ldas, x->w, x->alpha, x->found, (void *)(uintptr_t)x->b,   \
     v->sizes, x->iwork, x->info)
#define FAMILIES_GELSD_COMPLEX_FORTRAN_PASS(type, scalar)                                                    \
    (v->ms, v->ns, v->ks, x->c, v->ldcs, x->z, v->ldas, x->w, x->alpha, x->found, (void *)(uintptr_t)x->b,   \
     v->sizes, x->rwork, x->iwork, x->info)
#define FAMILIES_GELSS_FORTRAN_PASS(type, scalar)                                                            \
    (v->ms, v->ns, v->ks, x->c, v->ldcs, x->z, v->ldas, x->w, x->alpha, x->found, (void *)(uintptr_t)x->b,   \
     v->sizes, x->info)
#define FAMILIES_GELSS_COMPLEX_FORTRAN_PASS(type, scalar)                                                    \
    (v->ms, v->ns, v->ks, x->c, v->ldcs, x->z, v->ldas, x->w, x->alpha, x->found, (void *)(uintptr_t)x->b,   \
     v->sizes, x->rwork, x->info)

#define FAMILIES_CALL(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)            \
    void prefix##routine##suffix FAMILIES_##family##_##convention##_LIST(integer, type, scalar);             \
    static void families_note_##prefix##routine##suffix FAMILIES_##family##_##convention##_LIST(             \
        integer, type, scalar) {                                                                             \
        struct families_note *note = &families_passed;                                                       \
        *note = (struct families_note){.name = #prefix #routine #suffix};                                    \
        FAMILIES_##family##_##convention##_PUT                                                               \
    }                                                                                                        \
    static void families_call_##prefix##routine##suffix(const struct families_arguments *x) {                \
        const struct families_##integer *v = families_fill_##integer(x);                                     \
        families_note_##prefix##routine##suffix FAMILIES_##family##_##convention##_PASS(type, scalar);       \
        prefix##routine##suffix FAMILIES_##family##_##convention##_PASS(type, scalar);                       \
    }
LAVA_OTHER_ROUTINES(FAMILIES_CALL)

#define FAMILIES_ROW(prefix, suffix, convention, integer, family, routine, type, type_c, scalar)             \
    [LAVA_ROUTINE_##prefix##routine##suffix] = families_call_##prefix##routine##suffix,
families_function *const families_call[LAVA_ROUTINE_COUNT] = {LAVA_OTHER_ROUTINES(FAMILIES_ROW)};
