/* Combine, for dgemm by residues, in integers alone: the same bits as residues_combine.comp, for devices that have no fp64,
 * or little of it.
 *
 *     S = sum of c_i w_i          in limbs of 20 bits, whose products with 15 residues of 8 bits fit 32 bits; then in three
 *                                 parts of 40 bits, which keep what exceeds them
 *     c = S - q P                 q is the quotient rounded to nearest
 *     C = alpha c 2^-s + beta C   c is rounded to 53 bits, then both products, then their sum
 *
 * w_i and P are multiplied by a power of two so that P has 118 bits (struct lava_residues_integers). */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "residues.glsl"
#include "residues_combine.glsl"
#include "fp64_soft.glsl"

const uint LIMBS = 6;

layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Weights { uvec4 limbs[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Divisor {
    uint64_t parts[3]; /* P */
    uint reciprocal;
    uint shift;
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Elements { uvec2 element[]; };

uint64_t part(uint low, uint high)
{
    return uint64_t(low) + (uint64_t(high) << 20);
}

/* The first part divided by P's, rounded. The other parts, and what the reciprocal lacks, are 2^-24 of P: c is 2^-20 of
 * it away from P / 2. */
uint quotient(uint64_t part, Divisor product)
{
    uint high, low;
    uint64_t divisor = product.parts[2], half_ = divisor >> 1;
    umulExtended(uint(part + half_ >> 18), product.reciprocal, high, low);
    uint least = high >> 18; /* or 1 below the quotient */
    return least + (int64_t(part - least * divisor) > int64_t(half_) ? 1 : 0);
}

/* c 2^-scale, rounded. That is never subnormal nor Inf. */
uint64_t whole(uint limbs[LIMBS], Divisor product, int scale)
{
    uint64_t third = part(limbs[4], limbs[5]);
    uint multiple = quotient(third, product);
    int64_t x = int64_t(third - multiple * product.parts[2]);
    int64_t y = int64_t(part(limbs[2], limbs[3]) - multiple * product.parts[1]);
    int64_t z = int64_t(part(limbs[0], limbs[1]) - multiple * product.parts[0]);
    /* x 2^80 + y 2^40 + z in two's complement of 128 bits. */
    uint64_t low = uint64_t(z) + (uint64_t(y) << 40);
    uint64_t high = uint64_t((x << 16) + (y >> 24) + (z >> 63)) + (low < uint64_t(z) ? 1 : 0);
    bool negative = int64_t(high) < 0;
    if (negative) {
        low = ~low + 1;
        high = ~high + (low == 0 ? 1 : 0);
    }
    if ((high | low) == 0)
        return 0;
    int exponent = 1023 + 127 - int(product.shift) - scale;
    if (high == 0) {
        high = low;
        low = 0;
        exponent -= 64;
    }
    int zeros = leading_zeros(high);
    if (zeros > 0) {
        high = high << zeros | low >> 64 - zeros;
        low <<= zeros;
    }
    return rounded(negative, exponent - zeros, high | (low != 0 ? 1 : 0));
}

uint64_t scaled(uint64_t scalar, uint64_t x)
{
    return scalar == FP64_ONE ? x : fp64_product(scalar, x);
}

void write(uint row, uint column, uint64_t value)
{
    if (row >= constants.lines || column >= constants.columns || !is_in_region(constants.step, row, column))
        return;
    Elements c = Elements(constants.target + (uint64_t(column) * constants.ld + row) * 8);
    uint64_t result = scaled(constants.alpha_fp64, value);
    if ((constants.beta_fp64 & ~FP64_SIGN) != 0)
        result = fp64_sum(result, scaled(constants.beta_fp64, packUint2x32(c.element[0])));
    c.element[0] = unpackUint2x32(result);
}

void combine(uint64_t sums, uint row, uint column)
{
    Weights weights = Weights(constants.other);
    Divisor product = Divisor(constants.other + MODULI * 32);
    uint64_t each = sums_stride();
    uint limbs[4][LIMBS];
    [[unroll]] for (uint e = 0; e < 4; e++)
        [[unroll]] for (uint l = 0; l < LIMBS; l++)
            limbs[e][l] = 0;
    [[unroll]] for (uint i = 0; i < MODULI; i++)
        if (i < constants.count) {
            uvec4 rest = reduced_sums(sums + i * each, MODULUS[i]), low = weights.limbs[2 * i], high = weights.limbs[2 * i + 1];
            [[unroll]] for (uint e = 0; e < 4; e++)
                [[unroll]] for (uint l = 0; l < LIMBS; l++)
                    limbs[e][l] += rest[e] * (l < 4 ? low[l] : high[l - 4]);
        }
    int scale_b = line_scale(constants.lines_b, column);
    [[unroll]] for (uint e = 0; e < 4; e++) {
        int scale = line_scale(constants.lines_a, row + e) + scale_b;
        write(row + e, column, whole(limbs[e], product, scale));
    }
}
