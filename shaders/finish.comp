/* Finish: the sum of a split K's slabs, in their order, times alpha, from the padded fp32 accumulators to a compact result
 * of fp32, fp16 (-DLAVA_FP16) or bf16 (-DLAVA_BF16), rounded once, to nearest even. An invocation owns four neighbouring
 * elements of a column at a time. */
#version 460
#define LAVA_SHADER_FINISH
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "nearest.glsl"

layout(local_size_x = LAVA_FINISH_INVOCATIONS) in;

#if defined(LAVA_FP16)
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#define QUAD uvec2
#define QUAD_BYTES 8
QUAD rounded(vec4 value)
{
    f16vec4 half_ = f16vec4(nearest_fp16(value));
    return uvec2(packFloat2x16(half_.xy), packFloat2x16(half_.zw));
}
#elif defined(LAVA_BF16)
#define QUAD uvec2
#define QUAD_BYTES 8
QUAD rounded(vec4 value)
{
    uvec4 bits = floatBitsToUint(nearest_bf16(value)) >> 16;
    return uvec2(bits.x | bits.y << 16, bits.z | bits.w << 16);
}
#else
#define QUAD vec4
#define QUAD_BYTES 16
QUAD rounded(vec4 value)
{
    return value;
}
#endif
layout(buffer_reference, std430, buffer_reference_align = QUAD_BYTES) writeonly buffer Target { QUAD quad[]; };

void main()
{
    SourceWords source = SourceWords(constants.source);
    Target target = Target(constants.target);
    uint stride = gl_NumWorkGroups.x * LAVA_FINISH_INVOCATIONS;
    for (uint i = gl_GlobalInvocationID.x; i < constants.words; i += stride) {
        uint column = i / constants.words_per_column, word = i - column * constants.words_per_column;
        uint64_t at = uint64_t(column) * (constants.source_ld / 4) + word;
        vec4 sum = SourceWords(constants.source + at * 16).word[0];
        for (uint slab = 1; slab < constants.slabs; slab++)
            sum += SourceWords(constants.source + (at + slab * (constants.slab_stride / 4)) * 16).word[0];
        target.quad[i] = rounded(constants.alpha * sum);
    }
}
