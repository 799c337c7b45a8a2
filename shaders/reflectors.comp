/* Copies a block of Householder's vectors to a matrix of its own, with the ones on its diagonal and the zeros above
 * that ?geqrf does not store; and makes columns those of the unit matrix. An element is one, two or four words of 32
 * bits.
 *
 *   workgroup    LAVA_REFLECTORS_INVOCATIONS rows of a column, then of later ones
 *   invocation   a row
 *
 * The diagonal begins at row `first` of the source. V has the rows from there on. */
#version 460
#define LAVA_SHADER_REFLECTORS
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_REFLECTORS_INVOCATIONS) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint word; };

Word word_at(uint64_t matrix, uint ld, uint row, uint column, uint word_)
{
    return Word(matrix + ((uint64_t(column) * ld + row) * constants.element_words + word_) * 4);
}

void main()
{
    uint strips = (constants.rows - 1) / LAVA_REFLECTORS_INVOCATIONS + 1;
    for (uint strip = gl_WorkGroupID.x; strip < strips * constants.columns; strip += gl_NumWorkGroups.x) {
        uint column = strip / strips, row = strip % strips * LAVA_REFLECTORS_INVOCATIONS + gl_LocalInvocationIndex;
        uint diagonal = constants.first + column;
        if (row >= constants.rows)
            continue;
        for (uint i = 0; i < constants.element_words; i++) {
            uint one = i == constants.one_word && row == diagonal ? constants.one_bits : 0;
            if ((constants.flags & LAVA_REFLECTORS_COPIES) != 0 && row >= constants.first) {
                uint stored = word_at(constants.source, constants.ld, row, column, i).word;
                word_at(constants.v, constants.ldv, row - constants.first, column, i).word =
                    row > diagonal ? stored : one;
            }
            if ((constants.flags & LAVA_REFLECTORS_RESETS) != 0)
                word_at(constants.source, constants.ld, row, column, i).word = one;
        }
    }
}
