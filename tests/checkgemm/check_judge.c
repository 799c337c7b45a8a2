/* Expected values of C and the error that the device is allowed. Called by check.c and screened.c.
 *
 *   fp32 in and out     4 sqrt(K + 2) u G                     u = 2^-24, G = |alpha| |A||B| + |beta| |C0|
 *   fp64 in and out     the same                              u = 2^-53
 *   fp32 by planes      plus the error of splitting (dispatch/schemes.h); 2 K u G if sums stay in the matrix
 *                       unit
 *   half in, fp32 out   2 K u G, plus 2 u G for alpha and beta: products are exact, a device may truncate
 *                       sums
 *   half in and out     that, plus one rounding to C's type
 *   complex             that of its parts, which are sums of 2 K products; G from the absolute values of
 *                       parts
 *
 * plus the spacing of the subnormal range. Sums of small integers are exact and are compared bit by bit. The
 * expected values are computed in double precision. If the device computes in double, they are computed in
 * long double. */
#include "tests/checkgemm/check.h"
#include "tests/worst_error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Number of products summed in one run in long double. */
#define RUN 256

/* By the type of parts: the unit of a rounding to nearest, its half step below the smallest normal number,
 * and the value from which it overflows. Those of fp32 and fp64 are included in the rounding of the sum. Also
 * the unit of sums. */
static const struct {
    double unit, half_step;
    long double overflow;
    double sum_unit;
} roundings[LAVA_TYPE_REAL_COUNT] = {
    [LAVA_TYPE_FP32] = {0, 0, 0x1.ffffffp127L, 0x1p-24},
    [LAVA_TYPE_FP16] = {0x1p-11, 0x1p-25, 65520.0L, 0x1p-24},
    [LAVA_TYPE_BF16] = {0x1p-8, 0x1p-134, 0x1.ffp127L, 0x1p-24},
    [LAVA_TYPE_FP64] = {0, 0, 0x1.fffffffffffff8p1023L, 0x1p-53},
};

/* A B by parts: op(A), a column of op(B), and the matching column of A B and of |A||B|. */
struct reference {
    const struct lava_operation *operation;
    bool wide; /* sums in long double; op(A) is then stored by rows, otherwise by columns */
    int parts;
    double *a[2], *b[2];
    long double *sums[2];
    double *sizes[2], *narrow;
};

/* The products of parts: of A, of B, destination, sign. A real type has only the first. */
static const struct {
    int a, b, to;
    double sign;
} products[] = {{0, 0, 0, 1}, {1, 1, 0, -1}, {0, 1, 1, 1}, {1, 0, 1, 1}};

static bool is_unit(double real, double imaginary) {
    return fabs(real) + fabs(imaginary) == 1 && (real == 0 || imaginary == 0);
}

static bool is_exact(const struct check_case *item) {
    return (item->entries == ENTRIES_INTEGER || item->entries == ENTRIES_CANCELLING) &&
           is_unit(item->alpha, item->alpha_imaginary) &&
           ((item->beta == 0 && item->beta_imaginary == 0) || is_unit(item->beta, item->beta_imaginary));
}

/* Error bound of a part before it is rounded to C's type. */
static double allowed(const struct check_context *context, const struct check_case *item,
                      const struct lava_operation *operation, double size) {
    enum lava_type type = lava_type_real(operation->type);
    bool wide = type == LAVA_TYPE_FP64;
    bool keeps = wide ? context->keeps_subnormals64 : context->keeps_subnormals;
    double step = wide ? (keeps ? 0x1p-1074 : 0x1p-1022) : keeps ? 0x1p-149 : 0x1p-126;
    double k = (lava_type_is_complex(operation->type) ? 2.0 : 1.0) * (double)operation->k;
    bool scaled = operation->alpha.real != 1 || operation->beta.real != 0;
    if (is_exact(item))
        return 0;
    const struct lava_scheme_row *scheme = lava_scheme(context->kernel->scheme);
    bool stays = lava_type_is_half(type) || (scheme->planes > 0 && scheme->span_k == 0);
    double terms = stays ? 2.0 * (k + (scaled ? 1.0 : 0.0)) : 4.0 * sqrt(k + 2.0);
    return (terms + scheme->units) * roundings[type].sum_unit * size + (k + 2.0) * step;
}

/* The part's error relative to its bound; infinite if a special value is wrong. */
static double judge(enum lava_type type, double got, long double expected, double bound) {
    if (isnan(expected))
        return isnan(got) ? 0 : INFINITY;
    if (isinf(expected) || isnan(got))
        return (long double)got == expected ? 0 : INFINITY;
    long double magnitude = fabsl(expected), overflow = roundings[type].overflow;
    if (isinf(got))
        return magnitude + bound >= overflow && (got > 0) == (expected > 0) ? 0 : INFINITY;
    if (magnitude - bound >= overflow)
        return INFINITY;
    double error = (double)fabsl((long double)got - expected);
    bound += roundings[type].unit * ((double)magnitude + bound) + roundings[type].half_step;
    return bound > 0 ? error / bound : error > 0 ? INFINITY : 0;
}

/* The same for an exact sum: only the nearest value is accepted. */
static double judge_exact(enum lava_type type, double got, long double expected) {
    return got == check_rounded(type, (double)expected) ? 0 : INFINITY;
}

/* A part of a complex element for which the formula gives no number. Inf or NaN both count, because the order
 * of sums decides which it is, and nothing is recovered. */
static double judge_special(double got) {
    return isfinite(got) ? INFINITY : 0;
}

static void *array(int64_t count, size_t bytes) {
    void *values = calloc((size_t)(count > 0 ? count : 1), bytes);
    if (!values) {
        fprintf(stderr, "checkgemm: out of memory\n");
        exit(2);
    }
    return values;
}

static double part_of(const struct check_matrix *matrix, bool transposed, int64_t i, int64_t j, int part) {
    return transposed ? check_matrix_get_part(matrix, j, i, part) : check_matrix_get_part(matrix, i, j, part);
}

static void fetch_a(struct reference *reference, const struct check_matrix *a) {
    const struct lava_operation *operation = reference->operation;
    int64_t step_i = reference->wide ? operation->k : 1, step_l = reference->wide ? 1 : operation->m;
    for (int part = 0; part < reference->parts; part++) {
        double sign = part == 1 && operation->a.conjugate ? -1 : 1;
        for (int64_t l = 0; l < operation->k; l++)
            for (int64_t i = 0; i < operation->m; i++)
                reference->a[part][i * step_i + l * step_l] =
                    sign * part_of(a, operation->a.op == LAVA_OP_T, i, l, part);
    }
}

static void fetch_b(struct reference *reference, const struct check_matrix *b, int64_t j) {
    const struct lava_operation *operation = reference->operation;
    for (int part = 0; part < reference->parts; part++) {
        double sign = part == 1 && operation->b.conjugate ? -1 : 1;
        for (int64_t l = 0; l < operation->k; l++)
            reference->b[part][l] = sign * part_of(b, operation->b.op == LAVA_OP_T, l, j, part);
    }
}

/* Double is exact enough for 24-bit factors. */
static void add_narrow(struct reference *reference, const double *a, const double *b, double *sizes) {
    int64_t m = reference->operation->m;
    double *sums = reference->narrow;
    for (int64_t i = 0; i < m; i++)
        sums[i] = 0;
    for (int64_t l = 0; l < reference->operation->k; l++, a += m) {
        double factor = b[l];
        for (int64_t i = 0; i < m; i++) {
            double product = a[i] * factor;
            sums[i] += product;
            sizes[i] += fabs(product);
        }
    }
}

/* Sum of one element. Its error, (RUN + K / RUN) 2^-64 |A||B|, is negligible against 2^-53. */
static long double sum_wide(const double *a, const double *b, int64_t k, double *size) {
    long double sum = 0;
    for (int64_t l = 0; l < k;) {
        long double run = 0;
        for (int64_t end = k - l > RUN ? l + RUN : k; l < end; l++) {
            run += (long double)a[l] * (long double)b[l];
            *size += fabs(a[l] * b[l]);
        }
        sum += run;
    }
    return sum;
}

static void sum_column(struct reference *reference) {
    int64_t m = reference->operation->m, k = reference->operation->k;
    for (int part = 0; part < reference->parts; part++)
        for (int64_t i = 0; i < m; i++)
            reference->sums[part][i] = reference->sizes[part][i] = 0;
    for (int p = 0; p < reference->parts * reference->parts; p++) {
        const double *a = reference->a[products[p].a], *b = reference->b[products[p].b];
        long double *sums = reference->sums[products[p].to];
        double *sizes = reference->sizes[products[p].to], sign = products[p].sign;
        if (!reference->wide)
            add_narrow(reference, a, b, sizes);
        for (int64_t i = 0; i < m; i++)
            sums[i] += sign * (reference->wide ? sum_wide(a + i * k, b, k, &sizes[i])
                                               : (long double)reference->narrow[i]);
    }
}

/* The second part of a real type is 0. */
struct number {
    long double parts[2];
};

/* A real scalar is not multiplied with the other part: avoids 0 times Inf. */
static struct number times(double real, double imaginary, const struct number *x) {
    if (imaginary == 0)
        return (struct number){{real * x->parts[0], real * x->parts[1]}};
    return (struct number){
        {real * x->parts[0] - imaginary * x->parts[1], real * x->parts[1] + imaginary * x->parts[0]}};
}

/* Magnitude of a part of scalar times an element, from the parts' magnitudes. */
static double size_of(double real, double imaginary, const double sizes[2], int part) {
    return fabs(real) * sizes[part] + fabs(imaginary) * sizes[1 - part];
}

/* Judges the worst part of an element. */
static double judge_element(const struct check_context *context, const struct check_case *item,
                            const struct reference *reference, const struct check_matrices *matrices,
                            int64_t i, int64_t j) {
    const struct lava_operation *operation = reference->operation;
    struct number sum = {{0}}, before = {{0}};
    double sizes[2] = {0}, sizes_before[2] = {0}, worst = 0;
    bool exact = is_exact(item), adds = operation->beta.real != 0 || operation->beta.imaginary != 0;
    for (int part = 0; part < reference->parts; part++) {
        sum.parts[part] = reference->sums[part][i];
        sizes[part] = reference->sizes[part][i];
        if (adds)
            before.parts[part] = check_matrix_get_part(matrices->c_before, i, j, part);
        sizes_before[part] = (double)fabsl(before.parts[part]);
    }
    struct number scaled = times(operation->alpha.real, operation->alpha.imaginary, &sum);
    struct number old = times(operation->beta.real, operation->beta.imaginary, &before);
    for (int part = 0; part < reference->parts; part++) {
        enum lava_type type = lava_type_real(matrices->c->type);
        long double expected = scaled.parts[part] + (adds ? old.parts[part] : 0);
        double size = size_of(operation->alpha.real, operation->alpha.imaginary, sizes, part) +
                      size_of(operation->beta.real, operation->beta.imaginary, sizes_before, part);
        double got = check_matrix_get_part(matrices->c, i, j, part);
        double ratio = exact ? judge_exact(type, got, expected)
                       : reference->parts > 1 && !isfinite(expected)
                           ? judge_special(got)
                           : judge(type, got, expected, allowed(context, item, operation, size));
        worst = (double)worst_of(worst, ratio);
    }
    return worst;
}

static void make_reference(struct reference *reference, const struct lava_operation *operation,
                           const struct check_matrices *matrices) {
    *reference = (struct reference){.operation = operation,
                                    .wide = lava_type_real(operation->type) == LAVA_TYPE_FP64,
                                    .parts = check_matrix_parts(matrices->a),
                                    .narrow = array(operation->m, sizeof(double))};
    for (int part = 0; part < reference->parts; part++) {
        reference->a[part] = array(operation->m * operation->k, sizeof(double));
        reference->b[part] = array(operation->k, sizeof(double));
        reference->sums[part] = array(operation->m, sizeof(long double));
        reference->sizes[part] = array(operation->m, sizeof(double));
    }
    fetch_a(reference, matrices->a);
}

static void free_reference(struct reference *reference) {
    for (int part = 0; part < reference->parts; part++) {
        free(reference->a[part]);
        free(reference->b[part]);
        free(reference->sums[part]);
        free(reference->sizes[part]);
    }
    free(reference->narrow);
}

double check_worst_error(const struct check_context *context, const struct check_case *item,
                         const struct lava_operation *operation, const struct check_matrices *matrices) {
    struct reference reference;
    double worst = 0;
    make_reference(&reference, operation, matrices);
    for (int64_t j = 0; j < operation->n; j++) {
        fetch_b(&reference, matrices->b, j);
        sum_column(&reference);
        for (int64_t i = 0; i < operation->m; i++) {
            double ratio = judge_element(context, item, &reference, matrices, i, j);
            worst = (double)worst_of(worst, ratio);
        }
    }
    free_reference(&reference);
    return worst;
}
