/* Decides where an operation is computed; the plan of its kind says how. Called by lib/offload/offload for
 * every operation that a device could take, and by `lavablas explain`. Invariant: a pure function. The device
 * is chosen only if its estimate beats the CPU's by a margin, or if the caller insists. */
#include "dispatch/policy.h"

#include <math.h>
#include <string.h>

#include "dispatch/cost.h"
#include "dispatch/product_plan.h"
#include "dispatch/residue_choice.h"

/* The device's estimate must be below this share of the CPU's. The margin covers the estimate's own error, so
 * that the library is never slower than the CPU alone. On an H200 the estimates were 0 to 30% below the
 * measured times (768 to 3072). */
#define PROFITABLE_SHARE 0.8
/* The same share if this machine was measured: the device's latency and bus, and CPU products of sizes all
 * around. An H200 and OpenBLAS on 16 cores, 2026-11-21, 91 products with a size of 512: by the CPU's
 * interpolated time and the device's measured time, two wrongly go to the device. They lose 9% and 7%. */
#define MEASURED_SHARE 0.95
/* The same share for a batch. The margin is larger because the estimate was not fitted to batches. */
#define BATCH_SHARE 0.7

/* Returns the share of the CPU's time that the device may take. */
static double profitable_share(const struct lava_operation *operation, const struct lava_figures *figures) {
    const struct lava_device_figures *device = &figures->device;
    if (operation->series)
        return BATCH_SHARE;
    bool measured = device->call_latency_ns > 0 && device->upload_bytes_per_s > 0 &&
                    device->download_bytes_per_s > 0 && lava_figures_cpu_measured(&figures->cpu, operation);
    return measured ? MEASURED_SHARE : PROFITABLE_SHARE;
}

bool lava_policy_is_profitable(const struct lava_operation *operation, const struct lava_figures *figures,
                               double cpu_ns, double gpu_ns) {
    return gpu_ns < profitable_share(operation, figures) * cpu_ns;
}

bool lava_policy_is_measured(const struct lava_operation *operation, const struct lava_figures *figures) {
    return lava_operation_row(operation)->cpu.share == 0 && figures->device.call_latency_ns > 0 &&
           (lava_figures_scaled_by(&figures->cpu, operation) ||
            lava_figures_cpu_measured(&figures->cpu, operation));
}

/* Checks the transfers first: they decide most products, and the rows have to be looked up. If the profile
 * has no row, lava_policy_choose reports that. */
bool lava_policy_is_hopeless(const struct lava_operation *operation, const struct lava_capabilities *device,
                             const struct lava_figures *figures, double cpu_factor) {
    if (lava_operation_row(operation)->is_vector) /* nothing goes up */
        return false;
    const struct lava_profile *profile = lava_profiles_find(device);
    struct lava_rates rates = lava_cost_rates(profile, &figures->device);
    const struct lava_operation parts = lava_operation_of_parts(operation);
    rates.upload_bytes_per_s = lava_imports_upload_rate(operation, device, &figures->device,
                                                        LAVA_IMPORTS_BY_FIGURES, rates.upload_bytes_per_s);
    double cpu_ns = cpu_factor * lava_figures_cpu_ns(&figures->cpu, operation);
    double allowed_ns = profitable_share(operation, figures) * cpu_ns;
    if (lava_cost_least_ns(&parts, &rates, 0) >= allowed_ns)
        return true;
    double best = lava_product_plan_best_flops_per_s(profile, &figures->device, &parts);
    best = fmax(best, lava_residue_best_flops_per_s(operation, device, &figures->device));
    return lava_cost_least_ns(&parts, &rates, best) >= allowed_ns;
}

/* For kinds that consist of products. */
static void plan_on_device(const struct lava_operation *product, const struct lava_capabilities *device,
                           const struct lava_figures *figures, const struct lava_overrides *overrides,
                           struct lava_plan *plan) {
    lava_policy_choose(product, device, figures, LAVA_MODE_GPU, overrides, plan);
}

/* Sets *its to the overrides, with the kernel and the cuts of K of another product's plan; of a solve, with
 * its chunks or bands, or block columns. */
static void set_sums(const struct lava_overrides *overrides, const struct lava_plan *plan,
                     struct lava_overrides *its) {
    *its = *overrides;
    its->as_m = its->as_n = 0;
    if (plan->place != LAVA_PLACE_GPU)
        return;
    its->kernel = plan->kernel;
    its->split_k = plan->blocking.split_k;
    its->residues = plan->residues ? LAVA_RESIDUE_ON : LAVA_RESIDUE_OFF;
    its->block_k = plan->blocking.block_k;
    its->band = plan->chunks.band;
    its->sides_each = plan->chunks.band > 0 ? 0 : plan->chunks.sides;
    its->columns_each = plan->columns.width;
}

/* The sums are those of the product whose operands are uploaded: the same bits, whatever stays. */
static void set_sums_of_uploaded(const struct lava_operation *operation,
                                 const struct lava_capabilities *device, const struct lava_figures *figures,
                                 const struct lava_overrides *overrides, struct lava_overrides *its) {
    const struct lava_operation uploaded = lava_operation_without_residents(operation);
    struct lava_plan plan;
    lava_policy_choose(&uploaded, device, figures, LAVA_MODE_GPU, overrides, &plan);
    set_sums(overrides, &plan, its);
}

/* The same of the product that this one is a part of. */
static void set_sums_of_whole(const struct lava_operation *part, const struct lava_capabilities *device,
                              const struct lava_figures *figures, const struct lava_overrides *overrides,
                              struct lava_overrides *its) {
    const struct lava_overrides of_whole = {.memory_bytes = overrides->as_bytes};
    struct lava_operation whole = *part;
    struct lava_plan plan;
    whole.a.first = LAVA_PLANNED_A; /* it may be longer than the memory here */
    whole.b.first = LAVA_PLANNED_B;
    whole.c.first = LAVA_PLANNED_C;
    whole.m = overrides->as_m > 0 ? overrides->as_m : part->m;
    whole.n = overrides->as_n > 0 ? overrides->as_n : part->n;
    lava_policy_choose(&whole, device, figures, LAVA_MODE_GPU, &of_whole, &plan);
    set_sums(overrides, &plan, its);
}

/* Checks first what is impossible, then what was forced, then the estimates. A product goes to the CPU in
 * every mode if operands overlap, or if the device cannot run the row or hold a block. A forced row that does
 * not fit, or is of another type, counts as no kernel. */
void lava_policy_choose(const struct lava_operation *operation, const struct lava_capabilities *device,
                        const struct lava_figures *figures, enum lava_mode mode,
                        const struct lava_overrides *overrides, struct lava_plan *plan) {
    static const struct lava_overrides none;
    memset(plan, 0, sizeof *plan);
    plan->place = LAVA_PLACE_CPU;
    if (mode == LAVA_MODE_CPU) {
        plan->reason = LAVA_REASON_MODE_CPU;
        return;
    }
    if (lava_operation_overlaps(operation)) {
        plan->reason = LAVA_REASON_OVERLAP;
        return;
    }

    struct lava_overrides its;
    overrides = overrides ? overrides : &none;
    if (overrides->as_m > 0 || overrides->as_n > 0) {
        set_sums_of_whole(operation, device, figures, overrides, &its);
        overrides = &its;
    } else if (lava_operation_has_resident(operation) && !overrides->kernel) {
        set_sums_of_uploaded(operation, device, figures, overrides, &its);
        overrides = &its;
    }
    plan->imports = overrides->imports;
    plan->profile = lava_profiles_find(device);
    plan->cpu_ns = lava_figures_cpu_ns(&figures->cpu, operation);
    const struct lava_plan_request asked = {operation, device, figures, overrides, plan_on_device};
    plan->reason = lava_operation_row(operation)->plan(&asked, plan);
    if (!plan->kernel && plan->reason != LAVA_REASON_FORCED)
        return;

    bool profitable = lava_policy_is_profitable(operation, figures, plan->cpu_ns, plan->gpu_ns);
    if (mode == LAVA_MODE_GPU)
        plan->reason = LAVA_REASON_FORCED;
    else
        plan->reason = profitable ? LAVA_REASON_PROFITABLE : LAVA_REASON_UNPROFITABLE;
    if (mode == LAVA_MODE_GPU || profitable)
        plan->place = LAVA_PLACE_GPU;
}
