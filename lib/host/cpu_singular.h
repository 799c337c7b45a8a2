/* Singular values and vectors on the CPU, one after another, and least squares by them. It serves if no CPU
 * library has ?gesdd and the like; a well-kept one is many times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_SINGULAR_H
#define LAVA_HOST_CPU_SINGULAR_H

#include "lib/host/cpu_parts.h"

/* Writes the values, and the vectors that are wanted, or the right-hand sides and the rank; C stays as it
 * was, unless vectors take its place. Of what a device has begun, none or all is there. Returns 0, or C's
 * smaller side without memory: nothing was written then. */
lava_cpu_finish lava_cpu_singular_run;

#endif
