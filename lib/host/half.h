/* Half-precision products for a CPU BLAS without routines for them. Operands are converted to fp32 block by
 * block and multiplied by its sgemm, which sums in fp32. C is rounded to its type once, at the end. Any
 * thread. */
#ifndef LAVA_HOST_HALF_H
#define LAVA_HOST_HALF_H

#include "lib/host/cpu_gemm.h"

/* Computes the operation, which must be valid and have A and B of fp16 or bf16, by the gemm of fp32. With
 * beta = 0 C is not read; with alpha = 0 or k = 0 neither A nor B is read. Needs up to 31 MiB temporarily.
 * With less memory it is slower, but it never fails. */
void lava_half_run(const struct lava_cpu_gemm *sgemm, const struct lava_operation *operation);

/* The same with explicit limits, so that tests can have many blocks in small products. */
struct lava_half_limits {
    int64_t workspace_elements; /* fp32 elements, for all blocks at a time */
    int64_t largest_ld;         /* largest leading dimension that the CPU BLAS accepts: INT_MAX */
    int64_t alone_elements;     /* the caller converts smaller phases alone */
    unsigned threads;           /* including the caller */
};
void lava_half_run_limited(const struct lava_cpu_gemm *sgemm, const struct lava_operation *operation,
                           const struct lava_half_limits *limits);

#endif
