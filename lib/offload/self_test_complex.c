/* Tests the steps that only complex products have: splitting operands into parts and making the result from
 * parts. Called by self_test.c with one kernel per type. */
#include "lib/offload/self_test.h"

#include <math.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/offload/worst.h"

enum { M = 21, N = 18, K = 13, LD = 24 };
#define ALPHA           0.75
#define ALPHA_IMAGINARY (-0.5)

/* The numbers are fp64, whatever the type: real part, imaginary part, column by column. */
struct sample {
    double a[2 * LD * LD], b[2 * LD * LD], c[2 * LD * LD];
};

/* Fills in values of both signs with full mantissas, the same every time. */
static void fill(enum lava_type part, double *numbers, uint64_t seed) {
    for (int i = 0; i < 2 * LD * LD; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double value = (double)(int64_t)seed * 0x1p-63;
        numbers[i] = part == LAVA_TYPE_FP64 ? value : (double)(float)value;
    }
}

/* store and load convert between these numbers and a matrix of the type. */
static void store(enum lava_type part, const double *numbers, void *matrix) {
    for (int i = 0; i < 2 * LD * LD; i++)
        if (part == LAVA_TYPE_FP64)
            ((double *)matrix)[i] = numbers[i];
        else
            ((float *)matrix)[i] = (float)numbers[i];
}

static void load(enum lava_type part, const void *matrix, double *numbers) {
    for (int i = 0; i < 2 * LD * LD; i++)
        numbers[i] =
            part == LAVA_TYPE_FP64 ? ((const double *)matrix)[i] : (double)((const float *)matrix)[i];
}

/* Computes C <- alpha A^H B, where C holds NaN before. */
static enum lava_status multiply(const struct lava_self_test *test, const struct lava_kernel *kernel,
                                 struct sample *sample) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1, 1, 1}};
    double a[2 * LD * LD], b[2 * LD * LD], c[2 * LD * LD];
    enum lava_type type = lava_type_facts(kernel->type)->complex_type;
    const struct lava_overrides overrides = {.kernel = kernel};
    const struct lava_operation operation = {.type = type,
                                             .c.type = type,
                                             .a.op = LAVA_OP_T,
                                             .b.op = LAVA_OP_N,
                                             .a.conjugate = true,
                                             .m = M,
                                             .n = N,
                                             .k = K,
                                             .a.ld = LD,
                                             .b.ld = LD,
                                             .c.ld = LD,
                                             .alpha.real = ALPHA,
                                             .alpha.imaginary = ALPHA_IMAGINARY,
                                             .a.first = a,
                                             .b.first = b,
                                             .c.first = c,
                                             .precision = LAVA_PRECISION_IEEE};
    struct lava_plan plan;
    store(kernel->type, sample->a, a);
    store(kernel->type, sample->b, b);
    memset(c, 0xff, sizeof c);
    lava_policy_choose(&operation, &test->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    if (plan.place != LAVA_PLACE_GPU)
        return LAVA_ERROR_SELF_TEST;
    enum lava_status status = lava_self_test_multiply(test, &operation, &plan);
    load(kernel->type, c, sample->c);
    return status;
}

/* Returns the error of one element, in units of 8 sqrt(2 K + 2) u of its size. */
static double error_of(const struct sample *sample, int i, int j, double unit) {
    double re = 0, im = 0, size = 0;
    for (int l = 0; l < K; l++) {
        const double *x = &sample->a[2 * (l + i * LD)], *y = &sample->b[2 * (l + j * LD)];
        re += x[0] * y[0] + x[1] * y[1];
        im += x[0] * y[1] - x[1] * y[0];
        size += (fabs(x[0]) + fabs(x[1])) * (fabs(y[0]) + fabs(y[1]));
    }
    const double *got = &sample->c[2 * (i + j * LD)];
    double off_re = fabs(got[0] - (ALPHA * re - ALPHA_IMAGINARY * im));
    double off_im = fabs(got[1] - (ALPHA * im + ALPHA_IMAGINARY * re));
    return (off_re + off_im) / (8.0 * sqrt(2.0 * K + 2.0) * unit * size);
}

enum lava_status lava_self_test_complex(struct lava_self_test *test, const struct lava_kernel *kernel) {
    struct sample sample;
    double worst = 0;
    fill(kernel->type, sample.a, 3);
    fill(kernel->type, sample.b, 4);
    enum lava_status status = multiply(test, kernel, &sample);
    for (int j = 0; j < N && !status; j++)
        for (int i = 0; i < M; i++) {
            double error = error_of(&sample, i, j, lava_type_facts(kernel->type)->unit);
            worst = lava_worst_of(worst, error);
        }
    if (!status)
        lava_self_test_tell(test, "complex products", lava_type_facts(kernel->type)->complex_type, kernel,
                            worst);
    if (status || worst <= 1.0)
        return status;
    LAVA_LOG(WARN, "%s: complex products by %s are wrong (error %.2g of the bound)",
             test->engine->capabilities.label, kernel->name, worst);
    return LAVA_ERROR_SELF_TEST;
}
