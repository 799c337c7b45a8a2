/* region.c: the rows of each column and the tiles that have elements of a region, counted element by element.
 */
#include "blocks.h"

#include "dispatch/region.h"

static struct lava_region_block random_block(uint64_t *random) {
    return (struct lava_region_block){.region = (enum lava_region)(random_next(random) % 3),
                                      .diagonal = (int64_t)(random_next(random) % 121) - 60,
                                      .rows = (int64_t)(random_next(random) % 41)};
}

/* Element (i, j) lies on the diagonal if i is j + diagonal. */
static bool block_has(const struct lava_region_block *block, int64_t i, int64_t j) {
    return i < block->rows && in_region(block->region, i, j + block->diagonal);
}

static void test_rows(void **state) {
    (void)state;
    uint64_t random = random_seed();
    for (int t = 0; t < 20000; t++) {
        const struct lava_region_block block = random_block(&random);
        int64_t j = (int64_t)(random_next(&random) % 80), first, end = lava_region_rows(&block, j, &first);
        assert_true(first >= 0 && first <= end && end <= block.rows);
        for (int64_t i = 0; i < block.rows; i++)
            assert_int_equal(i >= first && i < end, block_has(&block, i, j));
    }
}

/* The columns that pad the last tiles count: a block ends where its tiles do. */
static bool tile_has(const struct lava_region_tiles *tiles, uint32_t i, uint32_t j) {
    for (uint32_t p = j * tiles->tile_n; p < (j + 1) * tiles->tile_n; p++)
        for (uint32_t r = i * tiles->tile_m; r < (i + 1) * tiles->tile_m; r++)
            if (block_has(&tiles->block, r, p / tiles->each))
                return true;
    return false;
}

static void test_tiles(void **state) {
    (void)state;
    uint64_t random = random_seed();
    unsigned none = 0, all = 0, some = 0;
    for (int t = 0; t < 5000; t++) {
        const struct lava_region_tiles tiles = {.block = random_block(&random),
                                                .tile_m = 1u << random_next(&random) % 5,
                                                .tile_n = 2u << random_next(&random) % 4,
                                                .each = 1 + (uint32_t)(random_next(&random) % 2)};
        uint32_t tiles_m = (uint32_t)(up(tiles.block.rows, tiles.tile_m) / tiles.tile_m);
        uint32_t tiles_n = (uint32_t)(random_next(&random) % 12);
        uint64_t count = 0;
        for (uint32_t i = 0; i < tiles_m; i++)
            for (uint32_t j = 0; j < tiles_n; j++) {
                bool has = tile_has(&tiles, i, j);
                assert_int_equal(lava_region_has_tile(&tiles, i, j), has);
                count += has;
            }
        assert_int_equal(lava_region_count(&tiles, tiles_m, tiles_n), count);
        none += count == 0;
        all += count > 0 && count == (uint64_t)tiles_m * tiles_n;
        some += count > 0 && count < (uint64_t)tiles_m * tiles_n;
    }
    assert_true(none > 300 && all > 300 && some > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
