/* What a device has not written after a failure, computed on the CPU. Any thread. */
#ifndef LAVA_OFFLOAD_COMPLETE_H
#define LAVA_OFFLOAD_COMPLETE_H

#include "lib/product/runner.h"

/* Finishes C from that state. Returns a factorization's info, else 0. */
int64_t lava_complete_on_cpu(const struct lava_operation *operation, const struct lava_progress *progress);
/* Adds to the written part what the device has left to the CPU, and frees progress->left. */
void lava_complete_left_tiles(const struct lava_operation *operation, struct lava_progress *progress);

#endif
