/* Says if the CPU BLAS is slower than it need be, and what helps. For one thread only. */
#ifndef LAVA_TOOLS_CPU_ADVICE_H
#define LAVA_TOOLS_CPU_ADVICE_H

#include <stdbool.h>

struct cpu_advice {
    char what[512], remedy[256];
};

/* Judges the library of that path, which is loaded if it is not. Returns false if nothing is wrong. */
bool cpu_advice_find(const char *path, struct cpu_advice *advice);

#endif
