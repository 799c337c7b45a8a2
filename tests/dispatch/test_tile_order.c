/* tile_order.c: every tile once, neighbours stay neighbours, and waves share panels. */
#include "devices.h"

#include "dispatch/tile_order.h"

static uint32_t *filled(enum lava_tile_order order, uint32_t tiles_m, uint32_t tiles_n) {
    size_t count = (size_t)tiles_m * tiles_n;
    uint32_t *entries = malloc((count + 1) * sizeof *entries);
    assert_non_null(entries);
    memset(entries, 0xee, (count + 1) * sizeof *entries);
    lava_tile_order_fill(order, tiles_m, tiles_n, entries);
    assert_int_equal(entries[count], 0xeeeeeeeeu); /* nothing past the end */
    return entries;
}

static void check_each_tile_once(enum lava_tile_order order, uint32_t tiles_m, uint32_t tiles_n) {
    size_t count = (size_t)tiles_m * tiles_n;
    uint32_t *entries = filled(order, tiles_m, tiles_n);
    unsigned char *seen = calloc(count, 1);
    assert_non_null(seen);
    for (size_t i = 0; i < count; i++) {
        uint32_t m = lava_tile_order_tile_m(entries[i]), n = lava_tile_order_tile_n(entries[i]);
        assert_true(m < tiles_m && n < tiles_n);
        assert_int_equal(seen[m + (size_t)n * tiles_m]++, 0);
    }
    free(seen);
    free(entries);
}

static void test_each_tile_once(void **state) {
    (void)state;
    static const uint32_t extreme[][2] = {{65535, 1},   {1, 65535}, {65536, 3}, {3, 65536}, {65535, 17},
                                          {1023, 1025}, {1, 1},     {2, 65535}, {4093, 257}};
    for (int order = 0; order < LAVA_TILE_ORDER_COUNT; order++) {
        for (uint32_t m = 1; m <= 36; m++)
            for (uint32_t n = 1; n <= 36; n++)
                check_each_tile_once((enum lava_tile_order)order, m, n);
        for (size_t i = 0; i < COUNT(extreme); i++)
            check_each_tile_once((enum lava_tile_order)order, extreme[i][0], extreme[i][1]);
    }
}

static void test_linear_order(void **state) {
    (void)state;
    uint32_t *entries = filled(LAVA_TILE_ORDER_LINEAR, 5, 7);
    for (uint32_t i = 0; i < 35; i++)
        assert_int_equal(entries[i], (i % 5) | (i / 5) << 16);
    free(entries);
}

/* 19 rows: two bands of 8 and one of 3. */
static void test_grouped_order(void **state) {
    (void)state;
    uint32_t *entries = filled(LAVA_TILE_ORDER_GROUPED, 19, 6);
    for (uint32_t i = 0; i < 19 * 6; i++) {
        uint32_t band = i / (LAVA_TILE_ORDER_GROUP * 6), within = i % (LAVA_TILE_ORDER_GROUP * 6);
        uint32_t rows = band < 2 ? LAVA_TILE_ORDER_GROUP : 3;
        uint32_t m = band * LAVA_TILE_ORDER_GROUP + within % rows;
        assert_int_equal(entries[i], m | (within / rows) << 16);
    }
    free(entries);
}

static unsigned distance(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}

/* Along the curve each step goes to a neighbour. There is at most one diagonal step, and none if the longer
 * side is even. */
static void check_curve(uint32_t tiles_m, uint32_t tiles_n) {
    uint32_t *entries = filled(LAVA_TILE_ORDER_HILBERT, tiles_m, tiles_n);
    unsigned diagonals = 0;
    for (size_t i = 1; i < (size_t)tiles_m * tiles_n; i++) {
        unsigned dm = distance(lava_tile_order_tile_m(entries[i]), lava_tile_order_tile_m(entries[i - 1]));
        unsigned dn = distance(lava_tile_order_tile_n(entries[i]), lava_tile_order_tile_n(entries[i - 1]));
        assert_true(dm <= 1 && dn <= 1);
        diagonals += dm + dn == 2;
    }
    assert_true(diagonals <= 1);
    if ((tiles_m >= tiles_n ? tiles_m : tiles_n) % 2 == 0)
        assert_int_equal(diagonals, 0);
    free(entries);
}

static void test_hilbert_is_a_curve(void **state) {
    (void)state;
    for (uint32_t m = 1; m <= 70; m++)
        for (uint32_t n = 1; n <= 70; n++)
            check_curve(m, n);
    check_curve(65535, 5);
    check_curve(6, 65535);
    check_curve(1000, 777);
}

/* Occurrences of each panel in the window, and the number of panels that occur. */
struct window {
    uint32_t *rows, *columns;
    uint32_t panels;
};

static void enter(struct window *window, uint32_t entry) {
    window->panels += window->rows[lava_tile_order_tile_m(entry)]++ == 0;
    window->panels += window->columns[lava_tile_order_tile_n(entry)]++ == 0;
}

static void leave(struct window *window, uint32_t entry) {
    window->panels -= --window->rows[lava_tile_order_tile_m(entry)] == 0;
    window->panels -= --window->columns[lava_tile_order_tile_n(entry)] == 0;
}

/* Returns the largest number of distinct panels (rows of A's tiles plus columns of B's) that any `wave`
 * consecutive entries touch: the cache must hold that many. */
static uint32_t panels_per_wave(const uint32_t *entries, size_t count, uint32_t wave) {
    uint32_t *counts = calloc(2 * (size_t)LAVA_TILE_ORDER_MAX_TILES, sizeof *counts);
    assert_non_null(counts);
    struct window window = {.rows = counts, .columns = counts + LAVA_TILE_ORDER_MAX_TILES};
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) {
        if (i >= wave)
            leave(&window, entries[i - wave]);
        enter(&window, entries[i]);
        if (window.panels > most)
            most = window.panels;
    }
    free(counts);
    return most;
}

static void test_panels_per_wave(void **state) {
    (void)state;
    uint32_t *linear = filled(LAVA_TILE_ORDER_LINEAR, 64, 64);
    uint32_t most = panels_per_wave(linear, 64 * 64, 132);
    assert_int_equal(most, 64 + 4); /* a wave that begins and ends inside a column touches four */
    assert_int_equal(panels_per_wave(linear, 64 * 64, 1), 2);
    assert_int_equal(panels_per_wave(linear, 64 * 64, 64 * 64), 128);
    assert_int_equal(panels_per_wave(linear, 64 * 64, UINT32_MAX), 128);
    for (int order = LAVA_TILE_ORDER_GROUPED; order <= LAVA_TILE_ORDER_HILBERT; order++) {
        uint32_t *entries = filled((enum lava_tile_order)order, 64, 64);
        uint32_t panels = panels_per_wave(entries, 64 * 64, 132);
        print_message("64 x 64 tiles, wave of 132: linear %u panels, %s %u\n", most,
                      lava_tile_order_name((enum lava_tile_order)order), panels);
        assert_true(2 * panels <= most);
        free(entries);
    }
    free(linear);
}

static void test_names(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_TILE_ORDER_COUNT; i++) {
        enum lava_tile_order order = LAVA_TILE_ORDER_COUNT;
        assert_true(lava_tile_order_from_name(lava_tile_order_name((enum lava_tile_order)i), &order));
        assert_int_equal(order, i);
    }
    enum lava_tile_order order;
    assert_string_equal(lava_tile_order_name(LAVA_TILE_ORDER_HILBERT), "hilbert");
    assert_false(lava_tile_order_from_name("Hilbert", &order));
    assert_false(lava_tile_order_from_name("", &order));
    assert_string_equal(lava_tile_order_name(LAVA_TILE_ORDER_COUNT), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_tile_once),  cmocka_unit_test(test_linear_order),
        cmocka_unit_test(test_grouped_order),   cmocka_unit_test(test_hilbert_is_a_curve),
        cmocka_unit_test(test_panels_per_wave), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
