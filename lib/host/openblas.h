/* OpenBLAS's functions for its number of threads, by the names that it has itself and in NumPy's and SciPy's
 * wheels. Any thread. */
#ifndef LAVA_HOST_OPENBLAS_H
#define LAVA_HOST_OPENBLAS_H

#include <stdbool.h>

struct lava_openblas {
    int (*get_threads)(void);
    void (*set_threads)(int threads);
    bool has_own_threads; /* it neither computes with one thread alone nor by OpenMP */
};

/* Looks in a library that is loaded. Returns false where it is not OpenBLAS. */
bool lava_openblas_find(const char *path, struct lava_openblas *openblas);

#endif
