/* Runs the plan of an inverse, ?trtri, ?lauum, ?potri or ?getri, from host memory to host memory, as
 * lapack_runner.h says. */
#ifndef LAVA_LAPACK_INVERTER_H
#define LAVA_LAPACK_INVERTER_H

#include "lib/product/runner.h"

/* Of inverses by a factor, none or all columns are written. */
enum lava_status lava_inverter_run(struct lava_engine *engine, const struct lava_operation *operation,
                                   const struct lava_plan *plan, struct lava_progress *progress);

#endif
