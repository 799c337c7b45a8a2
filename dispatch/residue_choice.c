/* The ways to compute fp64 products by residues, and when they are chosen. Called by product_plan.c,
 * lib/product/residue_product.c and the self-test. Invariant: a pure function chooses; whatever memory there
 * is, a product by residues has the same bits. */
#include "dispatch/residue_choice.h"

#include <math.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/cost.h"
#include "dispatch/residues.h"
#include "shaders/interface.h"
#include "shaders/residues.h"

/* The bit of struct lava_capabilities' refused_kernels. */
#define REFUSED (UINT64_C(1) << 63)
/* Shorter sums miss the bound of fp64 where the screen accepts them (residues.c). */
#define LEAST_K 64
/* What a product by residues may take of the time of plain fp64, by the estimate, if its matrices are on the
 * device, and from host memory. Tiles that the screen leaves, which only the data tell, take as long as in a
 * plain product: so it may lose the time of conversion, and has to gain more than that. H200, 2026-11-28,
 * measured on the device: 0.71 at 4096, 0.67 at 8192; nothing is gained at 2048, and at 8192 x 8192 x 512.
 * From host memory: 0.85 at 8192, where conversion is a 25th, and nothing at 4096. */
#define MOST_SHARE 0.8
#define HOST_SHARE 0.9
/* What conversion may take of it. */
#define CONVERT_SHARE 0.12
/* Packed operands are read by words of 16 bytes. */
#define PACKED_ALIGN 256
/* Memory for sums: C is computed by columns of tiles. */
#define MOST_SUM_BYTES (UINT64_C(1) << 30)
/* The longest dispatch, as in lib/product/runner.c, of tiles that are left to fp64. */
#define DISPATCH_S 0.25
/* Device memory at its full rate would carry this much in the time that an element of an operand takes to be
 * converted, and one of C to be combined; and fp64 operations of the latter. H200, 2026-11-28, 8192: 2.4 ms
 * and 3.3 ms for two panels of K (perf/results/2026-11-28-nvidia-h200-residues-packed.txt), packing among it.
 */
#define CONVERT_BYTES 70.0
#define COMBINE_BYTES 80.0
#define COMBINE_FLOPS 90.0
/* The same in integers, of which a device does a quarter of its fp32 operations: some multiply int32 at that
 * rate. An H200 combines in 0.42 ms so at 4096, and in 0.45 ms in fp64. */
#define COMBINE_INTEGERS 314.0
#define INTEGERS_BY_FP32 0.25
/* Integers are the faster way if fp32 is this many times as fast as fp64: fp64 saves two thirds of the
 * integer operations, for 80 of its own (doc/notes/fp64-by-integers.md). */
#define INTEGERS_FROM_RATIO 8.0
/* A share of the first columns' tiles. The CPU takes what the screen leaves, so that the device saves less
 * than this of the CPU's time, and costs its own. A starting value. */
#define MOST_LEFT 0.75
/* From host memory C is at most MOST_BLOCKS blocks of LEAST_BLOCK columns or more. The upload of the first
 * and the download of the last one overlap nothing. Between, blocks are multiplied together, because
 * converting one does not fill a large device: twice as many each time as long as nothing is downloaded, two
 * else. Columns begin at multiples of COLUMN_BYTES on the device. */
#define MOST_BLOCKS  8
#define LEAST_BLOCK  1024
#define COLUMN_BYTES 64
/* What the time from host memory is of the estimate, which has all that may overlap overlap. H200,
 * 2026-11-28: 47.5 of 42.9 ms at 8192, 10.6 of 9.8 at 4096, where plain fp64 takes 60 and 10.6. */
#define HOST_FACTOR 1.1
/* Dispatches and barriers of a panel of K, and of some columns of tiles. A starting value. */
#define PANEL_NS   60e3
#define COLUMNS_NS 20e3

// clang-format off
/* whole: rates of H200 in doc/notes/fp64-by-integers.md. All three leave tiles to the same row of fp64, or to
 * the CPU, and combine by the same modules. */
static const struct lava_residue_way ways[] = {
    /* name              kernel                  multiply                             tile m    n  part m   n  invocations group software per fp32 */
    {"whole_256x128",    LAVA_RESIDUE_WHOLE,     LAVA_MODULE_RESIDUES_MULTIPLY_WHOLE,    256, 128,      0,  0,         256,    8, false,     6.0},
    {"matrices_128x128", LAVA_RESIDUE_MATRICES,  LAVA_MODULE_RESIDUES_MULTIPLY,          128, 128,     64, 64,           0,    8, false,     1.8},
    {"dot_64x64",        LAVA_RESIDUE_DOT,       LAVA_MODULE_RESIDUES_DOT,                64,  64,      0,  0,         256,    8,  true,     0.9},
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const struct lava_residue_way *lava_residue_ways(size_t *count) {
    *count = COUNT(ways);
    return ways;
}

const struct lava_kernel *lava_residue_left_kernel(void) {
    return lava_kernels_find("fp64_64x64");
}

uint32_t lava_residue_invocations(const struct lava_residue_way *way,
                                  const struct lava_capabilities *device) {
    bool software = device->kind == LAVA_DEVICE_CPU && way->kernel == LAVA_RESIDUE_WHOLE;
    if (way->invocations > 0) /* a workgroup of a software device has matrices of one subgroup */
        return software ? device->matrix_subgroup_size : way->invocations;
    return way->tile_m / way->part_m * (way->tile_n / way->part_n) * device->matrix_subgroup_size;
}

bool lava_residue_way_fits(const struct lava_residue_way *way, const struct lava_capabilities *device) {
    const struct lava_integer_shape *shape = &device->integer_shape;
    bool has = way->kernel == LAVA_RESIDUE_DOT ? device->integer_products
               : way->kernel == LAVA_RESIDUE_WHOLE
                   ? device->whole_matrices
                   : shape->m > 0 && way->part_m % shape->m == 0 && way->part_n % shape->n == 0 &&
                         LAVA_RESIDUES_SLAB % shape->k == 0;
    return has && lava_residue_invocations(way, device) <= device->max_workgroup_invocations &&
           (!device->fp64 || lava_kernel_fits(lava_residue_left_kernel(), device, NULL));
}

const struct lava_residue_way *lava_residue_way_of(const struct lava_capabilities *device) {
    for (size_t i = 0; i < COUNT(ways) && device->residues != LAVA_RESIDUE_OFF; i++)
        if (lava_residue_way_fits(&ways[i], device) &&
            (ways[i].on_software || device->kind != LAVA_DEVICE_CPU))
            return &ways[i];
    return NULL;
}

void lava_residue_refuse(struct lava_capabilities *device) {
    device->refused_kernels |= REFUSED;
}

void lava_residue_admit(struct lava_capabilities *device) {
    device->refused_kernels &= ~REFUSED;
}

/* Returns whether a product of complex matrices is served with its scalars and region. Combining has room for
 * real scalars, and leaves imaginary parts on the diagonal. From host memory the write-back adds beta C, and
 * multiplies by alpha: not by Inf, because what is left is zero until the CPU has computed it. */
static bool has_scalars(const struct lava_operation *operation) {
    const struct lava_scalar *alpha = &operation->alpha;
    if (operation->on_device)
        return alpha->imaginary == 0 && operation->beta.imaginary == 0 &&
               operation->c.region == LAVA_REGION_ALL;
    return alpha->imaginary == 0 || (isfinite(alpha->real) && isfinite(alpha->imaginary));
}

bool lava_residue_serves(const struct lava_operation *operation) {
    bool is_real = operation->type == LAVA_TYPE_FP64, is_complex = operation->type == LAVA_TYPE_CFP64;
    return lava_operation_is_plain(operation) && !operation->in_place &&
           (is_real || (is_complex && has_scalars(operation))) &&
           operation->precision != LAVA_PRECISION_IEEE && operation->k >= LEAST_K &&
           operation->c.type == operation->type && !operation->of_parts && !operation->series;
}

struct lava_operation lava_residue_parts(const struct lava_operation *operation) {
    struct lava_operation parts = *operation;
    if (operation->type != LAVA_TYPE_CFP64)
        return parts;
    parts.of_parts = true;
    parts.type = parts.c.type = LAVA_TYPE_FP64;
    parts.m *= 2;
    parts.k *= 2;
    parts.c.ld *= 2;
    return parts;
}

struct lava_residue_layout lava_residue_layout_of(const struct lava_residue_way *way,
                                                  const struct lava_operation *parts, uint32_t tiles_each,
                                                  bool packs) {
    struct lava_residue_layout layout = {.panel = lava_minimum(parts->k, LAVA_RESIDUES_STANDARD_K),
                                         .padded_m = (uint32_t)lava_blocking_padded(parts->m, way->tile_m),
                                         .padded_n = (uint32_t)lava_blocking_padded(parts->n, way->tile_n)};
    layout.tiles_m = layout.padded_m / way->tile_m;
    layout.tiles_n = layout.padded_n / way->tile_n;
    layout.tiles_each = tiles_each < layout.tiles_n ? tiles_each : layout.tiles_n;
    uint64_t depth = (uint64_t)lava_blocking_padded(layout.panel, LAVA_RESIDUES_SLAB);
    uint64_t packed_depth = packs ? depth : 0;
    uint64_t lines = (uint64_t)layout.padded_m + layout.padded_n + layout.tiles_m + layout.tiles_n;
    layout.lines_offset = LAVA_RESIDUES_STANDARD * depth * layout.padded_m;
    layout.numbers_offset = layout.lines_offset + lines * LAVA_RESIDUES_WORDS * 4;
    layout.packed_a_offset = (uint64_t)lava_blocking_padded(
        (int64_t)(layout.numbers_offset + sizeof(struct lava_residues_integers)), PACKED_ALIGN);
    layout.first_bytes = layout.packed_a_offset + packed_depth * layout.padded_m * sizeof(double);
    layout.packed_b_offset = LAVA_RESIDUES_STANDARD * depth * layout.padded_n;
    layout.second_bytes = layout.packed_b_offset + packed_depth * layout.padded_n * sizeof(double);
    layout.sums_bytes =
        (uint64_t)LAVA_RESIDUES_STANDARD * 4 * way->tile_m * way->tile_n * layout.tiles_m * layout.tiles_each;
    return layout;
}

uint64_t lava_residue_description_bytes(const struct lava_residue_way *way,
                                        const struct lava_operation *parts) {
    const struct lava_residue_layout layout = lava_residue_layout_of(way, parts, 1, false);
    uint64_t panels = (uint64_t)((parts->k - 1) / layout.panel + 1);
    return panels * (layout.tiles_m + layout.tiles_n) * LAVA_RESIDUES_WORDS * 4;
}

int64_t lava_residue_ld(int64_t rows) {
    return lava_blocking_padded(rows, COLUMN_BYTES / sizeof(double));
}

static int64_t block_columns(const struct lava_residue_way *way, int64_t n) {
    int64_t block = (n - 1) / MOST_BLOCKS + 1;
    return lava_blocking_padded(block > LEAST_BLOCK ? block : LEAST_BLOCK, way->tile_n);
}

int64_t lava_residue_part_columns(const struct lava_residue_way *way, int64_t n, int64_t column,
                                  bool is_first, bool is_last) {
    int64_t block = block_columns(way, n), rest = n - column, columns = block;
    if (!is_last && column > block)
        columns = column;
    if (is_last && !is_first && rest > 2 * block)
        columns = 2 * block;
    return lava_minimum(columns, rest);
}

/* Bytes of the matrices on the device, each a buffer of its own. If B is A transposed it is not there. */
struct matrices {
    uint64_t bytes, largest;
};

static struct matrices matrices_of(const struct lava_operation *operation) {
    int64_t each = operation->of_parts ? 2 : 1, m = operation->m / each, k = operation->k / each;
    const int64_t rows[] = {m, k, m}, columns[] = {k, operation->n, operation->n};
    struct matrices matrices = {0};
    for (int i = 0; i < 3 && !operation->on_device; i++) {
        if (i == 1 && operation->b_is_a)
            continue;
        int64_t stored = lava_residue_ld(rows[i]) * columns[i],
                transposed = lava_residue_ld(columns[i]) * rows[i];
        uint64_t bytes = (uint64_t)(lava_maximum(stored, transposed) * each) * sizeof(double);
        matrices.bytes += bytes;
        matrices.largest = bytes > matrices.largest ? bytes : matrices.largest;
    }
    return matrices;
}

/* The rate of a type's arithmetic. */
static double simt_flops_per_s(const struct lava_profile *profile, const struct lava_device_figures *figures,
                               enum lava_type type) {
    const struct lava_row_ratios ratios = lava_cost_row_ratios(profile, figures, type);
    double best = 0;
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *kernel = lava_kernels_find(profile->kernels[i].kernel);
        if (kernel && kernel->type == type && lava_kernel_is_simt(kernel))
            best = fmax(best, lava_cost_row(&profile->kernels[i], kernel, figures, &ratios).flops_per_s);
    }
    return best;
}

/* By the profile alone, because pipelines are created before a device is measured. */
bool lava_residue_combines_in_integers(const struct lava_capabilities *device) {
    static const struct lava_device_figures unmeasured;
    const struct lava_profile *profile = lava_profiles_find(device);
    double fp64 = simt_flops_per_s(profile, &unmeasured, LAVA_TYPE_FP64);
    return !device->fp64 ||
           (fp64 > 0 && simt_flops_per_s(profile, &unmeasured, LAVA_TYPE_FP32) >= INTEGERS_FROM_RATIO * fp64);
}

static bool is_measured(const struct lava_residue_way *way, const struct lava_profile *profile) {
    return profile->residue_way && strcmp(profile->residue_way, way->name) == 0;
}

static double ops_per_s(const struct lava_residue_way *way, const struct lava_profile *profile,
                        const struct lava_device_figures *figures) {
    return is_measured(way, profile) ? profile->residue_ops_per_s
                                     : way->per_fp32 * simt_flops_per_s(profile, figures, LAVA_TYPE_FP32);
}

/* Returns the time in which an element of C is put together, if nothing else took time. */
static double combine_ns(const struct lava_capabilities *device, const struct lava_device_figures *figures,
                         double fp64_flops_per_s) {
    if (!lava_residue_combines_in_integers(device))
        return 1e9 * COMBINE_FLOPS / fp64_flops_per_s;
    return 1e9 * COMBINE_INTEGERS /
           (INTEGERS_BY_FP32 * simt_flops_per_s(lava_profiles_find(device), figures, LAVA_TYPE_FP32));
}

double lava_residue_ns(const struct lava_residue_way *way, const struct lava_operation *operation,
                       const struct lava_capabilities *device, const struct lava_device_figures *figures,
                       double fp64_flops_per_s, double *convert_ns) {
    const struct lava_profile *profile = lava_profiles_find(device);
    const struct lava_residue_layout layout =
        lava_residue_layout_of(way, operation, UINT32_MAX, device->fp64);
    uint32_t multiprocessors = device->multiprocessors ? device->multiprocessors : profile->multiprocessors;
    double share = operation->c.region == LAVA_REGION_ALL ? 1 : 0.5;
    double memory_ns = 1e9 / lava_cost_rates(profile, figures).memory_bytes_per_s;
    double panels = ceil((double)operation->k / (double)layout.panel);
    double slabs = ceil((double)operation->k / LAVA_RESIDUES_SLAB);
    double groups = share * layout.tiles_m * layout.tiles_n * LAVA_RESIDUES_STANDARD;
    double waves = ceil(groups / multiprocessors) * multiprocessors / groups;
    double convert =
        ((double)layout.padded_m + layout.padded_n) * slabs * LAVA_RESIDUES_SLAB * CONVERT_BYTES * memory_ns;
    double multiply = 1e9 * 2 * groups * way->tile_m * way->tile_n * slabs * LAVA_RESIDUES_SLAB * waves /
                      ops_per_s(way, profile, figures);
    double combine = panels * share * (double)operation->m * (double)operation->n *
                     (COMBINE_BYTES * memory_ns + combine_ns(device, figures, fp64_flops_per_s));
    double columns = ceil(panels * (double)layout.sums_bytes / (double)MOST_SUM_BYTES);
    convert += panels * PANEL_NS;
    if (convert_ns)
        *convert_ns = convert;
    return convert + multiply + combine + columns * COLUMNS_NS;
}

/* Returns the time from host memory to host memory, if the device takes device_ns: the first panel of op(A)
 * and the first columns of op(B) go up before anything, and the last columns of C come down after everything.
 * Half of a triangular C comes down. */
static double host_ns(const struct lava_residue_way *way, const struct lava_operation *operation,
                      const struct lava_rates *rates, double device_ns) {
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    double rows = operation->of_parts ? m / 2 : m; /* of A, each with K numbers */
    double panel = fmin(k, LAVA_RESIDUES_STANDARD_K), panels = ceil(k / panel);
    double columns = fmin((double)block_columns(way, operation->n), n), share = columns / n;
    double up_ns = 8e9 / rates->upload_bytes_per_s, down_ns = 8e9 / rates->download_bytes_per_s;
    double written = operation->c.region == LAVA_REGION_ALL ? 1 : 0.5;
    double n_up = operation->b_is_a ? 0 : n, columns_up = operation->b_is_a ? 0 : columns;
    double all_up = (rows + n_up) * k * up_ns, first_up = (rows + columns_up) * panel * up_ns;
    double computed = fmax(first_up + device_ns, all_up + device_ns / panels * share);
    /* downloads beside arithmetic */
    double left_over = written * m * n * down_ns - device_ns / panels * (1 - share);
    return HOST_FACTOR * (rates->call_latency_ns + computed + fmax(m * columns * down_ns, left_over));
}

bool lava_residue_ends_early(uint64_t left, uint64_t tiles) {
    return (double)left > MOST_LEFT * (double)tiles;
}

/* Returns how many columns of tiles have sums at a time; 0: there is no memory for one. Fewer than fit, if
 * all of them at that rate, of fp64 arithmetic where that computes what is left, would take too long for a
 * dispatch. */
static uint32_t tiles_each(const struct lava_residue_way *way, const struct lava_operation *operation,
                           const struct lava_capabilities *device, uint64_t memory_bytes,
                           double flops_per_s) {
    struct lava_residue_layout one = lava_residue_layout_of(way, operation, 1, device->fp64);
    const struct matrices matrices = matrices_of(operation);
    uint64_t others = one.first_bytes + one.second_bytes + matrices.bytes;
    uint64_t most = memory_bytes > others ? memory_bytes - others : 0;
    const struct lava_kernel *left = lava_residue_left_kernel();
    uint32_t subtiles = way->tile_m * way->tile_n / (left->tile_m * left->tile_n);
    most = most < MOST_SUM_BYTES ? most : MOST_SUM_BYTES;
    most = most < device->max_buffer_bytes ? most : device->max_buffer_bytes;
    if (matrices.largest > device->max_buffer_bytes || one.first_bytes > device->max_buffer_bytes ||
        one.second_bytes > device->max_buffer_bytes)
        return 0;
    double flops = 2.0 * one.padded_m * way->tile_n * (double)one.panel;
    double by_time = fmax(DISPATCH_S * flops_per_s / flops, 1);
    double by_groups = (double)device->max_workgroups / ((double)subtiles * one.tiles_m);
    uint64_t by_memory = most / one.sums_bytes;
    return (uint32_t)fmin(fmin((double)by_memory, one.tiles_n), fmin(by_time, by_groups));
}

static void adopt(const struct lava_residue_way *way, const struct lava_operation *operation,
                  const struct lava_residue_layout *layout, struct lava_plan *plan) {
    int64_t each = operation->of_parts ? 2 : 1;
    plan->residues = way;
    /* one block, as lava_operation_of_parts has it */
    plan->blocking = (struct lava_blocking){.block_m = operation->m / each,
                                            .block_n = operation->n * each,
                                            .block_k = operation->k,
                                            .blocks_m = 1,
                                            .blocks_n = 1,
                                            .blocks_k = 1,
                                            .wide_blocks = 1,
                                            .later_n = operation->n * each,
                                            .piece_m = operation->m / each,
                                            .products = 1,
                                            .split_k = 1,
                                            .packed_a_bytes = layout->first_bytes,
                                            .packed_b_bytes = layout->second_bytes,
                                            .accumulator_bytes = layout->sums_bytes,
                                            .blocks_held = 1};
    plan->blocking.total_bytes =
        layout->first_bytes + layout->second_bytes + layout->sums_bytes + matrices_of(operation).bytes;
    plan->residue_tiles = layout->tiles_each;
    plan->at_once = false;
}

/* What the caller, or the setting, wants. Who forces a row or slices of K gets them. */
static enum lava_residue_use use_of(const struct lava_plan_request *asked) {
    const struct lava_overrides *overrides = asked->overrides;
    bool is_forced =
        overrides->kernel || overrides->split_k > 0 || overrides->block_k > 0 || overrides->engines > 1;
    if (overrides->residues != LAVA_RESIDUE_AUTO)
        return overrides->residues;
    return is_forced || (asked->device->refused_kernels & REFUSED) ? LAVA_RESIDUE_OFF
                                                                   : asked->device->residues;
}

double lava_residue_best_flops_per_s(const struct lava_operation *operation,
                                     const struct lava_capabilities *device,
                                     const struct lava_device_figures *figures) {
    const struct lava_residue_way *way = lava_residue_way_of(device);
    if (!way || (device->refused_kernels & REFUSED) || !lava_residue_serves(operation))
        return 0;
    return ops_per_s(way, lava_profiles_find(device), figures) / LAVA_RESIDUES_STANDARD;
}

/* Returns the way that may compute the product; NULL: none may. */
static const struct lava_residue_way *way_for(const struct lava_plan_request *asked) {
    const struct lava_capabilities *device = asked->device;
    const struct lava_residue_way *way =
        asked->overrides->residue_way ? asked->overrides->residue_way : lava_residue_way_of(device);
    bool may = use_of(asked) != LAVA_RESIDUE_OFF && lava_residue_serves(asked->operation);
    return may && way && lava_residue_way_fits(way, device) ? way : NULL;
}

/* Returns the product's time, from host memory if its matrices are there. */
static double estimate_ns(const struct lava_plan_request *asked, const struct lava_residue_way *way,
                          const struct lava_operation *parts, double fp64_flops_per_s, double *convert_ns) {
    const struct lava_device_figures *figures = &asked->figures->device;
    const struct lava_rates rates = lava_cost_rates(lava_profiles_find(asked->device), figures);
    double ns = lava_residue_ns(way, parts, asked->device, figures, fp64_flops_per_s, convert_ns);
    return parts->on_device ? ns : host_ns(way, parts, &rates, ns);
}

/* Returns false if there is no memory. */
static bool fit_and_adopt(const struct lava_plan_request *asked, const struct lava_residue_way *way,
                          const struct lava_operation *parts, double flops_per_s, double ns,
                          struct lava_plan *plan) {
    uint64_t memory_bytes =
        asked->overrides->memory_bytes ? asked->overrides->memory_bytes : asked->device->memory_bytes;
    uint32_t each = tiles_each(way, parts, asked->device, memory_bytes, flops_per_s);
    if (each == 0)
        return false;
    const struct lava_residue_layout layout = lava_residue_layout_of(way, parts, each, asked->device->fp64);
    adopt(way, parts, &layout, plan);
    plan->gpu_ns = ns;
    return true;
}

void lava_residue_choose(const struct lava_plan_request *asked, struct lava_plan *plan) {
    const struct lava_operation parts = lava_residue_parts(asked->operation);
    const struct lava_residue_way *way = way_for(asked);
    if (!way)
        return;
    double convert_ns, rate = plan->flops_per_s, share = parts.on_device ? MOST_SHARE : HOST_SHARE;
    double ns = estimate_ns(asked, way, &parts, rate, &convert_ns);
    bool gains = ns <= share * plan->gpu_ns && convert_ns <= CONVERT_SHARE * plan->gpu_ns;
    if (gains || use_of(asked) == LAVA_RESIDUE_ON)
        fit_and_adopt(asked, way, &parts, rate, ns, plan);
}

/* Returns whether the descriptions of all panels fit the staging slot where the host reads them. */
static bool fits_slot(const struct lava_residue_way *way, const struct lava_operation *parts,
                      const struct lava_capabilities *device) {
    return device->slot_bytes == 0 || lava_residue_description_bytes(way, parts) <= device->slot_bytes;
}

enum lava_reason lava_residue_plan_alone(const struct lava_plan_request *asked, struct lava_plan *plan) {
    const struct lava_operation parts = lava_residue_parts(asked->operation);
    const struct lava_residue_way *way = way_for(asked);
    if (asked->device->fp64 || parts.type != LAVA_TYPE_FP64 || parts.on_device || !way)
        return LAVA_REASON_NO_KERNEL;
    double ns = estimate_ns(asked, way, &parts, 0, NULL);
    double rate =
        ops_per_s(way, lava_profiles_find(asked->device), &asked->figures->device) / LAVA_RESIDUES_STANDARD;
    if (!fits_slot(way, &parts, asked->device) || !fit_and_adopt(asked, way, &parts, rate, ns, plan))
        return LAVA_REASON_MEMORY;
    plan->kernel = lava_residue_left_kernel();
    plan->flops_per_s = rate;
    plan->leaves_tiles = true;
    return LAVA_REASON_FORCED;
}
