/* A matrix on the device times a vector of the host's, there and back. One submission: the host gathers the
 * vectors into a small buffer that both see, the kernels read the matrix once, and the host scatters the
 * result. Called by lib/offload/way_rows.c. One user of an engine at a time; engines of one device may read
 * one copy at the same time. */
#ifndef LAVA_LEVEL2_VECTOR_H
#define LAVA_LEVEL2_VECTOR_H

#include "lib/lapack/device_matrix.h"
#include "lib/lapack/families.h"

/* Kinds of products with vectors and of solves for them. A's copy that stays is read. What is stale of it
 * goes up first, and that is all of it if the operation is to leave a copy (a.is_stored): the call that
 * stores uploads A, and is computed on the device like those that follow. Without either flag A goes up for
 * this call alone. LAVA_ERROR_UNAVAILABLE: the copy is not there any more, or others are at it.
 *
 * C is written when everything has succeeded: on failure nothing is. *progress then says that nothing is
 * written, else m rows of one column. */
lava_family_run lava_vector_run;

/* The same with an A that is on the device, whatever operation->a.first is: for tests and benchmarks. */
enum lava_status lava_vector_multiply(struct lava_engine *engine, const struct lava_operation *operation,
                                      const struct lava_device_matrix *a, double expected_ns);

#endif
