/* The table of multiply kernels: one row is one set of specialization constants for one shader module. What a
 * row needs of a device is computed from the row, so a row cannot promise what it does not keep.
 *
 * A workgroup computes a tile of C, tile_m x tile_n, stepping through K by tile_k. Its subgroups each own a
 * part of the tile. Two algorithms:
 *
 *   SIMT          an invocation owns part_m x part_n elements; their number, and so that of the invocations,
 *                 follows from the row, whatever the subgroup size
 *   matrix        a subgroup owns part_m x part_n elements as cooperative matrices, of the largest shape of
 *                 the device's list that divides its part and tile_k; the number of invocations is that of
 *                 the subgroups times their size */
#ifndef LAVA_DISPATCH_KERNELS_H
#define LAVA_DISPATCH_KERNELS_H

#include "dispatch/capabilities.h"
#include "dispatch/problem.h"
#include "dispatch/schemes.h"

/* How an operand is packed (shaders/interface.h describes both). */
enum lava_layout {
    LAVA_LAYOUT_PANELS,    /* for each k the panel's elements side by side */
    LAVA_LAYOUT_FRAGMENTS, /* for each tile_k the panel's fragments, each invocation's share contiguous */
    LAVA_LAYOUT_COUNT
};

enum lava_module {
    LAVA_MODULE_MULTIPLY_FP32,
    LAVA_MODULE_MULTIPLY_FP32_SCREENED, /* as a fallback */
    LAVA_MODULE_MULTIPLY_FP64,
    LAVA_MODULE_MULTIPLY_FRAGMENTS_FP16,
    LAVA_MODULE_MULTIPLY_FRAGMENTS_BF16,
    LAVA_MODULE_MULTIPLY_SHARED_FP16,
    LAVA_MODULE_MULTIPLY_SHARED_BF16,
    LAVA_MODULE_MULTIPLY_PLANES_FP16,
    LAVA_MODULE_MULTIPLY_PLANES_BF16,
    LAVA_MODULE_PACK_FP32,
    LAVA_MODULE_PACK_FP64,
    LAVA_MODULE_PACK_HALF, /* panels of either 16-bit type */
    LAVA_MODULE_PACK_FRAGMENTS_FP16,
    LAVA_MODULE_PACK_FRAGMENTS_BF16,
    LAVA_MODULE_PACK_PLANES_FP16, /* fp32 to fragments of each plane */
    LAVA_MODULE_PACK_PLANES_BF16,
    LAVA_MODULE_SCREEN,
    LAVA_MODULE_EPILOGUE_FP32, /* fp32 sums to fp32 ... */
    LAVA_MODULE_EPILOGUE_FP64,
    LAVA_MODULE_EPILOGUE_CFP32, /* a complex result of the sums of parts */
    LAVA_MODULE_EPILOGUE_CFP64,
    LAVA_MODULE_SPLIT_CFP32, /* a complex operand into parts */
    LAVA_MODULE_SPLIT_CFP64,
    LAVA_MODULE_EPILOGUE_FP16,
    LAVA_MODULE_EPILOGUE_BF16,
    LAVA_MODULE_CEILING_COPY, /* what a device can do at most: for benchmarks */
    LAVA_MODULE_CEILING_FMA,
    LAVA_MODULE_CEILING_FMA_FP64,
    LAVA_MODULE_CEILING_MATRIX_FP16,
    LAVA_MODULE_CEILING_MATRIX_BF16,
    LAVA_MODULE_COUNT
};

struct lava_kernel {
    const char *name;
    enum lava_type type;     /* of A and B, as the caller has them */
    enum lava_scheme scheme; /* how they are split into planes, or LAVA_SCHEME_NONE */
    enum lava_module module;
    uint32_t tile_m, tile_n, tile_k; /* elements */
    uint32_t part_m, part_n;         /* of C: an invocation's (SIMT) or a subgroup's (matrix) */
    uint32_t stages;      /* of shared memory, 1 or 2; for fragments, sets of them in registers, 2 or 4; by
                           * planes, depths of a chunk */
    const char *fallback; /* the row for tiles that are screened out: of the same tile; NULL: none are */
};

/* The rows, ended by the count. */
const struct lava_kernel *lava_kernels_table(size_t *count);
const struct lava_kernel *lava_kernels_find(const char *name); /* NULL: no such row */

/* In a word: "SIMT"; where matrices come from memory as they were packed "fragments", or, sums leaving the
 * matrix unit, "planes"; through shared memory "shared". */
const char *lava_kernel_algorithm(const struct lava_kernel *kernel);
enum lava_layout lava_kernel_layout(const struct lava_kernel *kernel);
/* Of what the row's matrices, or its SIMT arithmetic, are made. */
enum lava_type lava_kernel_element_type(const struct lava_kernel *kernel);
bool lava_kernel_is_simt(const struct lava_kernel *kernel);
/* The row's fallback, or NULL. */
const struct lava_kernel *lava_kernel_fallback(const struct lava_kernel *kernel);
/* Whether the row may compute the product, on a device that it fits. */
bool lava_kernel_serves(const struct lava_kernel *kernel, const struct lava_problem *problem);
/* The module that packs operands for the row. */
enum lava_module lava_kernel_pack_module(const struct lava_kernel *kernel);
/* Elements of an operand, each way, that a workgroup of that module packs. */
uint32_t lava_kernel_pack_block(const struct lava_kernel *kernel);
/* True where the device has cooperative matrices of the type, of whatever shape. */
bool lava_kernel_has_matrices(const struct lava_capabilities *device, enum lava_type type);
/* The shape the row's cooperative matrices have on the device; NULL: none fits, or the row is SIMT. */
const struct lava_matrix_shape *lava_kernel_shape(const struct lava_kernel *kernel,
                                                  const struct lava_capabilities *device);
uint32_t lava_kernel_invocations(const struct lava_kernel *kernel, const struct lava_capabilities *device);
uint32_t lava_kernel_shared_bytes(const struct lava_kernel *kernel);
/* How a subgroup of this size is laid over C by SIMT kernels: lanes_m x lanes_n invocations. */
uint32_t lava_kernel_lanes_m(uint32_t subgroup_size);

/* From now on the row, of the table and by planes, does not fit the device. */
void lava_kernel_refuse(const struct lava_kernel *kernel, struct lava_capabilities *device);
/* True where the device can run the row; otherwise *reason (where not NULL) says in words why not. */
bool lava_kernel_fits(const struct lava_kernel *kernel, const struct lava_capabilities *device,
                      const char **reason);

#endif
