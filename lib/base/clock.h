#ifndef LAVA_BASE_CLOCK_H
#define LAVA_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC. */
uint64_t lava_clock_now_ns(void);

#endif
