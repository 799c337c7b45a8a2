/* Copies the columns of a matrix to a place where they have another distance from each other. A copy command would move
 * each column on its own, which takes an H200 8 us, however short the column is.
 *
 *   workgroup    LAVA_COPY_INVOCATIONS words of 32 bits of a column, then later ones; y counts along the columns
 *   invocation   one word
 *
 * A column of half precision may end in the middle of a word. The other half of the target's word then stays as it was.
 */
#version 460
#define LAVA_SHADER_COPY
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_COPY_INVOCATIONS) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Source { uint word; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Target { uint word; };

void copy_word(uint column, uint index)
{
    Source source = Source(constants.source + uint64_t(column) * constants.source_pitch + index * 4);
    Target target = Target(constants.target + uint64_t(column) * constants.target_pitch + index * 4);
    uint value = source.word;
    if (index * 4 + 4 > constants.bytes)
        value = (value & 0xffffu) | (target.word & 0xffff0000u);
    target.word = value;
}

void main()
{
    uint words = (constants.bytes + 3) / 4, stride = gl_NumWorkGroups.x * LAVA_COPY_INVOCATIONS;
    for (uint column = gl_WorkGroupID.y; column < constants.columns; column += gl_NumWorkGroups.y)
        for (uint index = gl_GlobalInvocationID.x; index < words; index += stride)
            copy_word(column, index);
}
