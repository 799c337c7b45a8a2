/* Tests products by residues: a part of the test of fp64 (self_test.h). One product of real and one of
 * complex matrices have tiles that the screen accepts, and tiles that it leaves because a row has a NaN. On a
 * device without fp64 what is left is to be as the CPU gets it; its BLAS, which may not be there yet, is not
 * called. */
#include <math.h>
#include <stdlib.h>

#include "dispatch/residue_choice.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/random.h"
#include "lib/lapack/device_matrix.h"
#include "lib/offload/self_test.h"
#include "lib/offload/worst.h"
#include "lib/product/left_tiles.h"
#include "lib/product/residue_product.h"

/* Beyond whole tiles, and K, which is no multiple of a slab. */
#define EDGE  10
#define DEPTH 300
/* The row with a NaN of A; of a complex A the rows of both its parts, as C is stored. */
#define SPECIAL_ROW 5
#define ALPHA       0.75
#define BETA        (-0.5)
/* Where no product of this size is computed by residues, none is. */
#define USUAL 8192

/* Sizes, and DEPTH, are those of the real product (lava_residue_parts). */
struct sample {
    int64_t m, n;
    int64_t left; /* the first rows of C are only multiplied by beta */
    bool is_complex;
    double *a, *b, *c; /* A is stored as op(A), B transposed, or its adjoint; C <- what the device computes */
};

static int64_t each_of(const struct sample *sample) {
    return sample->is_complex ? 2 : 1;
}

static enum lava_type type_of(const struct sample *sample) {
    return sample->is_complex ? LAVA_TYPE_CFP64 : LAVA_TYPE_FP64;
}

static double *new_matrix(int64_t count, uint64_t seed) {
    double *matrix = malloc((size_t)count * sizeof *matrix);
    for (int64_t i = 0; matrix && i < count; i++)
        matrix[i] = lava_random_signed(&seed);
    return matrix;
}

static bool make_sample(const struct lava_residue_way *way, bool is_complex, struct sample *sample) {
    *sample = (struct sample){.m = way->tile_m + EDGE, .n = way->tile_n + EDGE, .is_complex = is_complex};
    sample->a = new_matrix(sample->m * DEPTH / each_of(sample), 1);
    sample->b = new_matrix(sample->n * DEPTH, 2);
    sample->c = new_matrix(sample->m * sample->n, 3);
    if (sample->a)
        sample->a[SPECIAL_ROW + 7 * sample->m] = NAN;
    return sample->a && sample->b && sample->c;
}

static void free_sample(struct sample *sample) {
    free(sample->a);
    free(sample->b);
    free(sample->c);
}

/* A product of the sum over l of an element of C. */
static double product_at(const struct sample *sample, int64_t i, int64_t j, int64_t l) {
    int64_t part = (i ^ l) & 1;
    if (!sample->is_complex)
        return sample->a[i + l * sample->m] * sample->b[j + l * sample->n];
    double a = sample->a[i / 2 * 2 + l / 2 * sample->m + part],
           b = sample->b[2 * (j + l / 2 * sample->n) + l % 2];
    /* (a + a' i) (b - b' i) = (a b + a' b') + (a' b - a b') i */
    return i % 2 == 1 && l % 2 == 1 ? -a * b : a * b;
}

/* Returns the largest error as a multiple of the bound of fp64. `old` is C before. */
static double worst_error(const struct sample *sample, const double *old) {
    double worst = 0, unit = lava_type_facts(LAVA_TYPE_FP64)->unit;
    for (int64_t j = 0; j < sample->n; j++)
        for (int64_t i = 0; i < sample->m; i++) {
            double sum = BETA * old[i + j * sample->m], size = fabs(sum), got = sample->c[i + j * sample->m];
            for (int64_t l = 0; l < DEPTH; l++) {
                double term = ALPHA * product_at(sample, i, j, l);
                sum += term;
                size += fabs(term);
            }
            double bound = 2 * 4 * sqrt(DEPTH + 2) * unit * size; /* twice, because the loop rounds as well */
            double ratio = fabs(got - sum) / bound;
            if (i < sample->left)
                ratio = got == BETA * old[i + j * sample->m] ? 0 : INFINITY;
            else if (i / each_of(sample) == SPECIAL_ROW / each_of(sample))
                ratio = isnan(got) ? 0 : INFINITY;
            worst = lava_worst_of(worst, ratio);
        }
    return worst;
}

static enum lava_status multiply_on_device(struct lava_engine *engine, const struct sample *sample) {
    const struct lava_overrides overrides = {.residues = LAVA_RESIDUE_ON};
    enum lava_type type = type_of(sample);
    int64_t rows = sample->m / each_of(sample), depth = DEPTH / each_of(sample);
    struct lava_device_matrix x[] = {{.type = type, .rows = rows, .columns = depth},
                                     {.type = type, .rows = sample->n, .columns = depth},
                                     {.type = type, .rows = rows, .columns = sample->n}};
    const double *hosts[] = {sample->a, sample->b, sample->c};
    struct lava_stream stream;
    enum lava_status status = lava_device_matrix_create_all(engine, x, 3);
    if (status)
        return status;
    lava_stream_open(&stream, engine, false);
    for (int i = 0; i < 3 && !status; i++)
        status = lava_device_matrix_upload(&stream, &x[i], hosts[i], x[i].rows);
    const struct lava_device_product product = {.a = x[0],
                                                .b = x[1],
                                                .c = x[2],
                                                .op_b = LAVA_OP_T,
                                                .conjugate_b = sample->is_complex,
                                                .alpha.real = ALPHA,
                                                .beta.real = BETA,
                                                .precision = LAVA_PRECISION_STANDARD,
                                                .overrides = &overrides};
    status = status ? status : lava_device_product(&stream, &product);
    if (!status)
        status = lava_device_matrix_download(&stream, &x[2], LAVA_REGION_ALL, sample->c, x[2].rows);
    status = lava_stream_close(&stream, status);
    lava_device_matrix_free(engine, &x[0]);
    return status;
}

/* Returns whether the first row of tiles is left, and no other. */
static bool are_left(const struct lava_left_tiles *tiles) {
    bool are = true;
    for (int64_t j = 0; j < tiles->tiles_n; j++)
        for (int64_t i = 0; i < tiles->tiles_m; i++)
            are = are && tiles->is_left[j * tiles->tiles_m + i] == (i == 0);
    return are;
}

/* From host memory, because the device offers nothing else. */
static enum lava_status multiply_from_host(const struct lava_self_test *test, struct sample *sample) {
    enum lava_type type = type_of(sample);
    int64_t rows = sample->m / each_of(sample);
    const struct lava_operation operation = {
        .type = type,
        .precision = LAVA_PRECISION_STANDARD,
        .m = rows,
        .n = sample->n,
        .k = DEPTH / each_of(sample),
        .a = {.first = sample->a, .ld = rows},
        .b = {.first = sample->b, .ld = sample->n, .op = LAVA_OP_T, .conjugate = sample->is_complex},
        .c.first = sample->c,
        .c.ld = rows,
        .c.type = type,
        .alpha.real = ALPHA,
        .beta.real = BETA};
    const struct lava_overrides overrides = {.residues = LAVA_RESIDUE_ON};
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1}};
    struct lava_progress progress;
    struct lava_plan plan;
    lava_policy_choose(&operation, &test->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    if (plan.place != LAVA_PLACE_GPU)
        return LAVA_ERROR_UNAVAILABLE;
    enum lava_status status = lava_runner_run(test->engine, &operation, &plan, &progress, NULL);
    if (!status && !(progress.left && are_left(progress.left)))
        status = LAVA_ERROR_SELF_TEST;
    sample->left = plan.residues->tile_m;
    free(progress.left);
    return status;
}

static enum lava_status run(const struct lava_self_test *test, struct sample *sample) {
    double *old = new_matrix(sample->m * sample->n, 3);
    int cancel_state;
    if (!old)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = LAVA_ERROR_DEVICE_LOST;
    if (lava_self_test_lock(test, &cancel_state)) {
        status = lava_self_test_is_of_residues(test->engine, test->type)
                     ? multiply_from_host(test, sample)
                     : multiply_on_device(test->engine, sample);
        lava_self_test_unlock(test, cancel_state);
    }
    double worst = status ? 0 : worst_error(sample, old);
    free(old);
    if (status)
        return status;
    lava_self_test_tell(test, "products by residues", type_of(sample), lava_residue_left_kernel(), worst);
    return worst <= 1 ? LAVA_OK : LAVA_ERROR_SELF_TEST;
}

/* Creates the pipelines, which takes seconds with some drivers, while others may use the engine. */
static enum lava_status create_pipelines(struct lava_engine *engine, const struct lava_residue_way *way,
                                         bool (*stops)(void)) {
    struct lava_pipeline_specification specifications[LAVA_RESIDUE_PIPELINES];
    const struct lava_pipeline *pipeline;
    size_t count = lava_residue_pipelines(way, &engine->device->capabilities, specifications);
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = stops && stops() ? LAVA_ERROR_UNAVAILABLE
                                  : lava_pipelines_get(engine->device, &specifications[i], &pipeline);
    return status;
}

/* Returns the way of large products on this device; NULL: they are not computed by residues. */
static const struct lava_residue_way *way_of(const struct lava_engine *engine) {
    if (!engine->capabilities.fp64) /* whatever fits */
        return lava_residue_way_of(&engine->capabilities);
    const struct lava_operation usual = {.type = LAVA_TYPE_FP64,
                                         .c.type = LAVA_TYPE_FP64,
                                         .precision = LAVA_PRECISION_STANDARD,
                                         .m = USUAL,
                                         .n = USUAL,
                                         .k = USUAL,
                                         .a = {.first = LAVA_PLANNED_A, .ld = USUAL},
                                         .b = {.first = LAVA_PLANNED_B, .ld = USUAL},
                                         .c.first = LAVA_PLANNED_C,
                                         .c.ld = USUAL,
                                         .alpha.real = 1,
                                         .on_device = true};
    struct lava_plan plan;
    lava_policy_choose(&usual, &engine->capabilities, engine->figures, LAVA_MODE_GPU, NULL, &plan);
    bool is_on = engine->capabilities.residues == LAVA_RESIDUE_ON;
    return plan.residues || !is_on ? plan.residues : lava_residue_way_of(&engine->capabilities);
}

bool lava_self_test_is_of_residues(const struct lava_engine *engine, enum lava_type type) {
    return type == LAVA_TYPE_FP64 && !engine->capabilities.fp64 && lava_residue_way_of(&engine->capabilities);
}

enum lava_status lava_self_test_residues(const struct lava_self_test *test, bool (*stops)(void)) {
    struct lava_engine *engine = test->engine;
    const struct lava_residue_way *way = test->type == LAVA_TYPE_FP64 ? way_of(engine) : NULL;
    uint64_t begin_ns = lava_clock_now_ns();
    if (!way)
        return LAVA_ERROR_UNAVAILABLE;
    enum lava_status status = create_pipelines(engine, way, stops);
    for (int is_complex = 0; is_complex < 2 && !status; is_complex++) {
        struct sample sample;
        status = make_sample(way, is_complex, &sample) ? run(test, &sample) : LAVA_ERROR_HOST_MEMORY;
        free_sample(&sample);
    }
    lava_log_part("products by residues", begin_ns);
    if (status) {
        LAVA_LOG(INFO, "%s: fp64 by residues is not used: %s", engine->capabilities.label,
                 lava_status_name(status));
        lava_residue_refuse(&engine->capabilities);
        return status;
    }
    engine->device->shared->computes_residues = true;
    return LAVA_OK;
}
