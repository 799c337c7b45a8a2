/* Products and their reference. Called by the tests of this folder. */
#include "tests/robustness/product.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        abort();
    return memory;
}

/* For each type: the type and number of an element's parts, and its bytes. Independent of the library,
 * because its internals may not be linked. */
static const struct {
    enum lava_type real;
    int parts;
    size_t bytes;
} types[LAVA_TYPE_COUNT] = {
    [LAVA_TYPE_FP32] = {LAVA_TYPE_FP32, 1, 4},  [LAVA_TYPE_FP16] = {LAVA_TYPE_FP16, 1, 2},
    [LAVA_TYPE_BF16] = {LAVA_TYPE_BF16, 1, 2},  [LAVA_TYPE_FP64] = {LAVA_TYPE_FP64, 1, 8},
    [LAVA_TYPE_CFP32] = {LAVA_TYPE_FP32, 2, 8}, [LAVA_TYPE_CFP64] = {LAVA_TYPE_FP64, 2, 16},
};

/* The format of a half type: fraction bits and exponent bias. */
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

/* A number from 1/8 to 2, of either sign, with any fraction. */
static unsigned random_half(enum lava_type type, unsigned seed) {
    unsigned fraction_bits = formats[type].fraction_bits;
    unsigned exponent = (unsigned)formats[type].bias - (seed >> 16) % 4;
    return (seed >> 31) << 15 | exponent << fraction_bits | (seed >> 18 & ((1u << fraction_bits) - 1));
}

static unsigned next_random(unsigned *seed) {
    return *seed = *seed * 1664525u + 1013904223u;
}

/* In (-1, 1). */
static double random_fraction(unsigned *seed) {
    return (double)next_random(seed) / 2147483648.0 - 1.0;
}

/* Numbers of the type. */
static void *random_matrix(enum lava_type type, size_t elements, unsigned seed) {
    void *matrix = allocate(elements * types[type].bytes);
    enum lava_type real = types[type].real;
    for (size_t i = 0; i < elements * (size_t)types[type].parts; i++) {
        if (real == LAVA_TYPE_FP32)
            ((float *)matrix)[i] = (float)random_fraction(&seed);
        else if (real == LAVA_TYPE_FP64)
            ((double *)matrix)[i] = random_fraction(&seed) + 0x1p-31 * random_fraction(&seed);
        else
            ((uint16_t *)matrix)[i] = (uint16_t)random_half(type, next_random(&seed));
    }
    return matrix;
}

/* Part of an element. */
static double number(enum lava_type type, const void *matrix, size_t index, int part) {
    index = index * (size_t)types[type].parts + (size_t)part;
    switch (types[type].real) {
    case LAVA_TYPE_FP32:
        return (double)((const float *)matrix)[index];
    case LAVA_TYPE_FP64:
        return ((const double *)matrix)[index];
    default:
        return (double)half_value(type, ((const uint16_t *)matrix)[index]);
    }
}

static const void *stored_a(const struct product *product) {
    return product->stored[0] ? product->stored[0] : product->a;
}

static const void *stored_b(const struct product *product) {
    if (product->b_is_a)
        return stored_a(product);
    return product->stored[1] ? product->stored[1] : product->b;
}

static const void *stored_c0(const struct product *product) {
    return product->stored[2] ? product->stored[2] : product->c0;
}

/* An element of C by parts: its value, and its magnitude computed from |A|, |B| and |C0|. */
struct entry {
    long double sums[2];
    double sizes[2];
};

static double bound_of(const struct product *product, double expected, double size) {
    static const double roundings[LAVA_TYPE_COUNT] = {[LAVA_TYPE_FP16] = 0x1p-11, [LAVA_TYPE_BF16] = 0x1p-8};
    /* half the spacing of subnormal numbers */
    static const double least[LAVA_TYPE_COUNT] = {[LAVA_TYPE_FP16] = 0x1p-25};
    double unit = types[product->type].real == LAVA_TYPE_FP64 ? 0x1p-53 : 0x1p-24;
    double k = (double)product->k * types[product->type].parts;
    double terms = 4.0 * sqrt(k + 2.0) + (types[product->type].bytes == 2 ? 2.0 * k : 0);
    return terms * unit * size + roundings[product->type_c] * fabs(expected) + least[product->type_c];
}

static void add_products(const double *a, const double *b, int k, bool wide, double sign, long double *sum,
                         double *size) {
    long double long_sum = 0;
    double short_sum = 0, sizes = 0;
    for (int l = 0; l < k; l++) {
        double term = a[l] * b[l];
        sizes += fabs(term);
        if (wide)
            long_sum += (long double)a[l] * (long double)b[l];
        else
            short_sum += term;
    }
    *sum += sign * (long_sum + (long double)short_sum);
    *size += sizes;
}

/* entry <- scalar * entry. */
static void scale(struct entry *entry, double real, double imaginary) {
    const struct entry x = *entry;
    for (int part = 0; part < 2; part++) {
        entry->sums[part] = real * x.sums[part] + (part ? imaginary : -imaginary) * x.sums[1 - part];
        entry->sizes[part] = fabs(real) * x.sizes[part] + fabs(imaginary) * x.sizes[1 - part];
    }
}

/* Computes an element from a row of op(A) and a column of op(B), each part k long. */
static struct entry entry_of(const struct product *product, const double *a, const double *b) {
    int k = product->k;
    bool wide = types[product->type].real == LAVA_TYPE_FP64;
    struct entry entry = {{0}, {0}};
    add_products(a, b, k, wide, 1, &entry.sums[0], &entry.sizes[0]);
    if (types[product->type].parts > 1) {
        add_products(a + k, b + k, k, wide, -1, &entry.sums[0], &entry.sizes[0]);
        add_products(a, b + k, k, wide, 1, &entry.sums[1], &entry.sizes[1]);
        add_products(a + k, b, k, wide, 1, &entry.sums[1], &entry.sizes[1]);
    }
    scale(&entry, product->alpha, product->alpha_imaginary);
    return entry;
}

/* Fetches k elements, `step` apart beginning with `first`, part by part. */
static void fetch(enum lava_type type, const void *matrix, size_t first, size_t step, int k, bool conjugate,
                  double *values) {
    for (int part = 0; part < types[type].parts; part++)
        for (int l = 0; l < k; l++) {
            double value = number(type, matrix, first + (size_t)l * step, part);
            values[(size_t)part * (size_t)k + (size_t)l] = part && conjugate ? -value : value;
        }
}

static bool in_region(const struct product *product, size_t i, size_t j) {
    return product->region == LAVA_REGION_ALL || (product->region == LAVA_REGION_LOWER ? i >= j : i <= j);
}

static bool is_real(const struct product *product, size_t i, size_t j, size_t part) {
    return product->real_diagonal && i == j && part > 0;
}

/* NaN if nobody may read. */
static void poison(struct product *product) {
    size_t bytes = types[product->type_c].bytes, half = bytes / 2;
    char *c0 = product->stored[2] ? product->stored[2] : (char *)product->c0;
    for (size_t j = 0; j < (size_t)product->n; j++)
        for (size_t i = 0; i < (size_t)product->m; i++) {
            char *element = c0 + (i + j * (size_t)product->ldc) * bytes;
            if (!in_region(product, i, j))
                memset(element, 0xff, bytes);
            else if (is_real(product, i, j, 1))
                memset(element + half, 0xff, half);
        }
}

static void keep_entry(struct product *product, size_t i, size_t j, struct entry entry) {
    size_t elements = (size_t)product->m * (size_t)product->n;
    struct entry c = {{0}, {0}};
    for (int part = 0; part < types[product->type_c].parts; part++) {
        if (!is_real(product, i, j, (size_t)part))
            c.sums[part] = number(product->type_c, stored_c0(product), i + j * (size_t)product->ldc, part);
        c.sizes[part] = (double)fabsl(c.sums[part]);
    }
    scale(&c, product->beta, product->beta_imaginary);
    for (int part = 0; part < types[product->type_c].parts; part++) {
        size_t at = (size_t)part * elements + i + j * (size_t)product->m;
        bool real = is_real(product, i, j, (size_t)part);
        product->expected[at] = real ? 0 : (double)(entry.sums[part] + c.sums[part]);
        product->bound[at] = bound_of(product, product->expected[at], entry.sizes[part] + c.sizes[part]);
    }
}

static void compute(struct product *product) {
    size_t lda = (size_t)product->lda, ldb = (size_t)product->ldb;
    size_t row_a = product->transpose_a ? lda : 1, step_a = product->transpose_a ? 1 : lda;
    size_t column_b = product->transpose_b ? 1 : ldb, step_b = product->transpose_b ? ldb : 1;
    size_t m = (size_t)product->m, run = (size_t)product->k * (size_t)types[product->type].parts;
    double *a = allocate(m * run * sizeof(double)), *b = allocate(run * sizeof(double));
    for (size_t i = 0; i < m; i++)
        fetch(product->type, stored_a(product), i * row_a, step_a, product->k, product->conjugate_a,
              a + i * run);
    for (size_t j = 0; j < (size_t)product->n; j++) {
        fetch(product->type, stored_b(product), j * column_b, step_b, product->k, product->conjugate_b, b);
        for (size_t i = 0; i < m; i++)
            keep_entry(product, i, j, entry_of(product, a + i * run, b));
    }
    free(a);
    free(b);
}

/* Stores the matrix in one of the two pointers, by type. */
static void keep_matrix(enum lava_type type, void *matrix, float **numbers, void **stored) {
    *numbers = type == LAVA_TYPE_FP32 ? matrix : NULL;
    *stored = type == LAVA_TYPE_FP32 ? NULL : matrix;
}

void product_make(struct product *product, unsigned seed) {
    size_t elements = (size_t)product->m * (size_t)product->n * (size_t)types[product->type_c].parts;
    product->lda = (product->transpose_a ? product->k : product->m) + 3;
    product->ldb = product->b_is_a ? product->lda : (product->transpose_b ? product->n : product->k) + 1;
    if (product->by_words) {
        product->lda = (product->lda + 7) / 8 * 8;
        product->ldb = (product->ldb + 7) / 8 * 8;
    }
    product->ldc = product->m + 2;
    size_t columns_a = (size_t)(product->transpose_a ? product->m : product->k);
    size_t columns_b = (size_t)(product->transpose_b ? product->k : product->n);
    keep_matrix(product->type, random_matrix(product->type, (size_t)product->lda * columns_a, seed),
                &product->a, &product->stored[0]);
    if (!product->b_is_a)
        keep_matrix(product->type, random_matrix(product->type, (size_t)product->ldb * columns_b, seed + 1),
                    &product->b, &product->stored[1]);
    keep_matrix(product->type_c,
                random_matrix(product->type_c, (size_t)product->ldc * (size_t)product->n, seed + 2),
                &product->c0, &product->stored[2]);
    poison(product);
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

struct lava_operation product_operation(const struct product *product, void *c) {
    return (struct lava_operation){.type = product->type,
                                   .c.type = product->type_c,
                                   .a.op = product->transpose_a ? LAVA_OP_T : LAVA_OP_N,
                                   .b.op = product->transpose_b ? LAVA_OP_T : LAVA_OP_N,
                                   .a.conjugate = product->conjugate_a,
                                   .b.conjugate = product->conjugate_b,
                                   .c.region = product->region,
                                   .b_is_a = product->b_is_a,
                                   .c.real_diagonal = product->real_diagonal,
                                   .m = product->m,
                                   .n = product->n,
                                   .k = product->k,
                                   .a.ld = product->lda,
                                   .b.ld = product->ldb,
                                   .c.ld = product->ldc,
                                   .alpha.real = product->alpha,
                                   .beta.real = product->beta,
                                   .alpha.imaginary = product->alpha_imaginary,
                                   .beta.imaginary = product->beta_imaginary,
                                   .a.first = stored_a(product),
                                   .b.first = stored_b(product),
                                   .c.first = c};
}

size_t product_c_bytes(const struct product *product) {
    return (size_t)product->ldc * (size_t)product->n * types[product->type_c].bytes;
}

void *product_new_c(const struct product *product) {
    void *c = allocate(product_c_bytes(product));
    return memcpy(c, stored_c0(product), product_c_bytes(product));
}

bool product_check(const struct product *product, const void *c, const char *what) {
    size_t m = (size_t)product->m, n = (size_t)product->n, ldc = (size_t)product->ldc;
    size_t bytes = types[product->type_c].bytes, parts = (size_t)types[product->type_c].parts;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < m * parts; i++) {
            size_t row = i / parts, part = i % parts, at = row + j * m + part * m * n;
            double got = number(product->type_c, c, row + j * ldc, (int)part);
            double error = fabs(got - product->expected[at]);
            if (!in_region(product, row, j)) {
                size_t byte = (row + j * ldc) * bytes;
                if (memcmp((const char *)c + byte, (const char *)stored_c0(product) + byte, bytes) == 0)
                    continue;
            } else if (is_real(product, row, j, part) ? got == 0 : error <= product->bound[at]) {
                continue; /* not for a NaN */
            }
            fprintf(stderr, "%s: C(%zu, %zu), part %zu, is %.17g, expected %.17g\n", what, row, j, part, got,
                    product->expected[at]);
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
