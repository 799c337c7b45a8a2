/* What the policy would decide for square products on a device, without using it. For one thread only. */
#ifndef LAVA_TOOLS_CHOICE_H
#define LAVA_TOOLS_CHOICE_H

#include "dispatch/plan.h"

/* Plans ?gemm of the type and order. C has the type of A and B, or fp32 if that is half precision. */
void choice_plan(const struct lava_capabilities *device, enum lava_type type, int64_t order,
                 enum lava_mode mode, struct lava_plan *plan);
/* Returns the least order, out of 128, 256 ... 16384, from which on such products go to the GPU; 0: none
 * does. */
int64_t choice_break_even(const struct lava_capabilities *device, enum lava_type type);
/* Returns how many rows of the kernel table the device can run for the type. */
int choice_rows(const struct lava_capabilities *device, enum lava_type type);

#endif
