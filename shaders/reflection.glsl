/* One of Householder's reflections H = I - tau v v^H, which makes beta e of a column: for qr.glsl and tridiagonal.glsl.
 * Included after elements.glsl.
 *
 * As LAPACK's ?larfg has it: beta is real, and its sign is not that of re(alpha); v is 1 in row e, and tau is 0 if x
 * and im(alpha) are. x is what is below row e. It is scaled by a power of two for the sums, so that they neither
 * overflow nor underflow if beta does not. */
#include "reciprocal.glsl"

/* The biased exponent of the largest number of a scaled x. Less than 1, because columns are not scaled: if their
 * norms are finite, so are the sums of some hundred rows. It is not much less than 1, for columns that are close to underflow. */
const uint SCALED = BIAS - 4;

#ifdef LAVA_COMPLEX
#define REAL(z) ((z).x)
#define IMAGINARY(z) ((z).y)
#define FROM_REAL(number) ELEMENT(number, 0)
#else
#define REAL(z) (z)
#define IMAGINARY(z) NUMBER(0)
#define FROM_REAL(number) (number)
#endif

/* The tau by which the host finds out that a column is too small, and gives up. */
const int TOO_SMALL = -2;

/* A reflection. */
struct reflection {
    NUMBER scale, beta;
    ELEMENT tau, reciprocal; /* v is x times scale and reciprocal */
};

/* 0 for zero, else one more than the biased exponent: no numbers are compared, so NaN is just large. */
uint key_of(ELEMENT z) { return is_nothing(z) ? 0 : size_of(z) + 1; }

/* The biased exponent of the power of two that makes numbers with that key small. */
uint scale_exponent(uint key)
{
    uint exponent = max(key, 1) - 1;
    return max(BIAS + SCALED, exponent + 1) - exponent;
}

NUMBER ratio_of(uint exponent, uint to)
{
    uint biased = exponent + BIAS;
    return biased > to ? power_of_two(biased - to) : NUMBER(0);
}

NUMBER quotient_of_numbers(NUMBER dividend, NUMBER by)
{
    NUMBER reciprocal = better_reciprocal(by, 1 / by), quotient = dividend * reciprocal;
    NUMBER remainder = fma(-by, quotient, dividend);
    return is_finite(remainder) ? fma(remainder, reciprocal, quotient) : quotient;
}

#ifdef LAVA_FP64
bool is_negative(NUMBER number) { return unpackDouble2x32(number).y >> 31 != 0; }
#else
bool is_negative(NUMBER number) { return floatBitsToUint(number) >> 31 != 0; }
#endif

/* Columns are scaled, so they lose less than what is_too_small allows for: norms may be smaller, down to 1 / u times the
 * smallest normal number, of which updates may lose a part. */
bool is_norm_too_small(uint exponent) { return is_too_small(exponent + 10); }

/* The reflection of column e, whose x has that key and, scaled, that square. */
reflection reflection_of(ELEMENT alpha, uint key, uint exponent, NUMBER square)
{
    NUMBER scale = power_of_two(exponent);
    ELEMENT near_one = alpha * scale;
    square += REAL(near_one) * REAL(near_one) + IMAGINARY(near_one) * IMAGINARY(near_one);
    if ((key == 0 && is_zero(IMAGINARY(alpha))) || is_zero(square)) {
        bool is_lost = !(key == 0 && is_nothing(alpha)) && is_norm_too_small(size_of(alpha)); /* zeros are right */
        return reflection(NUMBER(0), REAL(alpha), FROM_REAL(NUMBER(is_lost ? TOO_SMALL : 0)), ELEMENT(0));
    }
    NUMBER root = better_root(square, sqrt(square)), beta = is_negative(REAL(alpha)) ? root : -root;
    if (is_norm_too_small(exponent_of(beta * power_of_two(2 * BIAS - exponent))))
        return reflection(NUMBER(0), REAL(alpha), FROM_REAL(NUMBER(TOO_SMALL)), ELEMENT(0));
    ELEMENT difference = near_one - FROM_REAL(beta);
#ifdef LAVA_COMPLEX
    ELEMENT tau = ELEMENT(quotient_of_numbers(beta - near_one.x, beta), quotient_of_numbers(-near_one.y, beta));
#else
    ELEMENT tau = quotient_of_numbers(beta - near_one, beta);
#endif
    ELEMENT reciprocal = quotient_of(ONE, difference, reciprocal_of(difference));
    return reflection(scale, beta * power_of_two(2 * BIAS - exponent), tau, reciprocal);
}
