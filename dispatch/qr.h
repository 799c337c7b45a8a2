/* Plans QR, ?geqrf, and least squares with it, ?gels, the matrix Q, ?orgqr, and products with it, ?ormqr,
 * from host memory. The matrix stays on the device until all of it is done. If it does not fit, there is no
 * plan. Pure functions, called by policy.c. */
#ifndef LAVA_DISPATCH_QR_H
#define LAVA_DISPATCH_QR_H

#include "dispatch/solve.h"

/* Returns whether the reflections are rows, conjugated, as ?gelqf leaves them: C's, of which Q^H is made, or
 * those of the operand that has them. */
bool lava_qr_is_by_rows(const struct lava_operation *operation);
/* Returns whether it is least squares with a C that has fewer rows than columns; and whether C is computed in
 * a buffer, for that reason, or because Q is made of rows, or of what lies beside C. */
bool lava_qr_is_wide(const struct lava_operation *operation);
bool lava_qr_is_turned(const struct lava_operation *operation);
/* Returns the same least squares with C's adjoint, n x m, in place of a wide C: what op(C) is does not
 * change; or the same Q made of columns in place of rows, and in place. c.first stays that of C, and c.ld is
 * the least: who reads the adjoint says where it is. Every other operation is returned unchanged. */
struct lava_operation lava_qr_tall(const struct lava_operation *operation);

/* Returns how long a chain of sums may be in products of that depth, which apply reflections or make T; 0:
 * any. */
int64_t lava_qr_chain(int64_t depth);

/* These count for QR with what is done to right-hand sides, for making Q, and for a product with Q. */
double lava_qr_flops(const struct lava_operation *operation);
double lava_qr_product_flops(const struct lava_operation *operation);
double lava_qr_product_bytes(const struct lava_operation *operation);

/* Writes the factorization and what becomes of the right-hand sides, of the adjoint if C is wide, as which
 * it is expected to take as long. Returns how many there are. */
int lava_qr_steps(const struct lava_operation *operation, struct lava_operation *steps);

/* Returns whether the device can run the kernels of QR. */
bool lava_qr_fits(const struct lava_capabilities *device, enum lava_type type);
/* Returns the device's time between the upload and the download. */
struct lava_halving;
double lava_qr_device_ns(const struct lava_halving *request, double flops_per_s);
/* Fills in the kernel, its shape and rate, the blocking (total_bytes with the matrices) and gpu_ns. Returns
 * LAVA_REASON_FORCED, or why there is no plan, as lava_solve_plan. */
lava_kind_plan lava_qr_plan;

#endif
