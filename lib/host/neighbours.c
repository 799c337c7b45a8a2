/* Compares the processor time of the process with the wall clock. Called by lib/engine/stream.c at the
 * beginning of a product. */
#include "lib/host/neighbours.h"

#include <stdatomic.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/host/processor.h"

/* The two readings are this far apart at least. Linux sums over all threads of the process for each, which
 * takes 5 to 15 us with 45 threads; so the wall clock is read right before either. */
#define LEAST_NS 3000
/* A look holds for this long, if nobody disturbs: a tick of the scheduler. */
#define HOLDS_NS 4000000
/* With more than this share of the processors for its own threads a look says nothing. */
#define OWN_SHARE 0.125

static _Atomic uint32_t disturbances;

static uint64_t process_ns(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void lava_neighbours_begin(struct lava_neighbours *look, unsigned own) {
    uint64_t now_ns = lava_clock_now_ns();
    uint32_t disturbed = atomic_load_explicit(&disturbances, memory_order_relaxed);
    bool is_old =
        look->looked_ns == 0 || disturbed != look->disturbances || now_ns > look->looked_ns + HOLDS_NS;
    look->is_looking = is_old && own <= OWN_SHARE * lava_processor_count();
    if (!look->is_looking)
        return;
    look->disturbances = disturbed;
    look->wall_ns = now_ns;
    look->process_ns = process_ns();
}

bool lava_neighbours_end(struct lava_neighbours *look, bool *busy) {
    uint64_t now_ns;
    if (!look->is_looking)
        return false;
    while ((now_ns = lava_clock_now_ns()) - look->wall_ns < LEAST_NS)
        ;
    double running = (double)(process_ns() - look->process_ns) / (double)(now_ns - look->wall_ns);
    look->is_looking = false;
    look->looked_ns = now_ns;
    *busy = running - 1 > lava_processor_count() / 2.0;
    return true;
}

void lava_neighbours_disturb(void) {
    atomic_fetch_add_explicit(&disturbances, 1, memory_order_relaxed);
}
