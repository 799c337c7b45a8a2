/* schemes.c: what each scheme's planes represent and leave out, tested by splitting numbers as the shader
 * does; the limits for screening; and the precisions that admit each scheme. */
#include "devices.h"

#include <math.h>

#include "dispatch/schemes.h"
#include "tests/worst_error.h"

#define PLANES_MAX 3 /* as in multiply_planes.comp */
#define U          0x1p-24

/* Expected values, stated independently: the products of planes that are added, the precisions that admit the
 * scheme, and the minimum K. */
static const struct {
    unsigned products;
    bool admitted[LAVA_PRECISION_COUNT];
    int64_t least_k;
} expected[LAVA_SCHEME_COUNT] = {
    [LAVA_SCHEME_NONE] = {0, {true, true, true}, 1},
    [LAVA_SCHEME_BF16X3] = {6, {[LAVA_PRECISION_STANDARD] = true, [LAVA_PRECISION_FAST] = true}, 128},
    [LAVA_SCHEME_BF16X3_ALL] = {9, {false}, 128},
    [LAVA_SCHEME_FP16X3] = {6, {[LAVA_PRECISION_FAST] = true}, 128},
    [LAVA_SCHEME_FP16X2] = {3, {false}, 128},
    [LAVA_SCHEME_FP16X2_ALL] = {4, {false}, 128},
    [LAVA_SCHEME_BF16X1] = {1, {[LAVA_PRECISION_FAST] = true}, 1},
};

static unsigned count_products(const struct lava_scheme_row *row) {
    unsigned count = 0;
    for (uint32_t i = 0; i < row->planes; i++)
        for (uint32_t j = 0; j < row->planes; j++)
            count += i + j <= row->levels;
    return count;
}

/* A name gives the type and the number of planes, and "all" if no product is left out. */
static void test_rows_are_sound(void **state) {
    (void)state;
    for (int i = 0; i < LAVA_SCHEME_COUNT; i++) {
        const struct lava_scheme_row *row = lava_scheme((enum lava_scheme)i);
        assert_non_null(row->name);
        for (int other = 0; other < i; other++)
            assert_string_not_equal(lava_scheme((enum lava_scheme)other)->name, row->name);
        if (i == LAVA_SCHEME_NONE) {
            assert_string_equal(row->name, "fp32");
            assert_int_equal(row->planes, 0);
            assert_int_equal(row->type, LAVA_TYPE_FP32);
            assert_true(row->units <= 0);
        } else {
            char name[32];
            bool all = row->levels == 2 * (row->planes - 1) && row->planes > 1;
            snprintf(name, sizeof name, "%sx%u%s", lava_type_name(row->type), row->planes, all ? "_all" : "");
            assert_string_equal(row->name, name);
            assert_true(row->type == LAVA_TYPE_FP16 || row->type == LAVA_TYPE_BF16);
            assert_true(row->planes >= 1 && row->planes <= PLANES_MAX &&
                        row->levels <= 2 * (row->planes - 1));
        }
        /* the lower planes of bf16 have fp32's range; those of fp16 need 11 bits each */
        assert_int_equal(row->shift, row->planes > 1 && row->type == LAVA_TYPE_FP16 ? 11 : 0);
        /* several planes cannot represent every element; one plane rounds every element */
        assert_int_equal(row->screened, row->planes > 1);
        assert_int_equal(row->span_k > 0, row->planes > 1);
        assert_int_equal(row->span_k % 64, 0); /* a multiple of every depth and of steps of tile_k */
        assert_int_equal(row->least_k, expected[i].least_k);
        assert_int_equal(count_products(row), expected[i].products);
        if (!row->screened)
            assert_true(row->least_exponent == 0 && row->most_exponent == 0 && row->least_sum == 0);
    }
}

/* Rounds to the nearest number of the type, ties to even; Inf beyond its range. Sets *subnormal if the result
 * is subnormal and not 0. */
static double rounded(enum lava_type type, double x, bool *subnormal) {
    int bits = type == LAVA_TYPE_BF16 ? 8 : 11, least = type == LAVA_TYPE_BF16 ? -126 : -14, exponent;
    frexp(x, &exponent); /* x in [0.5, 1) 2^exponent */
    bool small = exponent - 1 < least;
    double spacing = ldexp(1, (small ? least : exponent - 1) - (bits - 1));
    double nearest = nearbyint(x / spacing) * spacing;
    *subnormal = fabs(nearest) > 0 && fabs(nearest) < ldexp(1, least);
    return fabs(nearest) >= ldexp(1, type == LAVA_TYPE_BF16 ? 128 : 16) ? INFINITY : nearest;
}

/* Splits as pack does. plane[i] stands for plane[i] 2^(-i shift). */
static void split(const struct lava_scheme_row *row, double x, double plane[PLANES_MAX]) {
    for (uint32_t i = 0; i < row->planes; i++) {
        bool subnormal;
        plane[i] = rounded(row->type, x, &subnormal);
        assert_true(isfinite(plane[i]));
        /* Units may flush subnormals of bf16. Schemes of fp16 need them kept, except in the first plane. */
        assert_false(subnormal && (row->type == LAVA_TYPE_BF16 || i == 0));
        x = ldexp(x - plane[i], (int)row->shift);
    }
}

/* The value of x y by the scheme's products. The sums have a few products of at most 11 bits, at most 35 bits
 * apart, so they are exact in long double. */
static long double product(const struct lava_scheme_row *row, double x, double y) {
    double a[PLANES_MAX], b[PLANES_MAX];
    long double sum = 0;
    split(row, x, a);
    split(row, y, b);
    for (uint32_t i = 0; i < row->planes; i++)
        for (uint32_t j = 0; j < row->planes && i + j <= row->levels; j++)
            sum += ldexpl((long double)a[i] * b[j], -(int)((i + j) * row->shift));
    return sum;
}

/* A random fp32 with the exponent. Two of three are slightly above a power of two, with the bits that planes
 * of bf16 or fp16 lose most of. There the error is the largest share of the product. */
static double element(uint64_t *random, int exponent) {
    uint32_t bits = (uint32_t)(random_next(random) & 0x7fffff);
    switch (random_next(random) % 3) {
    case 0:
        bits = (bits & 0x807f) | 0x7f00;
        break;
    case 1:
        bits = (bits & 0xfff) | 0x801;
        break;
    }
    return ldexp(1 + ldexp(bits, -23), exponent);
}

static double error_of(const struct lava_scheme_row *row, double x, double y) {
    long double exact = (long double)x * y;
    return (double)(fabsl(product(row, x, y) - exact) / (exact * U));
}

/* Within the limits of an element and of a sum, the error of a product is at most the table's units, and
 * nearly that much in the worst case. The table gives the next whole number, or a fiftieth more. */
static void test_units(void **state) {
    (void)state;
    uint64_t random = random_seed();
    for (int i = LAVA_SCHEME_NONE + 1; i < LAVA_SCHEME_COUNT; i++) {
        const struct lava_scheme_row *row = lava_scheme((enum lava_scheme)i);
        int least = row->screened ? row->least_exponent : -100,
            most = row->screened ? row->most_exponent : 100;
        double worst = 0;
        for (int repeat = 0; repeat < 200000; repeat++) {
            int a = least + (int)(random_next(&random) % (uint64_t)(most - least + 1));
            int ends[] = {least, most, a, a};
            int b = ends[random_next(&random) % COUNT(ends)];
            worst = (double)worst_of(worst, error_of(row, element(&random, a), element(&random, b)));
            /* the greatest number of each exponent, which rounds up */
            double largest = ldexp(2 - 0x1p-23, a);
            worst = (double)worst_of(worst, error_of(row, largest, element(&random, b)));
        }
        print_message("%-10s loses %.9g of %.9g u\n", row->name, worst, row->units);
        assert_true(worst <= row->units);
        assert_true(row->units <= fmax(ceil(worst), 1.02 * worst));
    }
}

/* One binade below the limits, a product of bf16 planes has subnormal planes, and one of two fp16 planes has
 * too large an error. One binade above, the first plane may be Inf. */
static void test_limits_of_elements(void **state) {
    (void)state;
    /* biased, by hand: -102, -14 and -12; 126 and 14 */
    static const uint32_t least_most[LAVA_SCHEME_COUNT][2] = {[LAVA_SCHEME_BF16X3] = {25, 253},
                                                              [LAVA_SCHEME_BF16X3_ALL] = {25, 253},
                                                              [LAVA_SCHEME_FP16X3] = {113, 141},
                                                              [LAVA_SCHEME_FP16X2] = {115, 141},
                                                              [LAVA_SCHEME_FP16X2_ALL] = {115, 141}};
    for (int i = 0; i < LAVA_SCHEME_COUNT; i++) {
        const struct lava_scheme_row *row = lava_scheme((enum lava_scheme)i);
        if (!row->screened)
            continue;
        struct lava_screen_limits limits = lava_scheme_limits(row, 1000);
        assert_int_equal(limits.least, least_most[i][0]);
        assert_int_equal(limits.most, least_most[i][1]);
        bool subnormal;
        double beyond = ldexp(2 - 0x1p-23, row->most_exponent + 1);
        assert_true(isinf(rounded(row->type, beyond, &subnormal)));
        assert_true(isfinite(rounded(row->type, beyond / 2, &subnormal)));
        /* exponent fields of subnormals and 0, and of Inf and NaN, are outside */
        assert_true(limits.least > 0 && limits.most < 255);
    }
}

/* The exponent field of 2^power. */
static uint32_t biased(int power) {
    float value = ldexpf(1, power);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 23;
}

/* Sums of any length stay below 2^126; with one more binade they may not. For the lower limit: a unit that
 * flushes eight sums of a product, each below the smallest normal number, loses an eighth of u. One binade
 * less, it loses more. */
static void test_limits_of_sums(void **state) {
    (void)state;
    static const int64_t lengths[] = {1,    2,    3,     4,     127,   128,     129,
                                      1024, 1025, 65535, 65536, 65537, 1 << 26, INT64_C(1) << 40};
    for (int i = 0; i < LAVA_SCHEME_COUNT; i++) {
        const struct lava_scheme_row *row = lava_scheme((enum lava_scheme)i);
        for (size_t l = 0; l < COUNT(lengths) && row->screened; l++) {
            struct lava_screen_limits limits = lava_scheme_limits(row, lengths[l]);
            int most = (int)limits.most_sum - 2 * 127, least = (int)limits.least_sum - 2 * 127;
            /* factors of a and b are below 2^(a + 1) and 2^(b + 1) */
            assert_true(ldexp((double)lengths[l], most + 2) <= 0x1p126);
            assert_true(ldexp((double)lengths[l], most + 3) > 0x1p126);
            assert_true(8 * 0x1p-126 <= U / 8 * ldexp(1, least));
            assert_true(8 * 0x1p-126 > U / 8 * ldexp(1, least - 1));
            assert_int_equal(limits.least, biased(row->least_exponent));
            assert_int_equal(limits.most, biased(row->most_exponent));
            assert_int_equal(limits.least_sum, biased(-50) + biased(-46));
        }
    }
    /* by hand: 124 + 254, less the binades of K */
    static const struct {
        int64_t k;
        uint32_t most_sum;
    } cases[] = {{1, 378}, {2, 377}, {3, 376}, {1024, 368}, {1025, 367}, {65536, 362}};
    for (size_t c = 0; c < COUNT(cases); c++)
        assert_int_equal(lava_scheme_limits(lava_scheme(LAVA_SCHEME_BF16X3), cases[c].k).most_sum,
                         cases[c].most_sum);
}

static void check_admissions(int scheme, int precision, int type) {
    static const int64_t lengths[] = {1, 2, 127, 128, 129, 100000};
    const struct lava_scheme_row *row = lava_scheme((enum lava_scheme)scheme);
    bool is_fp32 = type == LAVA_TYPE_FP32 || type == LAVA_TYPE_CFP32;
    for (size_t l = 0; l < COUNT(lengths); l++) {
        const struct lava_operation operation = {.type = (enum lava_type)type,
                                                 .m = 4096,
                                                 .n = 4096,
                                                 .k = lengths[l],
                                                 .precision = (enum lava_precision)precision};
        bool serves = scheme == LAVA_SCHEME_NONE || (is_fp32 && expected[scheme].admitted[precision] &&
                                                     lengths[l] >= expected[scheme].least_k);
        assert_int_equal(lava_scheme_serves(row, &operation), serves);
    }
}

/* The scheme without planes serves every request. Half types and fp64 are never split. */
static void test_admissions(void **state) {
    (void)state;
    for (int scheme = 0; scheme < LAVA_SCHEME_COUNT; scheme++)
        for (int precision = 0; precision < LAVA_PRECISION_COUNT; precision++)
            for (int type = 0; type < LAVA_TYPE_COUNT; type++)
                check_admissions(scheme, precision, type);
    /* a product without a precision has standard precision */
    const struct lava_operation plain = {.k = 128};
    assert_true(lava_scheme_serves(lava_scheme(LAVA_SCHEME_BF16X3), &plain));
    assert_false(lava_scheme_serves(lava_scheme(LAVA_SCHEME_BF16X1), &plain));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_sound),     cmocka_unit_test(test_units),
        cmocka_unit_test(test_limits_of_elements), cmocka_unit_test(test_limits_of_sums),
        cmocka_unit_test(test_admissions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
