/* Times products of matrices that stay on the device, one after another in a stream, and checks some
 * elements.
 *
 *   device_product [--type fp32|fp64|cfp32|cfp64] [--lower] [--count N] [--seconds S] [--residues]
 *                  [--left|--mixed] [--host] MxNxK ...
 *
 *   --residues  fp64, cfp64: each product also by residues, in each way that the device has
 *               (dispatch/residue_choice.h)
 *   --left      with numbers that the screen of residues leaves to fp64
 *   --mixed     with such numbers in half of A's rows
 *   --host      from host memory to host memory instead, one product at a time; C <- -A B
 *
 * C <- C - A B, with --lower the lower triangle of C alone. Each stream has N products. "each" is the time of
 * a stream, from the first call to the end of the device's work, by product; the other times are the
 * device's. Exits with 1 if a result is wrong, with 77 if there is no device. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/residue_choice.h"
#include "lib/base/clock.h"
#include "lib/lapack/device_matrix.h"
#include "lib/product/runner.h"
#include "lib/vk/gpu.h"
#include "open_device.h"

#define CHECKED_ELEMENTS 300
#define WARM_S           0.3
#define MOST_PRODUCTS    (LAVA_QUEUE_STAMP_PAIRS / 3) /* each has three timed intervals */

struct options {
    enum lava_type type;
    enum lava_region region;
    int count;
    double seconds;
    bool by_residues, is_left, is_mixed, on_host;
    struct lava_overrides overrides;
};

/* Matrices of small integers, so that results are exact in fp32 as long as K times the products stays below
 * 2^20. */
struct bench {
    int64_t m, n, k;
    int numbers; /* per element: 2 for complex types */
    void *host[3];
    struct lava_device_matrix on_device[3];
};

static double number(enum lava_type type, const void *matrix, int64_t index) {
    return lava_type_real(type) == LAVA_TYPE_FP64 ? ((const double *)matrix)[index]
                                                  : (double)((const float *)matrix)[index];
}

static void *new_matrix(enum lava_type type, int64_t numbers, unsigned seed, double scale) {
    void *matrix = malloc((size_t)numbers * lava_type_bytes(lava_type_real(type)));
    if (!matrix) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    for (int64_t i = 0; i < numbers; i++) {
        double value = scale * (rand_r(&seed) % 3 - 1);
        if (lava_type_real(type) == LAVA_TYPE_FP64)
            ((double *)matrix)[i] = value;
        else
            ((float *)matrix)[i] = (float)value;
    }
    return matrix;
}

/* One part of element (i, j) of A B. */
static double expected(const struct bench *x, enum lava_type type, int64_t i, int64_t j, int part) {
    double sum = 0;
    for (int64_t l = 0; l < x->k; l++) {
        int64_t a = (l * x->m + i) * x->numbers, b = (j * x->k + l) * x->numbers;
        if (x->numbers == 1)
            sum += number(type, x->host[0], a) * number(type, x->host[1], b);
        else if (part == 0)
            sum += number(type, x->host[0], a) * number(type, x->host[1], b) -
                   number(type, x->host[0], a + 1) * number(type, x->host[1], b + 1);
        else
            sum += number(type, x->host[0], a) * number(type, x->host[1], b + 1) +
                   number(type, x->host[0], a + 1) * number(type, x->host[1], b);
    }
    return sum;
}

/* Checks C <- C0 - A B of one product. */
static bool is_right(const struct bench *x, const struct options *options, const void *got) {
    unsigned seed = 7;
    for (int q = 0; q < CHECKED_ELEMENTS; q++) {
        int64_t i = rand_r(&seed) % x->m, j = rand_r(&seed) % x->n;
        int part = q % x->numbers;
        int64_t at = (j * x->m + i) * x->numbers + part;
        bool written = options->region == LAVA_REGION_ALL || i >= j;
        double wanted = options->on_host ? 0 : number(options->type, x->host[2], at);
        if (written)
            wanted -= expected(x, options->type, i, j, part);
        if (written && number(options->type, got, at) != wanted) {
            printf("C(%" PRId64 ", %" PRId64 ") is %g, not %g\n", i, j, number(options->type, got, at),
                   wanted);
            return false;
        }
    }
    return true;
}

static struct lava_device_product product_of(const struct bench *x, const struct options *options) {
    return (struct lava_device_product){.a = x->on_device[0],
                                        .b = x->on_device[1],
                                        .c = x->on_device[2],
                                        .alpha.real = -1,
                                        .beta.real = 1,
                                        .region = options->region,
                                        .overrides = &options->overrides};
}

/* One product from host memory to host memory, with C in `got`. Returns its time, ms; 0: it failed. */
static double multiply_on_host(struct lava_engine *engine, const struct bench *x,
                               const struct options *options, void *got) {
    const struct lava_operation operation = {.type = options->type,
                                             .m = x->m,
                                             .n = x->n,
                                             .k = x->k,
                                             .a = {.first = x->host[0], .ld = x->m},
                                             .b = {.first = x->host[1], .ld = x->k},
                                             .c = {.first = got, .ld = x->m, .type = options->type},
                                             .alpha.real = -1};
    struct lava_progress progress;
    struct lava_plan plan;
    uint64_t before_ns = lava_clock_now_ns();
    lava_policy_choose(&operation, &engine->capabilities, engine->figures, LAVA_MODE_GPU, &options->overrides,
                       &plan);
    if (plan.place != LAVA_PLACE_GPU || lava_runner_run(engine, &operation, &plan, &progress, NULL))
        return 0;
    return 1e-6 * (double)(lava_clock_now_ns() - before_ns);
}

/* Checked, and the best time. */
static bool time_on_host(struct lava_engine *engine, const struct bench *x, const struct options *options,
                         double *each_ms) {
    void *got = new_matrix(options->type, x->m * x->n * x->numbers, 1, 1);
    uint64_t start_ns = lava_clock_now_ns();
    bool fine = true;
    *each_ms = INFINITY;
    do {
        double ms = multiply_on_host(engine, x, options, got);
        fine = ms > 0;
        *each_ms = fmin(*each_ms, ms);
    } while (fine && 1e-9 * (double)(lava_clock_now_ns() - start_ns) < options->seconds + WARM_S);
    fine = fine && is_right(x, options, got);
    free(got);
    return fine;
}

static enum lava_status upload(struct lava_engine *engine, const struct bench *x) {
    const int64_t leading[] = {x->m, x->k, x->m};
    struct lava_stream stream;
    enum lava_status status = LAVA_OK;
    lava_stream_open(&stream, engine, false);
    for (int i = 0; i < 3 && !status; i++)
        status = lava_device_matrix_upload(&stream, &x->on_device[i], x->host[i], leading[i]);
    return lava_stream_close(&stream, status);
}

/* One product, checked. */
static bool check(struct lava_engine *engine, const struct bench *x, const struct options *options) {
    const struct lava_device_product product = product_of(x, options);
    void *got = new_matrix(options->type, x->m * x->n * x->numbers, 1, 1);
    struct lava_stream stream;
    lava_stream_open(&stream, engine, false);
    enum lava_status status = lava_device_product(&stream, &product);
    if (!status)
        status = lava_device_matrix_download(&stream, &x->on_device[2], options->region, got, x->m);
    status = lava_stream_close(&stream, status);
    bool right = !status && is_right(x, options, got);
    free(got);
    return right;
}

/* The best stream: ms by product, and what the device took of it, by kind. */
static bool time_streams(struct lava_engine *engine, const struct bench *x, const struct options *options,
                         double *each_ms, uint64_t kinds[LAVA_STAMP_KINDS]) {
    const struct lava_device_product product = product_of(x, options);
    uint64_t start_ns = lava_clock_now_ns();
    *each_ms = INFINITY;
    do {
        uint64_t before_ns = lava_clock_now_ns(), sums[LAVA_STAMP_KINDS];
        struct lava_stream stream;
        enum lava_status status = LAVA_OK;
        lava_stream_open(&stream, engine, true);
        for (int i = 0; i < options->count && !status; i++)
            status = lava_device_product(&stream, &product);
        if (lava_stream_close(&stream, status))
            return false;
        double ms = 1e-6 * (double)(lava_clock_now_ns() - before_ns) / options->count;
        lava_stream_time(&stream, sums);
        if (ms < *each_ms) {
            *each_ms = ms;
            memcpy(kinds, sums, sizeof sums);
        }
    } while (1e-9 * (double)(lava_clock_now_ns() - start_ns) < options->seconds + WARM_S);
    return true;
}

/* One way to compute the product: as the overrides say. */
static bool run_way(struct lava_engine *engine, const struct bench *x, const struct options *options,
                    const char *size) {
    uint64_t kinds[LAVA_STAMP_KINDS] = {0};
    double each_ms = 0, share = options->region == LAVA_REGION_ALL ? 1 : 0.5;
    bool fine = options->on_host ? time_on_host(engine, x, options, &each_ms)
                                 : !upload(engine, x) && check(engine, x, options) &&
                                       time_streams(engine, x, options, &each_ms, kinds);
    double flop = share * 2.0 * x->numbers * x->numbers * (double)x->m * (double)x->n * (double)x->k;
    const struct lava_residue_way *way = options->overrides.residue_way;
    printf("%-20s %9.3f %8.2f | %9.3f %9.3f %9.3f | %s%s%s\n", size, each_ms, 1e-9 * flop / each_ms,
           1e-6 * (double)kinds[LAVA_STAMP_PACK] / options->count,
           1e-6 * (double)kinds[LAVA_STAMP_MULTIPLY] / options->count,
           1e-6 * (double)kinds[LAVA_STAMP_EPILOGUE] / options->count, fine ? "ok" : "FAIL", way ? ", " : "",
           way ? way->name : "");
    fflush(stdout);
    return fine;
}

/* The plain way, and, if residues are wanted, each of theirs. */
static bool run_ways(struct lava_engine *engine, const struct bench *x, struct options options,
                     const char *size) {
    size_t count;
    const struct lava_residue_way *ways = lava_residue_ways(&count);
    options.overrides = (struct lava_overrides){.residues = LAVA_RESIDUE_OFF};
    bool fine = run_way(engine, x, &options, size);
    for (size_t i = 0; i < count && options.by_residues; i++) {
        options.overrides = (struct lava_overrides){.residues = LAVA_RESIDUE_ON, .residue_way = &ways[i]};
        if (lava_residue_way_fits(&ways[i], &engine->capabilities) &&
            (ways[i].on_software || engine->capabilities.kind != LAVA_DEVICE_CPU))
            fine = run_way(engine, x, &options, size) && fine;
    }
    return fine;
}

/* The screen leaves the first half of A's rows. */
static void scale_rows(const struct bench *x) {
    double *a = x->host[0];
    for (int64_t l = 0; l < x->k; l++)
        for (int64_t i = 0; i < x->m / 2 * x->numbers; i++)
            a[l * x->m * x->numbers + i] *= 0x1p500;
}

static bool run(struct lava_engine *engine, const struct options *options, const char *size) {
    struct bench x = {.numbers = lava_type_is_complex(options->type) ? 2 : 1};
    if (sscanf(size, "%" SCNd64 "x%" SCNd64 "x%" SCNd64, &x.m, &x.n, &x.k) != 3 || x.m < 1 || x.n < 1 ||
        x.k < 1 || (options->region != LAVA_REGION_ALL && x.m != x.n)) {
        fprintf(stderr, "device_product: %s is not MxNxK\n", size);
        exit(2);
    }
    const int64_t rows[] = {x.m, x.k, x.m}, columns[] = {x.k, x.n, x.n};
    const double scales[] = {0x1p500, 0x1p-500, 1}; /* the screen leaves such exponents */
    bool fine = true;
    for (int i = 0; i < 3; i++) {
        x.host[i] = new_matrix(options->type, rows[i] * columns[i] * x.numbers, (unsigned)i,
                               options->is_left ? scales[i] : 1);
        fine = fine && (options->on_host || !lava_device_matrix_create(engine, options->type, rows[i],
                                                                       columns[i], &x.on_device[i]));
    }
    if (options->is_mixed)
        scale_rows(&x);
    fine = fine && run_ways(engine, &x, *options, size);
    for (int i = 0; i < 3; i++) {
        free(x.host[i]);
        lava_device_matrix_free(engine, &x.on_device[i]);
    }
    return fine;
}

static bool parse(int argc, char **argv, struct options *options) {
    const struct option names[] = {{"type", required_argument, NULL, 't'},
                                   {"lower", no_argument, NULL, 'l'},
                                   {"count", required_argument, NULL, 'c'},
                                   {"seconds", required_argument, NULL, 's'},
                                   {"residues", no_argument, NULL, 'r'},
                                   {"left", no_argument, NULL, 'e'},
                                   {"host", no_argument, NULL, 'h'},
                                   {"mixed", no_argument, NULL, 'm'},
                                   {0}};
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (option == 's')
            options->seconds = strtod(optarg, NULL);
        else if (option == 'l')
            options->region = LAVA_REGION_LOWER;
        else if (option == 'c')
            options->count = atoi(optarg);
        else if (option == 'r')
            options->by_residues = true;
        else if (option == 'e')
            options->is_left = true;
        else if (option == 'm')
            options->is_mixed = true;
        else if (option == 'h')
            options->on_host = true;
        else if (option != 't' || !lava_type_from_name(optarg, &options->type) ||
                 lava_type_is_half(options->type))
            return false;
    }
    return options->count >= 1 && options->count <= MOST_PRODUCTS &&
           (lava_type_real(options->type) == LAVA_TYPE_FP64 ||
            !(options->by_residues || options->is_left || options->is_mixed)) &&
           (options->region == LAVA_REGION_ALL || !lava_type_is_complex(options->type) ||
            !options->by_residues) &&
           (options->region == LAVA_REGION_ALL || !options->on_host);
}

int main(int argc, char **argv) {
    struct options options = {.type = LAVA_TYPE_FP32, .count = 10, .seconds = 0.5};
    if (!parse(argc, argv, &options))
        return 2;
    struct lava_engine *engine = open_device(lava_copy_pool_threads());
    printf("%s, %s%s, %d products a stream, times in ms\n", engine->capabilities.name,
           lava_type_name(options.type), options.region == LAVA_REGION_ALL ? "" : ", lower triangle",
           options.count);
    printf("%-20s %9s %8s | %9s %9s %9s\n", "m x n x k", "each", "TFLOP/s", "pack", "multiply", "update");
    bool right = true;
    for (int i = optind; i < argc; i++)
        right = run(engine, &options, argv[i]) && right;
    lava_engine_destroy(engine);
    return right ? 0 : 1;
}
