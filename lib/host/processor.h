/* What the processor can be expected to do in a good CPU BLAS. */
#ifndef LAVA_HOST_PROCESSOR_H
#define LAVA_HOST_PROCESSOR_H

#include <stdbool.h>

#include "dispatch/problem.h"

/* fp32 operations per second in large products, on all processors that the thread which asked first may use.
 * Cheap but for the first time. Any thread. */
double lava_processor_flops_per_s(void);

/* How many those are. */
int lava_processor_count(void);

/* How many times as fast as fp32 ones a CPU BLAS may multiply matrices of the type, if it has routines for
 * them. */
double lava_processor_half_gain(enum lava_type type);

/* Whether it has the instructions that convert fp16 (F16C), and AVX2. Never on other architectures. */
bool lava_processor_has_f16c(void);

/* Lets the calling thread run on all of them: a thread inherits its creator's, which may be bound to one
 * (OpenMP, MPI). */
void lava_processor_use_all(void);

#endif
