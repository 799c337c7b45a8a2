/* A matrix by a vector, or a triangle's inverse by one, in plain C. Used if the CPU BLAS has no routine of
 * the name. Any thread. */
#ifndef LAVA_HOST_CPU_VECTOR_H
#define LAVA_HOST_CPU_VECTOR_H

#include "dispatch/operation.h"

/* operation must be valid and of a matrix and vectors. With beta = 0 y is not read; with alpha = 0 neither A
 * nor x is. Of a structured A only the stored triangle is read, and no imaginary part on a Hermitian
 * diagonal. */
void lava_cpu_vector_run(const struct lava_operation *operation);

#endif
