/* Decides where a batch is computed: many products of one shape, each too small to be offloaded alone. Pure
 * functions. */
#ifndef LAVA_DISPATCH_BATCHES_H
#define LAVA_DISPATCH_BATCHES_H

#include "dispatch/policy.h"

/* On the device a batch is split into rounds: one round is multiplied while the next is uploaded and the
 * previous one is downloaded. The products of a round are side by side: their panels, their tiles in one
 * list, their C. */
struct lava_batch_plan {
    enum lava_place place;
    enum lava_reason reason;
    const struct lava_kernel *kernel;
    uint32_t tiles_m, tiles_n; /* per product */
    int64_t k_padded;
    int64_t round;                            /* products per round, except the last */
    uint64_t raw_a_bytes, raw_b_bytes;        /* per product, as uploaded: columns begin at words */
    uint64_t packed_a_bytes, packed_b_bytes;  /* per product, as packed */
    uint64_t accumulator_bytes, result_bytes; /* per product: C padded to tiles, and C without padding */
    double cpu_ns, gpu_ns;                    /* estimates for the whole batch */
};

/* Chooses for `count` products like this one. Only real types are supported; complex types get the reason "no
 * kernel". */
void lava_batches_choose(const struct lava_operation *operation, int64_t count,
                         const struct lava_capabilities *device, const struct lava_figures *figures,
                         enum lava_mode mode, struct lava_batch_plan *plan);

#endif
