/* Factorizations with their right-hand sides on the CPU, with the CPU BLAS's ?gemm: ?potrs, ?posv, ?getrs and
 * ?gesv. It finishes what a device has begun, and serves if no CPU library has the routine. Any thread. */
#ifndef LAVA_HOST_CPU_SYSTEMS_H
#define LAVA_HOST_CPU_SYSTEMS_H

#include "lib/host/cpu_parts.h"

/* C <- its factors, unless sides.factored is set. Then the right-hand sides <- X. Returns info; if it is
 * not 0, the right-hand sides are as they were. */
lava_cpu_finish lava_cpu_systems_run;

#endif
