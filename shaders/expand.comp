/* Makes a complex matrix of a real one, whose imaginary parts are zero. A real number is one or two words of 32 bits.
 *
 *   workgroup    LAVA_REFLECTORS_INVOCATIONS rows of a column, then of later ones
 *   invocation   a row */
#version 460
#define LAVA_SHADER_EXPAND
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_REFLECTORS_INVOCATIONS) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint word; };

void main()
{
    uint strips = (constants.rows - 1) / LAVA_REFLECTORS_INVOCATIONS + 1, words = constants.number_words;
    for (uint strip = gl_WorkGroupID.x; strip < strips * constants.columns; strip += gl_NumWorkGroups.x) {
        uint column = strip / strips, row = strip % strips * LAVA_REFLECTORS_INVOCATIONS + gl_LocalInvocationIndex;
        if (row >= constants.rows)
            continue;
        uint64_t from = constants.source + (uint64_t(column) * constants.ld + row) * words * 4;
        uint64_t to = constants.target + (uint64_t(column) * constants.ldt + row) * words * 8;
        for (uint i = 0; i < words; i++) {
            Word(to + i * 4).word = Word(from + i * 4).word;
            Word(to + (words + i) * 4).word = 0;
        }
    }
}
