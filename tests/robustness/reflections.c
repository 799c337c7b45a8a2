/* Measures QR factorizations in long double; Q of single precision in double. */
#include "tests/robustness/reflections.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/arithmetic.h"

static long double worst_column, worst_reflection; /* as parts of what is allowed */

int64_t reflections_below(int64_t most) {
    return rand_r(&problem_seed) % most;
}

void reflections_fill(struct matrix *matrix) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++)
            matrix_set(matrix, i, j, problem_uniform(-1, 1), problem_uniform(-1, 1));
}

struct qr qr_new(enum lava_type type, int64_t rows, int64_t columns) {
    struct qr qr = {.type = type, .rows = rows, .columns = columns, .order = lava_minimum(rows, columns)};
    qr.a = matrix_new(type, rows, columns);
    qr.now = matrix_new(type, rows, columns);
    qr.tau = matrix_new(type, qr.order, 1);
    reflections_fill(&qr.a);
    return qr;
}

void qr_free(struct qr *qr) {
    free(qr->a.all);
    free(qr->now.all);
    free(qr->tau.all);
}

static struct value times(struct value a, struct value b, bool conjugate_a) {
    long double im = conjugate_a ? -a.im : a.im;
    return (struct value){a.re * b.re - im * b.im, a.re * b.im + im * b.re};
}

/* v of reflection e, `rows` elements. */
static void get_reflector(const struct matrix *a, int64_t e, struct value *v) {
    for (int64_t i = 0; i < a->rows; i++)
        v[i] = i == e ? (struct value){1, 0} : i < e ? (struct value){0, 0} : matrix_get(a, i, e);
}

struct value *reflections_values(int64_t count) {
    struct value *values = calloc((size_t)count, sizeof *values);
    assert_non_null(values);
    return values;
}

static long double norm_of(const struct value *x, int64_t count) {
    long double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i].re * x[i].re + x[i].im * x[i].im;
    return sqrtl(sum);
}

/* APPLY_ALL makes what applies reflections to each column of X. A column has its real parts first, then the
 * imaginary ones. A sum of one product is in parts, because each addition waits
 * for the one before. */
#define APPLY_ALL(scalar)                                                                                    \
    /* x <- x - tau v v^T x */                                                                               \
    static void reflect_real_##scalar(const scalar *v, scalar tau, int64_t rows, scalar *restrict x) {       \
        scalar sums[4] = {0};                                                                                \
        int64_t i = 0;                                                                                       \
        for (; i + 4 <= rows; i += 4)                                                                        \
            for (int64_t lane = 0; lane < 4; lane++)                                                         \
                sums[lane] += v[i + lane] * x[i + lane];                                                     \
        for (; i < rows; i++)                                                                                \
            sums[0] += v[i] * x[i];                                                                          \
        const scalar by = tau * (sums[0] + sums[1] + (sums[2] + sums[3]));                                   \
        for (i = 0; i < rows; i++)                                                                           \
            x[i] -= by * v[i];                                                                               \
    }                                                                                                        \
    /* x <- x - tau v v^H x */                                                                               \
    static void reflect_complex_##scalar(const scalar *v, const scalar *v_im, scalar tau, scalar tau_im,     \
                                         int64_t rows, scalar *restrict x, scalar *restrict x_im) {          \
        scalar sum = 0, sum_im = 0;                                                                          \
        for (int64_t i = 0; i < rows; i++) {                                                                 \
            sum += v[i] * x[i] + v_im[i] * x_im[i];                                                          \
            sum_im += v[i] * x_im[i] - v_im[i] * x[i];                                                       \
        }                                                                                                    \
        const scalar by = tau * sum - tau_im * sum_im, by_im = tau * sum_im + tau_im * sum;                  \
        for (int64_t i = 0; i < rows; i++) {                                                                 \
            x[i] -= by * v[i] - by_im * v_im[i];                                                             \
            x_im[i] -= by * v_im[i] + by_im * v[i];                                                          \
        }                                                                                                    \
    }                                                                                                        \
    static void apply_all_##scalar(const struct matrix *a, const struct matrix *tau, bool adjoint,           \
                                   bool is_triangle, struct value *x, int64_t columns) {                     \
        const int64_t rows = a->rows;                                                                        \
        scalar *v = calloc((size_t)(2 * rows * (1 + columns)), sizeof *v), *y = v + 2 * rows;                \
        assert_non_null(v);                                                                                  \
        for (int64_t at = 0; at < rows * columns; at++) {                                                    \
            y[at / rows * 2 * rows + at % rows] = (scalar)x[at].re;                                          \
            y[at / rows * 2 * rows + at % rows + rows] = (scalar)x[at].im;                                   \
        }                                                                                                    \
        for (int64_t at = 0; at < tau->rows; at++) {                                                         \
            const int64_t e = adjoint ? at : tau->rows - 1 - at;                                             \
            struct value factor = matrix_get(tau, e, 0);                                                     \
            factor.im = adjoint ? -factor.im : factor.im;                                                    \
            for (int64_t i = e; i < rows; i++) {                                                             \
                const struct value element = i == e ? (struct value){1, 0} : matrix_get(a, i, e);            \
                v[i] = (scalar)element.re, v[i + rows] = (scalar)element.im;                                 \
            }                                                                                                \
            for (int64_t j = is_triangle ? e : 0; j < columns; j++) {                                        \
                scalar *column = y + 2 * rows * j + e;                                                       \
                if (lava_type_is_complex(a->type))                                                           \
                    reflect_complex_##scalar(v + e, v + rows + e, (scalar)factor.re, (scalar)factor.im,      \
                                             rows - e, column, column + rows);                               \
                else                                                                                         \
                    reflect_real_##scalar(v + e, (scalar)factor.re, rows - e, column);                       \
            }                                                                                                \
        }                                                                                                    \
        for (int64_t at = 0; at < rows * columns; at++)                                                      \
            x[at] = (struct value){y[at / rows * 2 * rows + at % rows],                                      \
                                   y[at / rows * 2 * rows + at % rows + rows]};                              \
        free(v);                                                                                             \
    }
typedef long double wide;
APPLY_ALL(double)
APPLY_ALL(wide)
#undef APPLY_ALL

/* Each column of X, one after another, <- op(H1 H2 ... ) times it. In double for types of single precision:
 * 29 bits more than theirs. is_triangle: X is zero below its diagonal, where the reflections after a column's
 * own find nothing. */
static void apply_all(const struct matrix *a, const struct matrix *tau, bool adjoint, bool is_triangle,
                      struct value *x, int64_t columns) {
    if (lava_type_real(a->type) == LAVA_TYPE_FP32)
        apply_all_double(a, tau, adjoint, is_triangle, x, columns);
    else
        apply_all_wide(a, tau, adjoint, is_triangle, x, columns);
}

/* Tau is 0, or H is unitary, and R's diagonal real. */
static void check_reflections(const struct qr *qr) {
    struct value *v = reflections_values(qr->rows);
    long double unit = (long double)lava_type_facts(qr->type)->unit;
    for (int64_t e = 0; e < qr->order; e++) {
        struct value tau = matrix_get(&qr->tau, e, 0);
        long double size = problem_size_of(tau);
        get_reflector(&qr->now, e, v);
        long double norm = norm_of(v, qr->rows), error = fabsl(size * size * norm * norm - 2 * tau.re) / unit;
        assert_true(matrix_get(&qr->now, e, e).im == 0);
        if (!(error <= 16))
            fail_msg("%s, %lld x %lld: reflection %lld is off by %Lg u", lava_type_name(qr->type),
                     (long long)qr->rows, (long long)qr->columns, (long long)e, error);
        worst_reflection = fmaxl(worst_reflection, error / 16);
    }
    free(v);
}

static void check_columns(const struct qr *qr) {
    struct value *x = reflections_values(qr->rows * qr->columns), *a = reflections_values(qr->rows);
    for (int64_t j = 0; j < qr->columns; j++)
        for (int64_t i = 0; i <= j && i < qr->rows; i++)
            x[j * qr->rows + i] = matrix_get(&qr->now, i, j);
    apply_all(&qr->now, &qr->tau, false, true, x, qr->columns);
    for (int64_t j = 0; j < qr->columns; j++) {
        struct value *column = &x[j * qr->rows];
        long double k = lava_minimum(j + 1, qr->order), unit = (long double)lava_type_facts(qr->type)->unit;
        for (int64_t i = 0; i < qr->rows; i++) {
            a[i] = matrix_get(&qr->a, i, j);
            column[i].re -= a[i].re;
            column[i].im -= a[i].im;
        }
        long double most = (12 + 4 * sqrtl(k)) * unit * norm_of(a, qr->rows),
                    error = norm_of(column, qr->rows);
        if (!(error <= most))
            fail_msg("%s, %lld x %lld: column %lld is off by %Lg, not %Lg", lava_type_name(qr->type),
                     (long long)qr->rows, (long long)qr->columns, (long long)j, error, most);
        worst_column = most > 0 ? fmaxl(worst_column, error / most) : worst_column;
    }
    free(x);
    free(a);
}

void reflections_check(const struct qr *qr) {
    check_reflections(qr);
    check_columns(qr);
}

void reflections_tell(enum lava_type type) {
    printf("%s: the largest error is %.3Lf of what is allowed by column, %.3Lf by reflection\n",
           lava_type_name(type), worst_column, worst_reflection);
    worst_column = worst_reflection = 0;
}

void reflections_check_product(const struct qr *qr, const struct matrix *got, struct value *y, bool adjoint,
                               bool on_right) {
    int64_t columns = on_right ? got->rows : got->columns, rows = qr->rows;
    long double unit = (long double)lava_type_facts(qr->type)->unit;
    apply_all(&qr->now, &qr->tau, adjoint, false, y, columns);
    for (int64_t j = 0; j < columns; j++) {
        long double most = (12 + 4 * sqrtl((long double)qr->order)) * unit * norm_of(&y[j * rows], rows);
        for (int64_t i = 0; i < rows; i++) {
            struct value x = on_right ? matrix_get(got, j, i) : matrix_get(got, i, j);
            y[j * rows + i].re -= x.re;
            y[j * rows + i].im -= on_right ? -x.im : x.im;
        }
        long double error = norm_of(&y[j * rows], rows);
        if (!(error <= most))
            fail_msg("%s, %lld x %lld, %lld reflections: column %lld is off by %Lg, not %Lg",
                     lava_type_name(qr->type), (long long)got->rows, (long long)got->columns,
                     (long long)qr->order, (long long)j, error, most);
        worst_column = fmaxl(worst_column, error / most);
    }
}

/* R x for row i, less y, by which it may be off beside what substitution may be. */
static long double error_of_row(const struct qr *qr, const struct matrix *got, int64_t i, int64_t side,
                                struct value y) {
    long double size = 0, unit = (long double)lava_type_facts(qr->type)->unit;
    for (int64_t j = i; j < qr->columns; j++) {
        struct value r = matrix_get(&qr->now, i, j), x = matrix_get(got, j, side), term = times(r, x, false);
        y.re -= term.re;
        y.im -= term.im;
        size += problem_size_of(r) * problem_size_of(x);
    }
    long double error = problem_size_of(y) - 4 * ((long double)qr->columns + 2) * unit * size;
    return error < 0 ? 0 : error; /* not of NaN */
}

void reflections_check_least_squares(const struct qr *qr, const struct matrix *b, const struct matrix *got,
                                     bool solves) {
    struct value *y = reflections_values(qr->rows * b->columns);
    long double unit = (long double)lava_type_facts(qr->type)->unit, sum;
    for (int64_t j = 0; j < b->columns; j++)
        for (int64_t i = 0; i < qr->rows; i++)
            y[j * qr->rows + i] = matrix_get(b, i, j);
    apply_all(&qr->now, &qr->tau, true, false, y, b->columns);
    for (int64_t j = 0; j < b->columns; j++) {
        const struct value *column = &y[j * qr->rows];
        sum = 0;
        for (int64_t i = 0; i < qr->rows; i++) {
            struct value x = matrix_get(got, i, j), rest = {column[i].re - x.re, column[i].im - x.im};
            long double error =
                i < qr->columns && solves ? error_of_row(qr, got, i, j, column[i]) : problem_size_of(rest);
            sum += error * error;
        }
        long double most = (12 + 4 * sqrtl((long double)qr->order)) * unit * norm_of(column, qr->rows);
        if (!(sqrtl(sum) <= most))
            fail_msg("%s, %lld x %lld, %lld sides: column %lld is off by %Lg, not %Lg",
                     lava_type_name(qr->type), (long long)qr->rows, (long long)qr->columns,
                     (long long)b->columns, (long long)j, sqrtl(sum), most);
        worst_column = most > 0 ? fmaxl(worst_column, sqrtl(sum) / most) : worst_column;
    }
    free(y);
}

/* b - R^H y for one row: by how much it is off, and by how much substitution may be. */
static long double rest_of_row(const struct qr *qr, const struct value *y, int64_t i, struct value b,
                               long double *most) {
    long double size = 0, unit = (long double)lava_type_facts(qr->type)->unit;
    for (int64_t j = 0; j <= i; j++) {
        struct value r = matrix_get(&qr->now, j, i), term = times(r, y[j], true);
        b.re -= term.re;
        b.im -= term.im;
        size += problem_size_of(r) * problem_size_of(y[j]);
    }
    *most = 4 * ((long double)qr->columns + 2) * unit * size;
    return problem_size_of(b);
}

static long double norm_of_r(const struct qr *qr) {
    long double sum = 0;
    for (int64_t j = 0; j < qr->columns; j++)
        for (int64_t i = 0; i <= j; i++) {
            long double size = problem_size_of(matrix_get(&qr->now, i, j));
            sum += size * size;
        }
    return sqrtl(sum);
}

void reflections_check_least_norm(const struct qr *qr, const struct matrix *b, const struct matrix *got) {
    struct value *y = reflections_values(qr->rows * b->columns);
    long double unit = (long double)lava_type_facts(qr->type)->unit, r = norm_of_r(qr);
    for (int64_t j = 0; j < b->columns; j++)
        for (int64_t i = 0; i < qr->rows; i++)
            y[j * qr->rows + i] = matrix_get(got, i, j);
    apply_all(&qr->now, &qr->tau, true, false, y, b->columns);
    for (int64_t j = 0; j < b->columns; j++) {
        const struct value *column = &y[j * qr->rows];
        long double most = (12 + 4 * sqrtl((long double)qr->order)) * unit * norm_of(column, qr->rows),
                    below = norm_of(column + qr->columns, qr->rows - qr->columns), sum = 0, by_solve = 0;
        for (int64_t i = 0; i < qr->columns; i++) {
            long double row, rest = rest_of_row(qr, column, i, matrix_get(b, i, j), &row);
            sum += rest * rest;
            by_solve += row * row;
        }
        long double error = fmaxl(sqrtl(sum) - sqrtl(by_solve), 0) / r;
        if (!(below <= most) || !(sqrtl(sum) <= sqrtl(by_solve) + r * most))
            fail_msg("%s, adjoint of %lld x %lld, %lld sides: column %lld is off by %Lg and %Lg, not %Lg",
                     lava_type_name(qr->type), (long long)qr->rows, (long long)qr->columns,
                     (long long)b->columns, (long long)j, error, below, most);
        worst_column = most > 0 ? fmaxl(worst_column, fmaxl(error, below) / most) : worst_column;
    }
    free(y);
}
