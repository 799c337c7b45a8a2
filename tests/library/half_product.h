/* A half-precision product with random data and its result. It is created for a shape, computed by the code
 * under test, and then checked. Operands have gaps after their columns and guards around them. What must not
 * be read is NaN.
 *
 * Let R be the exact result and G = |alpha| |op(A)| |op(B)| + |beta| |C0|. C may differ by 2 (k + 2) 2^-24 G,
 * for any order of summation in fp32. If C has 16 bits, its rounding is added: u |R| and half the smallest
 * number. */
#ifndef LAVA_TESTS_HALF_PRODUCT_H
#define LAVA_TESTS_HALF_PRODUCT_H

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/convert.h"

struct half_product {
    struct lava_operation operation;
    uint16_t *a, *b;
    void *c;
    void *c0; /* C before the product */
    size_t elements[3];
};

static _Atomic uint64_t half_product_state;

static inline void half_product_seed(uint64_t seed) {
    const char *given = getenv("LAVABLAS_TEST_SEED");
    half_product_state = given ? strtoull(given, NULL, 0) : seed;
    printf("# LAVABLAS_TEST_SEED=%llu\n", (unsigned long long)half_product_state);
}

/* Uniform in [-1, 1). */
static inline double half_product_random(void) {
    uint64_t x = atomic_fetch_add(&half_product_state, 0x9e3779b97f4a7c15u);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)(int64_t)(x ^ x >> 31) * 0x1p-63;
}

static inline double half_product_element(enum lava_type type, const void *matrix, size_t index) {
    float value;
    if (type == LAVA_TYPE_FP32)
        return (double)((const float *)matrix)[index];
    lava_convert_to_fp32_portable(type, (const uint16_t *)matrix + index, &value, 1);
    return (double)value;
}

static inline void half_product_set(enum lava_type type, void *matrix, size_t index, float value) {
    if (type == LAVA_TYPE_FP32)
        ((float *)matrix)[index] = value;
    else
        lava_convert_from_fp32_portable(type, &value, (uint16_t *)matrix + index, 1);
}

/* Elements before and after each matrix. */
#define HALF_PRODUCT_GUARD 64

static inline void *half_product_matrix(enum lava_type type, int64_t rows, int64_t columns, int64_t ld,
                                        bool unread, size_t *elements) {
    *elements = (size_t)(ld * columns) + 2 * HALF_PRODUCT_GUARD;
    void *matrix = malloc(*elements * lava_type_bytes(type));
    if (!matrix)
        abort();
    for (size_t i = 0; i < *elements; i++)
        half_product_set(type, matrix, i, NAN);
    for (int64_t j = 0; j < columns && !unread; j++)
        for (int64_t i = 0; i < rows; i++)
            half_product_set(type, matrix, HALF_PRODUCT_GUARD + (size_t)(i + j * ld),
                             (float)half_product_random());
    return matrix;
}

static inline void *half_product_start(enum lava_type type, void *matrix) {
    return (char *)matrix + HALF_PRODUCT_GUARD * lava_type_bytes(type);
}

/* The shape gives types, operations, sizes and factors. Leading dimensions and matrices are filled in. */
static inline void half_product_create(struct half_product *product, const struct lava_operation *shape) {
    struct lava_operation *p = &product->operation;
    bool unread = lava_operation_is_trivial(shape);
    *p = *shape;
    int64_t columns_a = p->a.op == LAVA_OP_N ? p->k : p->m, columns_b = p->b.op == LAVA_OP_N ? p->n : p->k;
    p->a.ld = lava_operation_rows_a(p) + 3;
    p->b.ld = lava_operation_rows_b(p) + 1;
    p->c.ld = p->m + 5;
    product->a = half_product_matrix(p->type, p->a.ld - 3, columns_a, p->a.ld, unread, &product->elements[0]);
    product->b = half_product_matrix(p->type, p->b.ld - 1, columns_b, p->b.ld, unread, &product->elements[1]);
    product->c =
        half_product_matrix(p->c.type, p->m, p->n, p->c.ld, p->beta.real == 0, &product->elements[2]);
    size_t c_bytes = product->elements[2] * lava_type_bytes(p->c.type);
    product->c0 = malloc(c_bytes);
    if (!product->c0)
        abort();
    memcpy(product->c0, product->c, c_bytes);
    p->a.first = half_product_start(p->type, product->a);
    p->b.first = half_product_start(p->type, product->b);
    p->c.first = half_product_start(p->c.type, product->c);
}

static inline void half_product_destroy(struct half_product *product) {
    free(product->a);
    free(product->b);
    free(product->c);
    free(product->c0);
}

/* The rows of op(A) or the columns of op(B) as doubles, consecutive, k numbers each. */
static inline double *half_product_terms(const struct lava_operation *p, bool of_b) {
    const void *matrix = of_b ? p->b.first : p->a.first;
    int64_t lines = of_b ? p->n : p->m, ld = of_b ? p->b.ld : p->a.ld;
    bool contiguous = of_b == ((of_b ? p->b.op : p->a.op) == LAVA_OP_N);
    double *terms = malloc((size_t)(lines * p->k + 1) * sizeof *terms);
    if (!terms)
        abort();
    for (int64_t line = 0; line < lines; line++)
        for (int64_t l = 0; l < p->k; l++)
            terms[line * p->k + l] =
                half_product_element(p->type, matrix, (size_t)(contiguous ? l + line * ld : line + l * ld));
    return terms;
}

/* Checks the element of C at `index` in its memory, from a row of op(A) and a column of op(B). */
static inline bool half_product_is_right(const struct half_product *product, size_t index, const double *row,
                                         const double *column) {
    const struct lava_operation *p = &product->operation;
    double sum = 0, magnitude = 0, before = 0;
    for (int64_t l = 0; l < p->k && p->alpha.real != 0; l++) {
        sum += row[l] * column[l];
        magnitude += fabs(row[l] * column[l]);
    }
    if (p->beta.real != 0)
        before = p->beta.real * half_product_element(p->c.type, product->c0, index);
    double r = p->alpha.real * sum + before, g = fabs(p->alpha.real) * magnitude + fabs(before);
    double unit = p->c.type == LAVA_TYPE_FP16 ? 0x1p-11 : p->c.type == LAVA_TYPE_BF16 ? 0x1p-8 : 0;
    double in_fp32 = 2 * ((double)p->k + 2) * 0x1p-24 * g;
    double bound = in_fp32 + unit * (fabs(r) + in_fp32) + (p->c.type == LAVA_TYPE_FP16 ? 0x1p-25 : 0);
    double is = half_product_element(p->c.type, product->c, index);
    if (!(fabs(is - r) <= bound)) /* also true of a NaN */
        printf("element %zu: %g instead of %g, %g off, bound %g\n", index, is, r, fabs(is - r), bound);
    return fabs(is - r) <= bound;
}

/* The number of wrong elements of C, its gaps and its guards; stops counting at 5. */
static inline int half_product_errors(const struct half_product *product) {
    const struct lava_operation *p = &product->operation;
    double *rows = half_product_terms(p, false), *columns = half_product_terms(p, true);
    size_t bytes = lava_type_bytes(p->c.type);
    int errors = 0;
    for (size_t index = 0; index < product->elements[2] && errors < 5; index++) {
        int64_t offset = (int64_t)index - HALF_PRODUCT_GUARD, i = offset % p->c.ld, j = offset / p->c.ld;
        if (offset >= 0 && i < p->m && j < p->n) {
            errors += !half_product_is_right(product, index, rows + i * p->k, columns + j * p->k);
        } else if (memcmp((char *)product->c + index * bytes, (char *)product->c0 + index * bytes, bytes) !=
                   0) {
            printf("element %zu, outside C, was written\n", index);
            errors++;
        }
    }
    free(rows);
    free(columns);
    return errors;
}

static inline void half_product_check(const struct half_product *product) {
    const struct lava_operation *p = &product->operation;
    if (half_product_errors(product) == 0)
        return;
    printf("%s to %s, %d%d, m %lld n %lld k %lld, alpha %g, beta %g\n", lava_type_name(p->type),
           lava_type_name(p->c.type), (int)p->a.op, (int)p->b.op, (long long)p->m, (long long)p->n,
           (long long)p->k, p->alpha.real, p->beta.real);
    fflush(stdout);
    abort();
}

#endif
