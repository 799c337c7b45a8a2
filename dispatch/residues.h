/* Numbers of the scheme for dgemm by integer matrices (Ozaki's second scheme). Rows of op(A) and columns of
 * op(B), called lines, are scaled by powers of two and rounded to integers. Integer matrices multiply their
 * residues, and the product is put together by the Chinese remainder theorem. doc/notes/fp64-by-integers.md
 * derives the bounds. Pure functions; the shaders compute the same from the same numbers.
 *
 *     x'   = x 2^scale, rounded to an integer, so that a line's Euclidean norm is at most T
 *     r_l  = x' mod m_l, in int8;  c_l = (sum over K of r_l s_l) mod m_l
 *     c    = sum of c_l w_l mod P, in (-P/2, P/2), P = product of all m_l, w_l = 1 mod m_l, 0 mod the others
 *
 * By Cauchy and Schwarz |c| <= T^2 < P / 2, so c is exact. */
#ifndef LAVA_DISPATCH_RESIDUES_H
#define LAVA_DISPATCH_RESIDUES_H

#include <stdbool.h>
#include <stdint.h>

/* Moduli: with 15 the bound of fp64 arithmetic is met on lines that the screen accepts. */
#define LAVA_RESIDUES_LEAST    8
#define LAVA_RESIDUES_MOST     15
#define LAVA_RESIDUES_STANDARD 15
/* Longer sums miss twice the CPU BLAS's error where they cancel. */
#define LAVA_RESIDUES_STANDARD_K 4096
/* Sums of more products of two int8 do not fit int32. */
#define LAVA_RESIDUES_MOST_K 131071
/* A number below 2^123 is the exact sum of its parts, each a double; part 0 is the greatest. Sums of all
 * weights' parts times residues are exact, too. */
#define LAVA_RESIDUES_PARTS 3
/* Elements of a line are counted from these sizes on: 2^level, 2^(level - 1), and so on. */
#define LAVA_RESIDUES_LEVELS 4
/* A line's largest element has at most this exponent, and at least the negative one. Products of lines are
 * then far from overflow and from subnormal numbers. */
#define LAVA_RESIDUES_MOST_EXPONENT 450

struct lava_residues {
    uint32_t count; /* of moduli */
    double weights[LAVA_RESIDUES_MOST][LAVA_RESIDUES_PARTS];
    double product[LAVA_RESIDUES_PARTS]; /* P */
    double inverse;                      /* 1 / P */
    /* T^2 = limit 2^-14 4^limit_exponent; limit in [2^14, 2^16) */
    uint32_t limit;
    int32_t limit_exponent;
};

/* The same weights for putting together in integers. All are multiplied by 2^shift, so that P has 118 bits.
 * The shader residues_combine_integers reads it as it is. */
#define LAVA_RESIDUES_LIMBS 8 /* of 20 bits, the least first; the last two are 0 */

struct lava_residues_integers {
    uint32_t weights[LAVA_RESIDUES_MOST][LAVA_RESIDUES_LIMBS];
    uint64_t product[LAVA_RESIDUES_PARTS]; /* P, in parts of 40 bits, the least first */
    uint32_t reciprocal;                   /* 2^68 divided by the last part */
    uint32_t shift;
};

/* What is known of a line, and of a panel of lines: the extremes of its lines. */
struct lava_residues_line {
    uint32_t greatest; /* biased exponent of the largest element; 0: the line is zero or subnormal */
    uint32_t squares;  /* sum of the squares of all elements, in units of 2^(exponent - 6), rounded up */
    bool lost;         /* an element was rounded */
    uint32_t large[LAVA_RESIDUES_LEVELS]; /* elements of at least 2^(level - i), scaled */
};

uint32_t lava_residues_modulus(uint32_t index);
void lava_residues_prepare(uint32_t count, struct lava_residues *residues);
void lava_residues_prepare_integers(uint32_t count, struct lava_residues_integers *integers);
/* The power of two by which a line of such elements is scaled. greatest: biased. */
int32_t lava_residues_scale(const struct lava_residues *residues, uint32_t greatest, uint32_t squares);
/* The level of the largest elements that are counted. */
int32_t lava_residues_level(const struct lava_residues *residues, int64_t k);
/* The least weight of two lines (lava_residues_weight) whose product is within the bound of fp64. */
uint32_t lava_residues_least_weight(const struct lava_residues *residues, int64_t k);
/* A lower bound of |A||B| of two lines, in units of 2^(2 level - 2 LEVELS + 2). */
uint32_t lava_residues_weight(const uint32_t large_a[LAVA_RESIDUES_LEVELS],
                              const uint32_t large_b[LAVA_RESIDUES_LEVELS], int64_t k);
/* Returns whether the product of two lines is within the bound, exact sums among them. */
bool lava_residues_hold(const struct lava_residues *residues, const struct lava_residues_line *a,
                        const struct lava_residues_line *b, int64_t k);

#endif
