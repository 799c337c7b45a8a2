/* Computes on the CPU what the shaders/residues_* kernels compute, bit by bit. Called by study.c and by
 * bench_check.c, which compares the kernels with it. */
#include "model.h"

#include <math.h>
#include <string.h>

#define DIGITS      53
#define INFINITE    2047u /* biased exponent of Inf and NaN */
#define SQUARE_BITS 46    /* the line's largest element has 7 bits left */
#define MOST_SHIFT  6     /* to the left: scaled elements are below 2^59 */

/* x = significand 2^(exponent - 1075), but for the sign. */
struct parts {
    uint64_t significand;
    uint32_t exponent; /* biased; that of a subnormal number is 1, of zero 0 */
    bool negative;
};

static struct parts parts_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t fraction = bits & ((UINT64_C(1) << (DIGITS - 1)) - 1);
    uint32_t exponent = (uint32_t)(bits >> (DIGITS - 1)) & INFINITE;
    struct parts parts = {.significand = fraction, .exponent = exponent, .negative = bits >> 63};
    if (exponent > 0)
        parts.significand |= UINT64_C(1) << (DIGITS - 1);
    else if (fraction > 0)
        parts.exponent = 1;
    return parts;
}

static uint32_t square_of(struct parts x, uint32_t greatest) {
    uint32_t shift = SQUARE_BITS + greatest - x.exponent;
    if (x.significand == 0)
        return 0;
    uint32_t size = shift > DIGITS ? 1 : (uint32_t)((x.significand + (UINT64_C(1) << shift) - 1) >> shift);
    return size * size;
}

int32_t model_scale(const struct lava_residues *residues, const struct lava_residues_line *line) {
    return line->greatest == 0 ? 0 : lava_residues_scale(residues, line->greatest, line->squares);
}

int64_t model_integer(double x, int32_t scale, bool *lost) {
    struct parts parts = parts_of(x);
    int32_t shift = (int32_t)parts.exponent - 1075 + scale;
    uint64_t size = 0;
    if (shift >= 0) {
        size = parts.significand << (shift > MOST_SHIFT ? MOST_SHIFT : shift);
    } else if (shift > -DIGITS - 2) {
        uint64_t half = UINT64_C(1) << (-shift - 1), rest = parts.significand & (2 * half - 1);
        size = parts.significand >> -shift;
        size += rest > half || (rest == half && (size & 1));
        *lost |= rest != 0;
    } else {
        *lost |= parts.significand != 0;
    }
    return parts.negative ? -(int64_t)size : (int64_t)size;
}

/* Only lines out of range have Inf, NaN, or elements that are scaled by too much; they are not used. */
struct lava_residues_line model_line(const struct lava_residues *residues, const double *x, int64_t k) {
    struct lava_residues_line line = {0};
    for (int64_t l = 0; l < k; l++) {
        uint32_t exponent = parts_of(x[l]).exponent;
        line.greatest = exponent > line.greatest ? exponent : line.greatest;
    }
    for (int64_t l = 0; l < k; l++)
        line.squares += square_of(parts_of(x[l]), line.greatest);
    int32_t scale = model_scale(residues, &line), level = lava_residues_level(residues, k);
    for (int64_t l = 0; l < k; l++) {
        int64_t integer = model_integer(x[l], scale, &line.lost);
        uint64_t size = (uint64_t)(integer < 0 ? -integer : integer);
        for (int i = 0; i < LAVA_RESIDUES_LEVELS; i++)
            line.large[i] += size >= UINT64_C(1) << (level - i);
    }
    /* Whatever meets a line of zeros is exact. */
    for (int i = 0; i < LAVA_RESIDUES_LEVELS && line.greatest == 0; i++)
        line.large[i] = (uint32_t)k;
    return line;
}

int8_t model_residue(int64_t integer, uint32_t modulus) {
    int64_t middle = modulus / 2, rest = (integer + middle) % modulus;
    return (int8_t)((rest < 0 ? rest + modulus : rest) - middle);
}

uint32_t model_reduce(int32_t sum, uint32_t modulus) {
    int32_t rest = sum % (int32_t)modulus;
    return (uint32_t)(rest < 0 ? rest + (int32_t)modulus : rest);
}

/* x + y, but if that is a power of two and rounded, its neighbour on the side of the exact sum: what is added
 * to a number to round it may be half of that number's last digit only if it is so exactly. */
static double rounded_beside(double x, double y) {
    int exponent;
    double sum = x + y, second = sum - x;
    double lost = (x - (sum - second)) + (y - second);
    if (lost == 0 || fabs(frexp(sum, &exponent)) != 0.5)
        return sum;
    return nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
}

double model_combine(const struct lava_residues *residues, const uint32_t *reduced, int32_t scale) {
    double sum[LAVA_RESIDUES_PARTS] = {0};
    for (uint32_t i = 0; i < residues->count; i++)
        for (int p = 0; p < LAVA_RESIDUES_PARTS; p++)
            sum[p] += residues->weights[i][p] * (double)reduced[i];
    double multiple = rint(sum[0] * residues->inverse);
    for (int p = 0; p < LAVA_RESIDUES_PARTS; p++)
        sum[p] -= multiple * residues->product[p];
    /* The first two are added exactly (Knuth). */
    double high = sum[0] + sum[1], second = high - sum[0];
    double low = (sum[0] - (high - second)) + (sum[1] - second);
    return ldexp(high + rounded_beside(low, sum[2]), -scale);
}

void model_convert(const struct lava_residues *residues, const double *x, int64_t k, int32_t scale,
                   int8_t *line) {
    bool lost = false;
    for (int64_t l = 0; l < k; l++) {
        int64_t integer = model_integer(x[l], scale, &lost);
        for (uint32_t i = 0; i < residues->count; i++)
            line[i * k + l] = model_residue(integer, lava_residues_modulus(i));
    }
}

double model_product(const struct lava_residues *residues, const int8_t *a, const int8_t *b, int64_t k,
                     int32_t scale) {
    uint32_t reduced[LAVA_RESIDUES_MOST];
    for (uint32_t i = 0; i < residues->count; i++) {
        int32_t sum = 0;
        for (int64_t l = 0; l < k; l++)
            sum += a[i * k + l] * b[i * k + l];
        reduced[i] = model_reduce(sum, lava_residues_modulus(i));
    }
    return model_combine(residues, reduced, scale);
}
