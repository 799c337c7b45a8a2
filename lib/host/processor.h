/* Estimated rates of the processor with a good CPU BLAS. */
#ifndef LAVA_HOST_PROCESSOR_H
#define LAVA_HOST_PROCESSOR_H

#include <pthread.h>
#include <stdbool.h>

#include "dispatch/operation.h"

/* fp32 operations per second in large products, on all processors that the first calling thread may use.
 * Cheap after the first call. Any thread. */
double lava_processor_flops_per_s(void);

/* What n processors with n operations per second each are expected to reach together. */
double lava_processor_guess(double core, int count);

/* The same of one thread in a product that it computes by itself; at most that of all. */
double lava_processor_one_thread_flops_per_s(void);

/* What the threads of a product cost: they begin, and wait for each other. Nothing if there is one. */
double lava_processor_threads_ns(void);

/* fp32 operations that a core's vectors can do in a cycle. */
int lava_processor_flops_per_cycle(void);
/* The best value of OPENBLAS_CORETYPE that the processor's instructions allow; NULL: none is known. */
const char *lava_processor_core_type(void);

/* The number of those processors. */
int lava_processor_count(void);

/* How many of them are for this process: with other ranks of an MPI job on this host it is as many as for
 * each of them, unless the launcher has bound it to fewer already. At least 1. */
int lava_processor_share(void);
/* The same of given numbers; ranks may be 0. */
int lava_processor_share_of(int allowed, int online, int ranks);

/* Expected rate of the type's products relative to fp32, if the CPU BLAS has routines for them. */
double lava_processor_half_gain(enum lava_type type);

/* Returns whether the processor has AVX2 and the instructions that convert fp16 (F16C). Returns false on
 * other architectures. */
bool lava_processor_has_f16c(void);

/* Lets the calling thread run on all of those processors. A thread inherits its creator's affinity, which may
 * be one processor (OpenMP, MPI). */
void lava_processor_use_all(void);

/* Binds a thread to one of those processors, chosen by the index in turn; not to the processor `except`,
 * unless there is no other. */
void lava_processor_bind(pthread_t thread, unsigned index, int except);
/* Lets it run on all of them again. */
void lava_processor_unbind(pthread_t thread);

#endif
