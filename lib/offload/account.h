/* What becomes known of a call that has ended: the statistics and the trace. Any thread may call these
 * functions. */
#ifndef LAVA_OFFLOAD_ACCOUNT_H
#define LAVA_OFFLOAD_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct lava_call;
struct lava_engine;

/* Returns whether the statistics show how long the CPU would have taken for the call, and nobody has
 * estimated it yet. */
bool lava_account_lacks_estimate(const struct lava_call *call);
/* Counts the call. expected_ns is the CPU's time by its rate, for a call that lacks an estimate. */
void lava_account_count(const struct lava_call *call, uint64_t elapsed_ns, double expected_ns);
/* Returns whether the call is below the cut-off and is only counted: lava_account_end_small ends it.
 * Statistics are wanted. */
bool lava_account_begin_small(struct lava_call *call);
uint64_t lava_account_end_small(const struct lava_call *call); /* as lava_tally_end */
/* Begin and end the time for which the engine's copies are a call's own; NULL is allowed at the end. The
 * caller is the engine's only user. */
void lava_account_begin_device(struct lava_engine *engine);
void lava_account_end_device(const struct lava_engine *engine);
/* Adds the call's span to the trace. */
void lava_account_trace(const struct lava_call *call, uint64_t elapsed_ns);

#endif
