/* What bench, callers and sweep share: a BLAS opened by path, and the clock that they time it by. */
#ifndef PERF_LIBRARY_H
#define PERF_LIBRARY_H

#include <stdbool.h>

#include "lavablas.h"

struct blas {
    const char *path;                         /* for messages; not copied */
    void *handle;                             /* RTLD_DEFAULT: the program's own scope */
    int (*wait)(const char **);               /* LavaBLAS's own, else NULL */
    int (*last_call)(struct lavablas_call *); /* the same */
};

/* A path or a name for dlopen; NULL: the program's own scope, which is then called "preloaded". Opens
 * RTLD_LOCAL, never closes. Where that fails it says why on stderr and leaves *blas as it is. */
bool library_open(struct blas *blas, const char *path);
/* NULL: it has no such routine, and stderr says so. */
void *library_find(const struct blas *blas, const char *routine);

/* Seconds of the monotonic clock. */
double library_now(void);

#endif
