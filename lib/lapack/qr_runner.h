/* Runs the plan of a QR factorization, ?geqrf, of least squares, ?gels, of the matrix Q, ?orgqr, or of a
 * product with it, ?ormqr, from host memory to host memory, as lapack_runner.h says. The LQ factorization of
 * least squares with a wide matrix is the adjoint of its adjoint's QR factorization, with the same tau:
 * LAPACK's ?gelqf and ?geqrf leave the same reflections, in rows and in columns. */
#ifndef LAVA_LAPACK_QR_RUNNER_H
#define LAVA_LAPACK_QR_RUNNER_H

#include "lib/product/runner.h"

/* C Q is written whole or not at all, and so are a wide matrix and its right-hand sides, for which
 * LAVA_ERROR_HOST_MEMORY says that there is no memory for a second matrix. LAVA_ERROR_SCALED: nothing was
 * written; LAVA_ERROR_STALLED: nothing of C; LAVA_ERROR_SINGULAR: C and tau, unless it is wide, and nothing
 * of the right-hand sides. */
enum lava_status lava_qr_runner_run(struct lava_engine *engine, const struct lava_operation *operation,
                                    const struct lava_plan *plan, struct lava_progress *progress);

#endif
