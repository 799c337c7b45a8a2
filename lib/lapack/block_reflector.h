/* Runs the plan by blocks of a QR factorization, ?geqrf, of least squares, ?gels, of the matrix Q, ?orgqr, or
 * of a product with it, ?ormqr, of matrices that do not fit the device. One user of an engine at a time, as
 * for lib/product/runner.h: lib/offload sees to that. */
#ifndef LAVA_LAPACK_BLOCK_REFLECTOR_H
#define LAVA_LAPACK_BLOCK_REFLECTOR_H

#include "lib/product/runner.h"

/* plan->place must be GPU, and plan->columns have a width. C is written block by block, each when the host
 * has all of it. *progress says, also on failure, what is written: whole columns, of QR_FORM from the last
 * one on; of QR_RIGHT whole rows, those before progress->row. The rest is as it was, but for tau, and the CPU
 * can go on (lib/host/cpu_qr.h). Right-hand sides are written when all of C is, progress->sides whole columns
 * of them. LAVA_ERROR_DEVICE_MEMORY: narrower blocks may fit. LAVA_ERROR_SCALED: nothing was written.
 * LAVA_ERROR_STALLED: nothing of the block that did. LAVA_ERROR_SINGULAR: C and tau, and nothing of the
 * right-hand sides. On failure the device is idle again or marked as failed. */
enum lava_status lava_block_reflector_run(struct lava_engine *engine, const struct lava_operation *operation,
                                          const struct lava_plan *plan, struct lava_progress *progress);

#endif
