/* Epilogue: adds the split-K slices in their order, multiplies by alpha, and writes the padded accumulators
 * as a compact result. The result is fp32, fp16 (-DLAVA_FP16) or bf16 (-DLAVA_BF16), rounded once, to nearest
 * even; or fp64 from fp64 accumulators (-DLAVA_FP64). An invocation computes four neighbouring elements of a
 * column at a time. */
#version 460
#define LAVA_SHADER_FINISH
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "nearest.glsl"

layout(local_size_x = LAVA_EPILOGUE_INVOCATIONS) in;

#if defined(LAVA_FP16) || defined(LAVA_BF16)
#define QUAD_BYTES 8
#define QUAD uvec2
#define QUAD_ALIGN 8
#ifdef LAVA_FP16
#define rounded(value) words_fp16(value)
#else
#define rounded(value) words_bf16(value)
#endif
#elif defined(LAVA_FP64)
#define QUAD_BYTES 32
struct quad { dvec2 low, high; };
#define QUAD quad
#define QUAD_ALIGN 16
#else
#define QUAD_BYTES 16
#define QUAD vec4
#define QUAD_ALIGN 16
#define rounded(value) (value)
#endif

/* Returns alpha times the sum of all slices, for the four elements at `at`. */
#ifdef LAVA_FP64
QUAD finished(uint64_t at)
{
    QUAD sum = QUAD(dvec2(0), dvec2(0));
    for (uint slice = 0; slice < constants.slices; slice++) {
        SourceWords source = SourceWords(constants.source + (at + slice * constants.slice_stride) * 8);
        sum.low = slice == 0 ? source.word[0] : sum.low + source.word[0];
        sum.high = slice == 0 ? source.word[1] : sum.high + source.word[1];
    }
    return QUAD(SCALAR(alpha) * sum.low, SCALAR(alpha) * sum.high);
}
#else
QUAD finished(uint64_t at)
{
    vec4 sum = SourceWords(constants.source + at * 4).word[0];
    for (uint slice = 1; slice < constants.slices; slice++)
        sum += SourceWords(constants.source + (at + slice * constants.slice_stride) * 4).word[0];
    return rounded(SCALAR(alpha) * sum);
}
#endif

layout(buffer_reference, std430, buffer_reference_align = QUAD_ALIGN) writeonly buffer Target { QUAD quad[]; };

void main()
{
    Target target = Target(constants.target + uint64_t(gl_WorkGroupID.z) * (constants.target_each / 4) * QUAD_BYTES);
    uint stride = gl_NumWorkGroups.x * LAVA_EPILOGUE_INVOCATIONS;
    for (uint i = gl_GlobalInvocationID.x; i < constants.words; i += stride) {
        uint column = i / constants.words_per_column, word = i - column * constants.words_per_column;
        uint64_t first = uint64_t(gl_WorkGroupID.z) * constants.source_each;
        target.quad[i] = finished(first + uint64_t(column) * constants.source_ld + word * 4);
    }
}
