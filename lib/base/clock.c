/* The clocks of all measurements. */
#include "lib/base/clock.h"

#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

static uint64_t read_ns(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t lava_clock_now_ns(void) {
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t lava_clock_process_ns(void) {
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t lava_clock_thread_ns(void) {
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

struct timespec lava_clock_deadline(uint64_t ns) {
    uint64_t deadline_ns = read_ns(CLOCK_REALTIME) + ns;
    return (struct timespec){.tv_sec = (time_t)(deadline_ns / NS_PER_S),
                             .tv_nsec = (long)(deadline_ns % NS_PER_S)};
}
