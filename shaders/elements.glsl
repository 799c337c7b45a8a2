/* Elements of a column-major matrix, real or complex (-DLAVA_COMPLEX), and the 16-byte words that hold them. For the
 * shaders that compute factors and solutions: solve, cholesky, lu, qr and their panels. Included after common.glsl. */
#ifdef LAVA_FP64
#define NUMBER_BYTES 8
#else
#define NUMBER_BYTES 4
#endif

/* An element, and which element of a word each component of the word belongs to. */
#if defined(LAVA_COMPLEX) && defined(LAVA_FP64)
#define ELEMENT dvec2
#define COMPONENTS uvec2(0, 0)
#define TURNED(word_) (word_)
#define PACKED(e) (e[0])
#define CONJUGATED(word_) dvec2((word_).x, -(word_).y)
#define ONE dvec2(1, 0)
#define CONJUGATE(z) dvec2((z).x, -(z).y)
const uint WORD_ELEMENTS = 1;
ELEMENT element_of(WORD word_, uint e) { return word_; }
#elif defined(LAVA_COMPLEX)
#define ELEMENT vec2
#define COMPONENTS uvec4(0, 0, 1, 1)
#define TURNED(word_) (word_).zwxy
#define PACKED(e) vec4(e[0], e[1])
#define CONJUGATED(word_) vec4((word_).x, -(word_).y, (word_).z, -(word_).w)
#define ONE vec2(1, 0)
#define CONJUGATE(z) vec2((z).x, -(z).y)
const uint WORD_ELEMENTS = 2;
ELEMENT element_of(WORD word_, uint e) { return e == 0 ? word_.xy : word_.zw; }
#elif defined(LAVA_FP64)
#define ELEMENT double
#define COMPONENTS uvec2(0, 1)
#define TURNED(word_) (word_).yx
#define PACKED(e) dvec2(e[0], e[1])
#define CONJUGATED(word_) (word_)
#define ONE 1
#define CONJUGATE(z) (z)
const uint WORD_ELEMENTS = 2;
ELEMENT element_of(WORD word_, uint e) { return word_[e]; }
#else
#define ELEMENT float
#define COMPONENTS uvec4(0, 1, 2, 3)
#define TURNED(word_) (word_).wzyx
#define PACKED(e) vec4(e[0], e[1], e[2], e[3])
#define CONJUGATED(word_) (word_)
#define ONE 1
#define CONJUGATE(z) (z)
const uint WORD_ELEMENTS = 4;
ELEMENT element_of(WORD word_, uint e) { return word_[e]; }
#endif

const uint ELEMENT_BYTES = 16 / WORD_ELEMENTS;
layout(buffer_reference, std430, buffer_reference_align = NUMBER_BYTES) readonly buffer Source { ELEMENT element; };
layout(buffer_reference, std430, buffer_reference_align = NUMBER_BYTES) buffer Target { ELEMENT element; };

/* Biased exponents. Values of doubles are not compared: common.glsl, IS_ZERO. */
#ifdef LAVA_FP64
const uint BIAS = 1023, EXPONENT_MAX = 0x7ff;
uint exponent_of(NUMBER number) { return unpackDouble2x32(number).y >> 20 & EXPONENT_MAX; }
NUMBER power_of_two(uint biased) { return packDouble2x32(uvec2(0, biased << 20)); }
bool is_zero(NUMBER number)
{
    uvec2 bits = unpackDouble2x32(number);
    return (bits.y << 1 | bits.x) == 0;
}
#else
const uint BIAS = 127, EXPONENT_MAX = 0xff;
uint exponent_of(NUMBER number) { return floatBitsToUint(number) >> 23 & EXPONENT_MAX; }
NUMBER power_of_two(uint biased) { return uintBitsToFloat(biased << 23); }
bool is_zero(NUMBER number) { return floatBitsToUint(number) << 1 == 0; }
#endif

/* If subnormals may be flushed, an operation may lose the smallest normal number. For numbers below 2^10 / u times
 * that, such losses are not small: no pivot, root or norm may be below it. A zero may be a number that was flushed. */
#ifdef LAVA_FP64
const uint LEAST_EXPONENT = BIAS - LAVA_LEAST_EXPONENT_FP64;
#else
const uint LEAST_EXPONENT = BIAS - LAVA_LEAST_EXPONENT;
#endif
layout(constant_id = LAVA_CONSTANT_DENORMAL) const bool KEEPS_SUBNORMALS = false;
bool is_too_small(uint exponent) { return !KEEPS_SUBNORMALS && exponent < LEAST_EXPONENT; }

/* Whether a number, or each part of one, is finite; and z + a b. */
bool is_finite(NUMBER number) { return exponent_of(number) < EXPONENT_MAX; }
#ifdef LAVA_COMPLEX
bool is_finite(ELEMENT z) { return max(exponent_of(z.x), exponent_of(z.y)) < EXPONENT_MAX; }
ELEMENT add_product(ELEMENT a, ELEMENT b, ELEMENT z)
{
    return ELEMENT(fma(a.x, b.x, fma(-a.y, b.y, z.x)), fma(a.x, b.y, fma(a.y, b.x, z.y)));
}
#else
ELEMENT add_product(ELEMENT a, ELEMENT b, ELEMENT z) { return fma(a, b, z); }
#endif

/* A better approximation of the reciprocal of d than `near`: a driver's may be wrong by more than its last place. */
NUMBER better_reciprocal(NUMBER d, NUMBER near)
{
    NUMBER error = fma(-d, near, NUMBER(1));
    return is_finite(error) ? fma(error, near, near) : near;
}

/* The same for a square root. The remainder is small, unless it is that of Inf or has underflowed. */
NUMBER better_root(NUMBER square, NUMBER near)
{
    NUMBER remainder = fma(-near, near, square);
    bool is_small = exponent_of(remainder) + 8 < exponent_of(square);
    return is_small ? fma(remainder * NUMBER(0.5), 1 / near, near) : near;
}
