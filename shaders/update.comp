/* Update of a matrix on the device: C <- alpha sum + beta C, where sum adds the split-K slices of the
 * accumulators in their order. C is fp32, fp64 (-DLAVA_FP64), complex of either (-DLAVA_COMPLEX: the sums are of
 * parts, interface.h), fp16 (-DLAVA_FP16) or bf16 (-DLAVA_BF16), rounded once, to nearest even. With beta = 0 C
 * is not read. Only elements of the region change; of half precision, words of two elements are read and written.
 *
 *   workgroup    LAVA_UPDATE_INVOCATIONS words of a column, then of later columns and rows
 *   invocation   one element of C; two neighbouring ones of half precision, which share a word */
#version 460
#define LAVA_SHADER_UPDATE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "nearest.glsl"

layout(local_size_x = LAVA_UPDATE_INVOCATIONS) in;

#ifdef LAVA_FP64
#define NUMBER_BYTES 8
#else
#define NUMBER_BYTES 4
#endif
layout(buffer_reference, std430, buffer_reference_align = NUMBER_BYTES) readonly buffer Sums { NUMBER number[]; };

/* Returns the sum over the slices of row i and column j of the accumulators; 0 if there are no slices. */
NUMBER sum_at(uint i, uint j)
{
    if (constants.slices == 0)
        return 0;
    uint64_t at = uint64_t(j) * constants.source_ld + i;
    NUMBER sum = Sums(constants.source + at * NUMBER_BYTES).number[0];
    for (uint slice = 1; slice < constants.slices; slice++)
        sum += Sums(constants.source + (at + slice * constants.slice_stride) * NUMBER_BYTES).number[0];
    return sum;
}

bool is_in_region(uint i, uint j)
{
    int below = int(i) - int(j) - constants.diagonal;
    return constants.region == LAVA_UPDATE_ALL || (constants.region == LAVA_UPDATE_LOWER ? below >= 0 : below <= 0);
}

uint64_t element_at(uint i, uint j)
{
    return uint64_t(j) * constants.target_ld + i;
}

#if defined(LAVA_COMPLEX)
#ifdef LAVA_FP64
#define PAIR dvec2
#else
#define PAIR vec2
#endif
layout(buffer_reference, std430, buffer_reference_align = NUMBER_BYTES) buffer Target { PAIR element[]; };
const uint ROWS_EACH = 1;

/* The product of a scalar of the push-constant block and x. A scalar without an imaginary part multiplies the parts
 * alone, so that Inf does not become NaN. */
#define TIMES(name, x) \
    times(IS_ZERO(name##_imaginary), SCALAR(name), SCALAR(name##_imaginary), x)
PAIR times(bool is_real, NUMBER re, NUMBER im, PAIR x)
{
    return is_real ? re * x : PAIR(re * x.x - im * x.y, re * x.y + im * x.x);
}

void update(uint i, uint j)
{
    Target target = Target(constants.target + element_at(i, j) * 2 * NUMBER_BYTES);
    bool is_real = constants.real_diagonal != 0 && int(i) == int(j) + constants.diagonal;
    if (!is_in_region(i, j))
        return;
    PAIR value = TIMES(alpha, PAIR(sum_at(i, 2 * j), sum_at(i, 2 * j + 1)));
    if (!IS_ZERO(beta) || !IS_ZERO(beta_imaginary)) {
        PAIR before = target.element[0];
        if (is_real)
            before.y = 0;
        value += TIMES(beta, before);
    }
    if (is_real)
        value.y = 0;
    target.element[0] = value;
}
#elif defined(LAVA_FP16) || defined(LAVA_BF16)
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Target { uint word; };
const uint ROWS_EACH = 2;

#ifdef LAVA_FP16
#define BOTH(bits) unpackHalf2x16(bits)
uint bits_of(float value)
{
    return packHalf2x16(vec2(nearest_fp16(vec4(value)).x, 0)) & 0xffffu;
}
#else
#define BOTH(bits) uintBitsToFloat(uvec2((bits) << 16, (bits) & 0xffff0000u))
uint bits_of(float value)
{
    return floatBitsToUint(nearest_bf16(vec4(value)).x) >> 16;
}
#endif

void update(uint i, uint j)
{
    Target target = Target(constants.target + element_at(i, j) * 2);
    float alpha = SCALAR(alpha), beta = SCALAR(beta);
    bool first = is_in_region(i, j), second = i + 1 < constants.rows && is_in_region(i + 1, j);
    if (!first && !second)
        return;
    uint word = beta != 0 || !first || !second ? target.word : 0;
    vec2 before = BOTH(word);
    if (first) {
        float value = alpha * sum_at(i, j);
        word = word & 0xffff0000u | bits_of(beta != 0 ? value + beta * before.x : value);
    }
    if (second) {
        float value = alpha * sum_at(i + 1, j);
        word = word & 0xffffu | bits_of(beta != 0 ? value + beta * before.y : value) << 16;
    }
    target.word = word;
}
#else
layout(buffer_reference, std430, buffer_reference_align = NUMBER_BYTES) buffer Target { NUMBER element[]; };
const uint ROWS_EACH = 1;

void update(uint i, uint j)
{
    Target target = Target(constants.target + element_at(i, j) * NUMBER_BYTES);
    if (!is_in_region(i, j))
        return;
    NUMBER value = SCALAR(alpha) * sum_at(i, j);
    if (!IS_ZERO(beta))
        value += SCALAR(beta) * target.element[0];
    target.element[0] = value;
}
#endif

void main()
{
    uint stride = gl_NumWorkGroups.x * LAVA_UPDATE_INVOCATIONS * ROWS_EACH;
    for (uint row = gl_GlobalInvocationID.x * ROWS_EACH; row < constants.rows; row += stride)
        for (uint column = gl_WorkGroupID.y; column < constants.columns; column += gl_NumWorkGroups.y)
            update(row, column);
}
