/* The kernels that put elements together for dgemm by residues (shaders/residues_combine*.comp): bits of
 * results beside what the CPU computes, in numbers of 128 bits and in fp64. Sums, scales, C, alpha and beta
 * are made up: products next to ties, subnormal results, overflow, Inf, NaN and signed zeros. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/residues.h"
#include "lib/vk/pipelines.h"
#include "lib/vk/queue.h"
#include "perf/residues/model.h"
#include "tests/robustness/device_test.h"

#include "shaders/residues.h"

#define TIMEOUT_NS 60000000000ull

enum { TILE = 64, ROWS = 61, COLUMNS = 58, LD = 67, ELEMENTS = TILE * TILE };
enum { COMBINE_FP64, COMBINE_INTEGERS, COMBINE_COUNT };
static const uint64_t untouched = 0x7ff4dead0000beefu;

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static struct {
    struct lava_device *device;
    const struct lava_pipeline *pipelines[COMBINE_COUNT]; /* NULL: the device has no fp64 */
    struct lava_buffer sums, lines, numbers[COMBINE_COUNT], c[COMBINE_COUNT];
    struct lava_residues residues;
    wide limit; /* of |c| */
    wide products[ELEMENTS];
    int scales[2][TILE];
    double alpha, beta, old[LD * COLUMNS];
    uint64_t state;
} test;

static uint64_t random_bits(void) {
    test.state ^= test.state << 13;
    test.state ^= test.state >> 7;
    test.state ^= test.state << 17;
    return test.state * UINT64_C(0x2545f4914f6cdd1d);
}

static int below(int limit) {
    return (int)(random_bits() >> 33) % limit;
}

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double number_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double random_number(void) {
    return ((double)(random_bits() >> 11) - 0x1p52) * 0x1p-52;
}

/* Numbers to be rounded: any, the largest, and those halfway between two doubles, or beside. */
static wide random_product(void) {
    int length = 1 + below(118), kind = below(8);
    unsigned_wide size = ((unsigned_wide)random_bits() << 64 | random_bits()) >> (128 - length);
    if (kind == 0)
        size = (unsigned_wide)(test.limit - below(3));
    if (kind == 1)
        size = (unsigned_wide)below(3);
    if (kind == 2)
        size = ((unsigned_wide)1 << (length - 1)) - (unsigned_wide)below(2);
    if (kind >= 3 && kind < 7 && length > 54) {
        unsigned_wide half = (unsigned_wide)1 << (length - 54);
        size = ((UINT64_C(1) << 52 | random_bits() >> 12) * 2 + 1) * half;
        size = kind == 4 ? size + 1 : kind == 5 ? size - 1 : size;
        if (kind == 6)
            size += random_bits() >> 52;
    }
    size %= (unsigned_wide)test.limit + 1;
    return random_bits() & 1 ? (wide)size : -(wide)size;
}

/* A sum whose residue is the product's. */
static int32_t random_sum(wide product, uint32_t modulus) {
    int32_t residue = (int32_t)(product % (wide)modulus);
    return residue + (int32_t)modulus * (below(1 << 22) - (1 << 21));
}

static void make_sums(void) {
    int32_t *sums = test.sums.mapped;
    for (int e = 0; e < ELEMENTS; e++)
        test.products[e] = random_product();
    for (uint32_t i = 0; i < test.residues.count; i++)
        for (int e = 0; e < ELEMENTS; e++)
            sums[i * ELEMENTS + (uint32_t)e] = random_sum(test.products[e], lava_residues_modulus(i));
}

/* Lines with exponents up to the greatest allowed, or close to 0; all lines are exact for the screen. */
static void make_lines(bool far) {
    uint32_t *words = test.lines.mapped;
    memset(words, 0, test.lines.bytes);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < TILE; i++, words += LAVA_RESIDUES_WORDS) {
            int most = far ? LAVA_RESIDUES_MOST_EXPONENT : 3;
            words[LAVA_RESIDUES_GREATEST] = (uint32_t)(1023 - most + below(2 * most + 1));
            words[LAVA_RESIDUES_SQUARES] = 4096u + (uint32_t)(random_bits() >> (33 + below(18)));
            test.scales[side][i] = lava_residues_scale(&test.residues, words[LAVA_RESIDUES_GREATEST],
                                                       words[LAVA_RESIDUES_SQUARES]);
        }
}

/* The product of a row and a column, rounded. */
static double rounded_product(int row, int column) {
    return ldexp((double)test.products[column * TILE + row], -test.scales[0][row] - test.scales[1][column]);
}

/* Returns a number of any kind, or one whose sum with the product is next to a tie, or cancels. */
static double random_old(int row, int column) {
    volatile double product = test.alpha * rounded_product(row, column);
    static const double special[] = {0,       -0.0,     INFINITY, -INFINITY, NAN,
                                     DBL_MAX, -DBL_MAX, DBL_MIN,  0x1p-1074};
    bool usual = isfinite(product) && product != 0;
    switch (below(8)) {
    case 0:
        return special[below(sizeof special / sizeof special[0])];
    case 1:
        return number_of(random_bits());
    case 2:
        return usual ? -product / (test.beta != 0 ? test.beta : 1) : 1;
    case 3:
        return usual ? copysign(ldexp(1, ilogb(product) - 51 - below(4)), random_number()) : -1;
    case 4:
        return usual ? ldexp(random_number(), ilogb(product) - 60 + below(120)) : 2;
    case 5:
        return ldexp(random_number(), -1022 - below(52));
    default:
        return random_number();
    }
}

static void make_old(void) {
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < LD; r++)
            test.old[c * LD + r] = r < ROWS ? random_old(r, c) : number_of(untouched);
    for (int i = 0; i < COMBINE_COUNT; i++)
        memcpy(test.c[i].mapped, test.old, sizeof test.old);
}

static void run(void) {
    struct lava_commands commands;
    struct lava_point done;
    assert_int_equal(lava_queue_begin(test.device, LAVA_ROLE_COMPUTE, &commands), LAVA_OK);
    for (int i = 0; i < COMBINE_COUNT; i++) {
        const uint64_t lines = test.lines.address, each = LAVA_RESIDUES_WORDS * 4;
        const struct lava_residues_constants constants = {.source = test.sums.address,
                                                          .other = test.numbers[i].address,
                                                          .target = test.c[i].address,
                                                          .lines_a = lines,
                                                          .lines_b = lines + TILE * each,
                                                          .panels_a = lines + 2 * TILE * each,
                                                          .panels_b = lines + 2 * TILE * each,
                                                          .alpha_fp64 = bits_of(test.alpha),
                                                          .beta_fp64 = bits_of(test.beta),
                                                          .lines = ROWS,
                                                          .columns = COLUMNS,
                                                          .ld = LD,
                                                          .padded_lines = TILE,
                                                          .limit = test.residues.limit,
                                                          .limit_exponent = test.residues.limit_exponent,
                                                          .count = test.residues.count};
        if (test.pipelines[i])
            lava_queue_dispatch(test.device, &commands, test.pipelines[i], &constants, sizeof constants, 1,
                                TILE / LAVA_RESIDUES_COLUMNS);
    }
    lava_queue_barrier(test.device, &commands);
    assert_int_equal(lava_queue_submit(test.device, &commands, NULL, 0, &done), LAVA_OK);
    assert_int_equal(lava_queue_wait(test.device, done, TIMEOUT_NS), LAVA_OK);
}

/* Subnormal, or rounded from there to the least normal number. */
static bool is_subnormal(double x) {
    return x != 0 && fabs(x) <= DBL_MIN;
}

/* Whether the device's own fp64 arithmetic need not keep subnormal numbers here. */
static bool may_flush(double product, double old, double result) {
    return is_subnormal(test.alpha) || is_subnormal(test.beta) || is_subnormal(product) ||
           is_subnormal(old) || is_subnormal(test.beta * old) || is_subnormal(result);
}

static void check(int which, int row, int column, double wanted, double old) {
    const double *c = test.c[which].mapped;
    double got = c[column * LD + row];
    if (bits_of(got) == bits_of(wanted) || (isnan(got) && isnan(wanted)))
        return;
    print_error("%s: C(%d, %d) is %a, not %a: alpha %a, product %a, beta %a, C before %a, %u moduli\n",
                which == COMBINE_FP64 ? "fp64" : "integers", row, column, got, wanted, test.alpha,
                rounded_product(row, column), test.beta, old, test.residues.count);
    fail();
}

static void check_model(int row, int column) {
    uint32_t reduced[LAVA_RESIDUES_MOST];
    wide product = test.products[column * TILE + row];
    for (uint32_t i = 0; i < test.residues.count; i++) {
        int32_t modulus = (int32_t)lava_residues_modulus(i), rest = (int32_t)(product % modulus);
        reduced[i] = (uint32_t)(rest < 0 ? rest + modulus : rest);
    }
    assert_true(model_combine(&test.residues, reduced, test.scales[0][row] + test.scales[1][column]) ==
                rounded_product(row, column));
}

static void check_all(void) {
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < LD; r++) {
            if (r >= ROWS) {
                for (int i = 0; i < COMBINE_COUNT; i++)
                    assert_true(((const uint64_t *)test.c[i].mapped)[c * LD + r] == untouched);
                continue;
            }
            double old = test.old[c * LD + r];
            volatile double product = test.alpha * rounded_product(r, c), added = test.beta * old;
            double wanted = test.beta == 0 ? product : product + added;
            check_model(r, c);
            check(COMBINE_INTEGERS, r, c, wanted, old);
            if (test.pipelines[COMBINE_FP64] && !may_flush(product, test.beta == 0 ? 0 : old, wanted))
                check(COMBINE_FP64, r, c, wanted, old);
        }
}

static void prepare(uint32_t count) {
    unsigned_wide product = 1;
    struct lava_residues_integers integers;
    double *numbers = test.numbers[COMBINE_FP64].mapped;
    lava_residues_prepare(count, &test.residues);
    lava_residues_prepare_integers(count, &integers);
    memcpy(test.numbers[COMBINE_INTEGERS].mapped, &integers, sizeof integers);
    memcpy(numbers, test.residues.weights, sizeof test.residues.weights);
    memcpy(numbers + LAVA_RESIDUES_MOST * LAVA_RESIDUES_PARTS, test.residues.product,
           sizeof test.residues.product);
    numbers[(LAVA_RESIDUES_MOST + 1) * LAVA_RESIDUES_PARTS] = test.residues.inverse;
    for (uint32_t i = 0; i < count; i++)
        product *= lava_residues_modulus(i);
    test.limit = (wide)(product / 2 - (product >> 20));
}

static void combine(double alpha, double beta, bool far) {
    test.alpha = alpha;
    test.beta = beta;
    make_sums();
    make_lines(far);
    make_old();
    run();
    check_all();
}

/* Every alpha with every beta. */
static void test_scalars(void **state) {
    (void)state;
    const double values[] = {0,
                             -0.0,
                             1,
                             -1,
                             random_number(),
                             ldexp(random_number(), 900),
                             -0x1.8p-1000,
                             0x1p-1074,
                             -DBL_MIN,
                             DBL_MAX,
                             NAN,
                             INFINITY,
                             -INFINITY};
    enum { COUNT = sizeof values / sizeof values[0] };
    prepare(LAVA_RESIDUES_STANDARD);
    for (int i = 0; i < COUNT * COUNT; i++)
        combine(values[i % COUNT], values[i / COUNT], i % 2);
}

/* Results on both sides of the limits of normal numbers: alpha makes up for the scales. */
static void test_limits(void **state) {
    (void)state;
    prepare(LAVA_RESIDUES_STANDARD);
    for (int i = 0; i < 20; i++) {
        combine(ldexp(random_number(), -1040), 1, false);
        combine(ldexp(0.5, -1000 - 3 * i), -0x1p-40, false);
        combine(ldexp(random_number(), 1020), 0x1p1023, false);
    }
}

static void test_moduli(void **state) {
    (void)state;
    for (uint32_t count = LAVA_RESIDUES_LEAST; count <= LAVA_RESIDUES_MOST; count++) {
        prepare(count);
        combine(1, 0, true);
        combine(random_number(), 1, false);
    }
}

static void allocate(struct lava_buffer *buffer, uint64_t bytes) {
    assert_int_equal(lava_memory_allocate(test.device, LAVA_MEMORY_STAGING, bytes, buffer), LAVA_OK);
    memset(buffer->mapped, 0, bytes);
}

static enum lava_status get(enum lava_module module, const uint32_t constants[LAVA_CONSTANT_COUNT],
                            const struct lava_pipeline **pipeline) {
    struct lava_pipeline_specification specification = {.module = module};
    memcpy(specification.constants, constants, sizeof specification.constants);
    return lava_pipelines_get(test.device, &specification, pipeline);
}

static int open_device(void **state) {
    (void)state;
    static const enum lava_module modules[COMBINE_COUNT] = {LAVA_MODULE_RESIDUES_COMBINE,
                                                            LAVA_MODULE_RESIDUES_COMBINE_INTEGERS};
    uint32_t constants[LAVA_CONSTANT_COUNT] = {[LAVA_CONSTANT_TILE_M] = TILE, [LAVA_CONSTANT_TILE_N] = TILE};
    const char *why;
    setenv("LAVABLAS_DEVICE", "cpu", 0);
    test.state = device_test_seed() * UINT64_C(0x9e3779b97f4a7c15) | 1;
    assert_int_equal(lava_gpu_open(lava_config_get(), &test.device, &why), LAVA_OK);
    for (int i = 0; i < COMBINE_COUNT; i++) {
        allocate(&test.numbers[i], sizeof(struct lava_residues) + sizeof(struct lava_residues_integers));
        allocate(&test.c[i], sizeof test.old);
        if (i == COMBINE_INTEGERS || test.device->capabilities.fp64)
            assert_int_equal(get(modules[i], constants, &test.pipelines[i]), LAVA_OK);
    }
    allocate(&test.sums, (uint64_t)LAVA_RESIDUES_MOST * ELEMENTS * 4);
    allocate(&test.lines, (uint64_t)(2 * TILE + 1) * LAVA_RESIDUES_WORDS * 4);
    return 0;
}

static int close_device(void **state) {
    (void)state;
    struct lava_buffer *buffers[] = {&test.sums,       &test.lines, &test.numbers[0],
                                     &test.numbers[1], &test.c[0],  &test.c[1]};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        lava_memory_free(test.device, buffers[i]);
    lava_gpu_close(test.device);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scalars), cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_moduli)};
    if (!lava_modules_has(LAVA_MODULE_RESIDUES_DOT)) { /* the device computes nothing so, and an older glslc
                                                          rounds otherwise */
        puts("skipped: this glslc has no GL_EXT_integer_dot_product");
        return 77;
    }
    return cmocka_run_group_tests(tests, open_device, close_device);
}
