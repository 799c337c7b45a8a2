/* Creates every pipeline of dgemm by residues (perf/residues) that the device can have, and prints what the
 * driver's compiler says of each. Nothing is executed, so the device may be one of a shim (see devices.txt).
 *
 * Fails if a pipeline cannot be created, if one spills registers to memory, or if matrices spill with the
 * smallest part of a subgroup: Intel's subgroups have room for smaller parts than others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/config.h"
#include "lib/vk/gpu.h"
#include "perf/residues/bench.h"

#define REPORT_BYTES 2048
#define MAX_CREATED  128

/* NVK's compiler finds no free register for combining in fp64 (Mesa 26.1). The device can do so in integers.
 */
static const char *const known_failures[] = {"GTX 9", "GTX 10"};

static struct {
    const char *name;
    struct lava_device *device;
    const struct lava_pipeline *created[MAX_CREATED];
    int count, failed;
} test;

/* Returns what a pipeline spills. It is printed once. */
static uint32_t spilled(const char *name, const struct lava_pipeline *pipeline) {
    struct lava_pipeline_figures figures = {0};
    char report[REPORT_BYTES];
    bool known = lava_pipelines_figures(test.device, pipeline, &figures);
    for (int i = 0; i < test.count; i++)
        if (test.created[i] == pipeline)
            return figures.spilled;
    if (test.count < MAX_CREATED)
        test.created[test.count++] = pipeline;
    lava_pipelines_report(test.device, pipeline, report, sizeof report);
    printf("residues: %s, subgroup %u: %u registers, %u shared, %u spilled (%s)\n", name,
           pipeline->specification.constants[LAVA_CONSTANT_SUBGROUP], figures.registers, figures.shared_bytes,
           figures.spilled, known ? report : "no statistics");
    return figures.spilled;
}

static bool is_known_failure(const struct options *options) {
    bool is_known = false;
    for (size_t i = 0; i < sizeof known_failures / sizeof known_failures[0]; i++)
        is_known |= options->integers && strstr(test.name, known_failures[i]);
    return is_known;
}

/* Creates all pipelines of a product. Returns what its multiplication spills. */
static uint32_t create(const char *name, const struct options *options) {
    struct bench bench = {.options = options, .device = test.device};
    if (bench_get_pipelines(&bench)) {
        bool is_known = is_known_failure(options);
        printf("residues: %s: %s\n", name, is_known ? "known not to compile" : "FAILED");
        test.failed += !is_known;
        return 0;
    }
    uint32_t others = spilled("COMBINE", bench.combine);
    for (int side = 0; side < 2; side++)
        others += spilled("SCAN", bench.scan[side]) + spilled("CONVERT", bench.convert[side]) +
                  spilled("SCREEN", bench.screen[side]);
    if (others > 0)
        printf("residues: %s: FAILED: what is around the multiplication spills %u\n", name, others);
    test.failed += others > 0;
    return spilled(name, bench.multiply);
}

static uint32_t create_part(struct options *options, uint32_t part_m, uint32_t part_n) {
    char name[64];
    options->part_m = part_m;
    options->part_n = part_n;
    options->tile_m = 2 * part_m < 64 ? 64 : 2 * part_m;
    options->tile_n = 2 * part_n < 64 ? 64 : 2 * part_n;
    snprintf(name, sizeof name, "MATRICES%s, part %ux%u", options->lines ? " of lines" : "", part_m, part_n);
    return create(name, options);
}

/* Matrices of a subgroup, with the largest part that does not spill. */
static void create_matrices(struct options options) {
    static const uint32_t parts[][2] = {{16, 8}, {16, 16}, {32, 16}, {32, 32}, {64, 32}, {64, 64}};
    const struct lava_integer_shape *shape = &test.device->capabilities.integer_shape;
    int largest = -1;
    options.kernel = BENCH_MATRICES;
    for (int i = 0; i < (int)(sizeof parts / sizeof parts[0]); i++) {
        if (parts[i][0] < shape->n || parts[i][1] < shape->m)
            continue;
        if (create_part(&options, parts[i][0], parts[i][1]) > 0)
            break;
        largest = i;
    }
    options.lines = true;
    if (largest < 0 || create_part(&options, parts[largest][0], parts[largest][1]) > 0) {
        printf("residues: MATRICES: FAILED: the smallest part spills\n");
        test.failed++;
    }
}

static void create_all(void) {
    struct options options = {
        .tile_m = 64, .tile_n = 64, .part_m = 16, .part_n = 16, .group = 8, .count = LAVA_RESIDUES_STANDARD};
    for (int fp64 = 0; fp64 <= test.device->capabilities.fp64; fp64++) {
        options.integers = !fp64;
        options.kernel = BENCH_DOT;
        if (test.device->capabilities.integer_products && create("DOT", &options) > 0) {
            printf("residues: DOT: FAILED: it spills\n");
            test.failed++;
        }
        if (test.device->capabilities.integer_shape.m > 0)
            create_matrices(options);
    }
}

int main(int argc, char **argv) {
    struct lava_config config = *lava_config_get();
    const char *why;
    setvbuf(stdout, NULL, _IOLBF, 0);
    test.name = argc > 1 ? argv[1] : "";
    config.inspect = true;
    config.residues = LAVA_RESIDUE_ON;
    config.cache = false;
    if (lava_gpu_open(&config, &test.device, &why)) {
        printf("FAILED: no device: %s\n", why);
        return 1;
    }
    const struct lava_integer_shape *shape = &test.device->capabilities.integer_shape;
    printf("device: %s, matrices of int8 %ux%ux%u, products of four bytes: %s, fp64: %s\n",
           test.device->capabilities.name, shape->m, shape->n, shape->k,
           test.device->capabilities.integer_products ? "yes" : "no",
           test.device->capabilities.fp64 ? "yes" : "no");
    create_all();
    printf("%d pipelines, %d failures\n", test.count, test.failed);
    lava_gpu_close(test.device);
    return test.failed > 0;
}
