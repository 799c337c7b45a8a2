/* Lists of tiles on the device: which tiles of C a multiply computes, and in which order. They are kept
 * between runs and uploaded when a run needs one that is missing. Private to lib/product. */
#ifndef LAVA_PRODUCT_TILE_LISTS_H
#define LAVA_PRODUCT_TILE_LISTS_H

#include "dispatch/program.h"
#include "lib/product/run.h"

struct lava_tile_list {
    uint64_t address;
    uint32_t tiles;
};

/* Gets the list for the rows and columns of a multiply, without tiles outside the region. Uploads it if it is
 * missing; or, on the device, writes it among the stream's commands, which waits for nothing. The arena owns
 * the memory. The list is valid for the multiply that follows. */
enum lava_status lava_tile_lists_get(const struct lava_run *run, const struct lava_region_tiles *region,
                                     const struct lava_task *task, struct lava_tile_list *list);

#endif
