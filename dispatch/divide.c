/* The modules of divide and conquer. Called by lib/lapack/device_divide.c and lib/engine. */
#include "dispatch/divide.h"

#include "dispatch/solve.h"

enum lava_module lava_divide_module(enum lava_type type, enum lava_divide_step step) {
    static const enum lava_module modules[LAVA_DIVIDE_STEPS_COUNT][2] = {
        [LAVA_DIVIDE_COLUMNS] = {LAVA_MODULE_DIVIDE_COLUMNS_FP32, LAVA_MODULE_DIVIDE_COLUMNS_FP64},
        [LAVA_DIVIDE_ROTATE] = {LAVA_MODULE_DIVIDE_ROTATE_FP32, LAVA_MODULE_DIVIDE_ROTATE_FP64},
        [LAVA_DIVIDE_SECULAR] = {LAVA_MODULE_DIVIDE_SECULAR_FP32, LAVA_MODULE_DIVIDE_SECULAR_FP64},
        [LAVA_DIVIDE_VECTORS] = {LAVA_MODULE_DIVIDE_VECTORS_FP32, LAVA_MODULE_DIVIDE_VECTORS_FP64},
        [LAVA_DIVIDE_MULTIPLY] = {LAVA_MODULE_DIVIDE_MULTIPLY_FP32, LAVA_MODULE_DIVIDE_MULTIPLY_FP64}};
    return modules[step][type == LAVA_TYPE_FP64];
}

/* The kernels need less than that for solves. */
bool lava_divide_fits(const struct lava_capabilities *device, enum lava_type type) {
    return (type == LAVA_TYPE_FP32 || type == LAVA_TYPE_FP64) && lava_solve_fits(device, type);
}
