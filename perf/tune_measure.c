/* Decides whether a variant may be used, and measures it on the device. Called by tune.c. */
#include <math.h>
#include <stdio.h>

#include "lib/vk/gpu.h"
#include "tests/checkgemm/measure.h"
#include "tune.h"

/* A device keeps every pipeline and has room for 256. A variant creates one of its own and shares the
 * others. */
#define PIPELINES_PER_DEVICE 160
#define SEED                 1u
/* Total size of rotating operands: no cache holds them. */
#define ROTATE_BYTES (512ull << 20)
/* Limits of a multiprocessor, which no driver reports. NVIDIA's since 2017, and as good a guess elsewhere. */
#define THREADS_PER_MULTIPROCESSOR    2048
#define WORKGROUPS_PER_MULTIPROCESSOR 32
#define REGISTER_STEP                 8 /* granularity of register allocation */

void tune_close(struct tune *tune) {
    lava_engine_destroy(tune->engine);
    tune->engine = NULL;
}

bool tune_open(struct tune *tune) {
    struct lava_device *device;
    const char *why;
    if (tune->engine)
        tune_close(tune);
    tune->config = *lava_config_get();
    tune->config.inspect = true;
    tune->config.assembly = tune->compile_only;
    tune->config.cache = false; /* thousands of kernels that are never needed again */
    enum lava_status status = lava_gpu_open(&tune->config, &device, &why);
    if (status) {
        fprintf(stderr, "tune: no device: %s\n", why);
        return false;
    }
    if (lava_engine_create(device, 4, &tune->engine))
        return false;
    tune->capabilities = tune->engine->capabilities;
    const struct lava_capabilities *capabilities = &tune->capabilities;
    tune->multiprocessors = capabilities->multiprocessors ? capabilities->multiprocessors
                                                          : lava_profiles_find(capabilities)->multiprocessors;
    tune->pipelines = 0;
    return true;
}

static bool make_plan(const struct tune *tune, const struct tune_variant *variant,
                      const struct lava_operation *operation, const struct lava_overrides *asked,
                      struct lava_plan *plan) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1}};
    struct lava_overrides overrides = *asked;
    overrides.kernel = &variant->kernel;
    overrides.column_blocks = 1;
    lava_policy_choose(operation, &tune->engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, plan);
    return plan->place == LAVA_PLACE_GPU;
}

/* A product with partial tiles at the edges and a split K. */
static const char *try_small(struct tune *tune, const struct tune_variant *variant) {
    const struct lava_kernel *kernel = &variant->kernel;
    const struct lava_overrides overrides = {.split_k = 2};
    struct lava_progress progress;
    struct lava_timing timing = {.repeat = 1};
    struct lava_plan plan;
    struct lava_operation operation =
        measure_operation(tune->type, LAVA_TYPE_FP32, 2 * (int64_t)kernel->tile_m - 3, kernel->tile_n + 5,
                          9 * (int64_t)kernel->tile_k + 1, SEED);
    const char *why = NULL;
    if (!make_plan(tune, variant, &operation, &overrides, &plan) ||
        lava_runner_run(tune->engine, &operation, &plan, &progress, &timing))
        why = "fails";
    else if ((double)timing.multiply_ns * 1e-9 > tune->limit_seconds)
        why = "too slow";
    else if (!measure_samples_right(&operation, kernel->scheme, SEED))
        why = "computes wrong";
    measure_free(&operation);
    return why;
}

static const char *obstacle(struct tune *tune, struct tune_variant *variant) {
    const struct lava_pipeline *pipeline;
    const struct lava_pipeline_specification specification =
        lava_pipelines_multiply(&variant->kernel, &tune->engine->device->capabilities, false);
    if (lava_pipelines_get(tune->engine->device, &specification, &pipeline))
        return "cannot be compiled";
    lava_pipelines_figures(tune->engine->device, pipeline, &variant->figures);
    if (variant->figures.spilled > 0)
        return "spills registers";
    return try_small(tune, variant);
}

/* Reopens the device if it failed. */
static bool device_usable(struct tune *tune, struct tune_variant *variant) {
    if (tune->engine && (!tune->engine->device->shared->failed || tune_open(tune)))
        return true;
    variant->refused = "the device is gone";
    return false;
}

void tune_admit(struct tune *tune, struct tune_variant *variant) {
    variant->tried = true;
    if (!device_usable(tune, variant))
        return;
    if (tune->pipelines >= PIPELINES_PER_DEVICE && !tune_open(tune)) {
        variant->refused = "the device is gone";
        return;
    }
    tune->pipelines++;
    variant->refused = obstacle(tune, variant);
}

/* Slices that give each multiprocessor two tiles; the policy's list is finer. */
static uint32_t filling_split(const struct tune *tune, const struct tune_variant *variant,
                              const struct tune_size *size) {
    const struct lava_kernel *kernel = &variant->kernel;
    double tiles = ceil((double)size->m / kernel->tile_m) * ceil((double)size->n / kernel->tile_n);
    uint32_t split = 1;
    while (split < 64 && tiles * split < tune->multiprocessors)
        split *= 2;
    return tiles * split >= 2.0 * tune->multiprocessors || split == 1 ? split
           : split * 2 > 64                                           ? 64
                                                                      : split * 2;
}

static struct lava_operation *problem_of(const struct tune *tune, struct tune_size *size) {
    if (!size->operation.a.first)
        size->operation = measure_operation(tune->type, LAVA_TYPE_FP32, size->m, size->n, size->k, SEED);
    return &size->operation;
}

/* Milliseconds of multiply and epilogue; 0: it failed, and the variant is refused. Thin products are timed
 * with operands that no cache holds, because otherwise memory speed would not count. */
static double milliseconds(struct tune *tune, struct tune_variant *variant, struct tune_size *size,
                           const struct lava_overrides *overrides, double seconds) {
    const struct lava_operation *operation = problem_of(tune, size);
    struct lava_plan plan;
    uint32_t copies;
    if (variant->refused || !device_usable(tune, variant) ||
        !make_plan(tune, variant, operation, overrides, &plan))
        return 0;
    struct measured measured = measure_device(tune->engine, operation, &plan, seconds / 2, seconds);
    double ms = measured.multiply_ms;
    if (measured.rounds > 0 && ms > 0 && size->group != TUNE_SQUARE && !tune->quick) {
        double cold = measure_rotating(tune->engine, operation, &plan, ROTATE_BYTES, seconds, &copies);
        ms = cold > 0 ? cold : ms;
    }
    if (measured.rounds == 0)
        variant->refused = "fails";
    else if (ms * 1e-3 > tune->limit_seconds)
        variant->refused = "too slow";
    else if (!measure_samples_right(operation, variant->kernel.scheme, SEED))
        variant->refused = "computes wrong";
    return variant->refused ? 0 : ms + measured.finish_ms;
}

double tune_rate(struct tune *tune, struct tune_variant *variant, struct tune_size *size, double seconds,
                 uint32_t *split) {
    if (*split == 0)
        *split = filling_split(tune, variant, size);
    const struct lava_overrides overrides = {.split_k = *split};
    double ms = milliseconds(tune, variant, size, &overrides, seconds);
    return ms > 0 ? 2e3 * (double)size->m * (double)size->n * (double)size->k / ms : 0;
}

/* Time of a product with this many tiles, the same number on each multiprocessor. *flops: its operations. */
static double grid_milliseconds(struct tune *tune, struct tune_variant *variant, uint32_t per_multiprocessor,
                                int64_t k, double seconds, double *flops) {
    const struct lava_overrides overrides = {.split_k = 1};
    uint32_t tiles = tune->multiprocessors * per_multiprocessor, across = 1;
    for (uint32_t i = 1; i * i <= tiles; i++)
        across = tiles % i == 0 ? i : across;
    struct tune_size size = {.m = (int64_t)variant->kernel.tile_m * (tiles / across),
                             .n = (int64_t)variant->kernel.tile_n * across,
                             .k = k,
                             .group = TUNE_SQUARE};
    double ms = milliseconds(tune, variant, &size, &overrides, seconds);
    *flops = 2.0 * (double)size.m * (double)size.n * (double)k;
    measure_free(&size.operation);
    return ms;
}

static uint32_t resident_workgroups(const struct tune *tune, const struct tune_variant *variant) {
    const struct lava_capabilities *capabilities = &tune->capabilities;
    uint32_t invocations = lava_kernel_invocations(&variant->kernel, capabilities);
    uint32_t registers = (variant->figures.registers + REGISTER_STEP - 1) / REGISTER_STEP * REGISTER_STEP;
    uint32_t most = THREADS_PER_MULTIPROCESSOR / invocations;
    if (registers == 0)
        return 1;
    uint32_t fitting = tune->registers_per_multiprocessor / (registers * invocations);
    fitting = fitting < most ? fitting : most;
    return fitting < 1                               ? 1
           : fitting > WORKGROUPS_PER_MULTIPROCESSOR ? WORKGROUPS_PER_MULTIPROCESSOR
                                                     : fitting;
}

/* For the largest size: tries every tile order, with one workgroup per tile and persistent. */
static void choose_order(struct tune *tune, struct tune_variant *variant, struct tune_size *size) {
    double best = 0;
    variant->order = LAVA_TILE_ORDER_GROUPED;
    for (int i = 0; i < 2 * LAVA_TILE_ORDER_COUNT; i++) {
        /* grouped and per tile first; another must gain a percent */
        int order = (i / 2 + LAVA_TILE_ORDER_GROUPED) % LAVA_TILE_ORDER_COUNT, persistent = i % 2;
        const struct lava_overrides overrides = {
            .split_k = 1, .order = 1 + order, .persistent = 1 + persistent};
        double ms = milliseconds(tune, variant, size, &overrides, tune->seconds / 4);
        if (ms > 0 && (best <= 0 || ms < 0.99 * best)) {
            best = ms;
            variant->order = (enum lava_tile_order)order;
            variant->persistent = persistent;
        }
    }
}

void tune_profile(struct tune *tune, struct tune_variant *variant) {
    struct tune_size *largest = NULL;
    double flops, short_flops;
    int64_t k = tune->quick ? 256 : 8192, short_k = k / 8;
    for (size_t i = 0; i < tune->size_count; i++) {
        struct tune_size *size = &tune->sizes[i];
        if (!largest || (double)size->m * (double)size->n * (double)size->k >
                            (double)largest->m * (double)largest->n * (double)largest->k)
            largest = size;
    }
    uint32_t split = 1, resident = resident_workgroups(tune, variant);
    variant->workgroups_per_multiprocessor = resident;
    variant->flops_per_s = tune_rate(tune, variant, largest, tune->seconds, &split);
    choose_order(tune, variant, largest);

    /* relative rate with a single tile on each multiprocessor */
    double ms = grid_milliseconds(tune, variant, 1, k, tune->seconds / 2, &flops);
    variant->lone_share = ms > 0 && variant->flops_per_s > 0 ? flops / ms * 1e3 / variant->flops_per_s : 1;
    if (resident == 1 || variant->lone_share > 1)
        variant->lone_share = 1;

    /* time over K is a straight line, and its zero gives the cost of starting; four waves, because launching
     * costs too */
    double long_ms = grid_milliseconds(tune, variant, 4 * resident, k, tune->seconds / 2, &flops);
    double short_ms =
        grid_milliseconds(tune, variant, 4 * resident, short_k, tune->seconds / 2, &short_flops);
    double per_k = (long_ms - short_ms) / (double)(k - short_k);
    double start = per_k > 0 ? short_ms / per_k - (double)short_k : 0;
    variant->start_k = start > 0 ? (uint32_t)((start + 8) / 16) * 16 : 0;
}
