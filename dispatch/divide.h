/* What divide and conquer (lib/lapack/device_divide.h) needs of a device. Pure functions. */
#ifndef LAVA_DISPATCH_DIVIDE_H
#define LAVA_DISPATCH_DIVIDE_H

#include <stdbool.h>

#include "dispatch/capabilities.h"
#include "dispatch/types.h"

/* The steps that have a shader of their own: divide_columns.comp and so on. */
enum lava_divide_step {
    LAVA_DIVIDE_COLUMNS,
    LAVA_DIVIDE_ROTATE,
    LAVA_DIVIDE_SECULAR,
    LAVA_DIVIDE_VECTORS,
    LAVA_DIVIDE_MULTIPLY,
    LAVA_DIVIDE_STEPS_COUNT
};

/* FP32 and FP64 only. */
enum lava_module lava_divide_module(enum lava_type type, enum lava_divide_step step);

/* Returns whether the device can run the kernels. */
bool lava_divide_fits(const struct lava_capabilities *device, enum lava_type type);

#endif
