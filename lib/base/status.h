/* The result of an internal operation. The caller of the library never sees one, because every failure ends
 * on the CPU. */
#ifndef LAVA_BASE_STATUS_H
#define LAVA_BASE_STATUS_H

enum lava_status {
    LAVA_OK,
    LAVA_ERROR_UNAVAILABLE, /* no loader, no device, a feature is missing */
    LAVA_ERROR_HOST_MEMORY,
    LAVA_ERROR_DEVICE_MEMORY, /* a smaller block may succeed */
    LAVA_ERROR_DEVICE_LOST,   /* final for this process */
    LAVA_ERROR_TIMEOUT,       /* final: what is in flight may still write to staging memory */
    LAVA_ERROR_NOT_DEFINITE,  /* no fault: the matrix is not positive definite */
    LAVA_ERROR_SINGULAR,      /* no fault: the triangle to solve with has a zero on its diagonal */
    LAVA_ERROR_SCALED,        /* no fault: LAPACK scales it first, X is 0, or a number is not finite */
    LAVA_ERROR_LEFT,          /* no fault: the screen of residues leaves most tiles to fp64 */
    LAVA_ERROR_UNDERFLOW,     /* no fault: too small for a device that flushes subnormals */
    LAVA_ERROR_STALLED,       /* workgroups waited in vain for each other; another form will do */
    LAVA_ERROR_SELF_TEST,     /* final: the device computes wrong results */
    LAVA_ERROR_DRIVER,        /* any other error of the driver */
};

const char *lava_status_name(enum lava_status status);

#endif
