/* What becomes known of a call that has ended: the statistics and the trace. Any thread may call these
 * functions. */
#ifndef LAVA_OFFLOAD_ACCOUNT_H
#define LAVA_OFFLOAD_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct lava_call;

/* Returns whether the statistics show how long the CPU would have taken for the call, and nobody has
 * estimated it yet. */
bool lava_account_lacks_estimate(const struct lava_call *call);
/* Counts the call. expected_ns is the CPU's time by its rate, for a call that lacks an estimate. */
void lava_account_count(const struct lava_call *call, uint64_t elapsed_ns, double expected_ns);
/* Adds the call's span to the trace. */
void lava_account_trace(const struct lava_call *call, uint64_t elapsed_ns);

#endif
