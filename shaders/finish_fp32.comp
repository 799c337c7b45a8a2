/* Finish, fp32: the sum of a split K's slabs, in their order, times alpha, from the padded accumulators to a compact
 * result. An invocation owns one 16-byte word of the result at a time. */
#version 460
#define LAVA_SHADER_FINISH
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_FINISH_INVOCATIONS) in;

void main()
{
    SourceWords source = SourceWords(constants.source);
    TargetWords target = TargetWords(constants.target);
    uint stride = gl_NumWorkGroups.x * LAVA_FINISH_INVOCATIONS;
    for (uint i = gl_GlobalInvocationID.x; i < constants.words; i += stride) {
        uint column = i / constants.words_per_column, word = i - column * constants.words_per_column;
        uint64_t at = uint64_t(column) * (constants.source_ld / 4) + word;
        vec4 sum = SourceWords(constants.source + at * 16).word[0];
        for (uint slab = 1; slab < constants.slabs; slab++)
            sum += SourceWords(constants.source + (at + slab * (constants.slab_stride / 4)) * 16).word[0];
        target.word[i] = constants.alpha * sum;
    }
}
