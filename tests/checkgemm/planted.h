/* Products with elements at and beyond the limits of a row by planes (dispatch/schemes.h), and which tiles of
 * C are screened out for them: worked out here from the elements. Called by screened.c. */
#ifndef CHECKGEMM_PLANTED_H
#define CHECKGEMM_PLANTED_H

#include "tests/checkgemm/checkgemm.h"

enum { PLANTED_A, PLANTED_B, PLANTED_SIDES };

/* What is planted. Inside and beyond: of the limits, by as little as can be. */
enum planted_value {
    PLANTED_NOTHING,
    PLANTED_INF,
    PLANTED_NAN,
    PLANTED_MINUS_ZERO,
    PLANTED_ZERO,
    PLANTED_SUBNORMAL,
    PLANTED_LARGEST,
    PLANTED_LEAST,
    PLANTED_BELOW_LEAST,
    PLANTED_MOST,
    PLANTED_ABOVE_MOST,
    PLANTED_LEAST_SUM, /* the next four: of exponents of both operands together, in both */
    PLANTED_BELOW_LEAST_SUM,
    PLANTED_MOST_SUM,
    PLANTED_ABOVE_MOST_SUM,
    PLANTED_OVERFLOWING, /* its square is beyond fp32 */
};

/* Where. */
enum planted_extent {
    PLANTED_ELEMENT,
    PLANTED_AMONG_SMALL, /* the rest of its row is as small as can be */
    PLANTED_ROW,
    PLANTED_BLOCK, /* the panel, for a block of K that is packed at once */
    PLANTED_EVERYWHERE,
};

struct planted_kind {
    const char *name;
    enum planted_value values[PLANTED_SIDES];
    enum planted_extent extent;
    bool out; /* the tile at both panels is screened out; else none is */
};

/* Which panel of either operand, which row of it and which k: 0 the first, 1 in the middle, 2 the last. */
struct planted_place {
    int panels[PLANTED_SIDES], row, k;
};

/* op(A), or op(B) transposed: width rows with K side by side, in panels of `tile`. */
struct planted_side {
    int64_t width, k, tile;
    float *elements;
};

/* One product: the first four are the caller's to fill. */
struct planted {
    struct check_context *context;
    const struct check_case *item;
    const struct planted_kind *kind; /* NULL: nothing is planted */
    struct planted_place place;
    struct check_matrix stored[3]; /* as the caller of the library has them */
    struct lava_problem problem;
    struct planted_side sides[PLANTED_SIDES];
    bool *out; /* tiles of C, column by column */
};

/* The table of kinds. */
const struct planted_kind *planted_kinds(size_t *count);
const struct planted_kind *planted_find(const char *name);
/* False where the limits of an element leave no room for that of a sum: no product comes to it. */
bool planted_possible(const struct planted_kind *kind, const struct check_context *context, int64_t k);

/* Makes and fills the matrices; false: the kind's tiles are not what it says. Exits where there is no memory.
 */
bool planted_make(struct planted *planted, uint64_t seed);
void planted_free(struct planted *planted); /* in any case */

int64_t planted_panels(const struct planted_side *side);
int64_t planted_tiles_out(const struct planted *planted);

#endif
