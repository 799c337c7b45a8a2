/* Judges a CPU BLAS by its kernels. Called by doctor.c, info.c and report_print.c. */
#include "tools/cpu_advice.h"

#include <dlfcn.h>
#include <stdio.h>

#include "lib/base/config.h"
#include "lib/host/cpu_kernels.h"
#include "lib/host/processor.h"

/* Half of the vectors' width is no great loss: on many processors wide vectors lower the clock, and older
 * versions of OpenBLAS compute wrong results with them on some. */
#define SMALL_SHARE 0.5

static bool judge(const struct lava_cpu_kernels *kernels, struct cpu_advice *advice) {
    const char *better = lava_processor_core_type(), *set = lava_config_environment("OPENBLAS_CORETYPE");
    if (kernels->is_reference) {
        snprintf(advice->what, sizeof advice->what,
                 "the CPU BLAS is the slow reference BLAS: one thread, no vectors");
        snprintf(advice->remedy, sizeof advice->remedy,
                 "install OpenBLAS (Debian, Ubuntu: libopenblas0-pthread; Fedora: openblas-threads; Arch: "
                 "openblas)");
        return true;
    }
    if (kernels->share >= SMALL_SHARE || !better)
        return false;
    snprintf(advice->what, sizeof advice->what,
             "the CPU BLAS runs old kernels, for %s%s: the processor can do %.0f times as much",
             kernels->core, set && *set ? ", which OPENBLAS_CORETYPE asks for" : "", 1 / kernels->share);
    if (kernels->chooses_cores)
        snprintf(advice->remedy, sizeof advice->remedy, "set OPENBLAS_CORETYPE=%s, or use a newer OpenBLAS",
                 better);
    else
        snprintf(advice->remedy, sizeof advice->remedy,
                 "use an OpenBLAS that chooses its kernels when it is loaded (DYNAMIC_ARCH)");
    return true;
}

bool cpu_advice_find(const char *path, struct cpu_advice *advice) {
    struct lava_cpu_kernels kernels;
    if (path[0] != '/' || !dlopen(path, RTLD_LAZY | RTLD_LOCAL)) /* never closed: it has threads */
        return false;
    lava_cpu_kernels_find(path, &kernels);
    return judge(&kernels, advice);
}
