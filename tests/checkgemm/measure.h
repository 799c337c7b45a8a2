/* Timing a product on the device, for checkgemm --bench and perf/tune. */
#ifndef CHECKGEMM_MEASURE_H
#define CHECKGEMM_MEASURE_H

#include "lib/engine/runner.h"

/* A product with matrices of its own: C <- A B, column-major, tight, C set to NaN. No element is so small
 * that planes cannot hold it: a row by planes is timed without its fallback. Exits where there is no memory.
 */
struct lava_problem measure_problem(enum lava_type type, enum lava_type type_c, int64_t m, int64_t n,
                                    int64_t k, uint64_t seed);
void measure_free(struct lava_problem *problem);

/* False where an element of a few samples of C is not what it should be, computed by that scheme. */
bool measure_samples_right(const struct lava_problem *problem, enum lava_scheme scheme, uint64_t seed);

struct measured {
    int rounds;                             /* 0: it could not be computed */
    double multiply_ms, multiply_median_ms; /* the least, the median */
    double finish_ms, pack_ms;              /* medians */
};

/* Runs a plan for `seconds` and at least three times, after as long as `warm_seconds`: a GPU that idled needs
 * 300 ms of load to reach its clock. */
struct measured measure_device(struct lava_engine *engine, const struct lava_problem *problem,
                               const struct lava_plan *plan, double warm_seconds, double seconds);

/* Milliseconds of the multiply alone where each repetition reads other copies of the packed operands, of
 * `bytes` in all or as many as there is memory for, so that no cache holds them: the least of several. The
 * plan was run last and has one block. A row by planes has its fallback timed with it. 0: not measured.
 * *copies: how many there were. */
double measure_rotating(struct lava_engine *engine, const struct lava_problem *problem,
                        const struct lava_plan *plan, uint64_t bytes, double seconds, uint32_t *copies);

double measure_median(double *values, int count); /* sorts them */

#endif
