/* Shared by the shaders that read an operand as lines. */
#include "fp64_parts.glsl"

layout(constant_id = LAVA_CONSTANT_TRANSPOSE) const uint TRANSPOSE = 0; /* 1: K runs along the rows */
layout(local_size_x = LAVA_RESIDUES_INVOCATIONS) in;

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer SourceBits64 { uvec2 element[]; };

/* Zero beyond the operand's edges. */
uvec2 source_bits(uint line, uint k)
{
    if (line >= constants.lines || k >= constants.k)
        return uvec2(0);
    uint64_t at = TRANSPOSE == 0 ? uint64_t(k) * constants.ld + line : uint64_t(line) * constants.ld + k;
    return SourceBits64(constants.source + at * 8).element[0];
}
