/* Computes one triangle of a square product from products that write all of their C. Any thread. */
#ifndef LAVA_HOST_CPU_TRIANGLE_H
#define LAVA_HOST_CPU_TRIANGLE_H

#include "dispatch/operation.h"

struct lava_cpu_blas;

/* A triangle of n > 1 columns consists of two triangles of about half as many columns and the rectangle
 * between them. The returned operations point into the caller's matrices. */
struct lava_operation lava_cpu_triangle_rectangle(const struct lava_operation *triangle);
void lava_cpu_triangle_halves(const struct lava_operation *triangle, struct lava_operation halves[2]);

/* Computes a product that writes all of its C, with the CPU BLAS's ?gemm. */
typedef void lava_cpu_triangle_product(const struct lava_cpu_blas *blas,
                                       const struct lava_operation *product);
/* Computes the triangle by such products. Half precision is not supported. It cannot fail. */
void lava_cpu_triangle_run(const struct lava_cpu_blas *blas, lava_cpu_triangle_product *run_product,
                           const struct lava_operation *triangle);

#endif
