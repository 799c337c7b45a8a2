/* The table of schemes for sgemm on matrix units, by planes. An fp32 element is written as a sum of fp16 or
 * bf16 numbers, one from each plane, and the products of planes are added. doc/numerics.md derives the error
 * bounds and how a scheme is chosen.
 *
 *     x = plane[0] + plane[1] 2^-shift + plane[2] 2^-2shift,    each rounded to nearest
 *     level l: the products of plane i of A and plane l - i of B; levels above `levels` are left out
 *
 * Every few depths the sums leave the matrix unit, level 0 separately from the others, and are added in fp32.
 * Every span_k of K that fp32 sum is added to another. Packing detects elements that planes cannot represent
 * and sums that come too near the ends of fp32's range. The tiles of C that need them are computed by a row
 * of fp32 arithmetic. */
#ifndef LAVA_DISPATCH_SCHEMES_H
#define LAVA_DISPATCH_SCHEMES_H

#include "dispatch/operation.h"

enum lava_scheme {
    LAVA_SCHEME_NONE, /* no planes */
    LAVA_SCHEME_BF16X3,
    LAVA_SCHEME_BF16X3_ALL,
    LAVA_SCHEME_FP16X3,
    LAVA_SCHEME_FP16X2,
    LAVA_SCHEME_FP16X2_ALL,
    LAVA_SCHEME_BF16X1,
    LAVA_SCHEME_COUNT
};

struct lava_scheme_row {
    const char *name;
    enum lava_type type; /* of a plane */
    uint32_t planes;
    uint32_t levels; /* highest level that is added; 0: only the products of the first planes */
    /* bits between planes: 0, or the significand bits of one plane, so that lower planes have the range of
     * the first */
    uint32_t shift;
    uint32_t span_k; /* a multiple of every depth; 0: sums stay in the matrix unit to the end */
    /* Limits of binary exponents (floor(log2 |x|)) of nonzero elements. A tile outside these limits is
     * screened out. */
    bool screened;                     /* false: no limits, every element is accepted */
    int least_exponent, most_exponent; /* of an element of A or B */
    int least_sum;                     /* of A's panel's least exponent plus B's panel's least */
    int64_t least_k;                   /* shorter sums miss the scheme's error criteria */
    bool standard, fast;               /* the precisions that admit it; neither: only for measurements */
    /* upper bound of the error that splitting and omitted products add to a sum, in units of u |A||B| */
    double units;
};

const struct lava_scheme_row *lava_scheme(enum lava_scheme scheme);

/* Limits of biased fp32 exponents, as the shaders compare them: of an element, and of the sum of two. A tile
 * beyond them is screened out. Within them no sum of k products reaches the end of fp32's range. */
struct lava_screen_limits {
    uint32_t least, most, least_sum, most_sum;
};
struct lava_screen_limits lava_scheme_limits(const struct lava_scheme_row *row, int64_t k);

/* Returns whether the scheme may compute the product, given its type, precision and k. */
bool lava_scheme_serves(const struct lava_scheme_row *row, const struct lava_operation *operation);

#endif
