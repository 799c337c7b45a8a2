/* Times a product on the device, for checkgemm --bench and perf/tune. */
#ifndef CHECKGEMM_MEASURE_H
#define CHECKGEMM_MEASURE_H

#include "lib/product/runner.h"

/* A product with its own matrices: C <- A B, column-major, tight, C set to NaN. Planes can represent all
 * elements, so a row by planes is timed without its fallback. Exits if out of memory. */
struct lava_operation measure_operation(enum lava_type type, enum lava_type type_c, int64_t m, int64_t n,
                                        int64_t k, uint64_t seed);
void measure_free(struct lava_operation *operation);

/* Returns false if one of a few sampled elements of C is wrong for that scheme. */
bool measure_samples_right(const struct lava_operation *operation, enum lava_scheme scheme, uint64_t seed);

struct measured {
    int rounds;                             /* 0: it could not be computed */
    double multiply_ms, multiply_median_ms; /* minimum and median */
    double finish_ms, pack_ms;              /* medians */
};

/* Runs a plan for `seconds` and at least three times, after `warm_seconds` of warming up. A GPU that idled
 * needs 300 ms of load to reach its clock. */
struct measured measure_device(struct lava_engine *engine, const struct lava_operation *operation,
                               const struct lava_plan *plan, double warm_seconds, double seconds);

/* Milliseconds of the multiply alone, with operands that no cache holds: the minimum of several runs. Each
 * repetition reads another copy of the packed operands. The copies take `bytes` in total, or less if memory
 * runs out. The plan must be the one run last and have one block. For a row by planes the fallback is
 * included. Returns 0 if not measured. *copies is the number of copies. */
double measure_rotating(struct lava_engine *engine, const struct lava_operation *operation,
                        const struct lava_plan *plan, uint64_t bytes, double seconds, uint32_t *copies);

double measure_median(double *values, int count); /* sorts the values */

#endif
