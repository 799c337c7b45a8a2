/* checkgemm: tests and times every kernel row of the table on a device.
 *
 *     checkgemm                     all rows that the device can run, all cases
 *     checkgemm --quick             a third of them
 *     checkgemm --bench SIZE...     times the policy's choice (or --kernel NAME, --kernel all)
 *
 * The device is LAVABLAS_DEVICE's, or lavapipe where that is not set and there is no GPU. The last line says
 * 'N passed, N failed'; the exit status is 1 if any failed, 77 where there is no device. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/exec/self_test.h"
#include "tests/checkgemm/checkgemm.h"

struct options {
    const char *kernel; /* a name, "all", or NULL */
    const char *schedule;
    bool quick, bench, discrete, all_schedules;
    struct bench_options timing;
    unsigned copy_threads;
};

static const char usage[] =
    "usage: checkgemm [--kernel NAME|FIGURES|all] [--quick] [--verbose] [--seed N] [--discrete]\n"
    "       checkgemm --bench [--kernel NAME|FIGURES|all] [--schedule linear|grouped|hilbert|all] "
    "[--persistent "
    "0|1]\n"
    "                 [--split N] [--column-blocks N] [--copy-threads N] [--seconds S] [--device-only]\n"
    "                 [N | MxNxK]...\n"
    "  FIGURES         a row that is not in the table: MxNxK/MxN/STAGES, tile, invocation, stages\n"
    "  --discrete      as on a discrete GPU: uploads are copied first, and the modules that keep subnormals\n"
    "  --device-only   no host-to-host times\n";

/* An option's argument, or an exit with the usage. */
static const char *argument(int argc, char **argv, int *i) {
    if (++*i < argc)
        return argv[*i];
    fputs(usage, stderr);
    exit(2);
}

static void parse_schedule(const char *name, struct options *options) {
    enum lava_schedule schedule;
    options->all_schedules = !strcmp(name, "all");
    if (options->all_schedules)
        return;
    if (!lava_schedule_from_name(name, &schedule)) {
        fputs(usage, stderr);
        exit(2);
    }
    options->timing.schedule = 1 + (int)schedule;
}

/* Returns the index of the first size. */
static int parse(int argc, char **argv, struct options *options, struct check_context *context) {
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--quick"))
            options->quick = true;
        else if (!strcmp(argv[i], "--bench"))
            options->bench = true;
        else if (!strcmp(argv[i], "--verbose"))
            context->verbose = true;
        else if (!strcmp(argv[i], "--discrete"))
            options->discrete = true;
        else if (!strcmp(argv[i], "--device-only"))
            options->timing.device_only = true;
        else if (!strcmp(argv[i], "--kernel"))
            options->kernel = argument(argc, argv, &i);
        else if (!strcmp(argv[i], "--schedule"))
            parse_schedule(argument(argc, argv, &i), options);
        else if (!strcmp(argv[i], "--persistent"))
            options->timing.persistent = 1 + atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--split"))
            options->timing.split_k = (uint32_t)atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--column-blocks"))
            options->timing.column_blocks = atoll(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--copy-threads"))
            options->copy_threads = (unsigned)atoi(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--seconds"))
            options->timing.seconds = atof(argument(argc, argv, &i));
        else if (!strcmp(argv[i], "--seed"))
            context->seed = strtoull(argument(argc, argv, &i), NULL, 0);
        else {
            fputs(usage, stderr);
            exit(2);
        }
    }
    return i;
}

/* The device of the configuration; where that has none and asks for none, lavapipe. */
static struct lava_executor *open_device(const struct options *options, struct check_context *context) {
    struct lava_config config = *lava_config_get();
    config.inspect = options->bench;
    struct lava_device *device;
    struct lava_executor *executor;
    const char *why;
    enum lava_status status = lava_device_create(&config, &device, &why);
    if (status && !config.device) {
        config.device = "cpu";
        status = lava_device_create(&config, &device, &why);
    }
    if (status) {
        printf("no device: %s\n", why);
        return NULL;
    }
    context->keeps_subnormals = device->capabilities.denorm_preserve_fp32;
    if (options->discrete) {
        device->capabilities.unified_memory = false;
        device->capabilities.denorm_preserve_fp32 = true;
    }
    if (lava_executor_create(device, options->copy_threads, &executor))
        return NULL;
    printf("device: %s, driver %#x, subgroup %u, %u multiprocessors, %.1f GiB\n", executor->capabilities.name,
           executor->capabilities.driver_version, executor->capabilities.subgroup_size,
           executor->capabilities.multiprocessors, (double)executor->capabilities.memory_bytes / 0x1p30);
    return executor;
}

static void report_kernel(struct check_context *context) {
    char text[512];
    const struct lava_pipeline *pipeline;
    struct lava_pipeline_specification specification =
        lava_pipelines_multiply(context->kernel, &context->executor->capabilities);
    if (lava_pipelines_get(context->executor->device, &specification, &pipeline))
        return;
    lava_pipelines_report(context->executor->device, pipeline, text, sizeof text);
    if (text[0])
        printf("%s: %s\n", context->kernel->name, text);
}

/* A row of the table by its name, or one that is not in the table, by its figures: MxNxK/MxN/STAGES is tile,
 * invocation and stages. For tuning. */
static const struct lava_kernel *find_kernel(const char *name) {
    static struct lava_kernel made = {.type = LAVA_TYPE_FP32, .module = LAVA_MODULE_MULTIPLY_FP32};
    const struct lava_kernel *row = lava_kernels_find(name);
    if (row)
        return row;
    if (sscanf(name, "%ux%ux%u/%ux%u/%u", &made.tile_m, &made.tile_n, &made.tile_k, &made.invocation_m,
               &made.invocation_n, &made.stages) != 6) {
        fprintf(stderr, "checkgemm: no kernel row is named %s\n", name);
        exit(2);
    }
    made.name = name;
    return &made;
}

static void test_one(struct check_context *context, const struct options *options) {
    const char *reason;
    if (!lava_kernel_fits(context->kernel, &context->executor->capabilities, &reason)) {
        printf("%-18s not on this device: %s\n", context->kernel->name, reason);
        return;
    }
    long passed = context->passed, failed = context->failed;
    check_kernel(context, options->quick);
    printf("%-18s %ld passed, %ld failed\n", context->kernel->name, context->passed - passed,
           context->failed - failed);
    fflush(stdout);
}

static void test_all(struct check_context *context, const struct options *options) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    if (options->kernel && strcmp(options->kernel, "all")) {
        context->kernel = find_kernel(options->kernel);
        test_one(context, options);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        context->kernel = &table[i];
        test_one(context, options);
    }
}

static void bench_size(struct check_context *context, struct options *options, const char *size) {
    int64_t m, n, k;
    if (sscanf(size, "%" SCNd64 "x%" SCNd64 "x%" SCNd64, &m, &n, &k) != 3) {
        m = n = k = atoll(size);
        if (m < 1) {
            fputs(usage, stderr);
            exit(2);
        }
    }
    for (int schedule = 0; schedule < (options->all_schedules ? LAVA_SCHEDULE_COUNT : 1); schedule++)
        for (int persistent = 1; persistent <= (options->all_schedules ? 2 : 1); persistent++) {
            struct bench_options timing = options->timing;
            if (options->all_schedules) {
                timing.schedule = 1 + schedule;
                timing.persistent = persistent;
            }
            bench_run(context, &timing, m, n, k);
        }
}

static void bench_all(struct check_context *context, struct options *options, int count, char **sizes) {
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    bool every = options->kernel && !strcmp(options->kernel, "all");
    if (options->kernel && !every) {
        context->kernel = options->timing.kernel = find_kernel(options->kernel);
        report_kernel(context);
    }
    if (every)
        for (size_t i = 0; i < rows; i++) {
            context->kernel = &table[i];
            if (lava_kernel_fits(&table[i], &context->executor->capabilities, NULL))
                report_kernel(context);
        }
    bench_header();
    for (int s = 0; s < count; s++) {
        if (!every)
            bench_size(context, options, sizes[s]);
        for (size_t i = 0; every && i < rows; i++) {
            options->timing.kernel = &table[i];
            if (lava_kernel_fits(&table[i], &context->executor->capabilities, NULL))
                bench_size(context, options, sizes[s]);
        }
    }
}

int main(int argc, char **argv) {
    struct check_context context = {.seed = (uint64_t)time(NULL) * 2654435761u ^ (uint64_t)getpid()};
    struct options options = {.timing = {.seconds = 0.4}, .copy_threads = 2};
    int first = parse(argc, argv, &options, &context);
    context.executor = open_device(&options, &context);
    if (!context.executor)
        return 77;
    printf("seed: %#" PRIx64 "\n", context.seed);
    if (options.bench)
        bench_all(&context, &options, argc - first, argv + first);
    else
        test_all(&context, &options);
    lava_executor_destroy(context.executor);
    printf("%ld passed, %ld failed\n", context.passed, context.failed);
    return context.failed ? 1 : context.passed ? 0 : 77;
}
