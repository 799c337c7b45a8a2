/* Compares the processor time of the process with the wall clock. Called by lib/transport/stream.c at the
 * beginning of a product. */
#include "lib/host/cpu_load.h"

#include "lib/base/clock.h"
#include "lib/host/processor.h"

/* Linux adds what a running thread has used to the time of its process at timer ticks, up to 4 ms apart, or
 * when the thread sleeps or yields. So nothing is known about a shorter time than some ticks. */
#define LEAST_NS 10000000
/* An average over more than this says little about now. */
#define MOST_NS 2000000000
/* Threads on more than this share of the processors are a crowd: copy threads want the rest. */
#define CROWD_SHARE 0.25

bool lava_cpu_load_look(struct lava_cpu_load *look, unsigned callers, uint64_t own_ns, bool *busy) {
    const struct lava_cpu_load last = *look;
    uint64_t now_ns = lava_clock_now_ns();
    if (last.wall_ns > 0 && now_ns < last.wall_ns + LEAST_NS)
        return false;
    *look =
        (struct lava_cpu_load){.wall_ns = now_ns, .process_ns = lava_clock_process_ns(), .own_ns = own_ns};
    if (last.wall_ns == 0)
        return false;
    double others_ns = (double)(look->process_ns - last.process_ns) - (double)(own_ns - last.own_ns);
    double others = others_ns / (double)(now_ns - last.wall_ns) - callers;
    *busy = now_ns - last.wall_ns < MOST_NS && others > CROWD_SHARE * lava_processor_count();
    return true;
}
