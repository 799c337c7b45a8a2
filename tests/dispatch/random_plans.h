/* Plans of random operations on random devices, for operations that are planned without a search. */
#ifndef TESTS_DISPATCH_RANDOM_PLANS_H
#define TESTS_DISPATCH_RANDOM_PLANS_H

#include "products.h"

typedef void plan_check(const struct lava_operation *operation, const struct lava_capabilities *device,
                        const struct lava_plan *plan, uint64_t memory_bytes);

/* If the bus, the memory or the arithmetic has a quarter of its rate, or a call four times its latency, an
 * operation takes as long or longer, up to four times as long. A tenth less is allowed: a solve's kernel is
 * chosen for one of its products, and another one may be estimated to be better for the whole. */
static inline void check_rates(const struct lava_operation *operation, const struct lava_capabilities *device,
                               const struct lava_overrides *overrides) {
    struct lava_figures figures = {.cpu = sixteen_cores.cpu, .device = figures_like(device, 1)};
    const struct lava_plan planned = choose_by(&figures, operation, device, LAVA_MODE_GPU, overrides);
    double *const rates[] = {&figures.device.upload_bytes_per_s, &figures.device.download_bytes_per_s,
                             &figures.device.memory_bytes_per_s, &figures.device.call_latency_ns};
    for (size_t i = 0; i <= COUNT(rates); i++) {
        const struct lava_figures before = figures;
        if (i < COUNT(rates))
            *rates[i] *= rates[i] == &figures.device.call_latency_ns ? 4 : 0.25;
        else
            for (int row = 0; row < LAVA_FIGURES_MAX_KERNELS; row++)
                figures.device.flops_per_s[row] /= 4;
        const struct lava_plan slower = choose_by(&figures, operation, device, LAVA_MODE_GPU, overrides);
        if (!(slower.gpu_ns >= 0.9 * planned.gpu_ns && slower.gpu_ns <= 4.001 * planned.gpu_ns)) {
            char text[512];
            lava_policy_describe(operation, &planned, text, sizeof text);
            print_message("%s\n", text);
            lava_policy_describe(operation, &slower, text, sizeof text);
            fail_msg("rate %zu: %s", i, text);
        }
        figures = before;
    }
}

/* In mode auto a call that is hopeless is never found to be profitable. */
static inline void check_random_plans(struct lava_operation (*next)(uint64_t *random), plan_check *check) {
    uint64_t random = random_seed();
    int planned = 0, hopeless = 0, won = 0, refused = 0;
    for (int i = 0; i < ROUNDS(3000); i++) {
        struct lava_capabilities devices[] = {device_h200(), device_xe2(), device_rdna3()},
                                 *device = &devices[random_next(&random) % 3];
        if (random_next(&random) % 2)
            device->slot_bytes = UINT64_C(65536) << random_next(&random) % 8;
        struct lava_operation operation = next(&random);
        struct lava_overrides overrides = {0};
        if (random_next(&random) % 2)
            overrides.memory_bytes = UINT64_C(1) << (20 + random_next(&random) % 18);
        struct lava_plan plan = choose(&operation, device, LAVA_MODE_AUTO, &overrides);
        if (!plan.kernel) {
            bool may_lack_kernel =
                plan.reason == LAVA_REASON_NO_KERNEL && !device_has(device, operation.type);
            assert_true(plan.reason == LAVA_REASON_MEMORY || may_lack_kernel);
            assert_int_equal(plan.place, LAVA_PLACE_CPU);
            refused++;
            continue;
        }
        check_rates(&operation, device, &overrides);
        check(&operation, device, &plan,
              overrides.memory_bytes ? overrides.memory_bytes : device->memory_bytes);
        bool is_hopeless = lava_policy_is_hopeless(&operation, device, &sixteen_cores, 1);
        assert_false(is_hopeless && plan.place == LAVA_PLACE_GPU);
        planned++;
        hopeless += is_hopeless;
        won += plan.place == LAVA_PLACE_GPU;
    }
    print_message("%d planned, %d hopeless, %d on the device, %d refused\n", planned, hopeless, won, refused);
    assert_true(planned > SEEN(1000) && hopeless > SEEN(100) && won > SEEN(50) && refused > SEEN(50));
}

#endif
