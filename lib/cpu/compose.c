/* cblas_sgemm made of sgemm_, and sgemm_ made of cblas_sgemm, for a CPU BLAS that has only one of them.
 * Called through struct lava_cpu_blas.
 *
 * Invariant: what is invalid stays invalid on the way through, so that the library under it complains. */
#include "lib/cpu/compose.h"

#include "lib/cpu/complain.h"
#include "lib/cpu/reference.h"

enum { ROW_MAJOR = 101, COLUMN_MAJOR = 102, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113 };

static lava_cblas_sgemm *real_cblas_sgemm;
static lava_sgemm *real_sgemm;

/* A cblas_sgemm that calls sgemm_ through the process's global scope reaches this library's sgemm_, and with
 * it the function below, again: the second time round the product is computed here. */
static _Thread_local int depth;

static char character_of(int operation) {
    switch (operation) {
    case NO_TRANS:
        return 'N';
    case TRANS:
        return 'T';
    case CONJ_TRANS:
        return 'C';
    default:
        return '?';
    }
}

static int operation_of(char character) {
    switch (character | 0x20) {
    case 'n':
        return NO_TRANS;
    case 't':
        return TRANS;
    case 'c':
        return CONJ_TRANS;
    default:
        return 0;
    }
}

static void composed_cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha,
                                 const float *a, int lda, const float *b, int ldb, float beta, float *c,
                                 int ldc) {
    char op_a = character_of(transa), op_b = character_of(transb);
    if (layout == COLUMN_MAJOR)
        real_sgemm(&op_a, &op_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
    else if (layout == ROW_MAJOR)
        real_sgemm(&op_b, &op_a, &n, &m, &k, &alpha, b, &ldb, a, &lda, &beta, c, &ldc, 1, 1);
    else
        lava_complain("cblas_sgemm", 1);
}

static void composed_sgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                           const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                           const float *beta, float *c, const int *ldc, size_t transa_length,
                           size_t transb_length) {
    if (depth) {
        lava_reference_sgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, transa_length,
                             transb_length);
        return;
    }
    depth++;
    real_cblas_sgemm(COLUMN_MAJOR, operation_of(*transa), operation_of(*transb), *m, *n, *k, *alpha, a, *lda,
                     b, *ldb, *beta, c, *ldc);
    depth--;
}

void lava_compose_missing(struct lava_cpu_blas *blas) {
    if (!blas->cblas_sgemm) {
        real_sgemm = blas->sgemm;
        blas->cblas_sgemm = composed_cblas_sgemm;
    }
    if (!blas->sgemm) {
        real_cblas_sgemm = blas->cblas_sgemm;
        blas->sgemm = composed_sgemm;
    }
}
