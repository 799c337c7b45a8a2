/* The search for the CPU BLAS. Separate from lava_cpu_blas_get so that tests can run it many times. */
#ifndef LAVA_HOST_FIND_H
#define LAVA_HOST_FIND_H

#include <stdbool.h>

#include "lib/host/cpu_gemm.h"

struct lava_cpu_help;

/* The CPU BLAS that was found. */
struct lava_cpu_blas {
    void *handle; /* of the library, for dlsym; NULL: the built-in loop */
    /* it has a plain name or was requested: no other library is opened */
    bool serves_plain_names;
    struct lava_cpu_gemm gemm[LAVA_TYPE_COUNT]; /* FP32, FP64, CFP32, CFP64 */
    bool has_half[LAVA_TYPE_COUNT];             /* FP16, BF16: the CPU BLAS has its own routine */
    char path[512];                             /* of the library, or "built-in loop" */
    const struct lava_cpu_help *help;           /* who computes parts of what it is asked for; NULL: nobody */
};

struct lava_find_sources {
    const char *requested;        /* a path or a name for dlopen; NULL: none */
    const char *const *fallbacks; /* names for dlopen, tried in this order, ended by NULL */
};

/* Fills *blas with the first usable of: the requested library, a library in the process (plain names before
 * others), the fallbacks, the built-in loop. Writes to stderr if the requested library is not used or if only
 * the loop is left. Returns blas->handle, which keeps the library in the process (tests dlclose it), or NULL
 * for the loop. May dlopen; not async-signal-safe. One thread at a time. */
void *lava_find_blas(const struct lava_find_sources *sources, struct lava_cpu_blas *blas);

/* Returns the routine of that name: from the CPU BLAS, else from the first object in the process that has it.
 * The latter comes first for routines of LAPACK: a program may be linked with a LAPACK that its BLAS does not
 * contain. For a plain name, if the CPU BLAS has only other names and was not requested, the fallbacks are
 * tried last. Returns NULL if nobody has it, and never this library's own. The routine's library stays in the
 * process for good. Takes none of this library's locks, so that a thread inside the loader may multiply. Any
 * thread; concurrent calls find the same. */
lava_function *lava_find_routine(const struct lava_cpu_blas *blas, const char *const *fallbacks,
                                 enum lava_routine routine);
/* Returns whether a routine of LAPACK that was found has 64-bit integers behind a name of LP64: then its
 * callers have them, too. Of BLAS such a routine is never found, because it writes no integers. */
bool lava_find_is_wide(enum lava_routine routine, lava_function *function);

#endif
