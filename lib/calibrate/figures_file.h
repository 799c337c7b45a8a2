/* The file that keeps this machine's figures in the user's cache: one for each device, driver, processor, CPU
 * BLAS and number of its threads. Any thread may call these functions. */
#ifndef LAVA_CALIBRATE_FIGURES_FILE_H
#define LAVA_CALIBRATE_FIGURES_FILE_H

#include <stdbool.h>

#include "dispatch/capabilities.h"
#include "dispatch/figures.h"
#include "lib/base/config.h"
#include "lib/base/file_cache.h"
#include "lib/host/cpu_blas.h"

/* Returns how many threads the CPU BLAS uses: its own answer, which OpenBLAS gives, else what the environment
 * allows, else one for each processor. */
int lava_figures_file_threads(const struct lava_cpu_blas *blas);
/* Finds the file for this device and the CPU BLAS of the process. home is as in lib/base/file_cache.h. */
void lava_figures_file_place(const struct lava_capabilities *device, const char *home,
                             struct lava_file_cache_place *place);
/* The same of the figures for all users. */
void lava_figures_file_shared_place(const struct lava_capabilities *device, const struct lava_config *config,
                                    struct lava_file_cache_place *place);
/* Adds what is stored to *figures. Returns false, and leaves *figures untouched, if nothing usable is
 * stored. */
bool lava_figures_file_read(const struct lava_file_cache_place *place, struct lava_figures *figures);
/* Reads the newer of a user's figures and those for all, or the other one if that cannot be used. Returns
 * where they were, or NULL, with *figures untouched. */
const struct lava_file_cache_place *lava_figures_file_read_newer(const struct lava_file_cache_place *own,
                                                                 const struct lava_file_cache_place *shared,
                                                                 struct lava_figures *figures);
/* Returns false if nothing can be stored there. */
bool lava_figures_file_write(const struct lava_file_cache_place *place, const struct lava_figures *figures);

#endif
