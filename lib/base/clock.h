#ifndef LAVA_BASE_CLOCK_H
#define LAVA_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t lava_clock_now_ns(void);
/* Nanoseconds of processor time that the process, or the calling thread, has used. */
uint64_t lava_clock_process_ns(void);
uint64_t lava_clock_thread_ns(void);
/* Returns the moment of CLOCK_REALTIME that is `ns` later than now, as pthread_cond_timedwait wants it. */
struct timespec lava_clock_deadline(uint64_t ns);

#endif
