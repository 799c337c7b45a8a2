/* Generalized eigenvalue problems on the CPU. It serves if no CPU library has ?sygvd and the like; a
 * well-kept one is many times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_GENERALIZED_H
#define LAVA_HOST_CPU_GENERALIZED_H

#include "lib/host/cpu_parts.h"

/* As lava_cpu_eigen_run; the second matrix becomes its Cholesky factor. Returns n + i if its leading minor of
 * order i is not positive definite: C is as it was then. */
lava_cpu_finish lava_cpu_generalized_run;

#endif
