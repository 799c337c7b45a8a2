/* Eigenvalues and eigenvectors of a tridiagonal matrix on the CPU, one after another. It serves if no CPU
 * library has ?stedc; a well-kept one is many times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_DIVIDE_H
#define LAVA_HOST_CPU_DIVIDE_H

#include "lib/host/cpu_parts.h"

/* Writes the eigenvalues over D and the eigenvectors, or C times them, over C; E stays. Of what a device has
 * begun, none or all columns are there. Returns 0, or info as LAPACK's routine: how many eigenvalues were not
 * found; -1 without memory. Nothing is written then. */
lava_cpu_finish lava_cpu_divide_run;

#endif
