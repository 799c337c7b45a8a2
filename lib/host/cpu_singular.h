/* Singular values and vectors on the CPU, one after another, and least squares by them. It serves if no CPU
 * library has ?gesdd and the like; a well-kept one is many times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_SINGULAR_H
#define LAVA_HOST_CPU_SINGULAR_H

#include "lib/host/cpu_parts.h"

/* Writes the values, and the vectors that are wanted, or the right-hand sides and the rank; C stays as it
 * was, unless vectors take its place. Of what a device has begun, none or all is there. Returns 0; C's
 * smaller side if a number is not finite or the method does not converge; -1 without memory. Nothing was
 * written unless it is 0. */
lava_cpu_finish lava_cpu_singular_run;

#endif
