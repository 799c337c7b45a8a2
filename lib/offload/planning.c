/* Chooses plans for the devices of the process. Called by offload.c.
 *
 * Invariant: the remembered plan is the one that the policy would choose. */
#include "lib/offload/planning.h"

#include <math.h>

#include "dispatch/batches.h"
#include "dispatch/residue_choice.h"
#include "dispatch/sharing.h"
#include "dispatch/solve.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/host/cpu_inverse.h"
#include "lib/offload/context.h"

/* Device memory is allocated at 18 to 30 ms for each GiB (H200, driver 580, 2026-11-22). */
#define ALLOCATION_NS_PER_BYTE (25e6 / 0x1p30)
/* An allocation that takes less than this share of the product is just made. */
#define ALLOCATION_SHARE 0.1
/* Most products in a row that spare the same memory. */
#define SPARED_MAX 8.0

/* The thread's last plan. Programs multiply the same sizes again and again, and choosing a plan takes 10% of
 * the time of a small product on the device. */
static _Thread_local struct {
    struct lava_operation operation;
    const struct lava_figures *figures; /* NULL: there is none */
    uint64_t refused_kernels;
    double upload_rate; /* see upload_rate_of */
    struct lava_plan plan;
    bool has_shared; /* `shared` is known: with as many engines, or none if it is no gain */
    struct lava_plan shared;
} remembered;

static bool are_operands_alike(const struct lava_operand *a, const struct lava_operand *b) {
    return a->op == b->op && a->conjugate == b->conjugate && a->structure == b->structure &&
           a->stored == b->stored && a->is_resident == b->is_resident;
}

/* Returns all that a plan depends on of addresses and leading dimensions: which of A and B a device that
 * shares the host's memory imports, and how many pages. Other devices answer at once. */
static double upload_rate_of(const struct lava_operation *operation, const struct lava_figures *figures) {
    return lava_imports_upload_rate(operation, lava_context_capabilities(), &figures->device,
                                    LAVA_IMPORTS_BY_FIGURES, figures->device.copy_bytes_per_s);
}

/* Returns whether everything else that a plan depends on is the same. The caller has checked that C overlaps
 * neither A nor B. */
static bool is_alike(const struct lava_operation *a, const struct lava_operation *b) {
    return a->kind == b->kind && a->type == b->type && a->c.type == b->c.type &&
           are_operands_alike(&a->a, &b->a) && are_operands_alike(&a->b, &b->b) && a->m == b->m &&
           a->n == b->n && a->k == b->k && (a->beta.real == 0) == (b->beta.real == 0) &&
           (a->beta.imaginary == 0) == (b->beta.imaginary == 0) &&
           (a->alpha.imaginary == 0) == (b->alpha.imaginary == 0) &&
           lava_residue_serves(a) == lava_residue_serves(b) && a->precision == b->precision &&
           a->c.region == b->c.region && a->b_is_a == b->b_is_a && a->in_place == b->in_place &&
           a->twice == b->twice && a->sides.count == b->sides.count && a->sides.op == b->sides.op &&
           a->sides.conjugate == b->sides.conjugate && a->sides.factored == b->sides.factored &&
           a->adjoint == b->adjoint;
}

/* The thread's last plan for matrices that would stay. */
static _Thread_local struct {
    struct lava_operation operation;
    const struct lava_figures *figures; /* NULL: there is none */
    uint64_t refused_kernels;
    double gpu_ns;
} supposed;

double lava_planning_suppose(const struct lava_operation *operation) {
    const struct lava_figures *figures = lava_context_figures();
    const struct lava_capabilities *device = lava_context_capabilities();
    struct lava_plan plan;
    if (supposed.figures != figures || supposed.refused_kernels != device->refused_kernels ||
        !is_alike(operation, &supposed.operation)) {
        lava_policy_choose(operation, device, figures, LAVA_MODE_GPU, NULL, &plan);
        supposed.figures = figures;
        supposed.refused_kernels = device->refused_kernels;
        supposed.operation = *operation;
        supposed.gpu_ns = plan.place == LAVA_PLACE_GPU ? plan.gpu_ns : 0;
    }
    return supposed.gpu_ns;
}

static void choose_remembered(const struct lava_operation *operation, uint64_t memory_bytes,
                              struct lava_plan *plan) {
    const struct lava_overrides overrides = {.memory_bytes = memory_bytes};
    const struct lava_figures *figures = lava_context_figures();
    uint64_t refused_kernels = lava_context_capabilities()->refused_kernels;
    bool usual = memory_bytes == 0 && !lava_operation_overlaps(operation);
    if (usual && remembered.figures == figures && remembered.refused_kernels == refused_kernels &&
        is_alike(operation, &remembered.operation) &&
        upload_rate_of(operation, figures) == remembered.upload_rate) {
        *plan = remembered.plan;
    } else {
        const struct lava_plan_request asked = {.operation = operation,
                                                .device = lava_context_capabilities(),
                                                .figures = figures,
                                                .overrides = &overrides};
        lava_policy_choose(operation, asked.device, figures, lava_config_get()->mode, &overrides, plan);
        lava_sharing_reconsider(&asked, lava_config_get()->mode, lava_context_devices(), plan);
        remembered.figures = usual ? figures : NULL;
        remembered.refused_kernels = refused_kernels;
        remembered.upload_rate = upload_rate_of(operation, figures);
        remembered.operation = *operation;
        remembered.plan = *plan;
        remembered.has_shared = false;
    }
}

void lava_planning_insist(const struct lava_operation *operation, struct lava_plan *plan) {
    lava_policy_choose(operation, lava_context_capabilities(), lava_context_figures(), LAVA_MODE_GPU, NULL,
                       plan);
    if (plan->place == LAVA_PLACE_GPU)
        plan->reason = LAVA_REASON_PROFITABLE;
}

void lava_planning_choose(const struct lava_operation *operation, uint64_t memory_bytes,
                          struct lava_plan *plan) {
    if (operation->series)
        lava_batches_choose(operation, lava_context_capabilities(), lava_context_figures(),
                            lava_config_get()->mode, memory_bytes, plan);
    else
        choose_remembered(operation, memory_bytes, plan);
    if (lava_log_enabled(LAVA_LOG_DEBUG)) {
        char text[512];
        lava_policy_describe(operation, plan, text, sizeof text);
        LAVA_LOG(DEBUG, "%s", text);
    }
}

/* Nothing stays on the devices of a crew. */
bool lava_planning_share(const struct lava_operation *caller, const struct lava_plan *one,
                         struct lava_plan *plan) {
    unsigned devices = lava_context_devices();
    if (devices < 2 || one->place != LAVA_PLACE_GPU)
        return false;
    const struct lava_operation uploaded = lava_operation_without_residents(caller), *operation = &uploaded;
    if (operation->series)
        return lava_sharing_plan(operation, lava_context_capabilities(), lava_context_figures(), one, devices,
                                 plan);
    if (!remembered.figures)
        return false;
    if (!remembered.has_shared) {
        remembered.shared.engines = 0;
        lava_sharing_plan(operation, lava_context_capabilities(), remembered.figures, one, devices,
                          &remembered.shared);
        remembered.has_shared = true;
        if (remembered.shared.engines > 1 && lava_log_enabled(LAVA_LOG_DEBUG)) {
            char text[512];
            lava_policy_describe(operation, &remembered.shared, text, sizeof text);
            LAVA_LOG(DEBUG, "shared: %s", text);
        }
    }
    *plan = remembered.shared;
    return plan->engines > 1;
}

bool lava_planning_is_hopeless(const struct lava_operation *operation, double cpu_factor) {
    return lava_config_get()->mode == LAVA_MODE_AUTO && !operation->series &&
           lava_policy_is_hopeless(operation, lava_context_capabilities(), lava_context_figures(),
                                   cpu_factor);
}

bool lava_planning_underflows(const struct lava_operation *operation) {
    double least = lava_solve_least(lava_context_capabilities(), operation->type);
    return least > 0 && lava_cpu_inverse_has_smaller(operation, least);
}

void lava_planning_spare_memory(struct lava_engine *engine, const struct lava_operation *operation,
                                struct lava_plan *plan) {
    bool scales_a = lava_operation_scales_a(operation);
    const struct lava_arena *arena = &engine->arena;
    double cost_ns =
        ALLOCATION_NS_PER_BYTE * (double)lava_arena_growth_bytes(arena, &plan->blocking, scales_a);
    uint64_t there_bytes = lava_arena_block_bytes(arena);
    struct lava_plan other;
    if (!engine->has_usual || operation->series || !lava_operation_row(operation)->is_product ||
        cost_ns < ALLOCATION_SHARE * plan->gpu_ns)
        return;
    lava_planning_choose(operation, there_bytes, &other);
    /* neither a copy nor the memory at hand must change the bits */
    bool may_differ = !lava_operation_has_resident(operation) && !plan->residues && !other.residues;
    if (other.place != LAVA_PLACE_GPU || !(may_differ || lava_plan_has_same_sums(&other, plan)) ||
        !lava_arena_has(arena, &other.blocking, scales_a) || other.gpu_ns - plan->gpu_ns > cost_ns)
        return;
    engine->spared_ns += fmax(other.gpu_ns - plan->gpu_ns, cost_ns / SPARED_MAX);
    if (engine->spared_ns > cost_ns) {
        engine->spared_ns = 0;
        return;
    }
    *plan = other;
    plan->spares_memory = true;
}
