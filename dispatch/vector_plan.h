/* Level 2 of BLAS, a matrix times a vector: C <- alpha op(A) B + beta C, op(A) C, or the x with op(A) x = C.
 * B and C are vectors, whose `first` is the element with index 0 and whose `ld` is the signed increment. The
 * device reads A once, so it pays if A is there already. Pure functions, called by policy.c. */
#ifndef LAVA_DISPATCH_VECTOR_PLAN_H
#define LAVA_DISPATCH_VECTOR_PLAN_H

#include "dispatch/plan.h"

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
