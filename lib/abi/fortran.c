/* sgemm_ as Fortran programs call it: everything by reference, the lengths of the two characters after the
 * last argument, by value. Below the cut-off it is a comparison and a jump to the CPU BLAS.
 *
 * Invariants: a forwarded call carries the caller's arguments untouched. The lengths are passed on but never
 * looked at, and their place is never written: most C programs do not pass them, and what lies there is then
 * not ours. */
#include "lavablas_cblas.h"

#include "lib/abi/export.h"
#include "lib/exec/gate.h"
#include "lib/exec/runtime.h"

LAVA_SLOW_PATH static void slow_sgemm(const char *transa, const char *transb, const int *m, const int *n,
                                      const int *k, const float *alpha, const float *a, const int *lda,
                                      const float *b, const int *ldb, const float *beta, float *c,
                                      const int *ldc, size_t transa_length, size_t transb_length) {
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
    struct lava_call call = {.routine = LAVA_ROUTINE_SGEMM};
    call.valid = lava_problem_from_fortran(&call.problem, *transa, *transb, &numbers);
    if (!lava_runtime_begin(&call))
        lava_gate.sgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, transa_length,
                        transb_length);
    lava_runtime_end(&call);
}

/* sgemm_ as C programs declare it, without the lengths. */
typedef void plain_sgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                         const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                         const float *beta, float *c, const int *ldc);

LAVA_EXPORT void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                        const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                        const float *beta, float *c, const int *ldc, size_t transa_length,
                        size_t transb_length) {
    if (lava_gate_forwards(*m, *n, *k)) {
        /* A tail call stores its arguments where the caller stored them. For the lengths that would be memory
         * that a caller without lengths uses for something else, perhaps something another thread is
         * changing; left out, they stay where they are, and the jump passes them on all the same. */
        plain_sgemm *forward = (plain_sgemm *)(void (*)(void))lava_gate.sgemm;
        forward(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return;
    }
    slow_sgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, transa_length, transb_length);
    __asm__ volatile(""); /* no tail call, for the same reason */
}
