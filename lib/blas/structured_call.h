/* Products and solves with a matrix of which one triangle is stored: ?symm, ?hemm, ?trmm, ?trsm. Called by
 * lib/abi. Any thread. */
#ifndef LAVA_BLAS_STRUCTURED_CALL_H
#define LAVA_BLAS_STRUCTURED_CALL_H

#include "lib/offload/offload.h"

/* Begins the call as lava_offload_begin does. call->routine must be set; call->operation must have a
 * structured operand if it is valid. Returns true if it is finished, false if nothing was written. */
bool lava_structured_begin(struct lava_call *call);

#endif
