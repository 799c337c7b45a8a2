/* The steps of a preparation, for each type: its plain kernels, then what other operations need besides.
 * Called by prepare.c and more_devices.c; any thread. */
#ifndef LAVA_OFFLOAD_STEPS_H
#define LAVA_OFFLOAD_STEPS_H

#include "dispatch/operation.h"
#include "lib/engine/engine.h"
#include "lib/offload/readiness.h"
#include "lib/offload/self_test.h"

/* A step needs earlier ones, and the first one nothing. What a device cannot run in another step is not
 * missed. */
struct lava_step_facts {
    enum lava_step needs, also[2]; /* also: the first one, if there are no more */
    enum lava_status (*test)(struct lava_self_test *test, bool (*stops)(void)); /* NULL: the plain kernels */
    const char *what;
};
extern const struct lava_step_facts lava_steps[LAVA_STEP_COUNT];

/* Returns the need for a step of a type, with those of what it needs. */
uint64_t lava_steps_chain(enum lava_type type, enum lava_step step);
/* Returns what the operation needs of a device. */
uint64_t lava_steps_needs(const struct lava_operation *operation);

/* The calling thread tests the engine's kernels from here on. It must not hold up a program whose threads
 * wait for each other at every step, as those of a CPU BLAS do. The threads that copy for products are not
 * held back. */
void lava_steps_give_way(struct lava_engine *engine);
/* Creates and tests on an engine other than the first device's, which the caller alone holds, what is needed,
 * as on the first device. Returns what may be used: all types and steps that passed. `stops` is as for
 * lib/engine/builder.h. */
uint64_t lava_steps_test(struct lava_engine *engine, uint64_t needs, bool (*stops)(void));

#endif
