/* Reduction of a Hermitian matrix to tridiagonal form on the CPU, column by column, with the CPU BLAS's
 * products. It serves if no CPU library has ?sytrd; a well-kept one is several times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_TRIDIAGONAL_H
#define LAVA_HOST_CPU_TRIDIAGONAL_H

#include "lib/host/cpu_parts.h"

/* C's triangle <- T and the reflections of Q with T = Q^H C Q, as ?sytd2 leaves them; D, E and tau. Of what a
 * device has begun, none or all columns are there. Returns 0. */
lava_cpu_finish lava_cpu_tridiagonal_run;

#endif
