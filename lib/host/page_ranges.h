/* A short sorted list of page ranges. Called by lib/host/page_watch for what was written since somebody
 * asked. */
#ifndef LAVA_HOST_PAGE_RANGES_H
#define LAVA_HOST_PAGE_RANGES_H

#include "lib/host/page_kernel.h"

#define LAVA_PAGE_RANGES 64

/* Ranges in order that neither overlap nor touch. All zeros: empty. */
struct lava_page_ranges {
    struct lava_page_range items[LAVA_PAGE_RANGES];
    int count;
};

/* Returns the part that both have; bytes is 0 if there is none. */
struct lava_page_range lava_page_ranges_common(struct lava_page_range one, struct lava_page_range other);

/* Adds a range. In a full list the two that are nearest to each other become one, with what is between. */
void lava_page_ranges_add(struct lava_page_ranges *ranges, struct lava_page_range range);

/* Merges until there are at most `most`, at least 1. */
void lava_page_ranges_shorten(struct lava_page_ranges *ranges, int most);

#endif
