/* Compares the processor time of the process with the wall clock. Called by lib/engine/stream.c at the
 * beginning of a product. */
#include "lib/host/neighbours.h"

#include <time.h>

#include "lib/base/clock.h"
#include "lib/host/processor.h"

/* The two looks are this far apart at least; each takes one to four microseconds. */
#define LEAST_NS 3000

static uint64_t process_ns(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void lava_neighbours_begin(struct lava_neighbours *look) {
    look->process_ns = process_ns();
    look->wall_ns = lava_clock_now_ns();
}

bool lava_neighbours_are_busy(const struct lava_neighbours *look, unsigned own) {
    uint64_t wall_ns;
    while ((wall_ns = lava_clock_now_ns() - look->wall_ns) < LEAST_NS)
        ;
    double running = (double)(process_ns() - look->process_ns) / (double)wall_ns;
    return running - own > lava_processor_count() / 2.0;
}
