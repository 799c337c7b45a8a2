/* An engine is a device with its memory, copy threads and pipelines. Called by lib/offload, lib/calibrate and
 * checkgemm. */
#include "lib/engine/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/divide.h"
#include "dispatch/eigen.h"
#include "dispatch/factorization.h"
#include "dispatch/pivoted_qr.h"
#include "dispatch/qr.h"
#include "dispatch/singular.h"
#include "dispatch/tridiagonal.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/engine/residents.h"
#include "lib/engine/shared_staging.h"
#include "lib/vk/gpu.h"
#include "lib/vk/queue.h"

#define NS_PER_S 1e9
/* What is reserved without a product: at most one part in this many of the device's memory for blocks, and
 * for raw chunks. 1.2 GiB and 0.2 GiB on an H200, where 8192 x 8192 x 8192 is estimated to take 1.03 of its
 * time in more memory, and 4096 x 4096 x 4096 has all it wants. */
#define USUAL_SHARE     96
#define USUAL_RAW_SHARE 512
/* A wait gives up after TIMEOUT_S plus TIMEOUT_FACTOR times the estimated time of a block. */
#define TIMEOUT_S      20.0
#define TIMEOUT_FACTOR 50.0
/* A software device compiles a kernel at its first dispatch. That takes a second for cooperative matrices
 * with rolled loops, and half a minute for the unrolled loops that tests compile (lavapipe of Mesa 26.1.6, 2
 * idle cores, 2026-11-21). Under a sanitizer it takes tens of times as long. */
#define SOFTWARE_TIMEOUT_S 300.0

/* The last engine that was destroyed while its device may still use its buffers and pipelines. It keeps
 * them. */
static struct lava_engine *_Atomic abandoned;

enum lava_status lava_engine_create(struct lava_device *device, unsigned copy_threads,
                                    struct lava_engine **result) {
    struct lava_engine *engine = calloc(1, sizeof *engine);
    *result = NULL;
    if (!engine) {
        lava_gpu_close(device);
        return LAVA_ERROR_HOST_MEMORY;
    }
    engine->device = device;
    enum lava_status status = lava_arena_init(&engine->arena, device);
    if (!status) {
        engine->pool = lava_copy_pool_create(copy_threads);
        status = engine->pool ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
    }
    if (status) {
        lava_engine_destroy(engine);
        return status;
    }
    static const struct lava_figures none;
    engine->figures = &none;
    engine->capabilities = device->capabilities;
    engine->capabilities.memory_bytes -= lava_arena_overhead_bytes(&engine->arena);
    engine->capabilities.slot_bytes = engine->arena.slot_bytes;
    *result = engine;
    return LAVA_OK;
}

void lava_engine_destroy(struct lava_engine *engine) {
    if (!engine)
        return;
    lava_copy_pool_destroy(engine->pool);
    if (lava_queue_drain(engine->device, (uint64_t)(TIMEOUT_S * NS_PER_S))) {
        engine->pool = NULL;
        abandoned = engine;
        return;
    }
    lava_shared_staging_drop(&engine->arena, engine->device);
    lava_arena_finish(&engine->arena, engine->device);
    if (engine->device->user == 0)
        lava_residents_destroy(engine->device->shared->residents, engine->device);
    lava_gpu_close(engine->device);
    free(engine);
}

uint64_t lava_engine_free_bytes(const struct lava_engine *engine) {
    uint64_t bytes = engine->capabilities.memory_bytes, taken = lava_arena_taken_bytes(&engine->arena);
    return taken < bytes ? bytes - taken : 1;
}

static bool plan_usual(const struct lava_engine *engine, enum lava_type type, struct lava_plan *plan) {
    const struct lava_operation operation = lava_operation_to_plan(type, LAVA_ENGINE_USUAL);
    const struct lava_overrides overrides = {.memory_bytes = engine->capabilities.memory_bytes / USUAL_SHARE};
    lava_policy_choose(&operation, &engine->capabilities, engine->figures, LAVA_MODE_GPU, &overrides, plan);
    return plan->place == LAVA_PLACE_GPU;
}

void lava_engine_reserve_usual(struct lava_engine *engine, enum lava_type type) {
    struct lava_plan plan;
    uint64_t raw_bytes = engine->capabilities.memory_bytes / USUAL_RAW_SHARE;
    if (engine->capabilities.unified_memory || !plan_usual(engine, type, &plan))
        return;
    engine->usual_type = type;
    engine->has_usual = true;
    /* if there is no room, the first product finds out what to do */
    (void)lava_arena_reserve(&engine->arena, engine->device, &plan.blocking, raw_bytes, false);
}

void lava_engine_release(struct lava_engine *engine) {
    lava_engine_release_residents(engine, false);
    lava_arena_release(&engine->arena, engine->device);
    if (engine->has_usual)
        lava_engine_reserve_usual(engine, engine->usual_type);
}

bool lava_engine_release_residents(struct lava_engine *engine, bool in_vain) {
    struct lava_residents *residents = engine->device->shared->residents;
    return residents && lava_residents_release(residents, engine->device, in_vain);
}

struct need {
    bool needed;
    struct lava_pipeline_specification specification;
};

static size_t collect(const struct need *needs, size_t count,
                      struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    size_t collected = 0;
    for (size_t i = 0; i < count; i++)
        if (needs[i].needed)
            specifications[collected++] = needs[i].specification;
    return collected;
}

/* Covers results of every type. */
size_t lava_engine_pipelines(const struct lava_engine *engine, const struct lava_kernel *kernel,
                             struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    bool is_half = lava_type_is_half(kernel->type);
    const struct lava_type_facts *facts = lava_type_facts(kernel->type), *sums = lava_type_facts(facts->sums),
                                 *parts = lava_type_facts(facts->complex_type);
    const struct need needs[LAVA_ENGINE_PIPELINES] = {
        {true, lava_pipelines_multiply(kernel, capabilities, false)},
        {is_half && lava_kernel_narrows(kernel, capabilities),
         lava_pipelines_multiply(kernel, capabilities, true)},
        {true, lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, false)},
        {true, lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, true)},
        {true, lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, false)},
        {true, lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, true)},
        {true, lava_pipelines_of(sums->epilogue)},
        {is_half, lava_pipelines_of(facts->epilogue)},
        {!is_half, lava_pipelines_of(parts->epilogue)},
        {kernel->fallback, lava_pipelines_of(LAVA_MODULE_SCREEN)},
        {kernel->fallback, lava_pipelines_fallback(kernel, capabilities)},
    };
    return collect(needs, LAVA_ENGINE_PIPELINES, specifications);
}

size_t
lava_engine_structured_pipelines(const struct lava_engine *engine, const struct lava_kernel *kernel,
                                 struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    enum lava_type type = kernel->type, of_parts = lava_type_facts(type)->complex_type;
    const struct lava_type_facts *facts = lava_type_facts(type), *parts = lava_type_facts(of_parts);
    bool shares = kernel->scheme == LAVA_SCHEME_NONE;
    const struct need needs[] = {
        {true, lava_pipelines_triangular(lava_pipelines_multiply(kernel, capabilities, false))},
        {kernel->fallback, lava_pipelines_triangular(lava_pipelines_fallback(kernel, capabilities))},
        {true, lava_pipelines_of(LAVA_MODULE_SQUARE)},
        {shares, lava_pipelines_of(LAVA_MODULE_COPY_COLUMNS)},
        {shares, lava_pipelines_of(parts->scale)},
        {shares, lava_pipelines_of(facts->update)},
        {shares, lava_pipelines_of(parts->update)},
        {shares && lava_solve_fits(capabilities, type), lava_pipelines_of(facts->solve)},
        {shares && lava_solve_fits(capabilities, of_parts), lava_pipelines_of(parts->solve)},
    };
    static_assert(sizeof needs / sizeof needs[0] <= LAVA_ENGINE_PIPELINES, "the caller's array holds all");
    return collect(needs, sizeof needs / sizeof needs[0], specifications);
}

/* A kind of panels in all forms, of a type and the complex one of such parts. */
static void panel_needs(const struct lava_capabilities *capabilities, enum lava_panel_kind kind,
                        enum lava_type type, bool shares, struct need needs[2 * LAVA_PANEL_FORMS]) {
    static const struct lava_panel_choice free_choice;
    const enum lava_type types[] = {type, lava_type_facts(type)->complex_type};
    size_t count = 0;
    for (enum lava_panel_form form = 0; form < LAVA_PANEL_FORMS; form++)
        for (int i = 0; i < 2; i++) {
            uint32_t each = lava_panels_invocations(capabilities, kind, types[i], form, &free_choice);
            needs[count++] = (struct need){shares && lava_solve_fits(capabilities, types[i]) &&
                                               lava_panels_fit(capabilities, form),
                                           lava_pipelines_panel(kind, types[i], form, each)};
        }
}

size_t
lava_engine_factor_pipelines(const struct lava_engine *engine, const struct lava_kernel *kernel,
                             struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    enum lava_type type = kernel->type, of_parts = lava_type_facts(type)->complex_type;
    const struct lava_type_facts *facts = lava_type_facts(type), *parts = lava_type_facts(of_parts);
    bool shares = kernel->scheme == LAVA_SCHEME_NONE;
    bool fits = shares && lava_factorization_fits(capabilities, type),
         parts_fit = shares && lava_factorization_fits(capabilities, of_parts);
    struct need needs[3 + 2 * LAVA_PANEL_FORMS] = {
        {fits, lava_pipelines_of(facts->cholesky)},
        {parts_fit, lava_pipelines_of(parts->cholesky)},
        {fits, lava_pipelines_of(LAVA_MODULE_SWAP_ROWS)},
    };
    static_assert(sizeof needs / sizeof needs[0] <= LAVA_ENGINE_PIPELINES, "the caller's array holds all");
    panel_needs(capabilities, LAVA_PANEL_LU, type, shares, needs + 3);
    return collect(needs, sizeof needs / sizeof needs[0], specifications);
}

size_t lava_engine_qr_pipelines(const struct lava_engine *engine, const struct lava_kernel *kernel,
                                struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    enum lava_type type = kernel->type, of_parts = lava_type_facts(type)->complex_type;
    const struct lava_type_facts *facts = lava_type_facts(type), *parts = lava_type_facts(of_parts);
    bool shares = kernel->scheme == LAVA_SCHEME_NONE;
    bool fits = shares && lava_qr_fits(capabilities, type),
         parts_fit = shares && lava_qr_fits(capabilities, of_parts);
    struct need needs[3 + 2 * LAVA_PANEL_FORMS] = {
        {fits, lava_pipelines_of(facts->qr_triangle)},
        {parts_fit, lava_pipelines_of(parts->qr_triangle)},
        {fits, lava_pipelines_of(LAVA_MODULE_REFLECTORS)},
    };
    panel_needs(capabilities, LAVA_PANEL_QR, type, shares, needs + 3);
    return collect(needs, sizeof needs / sizeof needs[0], specifications);
}

size_t
lava_engine_tridiagonal_pipelines(const struct lava_engine *engine, const struct lava_kernel *kernel,
                                  struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    static const struct lava_panel_choice free_choice;
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    enum lava_type type = kernel->type, of_parts = lava_type_facts(type)->complex_type;
    const struct lava_type_facts *facts = lava_type_facts(type), *parts = lava_type_facts(of_parts);
    bool shares = kernel->scheme == LAVA_SCHEME_NONE;
    bool fits = shares && lava_tridiagonal_fits(capabilities, type),
         parts_fit = shares && lava_tridiagonal_fits(capabilities, of_parts);
    bool waits = lava_tridiagonal_groups(capabilities, LAVA_TRIDIAGONAL_TILE, false, &free_choice) > 0;
    const struct need needs[] = {
        {fits && waits, lava_pipelines_of(facts->tridiagonal_panel)},
        {parts_fit && waits, lava_pipelines_of(parts->tridiagonal_panel)},
        {fits, lava_pipelines_of(facts->tridiagonal_column)},
        {fits, lava_pipelines_of(facts->tridiagonal_tiles)},
        {parts_fit, lava_pipelines_of(parts->tridiagonal_column)},
        {parts_fit, lava_pipelines_of(parts->tridiagonal_tiles)},
    };
    return collect(needs, sizeof needs / sizeof needs[0], specifications);
}

size_t lava_engine_eigen_pipelines(const struct lava_engine *engine, const struct lava_kernel *kernel,
                                   struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    enum lava_type type = kernel->type, of_parts = lava_type_facts(type)->complex_type;
    bool shares = kernel->scheme == LAVA_SCHEME_NONE;
    bool fits = shares && lava_eigen_fits(capabilities, type),
         parts_fit = shares && lava_eigen_fits(capabilities, of_parts);
    const struct need needs[] = {
        {fits, lava_pipelines_of(lava_divide_module(type, LAVA_DIVIDE_COLUMNS))},
        {fits, lava_pipelines_of(lava_divide_module(type, LAVA_DIVIDE_ROTATE))},
        {fits, lava_pipelines_of(lava_divide_module(type, LAVA_DIVIDE_SECULAR))},
        {fits, lava_pipelines_of(lava_divide_module(type, LAVA_DIVIDE_VECTORS))},
        {fits, lava_pipelines_of(lava_divide_module(type, LAVA_DIVIDE_MULTIPLY))},
        {fits, lava_pipelines_of(lava_type_facts(type)->qr_triangle)},
        {parts_fit, lava_pipelines_of(lava_type_facts(of_parts)->qr_triangle)},
        {fits, lava_pipelines_of(LAVA_MODULE_TRIDIAGONAL_REFLECTORS)},
        {fits, lava_pipelines_of(LAVA_MODULE_REFLECTORS)}, /* lib/lapack/device_reflectors.c gets both */
        {fits, lava_pipelines_of(lava_eigen_bisection(type))},
        {parts_fit, lava_pipelines_of(LAVA_MODULE_EXPAND)},
    };
    return collect(needs, sizeof needs / sizeof needs[0], specifications);
}

size_t
lava_engine_generalized_pipelines(const struct lava_engine *engine, const struct lava_kernel *kernel,
                                  struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    enum lava_type type = kernel->type, of_parts = lava_type_facts(type)->complex_type;
    bool shares = kernel->scheme == LAVA_SCHEME_NONE;
    bool fits = shares && lava_eigen_fits(capabilities, type),
         parts_fit = shares && lava_eigen_fits(capabilities, of_parts);
    const struct need needs[] = {
        {fits, lava_pipelines_of(lava_type_facts(type)->cholesky)},
        {parts_fit, lava_pipelines_of(lava_type_facts(of_parts)->cholesky)},
        {fits, lava_pipelines_of(lava_type_facts(type)->arrange)},
        {parts_fit, lava_pipelines_of(lava_type_facts(of_parts)->arrange)},
    };
    return collect(needs, sizeof needs / sizeof needs[0], specifications);
}

size_t
lava_engine_singular_pipelines(const struct lava_engine *engine, const struct lava_kernel *kernel,
                               struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    enum lava_type type = kernel->type, of_parts = lava_type_facts(type)->complex_type;
    const struct lava_type_facts *facts = lava_type_facts(type), *parts = lava_type_facts(of_parts);
    bool shares = kernel->scheme == LAVA_SCHEME_NONE;
    bool fits = shares && lava_singular_fits(capabilities, type),
         parts_fit = shares && lava_singular_fits(capabilities, of_parts);
    const struct need needs[] = {
        {fits, lava_pipelines_of(facts->arrange)},
        {fits, lava_pipelines_of(facts->column_norms)},
        {parts_fit, lava_pipelines_of(parts->arrange)},
        {parts_fit, lava_pipelines_of(parts->column_norms)},
    };
    return collect(needs, sizeof needs / sizeof needs[0], specifications);
}

size_t
lava_engine_pivoted_qr_pipelines(const struct lava_engine *engine, const struct lava_kernel *kernel,
                                 struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    const enum lava_type types[] = {kernel->type, lava_type_facts(kernel->type)->complex_type};
    struct need needs[2 * (LAVA_PIVOTED_QR_STEPS + 1)];
    size_t count = 0;
    for (int i = 0; i < 2 && kernel->scheme == LAVA_SCHEME_NONE; i++) {
        if (!lava_pivoted_qr_fits(capabilities, types[i]))
            continue;
        for (int step = 0; step < LAVA_PIVOTED_QR_STEPS; step++)
            needs[count++] = (struct need){
                true, lava_pipelines_of(lava_pivoted_qr_module(types[i], (enum lava_pivoted_qr_step)step))};
        needs[count++] = (struct need){true, lava_pipelines_of(lava_type_facts(types[i])->arrange)};
    }
    return collect(needs, count, specifications);
}

size_t
lava_engine_inverse_pipelines(const struct lava_engine *engine, const struct lava_kernel *kernel,
                              struct lava_pipeline_specification specifications[LAVA_ENGINE_PIPELINES]) {
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    enum lava_type type = kernel->type, of_parts = lava_type_facts(type)->complex_type;
    const struct lava_type_facts *facts = lava_type_facts(type), *parts = lava_type_facts(of_parts);
    bool shares = kernel->scheme == LAVA_SCHEME_NONE;
    bool fits = shares && lava_factorization_fits(capabilities, type),
         parts_fit = shares && lava_factorization_fits(capabilities, of_parts);
    const struct need needs[] = {
        {fits, lava_pipelines_of(facts->multiply_triangle)},
        {parts_fit, lava_pipelines_of(parts->multiply_triangle)},
        {fits, lava_pipelines_of(facts->invert)},
        {parts_fit, lava_pipelines_of(parts->invert)},
    };
    return collect(needs, sizeof needs / sizeof needs[0], specifications);
}

void lava_engine_expect(struct lava_engine *engine, double seconds) {
    bool software = engine->capabilities.kind == LAVA_DEVICE_CPU;
    double limit_s = (software ? SOFTWARE_TIMEOUT_S : TIMEOUT_S) + TIMEOUT_FACTOR * seconds;
    lava_device_set_timeout(engine->device, (uint64_t)(limit_s * NS_PER_S));
}

void lava_engine_begin_call(struct lava_engine *engine) {
    memset(engine->transferred, 0, sizeof engine->transferred);
    engine->is_unusual = false;
}

void lava_engine_end_call(const struct lava_engine *engine) {
    for (int direction = 0; engine && direction < LAVA_TRANSFERS; direction++)
        lava_stats_transferred((enum lava_transfer)direction, engine->transferred[direction].bytes,
                               engine->transferred[direction].ns);
}
