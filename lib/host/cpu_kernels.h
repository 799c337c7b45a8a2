/* What kernels the CPU BLAS runs: OpenBLAS's core type, or the reference BLAS. Any thread. */
#ifndef LAVA_HOST_CPU_KERNELS_H
#define LAVA_HOST_CPU_KERNELS_H

#include <stdbool.h>

struct lava_cpu_kernels {
    char core[32];      /* OpenBLAS's name of the processor that its kernels are made for; "": not known */
    double share;       /* of the processor's vectors that they fill: 1, or less */
    bool is_reference;  /* netlib's libblas: plain loops, one thread */
    bool chooses_cores; /* OPENBLAS_CORETYPE selects other kernels */
};

/* Asks the library of that path, which is loaded. */
void lava_cpu_kernels_find(const char *path, struct lava_cpu_kernels *kernels);

#endif
