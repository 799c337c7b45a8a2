/* The table of schemes: ways of computing sgemm on matrix units, by planes. An fp32 element is written as a
 * sum of fp16 or bf16 numbers, one of each plane, and the products of planes are added. doc/numerics.md
 * derives the bounds, and what decides between them.
 *
 *     x = plane[0] + plane[1] 2^-shift + plane[2] 2^-2shift,    each rounded to nearest
 *     level l: the products of plane i of A and plane l - i of B; up to `levels`, the others are left out
 *
 * Sums of a few depths of the matrix unit, level 0 and the others apart, leave the unit and are added in
 * fp32; every span_k of K that sum is added to another. Elements that planes cannot hold, and sums that come
 * too near the ends of fp32's range, are found while packing; the tiles of C that need them are computed by a
 * row of fp32 arithmetic. */
#ifndef LAVA_DISPATCH_SCHEMES_H
#define LAVA_DISPATCH_SCHEMES_H

#include "dispatch/problem.h"

enum lava_scheme {
    LAVA_SCHEME_NONE, /* elements as they are */
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
    uint32_t levels; /* 0: only the products of the first planes */
    uint32_t shift; /* between planes: 0, or the bits of one: lower planes then have the range of the first */
    uint32_t span_k; /* a multiple of every depth; 0: sums stay in the unit to the end */
    /* Of binary exponents (floor(log2 |x|)) of elements that are not 0. Outside of these a tile is screened
     * out. */
    bool screened;                     /* 0: no limits, every element is taken as it is */
    int least_exponent, most_exponent; /* of an element of A or B */
    int least_sum;                     /* of the least of A's panel and the least of B's */
    int64_t least_k;                   /* for shorter sums the scheme misses its criteria */
    bool standard, fast;               /* the precisions that admit it; neither: to be measured only */
    double units; /* u |A||B|: what splitting and the products left out add to a sum's error at most */
};

const struct lava_scheme_row *lava_scheme(enum lava_scheme scheme);

/* Biased fp32 exponents beyond which a tile is screened out, as the shaders compare them: of an element, and
 * of the sums of two. No sum of k products reaches the end of fp32's range. */
struct lava_screen_limits {
    uint32_t least, most, least_sum, most_sum;
};
struct lava_screen_limits lava_scheme_limits(const struct lava_scheme_row *row, int64_t k);

/* Whether a product may be computed so: its type, precision and k. */
bool lava_scheme_serves(const struct lava_scheme_row *row, const struct lava_problem *problem);

#endif
