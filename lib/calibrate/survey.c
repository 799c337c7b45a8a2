/* Says what is measured, in which order and within which limits. Called by calibration.c's thread and by
 * tools/calibrate.c. */
#include "lib/calibrate/survey.h"

#include <stdlib.h>
#include <string.h>

#include "lib/calibrate/own_routines.h"

#define NS_PER_MS 1000000u
/* The background spends at most this long on each: latency and bus, imports, kernel rows, products near
 * break-even, the CPU's products, and its other routines. Raising the GPU's clock does not count. */
#define BUS_NS      (150u * NS_PER_MS)
#define IMPORTS_NS  (60u * NS_PER_MS)
#define ROWS_NS     (200u * NS_PER_MS)
#define PRODUCTS_NS (100u * NS_PER_MS)
#define CPU_NS      (300u * NS_PER_MS)
#define FAMILIES_NS (300u * NS_PER_MS)
/* For the CPU's products, if half of them agree but there are fewer than POINTS_LEAST. A point took 10 to
 * 60 ms on two cores with four other tasks, of 14 points tried in CPU_NS 10 agreed (2026-11-23). */
#define CPU_MOST_NS (1000u * NS_PER_MS)
/* The limits of one product, which a caller may have to wait for, of one turn, and of all runs of one point.
 */
#define PIECE_NS     (5u * NS_PER_MS)
#define TURN_NS      (1u * NS_PER_MS)
#define POINT_NS     (15u * NS_PER_MS)
#define RUNS         3
#define MATRIX_BYTES ((size_t)48 << 20)
/* If fewer points of the grid were measured, the machine had other work all the time. */
#define POINTS_LEAST 12

static bool has_cpu(const struct lava_cpu_figures *figures) {
    const double *product_ns = &figures->product_ns[0][0][0];
    int points = 0;
    for (int i = 0; i < LAVA_SURVEY_POINTS; i++)
        points += product_ns[i] > 0;
    return points >= POINTS_LEAST;
}

/* They may have been measured without any success: nobody has the routines, or all take too long. */
static bool has_families(const struct lava_cpu_figures *figures) {
    return figures->families >= LAVA_FIGURES_FAMILIES;
}

/* Returns whether one of the rows of the type has a rate, or whether rates cannot be measured. */
static bool has_rows(const struct lava_figures *figures, const struct lava_capabilities *device,
                     enum lava_type type) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    if (device->timestamp_period_ns <= 0)
        return true; /* the device has no timestamps, so they cannot be measured */
    for (size_t i = 0; i < count && i < LAVA_FIGURES_MAX_KERNELS; i++)
        if (table[i].type == type && figures->device.flops_per_s[i] > 0)
            return true;
    return false;
}

bool lava_survey_lacks(const struct lava_figures *figures, const struct lava_capabilities *device,
                       enum lava_type type) {
    return !has_cpu(&figures->cpu) || !has_families(&figures->cpu) || figures->device.call_latency_ns <= 0 ||
           !has_rows(figures, device, type);
}

static void set_limit(struct lava_microbenchmark *benchmark, uint64_t limit_ns) {
    benchmark->limit_ns = limit_ns;
    benchmark->spent_ns = 0;
}

/* Measures one figure of a device whose clock is high: if it cannot be raised, nothing is measured. */
static enum lava_microbenchmark_outcome
measure_warm(struct lava_microbenchmark *benchmark, enum lava_type type,
             enum lava_microbenchmark_outcome (*measure)(struct lava_microbenchmark *, enum lava_type)) {
    enum lava_microbenchmark_outcome outcome = lava_microbenchmark_warm(benchmark, type);
    return outcome == LAVA_MICROBENCHMARK_STOPPED ? outcome : measure(benchmark, type);
}

static void measure_rows(struct lava_microbenchmark *benchmark, enum lava_type type) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    set_limit(benchmark, ROWS_NS);
    for (size_t row = 0; row < count && row < LAVA_FIGURES_MAX_KERNELS; row++)
        if (table[row].type == type && benchmark->figures.device.flops_per_s[row] <= 0 &&
            lava_microbenchmark_lists(benchmark, &table[row]) &&
            (lava_microbenchmark_warm(benchmark, type) == LAVA_MICROBENCHMARK_STOPPED ||
             lava_microbenchmark_kernel(benchmark, row) == LAVA_MICROBENCHMARK_STOPPED))
            return;
}

/* If the latency cannot be measured, nothing can. */
static void measure_device(struct lava_microbenchmark *benchmark, unsigned types) {
    bool fresh = benchmark->figures.device.call_latency_ns <= 0;
    enum lava_type first = LAVA_TYPE_FP32;
    while (first + 1 < LAVA_TYPE_REAL_COUNT && !(types & 1u << first))
        first++;
    set_limit(benchmark, BUS_NS);
    if (fresh && measure_warm(benchmark, first, lava_microbenchmark_latency) != LAVA_MICROBENCHMARK_MEASURED)
        return;
    if (fresh && measure_warm(benchmark, first, lava_microbenchmark_upload) != LAVA_MICROBENCHMARK_STOPPED)
        measure_warm(benchmark, first, lava_microbenchmark_download);
    set_limit(benchmark, IMPORTS_NS);
    if (fresh) /* if there is no time for it, operands are copied */
        measure_warm(benchmark, first, lava_microbenchmark_imports);
    for (int type = (int)first; type < LAVA_TYPE_REAL_COUNT; type++)
        if (types & 1u << type)
            measure_rows(benchmark, (enum lava_type)type);
    set_limit(benchmark, PRODUCTS_NS);
    if (fresh)
        measure_warm(benchmark, first, lava_microbenchmark_products);
}

/* Orders points by their distance from 512 x 512 x 512, in powers of two of the work. Among equals those
 * whose sizes are more alike come first. The very first point is a small one: it tells how fast the CPU BLAS
 * is. */
static double order_of(const int point[3]) {
    double log2_sum = 0, least = 0, most = 0;
    if (point[0] == 1 && point[1] == 2 && point[2] == 2)
        return -1;
    for (int i = 0; i < 3; i++) {
        double log2_size = (double)(__builtin_ctzll((unsigned long long)lava_figures_sizes[point[i]]));
        log2_sum += log2_size;
        least = i == 0 || log2_size < least ? log2_size : least;
        most = i == 0 || log2_size > most ? log2_size : most;
    }
    double distance = log2_sum - 27;
    return 100 * (distance < 0 ? -distance : distance) + most - least;
}

static int by_order(const void *a, const void *b) {
    double x = order_of(a), y = order_of(b);
    return x != y ? (x > y) - (x < y) : memcmp(a, b, 3 * sizeof(int));
}

void lava_survey_points(int points[LAVA_SURVEY_POINTS][3]) {
    for (int i = 0; i < LAVA_SURVEY_POINTS; i++) {
        points[i][0] = i / (LAVA_FIGURES_SIZES * LAVA_FIGURES_SIZES);
        points[i][1] = i / LAVA_FIGURES_SIZES % LAVA_FIGURES_SIZES;
        points[i][2] = i % LAVA_FIGURES_SIZES;
    }
    qsort(points, LAVA_SURVEY_POINTS, sizeof *points, by_order);
}

/* If points agree, but each takes long because of other work or a slow CPU, there is more time for them.
 */
static void measure_cpu(struct lava_microbenchmark *benchmark) {
    int points[LAVA_SURVEY_POINTS][3], tried = 0, measured = 0;
    lava_survey_points(points);
    set_limit(benchmark, CPU_NS);
    for (int i = 0; i < LAVA_SURVEY_POINTS; i++) {
        uint64_t before_ns = benchmark->spent_ns;
        enum lava_microbenchmark_outcome outcome =
            lava_microbenchmark_cpu(benchmark, points[i][0], points[i][1], points[i][2]);
        measured += outcome == LAVA_MICROBENCHMARK_MEASURED;
        tried += outcome != LAVA_MICROBENCHMARK_STOPPED && benchmark->spent_ns > before_ns;
        if (outcome != LAVA_MICROBENCHMARK_STOPPED)
            continue;
        if (benchmark->stopped || benchmark->limit_ns == CPU_MOST_NS || has_cpu(&benchmark->figures.cpu) ||
            2 * measured < tried)
            return;
        benchmark->limit_ns = CPU_MOST_NS;
    }
}

/* The order decides first, so that every routine has a time before one of them is expected to take long. */
void lava_survey_families(struct lava_survey_family points[LAVA_SURVEY_FAMILIES]) {
    for (int i = 0; i < LAVA_SURVEY_FAMILIES; i++)
        points[i] = (struct lava_survey_family){.family = (enum lava_cpu_family)(i % LAVA_CPU_FAMILY_COUNT),
                                                .type = i / LAVA_CPU_FAMILY_COUNT % LAVA_FAMILIES_TYPES,
                                                .order = i / LAVA_CPU_FAMILY_COUNT / LAVA_FAMILIES_TYPES};
}

static void measure_families(struct lava_microbenchmark *benchmark) {
    struct lava_survey_family points[LAVA_SURVEY_FAMILIES];
    lava_survey_families(points);
    set_limit(benchmark, FAMILIES_NS);
    for (int i = 0; i < LAVA_SURVEY_FAMILIES; i++)
        if (lava_own_routines_measure(benchmark, points[i].family, points[i].type, points[i].order) ==
            LAVA_MICROBENCHMARK_STOPPED)
            break;
    if (!benchmark->stopped)
        benchmark->figures.cpu.families = LAVA_FIGURES_FAMILIES;
}

void lava_survey_set_quick(struct lava_microbenchmark *benchmark) {
    benchmark->piece_ns = PIECE_NS;
    benchmark->turn_ns = TURN_NS;
    benchmark->point_ns = POINT_NS;
    benchmark->runs = RUNS;
    benchmark->matrix_bytes = MATRIX_BYTES;
}

static bool has_latency(const struct lava_microbenchmark *benchmark) {
    return benchmark->figures.device.call_latency_ns > 0;
}

static void tell_part(struct lava_microbenchmark *benchmark, bool is_new) {
    if (is_new && benchmark->part_done && !benchmark->stopped)
        benchmark->part_done(benchmark);
}

/* The device comes first, because OpenBLAS's threads spin for tens of milliseconds after its products. */
bool lava_survey_run(struct lava_microbenchmark *benchmark, unsigned types) {
    const struct lava_cpu_figures *cpu = &benchmark->figures.cpu;
    bool had_latency = has_latency(benchmark), had_cpu = has_cpu(cpu);
    measure_device(benchmark, types);
    if (!benchmark->stopped && !had_cpu) {
        tell_part(benchmark, !had_latency && has_latency(benchmark));
        measure_cpu(benchmark);
    }
    if (!benchmark->stopped && has_cpu(cpu) && !has_families(cpu)) {
        tell_part(benchmark, !had_cpu);
        measure_families(benchmark);
    }
    return !benchmark->stopped && has_cpu(cpu) && has_latency(benchmark);
}
