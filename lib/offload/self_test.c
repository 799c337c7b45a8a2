/* Tests the kernels of a type. Called by prepare.c's thread, once for each type that is used. The sizes leave
 * edges on all sides: they are larger than a tile in each direction and no multiple of any block size. */
#include "lib/offload/self_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/random.h"
#include "lib/host/convert.h"
#include "lib/offload/ways.h"
#include "lib/offload/worst.h"

/* beta in the cases that read C */
#define BETA (-0.5)

/* A product of a kernel's type; the matrices are stored as squares of side ld. */
struct sample {
    const struct lava_kernel *kernel;
    int64_t m, n, k, ld;
    void *a, *b, *c;
    double *values_a, *values_b; /* a and b as numbers */
    double *column;              /* of C, as numbers */
    double *op_a;                /* m x k, column by column */
    double *sums, *lost,
        *sizes; /* for a column of C: the expected values, in two parts, and the sums of absolute values */
};

struct test_case {
    enum lava_op op; /* of A and of B */
    uint32_t split_k;
    bool narrow; /* C has the type of A and B and is not read; else fp32, and read */
};

/* No scheme screens out values of this size. */
#define LEAST_VALUE 0x1p-10

/* Writes an element, rounded to the type, and returns the rounded value. */
static double put(enum lava_type type, void *matrix, int64_t place, double value) {
    float rounded = (float)value;
    if (type == LAVA_TYPE_FP64) {
        ((double *)matrix)[place] = value;
        return value;
    }
    if (type == LAVA_TYPE_FP32) {
        ((float *)matrix)[place] = rounded;
    } else {
        lava_convert_from_fp32(type, &rounded, (uint16_t *)matrix + place, 1);
        lava_convert_to_fp32(type, (const uint16_t *)matrix + place, &rounded, 1);
    }
    return (double)rounded;
}

/* Fills in values of both signs with full mantissas. The sequence is fixed, so the test is the same every
 * time. */
static void fill(enum lava_type type, void *matrix, double *values, int64_t count, uint64_t seed) {
    for (int64_t i = 0; i < count; i++) {
        double value = lava_random_signed(&seed);
        values[i] = put(type, matrix, i, value + copysign(LEAST_VALUE, value));
    }
}

/* Inf and NaN reveal a driver that assumes there are none. */
static void put_special(struct sample *sample) {
    const double values[2] = {INFINITY, NAN};
    const int64_t places[2] = {0, 1 + sample->ld};
    for (int i = 0; i < 2; i++)
        sample->values_a[places[i]] = put(sample->kernel->type, sample->a, places[i], values[i]);
}

/* C has one row less than two tiles. That is so little padding that there is no epilogue without split K. */
static bool make_sample(struct sample *sample, const struct lava_kernel *kernel) {
    size_t element_bytes = lava_type_bytes(kernel->type);
    sample->kernel = kernel;
    sample->m = 2 * (int64_t)kernel->tile_m - 1;
    sample->n = kernel->tile_n + 5;
    sample->k = 9 * (int64_t)kernel->tile_k + 1; /* enough for two slices */
    sample->ld = (int64_t)fmax((double)sample->k, fmax((double)sample->m, (double)sample->n)) + 3;
    int64_t elements = sample->ld * sample->ld;
    size_t rows = (size_t)sample->m;
    if (!(sample->a = malloc((size_t)elements * element_bytes)) ||
        !(sample->b = malloc((size_t)elements * element_bytes)) ||
        !(sample->c = malloc((size_t)elements * sizeof(double))) ||
        !(sample->values_a = malloc((size_t)elements * sizeof(double))) ||
        !(sample->values_b = malloc((size_t)elements * sizeof(double))) ||
        !(sample->column = malloc(rows * sizeof(double))) ||
        !(sample->op_a = malloc(rows * (size_t)sample->k * sizeof(double))) ||
        !(sample->sums = malloc(rows * sizeof(double))) || !(sample->lost = malloc(rows * sizeof(double))) ||
        !(sample->sizes = malloc(rows * sizeof(double))))
        return false;
    fill(kernel->type, sample->a, sample->values_a, elements, 1);
    fill(kernel->type, sample->b, sample->values_b, elements, 2);
    put_special(sample);
    return true;
}

static void free_sample(struct sample *sample) {
    free(sample->a);
    free(sample->b);
    free(sample->c);
    free(sample->values_a);
    free(sample->values_b);
    free(sample->column);
    free(sample->op_a);
    free(sample->sums);
    free(sample->lost);
    free(sample->sizes);
}

/* Computes column j of the expected C, and of |alpha| |A| |B| + |beta| |C0|, with C0 = 1. `lost` sums up what
 * the sums lose by rounding. So only the roundings of the products remain, one unit of the size. */
static void expect_column(const struct sample *sample, const struct lava_operation *operation, int64_t j) {
    for (int64_t i = 0; i < sample->m; i++) {
        sample->sums[i] = operation->beta.real;
        sample->lost[i] = 0;
        sample->sizes[i] = fabs(operation->beta.real);
    }
    for (int64_t l = 0; l < sample->k; l++) {
        const double *a = sample->op_a + l * sample->m;
        double b = operation->alpha.real *
                   sample->values_b[operation->b.op == LAVA_OP_N ? l + j * sample->ld : j + l * sample->ld];
        for (int64_t i = 0; i < sample->m; i++) {
            double product = a[i] * b, sum = sample->sums[i] + product, added = sum - sample->sums[i];
            sample->lost[i] += (sample->sums[i] - (sum - added)) + (product - added);
            sample->sums[i] = sum;
            sample->sizes[i] += fabs(product);
        }
    }
}

static void read_column(const struct sample *sample, const struct lava_operation *operation, int64_t j) {
    for (int64_t i = 0, place = j * sample->ld; i < sample->m; i++, place++) {
        float value;
        if (operation->c.type == LAVA_TYPE_FP64) {
            sample->column[i] = ((const double *)sample->c)[place];
            continue;
        }
        if (operation->c.type == LAVA_TYPE_FP32)
            value = ((const float *)sample->c)[place];
        else
            lava_convert_to_fp32(operation->c.type, (const uint16_t *)sample->c + place, &value, 1);
        sample->column[i] = (double)value;
    }
}

static bool same_special(double got, double expected) {
    return isnan(expected) ? isnan(got) : got == expected;
}

/* Returns how much an element may be off. fp32 and fp64: 4 sqrt(K + 2) u of its size, plus the allowance for
 * planes. Cooperative matrices round as the device chooses: 2 K u in the worst case. A result in half
 * precision is rounded once more, to half a step among fp16's subnormal numbers. */
static double allowed(const struct lava_scheme_row *scheme, const struct lava_operation *operation,
                      double expected, double size) {
    static const double roundings[LAVA_TYPE_COUNT] = {0, 0x1p-11, 0x1p-8};
    double unit = lava_type_facts(lava_type_sums(operation->type))->unit, k = (double)operation->k;
    double terms = lava_type_is_half(operation->type) ? 2.0 * k : 4.0 * sqrt(k + 2.0);
    terms += scheme->units;
    if (scheme->planes > 0 && scheme->span_k == 0)
        terms += 2.0 * k;
    double bound = terms * unit * size + roundings[operation->c.type] * fabs(expected);
    return operation->c.type == LAVA_TYPE_FP16 ? bound + 0x1p-25 : bound;
}

/* Returns the largest error as a multiple of the allowed error. */
static double worst_error(const struct sample *sample, const struct lava_operation *operation) {
    const struct lava_scheme_row *scheme = lava_scheme(sample->kernel->scheme);
    double worst = 0;
    for (int64_t l = 0; l < sample->k; l++)
        for (int64_t i = 0; i < sample->m; i++)
            sample->op_a[i + l * sample->m] =
                sample->values_a[operation->a.op == LAVA_OP_N ? i + l * sample->ld : l + i * sample->ld];
    for (int64_t j = 0; j < sample->n; j++) {
        expect_column(sample, operation, j);
        read_column(sample, operation, j);
        for (int64_t i = 0; i < sample->m; i++) {
            double got = sample->column[i];
            double expected = sample->sums[i] + (isfinite(sample->sums[i]) ? sample->lost[i] : 0);
            double ratio = fabs(got - expected) / allowed(scheme, operation, expected, sample->sizes[i]);
            if (isnan(expected) || isinf(expected))
                ratio = same_special(got, expected) ? 0 : INFINITY;
            worst = lava_worst_of(worst, ratio);
        }
    }
    return worst;
}

bool lava_self_test_lock(const struct lava_self_test *test, int *cancel_state) {
    *cancel_state = 0;
    return !test->lock || test->lock(cancel_state);
}

void lava_self_test_unlock(const struct lava_self_test *test, int cancel_state) {
    if (test->unlock)
        test->unlock(cancel_state);
}

void lava_self_test_tell(const struct lava_self_test *test, const char *what, enum lava_type type,
                         const struct lava_kernel *kernel, double error) {
    const struct lava_self_test_result result = {what, type, kernel, error};
    if (test->tell)
        test->tell(&result, test->context);
}

enum lava_status lava_self_test_compute(const struct lava_self_test *test,
                                        const struct lava_operation *operation, const struct lava_plan *plan,
                                        struct lava_progress *progress) {
    enum lava_status status = lava_ways_run(test->engine, operation, plan, progress);
    if (status != LAVA_ERROR_DEVICE_MEMORY || test->engine->device->shared->failed)
        return status;
    lava_engine_release(test->engine);
    return lava_ways_run(test->engine, operation, plan, progress);
}

enum lava_status lava_self_test_multiply(const struct lava_self_test *test,
                                         const struct lava_operation *operation,
                                         const struct lava_plan *plan) {
    struct lava_progress progress;
    int cancel_state;
    if (!lava_self_test_lock(test, &cancel_state))
        return LAVA_ERROR_DEVICE_LOST;
    enum lava_status status = lava_self_test_compute(test, operation, plan, &progress);
    lava_self_test_unlock(test, cancel_state);
    return status;
}

static enum lava_status run_case(const struct lava_self_test *self_test, const struct sample *sample,
                                 const struct test_case *test) {
    struct lava_engine *engine = self_test->engine;
    const struct lava_kernel *kernel = sample->kernel;
    const struct lava_operation operation = {.type = kernel->type,
                                             .c.type =
                                                 test->narrow ? kernel->type : lava_type_sums(kernel->type),
                                             .a.op = test->op,
                                             .b.op = test->op,
                                             .m = sample->m,
                                             .n = sample->n,
                                             .k = sample->k,
                                             .a.ld = sample->ld,
                                             .b.ld = sample->ld,
                                             .c.ld = sample->ld,
                                             .alpha.real = 0.75,
                                             .beta.real = test->narrow ? 0 : BETA,
                                             .a.first = sample->a,
                                             .b.first = sample->b,
                                             .c.first = sample->c};
    const struct lava_overrides overrides = {.kernel = kernel, .split_k = test->split_k};
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1}};
    struct lava_plan plan;
    lava_policy_choose(&operation, &engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    if (plan.place != LAVA_PLACE_GPU)
        return LAVA_OK; /* the policy never chooses a row that the device cannot run */
    for (int64_t i = 0; i < sample->ld * sample->n; i++)
        put(operation.c.type, sample->c, i, test->narrow ? NAN : 1.0);
    enum lava_status status = lava_self_test_multiply(self_test, &operation, &plan);
    if (status)
        return status;
    double worst = worst_error(sample, &operation);
    lava_self_test_tell(self_test, test->narrow ? "products, rounded" : "products", kernel->type, kernel,
                        worst);
    if (worst <= 1.0)
        return LAVA_OK;
    LAVA_LOG(WARN, "%s: kernel %s computes wrong results (error %.2g of the bound)",
             engine->capabilities.label, kernel->name, worst);
    return LAVA_ERROR_SELF_TEST;
}

static enum lava_status test_kernel(const struct lava_self_test *test, const struct lava_kernel *kernel) {
    /* the multiply kernel and the epilogue, each with each type of result */
    static const struct test_case cases[] = {
        {LAVA_OP_N, 1, false}, {LAVA_OP_T, 2, false}, {LAVA_OP_T, 1, true}, {LAVA_OP_N, 2, true}};
    size_t count = lava_type_is_half(kernel->type) ? 4 : 2;
    struct sample sample = {0};
    enum lava_status status = make_sample(&sample, kernel) ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
    for (size_t i = 0; i < count && !status; i++)
        status = run_case(test, &sample, &cases[i]);
    free_sample(&sample);
    return status;
}

/* Tests the first kernel without planes, as all share what complex products add. The caller of the test still
 * holds the engine then. */
static enum lava_status test_parts(struct lava_self_test *test, const struct lava_kernel *kernel) {
    if (test->tested_complex || kernel->scheme != LAVA_SCHEME_NONE || lava_type_is_half(test->type))
        return LAVA_OK;
    test->tested_complex = true;
    return lava_self_test_complex(test, kernel);
}

void lava_self_test_find_kernels(struct lava_self_test *test) {
    const struct lava_capabilities *capabilities = &test->engine->capabilities;
    const struct lava_profile *profile = lava_profiles_find(capabilities);
    test->count = 0;
    for (int i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *kernel = lava_kernels_find(profile->kernels[i].kernel);
        if (kernel && kernel->type == test->type && lava_kernel_fits(kernel, capabilities, NULL))
            test->kernels[test->count++] = kernel;
    }
}

enum lava_status lava_self_test_begin(struct lava_self_test *test, struct lava_engine *engine,
                                      enum lava_type type, bool (*stops)(void)) {
    *test = (struct lava_self_test){.engine = engine, .type = type};
    lava_self_test_find_kernels(test);
    if (test->count == 0 && !lava_self_test_is_of_residues(engine, type))
        return LAVA_ERROR_UNAVAILABLE;
    test->builder = lava_builder_start(engine, LAVA_STEP_PLAIN, test->kernels, test->count, stops);
    return test->builder ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
}

const struct lava_kernel *lava_self_test_next(struct lava_self_test *test, enum lava_status *status) {
    uint64_t begin_ns = lava_clock_now_ns();
    int index = lava_builder_next(test->builder, status);
    if (index < 0)
        return NULL;
    const struct lava_kernel *kernel = test->kernels[index];
    begin_ns = lava_log_part("waiting for a kernel's pipelines", begin_ns);
    if (!*status)
        *status = test_kernel(test, kernel);
    if (!*status)
        *status = test_parts(test, kernel);
    if (!*status)
        lava_log_part("its tests", begin_ns);
    if (*status && kernel->scheme != LAVA_SCHEME_NONE && !test->engine->device->shared->failed) {
        LAVA_LOG(INFO, "%s: kernel %s is not used: %s", test->engine->capabilities.label, kernel->name,
                 lava_status_name(*status));
        lava_kernel_refuse(kernel, &test->engine->capabilities);
        *status = LAVA_ERROR_UNAVAILABLE;
    }
    return kernel;
}

void lava_self_test_end(struct lava_self_test *test) {
    lava_builder_end(test->builder);
    test->builder = NULL;
}

enum lava_status lava_self_test_run(struct lava_engine *engine, enum lava_type type) {
    struct lava_self_test test;
    const struct lava_kernel *kernel;
    bool any = false;
    enum lava_status status = lava_self_test_begin(&test, engine, type, NULL), result;
    while (!status && (kernel = lava_self_test_next(&test, &result))) {
        any = any || (!result && kernel->scheme == LAVA_SCHEME_NONE);
        if (result != LAVA_ERROR_UNAVAILABLE)
            status = result;
    }
    lava_self_test_end(&test);
    if (!status && (any || test.count == 0)) {
        result = lava_self_test_residues(&test, NULL);
        any = any || !result;
    }
    return status || any ? status : LAVA_ERROR_UNAVAILABLE;
}
