/* OpenBLAS's functions for its number of threads and its kernels, by the names that it has itself and in
 * NumPy's and SciPy's wheels. Any thread. */
#ifndef LAVA_HOST_OPENBLAS_H
#define LAVA_HOST_OPENBLAS_H

#include <stdbool.h>
#include <stddef.h>

struct lava_openblas {
    int (*get_threads)(void);
    void (*set_threads)(int threads);
    bool has_own_threads; /* it neither computes with one thread alone nor by OpenMP */
};

/* Looks in a library that is loaded. Returns false if it is not OpenBLAS. */
bool lava_openblas_find(const char *path, struct lava_openblas *openblas);
/* Writes the name of the processor whose kernels it runs, and whether it chooses them when it is loaded.
 * Returns false if the library is not OpenBLAS. */
bool lava_openblas_core(const char *path, char *core, size_t size, bool *chooses);

#endif
