/* Shared by bench, callers and sweep: a BLAS opened by path, and the clock. */
#ifndef PERF_LIBRARY_H
#define PERF_LIBRARY_H

#include <stdbool.h>

#include "lavablas.h"

struct blas {
    const char *path;                         /* for messages; not copied */
    void *handle;                             /* RTLD_DEFAULT: the program's own scope */
    int (*wait)(const char **);               /* LavaBLAS's function, else NULL */
    int (*last_call)(struct lavablas_call *); /* the same */
};

/* path: a path or a name for dlopen; NULL: the program's own scope, which is then called "preloaded". Opens
 * RTLD_LOCAL, never closes. On failure it prints the reason on stderr and leaves *blas unchanged. */
bool library_open(struct blas *blas, const char *path);
/* Returns NULL, with a line on stderr, if there is no such routine. */
void *library_find(const struct blas *blas, const char *routine);

/* Seconds of the monotonic clock. */
double library_now(void);

#endif
