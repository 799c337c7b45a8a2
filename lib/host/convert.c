/* Converts half precision to and from fp32. Called by lib/host/half for operands and results of products on
 * the CPU, and by the engine's write-back.
 *
 * Invariant: the vector instructions and the plain C give the same bits. Rounding is done on the bits as
 * integers, or by instructions that name their rounding, so the caller's rounding mode does not matter. */
#include "lib/host/convert.h"

#include <string.h>

#include "lib/host/processor.h"

#if defined(__x86_64__) || defined(__i386__)
#    include <immintrin.h>
#    define HAVE_X86 1
#else
#    define HAVE_X86 0
#endif

/* fp32: infinity (larger bit patterns, without the sign, are NaN), and the bit that makes a NaN quiet. */
#define INFINITY_BITS 0x7f800000u
#define QUIET_BIT     0x00400000u
/* fp16: infinity, and the smallest normal number. */
#define FP16_INFINITY   0x7c00u
#define FP16_MIN_NORMAL 0x0400u
/* fp32 values: 2^-14, the smallest normal fp16, and 65520, the first that rounds to infinity (halfway beyond
 * 65504). */
#define MIN_NORMAL_BITS 0x38800000u
#define OVERFLOW_BITS   0x477ff000u
/* The exponent biases differ by 127 - 15, shifted to fp32's exponent position. */
#define BIAS_BITS (112u << 23)

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float value_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float fp16_to_fp32(uint16_t half) {
    uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
    if (magnitude > FP16_INFINITY)
        return value_of(sign | INFINITY_BITS | QUIET_BIT | magnitude << 13);
    if (magnitude == FP16_INFINITY)
        return value_of(sign | INFINITY_BITS);
    if (magnitude >= FP16_MIN_NORMAL)
        return value_of(sign | ((magnitude << 13) + BIAS_BITS));
    return value_of(sign | bits_of((float)magnitude * 0x1p-24f)); /* exact, and normal in fp32 */
}

static uint16_t fp16_from_fp32(float value) {
    uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffu;
    uint32_t sign = bits >> 16 & 0x8000u, rounded;
    if (magnitude > INFINITY_BITS) {
        rounded = FP16_INFINITY | 0x0200u | (magnitude >> 13 & 0x03ffu);
    } else if (magnitude >= OVERFLOW_BITS) {
        rounded = FP16_INFINITY;
    } else if (magnitude >= MIN_NORMAL_BITS) {
        rounded = (magnitude - BIAS_BITS + 0x0fffu + (magnitude >> 13 & 1)) >> 13;
    } else if (magnitude >> 23 < 102) {
        rounded = 0; /* below 2^-25, half of the smallest subnormal number */
    } else {
        uint32_t significand = (magnitude & 0x007fffffu) | 0x00800000u, shift = 126 - (magnitude >> 23);
        rounded = (significand + (1u << (shift - 1)) - 1 + (significand >> shift & 1)) >> shift;
    }
    return (uint16_t)(sign | rounded);
}

/* Branch-free and inlined into both callers, so that each copy is vectorized for its own instruction set. */
static inline __attribute__((always_inline)) void bf16_to_fp32(const uint16_t *restrict source,
                                                               float *restrict target, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)source[i] << 16;
        memcpy(&target[i], &bits, sizeof bits);
    }
}

static inline __attribute__((always_inline)) void bf16_from_fp32(const float *restrict source,
                                                                 uint16_t *restrict target, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &source[i], sizeof bits);
        uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16, quiet = (bits | QUIET_BIT) >> 16;
        target[i] = (uint16_t)((bits & 0x7fffffffu) > INFINITY_BITS ? quiet : rounded);
    }
}

void lava_convert_to_fp32_portable(enum lava_type type, const uint16_t *source, float *target, size_t count) {
    if (type == LAVA_TYPE_BF16)
        bf16_to_fp32(source, target, count);
    else
        for (size_t i = 0; i < count; i++)
            target[i] = fp16_to_fp32(source[i]);
}

void lava_convert_from_fp32_portable(enum lava_type type, const float *source, uint16_t *target,
                                     size_t count) {
    if (type == LAVA_TYPE_BF16)
        bf16_from_fp32(source, target, count);
    else
        for (size_t i = 0; i < count; i++)
            target[i] = fp16_from_fp32(source[i]);
}

#if HAVE_X86
__attribute__((target("avx2,f16c"))) static void to_fp32_avx2(enum lava_type type, const uint16_t *source,
                                                              float *target, size_t count) {
    size_t i = 0;
    if (type == LAVA_TYPE_BF16) {
        bf16_to_fp32(source, target, count);
        return;
    }
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(target + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(source + i))));
    for (; i < count; i++)
        target[i] = fp16_to_fp32(source[i]);
}

__attribute__((target("avx2,f16c"))) static void from_fp32_avx2(enum lava_type type, const float *source,
                                                                uint16_t *target, size_t count) {
    size_t i = 0;
    if (type == LAVA_TYPE_BF16) {
        bf16_from_fp32(source, target, count);
        return;
    }
    for (; i + 8 <= count; i += 8)
        _mm_storeu_si128((__m128i *)(target + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(source + i), _MM_FROUND_TO_NEAREST_INT));
    for (; i < count; i++)
        target[i] = fp16_from_fp32(source[i]);
}
#endif

void lava_convert_to_fp32(enum lava_type type, const uint16_t *source, float *target, size_t count) {
#if HAVE_X86
    if (lava_processor_has_f16c()) {
        to_fp32_avx2(type, source, target, count);
        return;
    }
#endif
    lava_convert_to_fp32_portable(type, source, target, count);
}

void lava_convert_from_fp32(enum lava_type type, const float *source, uint16_t *target, size_t count) {
#if HAVE_X86
    if (lava_processor_has_f16c()) {
        from_fp32_avx2(type, source, target, count);
        return;
    }
#endif
    lava_convert_from_fp32_portable(type, source, target, count);
}
