/* Which calls count towards the preparation of a device that is not open yet: shapes of programs, by a guess
 * and by measured figures. */
#include "products.h"

#include <math.h>

#include "lib/offload/forecast.h"

/* 16 cores with AVX-512: what the processor is guessed to do, and an H200 with what OpenBLAS does. */
#define PEAK     2.4e12
#define MEASURED 1.15e12
#define STEP     0.002 /* of a class's share */

enum counts { NOTHING, LITTLE, PARTLY, WHOLE };

struct shape {
    const char *name;
    enum lava_type type;
    int64_t m, n, k;
    double beta;
    enum counts guessed, known;
};

// clang-format off
static const struct shape shapes[] = {
    /*                                                                  by a guess, by figures */
    {"1024",                   LAVA_TYPE_FP32, 1024,  1024,  1024, 0, WHOLE,  WHOLE},
    {"2048 x 1024 x 2048",     LAVA_TYPE_FP32, 2048,  1024,  2048, 0, WHOLE,  WHOLE},
    {"1024 in fp64",           LAVA_TYPE_FP64, 1024,  1024,  1024, 0, WHOLE,  WHOLE},
    {"mlp, a layer",           LAVA_TYPE_FP32, 1024,   512,  1024, 0, WHOLE,  WHOLE},
    {"mlp, the first layer",   LAVA_TYPE_FP32, 1024,   512,   784, 0, WHOLE,  WHOLE},
    {"mlp, large",             LAVA_TYPE_FP32, 4096,  4096,  4096, 0, WHOLE,  WHOLE},
    {"mlp, the last layer",    LAVA_TYPE_FP32,   10,  4096,  4096, 0, LITTLE, NOTHING},
    {"kmeans, few dimensions", LAVA_TYPE_FP32, 1024,  8192,   128, 0, LITTLE, PARTLY},
    {"kmeans, many",           LAVA_TYPE_FP32, 4096,  8192,   768, 0, WHOLE,  WHOLE},
    {"ridge, a moment",        LAVA_TYPE_FP32,  512,  3000, 10000, 0, WHOLE,  WHOLE},
    {"ridge, a prediction",    LAVA_TYPE_FP32,  512, 10000,  3000, 0, WHOLE,  WHOLE},
    {"an update with K = 64",  LAVA_TYPE_FP32, 4096,  4096,    64, 1, LITTLE, NOTHING},
    {"cholesky, the first",    LAVA_TYPE_FP64,  256, 12032,   256, 1, LITTLE, PARTLY},
    {"cholesky, one of many",  LAVA_TYPE_FP64,  256,  6000,   256, 1, LITTLE, PARTLY},
    {"cholesky, a late one",   LAVA_TYPE_FP64,  256,  1000,   256, 1, LITTLE, NOTHING},
};
// clang-format on

/* By estimates alone. */
static double share_of(const struct lava_forecast *prospect, const struct lava_operation *operation) {
    return lava_forecast_share(prospect, operation, lava_forecast_ratio(prospect, operation));
}

static double class_share(struct lava_forecast_ratios *ratios, const struct lava_forecast *prospect,
                          const struct lava_operation *operation) {
    return lava_forecast_share(prospect, operation, lava_forecast_class_ratio(ratios, prospect, operation));
}

static struct lava_operation operation_of(const struct shape *shape) {
    struct lava_operation operation = product_of(shape->type, shape->type, shape->m, shape->n, shape->k);
    operation.beta.real = shape->beta;
    return operation;
}

/* The processor's guessed rates. */
static struct lava_figures starting_figures(void) {
    return (struct lava_figures){
        .cpu.flops_per_s = {[LAVA_TYPE_FP32] = PEAK, [LAVA_TYPE_FP64] = PEAK / 2, [LAVA_TYPE_CFP32] = PEAK}};
}

/* An H200 that is as its profile says. */
static struct lava_figures measured_figures(const struct lava_capabilities *device) {
    struct lava_figures figures = starting_figures();
    figures.device = figures_like(device, 1);
    measure_cpu(&figures.cpu, MEASURED);
    return figures;
}

static void assert_counts(const struct shape *shape, double share, enum counts counts) {
    bool is_right = counts == NOTHING  ? share == 0
                    : counts == LITTLE ? share > 0 && share <= 1.0 / 16
                    : counts == PARTLY ? share > 0 && share < 1
                                       : share == 1;
    if (!is_right)
        fail_msg("%s: %.3f of its time counts", shape->name, share);
}

static void shapes_of_programs(void **state) {
    const struct lava_capabilities device = device_h200();
    const struct lava_figures starting = starting_figures(), figures = measured_figures(&device);
    const struct lava_forecast guess = lava_forecast_guess(&starting),
                               known = {.device = &device, .figures = &figures, .is_known = true};
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const struct lava_operation operation = operation_of(&shapes[i]);
        assert_counts(&shapes[i], share_of(&guess, &operation), shapes[i].guessed);
        assert_counts(&shapes[i], share_of(&known, &operation), shapes[i].known);
    }
}

/* By figures nothing counts that the policy leaves on the CPU, and more than nothing of the rest. */
static void follows_the_policy(void **state) {
    struct lava_capabilities device = device_h200();
    const struct lava_figures figures = measured_figures(&device);
    const struct lava_forecast known = {.device = &device, .figures = &figures, .is_known = true};
    uint64_t random = random_seed();
    int there = 0, tries = 300;
    (void)state;
    for (int i = 0; i < tries; i++) {
        struct lava_operation operation =
            product(random_size(&random, 8192), random_size(&random, 8192), random_size(&random, 8192));
        operation.beta.real = i % 2;
        const struct lava_plan plan = choose_by(&figures, &operation, &device, LAVA_MODE_AUTO, &none);
        double share = share_of(&known, &operation);
        assert_int_equal(share > 0, plan.place == LAVA_PLACE_GPU);
        assert_true(share <= 1);
        if (share > 0 && share < 1)
            assert_true(fabs(share * plan.cpu_ns - 2 * (plan.cpu_ns - plan.gpu_ns)) < 1e-6 * plan.cpu_ns);
        there += share > 0;
    }
    assert_true(there > tries / 20 && there < tries);
}

/* A class has the ratio of its first operation, whatever else is in the table. */
static void classes(void **state) {
    static struct lava_forecast_ratios ratios;
    const struct lava_figures starting = starting_figures();
    const struct lava_forecast guess = lava_forecast_guess(&starting);
    uint64_t random = random_seed();
    (void)state;
    for (int i = 0; i < 200; i++) {
        const struct lava_operation operation = operation_of(&shapes[random_next(&random) % COUNT(shapes)]);
        double share = class_share(&ratios, &guess, &operation);
        assert_true(fabs(share - share_of(&guess, &operation)) <= STEP);
    }
    struct lava_operation whole = product(1024, 1024, 1024), similar = product(1030, 1020, 1024);
    struct lava_figures slow = starting;
    slow.cpu.flops_per_s[LAVA_TYPE_FP32] = 1e15; /* nothing counts any more */
    const struct lava_forecast other = lava_forecast_guess(&slow);
    assert_true(class_share(&ratios, &guess, &whole) == 1);
    assert_true(class_share(&ratios, &other, &similar) == 1);
    assert_true(share_of(&other, &similar) < 0.1);
}

/* What was measured counts like what was estimated. */
static void measured_ratios(void **state) {
    const struct lava_capabilities device = device_h200();
    const struct lava_figures starting = starting_figures(), figures = measured_figures(&device);
    const struct lava_forecast guess = lava_forecast_guess(&starting),
                               known = {.device = &device, .figures = &figures, .is_known = true};
    const struct lava_operation thin = product(50000, 110, 4000);
    (void)state;
    assert_true(lava_forecast_share(&known, &thin, 0.25) == 1);
    assert_true(fabs(lava_forecast_share(&known, &thin, 0.8) - 0.4) < 1e-9);
    assert_true(lava_forecast_share(&known, &thin, 1.1) == 0);
    assert_true(lava_forecast_share(&guess, &thin, 0.9) == 1);
    assert_true(lava_forecast_share(&guess, &thin, 1.1) == 1.0 / 16);
    assert_true(lava_forecast_ratio(&known, &thin) > 0);
}

/* Where there are more classes than room, some count as a whole, and those that are there stay. */
static void many_classes(void **state) {
    static struct lava_forecast_ratios ratios;
    const struct lava_figures starting = starting_figures();
    const struct lava_forecast guess = lava_forecast_guess(&starting);
    double before[LAVA_FORECAST_CLASSES * 2];
    int whole = 0;
    (void)state;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < LAVA_FORECAST_CLASSES * 2; i++) {
            /* powers of two, whose classes differ; the device loses all of them */
            const struct lava_operation operation =
                product(INT64_C(1) << (i % 8), INT64_C(1) << (i / 8 % 8), INT64_C(1) << (i / 64));
            double share = class_share(&ratios, &guess, &operation);
            double ratio = lava_forecast_class_ratio(&ratios, &guess, &operation);
            assert_int_equal(ratio <= LAVA_FORECAST_NO_PLACE, share == 1);
            if (pass == 0)
                before[i] = share;
            assert_true(share == before[i]);
            assert_true(share == 1 || share <= 1.0 / 16 + STEP);
            whole += share == 1;
        }
    assert_true(whole >= LAVA_FORECAST_CLASSES * 2 && whole < LAVA_FORECAST_CLASSES * 4);
}

/* What overlaps never goes to a device, and says nothing about others of its class. */
static void overlapping(void **state) {
    static struct lava_forecast_ratios ratios;
    const struct lava_figures starting = starting_figures();
    const struct lava_forecast guess = lava_forecast_guess(&starting);
    const struct lava_operation apart = product(1024, 1024, 1024);
    struct lava_operation over = apart;
    (void)state;
    over.a.first = over.c.first;
    assert_true(share_of(&guess, &over) == 0);
    assert_true(class_share(&ratios, &guess, &over) == 0);
    assert_true(class_share(&ratios, &guess, &apart) == 1);
    assert_true(class_share(&ratios, &guess, &over) == 0);
}

/* Where a side is not known a guess counts the whole, as there is no reason not to. */
static void unknown(void **state) {
    const struct lava_figures nothing = {.cpu.flops_per_s = {0}};
    struct lava_forecast prospect = lava_forecast_guess(&nothing);
    const struct lava_operation operation = product(1024, 1024, 1024);
    (void)state;
    assert_true(share_of(&prospect, &operation) == 1);
    prospect.is_known = true;
    assert_true(share_of(&prospect, &operation) == 0);
}

/* The guess is that optimistic: no profile has a faster bus, less latency or a faster kernel of fp32 or fp64.
 */
static void nothing_is_faster(void **state) {
    const struct lava_profile *fastest = lava_profiles_find(lava_profiles_fastest());
    size_t count;
    const struct lava_profile *table = lava_profiles_table(&count);
    double most = 0;
    (void)state;
    for (int i = 0; i < LAVA_PROFILE_MAX_KERNELS && fastest->kernels[i].kernel; i++)
        most = fmax(most, fastest->kernels[i].flops_per_s);
    for (size_t i = 0; i < count; i++) {
        assert_true(table[i].upload_bytes_per_s <= fastest->upload_bytes_per_s);
        assert_true(table[i].download_bytes_per_s <= fastest->download_bytes_per_s);
        assert_true(table[i].call_latency_ns >= fastest->call_latency_ns);
        for (int j = 0; j < LAVA_PROFILE_MAX_KERNELS && table[i].kernels[j].kernel; j++)
            assert_true(table[i].kernels[j].flops_per_s <= most);
    }
    assert_true(device_has(lava_profiles_fastest(), LAVA_TYPE_FP32));
    assert_true(device_has(lava_profiles_fastest(), LAVA_TYPE_FP64));
    assert_true(device_has(lava_profiles_fastest(), LAVA_TYPE_FP16));
    assert_true(device_has(lava_profiles_fastest(), LAVA_TYPE_BF16));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_programs),
        cmocka_unit_test(follows_the_policy),
        cmocka_unit_test(classes),
        cmocka_unit_test(measured_ratios),
        cmocka_unit_test(unknown),
        cmocka_unit_test(overlapping),
        cmocka_unit_test(many_classes),
        cmocka_unit_test(nothing_is_faster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
