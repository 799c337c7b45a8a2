/* Leads one call that is not forwarded at once: readiness, policy, engine, statistics. lib/abi calls begin,
 * forwards its arguments untouched if begin says so, and calls end.
 *
 *     struct lava_call call;
 *     lava_offload_init(&call, LAVA_ROUTINE_sgemm_);
 *     call.valid = lava_validate_translate(&list, &call.operation);
 *     if (!lava_offload_begin(&call))
 *         forward(the caller's arguments, untouched);
 *     lava_offload_end(&call);
 *
 * Any thread may call these functions. As many products are computed on the device at a time as it has lanes
 * (context.h). */
#ifndef LAVA_OFFLOAD_OFFLOAD_H
#define LAVA_OFFLOAD_OFFLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/policy.h"
#include "lib/base/stats.h"
#include "lib/offload/call.h"
#include "lib/product/runner.h"

/* Fills what begin expects but the operation. To clear a whole call takes longer than to count a small one.
 */
static inline void lava_offload_init(struct lava_call *call, enum lava_routine routine) {
    call->routine = routine;
    call->valid = call->refuses_zeros = false;
    call->products = call->info = 0;
    call->start_ns = 0;
}

/* Finds the CPU BLAS, sets the threshold, and handles exit() and fork() from here on. The first call does
 * that, the others return at once. */
void lava_offload_open(void);

/* Returns true if C is finished, and false if nothing was written, so that the caller forwards. Calls
 * lava_offload_open. */
bool lava_offload_begin(struct lava_call *call);
/* Begins the call alike, and computes nothing. Returns whether it is large enough for a device that is ready:
 * the caller then begins parts of it. */
bool lava_offload_consider(struct lava_call *call);
/* Where such a call would run in a process whose device is ready, and why: fills call->place and reason, and
 * *plan, whose kernel is NULL if none was looked for. Prepares the device if the answer depends on it
 * and waits for that. Multiplies nothing of the caller's, counts nothing. */
void lava_offload_explain(struct lava_call *call, struct lava_plan *plan);
/* Counts the call and keeps it for lava_offload_last_call. */
void lava_offload_end(const struct lava_call *call);

/* Returns the calling thread's last call that was not forwarded at once; false if there is none yet. */
bool lava_offload_last_call(struct lava_call *call, uint64_t *elapsed_ns);

/* Sets the precision of the calling thread's products from now on. LAVA_PRECISION_COUNT, the first setting of
 * every thread, means the configuration's. */
void lava_offload_set_precision(enum lava_precision precision);
/* Returns the precision of the thread's next product, never LAVA_PRECISION_COUNT. */
enum lava_precision lava_offload_precision(void);

#endif
