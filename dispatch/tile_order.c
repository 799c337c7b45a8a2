/* Fills the lists of tiles that the multiply kernel walks. Called by the engine for each block shape, and by
 * tests. Invariant: every order contains every tile of the rectangle exactly once. */
#include "dispatch/tile_order.h"

#include <assert.h>
#include <string.h>

// clang-format off
/* name, by enum lava_tile_order */
static const char *const names[LAVA_TILE_ORDER_COUNT] = {
    [LAVA_TILE_ORDER_LINEAR]  = "linear",
    [LAVA_TILE_ORDER_GROUPED] = "grouped",
    [LAVA_TILE_ORDER_HILBERT] = "hilbert",
};
// clang-format on

/* Bands of `group` tile rows, each walked column by column. */
static void fill_bands(uint32_t group, uint32_t tiles_m, uint32_t tiles_n, uint32_t *entries) {
    for (uint32_t first = 0; first < tiles_m; first += group) {
        uint32_t end = tiles_m - first < group ? tiles_m : first + group;
        for (uint32_t n = 0; n < tiles_n; n++)
            for (uint32_t m = first; m < end; m++)
                *entries++ = m | n << 16;
    }
}

/* A rectangle still to be walked. It begins at corner (m, n) and extends `along` tiles in the direction of
 * the curve and `across` tiles perpendicular to it. The curve leaves at the far corner of the side it runs
 * along. */
struct direction {
    int32_t m, n;
};
struct rectangle {
    int32_t m, n;
    int32_t along, across;
    struct direction along_step, across_step;
};

/* Each split halves at least one side, plus or minus one to make it even. For 65536 tiles that is at most 17
 * splits per side, and each split leaves at most two rectangles on the stack. */
#define HILBERT_STACK 80

static int32_t even_half(int32_t length) {
    int32_t half = length / 2;
    /* A part of even length ends next to where it began, so no diagonal step is needed. */
    return half % 2 != 0 && length > 2 ? half + 1 : half;
}

static struct rectangle moved(struct rectangle from, int32_t along, int32_t across) {
    from.m += along * from.along_step.m + across * from.across_step.m;
    from.n += along * from.along_step.n + across * from.across_step.n;
    return from;
}

static struct direction opposite(struct direction direction) {
    return (struct direction){-direction.m, -direction.n};
}

/* Splits a rectangle that is much longer than wide into two halves. Pushed in reverse. */
static size_t cut_in_two(struct rectangle whole, struct rectangle *stack) {
    int32_t half = even_half(whole.along);
    stack[0] = moved(whole, half, 0);
    stack[0].along = whole.along - half;
    stack[1] = whole;
    stack[1].along = half;
    return 2;
}

/* Splits into Hilbert's three strokes: away from the side, along it, and back. Hilbert's two middle squares
 * are one rectangle here. Pushed in reverse. */
static size_t cut_in_three(struct rectangle whole, struct rectangle *stack) {
    int32_t along = whole.along / 2, across = even_half(whole.across);
    struct rectangle back = moved(whole, whole.along - 1, across - 1);
    back.along = across;
    back.across = whole.along - along;
    back.along_step = opposite(whole.across_step);
    back.across_step = opposite(whole.along_step);

    struct rectangle middle = moved(whole, 0, across);
    middle.across = whole.across - across;

    struct rectangle away = whole;
    away.along = across;
    away.across = along;
    away.along_step = whole.across_step;
    away.across_step = whole.along_step;

    stack[0] = back;
    stack[1] = middle;
    stack[2] = away;
    return 3;
}

static uint32_t *emit_line(const struct rectangle *line, uint32_t *entries) {
    bool along = line->across == 1;
    int32_t length = along ? line->along : line->across;
    struct direction step = along ? line->along_step : line->across_step;
    for (int32_t i = 0; i < length; i++)
        *entries++ = (uint32_t)(line->m + i * step.m) | (uint32_t)(line->n + i * step.n) << 16;
    return entries;
}

static void fill_hilbert(uint32_t tiles_m, uint32_t tiles_n, uint32_t *entries) {
    struct rectangle stack[HILBERT_STACK];
    size_t waiting = 1;
    bool tall = tiles_m >= tiles_n;
    const struct direction down = {1, 0}, right = {0, 1};
    stack[0] = (struct rectangle){.along = (int32_t)(tall ? tiles_m : tiles_n),
                                  .across = (int32_t)(tall ? tiles_n : tiles_m),
                                  .along_step = tall ? down : right,
                                  .across_step = tall ? right : down};
    while (waiting) {
        struct rectangle next = stack[--waiting];
        assert(waiting + 3 <= HILBERT_STACK);
        if (next.along == 1 || next.across == 1)
            entries = emit_line(&next, entries);
        else if (2 * next.along > 3 * next.across)
            waiting += cut_in_two(next, &stack[waiting]);
        else
            waiting += cut_in_three(next, &stack[waiting]);
    }
}

void lava_tile_order_fill(enum lava_tile_order order, uint32_t tiles_m, uint32_t tiles_n, uint32_t *entries) {
    assert(tiles_m <= LAVA_TILE_ORDER_MAX_TILES && tiles_n <= LAVA_TILE_ORDER_MAX_TILES);
    if (tiles_m == 0 || tiles_n == 0)
        return;
    switch (order) {
    case LAVA_TILE_ORDER_GROUPED:
        fill_bands(LAVA_TILE_ORDER_GROUP, tiles_m, tiles_n, entries);
        return;
    case LAVA_TILE_ORDER_HILBERT:
        fill_hilbert(tiles_m, tiles_n, entries);
        return;
    case LAVA_TILE_ORDER_LINEAR:
    case LAVA_TILE_ORDER_COUNT:
        fill_bands(tiles_m, tiles_m, tiles_n, entries);
        return;
    }
}

const char *lava_tile_order_name(enum lava_tile_order order) {
    return (unsigned)order < LAVA_TILE_ORDER_COUNT ? names[order] : "unknown";
}

bool lava_tile_order_from_name(const char *name, enum lava_tile_order *order) {
    for (int i = 0; i < LAVA_TILE_ORDER_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *order = (enum lava_tile_order)i;
            return true;
        }
    }
    return false;
}
