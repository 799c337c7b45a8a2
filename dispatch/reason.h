/* Why calls run where they run. Types alone. */
#ifndef LAVA_DISPATCH_REASON_H
#define LAVA_DISPATCH_REASON_H

/* Why a call ran where it ran. lava_reason_text (policy.h) returns the text of each. Statistics count by
 * reason. */
enum lava_reason {
    LAVA_REASON_INVALID,      /* arguments the CPU BLAS will complain about */
    LAVA_REASON_TRIVIAL,      /* nothing to multiply */
    LAVA_REASON_CUTOFF,       /* below the cut-off: no device could win */
    LAVA_REASON_MODE_CPU,     /* LAVABLAS_MODE=cpu, or a setuid program */
    LAVA_REASON_OFF,          /* the routine is switched off by LAVABLAS_OFF */
    LAVA_REASON_EARLY,        /* too little multiplied so far to prepare a device for */
    LAVA_REASON_STARTING,     /* the device is being prepared in the background */
    LAVA_REASON_MEANWHILE,    /* begun on the CPU while the device was prepared, which computed the rest */
    LAVA_REASON_NO_DEVICE,    /* none found, or none usable */
    LAVA_REASON_NO_KERNEL,    /* the device can run no row of the product's type (or not the one forced) */
    LAVA_REASON_FAILED,       /* the device failed earlier and is not used any more */
    LAVA_REASON_FORKED,       /* a child of fork() does not own its parent's device */
    LAVA_REASON_INSIDE,       /* called in the middle of a product of the same thread, by a signal handler */
    LAVA_REASON_ROUNDING,     /* the caller's rounding mode is not to nearest */
    LAVA_REASON_TRAPS,        /* the caller has unmasked floating-point exceptions */
    LAVA_REASON_OVERLAP,      /* C overlaps A or B */
    LAVA_REASON_WIDE,         /* the program's LAPACK has 64-bit integers behind a name of LP64 */
    LAVA_REASON_UNPROFITABLE, /* the CPU is estimated to be faster */
    LAVA_REASON_ABSENT,       /* a product with a vector, whose matrix is not on the device */
    LAVA_REASON_MEMORY,       /* not even the smallest block fits the memory allowed */
    LAVA_REASON_HALVES,       /* two products of which only halves of K fit, or fit a faster row */
    LAVA_REASON_NOT_DEFINITE, /* not positive definite: the CPU's own routine says where */
    LAVA_REASON_SINGULAR,     /* a zero on the diagonal: the CPU's own routine says where */
    LAVA_REASON_SCALED,       /* LAPACK's own routine scales it, X is 0, or a number is not finite */
    LAVA_REASON_LEFT,         /* the screen of residues leaves most tiles, and the device has no fp64 */
    LAVA_REASON_UNDERFLOW,    /* numbers to divide by are too small for a device that flushes */
    LAVA_REASON_FAULT,        /* began on the GPU, which failed; the CPU computed the rest */
    LAVA_REASON_PROFITABLE,   /* the GPU is estimated to be faster */
    LAVA_REASON_FORCED,       /* LAVABLAS_MODE=gpu */
    LAVA_REASON_PRODUCTS,     /* of a call that the device has no kernel for it computes large products */
    LAVA_REASON_LEARNT_CPU,   /* estimated faster on the GPU, but measured products say otherwise */
    LAVA_REASON_LEARNT_GPU,   /* estimated faster on the CPU, but measured products say otherwise */
    LAVA_REASON_TRIAL,        /* by the estimate once more, to see whether the measured times still hold */
    LAVA_REASON_COUNT
};

#endif
