/* Finds the tiles that the screen leaves. Called by lib/product/residue_run.c. The descriptions lie in the
 * slot of staging memory that uploads leave to lists of tiles, which a product by residues does not have. */
#include "lib/product/left_tiles.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/residue_choice.h"

#define DESCRIPTION_BYTES (LAVA_RESIDUES_WORDS * 4)
/* The exponent of a line that takes part. */
#define USUAL_EXPONENT 1023

struct lava_left_tiles *lava_left_tiles_create(const struct lava_operation *operation,
                                               const struct lava_plan *plan) {
    const struct lava_operation parts = lava_residue_parts(operation);
    const struct lava_residue_layout layout = lava_residue_layout_of(plan->residues, &parts, 1, false);
    int64_t each = parts.m / operation->m, panels = (parts.k - 1) / layout.panel + 1;
    size_t count = (size_t)panels * layout.tiles_m * layout.tiles_n;
    struct lava_left_tiles *tiles = calloc(1, sizeof *tiles + count);
    if (tiles) {
        tiles->of_c = (struct lava_region_tiles){.block = {operation->c.region, 0, operation->m},
                                                 .tile_m = plan->residues->tile_m / (uint32_t)each,
                                                 .tile_n = plan->residues->tile_n,
                                                 .each = 1};
        tiles->panel = layout.panel / each;
        tiles->tiles_m = layout.tiles_m;
        tiles->tiles_n = layout.tiles_n;
        tiles->panels = panels;
    }
    return tiles;
}

/* Where the host has the description of a tile's lines. */
static uint64_t offset_of(const struct lava_residue_product *product, int side, int64_t panel, int64_t tile) {
    const struct lava_residue_layout *layout = &product->layout;
    uint64_t each = (uint64_t)layout->tiles_m + layout->tiles_n;
    uint64_t place = (uint64_t)panel * each + (side == 0 ? 0 : layout->tiles_m) + (uint64_t)tile;
    return LAVA_ARENA_LIST_SLOT * product->stream->arena->slot_bytes + place * DESCRIPTION_BYTES;
}

enum lava_status lava_left_tiles_fetch(const struct lava_residue_product *product, int side, int64_t first_k,
                                       int64_t first, int64_t lines, struct lava_point *done) {
    struct lava_stream *stream = product->stream;
    const struct lava_buffer *buffers = stream->arena->buffers;
    int64_t tile = side == 0 ? product->way->tile_m : product->way->tile_n;
    uint64_t count = (uint64_t)((lines - 1) / tile + 1);
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(stream, &commands);
    if (status)
        return status;
    lava_queue_barrier(stream->device, &commands);
    lava_queue_copy(stream->device, &commands, &buffers[LAVA_ARENA_PACKED_A],
                    lava_residue_panel_offset(product, side, first / tile), &buffers[LAVA_ARENA_STAGING_UP],
                    offset_of(product, side, first_k / product->layout.panel, first / tile),
                    count * DESCRIPTION_BYTES);
    lava_queue_barrier(stream->device, &commands);
    status = lava_stream_submit(stream, &stream->uploaded, done);
    return status ? status : lava_stream_flush(stream);
}

/* What is known of a tile's lines (shaders/residues_screen.comp). */
static struct lava_residues_line line_of(const struct lava_residue_product *product, int side, int64_t panel,
                                         int64_t tile) {
    const struct lava_buffer *staging = &product->stream->arena->buffers[LAVA_ARENA_STAGING_UP];
    uint32_t words[LAVA_RESIDUES_WORDS];
    memcpy(words, (const char *)staging->mapped + offset_of(product, side, panel, tile), sizeof words);
    struct lava_residues_line line = {.greatest = words[LAVA_RESIDUES_BARRED] ? UINT32_MAX : USUAL_EXPONENT,
                                      .lost = words[LAVA_RESIDUES_LOST] != 0};
    memcpy(line.large, words + LAVA_RESIDUES_LARGE, sizeof line.large);
    return line;
}

uint64_t lava_left_tiles_judge(const struct lava_residue_product *product, int64_t end_k, int64_t end_column,
                               struct lava_left_tiles *tiles) {
    uint64_t left = 0;
    int64_t end = (end_column - 1) / tiles->of_c.tile_n + 1;
    for (int64_t p = 0; p * tiles->panel < end_k; p++) {
        int64_t panel = product->layout.panel;
        int64_t k = lava_minimum(panel, product->parts.k - p * panel);
        for (int64_t j = 0; j < end; j++) {
            const struct lava_residues_line b = line_of(product, 1, p, j);
            for (int64_t i = 0; i < tiles->tiles_m; i++) {
                const struct lava_residues_line a = line_of(product, 0, p, i);
                bool is_left = lava_region_has_tile(&tiles->of_c, (uint32_t)i, (uint32_t)j) &&
                               !lava_residues_hold(&product->residues, &a, &b, k);
                tiles->is_left[(p * tiles->tiles_n + j) * tiles->tiles_m + i] = is_left;
                left += is_left;
            }
        }
    }
    return left;
}
