/* checkgemm: tests and times every kernel row of the table on a device.
 *
 *     checkgemm                   all rows that the device can run, all cases. Rows of half precision run
 *                                 with every shape of cooperative matrices that fits and with C in fp32 and
 *                                 in their type. Rows of fp32 and fp64 also run with complex elements
 *     checkgemm --quick           a third of the cases
 *     checkgemm --devices N       the library's choice of rows, on N devices of the driver
 *     checkgemm --bench SIZE...   times the policy's choice (or --kernel NAME, --kernel all)
 *     checkgemm --ceilings        measures the peak rates of the device
 *
 * The device is that of LAVABLAS_DEVICE, or lavapipe if the variable is not set and there is no GPU. The last
 * line is 'N passed, N failed'. The exit status is 1 if any failed, 77 if there is no device. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/vk/gpu.h"
#include "tests/checkgemm/check_options.h"
#include "tests/checkgemm/through.h"
#include "tests/robustness/driver_copies.h"

/* Opens the configured device. If there is none and none was requested, opens lavapipe. */
static struct lava_engine *open_device(const struct options *options, struct check_context *context) {
    struct lava_config config = *lava_config_get();
    config.inspect = options->bench;
    struct lava_device *device;
    struct lava_engine *engine;
    const char *why;
    enum lava_status status = lava_gpu_open(&config, &device, &why);
    if (status && !config.device) {
        config.device = "cpu";
        status = lava_gpu_open(&config, &device, &why);
    }
    if (status) {
        printf("no device: %s\n", why);
        return NULL;
    }
    context->keeps_subnormals = device->capabilities.denorm_preserve_fp32;
    context->keeps_subnormals64 = device->capabilities.denorm_preserve_fp64;
    if (options->discrete) {
        device->capabilities.unified_memory = false;
        device->capabilities.denorm_preserve_fp32 = true;
        device->capabilities.denorm_preserve_fp64 = true;
    }
    for (uint32_t i = 0; options->patches && i < device->capabilities.shape_count; i++)
        device->capabilities.shapes[i].narrow = false;
    if (lava_engine_create(device, options->copy_threads, &engine))
        return NULL;
    printf("device: %s, driver %#x, subgroups of %u and %u, %u multiprocessors, %.1f GiB, %s subnormals\n",
           engine->capabilities.name, engine->capabilities.driver_version,
           engine->capabilities.simt_subgroup_size, engine->capabilities.matrix_subgroup_size,
           engine->capabilities.multiprocessors, (double)engine->capabilities.memory_bytes / 0x1p30,
           context->keeps_subnormals ? "keeps" : "may flush");
    return engine;
}

static void report_kernel(struct check_context *context, const struct lava_kernel *kernel) {
    char text[512];
    const struct lava_pipeline *pipeline;
    struct lava_pipeline_specification specification =
        lava_pipelines_multiply(kernel, &context->engine->capabilities, false);
    if (lava_pipelines_get(context->engine->device, &specification, &pipeline))
        return;
    lava_pipelines_report(context->engine->device, pipeline, text, sizeof text);
    if (text[0])
        printf("%s: %s\n", kernel->name, text);
}

/* Runs all cases with the given types of A, B and C. */
static void test_cases(struct check_context *context, const struct options *options) {
    char label[CHECK_LABEL_BYTES];
    long passed = context->passed, failed = context->failed;
    if (lava_type_is_complex(context->type))
        check_complex(context, options->quick);
    else
        check_kernel(context, options->quick);
    printf("%-41s %ld passed, %ld failed\n", check_label(context, label), context->passed - passed,
           context->failed - failed);
    fflush(stdout);
}

static void show_only(struct lava_capabilities *capabilities, const struct lava_matrix_shape *shape) {
    capabilities->shape_count = 1;
    capabilities->shapes[0] = *shape;
}

/* Tests each of the device's shapes in turn, as if it had no other. Both the engine and the code that creates
 * pipelines must see only that one. */
static void test_shapes(struct check_context *context, const struct options *options) {
    struct lava_capabilities *seen = &context->engine->capabilities;
    struct lava_capabilities *made = &context->engine->device->capabilities;
    const struct lava_capabilities all_seen = *seen, all_made = *made;
    for (uint32_t i = 0; i < all_seen.shape_count; i++) {
        if (all_seen.shapes[i].type != context->kernel->type)
            continue;
        show_only(seen, &all_seen.shapes[i]);
        show_only(made, &all_seen.shapes[i]);
        context->shape = all_seen.shapes[i];
        const char *reason;
        context->type_c = LAVA_TYPE_FP32;
        if (lava_kernel_fits(context->kernel, seen, &reason)) {
            test_cases(context, options);
            context->type_c = context->kernel->type;
            test_cases(context, options);
        } else {
            printf("%-22s %ux%ux%u: %s\n", context->kernel->name, context->shape.m, context->shape.n,
                   context->shape.k, reason);
        }
    }
    *seen = all_seen;
    *made = all_made;
}

/* Tests a row with A and B of its type, or complex with parts of its type. */
static void test_row(struct check_context *context, const struct options *options,
                     const struct lava_kernel *kernel, enum lava_type type) {
    const char *reason;
    context->kernel = kernel;
    context->type = context->type_c = type;
    if (!lava_kernel_fits(kernel, &context->engine->capabilities, &reason))
        printf("%-22s not on this device: %s\n", kernel->name, reason);
    else if (lava_type_is_half(type))
        test_shapes(context, options);
    else
        test_cases(context, options);
}

/* The row with the smallest tile that serves the type, by planes or not; NULL: none. */
static const struct lava_kernel *least_row(const struct check_context *context, enum lava_type type,
                                           bool planes) {
    const struct lava_kernel *least = NULL;
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    for (size_t i = 0; i < count; i++)
        if (options_serves(&table[i], type) && (table[i].fallback != NULL) == planes &&
            lava_kernel_fits(&table[i], &context->engine->capabilities, NULL) &&
            (!least || table[i].tile_m * table[i].tile_n < least->tile_m * least->tile_n))
            least = &table[i];
    return least;
}

static bool is_asked_for(const struct options *options, const struct lava_kernel *kernel) {
    if (options->simt)
        return lava_kernel_is_simt(kernel);
    return kernel->scheme == LAVA_SCHEME_NONE ? !options->planes : !options->no_planes;
}

/* Returns whether the row is one of those of this run. To be called once for each. */
static bool takes_row(const struct check_context *context, const struct options *options,
                      const struct lava_kernel *row) {
    static unsigned fitting;
    return options->rows < 2 || !lava_kernel_fits(row, &context->engine->capabilities, NULL) ||
           (fitting++ + context->seed) % options->rows == 0;
}

/* Tests all rows that serve the type, or with --least the row with the smallest tile and the one by planes.
 * For a complex type only that one by planes is tested: the rows by planes do not differ in how they handle
 * parts. */
static void test_type(struct check_context *context, const struct options *options, enum lava_type type) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    const struct lava_kernel *plain = least_row(context, type, false);
    const struct lava_kernel *planes = least_row(context, type, true);
    for (size_t i = 0; i < count; i++) {
        bool is_plain = table[i].scheme == LAVA_SCHEME_NONE;
        bool one = options->least || (lava_type_is_complex(type) && !is_plain);
        bool needed = !one || &table[i] == (is_plain ? plain : planes);
        if (needed && options_serves(&table[i], type) && is_asked_for(options, &table[i]) &&
            takes_row(context, options, &table[i]))
            test_row(context, options, &table[i], type);
    }
    if (!plain)
        check_refusal(context, type, options->complete);
}

static void test_all(struct check_context *context, const struct options *options) {
    if (options->kernel && strcmp(options->kernel, "all")) {
        const struct lava_kernel *row = options_find_kernel(options->kernel);
        test_row(context, options, row, options_type(options, row));
        return;
    }
    for (int type = 0; type < LAVA_TYPE_COUNT; type++)
        if (!options->has_type || (int)options->timing.type == type)
            test_type(context, options, (enum lava_type)type);
}

static void bench_size(struct check_context *context, const struct options *options, const char *size) {
    int64_t m, n, k;
    if (sscanf(size, "%" SCNd64 "x%" SCNd64 "x%" SCNd64, &m, &n, &k) != 3)
        m = n = k = atoll(size);
    if (m < 1 || n < 1 || k < 1)
        options_usage();
    for (int order = 0; order < (options->all_orders ? LAVA_TILE_ORDER_COUNT : 1); order++)
        for (int persistent = 1; persistent <= (options->all_orders ? 2 : 1); persistent++) {
            struct bench_options timing = options->timing;
            if (options->all_orders) {
                timing.order = 1 + order;
                timing.persistent = persistent;
            }
            bench_run(context, &timing, m, n, k);
        }
}

/* The rows to time: none (the policy's choice), the requested one, or all that fit. */
static size_t chosen_rows(const struct check_context *context, const struct options *options,
                          const struct lava_kernel *rows[], size_t most) {
    size_t count, chosen = 0;
    const struct lava_kernel *table = lava_kernels_table(&count);
    if (options->kernel && strcmp(options->kernel, "all")) {
        rows[chosen++] = options_find_kernel(options->kernel);
        return chosen;
    }
    for (size_t i = 0; options->kernel && i < count && chosen < most; i++)
        if (lava_kernel_fits(&table[i], &context->engine->capabilities, NULL) &&
            (!options->has_type || options_serves(&table[i], options->timing.type)) &&
            is_asked_for(options, &table[i]))
            rows[chosen++] = &table[i];
    return chosen;
}

static void bench_all(struct check_context *context, struct options *options, int count, char **sizes) {
    const struct lava_kernel *rows[64];
    size_t chosen = chosen_rows(context, options, rows, sizeof rows / sizeof rows[0]);
    bool types[LAVA_TYPE_REAL_COUNT] = {false};
    types[lava_type_real(options->timing.type)] = chosen == 0;
    for (size_t i = 0; i < chosen; i++)
        types[lava_kernel_element_type(rows[i])] = true;
    if (!options->no_ceilings)
        ceilings_measure(context->engine, types, &options->timing.ceilings);
    for (size_t i = 0; i < chosen; i++)
        report_kernel(context, rows[i]);
    bench_header(&options->timing);
    for (int s = 0; s < count; s++) {
        if (chosen == 0)
            bench_size(context, options, sizes[s]);
        for (size_t i = 0; i < chosen; i++) {
            options->timing.kernel = rows[i];
            bench_size(context, options, sizes[s]);
        }
    }
}

/* Without this check, a driver that ignores its variable would pass as another subgroup size. */
static bool has_subgroup(const struct check_context *context, unsigned size) {
    unsigned found = context->engine->capabilities.simt_subgroup_size;
    if (size && size != found)
        printf("the device's subgroups have %u invocations, not %u\n", found, size);
    return !size || size == found;
}

static void only_ceilings(struct check_context *context, const struct options *options) {
    bool types[LAVA_TYPE_REAL_COUNT];
    struct ceilings ceilings;
    for (int type = 0; type < LAVA_TYPE_REAL_COUNT; type++)
        types[type] = !options->has_type || (int)lava_type_real(options->timing.type) == type;
    ceilings_measure(context->engine, types, &ceilings);
    *(ceilings.bytes_per_s > 0 ? &context->passed : &context->failed) += 1;
}

/* The cases of a type, by the library: each is right whichever devices compute it, and some are shared. */
static void test_devices(struct check_context *context, const struct options *options) {
    enum lava_type type = options->has_type ? options->timing.type : LAVA_TYPE_FP32;
    const char *why = through_prepare(type, (unsigned)options->devices);
    if (why) {
        printf("%s\n", why);
        context->failed++;
        return;
    }
    context->through_library = true;
    context->kernel = least_row(context, type, false);
    context->type = context->type_c = type;
    test_cases(context, options);
    printf("%d devices shared %" PRIu64 " products\n", options->devices, through_shared());
    *(through_shared() > 0 ? &context->passed : &context->failed) += 1;
}

int main(int argc, char **argv) {
    struct check_context context = {.seed = (uint64_t)time(NULL) * 2654435761u ^ (uint64_t)getpid()};
    struct options options = {.timing = {.seconds = 0.4}, .copy_threads = lava_copy_pool_threads()};
    int first = options_parse(argc, argv, &options, &context);
    struct driver_copies copies = {.count = 0};
    bool is_listed = options.devices < 2 || driver_copies_begin(&copies, options.devices);
    context.engine = is_listed ? open_device(&options, &context) : NULL;
    if (!context.engine) {
        driver_copies_end(&copies);
        return 77;
    }
    printf("seed: %#" PRIx64 "\n", context.seed);
    if (!has_subgroup(&context, options.subgroup))
        context.failed++;
    else if (options.only_ceilings)
        only_ceilings(&context, &options);
    else if (options.bench)
        bench_all(&context, &options, argc - first, argv + first);
    else if (options.devices)
        test_devices(&context, &options);
    else
        test_all(&context, &options);
    driver_copies_end(&copies);
    lava_engine_destroy(context.engine);
    printf("%ld passed, %ld failed\n", context.passed, context.failed);
    return context.failed ? 1 : context.passed ? 0 : 77;
}
