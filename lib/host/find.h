/* The search for the CPU BLAS, apart from lava_cpu_blas_get so that tests can run it many times. */
#ifndef LAVA_HOST_FIND_H
#define LAVA_HOST_FIND_H

#include "lib/host/cpu_blas.h"

struct lava_find_sources {
    const char *requested;        /* a path or a name for dlopen; NULL: none */
    const char *const *fallbacks; /* names for dlopen, tried in this order, ended by NULL */
};

/* Fills *blas with the first usable of: the requested one, one already in the process (plain names before
 * others), the fallbacks, the built-in loop. Complains on stderr where the requested one is not used and
 * where only the loop is left. Returns blas->handle, which keeps the library in the process (for dlclose, in
 * tests), NULL for the loop. May dlopen; not async-signal-safe. One thread at a time. */
void *lava_find_blas(const struct lava_find_sources *sources, struct lava_cpu_blas *blas);

/* The routine of that name: the CPU BLAS's own, else that of the first object in the process that has one,
 * else, for a plain name where the CPU BLAS has only others and was not asked for, the fallbacks'; NULL:
 * nobody's. Never this library's. Its library stays in the process for good. Takes no lock of this library's,
 * so that a thread inside the loader may multiply: any thread, several find the same. */
lava_function *lava_find_routine(const struct lava_cpu_blas *blas, const char *const *fallbacks,
                                 enum lava_routine routine);

#endif
