/* Times matrices on the device times vectors of the host's, and checks some elements.
 *
 *   vector_rates [--types s,d,c,z] [--orders N,N...] [--seconds S] [--rate GB/s] [--sweep] [--forms TEXT]
 *
 * "kernel" is the device's time, "call" that from the host's vectors to the host's vector; medians of S
 * seconds. GB/s count A once, of symmetric matrices one triangle. --rate is what the share is of. --sweep
 * tries other numbers for the kernels and prints the best ones. --staging: the vectors are in host memory
 * that the device copies. Exits with 1 if a result is wrong, with 77 if there is no device. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/host/numbers.h"
#include "lib/level2/vector.h"
#include "lib/level2/vector_kernel.h"
#include "lib/vk/gpu.h"
#include "open_device.h"
#include "vector_bench.h"

#define CHECKED 20
#define REPEATS 9
#define BEST    4
#define MOST    64

struct options {
    const char *types, *forms;
    int64_t orders[MOST];
    int order_count;
    double seconds, rate;
    bool sweeps;
};

static const struct form {
    const char *name;
    struct lava_operand a;
    bool solves;
} forms[] = {
    {"gemv N", {.op = LAVA_OP_N}, false},
    {"gemv T", {.op = LAVA_OP_T}, false},
    {"symv L", {.structure = LAVA_STRUCTURE_SYMMETRIC, .stored = LAVA_REGION_LOWER}, false},
    {"symv U", {.structure = LAVA_STRUCTURE_SYMMETRIC, .stored = LAVA_REGION_UPPER}, false},
    {"trmv LN",
     {.op = LAVA_OP_N, .structure = LAVA_STRUCTURE_TRIANGULAR, .stored = LAVA_REGION_LOWER},
     false},
    {"trmv UT",
     {.op = LAVA_OP_T, .structure = LAVA_STRUCTURE_TRIANGULAR, .stored = LAVA_REGION_UPPER},
     false},
    {"trsv LN", {.op = LAVA_OP_N, .structure = LAVA_STRUCTURE_TRIANGULAR, .stored = LAVA_REGION_LOWER}, true},
    {"trsv LT", {.op = LAVA_OP_T, .structure = LAVA_STRUCTURE_TRIANGULAR, .stored = LAVA_REGION_LOWER}, true},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

struct bench {
    struct lava_engine *engine;
    enum lava_type type;
    int64_t n;
    void *a, *x, *y;
    struct lava_device_matrix on_device;
};

static struct lava_operation operation_of(const struct bench *x, const struct form *form) {
    struct lava_operation operation = {.kind = form->solves ? LAVA_OPERATION_SOLVE_VECTOR
                                                            : LAVA_OPERATION_MATRIX_VECTOR,
                                       .in_place = form->solves,
                                       .type = x->type,
                                       .m = x->n,
                                       .n = 1,
                                       .k = x->n,
                                       .a = form->a,
                                       .b = {.first = x->x, .ld = 1},
                                       .c = {.first = x->y, .ld = 1, .type = x->type},
                                       .alpha.real = 1};
    operation.a.first = x->a;
    operation.a.ld = x->n;
    return operation;
}

/* A solve begins with the right-hand side in its place. */
static void reset(const struct bench *x, const struct form *form) {
    size_t bytes = (size_t)x->n * lava_type_bytes(x->type);
    if (form->solves)
        memcpy(x->y, x->x, bytes);
    else
        memset(x->y, 0xff, bytes);
}

static struct lava_number element(const struct bench *x, const struct form *form, int64_t i, int64_t j) {
    const struct lava_operand *a = &form->a;
    bool transposed = a->op == LAVA_OP_T;
    int64_t row = transposed ? j : i, column = transposed ? i : j;
    bool is_stored = a->structure == LAVA_STRUCTURE_GENERAL ||
                     (a->stored == LAVA_REGION_LOWER ? row >= column : row <= column);
    if (!is_stored && a->structure == LAVA_STRUCTURE_TRIANGULAR)
        return (struct lava_number){0, 0};
    return lava_number_read(x->type, lava_operation_element(x->a, x->type, is_stored ? row : column,
                                                            is_stored ? column : row, x->n));
}

/* Compares some elements with sums in fp64, in units of the bound of a sum. */
static bool is_right(const struct bench *x, const struct form *form) {
    unsigned seed = 7;
    double unit = lava_type_facts(x->type)->unit, fp64 = 0x1p-53;
    for (int q = 0; q < CHECKED; q++) {
        int64_t i = q == 0 ? x->n - 1 : rand_r(&seed) % x->n;
        struct lava_number sum = {0, 0};
        double size = 0;
        for (int64_t j = 0; j < x->n; j++) {
            const void *vector = form->solves ? x->y : x->x;
            struct lava_number a = element(x, form, i, j),
                               b = lava_number_read(x->type,
                                                    lava_operation_element(vector, x->type, j, 0, x->n)),
                               product = lava_number_times(a, b);
            sum.real += product.real;
            sum.imaginary += product.imaginary;
            size += hypot(a.real, a.imaginary) * hypot(b.real, b.imaginary);
        }
        const void *result = form->solves ? x->x : x->y;
        struct lava_number got =
            lava_number_read(x->type, lava_operation_element(result, x->type, i, 0, x->n));
        double error = hypot(got.real - sum.real, got.imaginary - sum.imaginary),
               bound = 2 * (double)(x->n + 4) * (unit + fp64) * size;
        if (!(error <= bound)) {
            printf("%s of %s: y(%" PRId64 ") is %.9g, not %.9g\n", form->name, lava_type_name(x->type), i,
                   got.real, sum.real);
            return false;
        }
    }
    return true;
}

/* The device's time, us. Infinity: it cannot run. */
static double time_kernel(const struct bench *x, const struct form *form,
                          const struct lava_vector_tuning *tuning) {
    struct lava_device *device = x->engine->device;
    const struct lava_operation operation = operation_of(x, form);
    struct lava_vector_kernel kernel;
    if (!lava_vector_kernel_plan(&operation, x->on_device.ld, &x->engine->capabilities, tuning, &kernel))
        return INFINITY;
    struct lava_arena_vectors vectors;
    struct lava_vector_pipelines pipelines;
    struct lava_commands commands;
    struct lava_point done;
    if (lava_arena_take_vectors(&x->engine->arena, device, kernel.x_bytes, kernel.y_bytes, kernel.sums_bytes,
                                &vectors) ||
        lava_vector_kernel_pipelines(device, &kernel, &pipelines) ||
        lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands))
        return INFINITY;
    const struct lava_vector_places places = {.a = lava_device_matrix_address(&x->on_device),
                                              .x = vectors.in->address,
                                              .y = vectors.out->address,
                                              .sums = vectors.sums->address};
    lava_queue_reset_stamps(device, &commands);
    for (uint32_t i = 0; i < REPEATS; i++) {
        lava_queue_stamp(device, &commands, 2 * i);
        lava_vector_kernel_record(device, &commands, &kernel, &pipelines, &places);
        lava_queue_stamp(device, &commands, 2 * i + 1);
        lava_queue_barrier_dispatch(device, &commands);
    }
    struct lava_interval intervals[REPEATS];
    double us[REPEATS];
    if (lava_queue_submit(device, &commands, NULL, 0, &done) ||
        lava_queue_wait(device, done, lava_device_timeout_ns(device)) ||
        !lava_queue_read_stamps(device, LAVA_ROLE_COMPUTE, REPEATS, intervals))
        return INFINITY;
    for (int i = 0; i < REPEATS; i++)
        us[i] = 1e-3 * (double)(intervals[i].end_ns - intervals[i].begin_ns);
    return vector_bench_median(us, REPEATS);
}

/* A call of lava_vector_multiply. */
struct device_call {
    const struct bench *bench;
    const struct form *form;
    struct lava_operation operation;
};

static void reset_call(void *context) {
    const struct device_call *call = context;
    reset(call->bench, call->form);
}

static bool run_call(void *context) {
    const struct device_call *call = context;
    return !lava_vector_multiply(call->bench->engine, &call->operation, &call->bench->on_device, 1e6);
}

/* From vectors to vector, us: the median, and the least. */
static double time_call(const struct bench *x, const struct form *form, double seconds, double *least_us) {
    struct device_call call = {x, form, operation_of(x, form)};
    const struct vector_bench_timed timed = {reset_call, run_call, &call};
    return vector_bench_time(&timed, seconds, least_us);
}

/* A submission of nothing, and the wait for it. */
static double time_nothing(struct lava_engine *engine) {
    struct lava_device *device = engine->device;
    double us[100];
    for (int i = 0; i < 100; i++) {
        struct lava_commands commands;
        struct lava_point done;
        uint64_t before_ns = lava_clock_now_ns();
        if (lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands) ||
            lava_queue_submit(device, &commands, NULL, 0, &done) ||
            lava_queue_wait(device, done, lava_device_timeout_ns(device)))
            return INFINITY;
        us[i] = 1e-3 * (double)(lava_clock_now_ns() - before_ns);
    }
    return vector_bench_median(us, 100);
}

static double bytes_of(const struct bench *x, const struct form *form) {
    const struct lava_operation operation = operation_of(x, form);
    return lava_operation_operand_bytes(&operation);
}

struct variant {
    struct lava_vector_tuning tuning;
    double us;
};

static int compare_variants(const void *a, const void *b) {
    return vector_bench_compare(&((const struct variant *)a)->us, &((const struct variant *)b)->us);
}

static void print_variant(const struct bench *x, const struct form *form, const struct variant *variant) {
    printf("    %4u invocations, %3u lanes, unroll %2u, groups %5u: %8.1f us, %6.0f GB/s\n",
           variant->tuning.invocations, variant->tuning.lanes, variant->tuning.unroll, variant->tuning.groups,
           variant->us, 1e-3 * bytes_of(x, form) / variant->us);
}

static void sweep(const struct bench *x, const struct form *form) {
    static struct variant variants[1000];
    int count = 0;
    const struct lava_capabilities *device = &x->engine->capabilities;
    for (uint32_t invocations = 128; invocations <= 512; invocations *= 2)
        for (uint32_t unroll = 2; unroll * lava_type_bytes(x->type) <= LAVA_VECTOR_SHARED_EACH; unroll *= 2)
            for (uint32_t lanes = 16; lanes <= invocations; lanes *= 2)
                for (uint32_t groups = 512; groups <= 8192; groups *= 2) {
                    const struct lava_vector_tuning tuning = {invocations, lanes, unroll, groups};
                    if (unroll > lanes || invocations > device->max_workgroup_invocations ||
                        invocations * LAVA_VECTOR_SHARED_EACH > device->max_shared_bytes)
                        continue;
                    variants[count++] = (struct variant){tuning, time_kernel(x, form, &tuning)};
                }
    qsort(variants, (size_t)count, sizeof variants[0], compare_variants);
    printf("  %s %s %" PRId64 ", best of %d:\n", form->name, lava_type_name(x->type), x->n, count);
    for (int i = 0; i < count && i < BEST; i++)
        print_variant(x, form, &variants[i]);
    /* the best for each number of lanes and unroll tells how much each matters */
    for (uint32_t lanes = 16; lanes <= 512; lanes *= 2)
        for (int i = 0; i < count; i++)
            if (variants[i].tuning.lanes == lanes) {
                print_variant(x, form, &variants[i]);
                break;
            }
}

static bool bench_one(struct bench *x, const struct options *options) {
    bool is_good = true;
    for (int i = 0; i < FORMS; i++) {
        const struct form *form = &forms[i];
        const struct lava_operation operation = operation_of(x, form);
        double least_us, kernel_us, call_us, bytes = bytes_of(x, form);
        if (!strstr(form->name, options->forms))
            continue;
        reset(x, form);
        if (lava_vector_multiply(x->engine, &operation, &x->on_device, 1e6) || !is_right(x, form)) {
            printf("%-8s %-5s %6" PRId64 " is wrong\n", form->name, lava_type_name(x->type), x->n);
            is_good = false;
            continue;
        }
        kernel_us = time_kernel(x, form, NULL);
        call_us = time_call(x, form, options->seconds, &least_us);
        printf("%-8s %-5s %6" PRId64
               "  kernel %8.1f us %6.0f GB/s %3.0f%%  call %8.1f us (least %8.1f) %6.0f GB/s\n",
               form->name, lava_type_name(x->type), x->n, kernel_us, 1e-3 * bytes / kernel_us,
               1e-1 * bytes / kernel_us / options->rate, call_us, least_us, 1e-3 * bytes / call_us);
        if (options->sweeps && i < 3)
            sweep(x, form);
        fflush(stdout);
    }
    return is_good;
}

/* Returns false if a result is wrong. Without room for the matrix nothing is timed. */
static bool bench_order(struct lava_engine *engine, enum lava_type type, int64_t n,
                        const struct options *options) {
    struct bench x = {.engine = engine, .type = type, .n = n};
    struct lava_stream stream;
    if (lava_device_matrix_create(engine, type, n, n, &x.on_device)) {
        printf("no room for %s %" PRId64 "\n", lava_type_name(type), n);
        return true;
    }
    x.a = vector_bench_new_numbers(type, n * n, 1);
    for (int64_t i = 0; i < n; i++) /* so that solutions do not grow */
        lava_number_write(type, lava_operation_element(x.a, type, i, i, n),
                          (struct lava_number){(double)n, 0});
    x.x = vector_bench_new_numbers(type, n, 2);
    x.y = vector_bench_new_numbers(type, n, 3);
    lava_stream_open(&stream, engine, false);
    bool is_good = !lava_stream_close(&stream, lava_device_matrix_upload(&stream, &x.on_device, x.a, n)) &&
                   bench_one(&x, options);
    lava_device_matrix_free(engine, &x.on_device);
    free(x.a);
    free(x.x);
    free(x.y);
    return is_good;
}

static void read_orders(const char *text, struct options *options) {
    options->order_count = vector_bench_read_orders("vector_rates", text, options->orders, MOST);
}

static void read_options(int argc, char **argv, struct options *options) {
    static const struct option names[] = {{"types", required_argument, NULL, 't'},
                                          {"orders", required_argument, NULL, 'o'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"rate", required_argument, NULL, 'r'},
                                          {"sweep", no_argument, NULL, 'w'},
                                          {"forms", required_argument, NULL, 'f'},
                                          {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (c == 't')
            options->types = optarg;
        else if (c == 'o')
            read_orders(optarg, options);
        else if (c == 's')
            options->seconds = strtod(optarg, NULL);
        else if (c == 'r')
            options->rate = strtod(optarg, NULL);
        else if (c == 'f')
            options->forms = optarg;
        else if (c == 'w')
            options->sweeps = true;
        else
            exit(2);
    }
}

int main(int argc, char **argv) {
    struct options options = {.types = "s,d,c,z", .forms = "", .seconds = 0.2, .rate = 3350};
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    bool is_good = true;
    read_orders("1024,2048,4096,8192,16384", &options);
    read_options(argc, argv, &options);
    struct lava_engine *engine = open_device(8);
    printf("%s; a submission of nothing takes %.1f us\n", engine->capabilities.label, time_nothing(engine));
    for (size_t i = 0; i < 4; i++)
        for (int j = 0; j < options.order_count && strchr(options.types, "sdcz"[i]); j++)
            is_good = bench_order(engine, types[i], options.orders[j], &options) && is_good;
    if (engine->arena.buffers[LAVA_ARENA_VECTOR_IN].bytes == 0)
        printf("x is copied from host memory in each call\n");
    lava_engine_destroy(engine);
    return is_good ? 0 : 1;
}
