/* Decides where a product is computed and how. A pure function: the same arguments give the same plan. Any
 * thread. */
#ifndef LAVA_DISPATCH_POLICY_H
#define LAVA_DISPATCH_POLICY_H

#include "dispatch/plan.h"

const char *lava_reason_text(enum lava_reason reason);

/* Work (m n k) below which no device can win over any CPU. Smaller calls are forwarded without a plan. */
#define LAVA_POLICY_CUTOFF (128.0 * 128.0 * 128.0)

/* Bytes of a matrix below which no device multiplies it by a vector faster, though it has the matrix: the
 * call takes a device 30 us at least, in which 16 cores read 4 MiB from memory (H100's host, 2026-11-27). */
#define LAVA_POLICY_VECTOR_BYTES 0x1p22

/* operation must be valid and not trivial. The plan's pointers refer to static tables. If no kernel is
 * chosen, plan->kernel is NULL and plan->reason says why. */
void lava_policy_choose(const struct lava_operation *operation, const struct lava_capabilities *device,
                        const struct lava_figures *figures, enum lava_mode mode,
                        const struct lava_overrides *overrides, struct lava_plan *plan);

/* Returns true if even a lower bound of the device's time is not below what the CPU's estimate allows, times
 * cpu_factor: 1, or how much longer the CPU was seen to take. The bound is the device's latency plus the
 * larger of all transfers and all arithmetic at the best rate of the type. Mode AUTO would not send such a
 * product. This function takes about 0.3 us if the transfers decide. The choice among plans takes
 * microseconds, up to a millisecond when memory is short. */
bool lava_policy_is_hopeless(const struct lava_operation *operation, const struct lava_capabilities *device,
                             const struct lava_figures *figures, double cpu_factor);

/* Returns whether a product with these estimated times goes to the device in mode AUTO: the device must be
 * faster by a margin, which is smaller if this machine was measured and larger for batches. An unknown CPU
 * has the time 0 and wins. */
bool lava_policy_is_profitable(const struct lava_operation *operation, const struct lava_figures *figures,
                               double cpu_ns, double gpu_ns);

/* Returns whether both estimates of a product follow from measured figures of its family: those of the
 * device, and of the CPU BLAS. No figure is measured of how long a device takes for LAPACK's routines. */
bool lava_policy_is_measured(const struct lava_operation *operation, const struct lava_figures *figures);

/* Writes one line of text for LAVABLAS_LOG=debug and `lavablas explain`: sizes, place, reason, estimates,
 * kernel, tile order, blocks. It is truncated to `size` bytes. */
void lava_policy_describe(const struct lava_operation *operation, const struct lava_plan *plan, char *text,
                          size_t size);

#endif
