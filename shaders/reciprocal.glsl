/* Division of elements: reciprocals, and quotients that are corrected by their remainders. Included after
 * elements.glsl. */

/* A divisor whose reciprocal would overflow or underflow is scaled by a power of two, and so is each dividend. */
#ifdef LAVA_FP64
const uint SCALE_BEYOND = 800, SCALE_EXPONENT = 512;
#else
const uint SCALE_BEYOND = 96, SCALE_EXPONENT = 64;
#endif
NUMBER scale_for(uint exponent)
{
    uint scale = exponent < BIAS - SCALE_BEYOND ? BIAS + SCALE_EXPONENT :
                 exponent > BIAS + SCALE_BEYOND ? BIAS - SCALE_EXPONENT : BIAS;
    return power_of_two(scale);
}

#ifdef LAVA_FP64
bool is_infinite(NUMBER number)
{
    uvec2 bits = unpackDouble2x32(number);
    return (bits.y << 1) == EXPONENT_MAX << 21 && bits.x == 0;
}
#else
bool is_infinite(NUMBER number) { return floatBitsToUint(number) << 1 == EXPONENT_MAX << 24; }
#endif

#ifdef LAVA_COMPLEX
bool is_nothing(ELEMENT z) { return is_zero(z.x) && is_zero(z.y); }
uint size_of(ELEMENT z) { return max(exponent_of(z.x), exponent_of(z.y)); }

/* As exponents lie within SCALE_BEYOND now, a power of two makes the largest part less than 2 without rounding. If
 * one part is Inf and the other one finite, the reciprocal is zero, as by Smith's division. */
ELEMENT reciprocal_of(ELEMENT d)
{
    if (is_infinite(d.x) ? is_finite(d.y) : is_infinite(d.y) && is_finite(d.x))
        return ELEMENT(0);
    NUMBER scale = power_of_two(2 * BIAS - min(size_of(d), 2 * BIAS - 1));
    ELEMENT near_one = d * scale;
    NUMBER square = fma(near_one.x, near_one.x, near_one.y * near_one.y);
    return ELEMENT(near_one.x / square, -near_one.y / square) * scale;
}
#else
bool is_nothing(ELEMENT z) { return is_zero(z); }
uint size_of(ELEMENT z) { return exponent_of(z); }
ELEMENT reciprocal_of(ELEMENT d) { return better_reciprocal(d, 1 / d); }
#endif

/* b / d, by the reciprocal of d. If quotient or remainder is Inf or NaN there is nothing to correct. */
ELEMENT quotient_of(ELEMENT b, ELEMENT d, ELEMENT reciprocal)
{
    ELEMENT quotient = add_product(b, reciprocal, ELEMENT(0)), remainder = add_product(-d, quotient, b);
    return is_finite(remainder) ? add_product(remainder, reciprocal, quotient) : quotient;
}
