/* Several products that together are one call of another routine. The first of them begins the call, and the
 * call is counted once, at its end. The other products neither begin it nor are counted. Any thread. */
#ifndef LAVA_BLAS_PARTS_H
#define LAVA_BLAS_PARTS_H

#include "lib/offload/offload.h"

/* Begins a part as lava_offload_begin does. part->routine, valid and operation are set. Returns true if the
 * part is finished, false if nothing of it was written. If *call is not begun yet (start_ns is 0), it takes
 * the part's place, reason and time, and lava_offload_end(call) must follow. Later, the first part that a
 * device has computed sets its place and reason. */
bool lava_parts_try(struct lava_call *call, struct lava_call *part);
/* The same for a part that was begun elsewhere. */
void lava_parts_begun(struct lava_call *call, const struct lava_call *part);

#endif
