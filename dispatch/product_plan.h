/* Plans one product, or a series of its halves, from host memory or on the device. Pure functions, called by
 * policy.c. */
#ifndef LAVA_DISPATCH_PRODUCT_PLAN_H
#define LAVA_DISPATCH_PRODUCT_PLAN_H

#include "dispatch/plan.h"

/* Returns the rate of the fastest row that serves the product, whether or not the device can run it; 0 if the
 * profile has none. */
double lava_product_plan_best_flops_per_s(const struct lava_profile *profile,
                                          const struct lava_device_figures *figures,
                                          const struct lava_operation *operation);

/* Fills in how a product is computed, and returns LAVA_REASON_FORCED, or why it cannot be as a whole.
 * plan_product plans its halves. */
lava_kind_plan lava_product_plan;

#endif
