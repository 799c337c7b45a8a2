/* The shapes of the calls in a trace (LAVABLAS_TRACE), for `lavablas replay`. For one thread only. */
#ifndef LAVA_TOOLS_SHAPES_H
#define LAVA_TOOLS_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

#include "perf/bench.h"
#include "perf/routine.h"
#include "tools/json_reader.h"

struct shape {
    const char *name;              /* as recorded; belongs to the trace */
    const struct routine *routine; /* as timed; NULL: left out */
    int m, n, k;
    double calls, recorded_s;
    double median_s[BENCH_MAX_LIBRARIES];
    bool right, timed;
};

struct shapes {
    struct shape *list; /* the caller frees it */
    size_t count;
};

/* Adds the calls of a trace, an array of spans. Spans that are no calls, and calls of sizes that no matrix
 * has, are passed over. Returns false if there is no memory; what was added remains. */
bool shapes_read(struct shapes *shapes, const struct json *trace);

#endif
