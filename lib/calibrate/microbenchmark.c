/* Measures one figure at a time. Called by survey.c and tools/calibrate.c.
 *
 * Invariant: within a turn nothing runs but the products that are timed. */
#include "lib/calibrate/microbenchmark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/random.h"
#include "lib/calibrate/turn.h"

#define RUNS_MAX LAVA_TURN_RUNS_MOST
/* Runs of an import, and of a product in either way. */
#define IMPORT_RUNS       9
#define IMPORT_RUNS_LEAST 6
/* An H200 idles at 345 to 405 MHz and reaches 1980 MHz after 0.1 to 0.3 s of work (2026-11-21). It has work
 * at least for the first of these times, until its rate has not risen by WARM_RISE for the second, and at
 * most for the third. A rate below WARM_FALLEN of the best one says that the clock has fallen. */
#define WARM_LEAST_NS  300000000u
#define WARM_STEADY_NS 100000000u
#define WARM_MOST_NS   1000000000u
#define WARM_RISE      1.03
#define WARM_FALLEN    0.9
/* Short products on the device are repeated for this long. */
#define MEDIAN_NS 2000000u
/* A product that takes less than this share of piece_ns may be doubled. */
#define GROWTH_SHARE 0.4
/* The sides of the smallest product, and the few rows and columns of a thin one, are those of the smallest
 * tile. */
#define SMALLEST 64
#define FEW      32
/* A kernel's rate is measured with the largest K between these that fits the memory and the time. */
#define KERNEL_K       2048
#define KERNEL_K_LEAST 256
/* Figures are searched for between these, in bytes per second or ns. Each step halves the logarithm of the
 * interval. */
#define RATE_LOW     1e7
#define RATE_HIGH    1e12
#define LATENCY_LOW  1e2
#define LATENCY_HIGH 1e9
#define FIT_STEPS    40
/* Latency is at most this many times the smallest product's; a longer time has other causes. */
#define LATENCY_GROWTH 3.0
/* An estimate that differs by less than this share of the measured time counts as equal. */
#define FIT_SHARE 0.01

/* The policy chooses, except that operands are copied, because the rates are those of copies, and that no
 * fp64 product is by residues, whose rates are not measured here. */
static const struct lava_overrides chosen = {.imports = LAVA_IMPORTS_NEVER, .residues = LAVA_RESIDUE_OFF};

/* The time of one product, in ns. */
struct taken {
    double host, pack, multiply, finish;
};

void lava_microbenchmark_finish(struct lava_microbenchmark *benchmark) {
    free(benchmark->operands);
    free(benchmark->result);
    benchmark->operands = benchmark->result = NULL;
    benchmark->filled_bytes = 0;
    benchmark->filled_order = 0;
}

/* Fills in values that are ordinary numbers in all types, so that the same bytes serve each: 16 bits are 1 to
 * 2 (fp16) or 2^-7 to 2 (bf16), of either sign, a pair of them is 2^-7 to 2 again (fp32), and two pairs are
 * 2^-63 to 2 (fp64). */
static void fill(struct lava_microbenchmark *benchmark, size_t bytes) {
    uint64_t *words = benchmark->operands;
    uint64_t state = benchmark->filled_bytes + 1;
    for (size_t i = benchmark->filled_bytes / sizeof *words; i < bytes / sizeof *words; i++) {
        lava_random_next(&state);
        words[i] = ((state >> 8 ^ state) & 0x83ff83ff83ff83ffu) | 0x3c003c003c003c00u;
    }
    benchmark->filled_bytes = bytes;
    benchmark->filled_order = 0;
}

/* Makes C <- A^T B, so that both operands lie in long columns. Returns false if there is no memory for it.
 */
static bool make_operation(struct lava_microbenchmark *benchmark, enum lava_type type, const int64_t sizes[3],
                           struct lava_operation *operation) {
    int64_t m = sizes[0], n = sizes[1], k = sizes[2];
    size_t a_bytes = ((size_t)(m * k) * lava_type_bytes(type) + 63) / 64 * 64;
    size_t b_bytes = ((size_t)(k * n) * lava_type_bytes(type) + 63) / 64 * 64;
    if (a_bytes + b_bytes + (size_t)(m * n) * lava_type_bytes(lava_type_sums(type)) > benchmark->matrix_bytes)
        return false;
    if (!lava_turn_allocate(benchmark))
        return false;
    if (benchmark->filled_bytes < a_bytes + b_bytes)
        fill(benchmark, a_bytes + b_bytes);
    *operation = (struct lava_operation){.type = type,
                                         .c.type = lava_type_is_half(type) ? LAVA_TYPE_FP32 : type,
                                         .a.op = LAVA_OP_T,
                                         .b.op = LAVA_OP_N,
                                         .m = m,
                                         .n = n,
                                         .k = k,
                                         .a.ld = k,
                                         .b.ld = k,
                                         .c.ld = m,
                                         .alpha.real = 1,
                                         .a.first = benchmark->operands,
                                         .b.first = (char *)benchmark->operands + a_bytes,
                                         .c.first = benchmark->result,
                                         .precision = LAVA_PRECISION_IEEE};
    return true;
}

static void run_product(const struct lava_microbenchmark *benchmark, void *operation) {
    lava_cpu_blas_run(benchmark->blas, operation);
}

enum lava_microbenchmark_outcome lava_microbenchmark_cpu(struct lava_microbenchmark *benchmark, int m, int n,
                                                         int k) {
    const int64_t sizes[3] = {lava_figures_sizes[m], lava_figures_sizes[n], lava_figures_sizes[k]};
    double *figure = &benchmark->figures.cpu.product_ns[m][n][k];
    struct lava_operation operation;
    if (!make_operation(benchmark, LAVA_TYPE_FP32, sizes, &operation) ||
        lava_figures_cpu_ns(&benchmark->figures.cpu, &operation) > (double)benchmark->piece_ns)
        return LAVA_MICROBENCHMARK_SKIPPED;
    return lava_turn_time_on_cpu(benchmark,
                                 &(struct lava_turn_work){.run = run_product, .context = &operation}, figure);
}

/* Makes the policy's plan, in a single block. Returns false if there is none. */
static bool make_plan(const struct lava_microbenchmark *benchmark, const struct lava_operation *operation,
                      const struct lava_overrides *asked, struct lava_plan *plan) {
    struct lava_overrides overrides = *asked;
    overrides.column_blocks = 1;
    lava_policy_choose(operation, benchmark->capabilities, &benchmark->figures, LAVA_MODE_GPU, &overrides,
                       plan);
    const struct lava_blocking *blocking = &plan->blocking;
    return plan->place == LAVA_PLACE_GPU && blocking->blocks_m * blocking->blocks_n * blocking->blocks_k == 1;
}

/* Sets a figure so that the policy's estimate for the plan is the measured time. The policy's own model says
 * what else takes time. Returns false if that alone takes longer; the figure then stands for no time at
 * all. */
static bool fit(struct lava_microbenchmark *benchmark, const struct lava_operation *operation,
                const struct lava_plan *plan, double measured_ns, double *figure) {
    const struct lava_blocking *blocking = &plan->blocking;
    const struct lava_overrides same = {
        .kernel = plan->kernel,
        .split_k = blocking->split_k,
        .imports = plan->imports,
        .at_once = plan->at_once ? 2 : 1,
        .pieces = (uint32_t)((blocking->block_m + blocking->piece_m - 1) / blocking->piece_m)};
    bool is_rate = figure != &benchmark->figures.device.call_latency_ns;
    double low = is_rate ? RATE_LOW : LATENCY_LOW, high = is_rate ? RATE_HIGH : LATENCY_HIGH;
    struct lava_plan estimated;
    for (int step = 0; step < FIT_STEPS; step++) {
        *figure = sqrt(low * high);
        make_plan(benchmark, operation, &same, &estimated);
        if ((estimated.gpu_ns > measured_ns) == is_rate)
            low = *figure;
        else
            high = *figure;
    }
    return fabs(estimated.gpu_ns - measured_ns) < FIT_SHARE * measured_ns;
}

static enum lava_microbenchmark_outcome run_on_device(struct lava_microbenchmark *benchmark,
                                                      const struct lava_operation *operation,
                                                      const struct lava_plan *plan, uint32_t repeat,
                                                      struct taken *taken) {
    struct lava_engine *engine;
    struct lava_timing timing;
    struct lava_progress progress;
    enum lava_status status;
    uint64_t begin, end;
    do {
        timing = (struct lava_timing){.repeat = repeat};
        if (!lava_turn_begin(benchmark, &engine))
            return LAVA_MICROBENCHMARK_STOPPED;
        begin = lava_clock_now_ns();
        status = lava_runner_run(engine, operation, plan, &progress, &timing);
        end = lava_clock_now_ns();
    } while (!lava_turn_end(benchmark, engine) && !status);
    if (status) {
        LAVA_LOG(INFO, "calibration: a product on the device: %s", lava_status_name(status));
        return LAVA_MICROBENCHMARK_SKIPPED;
    }
    *taken = (struct taken){.host = (double)(end - begin),
                            .pack = (double)timing.pack_ns,
                            .multiply = (double)timing.multiply_ns,
                            .finish = (double)timing.epilogue_ns};
    return LAVA_MICROBENCHMARK_MEASURED;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, unsigned count) {
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

/* Takes the median of each part over several runs. */
static enum lava_microbenchmark_outcome median_on_device(struct lava_microbenchmark *benchmark,
                                                         const struct lava_operation *operation,
                                                         const struct lava_plan *plan, uint32_t repeat,
                                                         struct taken *taken) {
    double host[RUNS_MAX], pack[RUNS_MAX], multiply[RUNS_MAX], finish[RUNS_MAX];
    uint64_t begin = lava_clock_now_ns();
    unsigned run = 0;
    while (run < RUNS_MAX) {
        uint64_t elapsed_ns = lava_clock_now_ns() - begin;
        if ((run >= 2 && elapsed_ns > benchmark->point_ns) ||
            (run >= benchmark->runs && elapsed_ns > MEDIAN_NS))
            break;
        enum lava_microbenchmark_outcome outcome = run_on_device(benchmark, operation, plan, repeat, taken);
        if (outcome == LAVA_MICROBENCHMARK_STOPPED && !benchmark->stopped && run > 0)
            break; /* there is no more time: the runs so far have to do */
        if (outcome != LAVA_MICROBENCHMARK_MEASURED)
            return outcome;
        host[run] = taken->host;
        pack[run] = taken->pack;
        multiply[run] = taken->multiply;
        finish[run++] = taken->finish;
    }
    if (run == 0)
        return LAVA_MICROBENCHMARK_SKIPPED;
    *taken = (struct taken){median(host, run), median(pack, run), median(multiply, run), median(finish, run)};
    return LAVA_MICROBENCHMARK_MEASURED;
}

/* Takes the median, after a first run that may have to allocate. */
static enum lava_microbenchmark_outcome time_product(struct lava_microbenchmark *benchmark,
                                                     const struct lava_operation *operation,
                                                     const struct lava_plan *plan, struct taken *taken) {
    enum lava_microbenchmark_outcome outcome = run_on_device(benchmark, operation, plan, 1, taken);
    return outcome == LAVA_MICROBENCHMARK_MEASURED ? median_on_device(benchmark, operation, plan, 1, taken)
                                                   : outcome;
}

enum lava_microbenchmark_outcome lava_microbenchmark_latency(struct lava_microbenchmark *benchmark,
                                                             enum lava_type type) {
    const int64_t sizes[3] = {SMALLEST, SMALLEST, SMALLEST};
    struct lava_operation operation;
    struct lava_plan plan;
    struct taken taken;
    if (!make_operation(benchmark, type, sizes, &operation) ||
        !make_plan(benchmark, &operation, &chosen, &plan))
        return LAVA_MICROBENCHMARK_SKIPPED;
    enum lava_microbenchmark_outcome outcome = time_product(benchmark, &operation, &plan, &taken);
    double *figure = &benchmark->figures.device.call_latency_ns;
    if (outcome == LAVA_MICROBENCHMARK_MEASURED && !fit(benchmark, &operation, &plan, taken.host, figure))
        *figure = taken.host;
    return outcome;
}

/* A family of products: the sizes of the first, and which of them are doubled. */
struct family {
    int64_t sizes[3];
    bool grows[3];
};
/* Few rows and columns of C: nearly all the time is that of the operands. */
static const struct family deep = {{FEW, FEW, 4096}, {false, false, true}};

/* Runs larger and larger products of the family until one takes too long or is too large. Then it repeats the
 * last one. */
static enum lava_microbenchmark_outcome time_family(struct lava_microbenchmark *benchmark,
                                                    enum lava_type type, const struct family *family,
                                                    struct lava_operation *operation, struct lava_plan *plan,
                                                    struct taken *taken) {
    struct lava_operation larger;
    struct lava_plan its_plan;
    int64_t sizes[3];
    memcpy(sizes, family->sizes, sizeof sizes);
    if (!make_operation(benchmark, type, sizes, operation) || !make_plan(benchmark, operation, &chosen, plan))
        return LAVA_MICROBENCHMARK_SKIPPED;
    for (;;) {
        for (int run = 0; run < 2; run++) { /* the first one allocates */
            enum lava_microbenchmark_outcome outcome = run_on_device(benchmark, operation, plan, 1, taken);
            if (outcome != LAVA_MICROBENCHMARK_MEASURED)
                return outcome;
        }
        for (int i = 0; i < 3; i++)
            sizes[i] *= family->grows[i] ? 2 : 1;
        if (taken->host > GROWTH_SHARE * (double)benchmark->piece_ns ||
            !make_operation(benchmark, type, sizes, &larger) ||
            !make_plan(benchmark, &larger, &chosen, &its_plan))
            return median_on_device(benchmark, operation, plan, 1, taken);
        *operation = larger;
        *plan = its_plan;
    }
}

/* Measures the device's memory by packing, because a streamed product packs from there. */
static enum lava_microbenchmark_outcome measure_memory(struct lava_microbenchmark *benchmark,
                                                       const struct lava_operation *operation) {
    const struct lava_overrides streamed = {
        .at_once = 1, .imports = LAVA_IMPORTS_NEVER, .residues = LAVA_RESIDUE_OFF};
    struct lava_plan plan;
    struct taken taken;
    if (!make_plan(benchmark, operation, &streamed, &plan))
        return LAVA_MICROBENCHMARK_SKIPPED;
    enum lava_microbenchmark_outcome outcome = time_product(benchmark, operation, &plan, &taken);
    double bytes =
        (double)((operation->m + operation->n) * operation->k) * (double)lava_type_bytes(operation->type) +
        (double)plan.blocking.packed_a_bytes + (double)plan.blocking.packed_b_bytes;
    if (outcome == LAVA_MICROBENCHMARK_MEASURED && taken.pack > 0)
        benchmark->figures.device.memory_bytes_per_s = 1e9 * bytes / taken.pack;
    return outcome;
}

enum lava_microbenchmark_outcome lava_microbenchmark_upload(struct lava_microbenchmark *benchmark,
                                                            enum lava_type type) {
    struct lava_operation operation;
    struct lava_plan plan;
    struct taken taken;
    enum lava_microbenchmark_outcome outcome = time_family(benchmark, type, &deep, &operation, &plan, &taken);
    if (outcome == LAVA_MICROBENCHMARK_MEASURED)
        outcome = measure_memory(benchmark, &operation);
    if (outcome == LAVA_MICROBENCHMARK_MEASURED)
        fit(benchmark, &operation, &plan, taken.host, &benchmark->figures.device.upload_bytes_per_s);
    return outcome;
}

enum lava_microbenchmark_outcome lava_microbenchmark_download(struct lava_microbenchmark *benchmark,
                                                              enum lava_type type) {
    static const struct family flat = {{256, 256, FEW}, {true, true, false}};
    struct lava_operation operation;
    struct lava_plan plan;
    struct taken taken;
    enum lava_microbenchmark_outcome outcome = time_family(benchmark, type, &flat, &operation, &plan, &taken);
    if (outcome == LAVA_MICROBENCHMARK_MEASURED)
        fit(benchmark, &operation, &plan, taken.host, &benchmark->figures.device.download_bytes_per_s);
    return outcome;
}

/* Takes the median time of an import of this many bytes of the operands, and of its release. SKIPPED: the
 * driver refuses them. */
static enum lava_microbenchmark_outcome time_import(struct lava_microbenchmark *benchmark, uint64_t bytes,
                                                    double *ns) {
    uint64_t page = benchmark->capabilities->import_page_bytes;
    uint64_t first = ((uint64_t)(uintptr_t)benchmark->operands + page - 1) / page * page;
    double times[IMPORT_RUNS];
    for (unsigned run = 0; run < IMPORT_RUNS;) {
        struct lava_engine *engine;
        struct lava_buffer buffer;
        if (!lava_turn_begin(benchmark, &engine))
            return LAVA_MICROBENCHMARK_STOPPED;
        uint64_t begin = lava_clock_now_ns();
        enum lava_status status = lava_memory_import(engine->device, first, bytes / page * page, &buffer);
        lava_memory_free(engine->device, &buffer);
        times[run] = (double)(lava_clock_now_ns() - begin);
        bool undisturbed = lava_turn_end(benchmark, engine);
        if (status)
            return LAVA_MICROBENCHMARK_SKIPPED;
        run += undisturbed;
    }
    *ns = median(times, IMPORT_RUNS);
    return LAVA_MICROBENCHMARK_MEASURED;
}

/* Returns a rate that the text form of figures can represent. */
static double rate_of(double bytes, double ns) {
    return fmin(fmax(1e9 * bytes / fmax(ns, 1), RATE_LOW), RATE_HIGH);
}

/* Finds how much longer the product takes if its operands are copied. The two ways take turns, and the best
 * time of each counts: other work on the machine takes more than the difference may be. */
static enum lava_microbenchmark_outcome time_saved(struct lava_microbenchmark *benchmark,
                                                   const struct lava_operation *operation,
                                                   const struct lava_plan *plan, double *ns) {
    struct lava_plan ways[2] = {*plan, *plan};
    double best[2] = {INFINITY, INFINITY};
    ways[0].imports = LAVA_IMPORTS_NEVER;
    ways[1].imports = LAVA_IMPORTS_ALWAYS;
    uint64_t begin = lava_clock_now_ns();
    for (unsigned run = 0; run < 2 * IMPORT_RUNS || lava_clock_now_ns() - begin < benchmark->point_ns;
         run++) {
        struct taken taken;
        enum lava_microbenchmark_outcome outcome =
            run_on_device(benchmark, operation, &ways[run % 2], 1, &taken);
        if (outcome == LAVA_MICROBENCHMARK_STOPPED && !benchmark->stopped && run >= IMPORT_RUNS_LEAST)
            break; /* there is no more time: the runs so far have to do */
        if (outcome != LAVA_MICROBENCHMARK_MEASURED)
            return outcome;
        best[run % 2] = fmin(best[run % 2], taken.host);
    }
    *ns = best[0] - best[1];
    return LAVA_MICROBENCHMARK_MEASURED;
}

/* The copy's time is what imports save, and the imports themselves: so all that is done beside a copy does
 * not count. */
enum lava_microbenchmark_outcome lava_microbenchmark_imports(struct lava_microbenchmark *benchmark,
                                                             enum lava_type type) {
    struct lava_device_figures *figures = &benchmark->figures.device;
    struct lava_operation operation;
    struct lava_plan plan;
    struct taken taken;
    double least_ns, import_ns, saved_ns;
    if (!benchmark->capabilities->unified_memory || benchmark->capabilities->import_page_bytes == 0)
        return LAVA_MICROBENCHMARK_MEASURED;
    enum lava_microbenchmark_outcome outcome = time_family(benchmark, type, &deep, &operation, &plan, &taken);
    if (outcome != LAVA_MICROBENCHMARK_MEASURED)
        return outcome;
    double bytes = lava_operation_operand_bytes(&operation);
    outcome = time_import(benchmark, benchmark->capabilities->import_page_bytes, &least_ns);
    if (outcome == LAVA_MICROBENCHMARK_MEASURED)
        outcome = time_import(benchmark, (uint64_t)bytes, &import_ns);
    if (outcome == LAVA_MICROBENCHMARK_SKIPPED) { /* an operand will be refused, too */
        figures->import_ns = 1;
        figures->import_bytes_per_s = figures->copy_bytes_per_s = RATE_HIGH;
        return LAVA_MICROBENCHMARK_MEASURED;
    }
    if (outcome == LAVA_MICROBENCHMARK_MEASURED)
        outcome = time_saved(benchmark, &operation, &plan, &saved_ns);
    if (outcome != LAVA_MICROBENCHMARK_MEASURED)
        return outcome;
    figures->import_ns = fmax(least_ns, 1);
    figures->import_bytes_per_s = rate_of(bytes, import_ns - least_ns);
    figures->copy_bytes_per_s = rate_of(bytes, saved_ns + import_ns + least_ns);
    LAVA_LOG(INFO, "calibration: importing %.1f MiB takes %.3f ms and saves %.3f ms of %.3f", bytes / 0x1p20,
             (import_ns + least_ns) * 1e-6, saved_ns * 1e-6, taken.host * 1e-6);
    return LAVA_MICROBENCHMARK_MEASURED;
}

/* Returns the profile's figures for the row, or NULL if the profile does not list it. */
static const struct lava_profile_kernel *listed(const struct lava_microbenchmark *benchmark,
                                                const struct lava_kernel *kernel) {
    const struct lava_profile *profile = lava_profiles_find(benchmark->capabilities);
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++)
        if (!strcmp(profile->kernels[i].kernel, kernel->name))
            return &profile->kernels[i];
    return NULL;
}

bool lava_microbenchmark_lists(const struct lava_microbenchmark *benchmark,
                               const struct lava_kernel *kernel) {
    return listed(benchmark, kernel) && lava_kernel_fits(kernel, benchmark->capabilities, NULL);
}

/* Makes a product, near square, with as many tiles as workgroups run at once, and with K as large as the
 * memory allows. So no multiprocessor waits for another, and the cost of a tile's start is in start_k. Sets
 * *tiles to the number of tiles. */
static bool make_full_wave(struct lava_microbenchmark *benchmark, const struct lava_kernel *kernel,
                           struct lava_operation *operation, struct lava_plan *plan, uint32_t *tiles) {
    const struct lava_overrides overrides = {
        .kernel = kernel, .split_k = 1, .at_once = 1, .pieces = 1, .imports = LAVA_IMPORTS_NEVER};
    int64_t sizes[3] = {kernel->tile_m, kernel->tile_n, KERNEL_K};
    uint32_t across = 1;
    if (!make_operation(benchmark, kernel->type, sizes, operation) ||
        !make_plan(benchmark, operation, &overrides, plan))
        return false;
    *tiles = plan->resident_workgroups;
    for (uint32_t i = 1; i * i <= *tiles; i++)
        across = *tiles % i == 0 ? i : across;
    sizes[0] *= *tiles / across;
    sizes[1] *= across;
    for (; sizes[2] >= KERNEL_K_LEAST; sizes[2] /= 2)
        if (make_operation(benchmark, kernel->type, sizes, operation) &&
            make_plan(benchmark, operation, &overrides, plan) &&
            (plan->gpu_ns < 2.0 * (double)benchmark->piece_ns || sizes[2] == KERNEL_K_LEAST))
            return true;
    return false;
}

/* Runs the product until its rate has stopped rising. */
static enum lava_microbenchmark_outcome raise_clock(struct lava_microbenchmark *benchmark,
                                                    const struct lava_operation *operation,
                                                    const struct lava_plan *plan) {
    double best = 0;
    uint64_t rise_ns = 0;
    uint32_t repeat = 1;
    for (;;) {
        struct taken taken;
        enum lava_microbenchmark_outcome outcome = run_on_device(benchmark, operation, plan, repeat, &taken);
        if (outcome != LAVA_MICROBENCHMARK_MEASURED)
            return outcome;
        double ns = taken.multiply > 0 ? taken.multiply : taken.host / repeat;
        double flops_per_s = 1e9 * lava_operation_flops(operation) / fmax(ns, 1);
        if (benchmark->is_warm && flops_per_s >= WARM_FALLEN * benchmark->warm_flops_per_s)
            return outcome;
        if (flops_per_s > WARM_RISE * best)
            rise_ns = benchmark->spent_ns;
        best = fmax(flops_per_s, best);
        bool is_steady =
            benchmark->spent_ns >= WARM_LEAST_NS && benchmark->spent_ns - rise_ns >= WARM_STEADY_NS;
        if (is_steady || benchmark->spent_ns >= WARM_MOST_NS) {
            benchmark->warm_flops_per_s = best;
            return outcome;
        }
        if (taken.host < GROWTH_SHARE * (double)benchmark->piece_ns)
            repeat *= 2;
    }
}

enum lava_microbenchmark_outcome lava_microbenchmark_warm(struct lava_microbenchmark *benchmark,
                                                          enum lava_type type) {
    size_t count, row = 0;
    const struct lava_kernel *table = lava_kernels_table(&count);
    struct lava_operation operation;
    struct lava_plan plan;
    uint32_t tiles;
    uint64_t spent_ns = benchmark->spent_ns, limit_ns = benchmark->limit_ns;
    if (benchmark->capabilities->kind == LAVA_DEVICE_CPU)
        return LAVA_MICROBENCHMARK_MEASURED;
    if (lava_turn_allocate(benchmark) && benchmark->filled_bytes < benchmark->matrix_bytes)
        fill(benchmark, benchmark->matrix_bytes); /* now, because the GPU idles while the CPU does this */
    while (row < count && !(table[row].type == type && lava_microbenchmark_lists(benchmark, &table[row])))
        row++;
    if (row == count || !make_full_wave(benchmark, &table[row], &operation, &plan, &tiles))
        return LAVA_MICROBENCHMARK_SKIPPED;
    if (benchmark->warm_type != type)
        benchmark->is_warm = false;
    benchmark->warm_type = type;
    benchmark->spent_ns = benchmark->limit_ns = 0;
    enum lava_microbenchmark_outcome outcome = raise_clock(benchmark, &operation, &plan);
    benchmark->is_warm = outcome == LAVA_MICROBENCHMARK_MEASURED;
    benchmark->spent_ns = spent_ns;
    benchmark->limit_ns = limit_ns;
    return outcome;
}

/* Finds the rate with which the policy's estimate is the measured time: see arithmetic_ns in dispatch/cost.c.
 */
enum lava_microbenchmark_outcome lava_microbenchmark_kernel(struct lava_microbenchmark *benchmark,
                                                            size_t row) {
    size_t count;
    const struct lava_kernel *kernel = &lava_kernels_table(&count)[row];
    struct lava_operation operation;
    struct lava_plan plan;
    struct taken taken;
    uint32_t tiles;
    if (row >= count || row >= LAVA_FIGURES_MAX_KERNELS || !lava_microbenchmark_lists(benchmark, kernel) ||
        !make_full_wave(benchmark, kernel, &operation, &plan, &tiles))
        return LAVA_MICROBENCHMARK_SKIPPED;
    enum lava_microbenchmark_outcome outcome = run_on_device(benchmark, &operation, &plan, 1, &taken);
    if (outcome == LAVA_MICROBENCHMARK_MEASURED && taken.multiply > 0) {
        double repeat = GROWTH_SHARE * (double)benchmark->piece_ns / taken.multiply;
        outcome = median_on_device(benchmark, &operation, &plan, repeat < 1 ? 1 : (uint32_t)fmin(repeat, 100),
                                   &taken);
    }
    if (outcome != LAVA_MICROBENCHMARK_MEASURED)
        return outcome;
    if (!(taken.multiply > 0))
        return LAVA_MICROBENCHMARK_SKIPPED; /* the device has no timestamps */
    double flops = 2.0 * kernel->tile_m * kernel->tile_n * tiles *
                   (double)(operation.k + listed(benchmark, kernel)->start_k);
    benchmark->figures.device.flops_per_s[row] = 1e9 * flops / taken.multiply;
    return outcome;
}

enum lava_microbenchmark_outcome lava_microbenchmark_products(struct lava_microbenchmark *benchmark,
                                                              enum lava_type type) {
    double *latency_ns = &benchmark->figures.device.call_latency_ns;
    double smallest_ns = *latency_ns, fitting_ns[3];
    struct lava_operation operation;
    struct lava_plan plan;
    struct taken taken = {0};
    unsigned count = 0;
    for (int64_t size = 256; size <= 1024; size *= 2) {
        const int64_t sizes[3] = {size, size, size};
        if (taken.host > GROWTH_SHARE * (double)benchmark->piece_ns)
            break; /* the next one would be too long */
        *latency_ns = smallest_ns;
        if (!make_operation(benchmark, type, sizes, &operation) ||
            !make_plan(benchmark, &operation, &chosen, &plan))
            continue;
        enum lava_microbenchmark_outcome outcome = time_product(benchmark, &operation, &plan, &taken);
        if (outcome != LAVA_MICROBENCHMARK_MEASURED)
            return outcome;
        bool fits = fit(benchmark, &operation, &plan, taken.host, latency_ns);
        fitting_ns[count++] = fits ? *latency_ns : smallest_ns;
    }
    *latency_ns = smallest_ns;
    if (count == 0)
        return LAVA_MICROBENCHMARK_SKIPPED;
    *latency_ns = fmin(fmax(median(fitting_ns, count), smallest_ns), LATENCY_GROWTH * smallest_ns);
    return LAVA_MICROBENCHMARK_MEASURED;
}
