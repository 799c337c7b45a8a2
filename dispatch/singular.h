/* Plans singular values and vectors, and least squares by them, from host memory: ?gesdd, ?gesvd, ?gelsd and
 * ?gelss. A wide matrix is the adjoint of a tall one, and a tall one goes by QR first; what is left is the
 * polar factor and a Hermitian matrix's eigenvalues (lib/lapack/singular_runner.c). If the matrices do not
 * fit, there is no plan. Pure functions, called by policy.c. */
#ifndef LAVA_DISPATCH_SINGULAR_H
#define LAVA_DISPATCH_SINGULAR_H

#include "dispatch/solve.h"

/* The tall one of C and its adjoint, longer x shorter, and what is wanted of it. */
struct lava_singular_shape {
    int64_t longer, shorter;
    bool is_wide;         /* it is the adjoint */
    bool by_qr;           /* R's singular values are found, and Q's columns multiplied */
    int64_t rows;         /* of what the polar factor is found of: shorter, or longer without QR */
    int64_t left_columns; /* of its left vectors: 0, shorter or longer */
    bool has_right;       /* all of its right vectors */
};
struct lava_singular_shape lava_singular_shape_of(const struct lava_operation *operation);

/* Returns whether QR may be made by Cholesky's factor of A^H A: Q is only multiplied with, and its other
 * columns are not wanted. */
bool lava_singular_may_use_gram(const struct lava_operation *operation);

double lava_singular_flops(const struct lava_operation *operation);

/* Writes what the CPU does one after another: QR, the problem of R, and what is multiplied by Q. Returns how
 * many there are. */
int lava_singular_steps(const struct lava_operation *operation, struct lava_operation *steps);

/* Returns whether the device can run the kernels. */
bool lava_singular_fits(const struct lava_capabilities *device, enum lava_type type);
/* Fills in the kernel of the products, its shape and rate, the blocking (total_bytes with the matrices) and
 * gpu_ns. Returns LAVA_REASON_FORCED, or why there is no plan, as lava_solve_plan. */
lava_kind_plan lava_singular_plan;

#endif
