/* Runs the plan of a factorization, ?potrf or ?getrf, and of solves with the factors, ?potrs, ?posv, ?getrs
 * or ?gesv, from host memory to host memory, as lapack_runner.h says. */
#ifndef LAVA_LAPACK_FACTORIZER_H
#define LAVA_LAPACK_FACTORIZER_H

#include "lib/product/runner.h"

/* Right-hand sides are not written if U has a zero on its diagonal. LAVA_ERROR_NOT_DEFINITE: nothing was
 * written. */
enum lava_status lava_factorizer_run(struct lava_engine *engine, const struct lava_operation *operation,
                                     const struct lava_plan *plan, struct lava_progress *progress);

#endif
