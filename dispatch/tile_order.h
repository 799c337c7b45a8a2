/* Orders in which the tiles of C are computed. A tile order is a list of tile coordinates, created on the
 * host and walked by the multiply kernel. Tiles computed at the same time should share panels of A and B in
 * the cache.
 *
 *     linear    down the columns of C's tiles, one column after another
 *     grouped   bands of LAVA_TILE_ORDER_GROUP tile rows, each walked column by column
 *     Hilbert   a generalized Hilbert curve over any rectangle: consecutive tiles always touch
 *
 * Pure functions, any thread. */
#ifndef LAVA_DISPATCH_TILE_ORDER_H
#define LAVA_DISPATCH_TILE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lava_tile_order {
    LAVA_TILE_ORDER_LINEAR,
    LAVA_TILE_ORDER_GROUPED,
    LAVA_TILE_ORDER_HILBERT,
    LAVA_TILE_ORDER_COUNT
};

#define LAVA_TILE_ORDER_GROUP 8

/* An entry has the tile row in the low 16 bits and the tile column in the high 16. This is the limit of
 * tiles_m and tiles_n. */
#define LAVA_TILE_ORDER_MAX_TILES 65536

/* Writes tiles_m * tiles_n entries, each tile once. */
void lava_tile_order_fill(enum lava_tile_order order, uint32_t tiles_m, uint32_t tiles_n, uint32_t *entries);

static inline uint32_t lava_tile_order_entry(uint32_t tile_m, uint32_t tile_n) {
    return tile_m | tile_n << 16;
}
static inline uint32_t lava_tile_order_tile_m(uint32_t entry) {
    return entry & 0xffffu;
}
static inline uint32_t lava_tile_order_tile_n(uint32_t entry) {
    return entry >> 16;
}

const char *lava_tile_order_name(enum lava_tile_order order); /* "linear", "grouped", "hilbert" */
bool lava_tile_order_from_name(const char *name, enum lava_tile_order *order);

#endif
