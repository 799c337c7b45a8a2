/* Loops over vectors. Called by lib/level2/vector.c. They are written for each type, as they are on the path
 * of a call that takes 0.1 ms. */
#include "lib/level2/vector_host.h"

#include <string.h>

/* The loops of a real type, whose elements may be the parts of a complex one. */
#define LOOPS(TYPE, NAME)                                                                                    \
    static void gather_##NAME(const struct lava_vector *vector, TYPE *target, bool is_complex) {             \
        int64_t each = is_complex ? 2 : 1, step = vector->increment * each;                                  \
        const TYPE *first = vector->first;                                                                   \
        for (int64_t i = 0; i < vector->n; i++)                                                              \
            for (int64_t part = 0; part < each; part++)                                                      \
                target[i * each + part] = first[i * step + part];                                            \
    }                                                                                                        \
    static void gather_rows_##NAME(const struct lava_vector *vector, const int64_t *order, TYPE *target,     \
                                   int64_t each) {                                                           \
        const TYPE *first = vector->first;                                                                   \
        for (int64_t i = 0; i < vector->n * each; i++)                                                       \
            target[i] = first[order[i / each] * vector->increment * each + i % each];                        \
    }                                                                                                        \
    static void scatter_rows_##NAME(const struct lava_vector *vector, const int64_t *order,                  \
                                    const TYPE *source, int64_t each) {                                      \
        TYPE *first = vector->first;                                                                         \
        for (int64_t i = 0; i < vector->n * each; i++)                                                       \
            first[order[i / each] * vector->increment * each + i % each] = source[i];                        \
    }                                                                                                        \
    static void update_##NAME(const struct lava_vector *vector, TYPE alpha, const TYPE *sums, TYPE beta) {   \
        int64_t step = vector->increment;                                                                    \
        TYPE *first = vector->first;                                                                         \
        for (int64_t i = 0; i < vector->n && beta == 0; i++)                                                 \
            first[i * step] = alpha * sums[i];                                                               \
        for (int64_t i = 0; i < vector->n && beta != 0; i++)                                                 \
            first[i * step] = alpha * sums[i] + beta * first[i * step];                                      \
    }                                                                                                        \
    /* A scalar without an imaginary part multiplies the parts alone, so that Inf does not become NaN. */    \
    static void add_##NAME(TYPE real, TYPE imaginary, TYPE x, TYPE y, TYPE sum[2]) {                         \
        sum[0] += imaginary == 0 ? real * x : real * x - imaginary * y;                                      \
        sum[1] += imaginary == 0 ? real * y : real * y + imaginary * x;                                      \
    }                                                                                                        \
    static void update_complex_##NAME(const struct lava_vector *vector, const TYPE alpha[2],                 \
                                      const TYPE *sums, const TYPE beta[2]) {                                \
        bool reads = beta[0] != 0 || beta[1] != 0;                                                           \
        for (int64_t i = 0; i < vector->n; i++) {                                                            \
            TYPE *element = (TYPE *)vector->first + 2 * i * vector->increment, sum[2] = {0, 0};              \
            add_##NAME(alpha[0], alpha[1], sums[2 * i], sums[2 * i + 1], sum);                               \
            if (reads)                                                                                       \
                add_##NAME(beta[0], beta[1], element[0], element[1], sum);                                   \
            element[0] = sum[0];                                                                             \
            element[1] = sum[1];                                                                             \
        }                                                                                                    \
    }

LOOPS(float, fp32)
LOOPS(double, fp64)

void lava_vector_host_gather(const struct lava_vector *vector, void *target) {
    bool is_complex = lava_type_is_complex(vector->type);
    if (vector->increment == 1)
        memcpy(target, vector->first, (size_t)vector->n * lava_type_bytes(vector->type));
    else if (lava_type_real(vector->type) == LAVA_TYPE_FP64)
        gather_fp64(vector, target, is_complex);
    else
        gather_fp32(vector, target, is_complex);
}

void lava_vector_host_gather_rows(const struct lava_vector *vector, const int64_t *order, void *target) {
    int64_t each = lava_type_is_complex(vector->type) ? 2 : 1;
    if (lava_type_real(vector->type) == LAVA_TYPE_FP64)
        gather_rows_fp64(vector, order, target, each);
    else
        gather_rows_fp32(vector, order, target, each);
}

void lava_vector_host_scatter_rows(const struct lava_vector *vector, const int64_t *order,
                                   const void *source) {
    int64_t each = lava_type_is_complex(vector->type) ? 2 : 1;
    if (lava_type_real(vector->type) == LAVA_TYPE_FP64)
        scatter_rows_fp64(vector, order, source, each);
    else
        scatter_rows_fp32(vector, order, source, each);
}

void lava_vector_host_update(const struct lava_vector *vector, struct lava_scalar alpha, const void *sums,
                             struct lava_scalar beta) {
    const double alpha_fp64[] = {alpha.real, alpha.imaginary}, beta_fp64[] = {beta.real, beta.imaginary};
    const float alpha_fp32[] = {(float)alpha.real, (float)alpha.imaginary},
                beta_fp32[] = {(float)beta.real, (float)beta.imaginary};
    switch (vector->type) {
    case LAVA_TYPE_FP32:
        update_fp32(vector, alpha_fp32[0], sums, beta_fp32[0]);
        break;
    case LAVA_TYPE_FP64:
        update_fp64(vector, alpha_fp64[0], sums, beta_fp64[0]);
        break;
    case LAVA_TYPE_CFP32:
        update_complex_fp32(vector, alpha_fp32, sums, beta_fp32);
        break;
    default:
        update_complex_fp64(vector, alpha_fp64, sums, beta_fp64);
    }
}
