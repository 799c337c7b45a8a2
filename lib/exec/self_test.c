/* The self-test. Called once by lifecycle.c's background thread. Sizes leave edges on all sides: more than a
 * tile each way, no multiple of anything. */
#include "lib/exec/self_test.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/log.h"

struct sample {
    int64_t m, n, k, lda, ldb, ldc;
    float *a, *b, *c;
};

/* Values of both signs with full mantissas, from a fixed sequence: the test is the same every time. */
static void fill(float *values, int64_t count, uint32_t seed) {
    for (int64_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)((double)seed / 2147483648.0 - 1.0);
    }
}

static bool make_sample(struct sample *sample, const struct lava_kernel *kernel) {
    sample->m = kernel->tile_m + 3;
    sample->n = kernel->tile_n + 5;
    sample->k = 9 * (int64_t)kernel->tile_k + 1; /* enough for two slabs */
    sample->lda = sample->ldb = sample->ldc = sample->m + sample->n + sample->k;
    int64_t elements = sample->lda * sample->lda;
    sample->a = malloc((size_t)elements * sizeof(float));
    sample->b = malloc((size_t)elements * sizeof(float));
    sample->c = malloc((size_t)elements * sizeof(float));
    if (!sample->a || !sample->b || !sample->c)
        return false;
    fill(sample->a, elements, 1);
    fill(sample->b, elements, 2);
    /* a driver that assumes there are none must not get away with it */
    sample->a[0] = INFINITY;
    sample->a[1 + sample->lda] = NAN;
    return true;
}

static void free_sample(struct sample *sample) {
    free(sample->a);
    free(sample->b);
    free(sample->c);
}

static bool same_special(float got, double expected) {
    return isnan(expected) ? isnan(got) : (double)got == expected;
}

/* The largest componentwise error over 4 sqrt(K + 2) u (|alpha| |A| |B| + |beta| |C0|), with C0 = 1. */
static double worst_error(const struct sample *sample, const struct lava_problem *problem) {
    double worst = 0, bound = 4.0 * sqrt((double)sample->k + 2.0) * 0x1p-24;
    for (int64_t j = 0; j < sample->n; j++) {
        for (int64_t i = 0; i < sample->m; i++) {
            double sum = 0, size = 0;
            for (int64_t l = 0; l < sample->k; l++) {
                double a = sample->a[problem->op_a == LAVA_OP_N ? i + l * sample->lda : l + i * sample->lda];
                double b = sample->b[problem->op_b == LAVA_OP_N ? l + j * sample->ldb : j + l * sample->ldb];
                sum += a * b;
                size += fabs(a * b);
            }
            double expected = problem->alpha * sum + problem->beta;
            double error = fabs((double)sample->c[i + j * sample->ldc] - expected);
            double ratio = error / (bound * (fabs(problem->alpha) * size + fabs(problem->beta)));
            if (isnan(expected) || isinf(expected))
                ratio = same_special(sample->c[i + j * sample->ldc], expected) ? 0 : INFINITY;
            if (!(ratio <= worst)) /* so that a NaN counts */
                worst = ratio;
        }
    }
    return worst;
}

static enum lava_status test_case(struct lava_executor *executor, const struct lava_kernel *kernel,
                                  const struct sample *sample, enum lava_op op, uint32_t split_k) {
    const struct lava_problem problem = {.op_a = op,
                                         .op_b = op,
                                         .m = sample->m,
                                         .n = sample->n,
                                         .k = sample->k,
                                         .lda = sample->lda,
                                         .ldb = sample->ldb,
                                         .ldc = sample->ldc,
                                         .alpha = 0.75,
                                         .beta = -0.5,
                                         .a = sample->a,
                                         .b = sample->b,
                                         .c = sample->c};
    const struct lava_overrides overrides = {.kernel = kernel, .split_k = split_k};
    const struct lava_cpu_figures cpu = {.flops_per_s_fp32 = 1};
    struct lava_plan plan;
    struct lava_progress progress;
    lava_policy_choose(&problem, &executor->capabilities, &cpu, LAVA_MODE_GPU, &overrides, &plan);
    if (plan.place != LAVA_PLACE_GPU)
        return LAVA_OK; /* a row that the device cannot run is never chosen either */
    for (int64_t i = 0; i < sample->ldc * sample->n; i++)
        sample->c[i] = 1.0f;
    enum lava_status status = lava_executor_run(executor, &problem, &plan, &progress, NULL);
    if (status)
        return status;
    double worst = worst_error(sample, &problem);
    if (worst <= 1.0)
        return LAVA_OK;
    LAVA_LOG(WARN, "%s: kernel %s computes wrong results (error %.2g of the bound)",
             executor->capabilities.name, kernel->name, worst);
    return LAVA_ERROR_SELF_TEST;
}

static enum lava_status test_kernel(struct lava_executor *executor, const struct lava_kernel *kernel) {
    struct sample sample = {0};
    enum lava_status status = lava_executor_prepare(executor, kernel);
    if (!status)
        status = make_sample(&sample, kernel) ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
    if (!status)
        status = test_case(executor, kernel, &sample, LAVA_OP_N, 1);
    if (!status)
        status = test_case(executor, kernel, &sample, LAVA_OP_T, 2);
    free_sample(&sample);
    return status;
}

enum lava_status lava_self_test_run(struct lava_executor *executor) {
    const struct lava_profile *profile = lava_profiles_find(&executor->capabilities);
    for (int i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *kernel = lava_kernels_find(profile->kernels[i].kernel);
        if (!kernel || !lava_kernel_fits(kernel, &executor->capabilities, NULL))
            continue;
        enum lava_status status = test_kernel(executor, kernel);
        if (status)
            return status;
    }
    return LAVA_OK;
}
