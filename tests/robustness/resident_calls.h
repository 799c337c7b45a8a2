/* What the tests of matrices that stay have in common: a matrix of the program's, calls with it, and a naive
 * product. Elements are small integers, so that every result is exact. */
#ifndef LAVA_TESTS_ROBUSTNESS_RESIDENT_CALLS_H
#define LAVA_TESTS_ROBUSTNESS_RESIDENT_CALLS_H

#include "lib/engine/residents.h"
#include "lib/offload/context.h"
#include "tests/robustness/cases.h"

#define M     509
#define K     650
#define N     9
#define LD    512
#define BYTES ((size_t)K * LD * sizeof(float))
#define SPACE (BYTES + 3 * 4096)
#define CALLS 4
/* From the beginning of the mapping, in elements. */
#define OFFSET 250

#define CHECK "LAVABLAS_RESIDENT=check", "LAVABLAS_MODE=gpu"
/* By the layer of tests/layer/. */
#define DISCRETE "VK_INSTANCE_LAYERS=VK_LAYER_LAVABLAS_test", "LAVABLAS_TEST_LAYER=memory=discrete"

extern unsigned resident_seed;
extern bool resident_may_fail; /* calls, on the device */

void resident_fill(float *a, size_t count);
/* Returns a matrix of LD x K in a mapping of its own. It begins and ends within pages. */
float *resident_matrix(void);

/* The devices' store; NULL: there is none. What it has counted; the bytes of the copies on the first device.
 */
struct lava_residents *resident_store(void);
struct lava_residents_sums resident_sums(void);
uint64_t resident_bytes(void);

/* op(A) of rows x columns times op(B) with n columns. */
struct resident_shape {
    bool transpose;
    int rows, columns, lda, n;
};
extern const struct resident_shape resident_whole;

/* The library's product, and whether it is right. */
void resident_multiply(const struct resident_shape *shape, const float *a, const float *b, int ldb, float *c);
bool resident_is_right(const struct resident_shape *shape, const float *a, const float *b, int ldb,
                       const float *c);
/* Both, n times, with others B each time. Fails the case if C is wrong, or was not computed on the device. */
void resident_calls(const struct resident_shape *shape, const float *a, int count);

#endif
