/* checkgemm: tests and times every kernel row on any device. One program for both, so that what is timed is
 * what was tested. See checkgemm.c for its use. */
#ifndef LAVA_TESTS_CHECKGEMM_H
#define LAVA_TESTS_CHECKGEMM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/exec/executor.h"

/* What the entries of A and B are. */
enum entries {
    ENTRIES_UNIFORM,   /* in (-1, 1) */
    ENTRIES_POSITIVE,  /* in (0, 1): rounding errors cannot cancel in the bound */
    ENTRIES_INTEGER,   /* -2 ... 2: the result is exact */
    ENTRIES_SUBNORMAL, /* about 1e-20: products are subnormal */
    ENTRIES_SPECIAL,   /* uniform, with an Inf and a NaN in each operand */
};

/* One product to check. Sizes are the caller's (before a row-major product is swapped). */
struct check_case {
    const char *group; /* what the case is there for */
    int64_t m, n, k;
    int layout, transa, transb; /* CBLAS enumerators */
    int64_t extra_ld;           /* above the minimum, each of the three */
    float alpha, beta;
    enum entries entries;
    struct lava_overrides overrides;
};

struct check_context {
    struct lava_executor *executor;
    const struct lava_kernel *kernel;
    uint64_t seed; /* of the run; each case derives its own */
    bool verbose;
    bool keeps_subnormals; /* the device offers it */
    long passed, failed;
};

/* Runs one case and prints a line where it failed (or verbose is set). */
void check_run(struct check_context *context, const struct check_case *item);
/* Runs all cases of a kernel; quick: a third of them. */
void check_kernel(struct check_context *context, bool quick);
/* Runs the same product with every schedule, persistent or not, and compares bits. */
void check_schedules(struct check_context *context);

/* Times m x n x k; kernel NULL: the policy's choice. Prints one line. Returns false for a wrong result. */
struct bench_options {
    const struct lava_kernel *kernel;
    int schedule, persistent; /* as in struct lava_overrides */
    uint32_t split_k;
    int64_t column_blocks;
    double seconds;   /* of timing, for each size, after as much warming up */
    bool device_only; /* no host-to-host timing */
};
void bench_header(void);
bool bench_run(struct check_context *context, const struct bench_options *options, int64_t m, int64_t n,
               int64_t k);

/* A small generator (splitmix64), so that a seed means the same data everywhere. */
uint64_t random_next(uint64_t *state);
float random_uniform(uint64_t *state); /* (-1, 1), all mantissa bits random */

#endif
