/* cblas_sgemm as programs call it. Below the cut-off it is a comparison and a jump to the CPU BLAS.
 *
 * Invariant: a forwarded call carries the caller's arguments untouched, so it gives the CPU BLAS's own bits
 * and its own complaints. */
#include "lavablas_cblas.h"

#include "lib/abi/export.h"
#include "lib/exec/gate.h"
#include "lib/exec/runtime.h"

LAVA_SLOW_PATH static void slow_cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa,
                                            CBLAS_TRANSPOSE transb, int m, int n, int k, float alpha,
                                            const float *a, int lda, const float *b, int ldb, float beta,
                                            float *c, int ldc) {
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
    struct lava_call call = {.routine = LAVA_ROUTINE_CBLAS_SGEMM};
    call.valid = lava_problem_from_cblas(&call.problem, (int)layout, (int)transa, (int)transb, &numbers);
    if (!lava_runtime_begin(&call))
        lava_gate.cblas_sgemm((int)layout, (int)transa, (int)transb, m, n, k, alpha, a, lda, b, ldb, beta, c,
                              ldc);
    lava_runtime_end(&call);
}

LAVA_EXPORT void cblas_sgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m,
                             int n, int k, float alpha, const float *a, int lda, const float *b, int ldb,
                             float beta, float *c, int ldc) {
    if (lava_gate_forwards(m, n, k))
        lava_gate.cblas_sgemm((int)layout, (int)transa, (int)transb, m, n, k, alpha, a, lda, b, ldb, beta, c,
                              ldc);
    else
        slow_cblas_sgemm(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
