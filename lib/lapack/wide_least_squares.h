/* Runs the plan of least squares, ?gels, of a matrix that has fewer rows than columns. Its LQ factorization
 * is the adjoint of its adjoint's QR factorization, with the same tau: LAPACK's ?gelqf and ?geqrf leave the
 * same reflections, in rows and in columns. One user of an engine at a time, as for lib/product/runner.h:
 * lib/offload sees to that. */
#ifndef LAVA_LAPACK_WIDE_LEAST_SQUARES_H
#define LAVA_LAPACK_WIDE_LEAST_SQUARES_H

#include "lib/product/runner.h"

/* plan->place must be GPU, and plan->columns have no width. On failure nothing of C and of the right-hand
 * sides was written, and *progress says so; tau may be. LAVA_ERROR_HOST_MEMORY: there is none for a second
 * matrix. Else as lava_qr_runner_run. */
enum lava_status lava_wide_least_squares_run(struct lava_engine *engine,
                                             const struct lava_operation *operation,
                                             const struct lava_plan *plan, struct lava_progress *progress);

#endif
