/* See ill.h. Called by test_device_solve.c and test_solver.c. */
#include "tests/robustness/ill.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/host/cpu_blas.h"

/* An error of this many u is right, whatever the CPU's error is: there it is the rounding of single
 * operations, whose number in a row and order differ. A block's sums are chains of up to 128 terms, whose
 * roundings add up to about sqrt(128) / 2 = 5.7 u; OpenBLAS's are shorter. With nearly singular matrices of
 * order 140 in fp64 the largest of some hundred was 5.9 u by 1.3 u. */
#define FLOOR_U 8

/* The CPU BLAS's own routine, with 32-bit integers. */
typedef void trsm_function(const char *, const char *, const char *, const char *, const int32_t *,
                           const int32_t *, const void *, const void *, const int32_t *, void *,
                           const int32_t *, size_t, size_t, size_t, size_t);

static trsm_function *cpu_trsm(enum lava_type type) {
    static const char *const names[LAVA_TYPE_COUNT] = {[LAVA_TYPE_FP32] = "strsm_",
                                                       [LAVA_TYPE_FP64] = "dtrsm_",
                                                       [LAVA_TYPE_CFP32] = "ctrsm_",
                                                       [LAVA_TYPE_CFP64] = "ztrsm_"};
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    trsm_function *function = NULL;
    if (blas->handle && !blas->gemm[type].is_ilp64)
        *(void **)&function = dlsym(blas->handle, names[type]);
    return function;
}

bool ill_is_comparable(const struct problem *problem) {
    const struct lava_device_solve *solve = &problem->solve;
    return !solve->unit_diagonal && !(solve->conjugate && solve->op == LAVA_OP_N) &&
           cpu_trsm(problem->a.type);
}

static struct matrix solve_on_cpu(const struct problem *problem) {
    const struct lava_device_solve *solve = &problem->solve;
    struct matrix x = matrix_copy(&problem->b);
    int32_t m = (int32_t)x.rows, n = (int32_t)x.columns, lda = (int32_t)problem->a.ld, ldb = (int32_t)x.ld;
    const double wide[] = {solve->alpha.real, solve->alpha.imaginary};
    const float narrow[] = {(float)wide[0], (float)wide[1]};
    const void *alpha = lava_type_real(x.type) == LAVA_TYPE_FP32 ? (const void *)narrow : wide;
    const char *trans = solve->op == LAVA_OP_N ? "N" : solve->conjugate ? "C" : "T";
    cpu_trsm(x.type)(solve->a_on_right ? "R" : "L", solve->stored == LAVA_REGION_LOWER ? "L" : "U", trans,
                     solve->unit_diagonal ? "U" : "N", &m, &n, alpha, matrix_element(&problem->a, 0, 0), &lda,
                     matrix_element(&x, 0, 0), &ldb, 1, 1, 1, 1);
    return x;
}

struct element {
    double scale, real, imaginary;
};

/* Element (i, j) of the triangle. */
static struct element element_of(const struct problem *problem, enum ill_kind kind, int64_t i, int64_t j) {
    bool narrow = lava_type_real(problem->a.type) == LAVA_TYPE_FP32;
    bool lower = problem->solve.stored == LAVA_REGION_LOWER, on_diagonal = i == j;
    double angle = 1.2, base = narrow ? 0.75 : 0.25, sign = problem_uniform(-1, 1) < 0 ? -1 : 1;
    struct element x = {1, problem_uniform(-1, 1), problem_uniform(-1, 1)};
    switch (kind) {
    case ILL_KAHAN:
        return (struct element){pow(sin(angle), (double)(lower ? j : i)), on_diagonal ? 1 : -cos(angle), 0};
    case ILL_NEARLY_SINGULAR:
        x.scale = on_diagonal ? 1 : 1.0 / (double)problem->order;
        if (on_diagonal && i % 50 == 20)
            x.scale = narrow ? 0x1p-24 : 0x1p-53;
        break;
    case ILL_RANDOM: /* without this, a long solution would overflow */
        x.scale = on_diagonal ? 1 : fmin(1, sqrt(140.0 / (double)problem->order));
        break;
    default:
        x.scale = pow(base, (double)(kind == ILL_GRADED_ROWS ? i : j));
        x.real = on_diagonal ? 1 : x.real;
        return x;
    }
    x.real = on_diagonal ? sign * problem_uniform(0.5, 1) : x.real;
    return x;
}

void ill_fill(struct problem *problem, enum ill_kind kind) {
    bool lower = problem->solve.stored == LAVA_REGION_LOWER;
    for (int64_t j = 0; j < problem->order; j++)
        for (int64_t i = 0; i < problem->order; i++)
            if (i == j || (i > j) == lower) {
                const struct element x = element_of(problem, kind, i, j);
                matrix_set(&problem->a, i, j, x.scale * x.real, x.scale * x.imaginary);
            }
}

static long double error_on_cpu(const struct problem *problem) {
    struct matrix cpu = solve_on_cpu(problem);
    long double error = problem_error(problem, &cpu);
    free(cpu.all);
    return error;
}

bool ill_overflows(const struct problem *problem) {
    return !isfinite(error_on_cpu(problem));
}

long double ill_compare(const struct problem *problem, enum ill_kind kind) {
    long double error = problem_error(problem, &problem->x), by_cpu = error_on_cpu(problem);
    if (!isfinite(by_cpu))
        return -1;
    if (!(error <= 4 * fmaxl(by_cpu, FLOOR_U / 4.0L) && error <= 4.0L * (problem->order + 2)))
        fail_msg("%s, kind %d: the error is %Lg u, the CPU's %Lg u", problem_text(problem), kind, error,
                 by_cpu);
    return error / by_cpu;
}
