/* What divide and conquer (lib/lapack/device_divide.h) needs of a device. Pure functions. */
#ifndef LAVA_DISPATCH_DIVIDE_H
#define LAVA_DISPATCH_DIVIDE_H

#include <stdbool.h>

#include "dispatch/capabilities.h"
#include "dispatch/types.h"

/* Returns whether the device can run the kernels. */
bool lava_divide_fits(const struct lava_capabilities *device, enum lava_type type);

#endif
