/* Which operands of calls stay on devices between calls (dispatch/residency.h has the rule). Called for calls
 * that a device could take now. Any thread. */
#ifndef LAVA_OFFLOAD_RESIDENCE_H
#define LAVA_OFFLOAD_RESIDENCE_H

#include "dispatch/policy.h"
#include "lib/engine/engine.h"
#include "lib/engine/residents.h"

/* What a call has seen of its operands, A and B. */
struct lava_residence {
    bool is_candidate[2]; /* of staying from this call on */
    enum lava_resident_state states[2];
};

/* Looks at the operation's operands, and flags those that are there: on one device, if there are several. */
struct lava_residence lava_residence_look(struct lava_operation *operation);
/* Weighs what it would have saved this call if the others stayed, too. The plan says where it would be
 * computed without, and how long that takes. Returns whether operands are flagged now that are to stay from
 * this call on. It uploads them as planned, on any device. */
bool lava_residence_weigh(const struct lava_residence *residence, const struct lava_plan *plan,
                          struct lava_operation *operation);

/* Returns the device that has the flagged operands; NULL: none are. */
const struct lava_device_shared *lava_residence_device(const struct lava_operation *operation);
/* Lets the engine's device have copies, too. The caller has it to itself. */
void lava_residence_share(struct lava_engine *engine);

/* Returns what copies have saved this process, less what they cost; 0: there were none. */
double lava_residence_earned_ns(void);

#endif
