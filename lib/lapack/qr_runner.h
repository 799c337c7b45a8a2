/* Runs the plan of a QR factorization, ?geqrf, of least squares, ?gels, of the matrix Q, ?orgqr, or of a
 * product with it, ?ormqr, from host memory to host memory. One user of an engine at a time, as for
 * lib/product/runner.h: lib/offload sees to that. */
#ifndef LAVA_LAPACK_QR_RUNNER_H
#define LAVA_LAPACK_QR_RUNNER_H

#include "lib/product/runner.h"

/* plan->place must be GPU. C's result is written when the device has all of it, column by column; *progress
 * says, also on failure, how many whole columns were. QR_FORM's are written from the last one to the first,
 * QR_RIGHT's all or none, as each is made of all. Then the CPU can go on (lib/host/cpu_qr.h).
 * Right-hand sides are written when all of C is, progress->sides whole columns of them.
 * LAVA_ERROR_DEVICE_MEMORY and LAVA_ERROR_SCALED: nothing was written; LAVA_ERROR_STALLED: nothing of C;
 * LAVA_ERROR_SINGULAR: C and tau, and nothing of the right-hand sides. On failure the device is
 * idle again or marked as failed. */
enum lava_status lava_qr_runner_run(struct lava_engine *engine, const struct lava_operation *operation,
                                    const struct lava_plan *plan, struct lava_progress *progress);

#endif
