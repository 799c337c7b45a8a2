/* Arithmetic of fp64 in integers, for devices that have no fp64. Numbers are their bits. Results are those of IEEE 754,
 * rounded to nearest, ties to even, with subnormal numbers, Inf and signed zeros. There is one NaN. */
#include "fp64_parts.glsl"

const uint64_t FP64_SIGN = 0x8000000000000000UL;
const uint64_t FP64_INF = 0x7ff0000000000000UL;
const uint64_t FP64_NAN = 0x7ff8000000000000UL;
const uint64_t FP64_ONE = 0x3ff0000000000000UL;
const uint SPECIAL = 2047; /* the biased exponent of Inf and NaN */

bool is_nan(uint64_t x)
{
    return (x & ~FP64_SIGN) > FP64_INF;
}

/* x is not 0. */
int leading_zeros(uint64_t x)
{
    uvec2 words = unpackUint2x32(x);
    return words.y != 0 ? 31 - findMSB(words.y) : 63 - findMSB(words.x);
}

/* x 2^-count. If bits are lost, the last bit is set, so that what is rounded later is rounded once. */
uint64_t shifted(uint64_t x, uint count)
{
    if (count == 0)
        return x;
    if (count > 63)
        return x != 0 ? 1 : 0;
    return x >> count | (x << 64 - count != 0 ? 1 : 0);
}

/* The number significand 2^(exponent - 1086), rounded. Bit 63 of the significand is set. */
uint64_t rounded(bool negative, int exponent, uint64_t significand)
{
    uint64_t sign = negative ? FP64_SIGN : 0;
    if (exponent >= int(SPECIAL))
        return sign | FP64_INF;
    if (exponent < 1)
        significand = shifted(significand, uint(1 - exponent));
    uint64_t size = significand >> 11;
    uint rest = uint(significand) & 0x7ffu;
    size += rest > 0x400u || (rest == 0x400u && (size & 1) != 0) ? 1 : 0;
    /* The significand's greatest bit, and what rounding carries, count as 1 of the exponent. */
    return sign | size + (uint64_t(max(exponent, 1) - 1) << 52);
}

uint64_t wide_product(uint x, uint y)
{
    uint high, low;
    umulExtended(x, y, high, low);
    return packUint2x32(uvec2(low, high));
}

/* The upper half of a product of 128 bits. low: the other half */
uint64_t high_product(uint64_t x, uint64_t y, out uint64_t low)
{
    uvec2 a = unpackUint2x32(x), b = unpackUint2x32(y);
    uint64_t least = wide_product(a.x, b.x);
    uint64_t first = wide_product(a.x, b.y) + (least >> 32);
    uint64_t second = wide_product(a.y, b.x) + (first & 0xffffffffu);
    low = second << 32 | least & 0xffffffffu;
    return wide_product(a.y, b.y) + (first >> 32) + (second >> 32);
}

uint64_t fp64_product(uint64_t a, uint64_t b)
{
    parts x = parts_of(unpackUint2x32(a)), y = parts_of(unpackUint2x32(b));
    bool negative = x.negative != y.negative, zero = x.significand == 0 || y.significand == 0;
    if (x.exponent == SPECIAL || y.exponent == SPECIAL)
        return is_nan(a) || is_nan(b) || zero ? FP64_NAN : (a ^ b) & FP64_SIGN | FP64_INF;
    if (zero)
        return (a ^ b) & FP64_SIGN;
    int zeros_x = leading_zeros(x.significand), zeros_y = leading_zeros(y.significand);
    int exponent = int(x.exponent + y.exponent) - 1000 - zeros_x - zeros_y;
    uint64_t low, high = high_product(x.significand << zeros_x, y.significand << zeros_y, low);
    if (high >> 63 == 0) {
        high = high << 1 | low >> 63;
        low <<= 1;
        exponent--;
    }
    return rounded(negative, exponent, high | (low != 0 ? 1 : 0));
}

uint64_t fp64_sum(uint64_t a, uint64_t b)
{
    bool swapped = (a & ~FP64_SIGN) < (b & ~FP64_SIGN);
    uint64_t larger = swapped ? b : a;
    parts x = parts_of(unpackUint2x32(larger)), y = parts_of(unpackUint2x32(swapped ? a : b));
    bool differ = x.negative != y.negative;
    if (x.exponent == SPECIAL)
        return is_nan(larger) || (y.exponent == SPECIAL && differ) ? FP64_NAN : larger;
    uint64_t own = x.significand << 10, other = shifted(y.significand << 10, x.exponent - y.exponent);
    uint64_t sum = differ ? own - other : own + other;
    if (sum == 0)
        return a & b & FP64_SIGN;
    int zeros = leading_zeros(sum);
    return rounded(x.negative, int(x.exponent) + 1 - zeros, sum << zeros);
}
