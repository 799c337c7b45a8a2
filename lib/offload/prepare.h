/* Makes the device ready for what calls need (readiness.h), each type and step by itself: who multiplies in
 * fp32 alone does not wait for the kernels of half precision, nor the other way round. Any thread may call
 * these functions. */
#ifndef LAVA_OFFLOAD_PREPARE_H
#define LAVA_OFFLOAD_PREPARE_H

#include "lib/offload/readiness.h"

/* Returns whether a call with these needs, which are of one type, may use the device now: lava_context_lock
 * may be called. Else *reason says why not: STARTING, NO_DEVICE, NO_KERNEL, FAILED or FORKED. Starts what was
 * not prepared yet; the later steps once the type itself is ready. wait: until all of it is tested. */
bool lava_prepare_may_use(uint64_t needs, bool wait, enum lava_reason *reason);
/* The same for plain products of the type. */
static inline bool lava_prepare_may_multiply(enum lava_type type, bool wait, enum lava_reason *reason) {
    return lava_prepare_may_use(lava_readiness_bit(type, LAVA_STEP_PLAIN), wait, reason);
}

/* Starts the preparation of the needs before the program's first call: nothing of it uses the CPU BLAS until
 * lava_prepare_use_cpu_blas, which the first call makes before it chooses a plan. */
void lava_prepare_early(uint64_t needs);
void lava_prepare_use_cpu_blas(void);

/* Returns true once a driver has not answered for so long that the process goes on without it. A thread may
 * still be in the driver. */
bool lava_prepare_is_given_up(void);

#endif
