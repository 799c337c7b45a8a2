/* Split, complex to real: turns a chunk of a stored complex operand, column-major, into the chunk of parts
 * that a pack reads (interface.h: parts). Each element becomes one or two rows and one or two columns. Each
 * of these parts is the real part, the imaginary part, or the negative of one of them.
 *
 * With -DLAVA_SCALED each element is first multiplied by alpha, as the reference does in ?her2k, where alpha and
 * its conjugate meet different products. Otherwise parts move as integers: every bit pattern survives.
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

#ifdef LAVA_SCALED
#define PART NUMBER
#define SIGNED(part) (-(part))
#ifdef LAVA_FP64
#define PAIR dvec2
#else
#define PAIR vec2
#endif
#elif defined(LAVA_FP64)
#define PART uvec2
#define PAIR uvec4
#define SIGNED(part) uvec2((part).x, (part).y ^ 0x80000000u)
#else
#define PART uint
#define PAIR uvec2
#define SIGNED(part) ((part) ^ 0x80000000u)
#endif
const uint PART_BYTES = 16 / WORD_NUMBERS;
layout(buffer_reference, scalar, buffer_reference_align = PART_BYTES) readonly buffer Source { PART part[]; };
layout(buffer_reference, scalar, buffer_reference_align = PART_BYTES) writeonly buffer Target { PART part; };
layout(buffer_reference, scalar, buffer_reference_align = 2 * PART_BYTES) writeonly buffer TargetPair { PAIR parts; };

/* Part p of column q of the parts that an element becomes. */
PART part_of(PART parts[2], uint p, uint q)
{
    uint which = constants.parts >> (2 * (p + 2 * q));
    PART part = (which & LAVA_PART_IMAGINARY) != 0 ? parts[1] : parts[0];
    return (which & LAVA_PART_NEGATIVE) != 0 ? SIGNED(part) : part;
}

void split(uint row, uint column)
{
    Source source = Source(constants.source + (uint64_t(column) * constants.source_ld + row) * (2 * PART_BYTES));
    PART parts[2] = {source.part[0], source.part[1]};
#ifdef LAVA_SCALED
    NUMBER re = SCALAR(alpha), im = SCALAR(alpha_imaginary);
    parts = PART[2](fma(re, parts[0], -im * parts[1]), fma(re, parts[1], im * parts[0]));
#endif
    uint64_t at = uint64_t(column * constants.columns_each) * constants.target_ld + row * constants.rows_each;
    uint64_t target = constants.target + at * PART_BYTES;
    for (uint q = 0; q < constants.columns_each; q++) {
        PART first = part_of(parts, 0, q);
        if (constants.rows_each == 1)
            Target(target).part = first;
        else
            TargetPair(target).parts = PAIR(first, part_of(parts, 1, q));
        target += constants.target_ld * PART_BYTES;
    }
}

void main()
{
    uint row = gl_GlobalInvocationID.x;
    for (uint column = gl_GlobalInvocationID.y; column < constants.columns; column += gl_NumWorkGroups.y * LAVA_SPLIT_COLUMNS)
        if (row < constants.rows)
            split(row, column);
}
