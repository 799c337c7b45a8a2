/* Level 2 of BLAS, a matrix times a vector: C <- alpha op(A) B + beta C, op(A) C, or the x with op(A) x = C;
 * and LAPACK's solves for few right-hand sides. B and C are vectors, whose `first` is the element with index
 * 0 and whose `ld` is the signed increment. The device reads A once, so it pays if A is there already. Pure
 * functions, called by policy.c. */
#ifndef LAVA_DISPATCH_VECTOR_PLAN_H
#define LAVA_DISPATCH_VECTOR_PLAN_H

#include "dispatch/plan.h"

/* A call of LAPACK's with more right-hand sides than this solves for them by blocks (solve.h). */
#define LAVA_VECTOR_PLAN_SIDES 4

/* Makes of a solve with a triangle on the left, or with factors, that for as many vectors, if it has few
 * right-hand sides: the device then solves for them block by block, all at once. Returns whether it is one.
 */
bool lava_vector_plan_adopt(struct lava_operation *operation);

/* Writes the solves with triangles that a solve for vectors consists of, in order, and returns how many. */
int lava_vector_plan_solves(const struct lava_operation *operation, struct lava_operation solves[2]);

/* What the rows of these kinds have. Bytes and work are those of the part of A that is read. */
lava_kind_count lava_vector_plan_flops, lava_vector_plan_bytes, lava_vector_plan_work;
/* A alone may stay. */
lava_kind_reads lava_vector_plan_reads;
/* Compares the ranges of addresses of C and A. B and C are compared exactly if their increments agree. */
lava_kind_overlaps lava_vector_plan_overlaps;
/* Sets gpu_ns, of a matrix that is there already: in mode auto none goes up for one call. There is no kernel
 * of the table to choose. */
lava_kind_plan lava_vector_plan;

#endif
