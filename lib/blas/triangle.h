/* Products of which one triangle of C is written: ?gemmt, ?syrk, ?herk. Called by lib/abi. Any thread. */
#ifndef LAVA_BLAS_TRIANGLE_H
#define LAVA_BLAS_TRIANGLE_H

#include "lib/offload/offload.h"

/* Begins the call as lava_offload_begin does; call->routine is set, call->problem has a region and is valid.
 * A triangle whose operands the device's memory cannot hold is computed in halves: a rectangle and two
 * triangles. True: it is finished. False: nothing was written. */
bool lava_triangle_begin(struct lava_call *call);

#endif
