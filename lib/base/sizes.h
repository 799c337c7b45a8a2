/* Classes of sizes, by which the statistics tell calls apart: by the order of a cube with as much work. Class
 * 0 is below 64, class i from 32 * 2^i to twice that, and the last one has no end. Any thread. */
#ifndef LAVA_BASE_SIZES_H
#define LAVA_BASE_SIZES_H

#include <stdint.h>

#define LAVA_SIZES 10

/* Returns the class of this much work (m n k). */
int lava_sizes_class_of(double work);
/* Returns the class of a product of an m x k and a k x n matrix, or of what counts as one. Most are of the
 * first one. */
static inline int lava_sizes_class(int64_t m, int64_t n, int64_t k) {
    double work = (double)m * (double)n * (double)k;
    return work < 64.0 * 64.0 * 64.0 ? 0 : lava_sizes_class_of(work);
}
/* Returns the least order of a class; 0 for class 0. */
int64_t lava_sizes_least_order(int size);

#endif
