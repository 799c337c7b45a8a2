/* Products and their reference. Called by the tests of this folder. */
#include "tests/robustness/product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT 0x1p-24

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        abort();
    return memory;
}

static float *random_matrix(size_t elements, unsigned seed) {
    float *values = allocate(elements * sizeof *values);
    for (size_t i = 0; i < elements; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)((double)seed / 2147483648.0 - 1.0);
    }
    return values;
}

static void compute(struct product *product) {
    double factor = 4.0 * sqrt(product->k + 2.0) * UNIT, alpha = (double)product->alpha,
           beta = (double)product->beta;
    size_t row_a = product->transpose_a ? (size_t)product->lda : 1,
           step_a = product->transpose_a ? 1 : (size_t)product->lda;
    size_t column_b = product->transpose_b ? 1 : (size_t)product->ldb,
           step_b = product->transpose_b ? (size_t)product->ldb : 1;
    for (size_t j = 0; j < (size_t)product->n; j++) {
        for (size_t i = 0; i < (size_t)product->m; i++) {
            double sum = 0, size = 0;
            const float *a = product->a + i * row_a, *b = product->b + j * column_b;
            for (int l = 0; l < product->k; l++, a += step_a, b += step_b) {
                double term = (double)*a * (double)*b;
                sum += term;
                size += fabs(term);
            }
            double c = (double)product->c0[i + j * (size_t)product->ldc];
            size_t at = i + j * (size_t)product->m;
            product->expected[at] = alpha * sum + beta * c;
            product->bound[at] = factor * (fabs(alpha) * size + fabs(beta * c));
        }
    }
}

void product_make(struct product *product, unsigned seed) {
    size_t elements = (size_t)product->m * (size_t)product->n;
    product->lda = (product->transpose_a ? product->k : product->m) + 3;
    product->ldb = (product->transpose_b ? product->n : product->k) + 1;
    product->ldc = product->m + 2;
    product->a =
        random_matrix((size_t)product->lda * (size_t)(product->transpose_a ? product->m : product->k), seed);
    product->b = random_matrix(
        (size_t)product->ldb * (size_t)(product->transpose_b ? product->k : product->n), seed + 1);
    product->c0 = random_matrix(product_c_bytes(product) / sizeof(float), seed + 2);
    product->expected = allocate(elements * sizeof(double));
    product->bound = allocate(elements * sizeof(double));
    compute(product);
}

void product_free(struct product *product) {
    free(product->a);
    free(product->b);
    free(product->c0);
    free(product->expected);
    free(product->bound);
    memset(product, 0, sizeof *product);
}

size_t product_c_bytes(const struct product *product) {
    return (size_t)product->ldc * (size_t)product->n * sizeof(float);
}

float *product_new_c(const struct product *product) {
    float *c = allocate(product_c_bytes(product));
    return memcpy(c, product->c0, product_c_bytes(product));
}

bool product_check(const struct product *product, const float *c, const char *what) {
    size_t m = (size_t)product->m, ldc = (size_t)product->ldc;
    for (size_t j = 0; j < (size_t)product->n; j++) {
        for (size_t i = 0; i < m; i++) {
            double error = fabs((double)c[i + j * ldc] - product->expected[i + j * m]);
            if (error <= product->bound[i + j * m]) /* not true of a NaN */
                continue;
            fprintf(stderr, "%s: C(%zu, %zu) is %.9g, expected %.9g\n", what, i, j, (double)c[i + j * ldc],
                    product->expected[i + j * m]);
            return false;
        }
        if (memcmp(c + m + j * ldc, product->c0 + m + j * ldc, (ldc - m) * sizeof *c) == 0)
            continue;
        fprintf(stderr, "%s: the padding of column %zu has changed\n", what, j);
        return false;
    }
    return true;
}
