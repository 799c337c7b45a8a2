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
    if (lava_context_engine() && lava_context_engine()->figures != figures)
        abort(); /* the engine plans with others */
    return figures;
}

/* The device waits for nothing but its latency. */
static inline void forged_at_once(struct lava_figures *figures) {
    figures->device.upload_bytes_per_s = figures->device.download_bytes_per_s = 1e15;
    figures->device.memory_bytes_per_s = 1e15;
    for (int i = 0; i < LAVA_FIGURES_MAX_KERNELS; i++)
        figures->device.flops_per_s[i] = 1e18;
}

#endif
