/* The host's vectors: gathered from any increment, and scattered. Pure functions on memory of the caller's.
 */
#ifndef LAVA_LEVEL2_VECTOR_HOST_H
#define LAVA_LEVEL2_VECTOR_HOST_H

#include "dispatch/operation.h"

/* A vector of n elements: element i is i times the increment after the first one. */
struct lava_vector {
    enum lava_type type;
    void *first;
    int64_t increment, n;
};

/* target <- the vector, one element after another. The target is only written, in order. */
void lava_vector_host_gather(const struct lava_vector *vector, void *target);

/* The same in another order: element i is the vector's element order[i]. And the other way round: the
 * vector's element order[i] <- element i. */
void lava_vector_host_gather_rows(const struct lava_vector *vector, const int64_t *order, void *target);
void lava_vector_host_scatter_rows(const struct lava_vector *vector, const int64_t *order,
                                   const void *source);

/* The vector <- alpha sums + beta times itself. With beta = 0 it is not read. */
void lava_vector_host_update(const struct lava_vector *vector, struct lava_scalar alpha, const void *sums,
                             struct lava_scalar beta);

#endif
