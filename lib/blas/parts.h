/* Products that together are one call of another routine. The call is begun by the first of them and counted
 * once, at its end; the others are neither. Any thread. */
#ifndef LAVA_BLAS_PARTS_H
#define LAVA_BLAS_PARTS_H

#include "lib/offload/offload.h"

/* Begins a part as lava_offload_begin does; part->routine, valid and problem are set. True: it is finished.
 * False: nothing of it was written. Where *call is not begun yet (start_ns is 0) it takes the part's place,
 * reason and time, and lava_offload_end(call) is due; later the first part that a device has computed lends
 * it place and reason. */
bool lava_parts_try(struct lava_call *call, struct lava_call *part);
/* The same for a part that was begun elsewhere. */
void lava_parts_begun(struct lava_call *call, const struct lava_call *part);

#endif
