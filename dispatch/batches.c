/* Decides where batches run. Called by lib/blas/batch.c. All products of a batch use the same kernel table
 * row. It is a SIMT row, because K is short, and the one with the lowest estimated time. */
#include "dispatch/batches.h"

#include <math.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/cost.h"
#include "shaders/interface.h"

/* A list of tiles counts panels in 16 bits, and the third dimension of a dispatch has as many groups. */
#define PANELS_MAX 65535
/* Limit of a dispatch, in each dimension, on any device. */
#define GROUPS_MAX UINT64_C(65535)
/* The estimated device time must be below this share of the CPU's. The margin is there because the estimate
 * was not fitted to batches. */
#define PROFITABLE_SHARE 0.7
/* Larger products of a batch are computed one by one: each fills a device by itself. */
#define LARGEST_WORK (512.0 * 512.0 * 512.0)
#define WORD_BYTES   16
/* Device memory that a round may use. */
#define MEMORY_BYTES (UINT64_C(256) << 20)
/* Bytes of a round, in each direction: large enough for the bus's full rate, small enough to keep the wait at
 * both ends short. It holds 640 fp32 products of 64 x 64; an H200 runs 660 tiles at once. */
#define ROUND_BYTES (UINT64_C(20) << 20)

static uint64_t padded(int64_t size, uint32_t multiple) {
    return (uint64_t)lava_blocking_padded(size, multiple);
}

/* Fills in the bytes of one product at each stage. */
static void measure(const struct lava_operation *operation, const struct lava_kernel *kernel,
                    struct lava_batch_plan *plan) {
    uint64_t bytes = lava_type_bytes(operation->type);
    uint32_t word = WORD_BYTES / (uint32_t)bytes;
    int64_t m = operation->m, n = operation->n, k = operation->k;
    plan->kernel = kernel;
    plan->tiles_m = (uint32_t)(padded(m, kernel->tile_m) / kernel->tile_m);
    plan->tiles_n = (uint32_t)(padded(n, kernel->tile_n) / kernel->tile_n);
    plan->k_padded = lava_blocking_padded(k, kernel->tile_k);
    plan->raw_a_bytes = bytes * (operation->a.op == LAVA_OP_N ? padded(m, word) * (uint64_t)k
                                                              : padded(k, word) * (uint64_t)m);
    plan->raw_b_bytes = bytes * (operation->b.op == LAVA_OP_N ? padded(k, word) * (uint64_t)n
                                                              : padded(n, word) * (uint64_t)k);
    plan->packed_a_bytes = bytes * padded(m, kernel->tile_m) * (uint64_t)plan->k_padded;
    plan->packed_b_bytes = bytes * padded(n, kernel->tile_n) * (uint64_t)plan->k_padded;
    plan->accumulator_bytes = bytes * padded(m, kernel->tile_m) * padded(n, kernel->tile_n);
    plan->result_bytes = bytes * padded(m, 4) * (uint64_t)n;
}

/* Estimated time of all products. The bus is assumed to carry one direction at a time. The first round's
 * upload, its arithmetic, and the last round's download do not overlap with other work. */
static double gpu_ns(const struct lava_batch_plan *plan, const struct lava_profile_kernel *row,
                     const struct lava_rates *rates, double count) {
    const struct lava_kernel *kernel = plan->kernel;
    double up_ns = 1e9 * (double)(plan->raw_a_bytes + plan->raw_b_bytes) / rates->upload_bytes_per_s;
    double down_ns = 1e9 * (double)plan->result_bytes / rates->download_bytes_per_s;
    double depth = (double)plan->k_padded + row->start_k;
    double tiles = (double)plan->tiles_m * plan->tiles_n;
    double multiply_ns = 1e9 * 2.0 * kernel->tile_m * kernel->tile_n * tiles * depth / row->flops_per_s;
    double bytes = (double)(plan->raw_a_bytes + plan->raw_b_bytes + plan->result_bytes) +
                   2.0 * (double)(plan->packed_a_bytes + plan->packed_b_bytes + plan->accumulator_bytes);
    double compute_ns = multiply_ns + 1e9 * bytes / rates->memory_bytes_per_s;
    double round = fmin(count, (double)plan->round);
    return 2.0 * rates->call_latency_ns + fmax(up_ns + down_ns, compute_ns) * count +
           fmin(up_ns + down_ns, compute_ns) * round;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Products per round; 0: not even one fits. Tiny products are much larger when padded to whole tiles. */
static int64_t round_of(const struct lava_batch_plan *plan, const struct lava_capabilities *device) {
    uint64_t tiles = (uint64_t)plan->tiles_m * plan->tiles_n;
    uint64_t memory = plan->packed_a_bytes + plan->packed_b_bytes + plan->accumulator_bytes +
                      2 * plan->result_bytes + LAVA_BLOCKING_TILE_LISTS * tiles * sizeof(uint32_t);
    uint64_t packed =
        plan->packed_a_bytes > plan->packed_b_bytes ? plan->packed_a_bytes : plan->packed_b_bytes;
    uint64_t largest = packed > plan->accumulator_bytes ? packed : plan->accumulator_bytes;
    if ((uint64_t)plan->k_padded > GROUPS_MAX * LAVA_PACK_BLOCK)
        return 0;
    uint64_t most = PANELS_MAX / (plan->tiles_m > plan->tiles_n ? plan->tiles_m : plan->tiles_n);
    most = least(most, ROUND_BYTES / (plan->raw_a_bytes + plan->raw_b_bytes));
    most = least(most, ROUND_BYTES / plan->result_bytes);
    most = least(most, least(MEMORY_BYTES, device->memory_bytes / 4) / memory);
    return (int64_t)least(most, device->max_buffer_bytes / largest);
}

/* Chooses the fastest row that the device can run. Returns false if there is none, or if no row fits one
 * product into a round. */
static bool choose_row(const struct lava_operation *operation, int64_t count,
                       const struct lava_capabilities *device, const struct lava_device_figures *figures,
                       struct lava_batch_plan *best) {
    const struct lava_profile *profile = lava_profiles_find(device);
    const struct lava_rates rates = lava_cost_rates(profile, figures);
    bool found = false;
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *kernel = lava_kernels_find(profile->kernels[i].kernel);
        if (!kernel || kernel->type != operation->type || !lava_kernel_is_simt(kernel) ||
            !lava_kernel_fits(kernel, device, NULL))
            continue;
        struct lava_profile_kernel row = lava_cost_row(&profile->kernels[i], kernel, figures);
        struct lava_batch_plan plan = *best;
        measure(operation, kernel, &plan);
        plan.round = round_of(&plan, device);
        if (plan.round < 1)
            continue;
        plan.gpu_ns = gpu_ns(&plan, &row, &rates, (double)count);
        if (!found || plan.gpu_ns < best->gpu_ns)
            *best = plan;
        found = true;
    }
    return found;
}

void lava_batches_choose(const struct lava_operation *operation, int64_t count,
                         const struct lava_capabilities *device, const struct lava_figures *figures,
                         enum lava_mode mode, struct lava_batch_plan *plan) {
    double work = (double)operation->m * (double)operation->n * (double)operation->k;
    memset(plan, 0, sizeof *plan);
    plan->place = LAVA_PLACE_CPU;
    plan->reason = LAVA_REASON_NO_KERNEL;
    plan->cpu_ns = lava_figures_cpu_ns(&figures->cpu, operation) * (double)count;
    if (count < 2 || work > LARGEST_WORK || !choose_row(operation, count, device, &figures->device, plan))
        return;
    bool profitable = plan->gpu_ns < PROFITABLE_SHARE * plan->cpu_ns;
    plan->reason = mode == LAVA_MODE_GPU ? LAVA_REASON_FORCED
                   : profitable          ? LAVA_REASON_PROFITABLE
                                         : LAVA_REASON_UNPROFITABLE;
    if (mode == LAVA_MODE_GPU || profitable)
        plan->place = LAVA_PLACE_GPU;
}
