/* Decides where batches run. Called by lib/offload/planning.c and sharing.c. All products of a batch use the
 * same kernel table row. It is a SIMT row, because K is short, and the one with the lowest estimated time. */
#include "dispatch/batches.h"

#include <math.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/cost.h"
#include "dispatch/program.h"
#include "shaders/interface.h"

/* A list of tiles counts panels in 16 bits, and the third dimension of a dispatch has as many groups. */
#define PANELS_MAX 65535
/* Limit of a dispatch, in each dimension, on any device. */
#define GROUPS_MAX UINT64_C(65535)
/* Larger products of a batch are computed one by one: each fills a device by itself. */
#define LARGEST_WORK (512.0 * 512.0 * 512.0)
#define WORD_BYTES   16
/* Device memory that all blocks may use. */
#define MEMORY_BYTES (UINT64_C(512) << 20)
/* Two rows whose estimates differ by less than this share count as equal, because the bus decides about both.
 * The one with less arithmetic is chosen then. */
#define EQUAL_SHARE 0.02
/* Blocks that are computed or wait for their download. */
#define BLOCKS_HELD 4

static uint64_t padded(int64_t size, uint32_t multiple) {
    return (uint64_t)lava_blocking_padded(size, multiple);
}

/* The bytes of one product at each stage. */
struct sizes {
    uint64_t raw_a, raw_b;       /* as uploaded: columns begin at words */
    uint64_t packed_a, packed_b; /* as packed */
    uint64_t sums, result;       /* C padded to tiles, and C without padding */
    uint64_t tiles_m, tiles_n, k_padded;
};

static struct sizes measure(const struct lava_operation *operation, const struct lava_kernel *kernel) {
    uint64_t bytes = lava_type_bytes(operation->type), m = (uint64_t)operation->m, n = (uint64_t)operation->n,
             k = (uint64_t)operation->k;
    uint32_t word = WORD_BYTES / (uint32_t)bytes;
    uint64_t padded_m = padded(operation->m, kernel->tile_m), padded_n = padded(operation->n, kernel->tile_n);
    uint64_t padded_k = padded(operation->k, kernel->tile_k), words_k = padded(operation->k, word);
    bool a_n = operation->a.op == LAVA_OP_N, b_n = operation->b.op == LAVA_OP_N;
    return (struct sizes){.raw_a = bytes * (a_n ? padded(operation->m, word) * k : words_k * m),
                          .raw_b = bytes * (b_n ? words_k * n : padded(operation->n, word) * k),
                          .packed_a = bytes * padded_m * padded_k,
                          .packed_b = bytes * padded_n * padded_k,
                          .sums = bytes * padded_m * padded_n,
                          .result = bytes * padded(operation->m, LAVA_BLOCKING_RESULT_GROUP) * n,
                          .tiles_m = padded_m / kernel->tile_m,
                          .tiles_n = padded_n / kernel->tile_n,
                          .k_padded = padded_k};
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t largest(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Returns the products per block; 0: not even one fits. Tiny products are much larger when padded to whole
 * tiles. */
static int64_t products_of(const struct sizes *sizes, const struct lava_capabilities *device,
                           uint64_t memory_bytes) {
    uint64_t tiles = sizes->tiles_m * sizes->tiles_n;
    uint64_t memory = sizes->packed_a + 2 * sizes->packed_b + BLOCKS_HELD * (sizes->sums + sizes->result) +
                      LAVA_BLOCKING_TILE_LISTS * tiles * sizeof(uint32_t);
    uint64_t buffer = largest(largest(sizes->packed_a, sizes->packed_b), BLOCKS_HELD * sizes->sums);
    /* a block's operand, and its result, is one chunk: large enough for the bus's full rate, small enough to
     * keep the wait at both ends short */
    uint64_t chunk = largest(largest(sizes->raw_a, sizes->raw_b), sizes->result);
    uint64_t slot = device->slot_bytes ? device->slot_bytes : LAVA_BLOCKING_SLOT_BYTES;
    if (sizes->k_padded > GROUPS_MAX * LAVA_PACK_BLOCK || chunk > slot)
        return 0;
    uint64_t most = PANELS_MAX / largest(sizes->tiles_m, sizes->tiles_n);
    most = least(most, slot / chunk);
    most = least(most, memory_bytes / memory);
    return (int64_t)least(most, device->max_buffer_bytes / buffer);
}

/* Fills in *blocking. Returns false if not even one product fits a block. */
static bool plan_blocks(const struct lava_operation *operation, const struct lava_kernel *kernel,
                        const struct lava_capabilities *device, uint64_t memory_bytes,
                        struct lava_blocking *blocking) {
    const struct sizes sizes = measure(operation, kernel);
    int64_t count = operation->series->count, most = products_of(&sizes, device, memory_bytes);
    if (most < 1)
        return false;
    int64_t blocks = (count - 1) / most + 1;
    uint64_t products = (uint64_t)(blocks > 1 ? most : count);
    *blocking = (struct lava_blocking){.block_m = operation->m,
                                       .block_n = operation->n,
                                       .block_k = operation->k,
                                       .blocks_m = 1,
                                       .blocks_n = blocks,
                                       .blocks_k = 1,
                                       .wide_blocks = 1,
                                       .later_n = operation->n,
                                       .piece_m = operation->m,
                                       .products = (int64_t)products,
                                       .split_k = 1,
                                       .epilogue = true,
                                       .packed_a_bytes = products * sizes.packed_a,
                                       .packed_b_bytes = products * sizes.packed_b,
                                       .accumulator_bytes = products * sizes.sums,
                                       .result_bytes = products * sizes.result,
                                       .blocks_held = (uint32_t)lava_minimum(blocks, BLOCKS_HELD),
                                       .tile_list_bytes =
                                           products * sizes.tiles_m * sizes.tiles_n * sizeof(uint32_t)};
    blocking->total_bytes = blocking->packed_a_bytes + 2 * blocking->packed_b_bytes +
                            blocking->blocks_held * (blocking->accumulator_bytes + blocking->result_bytes) +
                            LAVA_BLOCKING_TILE_LISTS * blocking->tile_list_bytes;
    return true;
}

/* Returns the tiles of a product that are computed: of a triangle those that it has a part of. */
static double tiles_of(const struct lava_operation *operation, const struct lava_kernel *kernel,
                       const struct sizes *sizes) {
    const struct lava_block whole = {.rows = operation->m, .columns = operation->n};
    const struct lava_region_tiles tiles = lava_program_tiles(operation, kernel, &whole, 0, operation->m);
    return (double)lava_region_count(&tiles, (uint32_t)sizes->tiles_m, (uint32_t)sizes->tiles_n);
}

/* Returns the time of the arithmetic of a product, padding included. */
static double arithmetic_s(const struct lava_operation *operation, const struct lava_kernel *kernel,
                           double flops_per_s) {
    const struct sizes sizes = measure(operation, kernel);
    return 2.0 * tiles_of(operation, kernel, &sizes) * kernel->tile_m * kernel->tile_n *
           (double)sizes.k_padded / flops_per_s;
}

static struct lava_estimate estimate_of(const struct lava_operation *operation,
                                        const struct lava_capabilities *device,
                                        const struct lava_profile *profile,
                                        const struct lava_device_figures *figures) {
    return (struct lava_estimate){.operation = operation,
                                  .device = device,
                                  .rates = lava_cost_rates(profile, figures),
                                  .multiprocessors = device->multiprocessors ? device->multiprocessors
                                                                             : profile->multiprocessors};
}

/* Chooses the fastest row that the device can run. Leaves plan->kernel NULL if there is none, or if no row
 * fits a product into a block. */
static void choose_row(const struct lava_operation *operation, const struct lava_capabilities *device,
                       const struct lava_device_figures *figures, uint64_t memory_bytes,
                       struct lava_plan *plan) {
    const struct lava_profile *profile = lava_profiles_find(device);
    struct lava_estimate estimate = estimate_of(operation, device, profile, figures);
    const struct lava_row_ratios ratios = lava_cost_row_ratios(profile, figures, operation->type);
    double least_busy_s = 0;
    plan->profile = profile;
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *kernel = estimate.kernel = lava_kernels_find(profile->kernels[i].kernel);
        if (!kernel || kernel->type != operation->type || !lava_kernel_is_simt(kernel) ||
            !lava_kernel_fits(kernel, device, NULL) ||
            !plan_blocks(operation, kernel, device, memory_bytes, &estimate.blocking))
            continue;
        estimate.row = lava_cost_row(&profile->kernels[i], kernel, figures, &ratios);
        double gpu_ns = lava_cost_gpu_ns(&estimate);
        double busy_s = arithmetic_s(operation, kernel, estimate.row.flops_per_s);
        bool equal = fabs(gpu_ns - plan->gpu_ns) < EQUAL_SHARE * plan->gpu_ns;
        if (plan->kernel && !(equal ? busy_s < least_busy_s : gpu_ns < plan->gpu_ns))
            continue;
        least_busy_s = busy_s;
        plan->kernel = kernel;
        plan->blocking = estimate.blocking;
        plan->resident_workgroups = (uint32_t)lava_cost_slots(&estimate);
        plan->flops_per_s = estimate.row.flops_per_s;
        plan->gpu_ns = gpu_ns;
    }
}

/* Products, and updates of triangles: then B is A. */
static bool suits(const struct lava_operation *operation) {
    return lava_operation_is_plain(operation) &&
           (operation->c.region == LAVA_REGION_ALL || operation->b_is_a);
}

/* Returns the bytes of all operands, and of all results, which are read and written. One matrix may serve all
 * products. */
static double bytes_of(const struct lava_operation *operation) {
    const struct lava_series *series = operation->series;
    double count = (double)series->count, m = (double)operation->m, n = (double)operation->n,
           k = (double)operation->k;
    double a = m * k * (!series->a && series->stride_a == 0 ? 1 : count);
    double b = operation->b_is_a ? 0 : k * n * (!series->b && series->stride_b == 0 ? 1 : count);
    double c = m * n * count * (operation->c.region == LAVA_REGION_ALL ? 2 : 1);
    return (double)lava_type_bytes(operation->type) * (a + b) +
           (double)lava_type_bytes(operation->c.type) * c;
}

/* A CPU BLAS computes the products one after the other. A product that is measured by itself has its operands
 * in the cache; those of a batch come from memory. 0: not known. */
static double cpu_ns(const struct lava_cpu_figures *figures, const struct lava_operation *operation) {
    double each_ns = lava_figures_cpu_ns(figures, operation);
    double memory_ns = lava_figures_memory_ns(bytes_of(operation));
    return each_ns > 0 ? (double)operation->series->count * each_ns + memory_ns : 0;
}

void lava_batches_choose(const struct lava_operation *operation, const struct lava_capabilities *device,
                         const struct lava_figures *figures, enum lava_mode mode, uint64_t memory_bytes,
                         struct lava_plan *plan) {
    uint64_t most = least(MEMORY_BYTES, device->memory_bytes / 4);
    double work = (double)operation->m * (double)operation->n * (double)operation->k;
    int64_t count = operation->series->count;
    memset(plan, 0, sizeof *plan);
    plan->place = LAVA_PLACE_CPU;
    plan->reason = LAVA_REASON_NO_KERNEL;
    plan->cpu_ns = cpu_ns(&figures->cpu, operation);
    if (count < 2 || work > LARGEST_WORK || !suits(operation))
        return;
    choose_row(operation, device, &figures->device, memory_bytes ? least(memory_bytes, most) : most, plan);
    if (!plan->kernel)
        return;
    bool profitable = lava_policy_is_profitable(operation, figures, plan->cpu_ns, plan->gpu_ns);
    plan->reason = mode == LAVA_MODE_GPU ? LAVA_REASON_FORCED
                   : profitable          ? LAVA_REASON_PROFITABLE
                                         : LAVA_REASON_UNPROFITABLE;
    if (mode == LAVA_MODE_GPU || profitable)
        plan->place = LAVA_PLACE_GPU;
}

double lava_batches_shared_ns(const struct lava_operation *operation, const struct lava_capabilities *device,
                              const struct lava_figures *figures, const struct lava_plan *plan,
                              uint32_t engines) {
    const struct lava_profile_kernel *row = plan->profile->kernels;
    struct lava_estimate estimate = estimate_of(operation, device, plan->profile, &figures->device);
    while (strcmp(row->kernel, plan->kernel->name) != 0) /* lava_batches_choose found it there */
        row++;
    estimate.kernel = plan->kernel;
    const struct lava_row_ratios ratios =
        lava_cost_row_ratios(plan->profile, &figures->device, operation->type);
    estimate.row = lava_cost_row(row, plan->kernel, &figures->device, &ratios);
    estimate.blocking = plan->blocking;
    estimate.engines = engines;
    return lava_cost_gpu_ns(&estimate);
}
