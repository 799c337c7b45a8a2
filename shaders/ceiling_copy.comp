/* Ceiling of device memory: copies, or only reads, 16-byte words. For benchmarks: no product uses it.
 *
 *   workgroup    LAVA_CEILING_WORDS runs of LAVA_CEILING_INVOCATIONS neighbouring words at a time
 *   invocation   one word of each run */
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "ceiling.h"

layout(local_size_x = LAVA_CEILING_INVOCATIONS) in;

const uint CHUNK = LAVA_CEILING_INVOCATIONS * LAVA_CEILING_WORDS;

void main()
{
    SourceBits source = SourceBits(constants.source);
    TargetBits target = TargetBits(constants.target);
    uvec4 value[LAVA_CEILING_WORDS], seen = uvec4(0);
    for (uint first = gl_WorkGroupID.x * CHUNK; first < constants.words; first += gl_NumWorkGroups.x * CHUNK) {
        uint at = first + gl_LocalInvocationIndex;
        [[unroll]] for (uint i = 0; i < LAVA_CEILING_WORDS; i++)
            value[i] = source.word[at + i * LAVA_CEILING_INVOCATIONS];
        [[unroll]] for (uint i = 0; i < LAVA_CEILING_WORDS; i++) {
            seen ^= value[i];
            if (constants.store != 0)
                target.word[at + i * LAVA_CEILING_INVOCATIONS] = value[i];
        }
    }
    /* Never true, but it keeps the compiler from removing the reads. */
    if (constants.store == 0 && seen == uvec4(0x5a5a5a5au, 0xa5a5a5a5u, 0x3c3c3c3cu, 0xc3c3c3c3u))
        target.word[0] = seen;
}
