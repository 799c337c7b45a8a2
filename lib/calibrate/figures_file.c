/* Reads and writes the file of this machine's figures. Called by calibration.c, tools/calibrate.c and tests.
 *
 * Invariant: the key names everything that the figures depend on, so figures of another configuration are
 * never read. */
#include "lib/calibrate/figures_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/config.h"
#include "lib/host/cpu_blas.h"
#include "lib/host/cpu_kernels.h"
#include "lib/host/openblas.h"
#include "lib/host/processor.h"
#include "lib/host/spare.h"

#define MODEL_BYTES 128
/* The version of what the figures mean. It is raised with every change of the estimates that they are fitted
 * to, of the grid, and of how they are measured. */
#define FIGURES_VERSION 5

/* Reads the value of the first line of /proc/cpuinfo that begins with the name; "" if there is none. */
static void read_cpuinfo(const char *name, char model[MODEL_BYTES]) {
    char line[256];
    model[0] = '\0';
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && !model[0] && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (value && strncmp(line, name, strlen(name)) == 0)
            snprintf(model, MODEL_BYTES, "%.*s", (int)strcspn(value + 1, "\n"), value + 1);
    }
    if (file)
        fclose(file);
}

/* Arm's processors have numbers instead of names. */
static void find_processor(char model[MODEL_BYTES]) {
    read_cpuinfo("model name", model);
    if (!model[0])
        read_cpuinfo("CPU part", model);
}

int lava_figures_file_threads(const struct lava_cpu_blas *blas) {
    struct lava_openblas openblas;
    int threads = lava_config_get()->cpu_threads;
    if (lava_openblas_find(blas->path, &openblas))
        threads = lava_spare_threads(&openblas);
    return threads > 0 ? threads : lava_processor_count();
}

void lava_figures_file_place(const struct lava_capabilities *device, const char *home,
                             struct lava_file_cache_place *place) {
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    char key[LAVA_FILE_CACHE_MAX_KEY_BYTES], name[LAVA_FILE_CACHE_MAX_NAME], model[MODEL_BYTES];
    struct lava_cpu_kernels kernels;
    struct stat info;
    lava_cpu_kernels_find(blas->path, &kernels); /* OPENBLAS_CORETYPE chooses them */
    if (stat(blas->path, &info))
        memset(&info, 0, sizeof info); /* the CPU BLAS is the built-in loop */
    find_processor(model);
    int length =
        snprintf(key, sizeof key,
                 "figures %d\ndevice %04x:%04x %s\ndriver %#x\nprocessor%s\nprocessors %d\n"
                 "CPU BLAS %s\nof %lld bytes, changed %lld\ncore %s\nthreads %d\nstaging %llu\n",
                 FIGURES_VERSION, (unsigned)device->vendor_id, (unsigned)device->device_id, device->name,
                 (unsigned)device->driver_version, model, lava_processor_count(), blas->path,
                 (long long)info.st_size, (long long)info.st_mtime, kernels.core,
                 lava_figures_file_threads(blas), (unsigned long long)lava_config_get()->pinned_bytes);
    snprintf(name, sizeof name, "figures-%04x-%04x", (unsigned)device->vendor_id,
             (unsigned)device->device_id);
    lava_file_cache_place_init(place, home, name, key, (size_t)length);
}

void lava_figures_file_shared_place(const struct lava_capabilities *device, const struct lava_config *config,
                                    struct lava_file_cache_place *place) {
    lava_figures_file_place(device, config->cache ? config->state_home : NULL, place);
    place->is_shared = true;
}

bool lava_figures_file_read(const struct lava_file_cache_place *place, struct lava_figures *figures) {
    size_t bytes;
    char *text = lava_file_cache_load(place, &bytes);
    bool usable = text && text[bytes - 1] == '\0' && lava_figures_parse(text, figures);
    free(text);
    return usable;
}

const struct lava_file_cache_place *lava_figures_file_read_newer(const struct lava_file_cache_place *own,
                                                                 const struct lava_file_cache_place *shared,
                                                                 struct lava_figures *figures) {
    bool own_first = lava_file_cache_written_s(own) >= lava_file_cache_written_s(shared);
    const struct lava_file_cache_place *newer = own_first ? own : shared, *older = own_first ? shared : own;
    if (lava_figures_file_read(newer, figures))
        return newer;
    return lava_figures_file_read(older, figures) ? older : NULL;
}

bool lava_figures_file_write(const struct lava_file_cache_place *place, const struct lava_figures *figures) {
    int length = lava_figures_print(figures, NULL, 0);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text)
        return false;
    lava_figures_print(figures, text, (size_t)length + 1);
    bool stored = lava_file_cache_store(place, text, (size_t)length + 1);
    free(text);
    return stored;
}
