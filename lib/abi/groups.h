/* The functions that compute a batch, for lib/abi/entry.h. Any thread. */
#ifndef LAVA_ABI_GROUPS_H
#define LAVA_ABI_GROUPS_H

#include "lib/abi/group_reader.h"
#include "lib/offload/offload.h"

/* Returns true if all products are computed, with the same results as one after the other. Returns false if
 * nothing was written; the caller then forwards its arguments. Either way lava_offload_end(call) must
 * follow. */
bool lava_groups_begin(const struct lava_groups_arguments *arguments, struct lava_call *call);

/* Computes the products with the CPU BLAS's ?gemm, or reports the first invalid argument through xerbla. */
void lava_groups_compute(const struct lava_groups_arguments *arguments);

#endif
