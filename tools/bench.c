/* lavablas bench: times LavaBLAS against the CPU BLAS that it uses, or any libraries by path (perf/bench.h).
 */
#include "perf/bench.h"

#include "tools/command.h"
#include "tools/sides.h"

static const char note[] = "Without --library: LavaBLAS and the CPU BLAS.\n"
                           "Exit status: 1: a result is wrong; 2: wrong arguments.";

int command_bench(int argc, char **argv) {
    struct bench settings = {
        .name = "lavablas bench", .note = note, .progress = command_progress, BENCH_DEFAULTS};
    if (!command_asks_for_help(argc, argv) && !sides_open(&settings))
        return COMMAND_NO;
    int status = bench(&settings, argc + 1, argv - 1);
    bench_close(&settings);
    return status;
}
