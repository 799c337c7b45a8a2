/* The search for the CPU BLAS, apart from lava_cpu_blas_get so that tests can run it many times. */
#ifndef LAVA_CPU_FIND_H
#define LAVA_CPU_FIND_H

#include "lib/cpu/cpu_blas.h"

struct lava_find_sources {
    const char *requested;        /* a path or a name for dlopen; NULL: none */
    const char *const *fallbacks; /* names for dlopen, tried in this order, ended by NULL */
};

/* Fills *blas with the first usable of: the requested one, one already in the process, the fallbacks, the
 * built-in loop. Complains on stderr where the requested one is not used and where only the loop is left.
 * Returns the handle that keeps the library in the process (for dlclose, in tests), NULL for the loop.
 * May dlopen; not async-signal-safe. One thread at a time. */
void *lava_find_blas(const struct lava_find_sources *sources, struct lava_cpu_blas *blas);

#endif
