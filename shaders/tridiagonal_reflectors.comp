/* Copies a block of the reflections of a tridiagonal form to a matrix V of its own, with the ones and zeros that ?sytrd
 * does not store. An element is one, two or four words of 32 bits.
 *
 *   workgroup    LAVA_REFLECTORS_INVOCATIONS rows of a column of V, then of later ones
 *   invocation   a row
 *
 * Column j of V has its one in row `one` + j `one_step`. A lower triangle stores the elements below that, and V's
 * columns are those of the source in order. An upper triangle stores those above, and the last reflection comes first:
 * the steps are negative. */
#version 460
#define LAVA_SHADER_TRIDIAGONAL_REFLECTORS
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_REFLECTORS_INVOCATIONS) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint word; };

void main()
{
    uint strips = (constants.rows - 1) / LAVA_REFLECTORS_INVOCATIONS + 1;
    for (uint strip = gl_WorkGroupID.x; strip < strips * constants.columns; strip += gl_NumWorkGroups.x) {
        uint column = strip / strips, row = strip % strips * LAVA_REFLECTORS_INVOCATIONS + gl_LocalInvocationIndex;
        int one = constants.one + int(column) * constants.one_step;
        if (row < constants.rows) {
            bool is_stored = constants.one_step > 0 ? int(row) > one : int(row) < one;
            int64_t from = int64_t(column) * int64_t(constants.column_step) + int64_t(row);
            uint64_t to = uint64_t(column) * constants.ldv + row;
            for (uint i = 0; i < constants.element_words; i++) {
                uint word_ = i == constants.one_word && int(row) == one ? constants.one_bits : 0;
                if (is_stored)
                    word_ = Word(constants.source + uint64_t((from * int64_t(constants.element_words) + int64_t(i)) * 4L)).word;
                Word(constants.v + (to * constants.element_words + i) * 4).word = word_;
            }
        }
    }
}
