/* An engine is a device with its memory, copy threads and pipelines. Called by lib/offload, lib/calibrate and
 * checkgemm. */
#include "lib/engine/engine.h"

#include <stdlib.h>
#include <string.h>

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
