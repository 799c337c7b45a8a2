/* Tells how well the CPU BLAS's kernels suit the processor. Called by cpu_blas.c for its guess of the rate,
 * by lib/calibrate/figures_file.c, and by the tools for their advice. */
#include "lib/host/cpu_kernels.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/host/openblas.h"
#include "lib/host/processor.h"

/* The core types of OpenBLAS (driver/others/dynamic.c and dynamic_arm64.c there), and how many fp32
 * operations a cycle their vectors allow: two for each element with FMA, or one multiplication and one
 * addition at once. fp64 has half of that. */
/* clang-format off */
static const struct {
    const char *name;
    int flops_per_cycle;
} cores[] = {
#if defined(__x86_64__) || defined(__i386__)
    {"Katmai",         4}, {"Coppermine",   4}, {"Northwood",    4}, {"Banias",      4}, {"Atom",     4},
    {"Athlon",         4}, {"Opteron",      4}, {"Opteron_SSE3", 4}, {"Nano",        4}, {"Bobcat",   4},
    {"Prescott",       8}, {"Core2",        8}, {"Penryn",       8}, {"Dunnington",  8}, {"Nehalem",  8},
    {"Barcelona",      8}, {"Sandybridge", 16}, {"Bulldozer",   16}, {"Piledriver", 16},
    {"Steamroller",   16}, {"Excavator",   16}, {"Haswell",     32}, {"Zen",        32},
    {"SkylakeX",      64}, {"Cooperlake",  64}, {"SapphireRapids", 64},
#elif defined(__aarch64__)
    {"ARMV8",         16}, {"CortexA53",    8}, {"CortexA55",    8}, {"CortexA57",   8}, {"CortexA72", 8},
    {"CortexA73",      8}, {"CortexA76",   16}, {"ThunderX",     8}, {"ThunderX2T99", 16},
    {"NeoverseN1",    16}, {"NeoverseN2",  16}, {"NeoverseV1",  32},
#endif
    {NULL, 0},
};
/* clang-format on */

/* A library with one of these functions is no reference BLAS: BLIS, oneMKL, ATLAS, FlexiBLAS, Arm's, NVIDIA's
 * and AMD's. */
static const char *const others[] = {
    "bli_info_get_version_str", "mkl_get_version_string", "ATL_buildinfo",
    "flexiblas_info",           "armplversion",           "nvpl_blas_get_version"};

/* Distributions call the reference BLAS so, and choose by a link to the library which one serves that name.
 */
static bool is_reference(void *handle, const char *path) {
    char *real = realpath(path, NULL);
    const char *slash = real ? strrchr(real, '/') : NULL;
    bool is = slash && strncmp(slash + 1, "libblas", strlen("libblas")) == 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0] && is; i++)
        is = !dlsym(handle, others[i]);
    free(real);
    return is;
}

static int flops_per_cycle(const char *core) {
    size_t i = 0;
    while (cores[i].name && strcasecmp(cores[i].name, core) != 0)
        i++;
    return cores[i].flops_per_cycle;
}

void lava_cpu_kernels_find(const char *path, struct lava_cpu_kernels *kernels) {
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    *kernels = (struct lava_cpu_kernels){.share = 1};
    if (!handle)
        return;
    bool is_openblas = lava_openblas_core(path, kernels->core, sizeof kernels->core, &kernels->chooses_cores);
    kernels->is_reference = !is_openblas && is_reference(handle, path);
    dlclose(handle);
    dlerror(); /* clears the error: the program must not see that a name was missing */
    int own = flops_per_cycle(kernels->core), all = lava_processor_flops_per_cycle();
    if (own > 0 && own < all)
        kernels->share = (double)own / all;
}
