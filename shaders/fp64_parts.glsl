/* Shared by the shaders that take fp64 numbers apart in integers, so that subnormal numbers, Inf and NaN need no support
 * of the device, nor fp64 itself. x = significand 2^(exponent - 1075). */
struct parts {
    uint64_t significand;
    uint exponent; /* biased; that of a subnormal number is 1, of zero 0 */
    bool negative;
};

parts parts_of(uvec2 bits)
{
    uint exponent = bits.y >> 20 & 0x7ffu;
    uvec2 fraction = uvec2(bits.x, bits.y & 0xfffffu);
    bool zero = exponent == 0 && (fraction.x | fraction.y) == 0;
    if (exponent > 0)
        fraction.y |= 0x100000u;
    return parts(uint64_t(fraction.y) << 32 | fraction.x, zero ? 0 : max(exponent, 1), bits.y >> 31 != 0);
}
