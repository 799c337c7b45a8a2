/* Split, complex to real: turns a chunk of a stored complex operand, column-major, into the chunk of parts
 * that a pack reads (interface.h: parts). Each element becomes one or two rows and one or two columns. Each
 * of these parts is the real part, the imaginary part, or the negative of one of them.
 *
 * Multiplying these parts as real matrices is the induced 1m method: Van Zee, "Implementing High-Performance
 * Complex Matrix Multiplication via the 1m Method", SIAM J. Sci. Comput. 42(5), 2020.
 *
 *   workgroup    64 rows of the chunk, four columns; x counts along the rows, y along the columns
 *   invocation   one element */
#version 460
#define LAVA_SHADER_SPLIT
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_SPLIT_ROWS, local_size_y = LAVA_SPLIT_COLUMNS) in;

/* Parts move as integers: every bit pattern survives, and negation flips a bit. */
#ifdef LAVA_FP64
#define PART uvec2
#define SIGNED(part) uvec2((part).x, (part).y ^ 0x80000000u)
#else
#define PART uint
#define SIGNED(part) ((part) ^ 0x80000000u)
#endif
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Source { PART part[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Target { PART part; };

const uint PART_BYTES = 16 / WORD_NUMBERS;

void split(uint row, uint column)
{
    Source source = Source(constants.source + (uint64_t(column) * constants.source_ld + row) * (2 * PART_BYTES));
    PART parts[2] = {source.part[0], source.part[1]};
    for (uint q = 0; q < constants.columns_each; q++)
        for (uint p = 0; p < constants.rows_each; p++) {
            uint which = constants.parts >> (2 * (p + 2 * q));
            PART part = (which & LAVA_PART_IMAGINARY) != 0 ? parts[1] : parts[0];
            uint64_t at = uint64_t(column * constants.columns_each + q) * constants.target_ld + row * constants.rows_each + p;
            Target(constants.target + at * PART_BYTES).part = (which & LAVA_PART_NEGATIVE) != 0 ? SIGNED(part) : part;
        }
}

void main()
{
    uint row = gl_GlobalInvocationID.x;
    for (uint column = gl_GlobalInvocationID.y; column < constants.columns; column += gl_NumWorkGroups.y * LAVA_SPLIT_COLUMNS)
        if (row < constants.rows)
            split(row, column);
}
