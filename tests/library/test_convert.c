/* Conversions of half precision, compared with arithmetic in double precision: every 16-bit value to fp32,
 * and from fp32 every case where rounding decides. With vector instructions and in plain C, in every rounding
 * mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lib/host/convert.h"
#include "lib/host/processor.h"

#if defined(__SSE__)
#    include <xmmintrin.h>
#endif

/* fraction bits, exponent of the smallest normal number, exponent of the power of two that overflows */
static const struct format {
    enum lava_type type;
    int fraction, min_exponent, end_exponent;
} formats[] = {{LAVA_TYPE_FP16, 10, -14, 16}, {LAVA_TYPE_BF16, 7, -126, 128}};

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

static uint16_t infinity_of(const struct format *format) {
    return (uint16_t)(0x7fff >> format->fraction << format->fraction);
}

/* The value of a finite 16-bit pattern by the definition of its format. */
static double expected_value(const struct format *format, uint16_t half) {
    int exponent = (half & 0x7fff) >> format->fraction, fraction = half & ((1 << format->fraction) - 1);
    int scale = exponent ? exponent - 1 : 0; /* exponent 0 is subnormal: no hidden bit */
    int significand = exponent ? fraction | 1 << format->fraction : fraction;
    double magnitude = ldexp(significand, scale + format->min_exponent - format->fraction);
    return half & 0x8000 ? -magnitude : magnitude;
}

/* The nearest finite value or infinity, ties to even, by one rounding of a double. */
static double expected_rounding(const struct format *format, double value) {
    int exponent;
    frexp(value, &exponent); /* value = f 2^exponent, 0.5 <= |f| < 1 */
    exponent = exponent - 1 < format->min_exponent ? format->min_exponent : exponent - 1;
    double spacing = ldexp(1, exponent - format->fraction), rounded = nearbyint(value / spacing) * spacing;
    return fabs(rounded) >= ldexp(1, format->end_exponent) ? copysign(INFINITY, value) : rounded;
}

static void every_value_to_fp32(void **state) {
    static uint16_t all[65536];
    static float fast[65536], plain[65536];
    (void)state;
    for (int i = 0; i < 65536; i++)
        all[i] = (uint16_t)i;
    for (size_t f = 0; f < 2; f++) {
        const struct format *format = &formats[f];
        lava_convert_to_fp32(format->type, all, fast, 65536);
        lava_convert_to_fp32_portable(format->type, all, plain, 65536);
        assert_memory_equal(fast, plain, sizeof fast);
        for (int i = 0; i < 65536; i++) {
            int magnitude = i & 0x7fff, infinity = infinity_of(format);
            if (magnitude > infinity)
                assert_true(isnan(fast[i]) && (bits_of(fast[i]) >> 31) == (uint32_t)i >> 15);
            else if (magnitude == infinity)
                assert_true(isinf(fast[i]) && (fast[i] < 0) == (i >= 0x8000));
            else
                assert_true((double)fast[i] == expected_value(format, (uint16_t)i) &&
                            !signbit(fast[i]) == (i < 0x8000));
        }
    }
}

/* A round trip changes nothing, except that a NaN becomes quiet. */
static void every_value_returns(void **state) {
    static uint16_t all[65536], back[65536];
    static float wide[65536];
    (void)state;
    for (int i = 0; i < 65536; i++)
        all[i] = (uint16_t)i;
    for (size_t f = 0; f < 2; f++) {
        int quiet = 1 << (formats[f].fraction - 1);
        lava_convert_to_fp32(formats[f].type, all, wide, 65536);
        lava_convert_from_fp32(formats[f].type, wide, back, 65536);
        for (int i = 0; i < 65536; i++) {
            bool is_nan = (i & 0x7fff) > infinity_of(&formats[f]);
            assert_int_equal(back[i], is_nan ? i | quiet : i);
        }
    }
}

static void check_roundings(const struct format *format, const float *values, size_t count) {
    static uint16_t fast[65536], plain[65536];
    static float back[65536];
    lava_convert_from_fp32(format->type, values, fast, count);
    lava_convert_from_fp32_portable(format->type, values, plain, count);
    assert_memory_equal(fast, plain, count * sizeof *fast);
    lava_convert_to_fp32(format->type, fast, back, count);
    for (size_t i = 0; i < count; i++) {
        int sign = (int)(bits_of(values[i]) >> 31);
        assert_int_equal(fast[i] >> 15, sign);
        if (isnan(values[i])) {
            uint32_t payload = (bits_of(values[i]) & 0x7fffff) >> (23 - format->fraction);
            uint32_t quiet = 1u << (format->fraction - 1);
            assert_int_equal(fast[i] & 0x7fff, infinity_of(format) | payload | quiet);
        } else if ((double)back[i] != expected_rounding(format, (double)values[i])) {
            fail_msg("type %s: %a (%08x) became %a", lava_type_name(format->type), (double)values[i],
                     (unsigned)bits_of(values[i]), (double)back[i]);
        }
    }
}

/* For every choice of the remaining bits, the dropped bits are zero, nonzero, and about a half. */
static void every_rounding_from_fp32(void **state) {
    static float values[65536];
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        uint32_t dropped = 23u - (uint32_t)formats[f].fraction, half = 1u << (dropped - 1);
        const uint32_t tails[] = {0, 1, half - 1, half, half + 1, 2 * half - 1};
        for (size_t t = 0; t < sizeof tails / sizeof tails[0]; t++)
            for (uint32_t head = 0; head < 1u << (32 - dropped); head += 65536) {
                for (uint32_t i = 0; i < 65536; i++)
                    values[i] = value_of((head + i) << dropped | tails[t]);
                check_roundings(&formats[f], values, 65536);
            }
    }
}

static void edges(void **state) {
    static const struct {
        float value;
        uint16_t fp16;
    } cases[] = {
        {0.0f, 0},
        {-0.0f, 0x8000},
        {1, 0x3c00},
        {65504, 0x7bff},
        {65519.996f, 0x7bff},
        {65520, 0x7c00},
        {-65520, 0xfc00},
        {INFINITY, 0x7c00},
        {0x1p-14f, 0x0400},
        {0x1p-24f, 1},
        {0x1p-25f, 0},
        {0x1.000002p-25f, 1},
        {0x1.8p-24f, 2},
        {0x1.ff8p-15f, 0x03ff},
        {0x1.ffap-15f, 0x03ff},
        {0x1.ffcp-15f, 0x0400},
        {0x1p-149f, 0},
        {2049, 0x6800},
        {2051, 0x6802},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint16_t half;
        lava_convert_from_fp32(LAVA_TYPE_FP16, &cases[i].value, &half, 1);
        assert_int_equal(half, cases[i].fp16);
    }
}

/* Also in a program that has changed its rounding mode or flushes subnormal numbers. */
static void no_mode_matters(void **state) {
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
    static float values[4096], wide[2][4096];
    static uint16_t narrow[2][4096];
    (void)state;
    for (uint32_t i = 0; i < 4096; i++)
        values[i] = value_of(i * 0x00100801u);
    for (size_t f = 0; f < 2; f++) {
        lava_convert_from_fp32(formats[f].type, values, narrow[0], 4096);
        lava_convert_to_fp32(formats[f].type, narrow[0], wide[0], 4096);
        for (size_t mode = 0; mode < 4; mode++) {
            fesetround(modes[mode]);
#if defined(__SSE__)
            /* flush subnormal results and treat subnormal operands as zero */
            _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
            lava_convert_from_fp32(formats[f].type, values, narrow[1], 4096);
            lava_convert_to_fp32(formats[f].type, narrow[1], wide[1], 4096);
            fesetenv(FE_DFL_ENV);
            assert_memory_equal(narrow[0], narrow[1], sizeof narrow[0]);
            assert_memory_equal(wide[0], wide[1], sizeof wide[0]);
        }
    }
}

/* Any length and alignment; nothing beyond is written. */
static void lengths(void **state) {
    uint16_t narrow[80], back[80];
    float wide[80];
    (void)state;
    for (uint16_t i = 0; i < 80; i++)
        narrow[i] = (uint16_t)(0x3c00 + i);
    for (size_t f = 0; f < 2; f++)
        for (size_t start = 0; start < 9; start++)
            for (size_t count = 0; count < 60; count++) {
                memset(wide, 0xff, sizeof wide);
                memset(back, 0xff, sizeof back);
                lava_convert_to_fp32(formats[f].type, narrow + start, wide + start, count);
                lava_convert_from_fp32(formats[f].type, wide + start, back + start, count);
                for (size_t i = 0; i < 80; i++) {
                    bool inside = i >= start && i < start + count;
                    assert_int_equal(back[i], inside ? narrow[i] : 0xffff);
                    assert_true(inside || bits_of(wide[i]) == 0xffffffffu);
                }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_to_fp32),      cmocka_unit_test(every_value_returns),
        cmocka_unit_test(every_rounding_from_fp32), cmocka_unit_test(edges),
        cmocka_unit_test(no_mode_matters),          cmocka_unit_test(lengths),
    };
    print_message("fp16 by %s\n", lava_processor_has_f16c() ? "F16C" : "plain C");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
