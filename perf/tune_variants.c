/* The variants that tune tries: every tile, part, depth and number of stages that the device can run. Called
 * by tune.c.
 *
 * First each tile and part is tried at one depth with two stages. Depths and stages change little, so the
 * others are only tried for the best. */
#include <stdio.h>
#include <string.h>

#include "lib/vk/modules.h"
#include "tune.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
/* A workgroup with more subgroups waits too long for the slowest of them. Registers hold no more sums. */
#define MOST_SUBGROUPS 16
#define MOST_SUMS      160 /* per invocation */
/* Tiles at least this wide are for C's long side. */
#define NARROW_TILE 64

/* Values to combine, each list ended by 0. base: the depth that every tile and part is tried with first. */
struct space {
    uint32_t tiles_m[8], tiles_n[8], parts[4], depths[4], stages[3], base;
};

static const struct space matrix_space = {.tiles_m = {16, 32, 64, 128, 256},
                                          .tiles_n = {16, 32, 64, 128, 256},
                                          .parts = {16, 32, 64},
                                          .depths = {16, 32, 64},
                                          .stages = {1, 2},
                                          .base = 32};
static const struct space simt_space = {.tiles_m = {32, 64, 128, 256},
                                        .tiles_n = {32, 64, 128, 256},
                                        .parts = {4, 8, 16},
                                        .depths = {8, 16, 32},
                                        .stages = {1, 2},
                                        .base = 16};
static const struct space quick_matrix_space = {.tiles_m = {16, 64},
                                                .tiles_n = {16, 64},
                                                .parts = {16, 32},
                                                .depths = {32, 64},
                                                .stages = {2},
                                                .base = 32};
static const struct space quick_simt_space = {.tiles_m = {32, 64},
                                              .tiles_n = {32, 64},
                                              .parts = {4, 8},
                                              .depths = {8, 16},
                                              .stages = {1, 2},
                                              .base = 16};

static const struct space *space_of(const struct tune *tune) {
    if (tune->type == LAVA_TYPE_FP32)
        return tune->quick ? &quick_simt_space : &simt_space;
    return tune->quick ? &quick_matrix_space : &matrix_space;
}

bool tune_takes_part(const struct tune_variant *variant, enum tune_group group) {
    uint32_t m = variant->kernel.tile_m, n = variant->kernel.tile_n;
    switch (group) {
    case TUNE_SQUARE:
        return m >= 32 && n >= 32;
    case TUNE_FEW_COLUMNS:
        return n <= NARROW_TILE && m >= n;
    default:
        return m <= NARROW_TILE && n >= m;
    }
}

/* Takes part in none of the requested sizes, so it need not be compiled. */
static bool is_idle(const struct tune *tune, const struct tune_variant *variant) {
    for (size_t i = 0; i < tune->size_count; i++)
        if (tune_takes_part(variant, tune->sizes[i].group))
            return false;
    return true;
}

static bool is_known(const struct tune *tune, const struct lava_kernel *kernel) {
    for (size_t i = 0; i < tune->variant_count; i++) {
        const struct lava_kernel *known = &tune->variants[i].kernel;
        if (known->module == kernel->module && known->tile_m == kernel->tile_m &&
            known->tile_n == kernel->tile_n && known->tile_k == kernel->tile_k &&
            known->part_m == kernel->part_m && known->part_n == kernel->part_n &&
            known->stages == kernel->stages)
            return true;
    }
    return false;
}

/* Excludes variants that would only waste the device's compiler time. */
static bool is_sensible(const struct tune *tune, const struct lava_kernel *kernel) {
    const struct lava_capabilities *capabilities = &tune->capabilities;
    uint32_t subgroup = lava_kernel_subgroup_size(kernel, capabilities);
    bool matrix = kernel->type != LAVA_TYPE_FP32;
    if (kernel->part_m > kernel->tile_m || kernel->part_n > kernel->tile_n)
        return false;
    uint32_t sums = kernel->part_m * kernel->part_n / (matrix ? subgroup : 1);
    uint32_t parts = kernel->tile_m / kernel->part_m * (kernel->tile_n / kernel->part_n);
    /* a software device has no registers and no reason for few sums */
    bool software = capabilities->kind == LAVA_DEVICE_CPU;
    return (software || sums <= MOST_SUMS) && parts <= MOST_SUBGROUPS * (matrix ? 1 : subgroup) &&
           lava_modules_has(kernel->module) && lava_kernel_fits(kernel, capabilities, NULL);
}

static void add(struct tune *tune, const struct lava_kernel *kernel) {
    if (tune->variant_count == TUNE_MAX_VARIANTS || !is_sensible(tune, kernel) || is_known(tune, kernel))
        return;
    struct tune_variant *variant = &tune->variants[tune->variant_count];
    memset(variant, 0, sizeof *variant);
    variant->kernel = *kernel;
    if (is_idle(tune, variant))
        return;
    tune->variant_count++;
    snprintf(variant->name, sizeof variant->name, "%s:%s:%ux%ux%u/%ux%u/%u", lava_type_name(kernel->type),
             lava_kernel_algorithm(kernel), kernel->tile_m, kernel->tile_n, kernel->tile_k, kernel->part_m,
             kernel->part_n, kernel->stages);
    variant->kernel.name = variant->name;
}

static void add_parts(struct tune *tune, struct lava_kernel kernel) {
    const struct space *space = space_of(tune);
    for (const uint32_t *part_m = space->parts; *part_m; part_m++)
        for (const uint32_t *part_n = space->parts; *part_n; part_n++) {
            kernel.part_m = *part_m;
            kernel.part_n = *part_n;
            add(tune, &kernel);
        }
}

/* Large tiles first, so that the most important variants have been tried if the budget ends early. */
static void add_tiles(struct tune *tune, struct lava_kernel kernel) {
    const struct space *space = space_of(tune);
    for (int m = (int)COUNT(space->tiles_m) - 1; m >= 0; m--)
        for (int n = (int)COUNT(space->tiles_n) - 1; n >= 0; n--) {
            kernel.tile_m = space->tiles_m[m];
            kernel.tile_n = space->tiles_n[n];
            if (kernel.tile_m && kernel.tile_n)
                add_parts(tune, kernel);
        }
}

/* Uses the algorithms of the table's rows for the type. */
void tune_add_bases(struct tune *tune) {
    bool seen[LAVA_MODULE_COUNT] = {false};
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    for (size_t i = 0; i < rows; i++) {
        if (table[i].type != tune->type || seen[table[i].module] ||
            (tune->algorithm && strcmp(tune->algorithm, lava_kernel_algorithm(&table[i]))))
            continue;
        seen[table[i].module] = true;
        add_tiles(tune, (struct lava_kernel){.type = tune->type,
                                             .module = table[i].module,
                                             .tile_k = space_of(tune)->base,
                                             .stages = 2});
    }
    /* the table's own rows are always tried */
    for (size_t i = 0; i < rows && !tune->quick; i++)
        if (table[i].type == tune->type && seen[table[i].module])
            add(tune, &table[i]);
}

/* Stages in registers cost less than stages of shared memory, so there may be more. */
void tune_add_siblings(struct tune *tune, const struct tune_variant *variant) {
    static const uint32_t fragment_stages[] = {1, 2, 4, 0};
    const struct space *space = space_of(tune);
    bool fragments = lava_kernel_layout(&variant->kernel) == LAVA_LAYOUT_FRAGMENTS;
    struct lava_kernel kernel = variant->kernel;
    for (const uint32_t *depth = space->depths; *depth; depth++)
        for (const uint32_t *stages = fragments ? fragment_stages : space->stages; *stages; stages++) {
            kernel.tile_k = *depth;
            kernel.stages = *stages;
            add(tune, &kernel);
        }
}
