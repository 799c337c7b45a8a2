/* fp32 to the nearest fp16 or bf16, ties to even, overflow to Inf, NaN stays NaN: as fp32 values that the type holds, so that
 * converting them is exact. How a conversion rounds is the driver's choice otherwise, and NVIDIA's to bf16 cuts off. */

/* Nearest multiple of 2^dropped units in the last place of what the bits stand for. */
uvec4 nearest_bits(uvec4 bits, uint dropped)
{
    uvec4 nearest = bits + ((1u << (dropped - 1)) - 1) + (bits >> dropped & 1u); /* just below half, or half above an odd one */
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
    /* below 2^-14 fp16's step is 2^-24, which is fp32's from 0.5 to 1 */
    precise vec4 shifted = uintBitsToFloat(size) + 0.5;
    precise vec4 subnormal = shifted - 0.5;
    nearest = mix(nearest, floatBitsToUint(subnormal), lessThan(size, uvec4(0x38800000u)));
    nearest = mix(nearest, size | 0x400000u, greaterThan(size, uvec4(0x7f800000u)));
    return uintBitsToFloat(nearest | sign);
}
