/* The device's time, in parts: arithmetic by tiles and waves of workgroups, device memory, transfers, and
 * what of these goes on at once. Called by policy.c. Invariant: a pure function; no estimate is below
 * lava_estimates_least_ns, by which products are refused without a search. */
#include "dispatch/estimates.h"

#include <math.h>

/* Latency of a streamed product, in those of the smallest, which is computed at once. */
#define STREAM_LATENCIES 2.0
/* Submitting the finish kernel, as a share of a call's latency, which is two submissions and their waits. On
 * an H200 the kernel itself takes 3 us where there is little to sum (2026-11-21). */
#define FINISH_SHARE 0.03125
/* A block's submissions and idle ends. */
#define BLOCK_NS 30e3

static double measured_or(double figure, double otherwise) {
    return figure > 0 ? figure : otherwise;
}

struct lava_rates lava_estimates_rates(const struct lava_profile *profile,
                                       const struct lava_device_figures *figures) {
    return (struct lava_rates){
        .call_latency_ns = measured_or(figures->call_latency_ns, profile->call_latency_ns),
        .upload_bytes_per_s = measured_or(figures->upload_bytes_per_s, profile->upload_bytes_per_s),
        .download_bytes_per_s = measured_or(figures->download_bytes_per_s, profile->download_bytes_per_s),
        .memory_bytes_per_s = measured_or(figures->memory_bytes_per_s, profile->memory_bytes_per_s)};
}

struct lava_profile_kernel lava_estimates_row(const struct lava_profile_kernel *row,
                                              const struct lava_kernel *kernel,
                                              const struct lava_device_figures *figures) {
    struct lava_profile_kernel measured = *row;
    measured.flops_per_s = measured_or(lava_figures_flops_per_s(figures, kernel), row->flops_per_s);
    return measured;
}

uint64_t lava_estimates_slots(const struct lava_estimate *estimate) {
    uint64_t all = (uint64_t)estimate->multiprocessors * estimate->row.workgroups_per_multiprocessor;
    if (all > estimate->device->max_workgroups)
        all = estimate->device->max_workgroups;
    return all ? all : 1;
}

static double tiles_of(int64_t size, uint32_t tile) {
    return (double)(lava_blocking_padded(size, tile) / tile);
}

double lava_estimates_tiles(const struct lava_estimate *estimate) {
    return tiles_of(estimate->problem->m, estimate->kernel->tile_m) *
           tiles_of(estimate->problem->n, estimate->kernel->tile_n);
}

double lava_estimates_units(const struct lava_estimate *estimate) {
    const struct lava_blocking *blocking = &estimate->blocking;
    return tiles_of(blocking->block_m, estimate->kernel->tile_m) *
           tiles_of(blocking->block_n, estimate->kernel->tile_n) * blocking->split_k;
}

/* Time of a multiprocessor for `workgroups` side by side, in units of one at the full rate: with few of them
 * it waits more. */
static double busy(const struct lava_profile_kernel *row, double workgroups) {
    double most = row->workgroups_per_multiprocessor, lone = row->lone_share;
    if (workgroups >= most)
        return workgroups;
    if (workgroups <= 1)
        return workgroups / lone;
    return workgroups / (lone + (1.0 - lone) * (workgroups - 1.0) / (most - 1.0));
}

/* Arithmetic of so many tiles (of all slabs) of one panel of K: full waves of all resident workgroups, then
 * the rest, spread evenly. */
static double arithmetic_ns(const struct lava_estimate *estimate, double units) {
    const struct lava_kernel *kernel = estimate->kernel;
    const struct lava_profile_kernel *row = &estimate->row;
    const struct lava_blocking *blocking = &estimate->blocking;
    double resident = (double)lava_estimates_slots(estimate);
    double multiprocessors = fmin(estimate->multiprocessors, resident);
    double steps = ceil(tiles_of(blocking->block_k, kernel->tile_k) / blocking->split_k);
    double depth = steps * kernel->tile_k + row->start_k;
    double unit_flops = 2.0 * kernel->tile_m * kernel->tile_n * depth;
    double unit_ns = 1e9 * unit_flops * estimate->multiprocessors / row->flops_per_s;

    double waves = floor(units / resident);
    double rest = ceil((units - waves * resident) / multiprocessors);
    return unit_ns * (waves * busy(row, ceil(resident / multiprocessors)) + busy(row, rest));
}

/* However fast the arithmetic, each packed element is read from device memory once: what decides for a few
 * columns of C. The two overlap, but not well where they are alike: the root of the sum of squares is within
 * 12% of what 40 thin products took on an H200 with 1 to 32 slabs (checkgemm --bench --split, 4096 x N x 4096
 * and 11008). */
static double multiply_ns(const struct lava_estimate *estimate) {
    double bytes = (double)estimate->blocking.packed_a_bytes + (double)estimate->blocking.packed_b_bytes;
    return hypot(arithmetic_ns(estimate, lava_estimates_units(estimate)),
                 1e9 * bytes / estimate->rates.memory_bytes_per_s);
}

static double blocks_of(const struct lava_blocking *blocking) {
    return (double)blocking->blocks_m * (double)blocking->blocks_n * (double)blocking->blocks_k;
}

/* A stays on the device while the column blocks pass, unless K is cut. */
static double times_a(const struct lava_blocking *blocking) {
    return blocking->blocks_k > 1 ? (double)blocking->blocks_n : 1.0;
}

/* Bytes of op(A) and op(B) over the bus. */
static double upload_bytes(const struct lava_problem *problem, const struct lava_blocking *blocking) {
    double a = (double)problem->m * (double)problem->k * times_a(blocking);
    double b = (double)problem->k * (double)problem->n * (double)blocking->blocks_m;
    return (a + b) * (double)lava_type_bytes(problem->type);
}

/* Bytes of C over the bus: C0 stays where it is. */
static double download_bytes(const struct lava_problem *problem) {
    return (double)problem->m * (double)problem->n *
           (double)lava_type_bytes(lava_problem_result_type(problem));
}

/* Everything that passes through device memory beside the multiply's own reads: packing (in, and padded out),
 * the padded sums (out, and for each further panel of K in and out), finish (all slabs in, the result out).
 */
static double memory_bytes(const struct lava_problem *problem, const struct lava_blocking *blocking) {
    double c = (double)problem->m * (double)problem->n;
    double blocks = (double)blocking->blocks_m * (double)blocking->blocks_n;
    double packed = (double)blocking->packed_a_bytes * (double)(blocking->blocks_m * blocking->blocks_k) *
                        times_a(blocking) +
                    (double)blocking->packed_b_bytes * blocks_of(blocking);
    double sums = (double)blocking->accumulator_bytes * blocks * (2.0 * (double)blocking->blocks_k - 1.0);
    double finish = blocking->finish ? c * sizeof(float) * blocking->split_k + download_bytes(problem) : 0.0;
    return upload_bytes(problem, blocking) + packed + sums + finish;
}

/* Beside the multiplies: packing, sums and finish. */
static double overhead_ns(const struct lava_estimate *estimate) {
    const struct lava_blocking *blocking = &estimate->blocking;
    const struct lava_rates *rates = &estimate->rates;
    double finish_ns = blocking->finish ? FINISH_SHARE * rates->call_latency_ns : 0.0;
    return (double)(blocking->blocks_m * blocking->blocks_n) * finish_ns +
           1e9 * memory_bytes(estimate->problem, blocking) / rates->memory_bytes_per_s;
}

/* From the first byte on the bus to the end of the first block's arithmetic: op(B)'s block comes first, then
 * op(A)'s piece by piece, each multiplied as soon as it is there and the one before is done. */
static double first_block_ns(const struct lava_estimate *estimate) {
    const struct lava_blocking *blocking = &estimate->blocking;
    double column_bytes = (double)blocking->block_k * (double)lava_type_bytes(estimate->problem->type);
    double b_ns = 1e9 * (double)blocking->block_n * column_bytes / estimate->rates.upload_bytes_per_s;
    double a_ns = 1e9 * (double)blocking->block_m * column_bytes / estimate->rates.upload_bytes_per_s;
    double pieces = ceil((double)blocking->block_m / (double)blocking->piece_m);
    double share = fmin(1.0, (double)blocking->piece_m / (double)blocking->block_m);
    double piece_ns =
        pieces > 1 ? arithmetic_ns(estimate, lava_estimates_units(estimate) * share) : multiply_ns(estimate);
    return b_ns + fmax(a_ns * share + pieces * piece_ns, a_ns + piece_ns);
}

/* Uploads, arithmetic and downloads go on at once, each in its order; the last block's result leaves after
 * everything is computed. The bus is taken for one that carries one direction at a time: on an H200 both
 * together reached 67 GB/s where each alone reaches 49. */
static double streamed_ns(const struct lava_estimate *estimate) {
    const struct lava_problem *problem = estimate->problem;
    const struct lava_blocking *blocking = &estimate->blocking;
    const struct lava_rates *rates = &estimate->rates;
    double blocks = blocks_of(blocking);
    double up_ns = 1e9 * upload_bytes(problem, blocking) / rates->upload_bytes_per_s;
    double down_ns = 1e9 * download_bytes(problem) / rates->download_bytes_per_s;
    double last_ns = down_ns * ((double)blocking->block_m / (double)problem->m) *
                     ((double)blocking->block_n / (double)problem->n);
    double block_ns = multiply_ns(estimate);
    double computed_ns = fmax(first_block_ns(estimate) + (blocks - 1.0) * block_ns, up_ns + block_ns);
    return STREAM_LATENCIES * rates->call_latency_ns + (blocks - 1.0) * BLOCK_NS + overhead_ns(estimate) +
           fmax(computed_ns + last_ns, up_ns + down_ns);
}

/* One after another. */
static double at_once_ns(const struct lava_estimate *estimate) {
    const struct lava_problem *problem = estimate->problem;
    const struct lava_rates *rates = &estimate->rates;
    return rates->call_latency_ns +
           1e9 * upload_bytes(problem, &estimate->blocking) / rates->upload_bytes_per_s +
           multiply_ns(estimate) + overhead_ns(estimate) +
           1e9 * download_bytes(problem) / rates->download_bytes_per_s;
}

double lava_estimates_gpu_ns(const struct lava_estimate *estimate) {
    return estimate->at_once ? at_once_ns(estimate) : streamed_ns(estimate);
}

double lava_estimates_least_ns(const struct lava_problem *problem, const struct lava_rates *rates,
                               double flops_per_s) {
    double up = lava_problem_operand_bytes(problem);
    double transfers_s =
        up / rates->upload_bytes_per_s + download_bytes(problem) / rates->download_bytes_per_s;
    double arithmetic_s = flops_per_s > 0 ? lava_problem_flops(problem) / flops_per_s : 0;
    return rates->call_latency_ns + 1e9 * fmax(transfers_s, arithmetic_s);
}
