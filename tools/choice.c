/* Asks the policy. Called by info.c and doctor.c, after lava_calibration_load. */
#include "tools/choice.h"

#include "dispatch/policy.h"
#include "lib/calibrate/calibration.h"
#include "lib/offload/offload.h"

#define LEAST_ORDER 128
#define MOST_ORDER  16384

void choice_plan(const struct lava_capabilities *device, enum lava_type type, int64_t order,
                 enum lava_mode mode, struct lava_plan *plan) {
    static const struct lava_overrides none;
    struct lava_operation product = lava_operation_to_plan(type, order);
    product.precision = lava_offload_precision();
    lava_policy_choose(&product, device, lava_calibration_figures(), mode, &none, plan);
}

int64_t choice_break_even(const struct lava_capabilities *device, enum lava_type type) {
    int64_t least = 0;
    struct lava_plan plan;
    for (int64_t order = MOST_ORDER; order >= LEAST_ORDER; order /= 2) {
        choice_plan(device, type, order, LAVA_MODE_AUTO, &plan);
        if (plan.place != LAVA_PLACE_GPU)
            break;
        least = order;
    }
    return least;
}

int choice_rows(const struct lava_capabilities *device, enum lava_type type) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    const char *reason;
    int rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += table[i].type == lava_type_real(type) && lava_kernel_fits(&table[i], device, &reason);
    return rows;
}
