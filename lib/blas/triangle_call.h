/* Products that write one triangle of C: ?gemmt, ?syrk, ?herk, ?syr2k, ?her2k. Called by lib/abi. Any
 * thread. */
#ifndef LAVA_BLAS_TRIANGLE_CALL_H
#define LAVA_BLAS_TRIANGLE_CALL_H

#include "lib/offload/offload.h"

/* Begins the call as lava_offload_begin does. call->routine must be set; call->operation must have a region
 * and be valid. A triangle whose operands do not fit the device's memory is computed in halves: a rectangle
 * and two triangles. One of two products is not: lava_operation_block cannot cut it. Returns true if it is
 * finished, false if nothing was written. */
bool lava_triangle_begin(struct lava_call *call);

#endif
