/* Which pipelines each step of a preparation needs: a table. Any thread. */
#ifndef LAVA_ENGINE_NEEDS_H
#define LAVA_ENGINE_NEEDS_H

#include "dispatch/step.h"
#include "lib/vk/pipelines.h"

#define LAVA_NEEDS_MAX 12 /* of a kernel in a step, at most */

/* Fills in the pipelines that the step needs besides those of earlier steps, and returns how many they are.
 * PLAIN and STRUCTURED have some for each row of the table of kernels. What all rows of a type share comes
 * with those without planes. Half precision has PLAIN alone. VECTORS creates its own. */
size_t lava_needs_pipelines(const struct lava_capabilities *capabilities, enum lava_step step,
                            const struct lava_kernel *kernel,
                            struct lava_pipeline_specification specifications[LAVA_NEEDS_MAX]);

#endif
