/* Products with elements at and beyond the limits of a row by planes (dispatch/schemes.h). Computes from the
 * elements which tiles of C are screened out. Called by screened.c. */
#ifndef CHECKGEMM_PLANTED_H
#define CHECKGEMM_PLANTED_H

#include "tests/checkgemm/check.h"

enum { PLANTED_A, PLANTED_B, PLANTED_SIDES };

/* The planted value. "Least" and "most" are just inside the limits, "below" and "above" just outside. */
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
    PLANTED_LEAST_SUM, /* the next four: of the sum of exponents of both operands, planted in both */
    PLANTED_BELOW_LEAST_SUM,
    PLANTED_MOST_SUM,
    PLANTED_ABOVE_MOST_SUM,
    PLANTED_OVERFLOWING, /* its square overflows fp32 */
};

/* The planted area. */
enum planted_extent {
    PLANTED_ELEMENT,
    PLANTED_AMONG_SMALL, /* the rest of its row is as small as possible */
    PLANTED_ROW,
    PLANTED_BLOCK, /* the panel, for one block of K that is packed together */
    PLANTED_EVERYWHERE,
};

struct planted_kind {
    const char *name;
    enum planted_value values[PLANTED_SIDES];
    enum planted_extent extent;
    bool out; /* whether the tile at both panels is screened out; otherwise none is */
};

/* The panel of each operand, its row and its k: 0 the first, 1 in the middle, 2 the last. */
struct planted_place {
    int panels[PLANTED_SIDES], row, k;
};

/* op(A), or op(B) transposed: `width` rows with contiguous K, in panels of `tile`. */
struct planted_side {
    int64_t width, k, tile;
    float *elements;
};

/* One product. The caller fills in the first four fields. */
struct planted {
    struct check_context *context;
    const struct check_case *item;
    const struct planted_kind *kind; /* NULL: nothing is planted */
    struct planted_place place;
    struct check_matrix stored[3]; /* as stored by the caller of the library */
    struct lava_operation operation;
    struct planted_side sides[PLANTED_SIDES];
    bool *out; /* tiles of C, column by column */
};

/* The table of kinds. */
const struct planted_kind *planted_kinds(size_t *count);
const struct planted_kind *planted_find(const char *name);
/* Returns false if the limits of an element leave no room for the limit of a sum, so that no product can
 * exceed it. */
bool planted_possible(const struct planted_kind *kind, const struct check_context *context, int64_t k);

/* Creates and fills the matrices. Returns false if the screened-out tiles do not match the kind. Exits if out
 * of memory. */
bool planted_make(struct planted *planted, uint64_t seed);
void planted_free(struct planted *planted); /* required in any case */

int64_t planted_panels(const struct planted_side *side);
int64_t planted_tiles_out(const struct planted *planted);

#endif
