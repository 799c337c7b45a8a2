/* The first sentence of `lavablas explain`: where a call runs, how much faster that is, and why. For one
 * thread only. */
#ifndef LAVA_TOOLS_VERDICT_H
#define LAVA_TOOLS_VERDICT_H

#include <stddef.h>

#include "dispatch/plan.h"

/* What the sentence is made of. */
struct verdict {
    const struct lava_operation *operation;
    const struct lava_plan *plan; /* its place and reason are the answer */
    const struct lava_capabilities *device;
    const struct lava_figures *figures;
    const char *no_device; /* why there is none */
};

/* Writes one sentence. The device and the figures matter only if the plan has estimates. */
void verdict_of_call(const struct verdict *verdict, char *text, size_t size);

#endif
