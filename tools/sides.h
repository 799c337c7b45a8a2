/* The two libraries that bench and replay compare if they are given no others. */
#ifndef LAVA_TOOLS_SIDES_H
#define LAVA_TOOLS_SIDES_H

#include "perf/bench.h"

/* Opens LavaBLAS, which comes first, and the CPU BLAS that it uses. Nothing of LavaBLAS is timed before its
 * device is ready. Returns false, with a line on stderr, if one cannot be opened. */
bool sides_open(struct bench *bench);

#endif
