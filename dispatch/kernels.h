/* The table of multiply kernels: one row is one set of specialization constants for one shader module. The
 * requirements of a row are computed from the row itself, so they cannot contradict it.
 *
 * A workgroup computes a tile of C, tile_m x tile_n, stepping through K by tile_k. Each of its subgroups owns
 * a part of the tile. There are two algorithms:
 *
 *   SIMT          an invocation owns part_m x part_n elements. The number of invocations follows from the row
 *                 and does not depend on the subgroup size
 *   matrix        a subgroup owns part_m x part_n elements as cooperative matrices, of the largest shape in
 *                 the device's list that divides its part and tile_k. The number of invocations is the
 *                 number of subgroups times their size */
#ifndef LAVA_DISPATCH_KERNELS_H
#define LAVA_DISPATCH_KERNELS_H

#include "dispatch/capabilities.h"
#include "dispatch/module_ids.h"
#include "dispatch/operation.h"
#include "dispatch/schemes.h"

/* How an operand is packed (shaders/interface.h describes both). */
enum lava_layout {
    LAVA_LAYOUT_PANELS,    /* for each k, the panel's elements are contiguous */
    LAVA_LAYOUT_OCTETS,    /* for each eight of K, the eight of an element of the width are contiguous */
    LAVA_LAYOUT_FRAGMENTS, /* for each tile_k the panel's fragments, each invocation's share contiguous */
    LAVA_LAYOUT_COUNT
};

struct lava_kernel {
    const char *name;
    enum lava_type type;     /* of A and B, as given by the caller */
    enum lava_scheme scheme; /* how they are split into planes, or LAVA_SCHEME_NONE */
    enum lava_module module;
    uint32_t tile_m, tile_n, tile_k; /* elements */
    uint32_t part_m, part_n;         /* part of C per invocation (SIMT) or per subgroup (matrix) */
    /* shared memory: 1 or 2; fragments: sets in registers, 2 or 4; planes: depths per chunk */
    uint32_t stages;
    const char *fallback; /* row with the same tile for tiles that are screened out; NULL: none are */
};

/* Returns the rows and stores their number. */
const struct lava_kernel *lava_kernels_table(size_t *count);
const struct lava_kernel *lava_kernels_find(const char *name); /* NULL: no such row */

/* One word: "SIMT"; "fragments" if matrices are loaded from packed memory; "planes" if their sums also leave
 * the matrix unit; "shared" if matrices are loaded through shared memory. */
const char *lava_kernel_algorithm(const struct lava_kernel *kernel);
enum lava_layout lava_kernel_layout(const struct lava_kernel *kernel);
/* The element type of the row's matrices, or of its SIMT arithmetic. */
enum lava_type lava_kernel_element_type(const struct lava_kernel *kernel);
bool lava_kernel_is_simt(const struct lava_kernel *kernel);
/* The row's fallback, or NULL. */
const struct lava_kernel *lava_kernel_fallback(const struct lava_kernel *kernel);
/* Returns whether the row may compute the product, on a device that can run the row. */
bool lava_kernel_serves(const struct lava_kernel *kernel, const struct lava_operation *operation);
/* The module that packs operands for the row. */
enum lava_module lava_kernel_pack_module(const struct lava_kernel *kernel);
/* The module for products with a triangular operand, of a row's multiply module or of the one for tiles that
 * were screened out; other modules are their own. */
enum lava_module lava_kernel_triangular_module(enum lava_module module);
/* The module with which the row writes results in the type of A and B, rounded from fp32; LAVA_MODULE_COUNT:
 * none on this device, so that the epilogue rounds. It stores matrices of sums in that type if the device
 * has them; elsewhere it rounds fp32 in shared memory, if there is room. */
enum lava_module lava_kernel_narrow_module(const struct lava_kernel *kernel,
                                           const struct lava_capabilities *device);
bool lava_kernel_narrows(const struct lava_kernel *kernel, const struct lava_capabilities *device);
/* Elements of an operand, in each dimension, that a workgroup of that module packs. */
uint32_t lava_kernel_pack_block(const struct lava_kernel *kernel);
/* True if the device has cooperative matrices of the type, of any shape. */
bool lava_kernel_has_matrices(const struct lava_capabilities *device, enum lava_type type);
/* The shape of the row's cooperative matrices on the device; NULL: none fits, or the row is SIMT. */
const struct lava_matrix_shape *lava_kernel_shape(const struct lava_kernel *kernel,
                                                  const struct lava_capabilities *device);
/* Invocations per subgroup in which the row's multiply kernel runs, and the pack kernel if it depends on it.
 */
uint32_t lava_kernel_subgroup_size(const struct lava_kernel *kernel, const struct lava_capabilities *device);
uint32_t lava_kernel_invocations(const struct lava_kernel *kernel, const struct lava_capabilities *device);
/* For the operands; lava_kernel_narrow_module finds out whether there is room for patches. */
uint32_t lava_kernel_shared_bytes(const struct lava_kernel *kernel);
/* The arrangement of a SIMT subgroup of this size over C: lanes_m x lanes_n invocations. */
uint32_t lava_kernel_lanes_m(uint32_t subgroup_size);

/* Marks a row of the table as refused: from now on it does not fit the device. Or as admitted again. */
void lava_kernel_refuse(const struct lava_kernel *kernel, struct lava_capabilities *device);
void lava_kernel_admit(const struct lava_kernel *kernel, struct lava_capabilities *device);
/* True if the device can run the row. Otherwise *reason (if not NULL) says in words why not. */
bool lava_kernel_fits(const struct lava_kernel *kernel, const struct lava_capabilities *device,
                      const char **reason);

#endif
