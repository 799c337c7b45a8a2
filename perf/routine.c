/* Calls, matrices and the check of results. Called by bench.c. */
#include "routine.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED_ELEMENTS 200

// clang-format off
/* name             Fortran  A and B       C             scalars like C  complex  Hermitian  family */
static const struct routine table[] = {
    {"cblas_sgemm",  false,   ELEMENT_FP32, ELEMENT_FP32, false,          false,   false,     FAMILY_GEMM},
    {"sgemm_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          false,   false,     FAMILY_GEMM},
    {"cblas_dgemm",  false,   ELEMENT_FP64, ELEMENT_FP64, false,          false,   false,     FAMILY_GEMM},
    {"dgemm_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          false,   false,     FAMILY_GEMM},
    {"cgemm_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          true,    false,     FAMILY_GEMM},
    {"zgemm_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          true,    false,     FAMILY_GEMM},
    {"ssyrk_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          false,   false,     FAMILY_SYRK},
    {"dsyrk_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          false,   false,     FAMILY_SYRK},
    {"csyrk_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          true,    false,     FAMILY_SYRK},
    {"zsyrk_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          true,    false,     FAMILY_SYRK},
    {"cherk_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          true,    true,      FAMILY_SYRK},
    {"zherk_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          true,    true,      FAMILY_SYRK},
    {"ssyr2k_",      true,    ELEMENT_FP32, ELEMENT_FP32, false,          false,   false,     FAMILY_SYR2K},
    {"dsyr2k_",      true,    ELEMENT_FP64, ELEMENT_FP64, false,          false,   false,     FAMILY_SYR2K},
    {"csyr2k_",      true,    ELEMENT_FP32, ELEMENT_FP32, false,          true,    false,     FAMILY_SYR2K},
    {"zsyr2k_",      true,    ELEMENT_FP64, ELEMENT_FP64, false,          true,    false,     FAMILY_SYR2K},
    {"cher2k_",      true,    ELEMENT_FP32, ELEMENT_FP32, false,          true,    true,      FAMILY_SYR2K},
    {"zher2k_",      true,    ELEMENT_FP64, ELEMENT_FP64, false,          true,    true,      FAMILY_SYR2K},
    {"ssymm_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          false,   false,     FAMILY_SYMM},
    {"dsymm_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          false,   false,     FAMILY_SYMM},
    {"csymm_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          true,    false,     FAMILY_SYMM},
    {"zsymm_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          true,    false,     FAMILY_SYMM},
    {"chemm_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          true,    true,      FAMILY_SYMM},
    {"zhemm_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          true,    true,      FAMILY_SYMM},
    {"strmm_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          false,   false,     FAMILY_TRMM},
    {"dtrmm_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          false,   false,     FAMILY_TRMM},
    {"ctrmm_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          true,    false,     FAMILY_TRMM},
    {"ztrmm_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          true,    false,     FAMILY_TRMM},
    {"strsm_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          false,   false,     FAMILY_TRSM},
    {"dtrsm_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          false,   false,     FAMILY_TRSM},
    {"ctrsm_",       true,    ELEMENT_FP32, ELEMENT_FP32, false,          true,    false,     FAMILY_TRSM},
    {"ztrsm_",       true,    ELEMENT_FP64, ELEMENT_FP64, false,          true,    false,     FAMILY_TRSM},
    {"cblas_shgemm", false,   ELEMENT_FP16, ELEMENT_FP32, false,          false,   false,     FAMILY_GEMM},
    {"cblas_hgemm",  false,   ELEMENT_FP16, ELEMENT_FP16, true,           false,   false,     FAMILY_GEMM},
    {"cblas_sbgemm", false,   ELEMENT_BF16, ELEMENT_FP32, false,          false,   false,     FAMILY_GEMM},
    {"cblas_bgemm",  false,   ELEMENT_BF16, ELEMENT_BF16, true,           false,   false,     FAMILY_GEMM},
};

/* bytes, stored mantissa bits, bias, the bits of 1, unit roundoff, half of the smallest step */
static const struct {
    size_t bytes; int mantissa, bias; uint16_t one; double unit, half_step;
} elements[] = {
    [ELEMENT_FP32] = {4, 23, 127, 0,      0,       0},
    [ELEMENT_FP64] = {8, 52, 0,   0,      0,       0},
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
                              const int *k, const void *alpha, const void *a, const int *lda, const void *b,
                              const int *ldb, const void *beta, void *c, const int *ldc, size_t transa_length,
                              size_t transb_length);
typedef void syrk_function(const char *uplo, const char *trans, const int *n, const int *k, const void *alpha,
                           const void *a, const int *lda, const void *beta, void *c, const int *ldc,
                           size_t uplo_length, size_t trans_length);
typedef void syr2k_function(const char *uplo, const char *trans, const int *n, const int *k,
                            const void *alpha, const void *a, const int *lda, const void *b, const int *ldb,
                            const void *beta, void *c, const int *ldc, size_t uplo_length,
                            size_t trans_length);
typedef void symm_function(const char *side, const char *uplo, const int *m, const int *n, const void *alpha,
                           const void *a, const int *lda, const void *b, const int *ldb, const void *beta,
                           void *c, const int *ldc, size_t side_length, size_t uplo_length);
typedef void triangular_function(const char *side, const char *uplo, const char *trans, const char *diag,
                                 const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                                 void *c, const int *ldc, size_t side_length, size_t uplo_length,
                                 size_t trans_length, size_t diag_length);
typedef void cblas_fp64_function(int layout, int transa, int transb, int m, int n, int k, double alpha,
                                 const void *a, int lda, const void *b, int ldb, double beta, void *c,
                                 int ldc);

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

static bool is_in_place(const struct routine *routine) {
    return routine->family == FAMILY_TRMM || routine->family == FAMILY_TRSM;
}

/* Only the lower triangle of C is written. */
static bool is_triangle(const struct routine *routine) {
    return routine->family == FAMILY_SYRK || routine->family == FAMILY_SYR2K;
}

static void call_structured(void *function, const struct product *p, const void *one, const void *zero) {
    syrk_function *syrk;
    syr2k_function *syr2k;
    symm_function *symm;
    triangular_function *triangular;
    char trans = p->transa != 'N' && p->routine->is_hermitian ? 'C' : p->transa;
    memcpy(&syrk, &function, sizeof syrk);
    memcpy(&syr2k, &function, sizeof syr2k);
    memcpy(&symm, &function, sizeof symm);
    memcpy(&triangular, &function, sizeof triangular);
    switch (p->routine->family) {
    case FAMILY_SYRK:
        syrk("L", &trans, &p->m, &p->k, one, p->a, &p->lda, zero, p->c, &p->ldc, 1, 1);
        return;
    case FAMILY_SYR2K:
        syr2k("L", &trans, &p->m, &p->k, one, p->a, &p->lda, p->b, &p->lda, zero, p->c, &p->ldc, 1, 1);
        return;
    case FAMILY_SYMM:
        symm("L", "L", &p->m, &p->n, one, p->a, &p->lda, p->b, &p->ldb, zero, p->c, &p->ldc, 1, 1);
        return;
    default:
        triangular("L", "L", "N", "N", &p->m, &p->n, one, p->a, &p->lda, p->c, &p->ldc, 1, 1, 1, 1);
    }
}

void routine_call(void *function, const struct product *p) {
    static const float one[2] = {1}, zero[2] = {0};
    static const double one_fp64[2] = {1}, zero_fp64[2] = {0};
    bool is_fp64 = p->routine->element == ELEMENT_FP64;
    int transa = p->transa == 'N' ? 111 : 112, transb = p->transb == 'N' ? 111 : 112;
    cblas_function *cblas;
    cblas_half_function *cblas_half;
    fortran_function *fortran;
    memcpy(&cblas, &function, sizeof cblas);
    memcpy(&cblas_half, &function, sizeof cblas_half);
    memcpy(&fortran, &function, sizeof fortran);
    cblas_fp64_function *cblas_fp64;
    memcpy(&cblas_fp64, &function, sizeof cblas_fp64);
    if (p->routine->family != FAMILY_GEMM)
        call_structured(function, p, is_fp64 ? (const void *)one_fp64 : one,
                        is_fp64 ? (const void *)zero_fp64 : zero);
    else if (p->routine->fortran)
        fortran(&p->transa, &p->transb, &p->m, &p->n, &p->k, is_fp64 ? (const void *)one_fp64 : one, p->a,
                &p->lda, p->b, &p->ldb, is_fp64 ? (const void *)zero_fp64 : zero, p->c, &p->ldc, 1, 1);
    else if (is_fp64)
        cblas_fp64(102, transa, transb, p->m, p->n, p->k, 1, p->a, p->lda, p->b, p->ldb, 0, p->c, p->ldc);
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

/* Encodes a value that the type represents exactly, as a normal number or 0. */
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
    if (element == ELEMENT_FP64)
        return ((const double *)matrix)[index];
    return element == ELEMENT_FP32 ? (double)((const float *)matrix)[index]
                                   : decode(element, ((const uint16_t *)matrix)[index]);
}

/* All mantissa bits are random: multiples of the spacing just below 1. */
static void *new_matrix(enum element element, size_t count, uint32_t seed) {
    int bits = elements[element].mantissa + 1;
    void *matrix = NULL;
    if (posix_memalign(&matrix, 64, count * elements[element].bytes + 64) != 0) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    uint16_t codes[1 << 12]; /* encoding is slow: done once per value */
    bool is_half = elements[element].bytes == 2;
    for (int i = 0; is_half && i < 2 << bits; i++)
        codes[i] = encode(element, ldexp(i - (1 << bits), -bits));
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (element == ELEMENT_FP32)
            ((float *)matrix)[i] = (float)(int)(seed >> 8) * 0x1p-23f - 1.0f;
        else if (element == ELEMENT_FP64)
            ((double *)matrix)[i] = (double)seed * 0x1p-31 - 1.0 + (double)(seed * 2654435761u) * 0x1p-63;
        else
            ((uint16_t *)matrix)[i] = codes[seed >> (31 - bits)];
    }
    return matrix;
}

static size_t parts_of(const struct routine *routine) {
    return routine->is_complex ? 2 : 1;
}

double routine_flops(const struct routine *routine, int m, int n, int k) {
    bool is_half = routine->family == FAMILY_SYRK || is_in_place(routine);
    return (routine->is_complex ? 8.0 : 2.0) * m * n * k * (is_half ? 0.5 : 1.0);
}

/* Makes a triangular matrix near 1. */
static void tame(const struct routine *routine, void *a, int order) {
    size_t parts = parts_of(routine), columns = (size_t)order * parts;
    for (size_t i = 0; i < columns * (size_t)order; i++) {
        bool is_diagonal = i % columns / parts == i / columns;
        double factor = is_diagonal ? 0 : 1.0 / order, one = is_diagonal && i % parts == 0 ? 1 : 0;
        if (routine->element == ELEMENT_FP64)
            ((double *)a)[i] = ((double *)a)[i] * factor + one;
        else
            ((float *)a)[i] = (float)((double)((float *)a)[i] * factor + one);
    }
}

struct product routine_product(const struct routine *routine, int m, int n, int k, const char ops[2]) {
    bool is_left = routine->family == FAMILY_SYMM || is_in_place(routine);
    int depth = is_left ? m : k;
    n = is_triangle(routine) ? m : n;
    size_t parts = parts_of(routine), count_c = (size_t)m * (size_t)n * parts;
    size_t count_b = routine->family == FAMILY_SYR2K ? (size_t)m * (size_t)k : (size_t)depth * (size_t)n;
    struct product product = {
        .routine = routine,
        .m = m,
        .n = n,
        .k = depth,
        .lda = is_left || ops[0] == 'N' ? m : k,
        .ldb = is_left || ops[1] == 'N' ? depth : n,
        .ldc = m,
        .transa = is_left ? 'N' : ops[0],
        .transb = is_left ? 'N' : ops[1],
        .a = new_matrix(routine->element, (size_t)m * (size_t)depth * parts, 1),
        .b = routine->family == FAMILY_SYRK ? NULL : new_matrix(routine->element, count_b * parts, 2),
        .c = new_matrix(routine->element_c, count_c, 3),
    };
    if (is_triangle(routine)) {
        product.transb = ops[0] == 'N' ? 'T' : 'N';
        product.ldb = product.lda;
        product.b = product.b ? product.b : product.a;
    }
    if (is_in_place(routine)) {
        tame(routine, product.a, m);
        memcpy(product.c, product.b, count_c * elements[routine->element_c].bytes);
    }
    return product;
}

void routine_free(struct product *product) {
    if (product->b != product->a)
        free(product->b);
    free(product->a);
    free(product->c);
}

/* A sum of products, and of their absolute values. */
struct sum {
    long double value;
    double magnitude;
};

/* An element of a product, and what its imaginary part is multiplied by: -1 if it is conjugated, 0 if
 * it is not read. */
struct factor {
    const void *matrix;
    ptrdiff_t at;
    int sign;
};

/* Adds the part (0 real, 1 imaginary) of the product of two elements. */
static void add_term(const struct product *p, struct factor a, struct factor b, int part, struct sum *sum) {
    enum element element = p->routine->element;
    ptrdiff_t parts = (ptrdiff_t)parts_of(p->routine);
    for (ptrdiff_t q = 0; q < parts; q++) { /* part q of a times part (part - q) of b; i times i is -1 */
        long double term = (long double)element_at(element, a.matrix, parts * a.at + q) *
                           (long double)element_at(element, b.matrix, parts * b.at + (part ^ q));
        term *= (q == 1 ? a.sign : 1) * ((part ^ q) == 1 ? b.sign : 1);
        sum->value += q == 1 && part == 0 ? -term : term;
        sum->magnitude += fabs((double)term);
    }
}

/* Row `row` of A, which is structured or general, by column `column` of the right-hand side x. */
static void add_products(const struct product *p, const void *x, int row, int column, int part,
                         struct sum *sum) {
    bool is_structured = p->routine->family == FAMILY_SYMM || is_in_place(p->routine);
    bool turns = p->routine->is_hermitian && !is_structured, is_n = p->transa == 'N';
    int left = turns && !is_n ? -1 : 1, right = turns && is_n ? -1 : 1;
    ptrdiff_t lda = p->lda, ldb = p->ldb, last = is_in_place(p->routine) ? row + 1 : p->k;
    for (ptrdiff_t l = 0; l < last; l++) {
        struct factor a = {p->a, is_n ? row + l * lda : l + row * lda, left};
        struct factor b = {x, p->transb == 'N' ? l + column * ldb : column + l * ldb, right};
        if (is_structured && l > row)
            a.at = l + row * lda; /* the lower triangle is stored */
        if (is_structured && p->routine->is_hermitian)
            a.sign = l == row ? 0 : l > row ? -1 : 1;
        add_term(p, a, b, part, sum);
        if (p->routine->family == FAMILY_SYR2K) {
            struct factor other_a = {p->a, is_n ? column + l * lda : l + column * lda, right};
            struct factor other_b = {p->b, is_n ? row + l * ldb : l + row * ldb, left};
            add_term(p, other_b, other_a, part, sum);
        }
    }
}

/* fp32 and fp64: 4 sqrt(k + 2) u |A||B|. Half precision: 2 k u |A||B| for the fp32 sums of any device, plus
 * one rounding to C's type. */
static double bound_of(const struct product *p, double expected, double magnitude) {
    enum element c = p->routine->element_c;
    double k = (double)parts_of(p->routine) * p->k, unit = c == ELEMENT_FP64 ? 0x1p-53 : 0x1p-24;
    if (p->routine->family == FAMILY_SYR2K)
        k *= 2;
    double terms = elements[p->routine->element].bytes == 2 ? 2.0 * k : 4 * sqrt(k + 2.0);
    if (p->routine->family == FAMILY_TRSM) /* Higham, Accuracy and Stability, chapter 8 */
        terms = 4 * (k + 2);
    return terms * unit * magnitude + 1.001 * elements[c].unit * fabs(expected) + elements[c].half_step;
}

/* Compares an element. A solve has no expected one: A times the X found must be C as it was. */
static bool part_right(const struct product *p, int row, int column, int part, const char *library) {
    bool solves = p->routine->family == FAMILY_TRSM;
    ptrdiff_t place = (ptrdiff_t)parts_of(p->routine) * (row + (ptrdiff_t)column * p->ldc) + part;
    struct sum sum = {0, 0};
    add_products(p, solves ? p->c : p->b, row, column, part, &sum);
    double found = solves ? (double)sum.value : element_at(p->routine->element_c, p->c, place);
    double expected = solves ? element_at(p->routine->element_c, p->b, place) : (double)sum.value;
    double bound = bound_of(p, expected, sum.magnitude);
    if (fabs(found - expected) <= bound)
        return true;
    fprintf(stderr, "FAIL %s, %s: %d x %d x %d: element (%d, %d) is %.9g, not %.9g (+- %.2g)\n", library,
            p->routine->name, p->m, p->n, p->k, row, column, found, expected, bound);
    return false;
}

static bool element_right(const struct product *p, int row, int column, const char *library) {
    return part_right(p, row, column, 0, library) &&
           (!p->routine->is_complex || part_right(p, row, column, 1, library));
}

static bool is_unset(const struct product *p, size_t index) {
    switch (p->routine->element_c) {
    case ELEMENT_FP32:
        return isnan(((const float *)p->c)[index]);
    case ELEMENT_FP64:
        return isnan(((const double *)p->c)[index]);
    default:
        return ((const uint16_t *)p->c)[index] == 0xffff;
    }
}

static bool all_written(const struct product *p, const char *library) {
    size_t parts = parts_of(p->routine);
    for (int column = 0; column < p->n; column++) {
        size_t first = (size_t)column * (size_t)p->ldc, row = is_triangle(p->routine) ? (size_t)column : 0;
        for (size_t i = (first + row) * parts; i < (first + (size_t)p->m) * parts; i++)
            if (is_unset(p, i)) {
                fprintf(stderr, "FAIL %s, %s: %d x %d x %d: element %zu was not written\n", library,
                        p->routine->name, p->m, p->n, p->k, i);
                return false;
            }
    }
    return true;
}

bool routine_check(void *function, const struct product *p, const char *library) {
    size_t count = (size_t)p->ldc * (size_t)p->n * parts_of(p->routine);
    uint32_t seed = 12345;
    size_t bytes = count * elements[p->routine->element_c].bytes;
    if (is_in_place(p->routine))
        memcpy(p->c, p->b, bytes);
    else
        memset(p->c, 0xff, bytes); /* NaN: every element must be written */
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
        if (is_triangle(p->routine) && row < column) {
            int other = row;
            row = column;
            column = other;
        }
        if (!element_right(p, row, column, library))
            return false;
    }
    return all_written(p, library);
}
