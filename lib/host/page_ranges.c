/* A short sorted list of page ranges. Called by page_watch.c. */
#include "lib/host/page_ranges.h"

#include <string.h>

static uint64_t end_of(struct lava_page_range range) {
    return range.first + range.bytes;
}

struct lava_page_range lava_page_ranges_common(struct lava_page_range one, struct lava_page_range other) {
    uint64_t first = one.first > other.first ? one.first : other.first;
    uint64_t end = end_of(one) < end_of(other) ? end_of(one) : end_of(other);
    return (struct lava_page_range){first, end > first ? end - first : 0};
}

/* Makes one of the range at `at` and those after it, up to `last`. */
static void join(struct lava_page_ranges *ranges, int at, int last) {
    struct lava_page_range *items = ranges->items;
    items[at].bytes = end_of(items[last]) - items[at].first;
    memmove(&items[at + 1], &items[last + 1], (size_t)(ranges->count - last - 1) * sizeof *items);
    ranges->count -= last - at;
}

void lava_page_ranges_shorten(struct lava_page_ranges *ranges, int most) {
    const struct lava_page_range *items = ranges->items;
    while (ranges->count > most && ranges->count > 1) {
        int nearest = 0;
        uint64_t least = UINT64_MAX;
        for (int i = 0; i + 1 < ranges->count; i++) {
            uint64_t gap = items[i + 1].first - end_of(items[i]);
            if (gap < least) {
                least = gap;
                nearest = i;
            }
        }
        join(ranges, nearest, nearest + 1);
    }
}

void lava_page_ranges_add(struct lava_page_ranges *ranges, struct lava_page_range range) {
    struct lava_page_range *items = ranges->items;
    int at = ranges->count, last;
    while (at > 0 && end_of(items[at - 1]) >= range.first) /* those that it reaches, and those behind it */
        at--;
    for (last = at; last < ranges->count && items[last].first <= end_of(range); last++)
        ;
    if (last > at) { /* it reaches items [at, last) */
        uint64_t end = end_of(range) > end_of(items[last - 1]) ? end_of(range) : end_of(items[last - 1]);
        items[at].first = range.first < items[at].first ? range.first : items[at].first;
        join(ranges, at, last - 1);
        items[at].bytes = end - items[at].first;
        return;
    }
    if (ranges->count == LAVA_PAGE_RANGES) {
        lava_page_ranges_shorten(ranges, LAVA_PAGE_RANGES - 1);
        lava_page_ranges_add(ranges, range);
        return;
    }
    memmove(&items[at + 1], &items[at], (size_t)(ranges->count - at) * sizeof *items);
    items[at] = range;
    ranges->count++;
}
