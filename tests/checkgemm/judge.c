/* What C should be, in double precision, and how far the device may be off. Called by check.c.
 *
 *   fp32 in and out     4 sqrt(K + 2) u G                     u = 2^-24, G = |alpha| |A||B| + |beta| |C0|
 *   fp32 by planes      what splitting adds (dispatch/schemes.h) besides; 2 K u G where sums stay in the unit
 *   half in, fp32 out   2 K u G, and 2 u G for alpha and beta: products are exact, a device may truncate sums
 *   half in and out     that, then one rounding to C's type
 *
 * and the steps of fp32's subnormal range. Sums of small integers are exact: those compare bit by bit. */
#include "tests/checkgemm/checkgemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define UNIT 0x1p-24

/* A rounding to nearest: relative to the value, of values below the smallest normal number, and from where on
 * it gives infinity. Those of fp32 are among the roundings of the sum. */
static const struct {
    double unit, half_step, overflow;
} roundings[LAVA_TYPE_COUNT] = {
    [LAVA_TYPE_FP32] = {0, 0, 0x1.ffffffp127},
    [LAVA_TYPE_FP16] = {0x1p-11, 0x1p-25, 65520.0},
    [LAVA_TYPE_BF16] = {0x1p-8, 0x1p-134, 0x1.ffp127},
};

/* Of one column of C: what it should be, and of absolute values. */
struct column {
    double *sums, *sizes;
};

static bool is_unit(double scalar) {
    return scalar == 1 || scalar == -1;
}

static bool is_exact(const struct check_case *item) {
    return (item->entries == ENTRIES_INTEGER || item->entries == ENTRIES_CANCELLING) &&
           is_unit((double)item->alpha) && (item->beta == 0 || is_unit((double)item->beta));
}

/* What an element may be off before it is rounded to C's type. */
static double allowed(const struct check_context *context, const struct check_case *item,
                      const struct lava_problem *problem, double size) {
    double step = context->keeps_subnormals ? 0x1p-149 : 0x1p-126;
    double k = (double)problem->k;
    bool scaled = problem->alpha != 1 || problem->beta != 0;
    if (is_exact(item))
        return 0;
    const struct lava_scheme_row *scheme = lava_scheme(context->kernel->scheme);
    bool stays = problem->type != LAVA_TYPE_FP32 || (scheme->planes > 0 && scheme->span_k == 0);
    double terms = stays ? 2.0 * (k + (scaled ? 1.0 : 0.0)) : 4.0 * sqrt(k + 2.0);
    return (terms + scheme->units) * UNIT * size + (k + 2.0) * step;
}

/* The element's error over what is allowed; infinite where a special value is wrong. */
static double judge(enum lava_type type, float got, double expected, double bound) {
    if (isnan(expected))
        return isnan(got) ? 0 : INFINITY;
    if (isinf(expected) || isnan(got))
        return (double)got == expected ? 0 : INFINITY;
    double magnitude = fabs(expected), overflow = roundings[type].overflow;
    if (isinf(got))
        return magnitude + bound >= overflow && (got > 0) == (expected > 0) ? 0 : INFINITY;
    if (magnitude - bound >= overflow)
        return INFINITY;
    double error = fabs((double)got - expected);
    bound += roundings[type].unit * (magnitude + bound) + roundings[type].half_step;
    return bound > 0 ? error / bound : error > 0 ? INFINITY : 0;
}

/* The same where the sum is exact: only the value nearest to it will do. */
static double judge_exact(enum lava_type type, float got, double expected) {
    return got == check_rounded(type, (float)expected) ? 0 : INFINITY;
}

static double *doubles(int64_t count) {
    double *values = malloc((size_t)(count > 0 ? count : 1) * sizeof *values);
    if (!values) {
        fprintf(stderr, "checkgemm: out of memory\n");
        exit(2);
    }
    return values;
}

/* op(A), column by column: what the sums below walk along. */
static double *operand(const struct check_matrix *a, const struct lava_problem *problem) {
    double *values = doubles(problem->m * problem->k);
    bool is_n = problem->op_a == LAVA_OP_N;
    for (int64_t l = 0; l < problem->k; l++)
        for (int64_t i = 0; i < problem->m; i++)
            values[i + l * problem->m] =
                (double)(is_n ? check_matrix_get(a, i, l) : check_matrix_get(a, l, i));
    return values;
}

/* Column j of A B and of |A||B|: double is exact enough for 24-bit factors. */
static void sum_column(const double *op_a, const struct check_matrix *b, const struct lava_problem *problem,
                       int64_t j, struct column *column) {
    for (int64_t i = 0; i < problem->m; i++)
        column->sums[i] = column->sizes[i] = 0;
    for (int64_t l = 0; l < problem->k; l++) {
        const double *a = op_a + l * problem->m;
        double factor =
            (double)(problem->op_b == LAVA_OP_N ? check_matrix_get(b, l, j) : check_matrix_get(b, j, l));
        for (int64_t i = 0; i < problem->m; i++) {
            double product = a[i] * factor;
            column->sums[i] += product;
            column->sizes[i] += fabs(product);
        }
    }
}

double check_worst_error(const struct check_context *context, const struct check_case *item,
                         const struct lava_problem *problem, const struct check_matrices *matrices) {
    const struct check_matrix *c = matrices->c, *before = matrices->c_before;
    struct column column = {doubles(problem->m), doubles(problem->m)};
    double *op_a = operand(matrices->a, problem), worst = 0;
    bool exact = is_exact(item);
    for (int64_t j = 0; j < problem->n; j++) {
        sum_column(op_a, matrices->b, problem, j, &column);
        for (int64_t i = 0; i < problem->m; i++) {
            double old = problem->beta == 0 ? 0 : problem->beta * (double)check_matrix_get(before, i, j);
            double expected = problem->alpha * column.sums[i] + old;
            double size = fabs(problem->alpha) * column.sizes[i] + fabs(old);
            double bound = allowed(context, item, problem, size);
            float got = check_matrix_get(c, i, j);
            double ratio = exact ? judge_exact(c->type, got, expected) : judge(c->type, got, expected, bound);
            worst = ratio > worst ? ratio : worst;
        }
    }
    free(column.sums);
    free(column.sizes);
    free(op_a);
    return worst;
}
