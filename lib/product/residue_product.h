/* Products of fp64 matrices, real and complex, on the device by residues (dispatch/residues.h): panel by
 * panel of K the operands' lines are scaled and converted, int8 products are summed for each modulus, and
 * elements of C are put together, by columns of tiles. Tiles that the screen leaves are computed in fp64. The
 * runner plans and reserves memory before. One user of an engine at a time. */
#ifndef LAVA_PRODUCT_RESIDUE_PRODUCT_H
#define LAVA_PRODUCT_RESIDUE_PRODUCT_H

#include "dispatch/policy.h"
#include "dispatch/residue_choice.h"
#include "dispatch/residues.h"
#include "lib/engine/engine.h"
#include "lib/transport/stream.h"

/* Fills in the pipelines of a way, and returns how many they are. */
#define LAVA_RESIDUE_PIPELINES 20
size_t lava_residue_pipelines(const struct lava_residue_way *way,
                              const struct lava_capabilities *capabilities,
                              struct lava_pipeline_specification specifications[LAVA_RESIDUE_PIPELINES]);

/* Returns whether K runs along the stored rows of A (side 0) or B, so that a line is contiguous. */
bool lava_residue_is_along(const struct lava_operation *operation, int side);

/* One product, whose operation has addresses on the device. Its user sees no field. */
struct lava_residue_product {
    struct lava_stream *stream;
    const struct lava_operation
        *operation;              /* its user may change the places of operands between panels of K */
    struct lava_operation parts; /* the real product (lava_residue_parts) */
    const struct lava_residue_way *way;
    struct lava_residue_layout layout;
    struct lava_residues residues;
    uint32_t span; /* of the tiles that are left: steps after which sums begin anew; 0: never */
    uint64_t first, second, sums; /* addresses of the buffers */
    /* left: NULL: the device has no fp64, and C does not change where the screen leaves a tile */
    const struct lava_pipeline *scan[2], *convert[2], *screen[2], *multiply, *combine, *left;
};

/* Returns where a tile's lines of op(A) (side 0), or of op(B), are described, in the first buffer. */
uint64_t lava_residue_panel_offset(const struct lava_residue_product *product, int side, int64_t tile);

/* Gets the pipelines, and records what a product begins with, after everything recorded before. */
enum lava_status lava_residue_begin(struct lava_residue_product *product, struct lava_stream *stream,
                                    const struct lava_operation *operation, const struct lava_plan *plan);
/* Converts lines of op(A) (side 0), or of op(B), at the panel of K that begins at first_k. The lines begin
 * with a tile. Lines and K are those of the real product. */
enum lava_status lava_residue_convert(struct lava_residue_product *product, int side, int64_t first_k,
                                      int64_t first, int64_t lines);
/* Adds the panel's products to columns of C, of tiles from first_tile to end_tile - 1; of the first panel
 * beta C is added. */
enum lava_status lava_residue_multiply(struct lava_residue_product *product, int64_t first_k,
                                       uint32_t first_tile, uint32_t end_tile);

/* Adds a product to a stream that has room for the plan's blocks, as lava_runner_add does. */
enum lava_status lava_residue_add(struct lava_stream *stream, const struct lava_operation *operation,
                                  const struct lava_plan *plan);

#endif
