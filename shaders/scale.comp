/* Scale, complex: multiplies the elements of a chunk of a stored operand, column-major, by alpha. The reference does so
 * in ?her2k, where alpha and its conjugate meet different products. A pack then reads the result instead of the chunk.
 *
 *   workgroup    64 rows of the chunk, four columns; x counts along the rows, y along the columns
 *   invocation   one element */
#version 460
#define LAVA_SHADER_SCALE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_ELEMENT_ROWS, local_size_y = LAVA_ELEMENT_COLUMNS) in;

const uint PART_BYTES = 16 / WORD_NUMBERS;
layout(buffer_reference, scalar, buffer_reference_align = PART_BYTES) readonly buffer Source { NUMBER part[]; };
layout(buffer_reference, scalar, buffer_reference_align = PART_BYTES) writeonly buffer Target { NUMBER part[]; };

void scale(uint row, uint column)
{
    uint64_t from = uint64_t(column) * constants.source_ld + row, to = uint64_t(column) * constants.target_ld + row;
    Source source = Source(constants.source + from * (2 * PART_BYTES));
    Target target = Target(constants.target + to * (2 * PART_BYTES));
    NUMBER re = SCALAR(alpha), im = SCALAR(alpha_imaginary), part[2] = {source.part[0], source.part[1]};
    target.part[0] = fma(re, part[0], -im * part[1]);
    target.part[1] = fma(re, part[1], im * part[0]);
}

void main()
{
    uint row = gl_GlobalInvocationID.x;
    for (uint column = gl_GlobalInvocationID.y; column < constants.columns; column += gl_NumWorkGroups.y * LAVA_ELEMENT_COLUMNS)
        if (row < constants.rows)
            scale(row, column);
}
