/* Times batches of small products, all together on the device and one after another on the CPU BLAS, and
 * checks some of the results.
 *
 *   batch [--type fp32|fp64] [--discrete] [--update] [--seconds S] COUNTxMxNxK ...
 *
 * --update: B is A transposed (so N must be M), and one triangle of C is computed, as by ?syrk_batch.
 * --discrete: uploads are copied first, as on a GPU with its own memory. multiply is the device's time for
 * all of the arithmetic, with operands packed on the device. Exits with 1 if a result is wrong, with 77 if
 * there is no device. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/batches.h"
#include "lib/abi/group_reader.h"
#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/base/random.h"
#include "lib/base/trace.h"
#include "lib/host/cpu_blas.h"
#include "lib/product/runner.h"
#include "lib/vk/gpu.h"

#define CHECKED_ELEMENTS 300

struct options {
    enum lava_type type;
    double seconds;
    bool discrete, update;
};

static double element(const struct lava_operation *operation, const void *matrix, int64_t index) {
    return operation->type == LAVA_TYPE_FP64 ? ((const double *)matrix)[index]
                                             : (double)((const float *)matrix)[index];
}

static void *new_matrix(enum lava_type type, int64_t count, uint64_t seed) {
    void *matrix = malloc((size_t)count * lava_type_bytes(type));
    if (!matrix) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    for (int64_t i = 0; i < count; i++) {
        double value = lava_random_signed(&seed);
        if (type == LAVA_TYPE_FP64)
            ((double *)matrix)[i] = value;
        else
            ((float *)matrix)[i] = (float)value;
    }
    return matrix;
}

static bool is_right(const struct lava_batch *batch) {
    uint64_t seed = 1;
    for (int i = 0; i < CHECKED_ELEMENTS; i++) {
        lava_random_next(&seed);
        const struct lava_operation p = lava_operation_of_series(&batch->operation, &batch->series,
                                                                 (int64_t)(seed >> 33) % batch->series.count);
        int64_t row = (int64_t)(seed >> 20) % p.m, column = (int64_t)(seed >> 40) % p.n;
        bool is_t = p.b.op == LAVA_OP_T;
        if (p.c.region == LAVA_REGION_LOWER && row < column)
            continue;
        long double sum = 0, size = 0;
        for (int64_t l = 0; l < p.k; l++) {
            long double term =
                (long double)element(&p, p.a.first, row + l * p.a.ld) *
                (long double)element(&p, p.b.first, is_t ? column + l * p.b.ld : l + column * p.b.ld);
            sum += term;
            size += fabsl(term);
        }
        double unit = p.type == LAVA_TYPE_FP64 ? 0x1p-53 : 0x1p-24;
        double off = fabs(element(&p, p.c.first, row + column * p.c.ld) - (double)sum);
        if (!(off <= 4.0 * sqrt((double)p.k + 2.0) * unit * (double)size))
            return false;
    }
    return true;
}

/* The best time of the calls, and of the device's multiply, ms. Returns false if a call failed. */
static bool time_device(struct lava_engine *engine, const struct lava_batch *batch,
                        const struct lava_plan *plan, double seconds, double *call_ms, double *multiply_ms) {
    uint64_t start_ns = lava_clock_now_ns();
    struct lava_operation operation = batch->operation;
    operation.series = &batch->series;
    *call_ms = *multiply_ms = INFINITY;
    do {
        struct lava_timing timing = {.repeat = 1};
        struct lava_progress progress;
        uint64_t before_ns = lava_clock_now_ns();
        if (lava_runner_run(engine, &operation, plan, &progress, &timing) ||
            progress.products != batch->series.count)
            return false;
        *call_ms = fmin(*call_ms, 1e-6 * (double)(lava_clock_now_ns() - before_ns));
        *multiply_ms = fmin(*multiply_ms, 1e-6 * (double)timing.multiply_ns);
    } while (1e-9 * (double)(lava_clock_now_ns() - start_ns) < seconds);
    return true;
}

static double time_cpu(const struct lava_batch *batch, double seconds) {
    uint64_t start_ns = lava_clock_now_ns();
    double best = INFINITY;
    do {
        uint64_t before_ns = lava_clock_now_ns();
        for (int64_t i = 0; i < batch->series.count; i++) {
            const struct lava_operation product =
                lava_operation_of_series(&batch->operation, &batch->series, i);
            lava_cpu_blas_run(lava_cpu_blas_get(), &product);
        }
        best = fmin(best, 1e-6 * (double)(lava_clock_now_ns() - before_ns));
    } while (1e-9 * (double)(lava_clock_now_ns() - start_ns) < seconds);
    return best;
}

static bool bench(struct lava_engine *engine, const struct options *options, const char *size) {
    static const struct lava_figures none;
    int64_t count, m, n, k;
    if (sscanf(size, "%" SCNd64 "x%" SCNd64 "x%" SCNd64 "x%" SCNd64, &count, &m, &n, &k) != 4 || count < 2 ||
        m < 1 || n < 1 || k < 1 || (options->update && m != n)) {
        fprintf(stderr, "batch: %s is not COUNTxMxNxK\n", size);
        exit(2);
    }
    struct lava_batch batch = {.operation = {.type = options->type,
                                             .c.type = options->type,
                                             .m = m,
                                             .n = n,
                                             .k = k,
                                             .a.ld = m,
                                             .b.ld = k,
                                             .c.ld = m,
                                             .alpha.real = 1,
                                             .a.first = new_matrix(options->type, count * m * k, 1),
                                             .b.first = new_matrix(options->type, count * k * n, 2),
                                             .c.first = new_matrix(options->type, count * m * n, 3)},
                               .series.count = count,
                               .series.stride_a = m * k,
                               .series.stride_b = k * n,
                               .series.stride_c = m * n};
    const void *b = batch.operation.b.first;
    if (options->update) {
        batch.operation.b = batch.operation.a;
        batch.operation.b.op = LAVA_OP_T;
        batch.operation.b_is_a = true;
        batch.operation.c.region = LAVA_REGION_LOWER;
        batch.series.stride_b = batch.series.stride_a;
    }
    struct lava_plan plan;
    double call_ms = 0, multiply_ms = 0;
    struct lava_operation together = batch.operation;
    together.series = &batch.series;
    lava_batches_choose(&together, &engine->capabilities, &none, LAVA_MODE_GPU, 0, &plan);
    bool right = plan.place == LAVA_PLACE_GPU &&
                 time_device(engine, &batch, &plan, options->seconds, &call_ms, &multiply_ms) &&
                 is_right(&batch);
    double gflop = 1e-9 * (double)count * lava_operation_flops(&batch.operation);
    printf("%-22s %-18s %9.3f %8.2f | %9.3f %9.3f | %9.3f %s\n", size, right ? plan.kernel->name : "-",
           multiply_ms, gflop / multiply_ms, call_ms, 1e-6 * plan.gpu_ns, time_cpu(&batch, options->seconds),
           right ? "ok" : "FAIL");
    free((void *)batch.operation.a.first);
    free((void *)b);
    free(batch.operation.c.first);
    return right;
}

int main(int argc, char **argv) {
    struct options options = {.type = LAVA_TYPE_FP32, .seconds = 0.5};
    const struct option names[] = {{"type", required_argument, NULL, 't'},
                                   {"seconds", required_argument, NULL, 's'},
                                   {"discrete", no_argument, NULL, 'd'},
                                   {"update", no_argument, NULL, 'u'},
                                   {0}};
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (option == 's')
            options.seconds = strtod(optarg, NULL);
        else if (option == 'd')
            options.discrete = true;
        else if (option == 'u')
            options.update = true;
        else if (option != 't' || !lava_type_from_name(optarg, &options.type) ||
                 lava_type_is_half(options.type) || lava_type_is_complex(options.type))
            return 2;
    }
    const char *why;
    struct lava_device *device;
    lava_trace_install();
    struct lava_engine *engine;
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        printf("no device: %s\n", why);
        return 77;
    }
    if (options.discrete)
        device->capabilities.unified_memory = false;
    if (lava_engine_create(device, lava_copy_pool_threads(), &engine))
        return 1;
    bool right = true;
    printf("%s, %s; CPU BLAS %s\n", engine->capabilities.name, lava_type_name(options.type),
           lava_cpu_blas_get()->path);
    printf("%-22s %-18s %9s %8s | %9s %9s | %9s\n", "count x m x n x k", "kernel", "multiply", "TFLOP/s",
           "call ms", "estimate", "CPU ms");
    for (int i = optind; i < argc; i++)
        right = bench(engine, &options, argv[i]) && right;
    lava_engine_destroy(engine);
    return right ? 0 : 1;
}
