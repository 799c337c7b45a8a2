/* Products of half precision where the CPU BLAS has no routine for them: operands are converted to fp32 block
 * by block and multiplied by its sgemm, which sums in fp32; C is rounded to its type once, at the end. Any
 * thread. */
#ifndef LAVA_HOST_HALF_H
#define LAVA_HOST_HALF_H

#include "lib/host/cpu_blas.h"

/* Computes the problem, which is valid and whose A and B are fp16 or bf16. With beta = 0 C is not read, with
 * alpha = 0 or k = 0 neither A nor B. Needs up to 31 MiB for a while; where there is less it is slower, but
 * never fails. */
void lava_half_run(const struct lava_cpu_blas *blas, const struct lava_problem *problem);

/* The inside of it, apart so that tests can have many blocks in small products. */
struct lava_half_limits {
    int64_t workspace_elements; /* of fp32, for all blocks at a time */
    int64_t largest_ld;         /* that the CPU BLAS takes: INT_MAX */
    int64_t alone_elements;     /* a phase that converts fewer is the caller's alone */
    unsigned threads;           /* with the caller */
};
void lava_half_run_limited(const struct lava_cpu_blas *blas, const struct lava_problem *problem,
                           const struct lava_half_limits *limits);

#endif
