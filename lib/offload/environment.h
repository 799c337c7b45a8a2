/* The floating-point environment of a caller, as far as it decides where a call runs. Called by lib/offload
 * before it sets its own. Any thread may ask; the answer is the thread's. */
#ifndef LAVA_OFFLOAD_ENVIRONMENT_H
#define LAVA_OFFLOAD_ENVIRONMENT_H

#include <fenv.h>
#include <stdint.h>

enum lava_environment {
    LAVA_ENVIRONMENT_USUAL,
    LAVA_ENVIRONMENT_DIRECTED, /* results are not rounded to nearest, as a device rounds them */
    LAVA_ENVIRONMENT_TRAPS,    /* a floating-point exception is to raise a signal, as no device does */
};

/* Reads the register that the CPU BLAS computes with; on x86 not that of x87. Whether subnormals are flushed
 * does not count: a device may flush them, too. */
enum lava_environment lava_environment_read(void);

/* Sets the default environment of numbers up to double, and returns to the caller's. <fenv.h> takes some
 * hundred nanoseconds for that on x86-64, because it asks x87, too. */
struct lava_environment_held {
#if defined(__x86_64__)
    uint32_t mxcsr;
#else
    fenv_t all;
#endif
};
struct lava_environment_held lava_environment_hold(void);
void lava_environment_return(struct lava_environment_held callers);

#endif
