/* Tiles of a product by residues that the screen leaves, on a device that has no fp64: the CPU adds their
 * products to C (lib/offload/complete.h). The host reads the descriptions of the tiles' lines, and judges as
 * the device does. One user of an engine at a time. */
#ifndef LAVA_PRODUCT_LEFT_TILES_H
#define LAVA_PRODUCT_LEFT_TILES_H

#include "dispatch/region.h"
#include "lib/product/residue_product.h"

/* What is missing in C: where is_left[(p * tiles_n + j) * tiles_m + i] is set, the product of row i and
 * column j of tiles at panel p of K. Sizes count the matrices' elements, complex ones too. */
struct lava_left_tiles {
    struct lava_region_tiles of_c; /* the last tiles may have less */
    int64_t panel;                 /* of K; the last one may have less */
    int64_t tiles_m, tiles_n, panels;
    uint8_t is_left[];
};

/* Returns none left yet; NULL: no memory. free() ends it. */
struct lava_left_tiles *lava_left_tiles_create(const struct lava_operation *operation,
                                               const struct lava_plan *plan);
/* Records that the host gets the descriptions of lines that were converted (lava_residue_convert, whose
 * arguments it has), and submits that. *done: when it has them. */
enum lava_status lava_left_tiles_fetch(const struct lava_residue_product *product, int side, int64_t first_k,
                                       int64_t first, int64_t lines, struct lava_point *done);
/* Judges columns of tiles of which the host has all descriptions. Returns how many tiles are left, of the
 * panels before end_k; none is left that C's region does not have. Those of others are arbitrary. */
uint64_t lava_left_tiles_judge(const struct lava_residue_product *product, int64_t end_k, int64_t end_column,
                               struct lava_left_tiles *tiles);

#endif
