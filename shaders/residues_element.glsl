/* Shared by the shaders that read an operand as lines: an element as a significand and an exponent, in integers, so
 * that subnormal numbers, Inf and NaN need no support of the device. x = significand 2^(exponent - 1075). */
struct parts {
    uint64_t significand;
    uint exponent; /* biased; that of a subnormal number is 1, of zero 0 */
    bool negative;
};

layout(constant_id = LAVA_CONSTANT_TRANSPOSE) const uint TRANSPOSE = 0; /* 1: K runs along the rows */
layout(local_size_x = LAVA_RESIDUES_INVOCATIONS) in;

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer SourceBits64 { uvec2 element[]; };

parts parts_of(uvec2 bits)
{
    uint exponent = bits.y >> 20 & 0x7ffu;
    uvec2 fraction = uvec2(bits.x, bits.y & 0xfffffu);
    bool zero = exponent == 0 && (fraction.x | fraction.y) == 0;
    if (exponent > 0)
        fraction.y |= 0x100000u;
    return parts(uint64_t(fraction.y) << 32 | fraction.x, zero ? 0 : max(exponent, 1), bits.y >> 31 != 0);
}

/* Zero beyond the operand's edges. */
uvec2 source_bits(uint line, uint k)
{
    if (line >= constants.lines || k >= constants.k)
        return uvec2(0);
    uint64_t at = TRANSPOSE == 0 ? uint64_t(k) * constants.ld + line : uint64_t(line) * constants.ld + k;
    return SourceBits64(constants.source + at * 8).element[0];
}
