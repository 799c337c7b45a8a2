/* Runs the plan of a solve with a triangular matrix by bands (dispatch/bands.h). Called by solver.c. One user
 * of an engine at a time. */
#ifndef LAVA_LAPACK_SOLVE_BANDS_H
#define LAVA_LAPACK_SOLVE_BANDS_H

#include "lib/product/runner.h"

/* plan->chunks.band is not 0. As lava_solver_run; *progress counts whole bands, and of the next one whole
 * columns. */
enum lava_status lava_solve_bands_run(struct lava_engine *engine, const struct lava_operation *operation,
                                      const struct lava_plan *plan, struct lava_progress *progress);

#endif
