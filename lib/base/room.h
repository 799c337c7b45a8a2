/* How much memory the limits on this process leave. Called by lib/vk before and after a driver is loaded. */
#ifndef LAVA_BASE_ROOM_H
#define LAVA_BASE_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the bytes that the limits on address space and data (RLIMIT_AS, RLIMIT_DATA) and the process's
 * control groups leave; UINT64_MAX: there is no limit. */
uint64_t lava_room_left(void);

/* Returns whether a driver may be loaded beside the CPU BLAS. */
bool lava_room_for_driver(void);
/* Returns whether enough is left for the CPU BLAS, which waits for ever if it gets no memory. */
bool lava_room_for_cpu(void);

#endif
