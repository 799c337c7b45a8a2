/* What is prepared of a device for a type, step by step: plain products first, then what other operations use
 * besides. lib/offload/steps.c says which step needs which. */
#ifndef LAVA_DISPATCH_STEP_H
#define LAVA_DISPATCH_STEP_H

/* A step stands behind all that it needs. */
enum lava_step {
    LAVA_STEP_PLAIN,
    LAVA_STEP_STRUCTURED,
    LAVA_STEP_FACTORS,
    LAVA_STEP_INVERSES,
    LAVA_STEP_QR,
    LAVA_STEP_VECTORS,
    LAVA_STEP_TRIDIAGONAL,
    LAVA_STEP_EIGEN,
    LAVA_STEP_GENERALIZED,
    LAVA_STEP_PIVOTED_QR,
    LAVA_STEP_SINGULAR,
    LAVA_STEP_BIDIAGONAL,
    LAVA_STEP_COUNT
};

#endif
