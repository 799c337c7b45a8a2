/* Counts the instructions of a kernel's main loop in a driver's assembly. */
#ifndef PERF_TUNE_LOOP_H
#define PERF_TUNE_LOOP_H

#include <stdbool.h>

struct tune_loop {
    unsigned instructions;
    unsigned fma, matrix;    /* multiplications: of an element of each lane, of a cooperative matrix */
    unsigned shared, memory; /* loads and stores */
};

/* The main loop is the innermost one with the most multiplications. Returns false if no loop was
 * recognized: the assembly is of a driver that is not known here. */
bool tune_loop_count(const char *assembly, struct tune_loop *loop);

#endif
