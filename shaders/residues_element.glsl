/* Shared by the shaders that read an operand as lines. The lines of a complex matrix are those of its parts, so that one
 * real product has both parts of C in alternating rows, as they are stored:
 *
 *     op(A)   PARTS 2: two lines for a row, [re, -im] and [im, re] for each k
 *     op(B)   PARTS 1: a line for a column, [re, im] for each k */
#include "fp64_parts.glsl"

layout(constant_id = LAVA_CONSTANT_TRANSPOSE) const uint TRANSPOSE = 0; /* 1: K runs along the rows */
layout(constant_id = LAVA_CONSTANT_PLANES) const uint PARTS = 0;        /* 0: the matrix is real */
layout(local_size_x = LAVA_RESIDUES_INVOCATIONS) in;

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer SourceBits64 { uvec2 element[]; };

/* Zero beyond the operand's edges. */
uvec2 source_bits(uint line, uint k)
{
    if (line >= constants.lines || k >= constants.k)
        return uvec2(0);
    uint row = PARTS == 2 ? line / 2 : line, column = PARTS == 0 ? k : k / 2;
    uint64_t at = TRANSPOSE == 0 ? uint64_t(column) * constants.ld + row : uint64_t(row) * constants.ld + column;
    if (PARTS == 0)
        return SourceBits64(constants.source + at * 8).element[0];
    uint part = (PARTS == 2 ? line ^ k : k) & 1;
    uvec2 bits = SourceBits64(constants.source + (2 * at + part) * 8).element[0];
    bool is_negative = (PARTS == 2 && (line & 1) == 0) != (constants.step == LAVA_RESIDUES_CONJUGATED);
    bits.y ^= part != 0 && is_negative ? 0x80000000u : 0;
    return bits;
}
