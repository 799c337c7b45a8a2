/* C <- alpha op(A) op(B) + beta C in plain C. Called through struct lava_cpu_blas where no library was found,
 * and by lava_cpu_blas_run for leading dimensions beyond int.
 *
 * op(A) is packed in blocks that stay in the first-level cache, alpha goes into op(B)'s elements as in the
 * reference BLAS, and the innermost loop runs down a column of C: contiguous, so the compiler vectorizes it.
 * Zeros are not skipped: 0 x NaN is NaN. */
#include "lib/cpu/reference.h"

#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/cpu/complain.h"

#define BLOCK_M 128
#define BLOCK_K 64

static void scale(const struct lava_problem *problem) {
    float beta = (float)problem->beta;
    if (beta == 1)
        return;
    for (int64_t j = 0; j < problem->n; j++) {
        float *c = (float *)problem->c + j * problem->ldc;
        if (beta == 0)
            memset(c, 0, (size_t)problem->m * sizeof *c);
        else
            for (int64_t i = 0; i < problem->m; i++)
                c[i] *= beta;
    }
}

/* packed[p * BLOCK_M + i] = op(A)(row + i, depth + p) */
static void pack_a(const struct lava_problem *problem, int64_t row, int64_t rows, int64_t depth,
                   int64_t depths, float *packed) {
    const float *a = problem->a;
    for (int64_t p = 0; p < depths; p++)
        for (int64_t i = 0; i < rows; i++)
            packed[p * BLOCK_M + i] = problem->op_a == LAVA_OP_N ? a[(row + i) + (depth + p) * problem->lda]
                                                                 : a[(depth + p) + (row + i) * problem->lda];
}

static void multiply_column(const float *restrict packed, const float *b, int64_t b_step, float alpha,
                            int64_t rows, int64_t depths, float *restrict c) {
    for (int64_t p = 0; p < depths; p++) {
        const float *restrict column = packed + p * BLOCK_M;
        float factor = alpha * b[p * b_step];
        for (int64_t i = 0; i < rows; i++)
            c[i] += factor * column[i];
    }
}

void lava_reference_run(const struct lava_problem *problem) {
    float packed[BLOCK_M * BLOCK_K];
    const float *b = problem->b;
    float *c = problem->c;
    bool b_is_n = problem->op_b == LAVA_OP_N;
    int64_t b_step = b_is_n ? 1 : problem->ldb, b_column = b_is_n ? problem->ldb : 1;

    scale(problem);
    if (lava_problem_is_trivial(problem))
        return;
    for (int64_t row = 0; row < problem->m; row += BLOCK_M) {
        int64_t rows = lava_minimum(BLOCK_M, problem->m - row);
        for (int64_t depth = 0; depth < problem->k; depth += BLOCK_K) {
            int64_t depths = lava_minimum(BLOCK_K, problem->k - depth);
            pack_a(problem, row, rows, depth, depths, packed);
            for (int64_t j = 0; j < problem->n; j++)
                multiply_column(packed, b + depth * b_step + j * b_column, b_step, (float)problem->alpha,
                                rows, depths, c + row + j * problem->ldc);
        }
    }
}

void lava_reference_sgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                          const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                          const float *beta, float *c, const int *ldc, size_t transa_length,
                          size_t transb_length) {
    const struct lava_problem numbers = {.type = LAVA_TYPE_FP32,
                                         .m = *m,
                                         .n = *n,
                                         .k = *k,
                                         .lda = *lda,
                                         .ldb = *ldb,
                                         .ldc = *ldc,
                                         .alpha = (double)*alpha,
                                         .beta = (double)*beta,
                                         .a = a,
                                         .b = b,
                                         .c = c};
    struct lava_problem problem;
    (void)transa_length;
    (void)transb_length;
    if (lava_problem_from_fortran(&problem, *transa, *transb, &numbers)) {
        lava_reference_run(&problem);
        return;
    }
    lava_complain_fortran("sgemm_", *transa, *transb, &numbers);
}

void lava_reference_cblas_sgemm(int layout, int transa, int transb, int m, int n, int k, float alpha,
                                const float *a, int lda, const float *b, int ldb, float beta, float *c,
                                int ldc) {
    const struct lava_problem numbers = {.type = LAVA_TYPE_FP32,
                                         .m = m,
                                         .n = n,
                                         .k = k,
                                         .lda = lda,
                                         .ldb = ldb,
                                         .ldc = ldc,
                                         .alpha = (double)alpha,
                                         .beta = (double)beta,
                                         .a = a,
                                         .b = b,
                                         .c = c};
    struct lava_problem problem;
    if (lava_problem_from_cblas(&problem, layout, transa, transb, &numbers)) {
        lava_reference_run(&problem);
        return;
    }
    lava_complain_cblas("cblas_sgemm", layout, transa, transb, &numbers);
}
