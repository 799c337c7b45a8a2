/* checkgemm --bench. */
#ifndef LAVA_TESTS_CHECKGEMM_CHECK_BENCH_H
#define LAVA_TESTS_CHECKGEMM_CHECK_BENCH_H

#include "tests/checkgemm/ceilings.h"
#include "tests/checkgemm/check.h"

struct bench_options {
    const struct lava_kernel *kernel; /* NULL: the policy's choice for the types */
    enum lava_type type, type_c;
    int order, persistent; /* as in struct lava_overrides */
    uint32_t split_k;
    int64_t column_blocks;
    int at_once; /* as in struct lava_overrides */
    uint32_t pieces;
    int64_t later_parts;
    double seconds;   /* of timing per size, after the same time of warming up */
    bool device_only; /* no host-to-host timing */
    uint64_t
        rotate_bytes; /* bytes that multiply reads before it reads the same again; 0: the same each time */
    struct ceilings ceilings;
};

void bench_header(const struct bench_options *options);
/* Times m x n x k and prints a line. Returns false for a wrong result. */
bool bench_run(struct check_context *context, const struct bench_options *options, int64_t m, int64_t n,
               int64_t k);

#endif
