/* What the plans of factorizations and of inverses share. Both take a matrix to the device, halve it down to
 * blocks that have kernels of their own, with products between the halves, and bring it back. QR goes block
 * by block, but is planned and transferred in the same way. Pure functions, called by factorization.c, qr.c
 * and inverse_plan.c. */
#ifndef LAVA_DISPATCH_HALVING_H
#define LAVA_DISPATCH_HALVING_H

#include "dispatch/cost.h"
#include "dispatch/solve.h"

/* What the parts take, with their barriers, as measured on an H200 with Cholesky factorizations (fp32; fp64
 * takes 1.1 to 1.4 times as long): a block on the diagonal and the solve beside it, and a product. */
#define LAVA_HALVING_BLOCK_NS   97e3
#define LAVA_HALVING_PRODUCT_NS 43e3
/* A triangle is read and written this many times for each halving. With these, the estimates of Cholesky for
 * orders 1024 and 8192 are within a tenth of what an H200 took, 1.3 and 17.0 ms. */
#define LAVA_HALVING_PASSES 13
/* The copy threads copy from and to a buffer in host memory, which is new memory. A starting value: an H200's
 * host clears new pages at 50 GB/s and copies faster (doc/notes/transfers.md). */
#define LAVA_HALVING_BUFFER_BYTES_PER_S 20e9

/* What all plans of a call share. */
struct lava_halving {
    const struct lava_operation *operation;
    const struct lava_capabilities *device;
    const struct lava_figures *figures;
    struct lava_overrides overrides; /* memory_bytes is the limit for everything */
    lava_kind_product *plan_product;
    struct lava_rates rates;
};

/* Returns LAVA_REASON_FORCED, or why there is no plan: NO_KERNEL, or MEMORY, if the matrix's columns are
 * too long to be downloaded whole. */
enum lava_reason lava_halving_begin(const struct lava_plan_request *asked, struct lava_halving *halving);

/* Returns the size of the larger half, which comes first. */
int64_t lava_halving_half(int64_t size);
/* Returns how many blocks all solves together have, which take the blocks of one half at every halving. */
int64_t lava_halving_solve_blocks(int64_t blocks);

/* Returns a product of these sizes that adds to a part of the operation's matrix, by its region. is_square:
 * of two equal operands, one of them transposed. */
struct lava_halving_sizes {
    int64_t m, n, k;
};
struct lava_operation lava_halving_product(const struct lava_operation *operation,
                                           const struct lava_halving_sizes *sizes, bool is_square);

/* Plans the largest product beside matrices of n bytes, and sets everything but gpu_ns; *plan keeps
 * what it has of the CPU. has_products: false if the matrix is one block. Returns LAVA_REASON_FORCED, or
 * why there is no plan. */
enum lava_reason lava_halving_plan(const struct lava_halving *halving, const struct lava_operation *largest,
                                   bool has_products, uint64_t matrices_bytes, struct lava_plan *plan);

/* What a plan is made of if its matrices are on the device from the beginning to the end. */
struct lava_halving_parts {
    struct lava_operation (*largest_product)(const struct lava_operation *operation);
    uint64_t (*matrices_bytes)(const struct lava_capabilities *device,
                               const struct lava_operation *operation); /* UINT64_MAX: one does not fit */
    double (*gpu_ns)(const struct lava_halving *halving, double flops_per_s); /* from host memory to there */
};
/* Makes the whole plan of these. has_products: as above. */
enum lava_reason lava_halving_plan_parts(const struct lava_halving_parts *parts, bool has_products,
                                         const struct lava_plan_request *asked, struct lava_plan *plan);

/* Returns the time from host memory to host memory, if the device takes device_ns between the upload and the
 * download. */
double lava_halving_gpu_ns(const struct lava_halving *halving, double device_ns, double flops_per_s);

#endif
