/* perf/bench, see bench.h. Run by hand and by perf/measure. */
#include "bench.h"

int main(int count, char **arguments) {
    struct bench settings = {.name = "bench", .note = "There must be a library.", BENCH_DEFAULTS};
    int status = bench(&settings, count, arguments);
    bench_close(&settings);
    return status;
}
