/* Prepares the further devices of the process, if it may use several: each in a thread of its own, when
 * products would use it and not before. A further device is tested as the first one is, and only for what the
 * first one is ready for. Any thread may call these functions. */
#ifndef LAVA_OFFLOAD_MORE_DEVICES_H
#define LAVA_OFFLOAD_MORE_DEVICES_H

#include "lib/offload/context.h"

/* lava_context_lock_on for a product of the calling thread, which may leave it in the middle (jump_guard.h):
 * lava_context_give_up is called then. If any device would do, and all that serve the needs are at work, the
 * preparation of another one begins meanwhile. */
struct lava_engine *lava_more_devices_take(const struct lava_device_shared *device, uint64_t block_bytes,
                                           uint64_t needs, struct lava_lane_lock *lock);

/* Has up to `devices` further devices prepared for the needs, those that are or were included. If `wait` is
 * set, returns when that has ended, well or not. */
void lava_more_devices_want(uint64_t needs, unsigned devices, bool wait);

/* Returns whether a thread prepares a further device; loading: whether its driver may be loading. */
bool lava_more_devices_is_at_work(bool loading);
/* Waits until that is not so, until the deadline of CLOCK_REALTIME at the latest. */
void lava_more_devices_await(bool loading, const struct timespec *deadline);

#endif
