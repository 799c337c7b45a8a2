/* Index arithmetic on triangles of C. Called by program.c and cost.c for tiles, and by lib/engine and
 * lib/host for elements. */
#include "dispatch/region.h"

#include "dispatch/arithmetic.h"

static int64_t within(int64_t row, int64_t rows) {
    return lava_maximum(0, lava_minimum(row, rows));
}

int64_t lava_region_rows(const struct lava_region_block *block, int64_t j, int64_t *first) {
    int64_t diagonal = j + block->diagonal;
    *first = block->region == LAVA_REGION_LOWER ? within(diagonal, block->rows) : 0;
    return block->region == LAVA_REGION_UPPER ? within(diagonal + 1, block->rows) : block->rows;
}

bool lava_region_has_tile(const struct lava_region_tiles *tiles, uint32_t i, uint32_t j) {
    int64_t row = (int64_t)i * tiles->tile_m, part = (int64_t)j * tiles->tile_n;
    int64_t last_row = lava_minimum(row + tiles->tile_m, tiles->block.rows) - 1;
    int64_t column = part / tiles->each, last_column = (part + tiles->tile_n - 1) / tiles->each;
    switch (tiles->block.region) {
    case LAVA_REGION_LOWER:
        return last_row >= column + tiles->block.diagonal;
    case LAVA_REGION_UPPER:
        return row <= last_column + tiles->block.diagonal;
    default:
        return true;
    }
}

uint64_t lava_region_count(const struct lava_region_tiles *tiles, uint32_t tiles_m, uint32_t tiles_n) {
    uint64_t all = (uint64_t)tiles_m * tiles_n, count = 0;
    if (tiles->block.region == LAVA_REGION_ALL)
        return all;
    /* the tiles of a row (lower) or of a column (upper) that are in the region come first */
    bool is_lower = tiles->block.region == LAVA_REGION_LOWER;
    uint32_t outer = is_lower ? tiles_m : tiles_n, inner = is_lower ? tiles_n : tiles_m;
    for (uint32_t o = 0; o < outer; o++) {
        uint32_t low = 0,
                 high = inner; /* tiles before `low` are in the region, tiles from `high` on are not */
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (lava_region_has_tile(tiles, is_lower ? o : middle, is_lower ? middle : o))
                low = middle + 1;
            else
                high = middle;
        }
        count += low;
    }
    return count;
}
