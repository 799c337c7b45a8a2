/* One call's way past the gate: readiness, policy, engine, statistics. lib/abi calls begin, forwards its
 * arguments untouched where begin says so, and calls end.
 *
 *     struct lava_call call = {.routine = LAVA_ROUTINE_sgemm_};
 *     call.valid = lava_problem_from_fortran(&call.problem, ...);
 *     if (!lava_offload_begin(&call))
 *         forward(the caller's arguments, untouched);
 *     lava_offload_end(&call);
 *
 * Any thread. Products on the device are computed one at a time. */
#ifndef LAVA_OFFLOAD_OFFLOAD_H
#define LAVA_OFFLOAD_OFFLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/policy.h"
#include "lib/base/stats.h"
#include "lib/engine/runner.h"

struct lava_call {
    enum lava_routine routine;
    bool valid; /* problem is filled, but for the precision */
    struct lava_problem problem;
    int64_t products; /* of that shape, in a batch; else 0 */
    /* filled by begin, as is the problem's precision */
    uint64_t start_ns;
    enum lava_place place;
    enum lava_reason reason;
    enum lava_scheme scheme; /* of what the device computed of C; NONE where that is nothing */
};

/* Opens the gate if need be. True: C is finished. False: nothing was written, the caller forwards. */
bool lava_offload_begin(struct lava_call *call);
/* The same for a call whose way to the device is another: try is called where a device is ready and the call
 * large enough, with the context. */
bool lava_offload_begin_by(struct lava_call *call, bool (*try_device)(struct lava_call *call, void *context),
                           void *context);
/* Where such a call would run in a process whose device is ready, and why: fills call->place and reason, and
 * *plan, whose kernel is NULL where none was looked for. Prepares the device where the answer depends on it
 * and waits for that. Multiplies nothing of the caller's, counts nothing. */
void lava_offload_explain(struct lava_call *call, struct lava_plan *plan);
/* Counts the call and keeps it for lava_offload_last_call. */
void lava_offload_end(const struct lava_call *call);

/* The calling thread's last call that went past the gate; false: none yet. */
bool lava_offload_last_call(struct lava_call *call, uint64_t *elapsed_ns);

/* The precision of the calling thread's products from now on; LAVA_PRECISION_COUNT: the configuration's, as
 * in every thread at first. */
void lava_offload_set_precision(enum lava_precision precision);
/* That of its next one, never LAVA_PRECISION_COUNT. */
enum lava_precision lava_offload_precision(void);

/* Computes on the CPU what an engine that failed has not merged into C. */
void lava_offload_complete(const struct lava_problem *problem, const struct lava_progress *progress);

/* Starts the device if that has not happened and waits until it can be used; false: it cannot be, *why says
 * so. */
bool lava_offload_wait(const char **why);

#endif
