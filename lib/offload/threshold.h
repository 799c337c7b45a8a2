/* The door of every call: one comparison decides whether a call is forwarded with no further look. lib/abi
 * reads it, lib/offload/offload writes it.
 *
 * Until it is opened, forward_below is minus infinity: every call, one with a negative size too, takes the
 * slow path, whose lava_threshold_open finds the CPU BLAS, reads the configuration and sets the gate. Then it
 * is lava_threshold_cutoff; infinite where no device is or will be used; 0 where every call is counted or
 * forced. */
#ifndef LAVA_OFFLOAD_THRESHOLD_H
#define LAVA_OFFLOAD_THRESHOLD_H

#include <stdatomic.h>

#include "dispatch/figures.h"
#include "lib/host/cpu_blas.h"

struct lava_threshold {
    _Atomic double forward_below; /* m n k */
};

extern struct lava_threshold lava_threshold;

/* Opens the gate: once per process, cheap after. */
void lava_threshold_open(void);

/* Work (m n k) that no device can do faster than this CPU BLAS in single precision. It serves all types, so
 * that the gate stays one comparison: half precision takes the CPU about as long, fp64 and complex numbers a
 * few times that. By the processor's rate, until lava_threshold_measured tells of a product with less work
 * that takes the CPU longer than the device's latency: thin ones do. */
double lava_threshold_cutoff(void);
void lava_threshold_measured(const struct lava_figures *figures);

static inline int lava_threshold_forwards(double m, double n, double k) {
    return m * n * k < atomic_load_explicit(&lava_threshold.forward_below, memory_order_acquire);
}

#endif
