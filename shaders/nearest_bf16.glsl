/* fp32 to the nearest bf16, ties to even, NaN stays NaN: the result's bits, in the upper halves. How a conversion rounds is
 * the driver's choice otherwise, and NVIDIA's cuts off. */
uvec4 nearest_bf16(vec4 value)
{
    uvec4 bits = floatBitsToUint(value);
    uvec4 nearest = bits + 0x7fffu + (bits >> 16 & 1u); /* just below half of a unit, or half above an odd one */
    bvec4 nan = greaterThan(bits & 0x7fffffffu, uvec4(0x7f800000u));
    return mix(nearest, bits | 0x400000u, nan) & 0xffff0000u;
}
