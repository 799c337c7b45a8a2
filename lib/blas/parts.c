/* Several products that together are one call. Called by lib/blas/triangle_call and lib/abi/groups. */
#include "lib/blas/parts.h"

#include "lib/base/clock.h"
#include "lib/calibrate/calibration.h"
#include "lib/offload/fork_gate.h"

/* Every begun call must end, because the calibration and the gate wait for it. */
void lava_parts_begun(struct lava_call *call, const struct lava_call *part) {
    bool first = call->start_ns == 0;
    bool wrote = part->place == LAVA_PLACE_GPU || part->reason == LAVA_REASON_FAULT;
    if (first) {
        call->start_ns = part->start_ns;
        call->spare = part->spare;
    } else {
        lava_spare_return(&part->spare);
        lava_calibration_call_ends(lava_clock_now_ns());
        lava_fork_gate_leave();
    }
    bool failed = call->reason == LAVA_REASON_FAULT;
    if (first || (wrote && call->place == LAVA_PLACE_CPU && !failed)) {
        call->place = part->place;
        call->reason = part->reason;
        call->scheme = part->scheme;
    }
    if (first)
        call->learning = part->learning; /* if the whole call is forwarded, it is this part */
    else if (wrote)
        call->learning.is_forwarded = false;
}

bool lava_parts_try(struct lava_call *call, struct lava_call *part) {
    bool finished = lava_offload_begin(part);
    lava_parts_begun(call, part);
    return finished;
}
