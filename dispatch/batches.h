/* Decides where a batch is computed: many products of one shape, each too small to be offloaded alone. Pure
 * functions. */
#ifndef LAVA_DISPATCH_BATCHES_H
#define LAVA_DISPATCH_BATCHES_H

#include "dispatch/policy.h"

/* Chooses for an operation with a series. On the device a block of the plan is several products: one is
 * multiplied while the next is uploaded and an earlier one is downloaded. The products of a block are side by
 * side: their panels, their tiles in one list, their C. Only real types are supported; complex types get the
 * reason "no kernel". memory_bytes: what all blocks together may take; 0: the usual share of the device's
 * memory. */
void lava_batches_choose(const struct lava_operation *operation, const struct lava_capabilities *device,
                         const struct lava_figures *figures, enum lava_mode mode, uint64_t memory_bytes,
                         struct lava_plan *plan);

/* Returns the estimate for the engines that share the batch by that plan (sharing.h). */
double lava_batches_shared_ns(const struct lava_operation *operation, const struct lava_capabilities *device,
                              const struct lava_figures *figures, const struct lava_plan *plan,
                              uint32_t engines);

#endif
