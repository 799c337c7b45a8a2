/* Products and plans for the tests of policy.c. */
#ifndef TESTS_DISPATCH_PRODUCTS_H
#define TESTS_DISPATCH_PRODUCTS_H

#include "devices.h"

#include "dispatch/policy.h"

static const struct lava_cpu_figures sixteen_cores = {
    .flops_per_s = {[LAVA_TYPE_FP32] = 1.2e12, [LAVA_TYPE_FP16] = 0.3e12, [LAVA_TYPE_BF16] = 0.4e12}};
static const struct lava_overrides none;

/* Addresses far apart: no product of these tests overlaps unless it says so. */
static inline struct lava_problem product(int64_t m, int64_t n, int64_t k) {
    return (struct lava_problem){.m = m,
                                 .n = n,
                                 .k = k,
                                 .lda = m,
                                 .ldb = k,
                                 .ldc = m,
                                 .alpha = 1,
                                 .a = (const void *)(uintptr_t)0x100000000000,
                                 .b = (const void *)(uintptr_t)0x300000000000,
                                 .c = (void *)(uintptr_t)0x500000000000};
}

static inline struct lava_problem product_of(enum lava_type type, enum lava_type type_c, int64_t m, int64_t n,
                                             int64_t k) {
    struct lava_problem problem = product(m, n, k);
    problem.type = type;
    problem.type_c = type_c;
    return problem;
}

static inline struct lava_plan choose(const struct lava_problem *problem,
                                      const struct lava_capabilities *device, enum lava_mode mode,
                                      const struct lava_overrides *overrides) {
    struct lava_plan plan;
    memset(&plan, 0x5a, sizeof plan);
    lava_policy_choose(problem, device, &sixteen_cores, mode, overrides, &plan);
    return plan;
}

#endif
