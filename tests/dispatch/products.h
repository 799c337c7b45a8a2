/* Products and plans for the tests of policy.c. */
#ifndef TESTS_DISPATCH_PRODUCTS_H
#define TESTS_DISPATCH_PRODUCTS_H

#include "devices.h"

#include "dispatch/policy.h"

static const struct lava_figures sixteen_cores = {.cpu.flops_per_s = {[LAVA_TYPE_FP32] = 1.2e12,
                                                                      [LAVA_TYPE_FP16] = 0.3e12,
                                                                      [LAVA_TYPE_BF16] = 0.4e12,
                                                                      [LAVA_TYPE_FP64] = 0.6e12,
                                                                      [LAVA_TYPE_CFP32] = 1.1e12,
                                                                      [LAVA_TYPE_CFP64] = 0.55e12}};
static const struct lava_overrides none;

/* The addresses are far apart, so products of these tests overlap only if a test says so. */
static inline struct lava_operation product(int64_t m, int64_t n, int64_t k) {
    return (struct lava_operation){.m = m,
                                   .n = n,
                                   .k = k,
                                   .a.ld = m,
                                   .b.ld = k,
                                   .c.ld = m,
                                   .alpha.real = 1,
                                   .a.first = (const void *)(uintptr_t)0x100000000000,
                                   .b.first = (const void *)(uintptr_t)0x300000000000,
                                   .c.first = (void *)(uintptr_t)0x500000000000};
}

/* type_c counts only for half types. */
static inline struct lava_operation product_of(enum lava_type type, enum lava_type type_c, int64_t m,
                                               int64_t n, int64_t k) {
    struct lava_operation operation = product(m, n, k);
    operation.type = type;
    operation.c.type = lava_type_is_half(type) ? type_c : type;
    return operation;
}

/* Sets a random type, and one of the types that C may have. */
static inline void set_random_types(uint64_t *random, struct lava_operation *operation) {
    operation->type = (enum lava_type)(random_next(random) % LAVA_TYPE_COUNT);
    operation->c.type =
        random_next(random) % 2 && lava_type_is_half(operation->type) ? LAVA_TYPE_FP32 : operation->type;
}

static inline struct lava_plan choose_by(const struct lava_figures *figures,
                                         const struct lava_operation *operation,
                                         const struct lava_capabilities *device, enum lava_mode mode,
                                         const struct lava_overrides *overrides) {
    struct lava_plan plan;
    memset(&plan, 0x5a, sizeof plan);
    lava_policy_choose(operation, device, figures, mode, overrides, &plan);
    return plan;
}

static inline struct lava_plan choose(const struct lava_operation *operation,
                                      const struct lava_capabilities *device, enum lava_mode mode,
                                      const struct lava_overrides *overrides) {
    return choose_by(&sixteen_cores, operation, device, mode, overrides);
}

/* Figures as if the device had been measured with the rates of its profile, times `factor`. */
static inline struct lava_device_figures figures_like(const struct lava_capabilities *device, double factor) {
    const struct lava_profile *profile = lava_profiles_find(device);
    struct lava_device_figures figures = {.call_latency_ns = factor * profile->call_latency_ns,
                                          .upload_bytes_per_s = factor * profile->upload_bytes_per_s,
                                          .download_bytes_per_s = factor * profile->download_bytes_per_s,
                                          .memory_bytes_per_s = factor * profile->memory_bytes_per_s};
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++)
        figures.flops_per_s[lava_kernels_find(profile->kernels[i].kernel) - table] =
            factor * profile->kernels[i].flops_per_s;
    return figures;
}

/* A CPU measured with flops_per_s in fp32 at every size. */
static inline void measure_cpu(struct lava_cpu_figures *figures, double flops_per_s) {
    const int64_t *sizes = lava_figures_sizes;
    for (int i = 0; i < LAVA_FIGURES_SIZES; i++)
        for (int j = 0; j < LAVA_FIGURES_SIZES; j++)
            for (int l = 0; l < LAVA_FIGURES_SIZES; l++)
                figures->product_ns[i][j][l] =
                    2e9 * (double)sizes[i] * (double)sizes[j] * (double)sizes[l] / flops_per_s;
}

#endif
