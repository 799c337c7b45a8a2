/* Multiplies fp64 matrices that stay on the device by residues (doc/notes/fp64-by-integers.md), checks
 * elements bit by bit with the model of perf/residues, and times the steps.
 *
 *   residues_device [--kernel matrices|dot|whole|narrow] [--order fragments|lines]
 *                   [--combine fp64|integers] [--tile MxN] [--part MxN] [--invocations I] [--group G]
 *                   [--counts N] [--panel K] [--sums BYTES] [--ops nn|nt|tn|tt] [--normal] [--uneven]
 *                   [--seconds S] MxNxK ...
 *
 * C <- alpha op(A) op(B) + beta C.
 *   --kernel   matrices: of a subgroup. dot: products of four bytes; tiles are of 64x64 at most
 *              whole: a tile is one matrix of the workgroup (VK_NV_cooperative_matrix2)
 *              narrow: its sums are stored as residues, too
 *   --combine  how elements are put together; the default is fp64, if the device has it
 *   --order    of residues for matrices of a subgroup; the default is fragments
 *   --panel    longer K is multiplied panel by panel
 *   --sums     room for sums: C is computed by columns of tiles
 *   --uneven   data of which the screen leaves some tiles, which stay as they were
 * Times are the device's, the least of several runs. Exits with 1 if a result is wrong, with 77 if there is
 * no device, or it has not what the kernel needs. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/vk/gpu.h"
#include "perf/residues/bench.h"

#define WARM_S 0.3

static bool run(const struct options *options, struct lava_device *device, const char *size) {
    struct bench x = {.options = options, .device = device};
    double best[STEP_COUNT + 1] = {0}, ms[STEP_COUNT + 1];
    if (sscanf(size, "%" SCNd64 "x%" SCNd64 "x%" SCNd64, &x.m, &x.n, &x.k) != 3 || x.m < 1 || x.n < 1 ||
        x.k < 1) {
        fprintf(stderr, "residues_device: %s is not MxNxK\n", size);
        exit(2);
    }
    lava_residues_prepare(options->count, &x.residues);
    bool fine =
        !bench_create(&x) && !bench_get_pipelines(&x) && !bench_multiply(&x, best) && bench_is_right(&x);
    uint64_t start_ns = lava_clock_now_ns();
    while (fine && options->seconds > 0 &&
           1e-9 * (double)(lava_clock_now_ns() - start_ns) < options->seconds + WARM_S) {
        fine = !bench_multiply(&x, ms);
        if (ms[STEP_COUNT] < best[STEP_COUNT])
            memcpy(best, ms, sizeof best);
    }
    double flop = 2.0 * (double)x.m * (double)x.n * (double)x.k;
    printf("%-20s %9.3f %8.2f | %9.3f %9.3f %9.3f | %8.1f | %" PRId64 " left | %s\n", size, best[STEP_COUNT],
           1e-9 * flop / best[STEP_COUNT], best[STEP_CONVERT], best[STEP_MULTIPLY], best[STEP_COMBINE],
           1e-9 * flop * options->count / best[STEP_MULTIPLY], x.left, fine ? "ok" : "FAIL");
    fflush(stdout);
    bench_destroy(&x);
    return fine;
}

static const char *const kernel_names[BENCH_KERNELS] = {"matrices", "dot", "whole", "narrow"};

/* BENCH_KERNELS: there is no such kernel. */
static enum bench_kernel kernel_of(const char *name) {
    int i = 0;
    while (i < BENCH_KERNELS && strcmp(name, kernel_names[i]) != 0)
        i++;
    return (enum bench_kernel)i;
}

static bool runs(const struct lava_device *device, const struct options *options) {
    bool combines = options->integers ? options->kernel != BENCH_NARROW : device->capabilities.fp64;
    return combines && (options->kernel == BENCH_DOT        ? device->capabilities.integer_products
                        : options->kernel == BENCH_MATRICES ? device->capabilities.integer_shape.m > 0
                                                            : device->capabilities.whole_matrices);
}

static bool parse_combine(const char *text, struct options *options) {
    options->integers = !strcmp(text, "integers");
    return options->integers || !strcmp(text, "fp64");
}

static bool parse_order(const char *text, struct options *options) {
    options->lines = !strcmp(text, "lines");
    return options->lines || !strcmp(text, "fragments");
}

static bool parse_ops(const char *text, struct options *options) {
    for (int side = 0; side < 2; side++) {
        if (text[side] != 'n' && text[side] != 't')
            return false;
        options->transposed[side] = text[side] == 't';
    }
    return text[2] == '\0';
}

static bool parse(int argc, char **argv, struct options *options) {
    static const struct option names[] = {{"kernel", required_argument, NULL, 'w'},
                                          {"combine", required_argument, NULL, 'm'},
                                          {"order", required_argument, NULL, 'l'},
                                          {"normal", no_argument, NULL, 'r'},
                                          {"tile", required_argument, NULL, 't'},
                                          {"part", required_argument, NULL, 'p'},
                                          {"ops", required_argument, NULL, 'o'},
                                          {"invocations", required_argument, NULL, 'i'},
                                          {"group", required_argument, NULL, 'g'},
                                          {"counts", required_argument, NULL, 'c'},
                                          {"panel", required_argument, NULL, 'k'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"sums", required_argument, NULL, 'b'},
                                          {"uneven", no_argument, NULL, 'u'},
                                          {0}};
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (option == 'w')
            options->kernel = kernel_of(optarg);
        else if (option == 'r')
            options->normal = true;
        else if (option == 'u')
            options->uneven = true;
        else if (option == 'b')
            options->sums_bytes = strtoull(optarg, NULL, 10);
        else if (option == 'i')
            options->invocations = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'g')
            options->group = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'c')
            options->count = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'k')
            options->panel = strtoll(optarg, NULL, 10);
        else if (option == 's')
            options->seconds = strtod(optarg, NULL);
        else if (!(option == 'm' && parse_combine(optarg, options)) &&
                 !(option == 'l' && parse_order(optarg, options)) &&
                 !(option == 'o' && parse_ops(optarg, options)) &&
                 !(option == 't' && sscanf(optarg, "%ux%u", &options->tile_m, &options->tile_n) == 2) &&
                 !(option == 'p' && sscanf(optarg, "%ux%u", &options->part_m, &options->part_n) == 2))
            return false;
    }
    return options->kernel < BENCH_KERNELS && options->count >= LAVA_RESIDUES_LEAST &&
           options->count <= LAVA_RESIDUES_MOST && options->panel >= 1 &&
           options->panel <= LAVA_RESIDUES_MOST_K && options->group >= 1 && bench_is_tile(options->tile_m) &&
           bench_is_tile(options->tile_n);
}

int main(int argc, char **argv) {
    struct options options = {.tile_m = 256,
                              .tile_n = 128,
                              .part_m = 64,
                              .part_n = 64,
                              .invocations = 256,
                              .group = 8,
                              .count = LAVA_RESIDUES_STANDARD,
                              .panel = LAVA_RESIDUES_STANDARD_K,
                              .seconds = 0.5,
                              .alpha = 1,
                              .sums_bytes = UINT64_C(3) << 30};
    const char *why;
    struct lava_device *device;
    bool right = true;
    if (!parse(argc, argv, &options))
        return 2;
    struct lava_config config = *lava_config_get();
    config.residues = LAVA_RESIDUE_ON;
    if (lava_gpu_open(&config, &device, &why)) {
        printf("no device: %s\n", why);
        return 77;
    }
    options.integers = options.integers || !device->capabilities.fp64;
    if (!runs(device, &options)) {
        printf("%s has not what the kernel needs\n", device->capabilities.name);
        return 77;
    }
    lava_device_set_timeout(device, BENCH_TIMEOUT_NS);
    printf("%s, %u moduli, %s%s, combined in %s, tile %ux%u, times in ms\n", device->capabilities.name,
           options.count, kernel_names[options.kernel],
           options.kernel == BENCH_MATRICES && options.lines ? " of lines" : "",
           options.integers ? "integers" : "fp64", options.tile_m, options.tile_n);
    printf("%-20s %9s %8s | %9s %9s %9s | %8s\n", "m x n x k", "all", "TFLOP/s", "convert", "multiply",
           "combine", "TOP/s");
    for (int beta = 0; optind < argc && options.seconds == 0 && beta < 2; beta++) {
        options.beta = beta ? -0.7 : 0;
        options.alpha = beta ? 1.3 : 1;
        for (int i = optind; i < argc; i++)
            right = run(&options, device, argv[i]) && right;
    }
    for (int i = optind; options.seconds > 0 && i < argc; i++)
        right = run(&options, device, argv[i]) && right;
    lava_gpu_close(device);
    return right ? 0 : 1;
}
