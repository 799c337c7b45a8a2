/* Counts of calls per routine, place and reason, printed at exit when LAVABLAS_STATS is set. Any thread;
 * counting is atomic additions. */
#ifndef LAVA_BASE_STATS_H
#define LAVA_BASE_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "dispatch/policy.h"
#include "lib/base/routines.h"

/* One call: of so many products like the problem where it is a batch (more than 1). */
void lava_stats_count(enum lava_routine routine, const struct lava_problem *problem, int64_t products,
                      enum lava_place place, enum lava_reason reason, uint64_t elapsed_ns);
/* Writes the summary: a line per routine, place and reason that occurred, tab-free and easy to grep:
 *   lavablas: sgemm_ gpu 3 calls, 0.123456 s, 12.3 GFLOP: estimated faster
 * Returns the length, as snprintf does. */
size_t lava_stats_format(char *text, size_t size);
/* Registers the summary for exit if the configuration asks for it. Called once, by lib/offload/offload. */
void lava_stats_install(void);
/* What exit() does then: for a process that ends without it. Nothing where the configuration does not ask. */
void lava_stats_print(void);

uint64_t lava_stats_now_ns(void); /* CLOCK_MONOTONIC */

#endif
