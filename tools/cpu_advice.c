/* Judges a CPU BLAS by its kernels. Called by doctor.c, info.c and report_print.c. */
#include "tools/cpu_advice.h"

#include <dlfcn.h>
#include <stdio.h>

#include "lib/host/cpu_kernels.h"

bool cpu_advice_find(const char *path, struct cpu_advice *advice) {
    struct lava_cpu_kernels kernels;
    if (path[0] != '/' || !dlopen(path, RTLD_LAZY | RTLD_LOCAL)) /* never closed: it has threads */
        return false;
    lava_cpu_kernels_find(path, &kernels);
    return lava_cpu_kernels_judge(&kernels, advice->what, sizeof advice->what, advice->remedy,
                                  sizeof advice->remedy);
}
