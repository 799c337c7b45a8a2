/* What becomes known of a call that has ended: the statistics and the trace. Any thread may call these
 * functions. */
#ifndef LAVA_OFFLOAD_ACCOUNT_H
#define LAVA_OFFLOAD_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "dispatch/operation.h"
#include "lib/base/trace.h"
#include "lib/offload/threshold.h"

struct lava_call;

/* Returns the CPU's time for `products` such products by its rate; 0 if that is not known. */
double lava_account_cpu_ns(const struct lava_operation *operation, double products);
/* Counts the call. */
void lava_account_count(const struct lava_call *call, uint64_t elapsed_ns);
/* Returns whether calls of this much work (m n k) are only counted now: statistics are wanted, and such calls
 * are below the cut-off. */
static inline bool lava_account_counts_only(double work) {
    return work < atomic_load_explicit(&lava_threshold.count_below, memory_order_relaxed) && !lava_trace_on();
}
/* Begins such a call, which lava_offload_end ends. The first one is a valid product of general matrices of
 * these sizes, none of them 0, and of these types; of the call only the routine is filled. The second one is
 * any other call, which is not of a batch, and returns false if it is not such a call. */
bool lava_account_begin_product(struct lava_call *call, const int64_t sizes[3], enum lava_type type,
                                enum lava_type type_c);
bool lava_account_begin_small(struct lava_call *call);
/* Adds the call's span to the trace. */
void lava_account_trace(const struct lava_call *call, uint64_t elapsed_ns);
/* Writes a line of the log about the call. */
void lava_account_log(const struct lava_call *call, uint64_t elapsed_ns);

#endif
