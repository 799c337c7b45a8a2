/* What right-hand sides on the device go through with the factors of a matrix: both triangles, and for LU its
 * swaps. Used by factorizer.c and block_factorizer.c, which know where the factors are. */
#ifndef LAVA_LAPACK_DEVICE_SYSTEMS_H
#define LAVA_LAPACK_DEVICE_SYSTEMS_H

#include "lib/lapack/device_matrix.h"

struct lava_device_systems {
    const struct lava_operation *operation; /* with right-hand sides */
    struct lava_device_matrix pivots;       /* of LU: lib/lapack/device_lu.h */
    /* Adds a solve with one triangle of the factors to the stream. */
    enum lava_status (*solve)(void *context, const struct lava_operand *triangle,
                              const struct lava_device_matrix *sides);
    void *context;
};

/* Adds to the stream what makes these right-hand sides X. */
enum lava_status lava_device_systems_solve(struct lava_stream *stream,
                                           const struct lava_device_systems *systems,
                                           const struct lava_device_matrix *sides);

#endif
