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

/* What is known of a half: bits of its fraction, and its exponent's bias. */
static const struct {
    unsigned fraction_bits;
    int bias;
} formats[LAVA_TYPE_COUNT] = {[LAVA_TYPE_FP16] = {10, 15}, [LAVA_TYPE_BF16] = {7, 127}};

static float half_value(enum lava_type type, unsigned bits) {
    unsigned fraction_bits = formats[type].fraction_bits, fraction = bits & ((1u << fraction_bits) - 1);
    int exponent = (int)((bits & 0x7fff) >> fraction_bits), bias = formats[type].bias;
    float sign = bits & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 2 * bias + 1)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexpf((float)fraction, 1 - bias - (int)fraction_bits);
    return sign * ldexpf((float)(fraction | 1u << fraction_bits), exponent - bias - (int)fraction_bits);
}

/* From 1/8 to 2, of both signs, any fraction. */
static unsigned random_half(enum lava_type type, unsigned seed) {
    unsigned fraction_bits = formats[type].fraction_bits;
    unsigned exponent = (unsigned)formats[type].bias - (seed >> 16) % 4;
    return (seed >> 31) << 15 | exponent << fraction_bits | (seed >> 18 & ((1u << fraction_bits) - 1));
}

/* Numbers of the type, in fp32; *stored is the same in half precision. */
static float *random_matrix(enum lava_type type, size_t elements, unsigned seed, uint16_t **stored) {
    float *values = allocate(elements * sizeof *values);
    *stored = type == LAVA_TYPE_FP32 ? NULL : allocate(elements * sizeof **stored);
    for (size_t i = 0; i < elements; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = (float)((double)seed / 2147483648.0 - 1.0);
        if (*stored) {
            (*stored)[i] = (uint16_t)random_half(type, seed);
            values[i] = half_value(type, (*stored)[i]);
        }
    }
    return values;
}

static double bound_of(const struct product *product, double expected, double size) {
    static const double roundings[LAVA_TYPE_COUNT] = {0, 0x1p-11, 0x1p-8};
    static const double least[LAVA_TYPE_COUNT] = {0, 0x1p-25, 0}; /* between subnormal numbers */
    double terms = 4.0 * sqrt(product->k + 2.0) + (product->type == LAVA_TYPE_FP32 ? 0 : 2.0 * product->k);
    return terms * UNIT * size + roundings[product->type_c] * fabs(expected) + least[product->type_c];
}

static void compute(struct product *product) {
    double alpha = (double)product->alpha, beta = (double)product->beta;
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
            product->bound[at] =
                bound_of(product, product->expected[at], fabs(alpha) * size + fabs(beta * c));
        }
    }
}

void product_make(struct product *product, unsigned seed) {
    size_t elements = (size_t)product->m * (size_t)product->n;
    product->lda = (product->transpose_a ? product->k : product->m) + 3;
    product->ldb = (product->transpose_b ? product->n : product->k) + 1;
    product->ldc = product->m + 2;
    size_t columns_a = (size_t)(product->transpose_a ? product->m : product->k);
    size_t columns_b = (size_t)(product->transpose_b ? product->k : product->n);
    product->a = random_matrix(product->type, (size_t)product->lda * columns_a, seed, &product->stored[0]);
    product->b =
        random_matrix(product->type, (size_t)product->ldb * columns_b, seed + 1, &product->stored[1]);
    product->c0 = random_matrix(product->type_c, (size_t)product->ldc * (size_t)product->n, seed + 2,
                                &product->stored[2]);
    product->expected = allocate(elements * sizeof(double));
    product->bound = allocate(elements * sizeof(double));
    compute(product);
}

void product_free(struct product *product) {
    free(product->a);
    free(product->b);
    free(product->c0);
    for (int i = 0; i < 3; i++)
        free(product->stored[i]);
    free(product->expected);
    free(product->bound);
    memset(product, 0, sizeof *product);
}

struct lava_problem product_problem(const struct product *product, void *c) {
    bool half = product->type != LAVA_TYPE_FP32;
    return (struct lava_problem){.type = product->type,
                                 .type_c = product->type_c,
                                 .op_a = product->transpose_a ? LAVA_OP_T : LAVA_OP_N,
                                 .op_b = product->transpose_b ? LAVA_OP_T : LAVA_OP_N,
                                 .m = product->m,
                                 .n = product->n,
                                 .k = product->k,
                                 .lda = product->lda,
                                 .ldb = product->ldb,
                                 .ldc = product->ldc,
                                 .alpha = (double)product->alpha,
                                 .beta = (double)product->beta,
                                 .a = half ? (const void *)product->stored[0] : product->a,
                                 .b = half ? (const void *)product->stored[1] : product->b,
                                 .c = c};
}

static size_t element_bytes(const struct product *product) {
    return product->type_c == LAVA_TYPE_FP32 ? sizeof(float) : sizeof(uint16_t);
}

static const void *stored_c0(const struct product *product) {
    return product->stored[2] ? (const void *)product->stored[2] : product->c0;
}

size_t product_c_bytes(const struct product *product) {
    return (size_t)product->ldc * (size_t)product->n * element_bytes(product);
}

void *product_new_c(const struct product *product) {
    void *c = allocate(product_c_bytes(product));
    return memcpy(c, stored_c0(product), product_c_bytes(product));
}

static double element(const struct product *product, const void *c, size_t index) {
    return product->type_c == LAVA_TYPE_FP32
               ? (double)((const float *)c)[index]
               : (double)half_value(product->type_c, ((const uint16_t *)c)[index]);
}

bool product_check(const struct product *product, const void *c, const char *what) {
    size_t m = (size_t)product->m, ldc = (size_t)product->ldc, bytes = element_bytes(product);
    for (size_t j = 0; j < (size_t)product->n; j++) {
        for (size_t i = 0; i < m; i++) {
            double got = element(product, c, i + j * ldc);
            double error = fabs(got - product->expected[i + j * m]);
            if (error <= product->bound[i + j * m]) /* not true of a NaN */
                continue;
            fprintf(stderr, "%s: C(%zu, %zu) is %.9g, expected %.9g\n", what, i, j, got,
                    product->expected[i + j * m]);
            return false;
        }
        if (memcmp((const char *)c + (m + j * ldc) * bytes,
                   (const char *)stored_c0(product) + (m + j * ldc) * bytes, (ldc - m) * bytes) == 0)
            continue;
        fprintf(stderr, "%s: the padding of column %zu has changed\n", what, j);
        return false;
    }
    return true;
}
