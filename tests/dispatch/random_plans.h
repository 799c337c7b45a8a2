/* Plans of random operations on random devices, for operations that are planned without a search. */
#ifndef TESTS_DISPATCH_RANDOM_PLANS_H
#define TESTS_DISPATCH_RANDOM_PLANS_H

#include "products.h"

typedef void plan_check(const struct lava_operation *operation, const struct lava_capabilities *device,
                        const struct lava_plan *plan, uint64_t memory_bytes);

/* In mode auto a call that is hopeless is never found to be profitable. */
static inline void check_random_plans(struct lava_operation (*next)(uint64_t *random), plan_check *check) {
    uint64_t random = random_seed();
    int planned = 0, hopeless = 0, won = 0, refused = 0;
    for (int i = 0; i < 3000; i++) {
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
        check(&operation, device, &plan,
              overrides.memory_bytes ? overrides.memory_bytes : device->memory_bytes);
        bool is_hopeless = lava_policy_is_hopeless(&operation, device, &sixteen_cores, 1);
        assert_false(is_hopeless && plan.place == LAVA_PLACE_GPU);
        planned++;
        hopeless += is_hopeless;
        won += plan.place == LAVA_PLACE_GPU;
    }
    print_message("%d planned, %d hopeless, %d on the device, %d refused\n", planned, hopeless, won, refused);
    assert_true(planned > 1000 && hopeless > 100 && won > 50 && refused > 50);
}

#endif
