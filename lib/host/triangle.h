/* One triangle of a square product, by products with all of C written. Any thread. */
#ifndef LAVA_HOST_TRIANGLE_H
#define LAVA_HOST_TRIANGLE_H

#include "lib/host/cpu_blas.h"

/* A triangle of n > 1 columns is two of about half as many, and the rectangle between them. */
struct lava_problem lava_triangle_rectangle(const struct lava_problem *triangle);
void lava_triangle_halves(const struct lava_problem *triangle, struct lava_problem halves[2]);

/* Computes the triangle by the CPU BLAS's ?gemm. No half precision. */
void lava_triangle_run(const struct lava_cpu_blas *blas, const struct lava_problem *triangle);

#endif
