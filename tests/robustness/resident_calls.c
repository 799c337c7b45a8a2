/* Calls with matrices that may stay. Called by test_residents.c and test_resident_store.c. */
#include "tests/robustness/resident_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

extern void sgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                   const float *beta, float *c, const int *ldc);

unsigned resident_seed = 1;

void resident_fill(float *a, size_t count) {
    for (size_t i = 0; i < count; i++)
        a[i] = (float)(rand_r(&resident_seed) % 7 - 3);
}

static float *map(void) {
    void *space = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return space == MAP_FAILED ? NULL : space;
}

float *resident_matrix(void) {
    float *space = map(), *a = space ? space + OFFSET : NULL;
    if (CASE_CHECK(a != NULL))
        resident_fill(a, (size_t)K * LD);
    return a;
}

struct lava_residents *resident_store(void) {
    struct lava_engine *engine = lava_context_engine();
    return engine ? engine->device->shared->residents : NULL;
}

struct lava_residents_sums resident_sums(void) {
    struct lava_residents *residents = resident_store();
    return residents ? lava_residents_sums(residents) : (struct lava_residents_sums){0};
}

uint64_t resident_bytes(void) {
    return lava_residents_bytes(resident_store(), lava_context_engine()->device);
}

bool resident_is_right(const struct resident_shape *shape, const float *a, const float *b, int ldb,
                       const float *c) {
    int depth = shape->transpose ? shape->columns : shape->rows;
    int m = depth, k = shape->transpose ? shape->rows : shape->columns;
    for (int j = 0; j < shape->n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (double)(shape->transpose ? a[(size_t)i * (size_t)shape->lda + (size_t)l]
                                                 : a[(size_t)l * (size_t)shape->lda + (size_t)i]) *
                       (double)b[(size_t)j * (size_t)ldb + (size_t)l];
            if ((double)c[(size_t)j * (size_t)m + (size_t)i] != sum) {
                fprintf(stderr, "C(%d, %d) is %g, not %g\n", i, j,
                        (double)c[(size_t)j * (size_t)m + (size_t)i], sum);
                return false;
            }
        }
    return true;
}

void resident_multiply(const struct resident_shape *shape, const float *a, const float *b, int ldb,
                       float *c) {
    const float one = 1, zero = 0;
    int m = shape->transpose ? shape->columns : shape->rows,
        k = shape->transpose ? shape->rows : shape->columns;
    sgemm_(shape->transpose ? "T" : "N", "N", &m, &shape->n, &k, &one, a, &shape->lda, b, &ldb, &zero, c, &m);
}

bool resident_may_fail;

static bool call(const struct resident_shape *shape, const float *a) {
    int k = shape->transpose ? shape->rows : shape->columns,
        m = shape->transpose ? shape->columns : shape->rows;
    float *b = malloc(sizeof(float) * (size_t)k * (size_t)shape->n),
          *c = malloc(sizeof(float) * (size_t)m * (size_t)shape->n);
    bool is_good = b && c;
    if (is_good) {
        resident_fill(b, (size_t)k * (size_t)shape->n);
        resident_multiply(shape, a, b, k, c);
        is_good =
            resident_is_right(shape, a, b, k, c) && (resident_may_fail || !strcmp(case_place(NULL), "gpu"));
    }
    free(b);
    free(c);
    return CASE_CHECK(is_good);
}

const struct resident_shape resident_whole = {.rows = M, .columns = K, .lda = LD, .n = N};

void resident_calls(const struct resident_shape *shape, const float *a, int count) {
    for (int i = 0; i < count; i++)
        call(shape, a);
}
