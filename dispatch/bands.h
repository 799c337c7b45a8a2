/* A solve with a triangular matrix, ?trsm, by bands: rows of op(A), and the unknowns that they belong to.
 * With each band its rows of the triangle and of the right-hand sides are uploaded, what the unknowns before
 * it contribute is subtracted by one product, it is solved for, and X's rows are downloaded. So the device
 * computes while later bands are uploaded and earlier ones are downloaded. All right-hand sides are on the
 * device at once. Pure functions, called by solve.c and lib/lapack/solve_bands.c. */
#ifndef LAVA_DISPATCH_BANDS_H
#define LAVA_DISPATCH_BANDS_H

#include "dispatch/operation.h"

/* Most bands of a solve. */
#define LAVA_BANDS_MOST 16

/* If op(A) X = alpha B, unknowns are rows of X; if X op(A) = alpha B, they are columns. */
struct lava_bands {
    int64_t order, width;    /* unknowns, and those of a band: a multiple of LAVA_SOLVE_ORDER */
    bool on_right;           /* A is */
    bool descends;           /* the last unknowns are found first */
    bool equations_are_rows; /* of the stored A; else they are its columns */
};
struct lava_bands lava_bands_of(const struct lava_operation *solve, int64_t width);
int64_t lava_bands_count(const struct lava_bands *bands);

struct lava_band {
    int64_t first, count;       /* its unknowns */
    int64_t known_first, known; /* the unknowns that are found before it */
};
/* Bands in the order in which they are solved for. */
struct lava_band lava_band_at(const struct lava_bands *bands, int64_t index);

/* A block of a stored matrix. */
struct lava_band_block {
    int64_t row, rows, column, columns;
};
/* What is stored of the band's equations: the coefficients of the known unknowns, and the square of its own
 * beside them. */
struct lava_band_block lava_band_triangle(const struct lava_bands *bands, const struct lava_band *band);
/* Where in that block the two are. */
struct lava_band_block lava_band_known(const struct lava_bands *bands, const struct lava_band *band);
struct lava_band_block lava_band_square(const struct lava_bands *bands, const struct lava_band *band);
/* Unknowns [first, first + count) of n right-hand sides. */
struct lava_band_block lava_band_sides(const struct lava_bands *bands, int64_t first, int64_t count,
                                       int64_t sides);

#endif
