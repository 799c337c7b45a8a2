/* A few threads that copy blocks of column-major matrices between user memory and staging memory, faster than
 * one core can. None exists before the first use; where none can be created the caller copies alone. All
 * signals are blocked in them. One user at a time (the executor's lock). */
#ifndef LAVA_CPU_COPY_POOL_H
#define LAVA_CPU_COPY_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "dispatch/problem.h"

struct lava_copy_pool;

/* How many threads, the caller included, suit this machine. */
unsigned lava_copy_pool_threads(void);
/* threads counts the caller: 1 creates none. NULL: no memory. */
struct lava_copy_pool *lava_copy_pool_create(unsigned threads);
/* Joins the threads. NULL is allowed. */
void lava_copy_pool_destroy(struct lava_copy_pool *pool);

/* A rows x columns block; leading dimensions in elements; contiguous along rows. */
struct lava_copy {
    const void *source;
    int64_t source_ld;
    void *target;
    int64_t target_ld;
    int64_t rows, columns;
};
/* target <- source */
void lava_copy_pool_copy(struct lava_copy_pool *pool, const struct lava_copy *copy, size_t element_bytes);
/* target <- source + beta target, in fp32, rounded once to the target's type; with beta = 0 target is not
 * read. The source is fp32, or, where beta is 0, of the target's type. */
void lava_copy_pool_merge(struct lava_copy_pool *pool, const struct lava_copy *copy,
                          enum lava_type source_type, enum lava_type target_type, float beta);

#endif
