/* An engine is a user of a device (lib/vk/device.h) with its memory, its figures and the threads that copy
 * for it. It is a value: nothing here is global, and a process may have several, also of one VkDevice. One
 * thread at a time: lib/offload/context tells which. */
#ifndef LAVA_ENGINE_ENGINE_H
#define LAVA_ENGINE_ENGINE_H

#include "dispatch/panels.h"
#include "dispatch/policy.h"
#include "lib/base/stats.h"
#include "lib/engine/arena.h"
#include "lib/host/copy_pool.h"
#include "lib/host/cpu_load.h"
#include "lib/vk/pipelines.h"

struct lava_engine {
    struct lava_device *device; /* owned */
    struct lava_arena arena;
    struct lava_copy_pool *pool;
    struct lava_cpu_load neighbours;       /* of the copy threads */
    struct lava_capabilities capabilities; /* the device's, less the engine's own memory */
    enum lava_type usual_type;             /* of lava_engine_reserve_usual; if has_usual is set */
    bool has_usual;
    struct lava_panel_choice panels;                        /* of LU; set by tests and benchmarks alone */
    struct lava_stats_transfer transferred[LAVA_TRANSFERS]; /* so far; lib/offload counts and resets them */
    bool is_unusual;  /* in this call copies that stay were made or brought up to date, or one was missing */
    double spared_ns; /* time lost so far because memory was spared; lib/offload counts it */
    /* Its plans are chosen by these figures; never NULL. Their owner is the caller that sets them. Any thread
     * may read them. */
    _Atomic(const struct lava_figures *) figures;
};

/* Takes ownership of the device, also on failure. Engines of one VkDevice are created and destroyed by any
 * threads, but that of its first user is destroyed last. copy_threads includes the caller. On failure *engine
 * is NULL. */
enum lava_status lava_engine_create(struct lava_device *device, unsigned copy_threads,
                                    struct lava_engine **engine);
/* NULL is allowed. Frees nothing but the copy threads if the device does not become idle. It must not be
 * called in a normal exit: see lib/offload/process.c. */
void lava_engine_destroy(struct lava_engine *engine);

/* Returns the memory on the device that blocks of a product may use beside the matrices that are there; at
 * least 1, because 0 means no limit in struct lava_overrides. */
uint64_t lava_engine_free_bytes(const struct lava_engine *engine);

/* Allocates what a product of LAVA_ENGINE_USUAL rows, columns and K of the type needs in blocks that take
 * less than a 96th of the device's memory, so that the first product does not wait for it: an allocation
 * takes 20 to 30 ms for each GiB. Nothing is done if the device shares the host's memory. */
#define LAVA_ENGINE_USUAL 8192
void lava_engine_reserve_usual(struct lava_engine *engine, enum lava_type type);
/* Frees the engine's memory, except for matrices on the device, and, if the device has memory of its own,
 * for staging memory and what was reserved as above. The device must be idle and the caller its only user. */
void lava_engine_release(struct lava_engine *engine);
/* Frees the matrices that stay on the device between calls and that no call is using. in_vain: memory is
 * short (lava_residency_forget). Returns whether there were any. */
bool lava_engine_release_residents(struct lava_engine *engine, bool in_vain);

/* Sets how long each wait may last from now on. `seconds` is the time the device is expected to take. */
void lava_engine_expect(struct lava_engine *engine, double seconds);

/* Begin and end the time for which the engine's copies are a call's own, which the statistics count; NULL is
 * allowed at the end. The caller is the engine's only user. */
void lava_engine_begin_call(struct lava_engine *engine);
void lava_engine_end_call(const struct lava_engine *engine);

#endif
