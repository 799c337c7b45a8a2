/* Calls, matrices and the check of results. Called by bench.c. */
#include "routine.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED_ELEMENTS 200

// clang-format off
/* name             Fortran  A and B       C             scalars like C */
static const struct routine table[] = {
    {"cblas_sgemm",  false,  ELEMENT_FP32, ELEMENT_FP32, false},
    {"sgemm_",       true,   ELEMENT_FP32, ELEMENT_FP32, false},
    {"cblas_shgemm", false,  ELEMENT_FP16, ELEMENT_FP32, false},
    {"cblas_hgemm",  false,  ELEMENT_FP16, ELEMENT_FP16, true},
    {"cblas_sbgemm", false,  ELEMENT_BF16, ELEMENT_FP32, false},
    {"cblas_bgemm",  false,  ELEMENT_BF16, ELEMENT_BF16, true},
};

/* bytes, bits of the mantissa that are stored, bias, the bits of 1, unit roundoff, half of the smallest step */
static const struct {
    size_t bytes; int mantissa, bias; uint16_t one; double unit, half_step;
} elements[] = {
    [ELEMENT_FP32] = {4, 23, 127, 0,      0,       0},
    [ELEMENT_FP16] = {2, 10, 15,  0x3c00, 0x1p-11, 0x1p-25},
    [ELEMENT_BF16] = {2, 7,  127, 0x3f80, 0x1p-8,  0x1p-134},
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

typedef void cblas_function(int layout, int transa, int transb, int m, int n, int k, float alpha,
                            const void *a, int lda, const void *b, int ldb, float beta, void *c, int ldc);
typedef void cblas_half_function(int layout, int transa, int transb, int m, int n, int k, uint16_t alpha,
                                 const void *a, int lda, const void *b, int ldb, uint16_t beta, void *c,
                                 int ldc);
typedef void fortran_function(const char *transa, const char *transb, const int *m, const int *n,
                              const int *k, const float *alpha, const void *a, const int *lda, const void *b,
                              const int *ldb, const float *beta, void *c, const int *ldc,
                              size_t transa_length, size_t transb_length);

const struct routine *routine_find(const char *name) {
    for (size_t i = 0; i < COUNT(table); i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const char *routine_names(void) {
    static char names[COUNT(table) * 16];
    if (names[0])
        return names;
    for (size_t i = 0; i < COUNT(table); i++) {
        strcat(names, i > 0 ? "|" : "");
        strcat(names, table[i].name);
    }
    return names;
}

void routine_call(void *function, const struct product *p) {
    static const float one = 1, zero = 0;
    int transa = p->transa == 'N' ? 111 : 112, transb = p->transb == 'N' ? 111 : 112;
    cblas_function *cblas;
    cblas_half_function *cblas_half;
    fortran_function *fortran;
    memcpy(&cblas, &function, sizeof cblas);
    memcpy(&cblas_half, &function, sizeof cblas_half);
    memcpy(&fortran, &function, sizeof fortran);
    if (p->routine->fortran)
        fortran(&p->transa, &p->transb, &p->m, &p->n, &p->k, &one, p->a, &p->lda, p->b, &p->ldb, &zero, p->c,
                &p->ldc, 1, 1);
    else if (p->routine->half_scalars)
        cblas_half(102, transa, transb, p->m, p->n, p->k, elements[p->routine->element_c].one, p->a, p->lda,
                   p->b, p->ldb, 0, p->c, p->ldc);
    else
        cblas(102, transa, transb, p->m, p->n, p->k, 1, p->a, p->lda, p->b, p->ldb, 0, p->c, p->ldc);
}

static double decode(enum element element, uint16_t bits) {
    int mantissa_bits = elements[element].mantissa, bias = elements[element].bias;
    int mantissa = bits & ((1 << mantissa_bits) - 1), exponent = (bits & 0x7fff) >> mantissa_bits;
    double magnitude = exponent == 0
                           ? ldexp(mantissa, 1 - bias - mantissa_bits)
                           : ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
    if (exponent == 0x7fff >> mantissa_bits)
        magnitude = mantissa ? (double)NAN : INFINITY;
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* Of a value that the type holds exactly, as a normal number or 0. */
static uint16_t encode(enum element element, double value) {
    int exponent, mantissa_bits = elements[element].mantissa;
    double fraction = frexp(fabs(value), &exponent);
    uint16_t sign = value < 0 ? 0x8000 : 0;
    if (fraction == 0)
        return sign;
    int mantissa = (int)ldexp(fraction, mantissa_bits + 1) - (1 << mantissa_bits);
    return (uint16_t)(sign | (exponent - 1 + elements[element].bias) << mantissa_bits | mantissa);
}

static double element_at(enum element element, const void *matrix, ptrdiff_t index) {
    return element == ELEMENT_FP32 ? (double)((const float *)matrix)[index]
                                   : decode(element, ((const uint16_t *)matrix)[index]);
}

/* All bits of the mantissa random: multiples of the step just below 1. */
static void *new_matrix(enum element element, size_t count, uint32_t seed) {
    int bits = elements[element].mantissa + 1;
    void *matrix = NULL;
    if (posix_memalign(&matrix, 64, count * elements[element].bytes + 64) != 0) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    uint16_t codes[1 << 12]; /* encoding is slow: once for each value */
    for (int i = 0; element != ELEMENT_FP32 && i < 2 << bits; i++)
        codes[i] = encode(element, ldexp(i - (1 << bits), -bits));
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (element == ELEMENT_FP32)
            ((float *)matrix)[i] = (float)(int)(seed >> 8) * 0x1p-23f - 1.0f;
        else
            ((uint16_t *)matrix)[i] = codes[seed >> (31 - bits)];
    }
    return matrix;
}

struct product routine_product(const struct routine *routine, int m, int n, int k, const char ops[2]) {
    return (struct product){
        .routine = routine,
        .m = m,
        .n = n,
        .k = k,
        .lda = ops[0] == 'N' ? m : k,
        .ldb = ops[1] == 'N' ? k : n,
        .ldc = m,
        .transa = ops[0],
        .transb = ops[1],
        .a = new_matrix(routine->element, (size_t)m * (size_t)k, 1),
        .b = new_matrix(routine->element, (size_t)k * (size_t)n, 2),
        .c = new_matrix(routine->element_c, (size_t)m * (size_t)n, 3),
    };
}

void routine_free(struct product *product) {
    free(product->a);
    free(product->b);
    free(product->c);
}

/* One element of the product, and the same of the absolute values, in double precision. */
static double reference(const struct product *p, int row, int column, double *magnitude) {
    enum element element = p->routine->element;
    double sum = 0;
    *magnitude = 0;
    for (ptrdiff_t l = 0; l < p->k; l++) {
        double a =
            element_at(element, p->a, p->transa == 'N' ? row + l * p->lda : l + (ptrdiff_t)row * p->lda);
        double b = element_at(element, p->b,
                              p->transb == 'N' ? l + (ptrdiff_t)column * p->ldb : column + l * p->ldb);
        sum += a * b;
        *magnitude += fabs(a * b);
    }
    return sum;
}

/* fp32: 4 sqrt(k + 2) u |A||B|. Half precision: 2 k u |A||B| for fp32 sums of any device, and one rounding to
 * C's type. */
static double bound_of(const struct product *p, double expected, double magnitude) {
    enum element c = p->routine->element_c;
    double terms = p->routine->element == ELEMENT_FP32 ? 4 * sqrt(p->k + 2.0) : 2.0 * p->k;
    return terms * 0x1p-24 * magnitude + 1.001 * elements[c].unit * fabs(expected) + elements[c].half_step;
}

static bool element_right(const struct product *p, int row, int column, const char *library) {
    double magnitude, expected = reference(p, row, column, &magnitude);
    double found = element_at(p->routine->element_c, p->c, row + (ptrdiff_t)column * p->ldc);
    double bound = bound_of(p, expected, magnitude);
    if (fabs(found - expected) <= bound)
        return true;
    fprintf(stderr, "FAIL %s, %s: %d x %d x %d: element (%d, %d) is %.9g, not %.9g (+- %.2g)\n", library,
            p->routine->name, p->m, p->n, p->k, row, column, found, expected, bound);
    return false;
}

bool routine_check(void *function, const struct product *p, const char *library) {
    size_t count = (size_t)p->ldc * (size_t)p->n;
    uint32_t seed = 12345;
    memset(p->c, 0xff,
           count * elements[p->routine->element_c].bytes); /* NaN: every element must be written */
    routine_call(function, p);
    for (int i = 0; i < CHECKED_ELEMENTS; i++) {
        seed = seed * 1664525u + 1013904223u;
        int row = (int)((uint64_t)seed * (uint64_t)p->m >> 32);
        seed = seed * 1664525u + 1013904223u;
        int column = (int)((uint64_t)seed * (uint64_t)p->n >> 32);
        if (i < 4) {
            row = i & 1 ? p->m - 1 : 0;
            column = i & 2 ? p->n - 1 : 0;
        }
        if (!element_right(p, row, column, library))
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        bool unset = p->routine->element_c == ELEMENT_FP32 ? isnan(((float *)p->c)[i])
                                                           : ((uint16_t *)p->c)[i] == 0xffff;
        if (unset) {
            fprintf(stderr, "FAIL %s, %s: %d x %d x %d: element %zu was not written\n", library,
                    p->routine->name, p->m, p->n, p->k, i);
            return false;
        }
    }
    return true;
}
