/* Plans of operations for the process's devices, with what is known of them. Any thread. */
#ifndef LAVA_OFFLOAD_PLANNING_H
#define LAVA_OFFLOAD_PLANNING_H

#include "dispatch/policy.h"
#include "lib/engine/engine.h"

/* Calls lava_policy_choose in the configuration's mode, for this much memory; 0: the device's. */
void lava_planning_choose(const struct lava_operation *operation, uint64_t memory_bytes,
                          struct lava_plan *plan);
/* The same for a call that goes to the device although the CPU is faster, because later ones gain. */
void lava_planning_insist(const struct lava_operation *operation, struct lava_plan *plan);
/* Returns what a device takes for the operation with the matrices that it has flagged as staying; 0: none
 * can.
 */
double lava_planning_suppose(const struct lava_operation *operation);
/* lava_sharing_plan for the devices of the process. `one` is what lava_planning_choose has just chosen for
 * all memory. */
bool lava_planning_share(const struct lava_operation *operation, const struct lava_plan *one,
                         struct lava_plan *plan);
/* Recognizes most products that stay on the CPU without searching for a plan. The CPU takes n times its
 * estimate. */
bool lava_planning_is_hopeless(const struct lava_operation *operation, double cpu_factor);
/* Returns whether a matrix that is given has a diagonal to divide by that is too small for the device. */
bool lava_planning_underflows(const struct lava_operation *operation);
/* Allocating memory takes as long as a product. If that is so, and blocks that fit the memory which is
 * there take little longer, they are used instead, some times: the loss is counted, and the memory allocated
 * when that would have been cheaper, after eight times at the latest. With a copy the sums are the same.
 * Other lanes than the first reserve nothing, so nothing is spared there. Nor is it for solves and
 * factorizations: most of their memory are matrices. */
void lava_planning_spare_memory(struct lava_engine *engine, const struct lava_operation *operation,
                                struct lava_plan *plan);

#endif
