/* Looks OpenBLAS's functions up. Called by spare.c, cpu_kernels.c and lib/calibrate/figures_file.c. */
#include "lib/host/openblas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* What openblas_get_parallel says of threads of its own. */
#define OWN_THREADS 1

/* Returns the function of that name in any of the spellings, or NULL. */
static void *find(void *handle, const char *name) {
    static const char *const spellings[] = {"openblas_%s", "scipy_openblas_%s", "openblas_%s64_",
                                            "scipy_openblas_%s64_"};
    void *address = NULL;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0] && !address; i++) {
        char whole[64];
        snprintf(whole, sizeof whole, spellings[i], name);
        address = dlsym(handle, whole);
    }
    return address;
}

bool lava_openblas_find(const char *path, struct lava_openblas *openblas) {
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    int (*get_parallel)(void) = NULL;
    *openblas = (struct lava_openblas){0};
    if (handle) {
        void *get = find(handle, "get_num_threads"), *set = find(handle, "set_num_threads"),
             *parallel = find(handle, "get_parallel");
        memcpy(&openblas->get_threads, &get, sizeof get);
        memcpy(&openblas->set_threads, &set, sizeof set);
        memcpy(&get_parallel, &parallel, sizeof parallel);
        dlclose(handle);
    }
    dlerror(); /* clears the error: the program must not see that a name was missing */
    bool is_there = openblas->get_threads && openblas->set_threads;
    openblas->has_own_threads = is_there && get_parallel && get_parallel() == OWN_THREADS;
    return is_there;
}

bool lava_openblas_core(const char *path, char *core, size_t size, bool *chooses) {
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    const char *(*get_core)(void) = NULL, *(*get_config)(void) = NULL;
    *core = '\0';
    *chooses = false;
    if (handle) {
        void *name = find(handle, "get_corename"), *config = find(handle, "get_config");
        memcpy(&get_core, &name, sizeof name);
        memcpy(&get_config, &config, sizeof config);
        dlclose(handle);
    }
    dlerror();
    if (get_core)
        snprintf(core, size, "%s", get_core());
    *chooses = get_config && strstr(get_config(), "DYNAMIC_ARCH");
    return get_core || get_config;
}
