/* The rows of the table of schemes. Read by kernels.c, whose rows name one each, by lib/vk/pipelines.c,
 * lib/product/stages.c and lib/offload/self_test.c, and by perf/accuracy. Invariant: a precision admits a
 * scheme only if perf/accuracy finds that it meets that precision's error bound on every kind of data. */
#include "dispatch/schemes.h"

#define FP32_BIAS 127

// clang-format off
/* Exponent limits. bf16's three planes represent an element of 2^-103 or more without subnormal planes (the
 * limit leaves one binade of margin). If the sum of two exponents is -96 or more, the loss among subnormal
 * sums, on units that flush them, is below u / 8. 2^127 could round up to Inf. fp16's planes represent 2^-14
 * to 2^15. */
static const struct lava_scheme_row table[LAVA_SCHEME_COUNT] = {
    /* row                      name          type            planes  levels  shift  span_k  screened  least  most  sum  least_k  standard   fast       units */
    [LAVA_SCHEME_NONE]       = {"fp32",       LAVA_TYPE_FP32,      0,      0,     0,      0,    false,     0,    0,   0,       1,     true,  true,          0},
    [LAVA_SCHEME_BF16X3]     = {"bf16x3",     LAVA_TYPE_BF16,      3,      2,     0,   1024,     true,  -102,  126, -96,     128,     true,  true,          1},
    [LAVA_SCHEME_BF16X3_ALL] = {"bf16x3_all", LAVA_TYPE_BF16,      3,      4,     0,   1024,     true,  -102,  126, -96,     128,    false, false,          0},
    [LAVA_SCHEME_FP16X3]     = {"fp16x3",     LAVA_TYPE_FP16,      3,      2,    11,   1024,     true,   -14,   14, -96,     128,    false,  true,          1},
    [LAVA_SCHEME_FP16X2]     = {"fp16x2",     LAVA_TYPE_FP16,      2,      1,    11,   1024,     true,   -12,   14, -96,     128,    false, false,          8},
    [LAVA_SCHEME_FP16X2_ALL] = {"fp16x2_all", LAVA_TYPE_FP16,      2,      2,    11,   1024,     true,   -12,   14, -96,     128,    false, false,          4},
    [LAVA_SCHEME_BF16X1]     = {"bf16x1",     LAVA_TYPE_BF16,      1,      0,     0,      0,    false,     0,    0,   0,       1,    false,  true,  0x1.02p17},
};
// clang-format on

const struct lava_scheme_row *lava_scheme(enum lava_scheme scheme) {
    return &table[scheme];
}

/* Limits for which the sum of k products, each below 2^(a + b + 2), stays below 2^126. */
struct lava_screen_limits lava_scheme_limits(const struct lava_scheme_row *row, int64_t k) {
    int most_sum = 124;
    for (int64_t power = 1; power < k; power *= 2)
        most_sum--;
    return (struct lava_screen_limits){.least = (uint32_t)(row->least_exponent + FP32_BIAS),
                                       .most = (uint32_t)(row->most_exponent + FP32_BIAS),
                                       .least_sum = (uint32_t)(row->least_sum + 2 * FP32_BIAS),
                                       .most_sum = (uint32_t)(most_sum + 2 * FP32_BIAS)};
}

bool lava_scheme_serves(const struct lava_scheme_row *row, const struct lava_operation *operation) {
    if (row->planes == 0)
        return true;
    if (lava_type_real(operation->type) != LAVA_TYPE_FP32 || operation->k < row->least_k)
        return false;
    return operation->precision == LAVA_PRECISION_FAST
               ? row->fast
               : operation->precision == LAVA_PRECISION_STANDARD && row->standard;
}
