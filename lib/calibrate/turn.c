/* Turns, and the time of work on the CPU. Called by microbenchmark.c and own_routines.c. Invariant: begin of
 * the microbenchmark is not called again after it has refused. */
#include "lib/calibrate/turn.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/clock.h"

/* A turn has at most and at least this many short runs on the CPU. */
#define TURN_RUNS       50
#define TURN_RUNS_LEAST 2
/* OpenBLAS takes 1.2 to 1.6 times as long for matrices that do not begin with a cache line (256 and 512, 16
 * cores of Sapphire Rapids, 2026-11-21). The device has to beat the shorter time. */
#define ALIGNMENT 64
/* If the two best times of a point differ by a larger factor, the machine has other work. */
#define AGREEMENT 1.25

bool lava_turn_allocate(struct lava_microbenchmark *benchmark) {
    if (!benchmark->operands && posix_memalign(&benchmark->operands, ALIGNMENT, benchmark->matrix_bytes))
        benchmark->operands = NULL;
    if (!benchmark->result && posix_memalign(&benchmark->result, ALIGNMENT, benchmark->matrix_bytes))
        benchmark->result = NULL;
    return benchmark->operands && benchmark->result;
}

bool lava_turn_begin(struct lava_microbenchmark *benchmark, struct lava_engine **engine) {
    if (benchmark->limit_ns > 0 && benchmark->spent_ns >= benchmark->limit_ns)
        return false;
    benchmark->stopped = benchmark->stopped || !benchmark->begin(benchmark, engine);
    benchmark->turn_start_ns = lava_clock_now_ns();
    return !benchmark->stopped;
}

bool lava_turn_end(struct lava_microbenchmark *benchmark, struct lava_engine *engine) {
    benchmark->spent_ns += lava_clock_now_ns() - benchmark->turn_start_ns;
    return benchmark->end(benchmark, engine);
}

/* Returns the least time of the runs of one turn. */
static double least_of_turn(const struct lava_microbenchmark *benchmark, const struct lava_turn_work *work) {
    uint64_t begin = lava_clock_now_ns(), before = begin, after;
    double least = INFINITY;
    int runs = 0;
    do {
        if (work->prepare) {
            work->prepare(benchmark, work->context);
            before = lava_clock_now_ns();
        }
        work->run(benchmark, work->context);
        after = lava_clock_now_ns();
        least = fmin(least, (double)(after - before));
        before = after;
    } while (++runs < TURN_RUNS_LEAST || (runs < TURN_RUNS && after - begin < benchmark->turn_ns));
    return least;
}

enum lava_microbenchmark_outcome lava_turn_time_on_cpu(struct lava_microbenchmark *benchmark,
                                                       const struct lava_turn_work *work, double *ns) {
    double best = INFINITY, second = INFINITY;
    uint64_t begin = lava_clock_now_ns();
    for (unsigned run = 0;
         run < benchmark->runs || (second > AGREEMENT * best && run < LAVA_TURN_RUNS_MOST);) {
        if (run >= 2 && lava_clock_now_ns() - begin > benchmark->point_ns)
            break;
        if (!lava_turn_begin(benchmark, NULL))
            return LAVA_MICROBENCHMARK_STOPPED;
        double least = least_of_turn(benchmark, work);
        if (!lava_turn_end(benchmark, NULL))
            continue;
        run++;
        second = fmin(second, fmax(least, best));
        best = fmin(best, least);
    }
    if (second > AGREEMENT * best && !benchmark->accepts_unsteady)
        return LAVA_MICROBENCHMARK_SKIPPED;
    *ns = best;
    return LAVA_MICROBENCHMARK_MEASURED;
}
