/* Figures that a test claims to have been measured, for programs into which the library is linked. */
#ifndef LAVA_TESTS_ROBUSTNESS_FORGED_H
#define LAVA_TESTS_ROBUSTNESS_FORGED_H

#include <stdlib.h>

#include "lib/offload/context.h"

/* A CPU that takes product_ns for any product, and a device with this latency that has otherwise the figures
 * known until now. They are kept, because the library keeps the pointer. */
static inline struct lava_figures *forged_figures(double product_ns, double latency_ns) {
    struct lava_figures *figures = calloc(1, sizeof *figures);
    if (!figures)
        abort();
    *figures = *lava_context_figures();
    for (size_t i = 0; i < sizeof figures->cpu.product_ns / sizeof(double); i++)
        (&figures->cpu.product_ns[0][0][0])[i] = product_ns;
    figures->device.call_latency_ns = latency_ns;
    lava_context_set_figures(figures);
    return figures;
}

#endif
