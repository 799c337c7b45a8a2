/* Lists of tiles on the device: which tiles of C a multiply computes, in which order. Kept between runs,
 * uploaded when a run needs one that is not there. Private to lib/engine. */
#ifndef LAVA_ENGINE_TILE_LISTS_H
#define LAVA_ENGINE_TILE_LISTS_H

#include "lib/engine/stages.h"

struct lava_tile_list {
    uint64_t address;
    uint32_t tiles;
};

/* The list for the rows and columns of a multiply, without the tiles that are outside the region. */
enum lava_status lava_tile_lists_get(struct lava_run *run, const struct lava_region_tiles *region,
                                     const struct lava_task *task, struct lava_tile_list *list);

#endif
