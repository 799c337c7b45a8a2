/* Combine, for dgemm by residues: puts the elements of C together from their residues (Chinese remainder theorem),
 * undoes the scales, and writes alpha times the product, plus beta times C. The product is rounded once, to nearest.
 * The sums before are exact (dispatch/residues.h), so that fused and separate products have the same bits, which are
 * those of residues_combine_integers.comp, too. */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "residues.glsl"
#include "residues_combine.glsl"

const uint PARTS = 3;

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Numbers { double number[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Elements { double element[]; };

/* 2^-scale */
double power_of(int scale)
{
    return packDouble2x32(uvec2(0, uint(1023 - scale) << 20));
}

/* x + y, but if that is a power of two and rounded, its neighbour on the side of the exact sum. */
double rounded_beside(double x, double y)
{
    precise double sum = x + y;
    uvec2 bits = unpackDouble2x32(sum);
    if ((bits.x | bits.y & 0xfffffu) != 0 || (bits.y >> 20 & 0x7ffu) < 1023 + 53)
        return sum;
    precise double second = sum - x;
    precise double lost = (x - (sum - second)) + (y - second);
    uvec2 rest = unpackDouble2x32(lost);
    if ((rest.x | rest.y << 1) == 0)
        return sum;
    return packDouble2x32((rest.y ^ bits.y) >> 31 == 0 ? uvec2(1, bits.y) : uvec2(0xffffffffu, bits.y - 1));
}

/* The sum of the first two parts is rounded to `high`; what it lacks, with the third part, may be half of its last digit
 * only if it is so exactly. */
double whole(dvec3 sum, Numbers product)
{
    double multiple = roundEven(sum.x * product.number[PARTS]);
    precise double x = sum.x - multiple * product.number[0];
    precise double y = sum.y - multiple * product.number[1];
    precise double z = sum.z - multiple * product.number[2];
    precise double high = x + y;
    precise double second = high - x;
    precise double low = (x - (high - second)) + (y - second);
    precise double result = high + rounded_beside(low, z);
    return result;
}

void write(uint row, uint column, double value)
{
    if (row >= constants.lines || column >= constants.columns || !is_in_region(constants.step, row, column))
        return;
    Elements c = Elements(constants.target + (uint64_t(column) * constants.ld + row) * 8);
    precise double result = SCALAR(alpha) * value;
    if (!IS_ZERO(beta)) {
        precise double old = SCALAR(beta) * c.element[0];
        result = result + old;
    }
    c.element[0] = result;
}

void combine(uint64_t sums, uint row, uint column)
{
    Numbers weights = Numbers(constants.other), product = Numbers(constants.other + MODULI * PARTS * 8);
    uint64_t each = sums_stride();
    dvec3 sum[4];
    [[unroll]] for (uint e = 0; e < 4; e++)
        sum[e] = dvec3(0);
    [[unroll]] for (uint i = 0; i < MODULI; i++)
        if (i < constants.count) {
            uvec4 rest = reduced_sums(sums + i * each, MODULUS[i]);
            dvec3 weight = dvec3(weights.number[i * PARTS], weights.number[i * PARTS + 1], weights.number[i * PARTS + 2]);
            [[unroll]] for (uint e = 0; e < 4; e++)
                sum[e] += weight * double(rest[e]);
        }
    int scale_b = line_scale(constants.lines_b, column);
    [[unroll]] for (uint e = 0; e < 4; e++) {
        int scale = line_scale(constants.lines_a, row + e) + scale_b;
        write(row + e, column, whole(sum[e], product) * power_of(scale));
    }
}
