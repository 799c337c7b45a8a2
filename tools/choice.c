/* Asks the policy. Called by info.c and doctor.c, after lava_calibration_load. */
#include "tools/choice.h"

#include "dispatch/policy.h"
#include "lib/calibrate/calibration.h"
#include "lib/offload/offload.h"

#define LEAST_ORDER 128
#define MOST_ORDER  16384

/* The addresses are far apart. Nothing is read from them. */
void choice_plan(const struct lava_capabilities *device, enum lava_type type, int64_t order,
                 enum lava_mode mode, struct lava_plan *plan) {
    static const struct lava_overrides none;
    const struct lava_operation product = {.type = type,
                                           .precision = lava_offload_precision(),
                                           .c.type = lava_type_is_half(type) ? LAVA_TYPE_FP32 : type,
                                           .m = order,
                                           .n = order,
                                           .k = order,
                                           .a.ld = order,
                                           .b.ld = order,
                                           .c.ld = order,
                                           .alpha.real = 1,
                                           .a.first = (const void *)(uintptr_t)(1ull << 44),
                                           .b.first = (const void *)(uintptr_t)(1ull << 45),
                                           .c.first = (void *)(uintptr_t)(1ull << 46)};
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
