/* Whether more kernels of a type are worth compiling. A type is ready with its first kernel. The others are
 * faster for some sizes, and compiling them takes seconds of processor time, which a program lacks whose CPU
 * BLAS uses all processors. Called by prepare.c, and by offload.c for each call. Any thread. */
#ifndef LAVA_OFFLOAD_KERNEL_DEMAND_H
#define LAVA_OFFLOAD_KERNEL_DEMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/policy.h"
#include "lib/offload/self_test.h"

/* A call of the type took so long. */
void lava_kernel_demand_add(enum lava_type type, enum lava_place place, enum lava_reason reason,
                            uint64_t elapsed_ns);

/* When the processors were last looked at; zero at first. */
struct lava_kernel_demand_look {
    uint64_t wall_ns, process_ns;
};
/* Returns whether the device has computed the type's calls for so long that better kernels may pay, or
 * whether the process has left half of the processors unused since the last look, at least 100 ms ago.
 * Otherwise it looks again once that time is over. */
bool lava_kernel_demand_is_there(enum lava_type type, struct lava_kernel_demand_look *look);
/* Called where nobody waits for the device and no pipeline is being created. Returns when there is such a
 * demand, or when the need is no longer held (readiness.h), or at exit(). The type's first kernel computes
 * all its products meanwhile. */
void lava_kernel_demand_await(const struct lava_self_test *test, uint64_t need);
/* The rule for the processors, without a clock. */
bool lava_kernel_demand_are_unused(uint64_t wall_ns, uint64_t process_ns, int processors);

#endif
