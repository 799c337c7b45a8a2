/* The part of C that a routine writes: all of it, or one triangle with the diagonal. Pure arithmetic on
 * indices; any thread. */
#ifndef LAVA_DISPATCH_REGION_H
#define LAVA_DISPATCH_REGION_H

#include <stdbool.h>
#include <stdint.h>

enum lava_region { LAVA_REGION_ALL, LAVA_REGION_LOWER, LAVA_REGION_UPPER };

/* A block of C with `rows` rows, and the region of C. `diagonal` is its first column less its first row, so
 * element (i, j) of the block lies on C's diagonal if i = j + diagonal. */
struct lava_region_block {
    enum lava_region region;
    int64_t diagonal, rows;
};

/* Finds the rows of column j that are in the region: from *first up to, but not including, the returned row.
 * Both are within 0 and rows. They are equal if the column has no such row. */
int64_t lava_region_rows(const struct lava_region_block *block, int64_t j, int64_t *first);

/* The same block in tiles of tile_m x tile_n. The columns of the tiles are parts: `each` of them for one
 * column of C. */
struct lava_region_tiles {
    struct lava_region_block block;
    uint32_t tile_m, tile_n, each;
};
/* Returns true if tile (i, j) has an element in the region. */
bool lava_region_has_tile(const struct lava_region_tiles *tiles, uint32_t i, uint32_t j);
/* Returns how many of tiles_m x tiles_n tiles have one. */
uint64_t lava_region_count(const struct lava_region_tiles *tiles, uint32_t tiles_m, uint32_t tiles_n);

#endif
