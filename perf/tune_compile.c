/* tune --compile-only: what the driver's compiler makes of every row. Called by tune.c. Nothing is computed,
 * so the device need not be there: Mesa's shims present devices to its drivers (doc/devices.md).
 *
 * The last columns are of the main loop; share is its part of multiplications. work compares rows of a type:
 * the multiplications of a step and subgroup, by the driver's estimate of cycles. No compiler knows a rate.
 * In the rows to paste, the row with the most work has --peak, and the others have less in proportion. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/clock.h"
#include "lib/vk/assembly.h"
#include "tune.h"
#include "tune_loop.h"

struct compiled {
    const struct lava_kernel *row;
    const char *obstacle;
    double seconds;
    struct lava_pipeline_figures figures;
    struct tune_loop loop; /* no instructions: it was not found */
    bool printed;
};

/* Keeps the assembly if --assembly asks for it. */
static void store(const struct tune *tune, const char *name, const char *assembly) {
    char path[4096];
    if (!tune->assembly_folder)
        return;
    snprintf(path, sizeof path, "%s/%s.txt", tune->assembly_folder, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(assembly, file) < 0)
        fprintf(stderr, "tune: cannot write %s\n", path);
    if (file)
        fclose(file);
}

static void compile(const struct tune *tune, struct compiled *result) {
    struct lava_device *device = tune->engine->device;
    const struct lava_pipeline *pipeline;
    if (!lava_kernel_fits(result->row, &tune->capabilities, &result->obstacle))
        return;
    const struct lava_pipeline_specification specification =
        lava_pipelines_multiply(result->row, &tune->capabilities, false);
    uint64_t begin_ns = lava_clock_now_ns();
    if (lava_pipelines_get(device, &specification, &pipeline)) {
        result->obstacle = "cannot be compiled";
        return;
    }
    result->seconds = 1e-9 * (double)(lava_clock_now_ns() - begin_ns);
    lava_pipelines_figures(device, pipeline, &result->figures);
    char *assembly = lava_assembly_read(device, pipeline);
    if (assembly) {
        store(tune, result->row->name, assembly);
        tune_loop_count(assembly, &result->loop);
    }
    free(assembly);
}

/* 0: not known. */
static double share(const struct compiled *result) {
    const struct tune_loop *loop = &result->loop;
    return loop->instructions > 0 ? (double)(loop->fma + loop->matrix) / (double)loop->instructions : 0;
}

/* Returns multiplications for each cycle, of a subgroup, in the driver's reckoning. Without an estimate, the
 * share of the main loop; 1 for every row if that is not known either; 0 for a row that is of no use. */
static double work(const struct tune *tune, const struct compiled *result) {
    const struct lava_kernel *row = result->row;
    double subgroups = (double)lava_kernel_invocations(row, &tune->capabilities) /
                       lava_kernel_subgroup_size(row, &tune->capabilities);
    if (result->obstacle || result->figures.spilled > 0)
        return 0;
    if (result->figures.cycles == 0)
        return result->loop.instructions > 0 ? share(result) : 1;
    return (double)row->tile_m * row->tile_n * row->tile_k / subgroups / result->figures.cycles;
}

static void print_number(uint64_t number, int width) {
    if (number > 0)
        printf(" %*llu", width, (unsigned long long)number);
    else
        printf(" %*s", width, "-");
}

static void print_row(const struct tune *tune, const struct compiled *result) {
    const struct lava_pipeline_figures *figures = &result->figures;
    printf(" * %-24s", result->row->name);
    if (result->obstacle) {
        printf(" %s\n", result->obstacle);
        return;
    }
    printf(" %4u", lava_kernel_subgroup_size(result->row, &tune->capabilities));
    print_number(figures->registers, 5);
    printf(" %6u", figures->spilled);
    printf(" %6u", lava_kernel_shared_bytes(result->row));
    print_number(figures->subgroups, 5);
    print_number(figures->cycles, 9);
    print_number(result->loop.instructions, 7);
    print_number(result->loop.fma, 5);
    print_number(result->loop.matrix, 6);
    print_number(result->loop.shared, 6);
    print_number(result->loop.memory, 6);
    printf(" %5.2f %6.3f %7.2f\n", share(result), work(tune, result), result->seconds);
}

static void print_table(const struct tune *tune, const struct compiled *results, size_t count) {
    printf("/* %s, driver %#x, %s\n", tune->capabilities.name, tune->capabilities.driver_version,
           tune->command);
    printf(" * Compiled, not run. Registers, resident subgroups and cycles as the driver counts them.\n *\n");
    printf(" * %-24s %4s %5s %6s %6s %5s %9s %7s %5s %6s %6s %6s %5s %6s %7s\n", "row", "sub", "regs",
           "spills", "shared", "waves", "cycles", "loop", "fma", "matrix", "shared", "memory", "share",
           "work", "seconds");
    for (size_t i = 0; i < count; i++)
        print_row(tune, &results[i]);
    printf(" */\n");
}

/* Workgroups that the resident subgroups make up; 1 if the driver does not say. */
static uint32_t workgroups(const struct tune *tune, const struct compiled *result) {
    uint32_t subgroups = lava_kernel_invocations(result->row, &tune->capabilities) /
                         lava_kernel_subgroup_size(result->row, &tune->capabilities);
    uint32_t resident = result->figures.subgroups * tune->simds / subgroups;
    return resident > 0 ? resident : 1;
}

static void print_profile_row(const struct tune *tune, const struct compiled *result, double best) {
    char quoted[TUNE_TEXT_BYTES];
    snprintf(quoted, sizeof quoted, "\"%s\",", result->row->name);
    printf("            {%-27s %6.3ge12, %2u, 0.70, %3u, GROUPED, PER_TILE},\n", quoted,
           tune->peak_tflops * work(tune, result) / best, workgroups(tune, result),
           lava_kernel_is_simt(result->row) ? 32 : 64);
}

/* Returns the type's row with the most work that was not printed yet, or NULL. */
static struct compiled *next_of(const struct tune *tune, struct compiled *results, size_t count,
                                enum lava_type type) {
    struct compiled *next = NULL;
    for (size_t i = 0; i < count; i++)
        if (results[i].row->type == type && !results[i].printed && work(tune, &results[i]) > 0 &&
            (!next || work(tune, &results[i]) > work(tune, next)))
            next = &results[i];
    return next;
}

/* Prints the rows of a type that neither fail nor spill. */
static size_t print_type(const struct tune *tune, struct compiled *results, size_t count,
                         enum lava_type type) {
    double best = 0;
    size_t printed = 0;
    for (struct compiled *next; (next = next_of(tune, results, count, type)); printed++) {
        best = printed > 0 ? best : work(tune, next);
        print_profile_row(tune, next, best);
        next->printed = true;
    }
    return printed;
}

static size_t print_profile(const struct tune *tune, struct compiled *results, size_t count) {
    size_t printed = 0;
    printf("\n/* dispatch/profiles.c: row, flop/s, wg/mp, lone, start, order, workgroups; compiled */\n");
    for (int type = 0; type < LAVA_TYPE_COUNT; type++)
        printed += print_type(tune, results, count, (enum lava_type)type);
    return printed;
}

bool tune_compile(struct tune *tune) {
    size_t rows;
    const struct lava_kernel *table = lava_kernels_table(&rows);
    struct compiled *results = calloc(rows, sizeof *results);
    size_t count = 0;
    if (tune->subgroup)
        tune->capabilities.simt_subgroup_size = tune->capabilities.matrix_subgroup_size = tune->subgroup;
    for (size_t i = 0; results && i < rows; i++) {
        if (tune->all_types || table[i].type == tune->type) {
            results[count].row = &table[i];
            compile(tune, &results[count++]);
            tune_progress(i, rows, "compile", table[i].name);
        }
    }
    tune_progress(0, 0, NULL, NULL);
    print_table(tune, results, count);
    size_t usable = print_profile(tune, results, count);
    free(results);
    return usable > 0;
}
