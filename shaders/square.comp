/* Square: writes all elements of a square on the diagonal of a matrix of which one triangle is stored. A pack then
 * reads it like any other block.
 *
 *                 stored LOWER         SYMMETRIC      HERMITIAN       TRIANGULAR
 *                 a                    a b d          re a  b'  d'    a 0 0
 *                 b c                  b c e          b  re c   e'    b c 0
 *                 d e f                d e f          d  e   re f     d e f
 *
 *   workgroup    64 rows, four columns; x counts along the rows, y along the columns
 *   invocation   one element, of 32-bit words, which move as integers: every bit pattern survives */
#version 460
#define LAVA_SHADER_SQUARE
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x = LAVA_ELEMENT_ROWS, local_size_y = LAVA_ELEMENT_COLUMNS) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Source { uint word[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) writeonly buffer Target { uint word[]; };

const uint SIGN = 0x80000000u;

/* Word i of 1. */
uint one(uint i)
{
    uint high = constants.part_words == 1 ? 0x3f800000u : 0x3ff00000u;
    return i + 1 == constants.part_words ? high : 0;
}

void main()
{
    uvec2 target_at = gl_GlobalInvocationID.xy;
    if (target_at.x >= constants.size || target_at.y >= constants.size)
        return;
    uvec2 at = constants.transposed != 0 ? target_at.yx : target_at;
    bool is_diagonal = at.x == at.y;
    bool is_stored = constants.stored == LAVA_SQUARE_LOWER ? at.x >= at.y : at.x <= at.y;
    bool is_zero = constants.structure == LAVA_SQUARE_TRIANGULAR && !is_stored;
    bool is_one = constants.unit_diagonal != 0 && is_diagonal;
    bool is_hermitian = constants.structure == LAVA_SQUARE_HERMITIAN;
    bool is_conjugate = is_stored ? constants.conjugate != 0 : is_hermitian;
    if (!is_stored)
        at = at.yx;

    uint words = constants.element_words;
    Source source = Source(constants.source + (uint64_t(at.y) * constants.source_ld + at.x) * (words * 4));
    Target target = Target(constants.target + (uint64_t(target_at.y) * constants.target_ld + target_at.x) * (words * 4));
    for (uint i = 0; i < words; i++) {
        bool is_imaginary = i >= constants.part_words;
        uint value = 0;
        if (is_one)
            value = one(i);
        else if (!is_zero && !(is_imaginary && is_hermitian && is_diagonal))
            value = source.word[i];
        if (is_imaginary && is_conjugate && !is_zero && !is_one && i + 1 == words)
            value ^= SIGN;
        target.word[i] = value;
    }
}
