/* The moduli and what follows from them. Read by perf/residues, the model of the kernels and their benchmark.
 * Invariant: everything that decides a bit of a result is computed in integers, or in fp64 without rounding.
 */
#include "dispatch/residues.h"

#include <math.h>
#include <string.h>

/* Limbs of 32 bits, the least first. */
#define LIMBS 4
/* Bits by which the sum of all residues times weights is longer than P: 8 of a residue, 4 of their number. */
#define SUM_BITS 12
/* struct lava_residues_integers has P with these bits, in limbs of LIMB_BITS: a sum of limbs has SUM_BITS
 * more, which is 32. */
#define PRODUCT_BITS 118
#define LIMB_BITS    20
/* Binary digits of a double. */
#define DIGITS 53
/* The bound that the sums keep is 4 sqrt(K + 2) u G. Alpha, beta and the last rounding take 3 u G of it. At
 * least 3.5 sqrt(K) u G are left for K >= 64. */
#define SHARE 3.5

/* The greatest pairwise coprime numbers up to 256, by choosing each time the greatest that fits. */
static const uint16_t moduli[LAVA_RESIDUES_MOST] = {256, 255, 253, 251, 247, 241, 239, 233,
                                                    229, 227, 223, 217, 211, 199, 197};

struct number {
    uint32_t limb[LIMBS];
};

static struct number times(struct number x, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (uint64_t)x.limb[i] * factor;
        x.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return x;
}

static struct number divided(struct number x, uint32_t divisor, uint32_t *remainder) {
    uint64_t rest = 0;
    for (int i = LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | x.limb[i];
        x.limb[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    *remainder = (uint32_t)rest;
    return x;
}

static int bit(const struct number *x, int i) {
    return (int)(x->limb[i / 32] >> i % 32 & 1);
}

static int length(const struct number *x) {
    int bits = 32 * LIMBS;
    while (bits > 0 && !bit(x, bits - 1))
        bits--;
    return bits;
}

/* Bits first to last - 1 as a double; there are at most 53. */
static double part(const struct number *x, int first, int last) {
    double sum = 0;
    for (int i = first < 0 ? 0 : first; i < last; i++)
        sum += ldexp(bit(x, i), i);
    return sum;
}

/* A part has as many bits as leave room for the sum. */
static void split(const struct number *x, int bits, double parts[LAVA_RESIDUES_PARTS]) {
    const int each = DIGITS - SUM_BITS;
    for (int p = 0; p < LAVA_RESIDUES_PARTS; p++)
        parts[p] = part(x, bits - (p + 1) * each, bits - p * each);
}

uint32_t lava_residues_modulus(uint32_t index) {
    return moduli[index];
}

/* T^2 is below P / 2 by more than what rounding to integers adds to the norms, and by more than the error of
 * the multiple of P that is subtracted. */
static void set_limit(double product, struct lava_residues *residues) {
    double square = product * (0.5 - 0x1p-20);
    int exponent = (int)floor(log2(square) / 2);
    while (ldexp(1, 2 * exponent) > square)
        exponent--;
    residues->limit_exponent = exponent;
    residues->limit = (uint32_t)ldexp(square, 14 - 2 * exponent);
}

/* The product of the first `count` moduli, and their weights. Returns the product's bits. */
static int find_weights(uint32_t count, struct number *product, struct number weights[LAVA_RESIDUES_MOST]) {
    uint32_t rest;
    *product = (struct number){{1}};
    for (uint32_t i = 0; i < count; i++)
        *product = times(*product, moduli[i]);
    for (uint32_t i = 0; i < count; i++) {
        struct number others = divided(*product, moduli[i], &rest);
        (void)divided(others, moduli[i], &rest);
        uint32_t inverse = 1;
        while (rest * inverse % moduli[i] != 1)
            inverse++;
        weights[i] = times(others, inverse);
    }
    return length(product);
}

void lava_residues_prepare(uint32_t count, struct lava_residues *residues) {
    struct number product, weights[LAVA_RESIDUES_MOST];
    int bits = find_weights(count, &product, weights);
    *residues = (struct lava_residues){.count = count};
    for (uint32_t i = 0; i < count; i++)
        split(&weights[i], bits, residues->weights[i]);
    split(&product, bits, residues->product);
    residues->inverse = 1 / residues->product[0];
    set_limit(residues->product[0], residues);
}

/* `bits` bits of the number times 2^shift, from bit `first` on. */
static uint64_t field(const struct number *x, int shift, int first, int bits) {
    uint64_t sum = 0;
    for (int i = 0; i < bits; i++)
        if (first + i >= shift && first + i - shift < 32 * LIMBS)
            sum |= (uint64_t)bit(x, first + i - shift) << i;
    return sum;
}

void lava_residues_prepare_integers(uint32_t count, struct lava_residues_integers *integers) {
    struct number product, weights[LAVA_RESIDUES_MOST];
    int shift = PRODUCT_BITS - find_weights(count, &product, weights);
    *integers = (struct lava_residues_integers){.shift = (uint32_t)shift};
    for (uint32_t i = 0; i < count; i++)
        for (int l = 0; l < LAVA_RESIDUES_LIMBS; l++)
            integers->weights[i][l] = (uint32_t)field(&weights[i], shift, l * LIMB_BITS, LIMB_BITS);
    for (int p = 0; p < LAVA_RESIDUES_PARTS; p++)
        integers->product[p] = field(&product, shift, 2 * p * LIMB_BITS, 2 * LIMB_BITS);
    integers->reciprocal = (uint32_t)(0x1p68 / (double)integers->product[LAVA_RESIDUES_PARTS - 1]);
}

/* With squares = s 4^z, s in [1, 4), the norm is at most sqrt(s) 2^(z + exponent - 6). It may become T. */
int32_t lava_residues_scale(const struct lava_residues *residues, uint32_t greatest, uint32_t squares) {
    int z = 0;
    while (squares >> 2 * z >= 4)
        z++;
    uint32_t s = 2 * z <= 14 ? squares << (14 - 2 * z) : (squares + (1u << (2 * z - 14)) - 1) >> (2 * z - 14);
    int exponent = (int)greatest - 1023;
    return residues->limit_exponent - (s > residues->limit) - z - exponent + 6;
}

static double root_of_limit(const struct lava_residues *residues) {
    return ldexp(sqrt(residues->limit / 0x1p14), residues->limit_exponent);
}

/* Lines have root mean squares of T / 2 / sqrt(K) to T / sqrt(K). */
int32_t lava_residues_level(const struct lava_residues *residues, int64_t k) {
    return (int32_t)floor(log2(root_of_limit(residues) / sqrt((double)k)));
}

/* Rounding to integers adds at most half of |a'| and |b'| to a sum, sqrt(K) T, and K / 4. */
uint32_t lava_residues_least_weight(const struct lava_residues *residues, int64_t k) {
    double root = sqrt((double)k),
           unit = ldexp(1, 2 * (lava_residues_level(residues, k) - LAVA_RESIDUES_LEVELS + 1));
    double error = root * root_of_limit(residues) + (double)k / 4;
    double least = ceil(error / (SHARE * root * 0x1p-53) / unit);
    return least < 0x1p32 ? (uint32_t)least : UINT32_MAX;
}

/* Returns the step from level i to the next, in units of the last one: 4, 2, 1, 1. */
static int step_bits(int i) {
    return i < LAVA_RESIDUES_LEVELS - 1 ? LAVA_RESIDUES_LEVELS - 2 - i : 0;
}

/* If x elements of A are large, and y of B, then at least x + y - K of them meet. Each size is the sum of the
 * steps from one level to the next, and so each pair of levels counts with the product of its steps. */
uint32_t lava_residues_weight(const uint32_t large_a[LAVA_RESIDUES_LEVELS],
                              const uint32_t large_b[LAVA_RESIDUES_LEVELS], int64_t k) {
    uint32_t weight = 0;
    for (int i = 0; i < LAVA_RESIDUES_LEVELS; i++)
        for (int j = 0; j < LAVA_RESIDUES_LEVELS; j++) {
            uint32_t both = large_a[i] + large_b[j];
            if (both > (uint32_t)k)
                weight += (both - (uint32_t)k) << (step_bits(i) + step_bits(j));
        }
    return weight;
}

static bool in_range(const struct lava_residues_line *line) {
    return line->greatest == 0 || (line->greatest >= 1023 - LAVA_RESIDUES_MOST_EXPONENT &&
                                   line->greatest <= 1023 + LAVA_RESIDUES_MOST_EXPONENT);
}

bool lava_residues_hold(const struct lava_residues *residues, const struct lava_residues_line *a,
                        const struct lava_residues_line *b, int64_t k) {
    if (!in_range(a) || !in_range(b))
        return false;
    return (!a->lost && !b->lost) ||
           lava_residues_weight(a->large, b->large, k) >= lava_residues_least_weight(residues, k);
}
