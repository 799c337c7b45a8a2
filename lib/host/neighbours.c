/* Compares the processor time of the process with the wall clock. Called by lib/engine/stream.c at the
 * beginning of a product. */
#include "lib/host/neighbours.h"

#include <stdatomic.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/host/processor.h"

/* Threads on more than this share of the processors are a crowd: copy threads want the rest. OpenBLAS lets
 * half of its threads rest where a product is small. */
#define CROWD_SHARE 0.25
/* A look holds for this long, if nobody disturbs. The CPU BLAS's threads spin ten times as long. */
#define HOLDS_NS 8000000

static _Atomic uint32_t disturbances;

static uint64_t process_ns(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool lava_neighbours_may_have_changed(const struct lava_neighbours *look) {
    return look->looked_ns == 0 || lava_clock_now_ns() > look->looked_ns + HOLDS_NS ||
           atomic_load_explicit(&disturbances, memory_order_relaxed) != look->disturbances;
}

void lava_neighbours_begin(struct lava_neighbours *look, uint64_t own_ns) {
    look->is_looking = true;
    look->disturbances = atomic_load_explicit(&disturbances, memory_order_relaxed);
    look->own_ns = own_ns;
    look->wall_ns = lava_clock_now_ns();
    look->process_ns = process_ns();
}

/* Linux sums over all threads of the process, which takes 5 to 15 us with 45 threads. The readings are in the
 * same order as before, so they are equally far apart. */
bool lava_neighbours_are_busy(struct lava_neighbours *look, uint64_t own_ns) {
    uint64_t now_ns = lava_clock_now_ns();
    double others_ns = (double)(process_ns() - look->process_ns) - (double)(own_ns - look->own_ns);
    double running = others_ns / (double)(now_ns - look->wall_ns) - 1;
    look->is_looking = false;
    look->looked_ns = now_ns;
    return running > CROWD_SHARE * lava_processor_count();
}

void lava_neighbours_disturb(void) {
    atomic_fetch_add_explicit(&disturbances, 1, memory_order_relaxed);
}
