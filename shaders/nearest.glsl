/* Rounds fp32 to the nearest fp16 or bf16: ties to even, overflow to Inf, NaN stays NaN. The result is an
 * fp32 value that the type can represent, so converting it is exact. Without this the driver chooses how a
 * conversion rounds, and NVIDIA's to bf16 truncates. */

/* Rounds the bit patterns to a multiple of 2^dropped. */
uvec4 nearest_bits(uvec4 bits, uint dropped)
{
    /* adds just under half, or half for an odd result */
    uvec4 nearest = bits + ((1u << (dropped - 1)) - 1) + (bits >> dropped & 1u);
    return nearest & ~((1u << dropped) - 1);
}

vec4 nearest_bf16(vec4 value)
{
    uvec4 bits = floatBitsToUint(value);
    bvec4 nan = greaterThan(bits & 0x7fffffffu, uvec4(0x7f800000u));
    return uintBitsToFloat(mix(nearest_bits(bits, 16), (bits | 0x400000u) & 0xffff0000u, nan));
}

vec4 nearest_fp16(vec4 value)
{
    uvec4 bits = floatBitsToUint(value), sign = bits & 0x80000000u, size = bits ^ sign;
    uvec4 nearest = nearest_bits(size, 13);
    nearest = mix(nearest, uvec4(0x7f800000u), greaterThanEqual(nearest, uvec4(0x47800000u))); /* 2^16 */
    /* Below 2^-14 the spacing of fp16 is 2^-24, which is the spacing of fp32 between 0.5 and 1. */
    precise vec4 shifted = uintBitsToFloat(size) + 0.5;
    precise vec4 subnormal = shifted - 0.5;
    nearest = mix(nearest, floatBitsToUint(subnormal), lessThan(size, uvec4(0x38800000u)));
    nearest = mix(nearest, size | 0x400000u, greaterThan(size, uvec4(0x7f800000u)));
    return uintBitsToFloat(nearest | sign);
}

/* Four neighbouring elements as they lie in memory, rounded. */
uvec2 words_bf16(vec4 value)
{
    uvec4 bits = floatBitsToUint(nearest_bf16(value)) >> 16;
    return uvec2(bits.x | bits.y << 16, bits.z | bits.w << 16);
}

uvec2 words_fp16(vec4 value)
{
    vec4 nearest = nearest_fp16(value);
    return uvec2(packHalf2x16(nearest.xy), packHalf2x16(nearest.zw));
}
