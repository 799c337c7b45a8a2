/* Combine, for dgemm by residues: puts the elements of C together from their residues (Chinese remainder theorem),
 * undoes the scales, and writes alpha times the product, plus beta times C. All sums but the last two are exact
 * (dispatch/residues.h), so that fused and separate products have the same bits. With -DLAVA_NARROW, sums were reduced to
 * the residues of least size by multiply.
 *
 *   workgroup    columns of one tile: x counts tiles, y groups of LAVA_RESIDUES_COLUMNS columns
 *   invocation   four neighbouring elements of a column at a time */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "residues.glsl"

layout(constant_id = LAVA_CONSTANT_TILE_M) const uint TILE_M = 256;
layout(constant_id = LAVA_CONSTANT_TILE_N) const uint TILE_N = 128;
layout(local_size_x = LAVA_RESIDUES_INVOCATIONS) in;

const uint PARTS = 3;

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Numbers { double number[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Elements { double element[]; };

/* Four neighbouring sums modulo m. */
#ifdef LAVA_NARROW
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Sums { uint word[]; };
const uint SUM_BYTES = 1;

uvec4 reduced_sums(uint64_t at, uint m)
{
    ivec4 rest = ivec4(Sums(at).word[0]) << ivec4(24, 16, 8, 0) >> 24;
    return uvec4(min(uvec4(rest), uvec4(rest + int(m))));
}
#else
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Sums { ivec4 word[]; };
const uint SUM_BYTES = 4;

uvec4 reduced_sums(uint64_t at, uint m)
{
    ivec4 sum = Sums(at).word[0];
    uvec4 rest;
    [[unroll]] for (uint e = 0; e < 4; e++)
        rest[e] = reduced(sum[e], m, 0xffffffffu / m, offset_of(m));
    return rest;
}
#endif

int line_scale(uint64_t lines, uint line)
{
    Words words = Words(lines + uint64_t(line) * (LAVA_RESIDUES_WORDS * 4));
    return scale_of(words.word[LAVA_RESIDUES_GREATEST], words.word[LAVA_RESIDUES_SQUARES]);
}

/* 2^-scale */
double power_of(int scale)
{
    return packDouble2x32(uvec2(0, uint(1023 - scale) << 20));
}

double whole(dvec3 sum, Numbers product)
{
    double multiple = roundEven(sum.x * product.number[PARTS]);
    precise double x = sum.x - multiple * product.number[0];
    precise double y = sum.y - multiple * product.number[1];
    precise double z = sum.z - multiple * product.number[2];
    precise double high = x + y;
    precise double second = high - x;
    precise double low = (x - (high - second)) + (y - second);
    precise double result = high + (low + z);
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

void combine(uint64_t block, uint row, uint column, uvec2 first)
{
    Numbers weights = Numbers(constants.other), product = Numbers(constants.other + MODULI * PARTS * 8);
    uint64_t each = uint64_t(gl_NumWorkGroups.x) * (TILE_M * TILE_N * SUM_BYTES);
    uint64_t at = block + (column * TILE_M + row) * SUM_BYTES;
    dvec3 sum[4];
    [[unroll]] for (uint e = 0; e < 4; e++)
        sum[e] = dvec3(0);
    [[unroll]] for (uint i = 0; i < MODULI; i++)
        if (i < constants.count) {
            uvec4 rest = reduced_sums(at + i * each, MODULUS[i]);
            dvec3 weight = dvec3(weights.number[i * PARTS], weights.number[i * PARTS + 1], weights.number[i * PARTS + 2]);
            [[unroll]] for (uint e = 0; e < 4; e++)
                sum[e] += weight * double(rest[e]);
        }
    int scale_b = line_scale(constants.lines_b, first.y + column);
    [[unroll]] for (uint e = 0; e < 4; e++) {
        int scale = line_scale(constants.lines_a, first.x + row + e) + scale_b;
        write(first.x + row + e, first.y + column, whole(sum[e], product) * power_of(scale));
    }
}

void main()
{
    uint tiles_m = constants.padded_lines / TILE_M;
    uvec2 tile = uvec2(gl_WorkGroupID.x % tiles_m, gl_WorkGroupID.x / tiles_m + constants.first_tile);
    if (!is_wanted(constants.step, tile, uvec2(TILE_M, TILE_N)) || !holds(tile.x, tile.y))
        return;
    uint64_t block = constants.source + uint64_t(gl_WorkGroupID.x) * (TILE_M * TILE_N * SUM_BYTES);
    for (uint i = gl_LocalInvocationIndex; i < TILE_M / 4 * LAVA_RESIDUES_COLUMNS; i += LAVA_RESIDUES_INVOCATIONS)
        combine(block, i % (TILE_M / 4) * 4, gl_WorkGroupID.y * LAVA_RESIDUES_COLUMNS + i / (TILE_M / 4),
                tile * uvec2(TILE_M, TILE_N));
}
