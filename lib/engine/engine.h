/* An engine: one device with its memory, its pipelines and the threads that copy for it. One user at a time:
 * lib/offload holds the lock. */
#ifndef LAVA_ENGINE_ENGINE_H
#define LAVA_ENGINE_ENGINE_H

#include "dispatch/policy.h"
#include "lib/engine/transfer.h"

struct lava_engine {
    struct lava_device *device; /* owned */
    struct lava_arena arena;
    struct lava_copy_pool *pool;
    struct lava_capabilities capabilities; /* the device's, less what the engine itself takes of its memory */
};

/* Takes the device over, also on failure. copy_threads counts the caller. */
enum lava_status lava_engine_create(struct lava_device *device, unsigned copy_threads,
                                    struct lava_engine **engine);
/* NULL is allowed. Frees nothing where the device does not come to rest. Not called in a normal exit: see
 * lib/offload/process.c. */
void lava_engine_destroy(struct lava_engine *engine);

/* Gives all its memory back, on the device and staging; the next run takes it again. The device is idle and
 * the caller its one user. */
void lava_engine_release(struct lava_engine *engine);

/* Sets how long a wait may last from now on: the device is expected to take `seconds` for what is waited for.
 */
void lava_engine_expect(struct lava_engine *engine, double seconds);

/* Makes the pipelines that a kernel needs, rather than in a call. */
enum lava_status lava_engine_prepare(struct lava_engine *engine, const struct lava_kernel *kernel);

#endif
