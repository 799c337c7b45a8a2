/* Where a batch is computed: many products of one shape, too small to be sent one by one. Pure functions. */
#ifndef LAVA_DISPATCH_BATCHES_H
#define LAVA_DISPATCH_BATCHES_H

#include "dispatch/policy.h"

/* On the device a batch is cut into rounds: while one is multiplied the next is on its way up and the one
 * before on its way down. Products lie side by side: their panels, their tiles in one list, their C. */
struct lava_batch_plan {
    enum lava_place place;
    enum lava_reason reason;
    const struct lava_kernel *kernel;
    uint32_t tiles_m, tiles_n; /* of a product */
    int64_t k_padded;
    int64_t round;                            /* products of a round, but for the last */
    uint64_t raw_a_bytes, raw_b_bytes;        /* of a product, as uploaded: columns begin at words */
    uint64_t packed_a_bytes, packed_b_bytes;  /* as packed */
    uint64_t accumulator_bytes, result_bytes; /* and C, padded to tiles, and without padding */
    double cpu_ns, gpu_ns;                    /* of the batch */
};

/* count products like this one. Real types alone: of complex ones the reason is that there is no kernel. */
void lava_batches_choose(const struct lava_problem *problem, int64_t count,
                         const struct lava_capabilities *device, const struct lava_figures *figures,
                         enum lava_mode mode, struct lava_batch_plan *plan);

#endif
