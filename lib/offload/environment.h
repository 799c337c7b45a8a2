/* The floating-point environment of a caller, as far as it decides where a call runs. Called by lib/offload
 * before it sets its own. Any thread may ask; the answer is the thread's. */
#ifndef LAVA_OFFLOAD_ENVIRONMENT_H
#define LAVA_OFFLOAD_ENVIRONMENT_H

enum lava_environment {
    LAVA_ENVIRONMENT_USUAL,
    LAVA_ENVIRONMENT_DIRECTED, /* results are not rounded to nearest, as a device rounds them */
    LAVA_ENVIRONMENT_TRAPS,    /* a floating-point exception is to raise a signal, as no device does */
};

/* Reads the register that the CPU BLAS computes with; on x86 not that of x87. Whether subnormals are flushed
 * does not count: a device may flush them, too. */
enum lava_environment lava_environment_read(void);

#endif
