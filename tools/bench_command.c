/* lavablas bench: times LavaBLAS against the CPU BLAS that it uses, or any libraries by path (perf/bench.h).
 */
#include "perf/bench.h"

#include <stddef.h>

#include "tools/chosen_device.h"
#include "tools/command.h"
#include "tools/sides.h"

static const char note[] = "Without --library: LavaBLAS and the CPU BLAS.\n"
                           "Exit status: 1: a result is wrong, or there is no picture; 2: wrong arguments.";

static const char *device_name(void) {
    static struct lava_capabilities device;
    const char *why;
    return device_read(&device, NULL, &why) ? device.name : NULL;
}

int command_bench(int argc, char **argv) {
    struct bench settings = {.name = "lavablas bench",
                             .note = note,
                             .progress = command_progress,
                             .device = device_name,
                             BENCH_DEFAULTS};
    if (!command_asks_for_help(argc, argv) && !sides_open(&settings))
        return COMMAND_NO;
    int status = bench(&settings, argc + 1, argv - 1);
    bench_close(&settings);
    return status;
}
