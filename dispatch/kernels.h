/* The table of multiply kernels: one row is one set of specialization constants for one shader module. What a
 * row needs of a device is computed from the row, so a row cannot promise what it does not keep.
 *
 * A workgroup computes a tile of C, tile_m x tile_n, stepping through K by tile_k. Its subgroups each own a
 * part of the tile, each invocation invocation_m x invocation_n elements of it. Because the number of
 * invocations follows from tile and invocation alone, a row runs with any subgroup size that lava_kernel_fits
 * accepts. */
#ifndef LAVA_DISPATCH_KERNELS_H
#define LAVA_DISPATCH_KERNELS_H

#include "dispatch/capabilities.h"
#include "dispatch/problem.h"

enum lava_module {
    LAVA_MODULE_MULTIPLY_FP32,
    LAVA_MODULE_PACK_FP32,
    LAVA_MODULE_FINISH_FP32,
    LAVA_MODULE_COUNT
};

struct lava_kernel {
    const char *name;
    enum lava_type type;
    enum lava_module module;
    uint32_t tile_m, tile_n, tile_k; /* elements */
    uint32_t invocation_m, invocation_n;
    uint32_t stages; /* of shared memory: 1 or 2 */
};

/* The rows, ended by the count. */
const struct lava_kernel *lava_kernels_table(size_t *count);
const struct lava_kernel *lava_kernels_find(const char *name); /* NULL: no such row */

uint32_t lava_kernel_invocations(const struct lava_kernel *kernel);
uint32_t lava_kernel_shared_bytes(const struct lava_kernel *kernel);
/* How a subgroup of this size is laid over C: lanes_m x lanes_n invocations. */
uint32_t lava_kernel_lanes_m(uint32_t subgroup_size);

/* True where the device can run the row; otherwise *reason (where not NULL) says in words why not. */
bool lava_kernel_fits(const struct lava_kernel *kernel, const struct lava_capabilities *device,
                      const char **reason);

#endif
