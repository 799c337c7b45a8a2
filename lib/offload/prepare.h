/* Makes the device ready, for each type of A and B by itself: who multiplies in fp32 alone does not wait for
 * the kernels of half precision, nor the other way round. A type is not started, being prepared in the
 * background, ready, or never to be used. Any thread may call these functions. */
#ifndef LAVA_OFFLOAD_PREPARE_H
#define LAVA_OFFLOAD_PREPARE_H

#include <stdbool.h>
#include <time.h>

#include "dispatch/policy.h"
#include "lib/engine/engine.h"

/* Starts the preparation for products of the type if that has not happened. Where `wait` is set, waits until
 * all its kernels are tested. Returns true where the device is ready, so that lava_context_lock may be
 * called. Else *reason says why not: STARTING, NO_DEVICE, NO_KERNEL, FAILED or FORKED. */
bool lava_prepare_ready_for(enum lava_type type, bool wait, enum lava_reason *reason);
/* Starts the preparation of what is needed (steps.h) before the program's first call: nothing of it uses the
 * CPU BLAS until lava_prepare_use_cpu_blas, which the first call makes before it chooses a plan. */
void lava_prepare_early(uint64_t needs);
void lava_prepare_use_cpu_blas(void);
/* In a child of fork(): FORKED, or NO_DEVICE where its parent had none. */
enum lava_reason lava_prepare_forked_reason(void);
/* The same for an operation. One that is not plain (lava_operation_is_plain) needs kernels that are created
 * and tested in a second step, and a factorization others in a third. The first such call of a type starts
 * them once the type itself is ready. NO_KERNEL: such a step failed, for the rest of the process; operations
 * that do not need it go on. */
bool lava_prepare_ready_to(const struct lava_operation *operation, bool wait, enum lava_reason *reason);
/* Returns those of the needs (steps.h) for which the first device is ready and tests nothing any more. */
uint64_t lava_prepare_settled(uint64_t needs);
/* Returns whether lava_prepare_ready_to would start something for the operation on a device that is ready for
 * others, so that a plan can tell whether that is worth while. */
bool lava_prepare_would_start(const struct lava_operation *operation);
/* lava_prepare_ready_for fp32. */
bool lava_prepare_ready(bool wait, enum lava_reason *reason);

/* Returns true once a driver has not answered for so long that the process goes on without it. A thread may
 * still be in the driver. */
bool lava_prepare_is_given_up(void);
/* Returns true where no preparation has been started yet. */
bool lava_prepare_is_cold(void);
/* Returns true while a preparation is under way, of any step. */
bool lava_prepare_is_under_way(void);
/* The same, but not where all that is left waits for a demand. */
bool lava_prepare_needs_processors(void);
/* Waits until no type is being made ready, until the deadline of CLOCK_REALTIME at the latest: a driver may
 * be loading then. Not for what follows when a type is ready, which ends early at exit(). */
void lava_prepare_finish(const struct timespec *deadline);

/* Waits until no thread tests kernels, of any step, until the deadline of CLOCK_REALTIME at the latest. */
void lava_prepare_settle(const struct timespec *deadline);

/* Says in words what became of the preparation for fp32; static storage. */
const char *lava_prepare_explanation(void);

#endif
