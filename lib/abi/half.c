/* Half precision as programs call it. Below the cut-off a call is a comparison and a jump to the CPU BLAS's
 * own routine of that name; where it has none, lib/cpu/half computes, also what no device takes.
 *
 * Three argument lists serve all routines: CBLAS with scalars and C in fp32, CBLAS with 16-bit scalars and C,
 * Fortran. 16-bit scalars are integers that hold the bits, as oneMKL and OpenBLAS have them: _Float16 would
 * travel in another kind of register.
 *
 * Invariants: a forwarded call carries the caller's arguments untouched. The lengths at the end of Fortran's
 * list are passed on but never looked at, and their place is never written (fortran.c tells why). */
#include "lavablas.h"
#include "lavablas_cblas.h"

#include "lib/abi/export.h"
#include "lib/cpu/complain.h"
#include "lib/cpu/convert.h"
#include "lib/cpu/half.h"
#include "lib/exec/gate.h"
#include "lib/exec/runtime.h"

/* One per argument list, inlined into each routine that has it, with the routine's number as a constant. */
#define ENTRY static inline __attribute__((always_inline)) void

enum convention { CBLAS, FORTRAN };

/* A call, whatever its argument list was; sizes, leading dimensions and pointers as the caller gave them. */
struct arguments {
    enum lava_routine routine;
    enum convention convention;
    int layout, transa, transb; /* enumerators, or Fortran's characters */
    struct lava_problem numbers;
};

static struct lava_problem numbers_of(int m, int n, int k, const void *a, int lda, const void *b, int ldb,
                                      void *c, int ldc) {
    return (struct lava_problem){
        .m = m, .n = n, .k = k, .lda = lda, .ldb = ldb, .ldc = ldc, .a = a, .b = b, .c = c};
}

static double from_bits(enum lava_type type, const uint16_t *bits) {
    float value;
    lava_convert_to_fp32(type, bits, &value, 1);
    return (double)value;
}

static bool translate(const struct arguments *x, struct lava_problem *problem) {
    struct lava_problem numbers = x->numbers;
    numbers.type = lava_routine_type(x->routine);
    numbers.type_c = lava_routine_type_c(x->routine);
    return x->convention == CBLAS
               ? lava_problem_from_cblas(problem, x->layout, x->transa, x->transb, &numbers)
               : lava_problem_from_fortran(problem, (char)x->transa, (char)x->transb, &numbers);
}

/* A scalar of Fortran's list: as wide as C's elements. */
static double from_pointer(enum lava_routine routine, const void *scalar) {
    enum lava_type type = lava_routine_type_c(routine);
    return type == LAVA_TYPE_FP32 ? (double)*(const float *)scalar : from_bits(type, scalar);
}

/* What the CPU BLAS would do if it had the routine. problem is NULL where the arguments are invalid. */
static void run_own(const struct arguments *x, const struct lava_problem *problem) {
    const char *name = lava_routine_name(x->routine);
    if (problem)
        lava_half_run(lava_cpu_blas_get(), problem);
    else if (x->convention == CBLAS)
        lava_complain_cblas(name, x->layout, x->transa, x->transb, &x->numbers);
    else
        lava_complain_fortran(name, (char)x->transa, (char)x->transb, &x->numbers);
}

/* Below the cut-off, where the CPU BLAS has no such routine: computed here, and as unseen as a forwarded
 * call. */
static bool computed_unseen(const struct arguments *x) {
    struct lava_problem problem;
    if (!lava_gate_forwards((double)x->numbers.m, (double)x->numbers.n, (double)x->numbers.k) ||
        lava_gate.half[x->routine])
        return false;
    run_own(x, translate(x, &problem) ? &problem : NULL);
    return true;
}

/* False: the caller's arguments are to be forwarded. Either way lava_runtime_end comes next. */
static bool computed(const struct arguments *x, struct lava_call *call) {
    *call = (struct lava_call){.routine = x->routine};
    call->valid = translate(x, &call->problem);
    if (lava_runtime_begin(call))
        return true;
    if (lava_gate.half[x->routine])
        return false;
    run_own(x, call->valid ? &call->problem : NULL);
    return true;
}

LAVA_SLOW_PATH static void slow_mixed(enum lava_routine routine, int layout, int transa, int transb, int m,
                                      int n, int k, float alpha, const uint16_t *a, int lda,
                                      const uint16_t *b, int ldb, float beta, void *c, int ldc) {
    struct arguments x = {routine, CBLAS,  layout,
                          transa,  transb, numbers_of(m, n, k, a, lda, b, ldb, c, ldc)};
    struct lava_call call;
    x.numbers.alpha = (double)alpha;
    x.numbers.beta = (double)beta;
    if (computed_unseen(&x))
        return;
    if (!computed(&x, &call)) {
        lava_cblas_mixed_gemm *forward = (lava_cblas_mixed_gemm *)lava_gate.half[routine];
        forward(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
    lava_runtime_end(&call);
}

ENTRY enter_mixed(enum lava_routine routine, int layout, int transa, int transb, int m, int n, int k,
                  float alpha, const uint16_t *a, int lda, const uint16_t *b, int ldb, float beta, void *c,
                  int ldc) {
    if (lava_gate_forwards(m, n, k) && lava_gate.half[routine]) {
        lava_cblas_mixed_gemm *forward = (lava_cblas_mixed_gemm *)lava_gate.half[routine];
        forward(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    } else {
        slow_mixed(routine, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
}

LAVA_SLOW_PATH static void slow_half(enum lava_routine routine, int layout, int transa, int transb, int m,
                                     int n, int k, uint16_t alpha, const uint16_t *a, int lda,
                                     const uint16_t *b, int ldb, uint16_t beta, uint16_t *c, int ldc) {
    struct arguments x = {routine, CBLAS,  layout,
                          transa,  transb, numbers_of(m, n, k, a, lda, b, ldb, c, ldc)};
    struct lava_call call;
    x.numbers.alpha = from_bits(lava_routine_type_c(routine), &alpha);
    x.numbers.beta = from_bits(lava_routine_type_c(routine), &beta);
    if (computed_unseen(&x))
        return;
    if (!computed(&x, &call)) {
        lava_cblas_half_gemm *forward = (lava_cblas_half_gemm *)lava_gate.half[routine];
        forward(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
    lava_runtime_end(&call);
}

ENTRY enter_half(enum lava_routine routine, int layout, int transa, int transb, int m, int n, int k,
                 uint16_t alpha, const uint16_t *a, int lda, const uint16_t *b, int ldb, uint16_t beta,
                 uint16_t *c, int ldc) {
    if (lava_gate_forwards(m, n, k) && lava_gate.half[routine]) {
        lava_cblas_half_gemm *forward = (lava_cblas_half_gemm *)lava_gate.half[routine];
        forward(layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    } else {
        slow_half(routine, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    }
}

LAVA_SLOW_PATH static void slow_fortran(enum lava_routine routine, const char *transa, const char *transb,
                                        const int *m, const int *n, const int *k, const void *alpha,
                                        const uint16_t *a, const int *lda, const uint16_t *b, const int *ldb,
                                        const void *beta, void *c, const int *ldc, size_t transa_length,
                                        size_t transb_length) {
    struct arguments x = {routine, FORTRAN, 0,
                          *transa, *transb, numbers_of(*m, *n, *k, a, *lda, b, *ldb, c, *ldc)};
    struct lava_call call;
    x.numbers.alpha = from_pointer(routine, alpha);
    x.numbers.beta = from_pointer(routine, beta);
    if (computed_unseen(&x))
        return;
    if (!computed(&x, &call)) {
        lava_half_gemm *forward = (lava_half_gemm *)lava_gate.half[routine];
        forward(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, transa_length, transb_length);
    }
    lava_runtime_end(&call);
}

/* Fortran's list as C programs declare it, without the lengths. */
typedef void plain_half_gemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                             const void *alpha, const uint16_t *a, const int *lda, const uint16_t *b,
                             const int *ldb, const void *beta, void *c, const int *ldc);

ENTRY enter_fortran(enum lava_routine routine, const char *transa, const char *transb, const int *m,
                    const int *n, const int *k, const void *alpha, const uint16_t *a, const int *lda,
                    const uint16_t *b, const int *ldb, const void *beta, void *c, const int *ldc,
                    size_t transa_length, size_t transb_length) {
    if (lava_gate_forwards(*m, *n, *k) && lava_gate.half[routine]) {
        plain_half_gemm *forward = (plain_half_gemm *)lava_gate.half[routine]; /* as in fortran.c */
        forward(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        return;
    }
    slow_fortran(routine, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, transa_length,
                 transb_length);
    __asm__ volatile(""); /* no tail call, for the same reason */
}

LAVA_EXPORT void cblas_shgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m,
                              int n, int k, float alpha, const uint16_t *a, int lda, const uint16_t *b,
                              int ldb, float beta, float *c, int ldc) {
    enter_mixed(LAVA_ROUTINE_CBLAS_SHGEMM, (int)layout, (int)transa, (int)transb, m, n, k, alpha, a, lda, b,
                ldb, beta, c, ldc);
}

LAVA_EXPORT void cblas_gemm_f16f16f32(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                                      int m, int n, int k, float alpha, const uint16_t *a, int lda,
                                      const uint16_t *b, int ldb, float beta, float *c, int ldc) {
    enter_mixed(LAVA_ROUTINE_CBLAS_GEMM_F16F16F32, (int)layout, (int)transa, (int)transb, m, n, k, alpha, a,
                lda, b, ldb, beta, c, ldc);
}

LAVA_EXPORT void cblas_sbgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m,
                              int n, int k, float alpha, const uint16_t *a, int lda, const uint16_t *b,
                              int ldb, float beta, float *c, int ldc) {
    enter_mixed(LAVA_ROUTINE_CBLAS_SBGEMM, (int)layout, (int)transa, (int)transb, m, n, k, alpha, a, lda, b,
                ldb, beta, c, ldc);
}

LAVA_EXPORT void cblas_gemm_bf16bf16f32(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb,
                                        int m, int n, int k, float alpha, const uint16_t *a, int lda,
                                        const uint16_t *b, int ldb, float beta, float *c, int ldc) {
    enter_mixed(LAVA_ROUTINE_CBLAS_GEMM_BF16BF16F32, (int)layout, (int)transa, (int)transb, m, n, k, alpha, a,
                lda, b, ldb, beta, c, ldc);
}

LAVA_EXPORT void lavablas_hgemm(int layout, int transa, int transb, int m, int n, int k, float alpha,
                                const uint16_t *a, int lda, const uint16_t *b, int ldb, float beta,
                                uint16_t *c, int ldc) {
    enter_mixed(LAVA_ROUTINE_LAVABLAS_HGEMM, layout, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c,
                ldc);
}

LAVA_EXPORT void cblas_hgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m,
                             int n, int k, uint16_t alpha, const uint16_t *a, int lda, const uint16_t *b,
                             int ldb, uint16_t beta, uint16_t *c, int ldc) {
    enter_half(LAVA_ROUTINE_CBLAS_HGEMM, (int)layout, (int)transa, (int)transb, m, n, k, alpha, a, lda, b,
               ldb, beta, c, ldc);
}

LAVA_EXPORT void cblas_bgemm(CBLAS_LAYOUT layout, CBLAS_TRANSPOSE transa, CBLAS_TRANSPOSE transb, int m,
                             int n, int k, uint16_t alpha, const uint16_t *a, int lda, const uint16_t *b,
                             int ldb, uint16_t beta, uint16_t *c, int ldc) {
    enter_half(LAVA_ROUTINE_CBLAS_BGEMM, (int)layout, (int)transa, (int)transb, m, n, k, alpha, a, lda, b,
               ldb, beta, c, ldc);
}

LAVA_EXPORT void shgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                         const float *alpha, const uint16_t *a, const int *lda, const uint16_t *b,
                         const int *ldb, const float *beta, float *c, const int *ldc, size_t transa_length,
                         size_t transb_length) {
    enter_fortran(LAVA_ROUTINE_SHGEMM, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                  transa_length, transb_length);
}

LAVA_EXPORT void sbgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                         const float *alpha, const uint16_t *a, const int *lda, const uint16_t *b,
                         const int *ldb, const float *beta, float *c, const int *ldc, size_t transa_length,
                         size_t transb_length) {
    enter_fortran(LAVA_ROUTINE_SBGEMM, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                  transa_length, transb_length);
}

LAVA_EXPORT void hgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                        const uint16_t *alpha, const uint16_t *a, const int *lda, const uint16_t *b,
                        const int *ldb, const uint16_t *beta, uint16_t *c, const int *ldc,
                        size_t transa_length, size_t transb_length) {
    enter_fortran(LAVA_ROUTINE_HGEMM, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                  transa_length, transb_length);
}

LAVA_EXPORT void hgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                       const uint16_t *alpha, const uint16_t *a, const int *lda, const uint16_t *b,
                       const int *ldb, const uint16_t *beta, uint16_t *c, const int *ldc,
                       size_t transa_length, size_t transb_length) {
    enter_fortran(LAVA_ROUTINE_HGEMM_PLAIN, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                  transa_length, transb_length);
}

LAVA_EXPORT void bgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                        const uint16_t *alpha, const uint16_t *a, const int *lda, const uint16_t *b,
                        const int *ldb, const uint16_t *beta, uint16_t *c, const int *ldc,
                        size_t transa_length, size_t transb_length) {
    enter_fortran(LAVA_ROUTINE_BGEMM, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                  transa_length, transb_length);
}
