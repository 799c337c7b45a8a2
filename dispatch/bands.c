/* The geometry of bands. Called by solve.c and lib/lapack/solve_bands.c.
 *
 *     T = op(A), or its transpose if A is on the right: a right-hand side has T x = alpha b
 *
 *       +---+               band 0
 *       | 0 |
 *       +---+---+           band 1: its known unknowns are those of band 0
 *       | k | s |
 *       +---+---+---+       band 2
 *       |   k   | s |       k: coefficients of the known unknowns, s: the square
 *       +-------+---+
 *
 * If T is upper triangular, the last band comes first. */
#include "dispatch/bands.h"

#include "dispatch/arithmetic.h"

struct lava_bands lava_bands_of(const struct lava_operation *solve, int64_t width) {
    const struct lava_operand *triangle = lava_operation_structured(solve);
    bool on_right = triangle == &solve->b;
    return (struct lava_bands){.order = solve->k,
                               .width = width,
                               .on_right = on_right,
                               .descends = lava_operand_is_lower(triangle) == on_right,
                               .equations_are_rows = (triangle->op == LAVA_OP_N) != on_right};
}

int64_t lava_bands_count(const struct lava_bands *bands) {
    return (bands->order + bands->width - 1) / bands->width;
}

struct lava_band lava_band_at(const struct lava_bands *bands, int64_t index) {
    int64_t place = bands->descends ? lava_bands_count(bands) - 1 - index : index;
    struct lava_band band = {.first = place * bands->width};
    band.count = lava_minimum(bands->width, bands->order - band.first);
    band.known_first = bands->descends ? band.first + band.count : 0;
    band.known = bands->descends ? bands->order - band.known_first : band.first;
    return band;
}

/* Rows of T, and these columns, as they are stored. */
static struct lava_band_block stored(const struct lava_bands *bands, int64_t row, int64_t rows,
                                     int64_t column, int64_t columns) {
    if (bands->equations_are_rows)
        return (struct lava_band_block){row, rows, column, columns};
    return (struct lava_band_block){column, columns, row, rows};
}

struct lava_band_block lava_band_triangle(const struct lava_bands *bands, const struct lava_band *band) {
    int64_t column = bands->descends ? band->first : 0;
    return stored(bands, band->first, band->count, column, band->known + band->count);
}

struct lava_band_block lava_band_known(const struct lava_bands *bands, const struct lava_band *band) {
    return stored(bands, 0, band->count, bands->descends ? band->count : 0, band->known);
}

struct lava_band_block lava_band_square(const struct lava_bands *bands, const struct lava_band *band) {
    return stored(bands, 0, band->count, bands->descends ? 0 : band->known, band->count);
}

struct lava_band_block lava_band_sides(const struct lava_bands *bands, int64_t first, int64_t count,
                                       int64_t sides) {
    if (bands->on_right)
        return (struct lava_band_block){0, sides, first, count};
    return (struct lava_band_block){first, count, 0, sides};
}
