/* Reduction of a matrix to bidiagonal form on the CPU, column by column. It serves if no CPU library has
 * ?gebrd; a well-kept one is many times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_BIDIAGONAL_H
#define LAVA_HOST_CPU_BIDIAGONAL_H

#include "lib/host/cpu_parts.h"

/* C <- B and the reflections of Q and P with B = Q^H C P, as ?gebd2 leaves them; D, E and both tau. Of what a
 * device has begun, none or all columns are there. Returns 0. */
lava_cpu_finish lava_cpu_bidiagonal_run;

#endif
