/* Tells whether other threads of the process keep the processors busy: a CPU BLAS's threads spin for up to
 * 0.1 s after each of its products. Copy threads that do not know of them hardly run. */
#ifndef LAVA_HOST_CPU_LOAD_H
#define LAVA_HOST_CPU_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/* When somebody last looked. Zero-initialized: never. One thread at a time. */
struct lava_cpu_load {
    uint64_t wall_ns, process_ns, own_ns;
};

/* Returns true if there is an answer, and sets *busy: whether threads other than the copy threads and the
 * callers ran on more than a quarter of the processors since the last look, on average; no, if that was
 * seconds ago. callers: threads that multiply on the device now. own_ns: the processor time that the copy
 * threads have had so far. Returns false at the first look, and within 10 ms of the last one, whose answer is
 * then still valid. An answer may be one product late. */
bool lava_cpu_load_look(struct lava_cpu_load *look, unsigned callers, uint64_t own_ns, bool *busy);

#endif
