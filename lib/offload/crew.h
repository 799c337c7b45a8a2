/* A crew of engines, each of another device, computes one product or batch (dispatch/sharing.h): each takes
 * the next block of C when it gets there, so a slower or busier device takes less. Any thread. */
#ifndef LAVA_OFFLOAD_CREW_H
#define LAVA_OFFLOAD_CREW_H

#include "lib/offload/context.h"
#include "lib/offload/learning.h"
#include "lib/product/runner.h"

/* Computes the product with the engine of the lane, which the caller has locked, and with those of other
 * devices that are at rest and serve the needs. The blocks of an engine that fails go to the others, then to
 * the CPU. Returns LAVA_OK if the engines have written all of C, whatever failed on the way. Else either
 * nothing of C is written and *is_untouched is set, or the CPU has completed C. Without another device at
 * rest nothing is computed. The call learns from the time if plan->engines engines have begun. */
enum lava_status lava_crew_run(const struct lava_operation *operation, const struct lava_plan *plan,
                               uint64_t needs, const struct lava_lane_lock *own,
                               const struct lava_learning *learning, bool *is_untouched);

#endif
