/* Makes lists of tiles and finds them again. Called by stages.c. Invariant: a list that a dispatch of the
 * stream reads is not overwritten until the device has drained, or in the order of the compute queue. */
#include "lib/product/tile_lists.h"

#include <stdlib.h>
#include <string.h>

#include "lib/transport/upload.h"

/* Fills in the key that identifies a list. */
static void fill_key(const struct lava_run *run, const struct lava_region_tiles *region,
                     const struct lava_task *task, struct lava_arena_list *key) {
    const struct lava_plan *plan = run->plan;
    const struct lava_kernel *kernel = plan->kernel;
    memset(key, 0, sizeof *key);
    key->tiles_m = (uint32_t)(lava_blocking_padded(task->rows, kernel->tile_m) / kernel->tile_m);
    key->tiles_n = (uint32_t)(lava_blocking_padded(task->block->columns, kernel->tile_n) / kernel->tile_n);
    key->order = (int)plan->order;
    /* or else, if one of the last workgroups has 64 times the work of the first, the others wait for it */
    key->is_reversed = lava_operation_grows(run->operation);
    if (region->block.region != LAVA_REGION_ALL)
        key->region = *region;
    key->products = (uint32_t)plan->blocking.products;
    key->tiles = key->products * (uint32_t)lava_region_count(region, key->tiles_m, key->tiles_n);
}

static bool is_same(const struct lava_arena_list *a, const struct lava_arena_list *b) {
    const struct lava_region_tiles *x = &a->region, *y = &b->region;
    return a->tiles_m == b->tiles_m && a->tiles_n == b->tiles_n && a->tiles == b->tiles &&
           a->products == b->products && a->order == b->order && a->is_reversed == b->is_reversed &&
           x->block.region == y->block.region && x->block.diagonal == y->block.diagonal &&
           x->block.rows == y->block.rows && x->tile_m == y->tile_m && x->tile_n == y->tile_n &&
           x->each == y->each;
}

/* Returns the place of the list, or LAVA_BLOCKING_TILE_LISTS if it is not there. *free_place is a place that
 * no dispatch of the stream reads, or LAVA_BLOCKING_TILE_LISTS. */
static uint32_t find(const struct lava_stream *stream, const struct lava_arena_list *key,
                     uint32_t *free_place) {
    const struct lava_arena *arena = stream->arena;
    *free_place = LAVA_BLOCKING_TILE_LISTS;
    for (uint32_t place = 0; place < LAVA_BLOCKING_TILE_LISTS; place++) {
        if (is_same(&arena->lists[place], key))
            return place;
        if (!(stream->lists_used & 1u << place))
            *free_place = place;
    }
    return LAVA_BLOCKING_TILE_LISTS;
}

static void reverse(uint32_t *entries, size_t count) {
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t entry = entries[i];
        entries[i] = entries[count - 1 - i];
        entries[count - 1 - i] = entry;
    }
}

/* Writes the tiles of the whole rectangle that are in the region, in the tile order. Of a batch: product
 * after product. */
static void fill(const struct lava_arena_list *key, uint32_t *entries) {
    size_t all = (size_t)key->tiles_m * key->tiles_n, kept = 0;
    bool whole = key->region.block.region == LAVA_REGION_ALL;
    lava_tile_order_fill((enum lava_tile_order)key->order, key->tiles_m, key->tiles_n, entries);
    for (size_t i = 0; i < all; i++)
        if (whole || lava_region_has_tile(&key->region, lava_tile_order_tile_m(entries[i]),
                                          lava_tile_order_tile_n(entries[i])))
            entries[kept++] = entries[i];
    if (key->is_reversed)
        reverse(entries, kept);
    for (uint32_t product = 1; product < key->products; product++)
        for (size_t i = 0; i < kept; i++)
            entries[product * kept + i] =
                lava_tile_order_entry(product * key->tiles_m + lava_tile_order_tile_m(entries[i]),
                                      product * key->tiles_n + lava_tile_order_tile_n(entries[i]));
}

/* Records that the list is written between what the stream has recorded and what follows. */
static enum lava_status write_in_order(struct lava_stream *stream, uint32_t place, const uint32_t *entries,
                                       uint32_t count) {
    const struct lava_arena *arena = stream->arena;
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(stream, &commands);
    if (status)
        return status;
    lava_queue_barrier(stream->device, &commands);
    lava_queue_write(stream->device, &commands, &arena->buffers[LAVA_ARENA_TILE_LISTS],
                     place * arena->list_bytes, entries, count);
    lava_queue_barrier(stream->device, &commands);
    return LAVA_OK;
}

static enum lava_status make(struct lava_stream *stream, bool in_order, uint32_t place,
                             const struct lava_arena_list *key) {
    struct lava_arena *arena = stream->arena;
    uint32_t *entries = malloc((size_t)key->products * key->tiles_m * key->tiles_n * sizeof *entries);
    if (!entries)
        return LAVA_ERROR_HOST_MEMORY;
    fill(key, entries);
    memset(&arena->lists[place], 0, sizeof arena->lists[place]);
    enum lava_status status =
        in_order ? write_in_order(stream, place, entries, key->tiles)
                 : lava_upload_bytes(stream, entries, key->tiles * sizeof *entries,
                                     &arena->buffers[LAVA_ARENA_TILE_LISTS], place * arena->list_bytes);
    free(entries);
    if (!status)
        arena->lists[place] = *key;
    return status;
}

enum lava_status lava_tile_lists_get(const struct lava_run *run, const struct lava_region_tiles *region,
                                     const struct lava_task *task, struct lava_tile_list *list) {
    struct lava_stream *stream = run->stream;
    const struct lava_arena *arena = stream->arena;
    bool in_order = run->operation->on_device;
    struct lava_arena_list key;
    fill_key(run, region, task, &key);
    uint32_t free_place, place = find(stream, &key, &free_place);
    enum lava_status status = LAVA_OK;
    if (place == LAVA_BLOCKING_TILE_LISTS) {
        place = free_place;
        if (place == LAVA_BLOCKING_TILE_LISTS && in_order)
            place = stream->next_list++ % LAVA_BLOCKING_TILE_LISTS;
        if (place == LAVA_BLOCKING_TILE_LISTS) { /* the stream reads all lists */
            place = stream->lists_used = 0;
            status = lava_stream_flush(stream);
            status =
                status ? status : lava_queue_drain(stream->device, lava_device_timeout_ns(stream->device));
        }
        status = status ? status : make(stream, in_order, place, &key);
    }
    stream->lists_used |= 1u << place;
    list->address = arena->buffers[LAVA_ARENA_TILE_LISTS].address + place * arena->list_bytes;
    list->tiles =
        key.tiles / key.products * (uint32_t)task->block->products; /* the last block may have fewer */
    return status;
}
