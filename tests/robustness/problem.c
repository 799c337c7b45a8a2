/* Creates systems of equations with triangular matrices and measures solutions of them. */
#include "tests/robustness/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/worst_error.h"

unsigned problem_seed;

size_t problem_first_type(void) {
    return (size_t)rand_r(&problem_seed) % 2;
}

double problem_uniform(double low, double high) {
    return low + (high - low) * rand_r(&problem_seed) / RAND_MAX;
}

int problem_run_tests(const struct CMUnitTest *tests, size_t count, int begin(void **), int end(void **)) {
    const char *part = getenv("LAVA_TEST_PART");
    struct CMUnitTest chosen[20];
    size_t chosen_count = 0;
    assert_in_range(count, PROBLEM_PARTS, sizeof chosen / sizeof chosen[0]);
    for (size_t i = part ? (size_t)atoi(part) : 0; i < count; i += part ? PROBLEM_PARTS : 1)
        chosen[chosen_count++] = tests[i];
    return _cmocka_run_group_tests("tests", chosen, chosen_count, begin, end);
}

static struct value product(struct value a, struct value b) {
    return (struct value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

long double problem_size_of(struct value a) {
    return a.im == 0 ? fabsl(a.re) : sqrtl(a.re * a.re + a.im * a.im);
}

struct value problem_dot(const struct value *x, const struct value *y, int64_t count, bool conjugates,
                         bool is_real) {
    struct value sum = {0, 0};
    for (int64_t i = 0; i < count && is_real; i++)
        sum.re += x[i].re * y[i].re;
    for (int64_t i = 0; i < count && !is_real; i++) {
        const long double im = conjugates ? -x[i].im : x[i].im;
        sum.re += x[i].re * y[i].re - im * y[i].im;
        sum.im += x[i].re * y[i].im + im * y[i].re;
    }
    return sum;
}

static bool is_zero(struct value x) {
    return x.re == 0 && x.im == 0;
}

struct problem_range problem_nonzeros(const struct value *x, int64_t count) {
    struct problem_range range = {0, count};
    while (range.end > 0 && is_zero(x[range.end - 1]))
        range.end--;
    while (range.begin < range.end && is_zero(x[range.begin]))
        range.begin++;
    return range;
}

struct matrix matrix_new(enum lava_type type, int64_t rows, int64_t columns) {
    struct matrix matrix = {.type = type, .rows = rows, .columns = columns};
    matrix.before = LAVA_DEVICE_MATRIX_ALIGN / (int64_t)lava_type_bytes(type);
    matrix.ld = rows + 2 * matrix.before;
    matrix.bytes = (size_t)(matrix.ld * (columns + 2 * PROBLEM_FRAME_COLUMNS)) * lava_type_bytes(type);
    matrix.all = malloc(matrix.bytes);
    assert_non_null(matrix.all);
    memset(matrix.all, 0xff, matrix.bytes);
    return matrix;
}

struct matrix matrix_copy(const struct matrix *from) {
    struct matrix matrix = matrix_new(from->type, from->rows, from->columns);
    memcpy(matrix.all, from->all, from->bytes);
    return matrix;
}

void *matrix_element(const struct matrix *matrix, int64_t i, int64_t j) {
    int64_t at = (j + PROBLEM_FRAME_COLUMNS) * matrix->ld + matrix->before + i;
    return matrix->all + (size_t)at * lava_type_bytes(matrix->type);
}

struct value matrix_get(const struct matrix *matrix, int64_t i, int64_t j) {
    const void *from = matrix_element(matrix, i, j);
    const float *narrow = from;
    const double *wide = from;
    bool is_complex = lava_type_is_complex(matrix->type);
    if (lava_type_real(matrix->type) == LAVA_TYPE_FP32)
        return (struct value){narrow[0], is_complex ? narrow[1] : 0};
    return (struct value){wide[0], is_complex ? wide[1] : 0};
}

void matrix_set(struct matrix *matrix, int64_t i, int64_t j, double re, double im) {
    void *to = matrix_element(matrix, i, j);
    bool is_complex = lava_type_is_complex(matrix->type),
         narrow = lava_type_real(matrix->type) == LAVA_TYPE_FP32;
    const float floats[] = {(float)re, (float)im};
    const double doubles[] = {re, im};
    memcpy(to, narrow ? (const void *)floats : doubles, (narrow ? 4u : 8u) * (is_complex ? 2u : 1u));
}

/* A's elements follow from their distance to the diagonal: small ones beside it, so that X does not grow. */
static void fill_a(struct problem *problem) {
    double most = 1 / sqrt((double)problem->order);
    for (int64_t j = 0; j < problem->order; j++)
        for (int64_t i = 0; i < problem->order; i++) {
            if (i == j && !problem->solve.unit_diagonal)
                matrix_set(&problem->a, i, j, problem_uniform(0.5, 2) * (rand_r(&problem_seed) % 2 ? 1 : -1),
                           problem_uniform(-1, 1));
            else if (i != j && (i > j) == (problem->solve.stored == LAVA_REGION_LOWER))
                matrix_set(&problem->a, i, j, problem_uniform(-most, most), problem_uniform(-most, most));
        }
}

struct problem problem_new(const struct lava_device_solve *solve, enum lava_type type, int64_t order,
                           int64_t sides) {
    struct problem problem = {.solve = *solve, .order = order, .sides = sides};
    problem.a = matrix_new(type, order, order);
    problem.b = solve->a_on_right ? matrix_new(type, sides, order) : matrix_new(type, order, sides);
    problem.x = matrix_new(type, problem.b.rows, problem.b.columns);
    fill_a(&problem);
    for (int64_t j = 0; j < problem.b.columns; j++)
        for (int64_t i = 0; i < problem.b.rows; i++)
            matrix_set(&problem.b, i, j, problem_uniform(-1, 1), problem_uniform(-1, 1));
    return problem;
}

void problem_free(struct problem *problem) {
    free(problem->a.all);
    free(problem->b.all);
    free(problem->x.all);
}

bool matrix_frame_is_untouched(const struct matrix *matrix) {
    struct matrix rest = matrix_copy(matrix);
    for (int64_t j = 0; j < rest.columns; j++)
        memset(matrix_element(&rest, 0, j), 0xff, (size_t)rest.rows * lava_type_bytes(rest.type));
    size_t same = 0;
    while (same < rest.bytes && rest.all[same] == 0xff)
        same++;
    free(rest.all);
    return same == rest.bytes;
}

const char *problem_text(const struct problem *problem) {
    static char text[200];
    const struct lava_device_solve *solve = &problem->solve;
    snprintf(text, sizeof text, "%s, %s, %s, %s%s, %s diagonal, %lld x %lld, alpha %g %g",
             lava_type_name(problem->a.type), solve->a_on_right ? "right" : "left",
             solve->stored == LAVA_REGION_LOWER ? "lower" : "upper", solve->op == LAVA_OP_N ? "N" : "T",
             solve->conjugate ? " conjugated" : "", solve->unit_diagonal ? "unit" : "stored",
             (long long)problem->order, (long long)problem->sides, solve->alpha.real, solve->alpha.imaginary);
    return text;
}

/* Row i, column k of T, with T x = alpha b for every right-hand side. */
static struct value t_at(const struct problem *problem, int64_t i, int64_t k) {
    const struct lava_device_solve *solve = &problem->solve;
    bool transposed = (solve->op == LAVA_OP_T) != solve->a_on_right;
    int64_t row = transposed ? k : i, column = transposed ? i : k;
    if (row == column && solve->unit_diagonal)
        return (struct value){1, 0};
    if (row != column && (row > column) != (solve->stored == LAVA_REGION_LOWER))
        return (struct value){0, 0};
    struct value value = matrix_get(&problem->a, row, column);
    value.im = solve->conjugate ? -value.im : value.im;
    return value;
}

struct value problem_side(const struct problem *problem, const struct matrix *matrix, int64_t i, int64_t s) {
    return problem->solve.a_on_right ? matrix_get(matrix, s, i) : matrix_get(matrix, i, s);
}

struct dense problem_dense(const struct problem *problem) {
    size_t n = (size_t)problem->order;
    struct dense dense = {malloc(n * n * sizeof *dense.t), malloc(n * n * sizeof *dense.sizes)};
    assert_true(dense.t && dense.sizes);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            dense.t[i * n + k] = t_at(problem, (int64_t)i, (int64_t)k);
            dense.sizes[i * n + k] = problem_size_of(dense.t[i * n + k]);
        }
    return dense;
}
void problem_dense_free(struct dense *dense) {
    free(dense->t);
    free(dense->sizes);
}

long double problem_error(const struct problem *problem, const struct matrix *x) {
    size_t n = (size_t)problem->order;
    struct dense dense = problem_dense(problem);
    struct value *side = malloc(n * sizeof *side),
                 alpha = {problem->solve.alpha.real, problem->solve.alpha.imaginary};
    long double *sizes = malloc(n * sizeof *sizes), worst = 0, unit = lava_type_facts(x->type)->unit;
    bool is_real = !lava_type_is_complex(x->type);
    assert_true(side && sizes);
    for (int64_t s = 0; s < problem->sides; s++) {
        for (size_t k = 0; k < n; k++) {
            side[k] = problem_side(problem, x, (int64_t)k, s);
            sizes[k] = problem_size_of(side[k]);
        }
        for (size_t i = 0; i < n; i++) {
            const struct problem_range row = problem_nonzeros(&dense.t[i * n], (int64_t)n);
            const struct value right = product(alpha, problem_side(problem, &problem->b, (int64_t)i, s));
            struct value residual = problem_dot(&dense.t[(int64_t)(i * n) + row.begin], &side[row.begin],
                                                row.end - row.begin, false, is_real);
            long double bound = 0;
            residual.re -= right.re;
            residual.im -= right.im;
            for (int64_t k = row.begin; k < row.end; k++)
                bound += dense.sizes[(int64_t)(i * n) + k] * sizes[k];
            long double size = problem_size_of(residual), error = size == 0 ? 0 : size / (bound * unit);
            worst = worst_of(worst, error);
        }
    }
    problem_dense_free(&dense);
    free(side);
    free(sizes);
    return worst;
}

/* Rounds to the type, unless it is to be exact. */
static struct value rounded(struct value value, enum lava_type type, bool exact) {
    if (exact)
        return value;
    if (lava_type_real(type) == LAVA_TYPE_FP32)
        return (struct value){(float)value.re, (float)value.im};
    return (struct value){(double)value.re, (double)value.im};
}

static struct value quotient(struct value a, struct value b, enum lava_type type) {
    long double square = b.re * b.re + b.im * b.im;
    if (!lava_type_is_complex(type))
        return (struct value){a.re / b.re, 0};
    return (struct value){(a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square};
}

void problem_substitute(const struct problem *problem, const struct dense *dense, bool exact, int64_t s,
                        struct value *x) {
    const struct lava_device_solve *solve = &problem->solve;
    const struct value alpha = {solve->alpha.real, solve->alpha.imaginary};
    enum lava_type type = problem->a.type;
    bool transposed = (solve->op == LAVA_OP_T) != solve->a_on_right;
    bool reversed = (solve->stored == LAVA_REGION_UPPER) != transposed;
    bool keeps_zeros = !solve->a_on_right && solve->op == LAVA_OP_N;
    int64_t n = problem->order;
    for (int64_t step = 0; step < n; step++) {
        int64_t i = reversed ? n - 1 - step : step;
        struct value sum = rounded(product(alpha, problem_side(problem, &problem->b, i, s)), type, exact);
        for (int64_t before = 0; before < step; before++) {
            int64_t k = reversed ? n - 1 - before : before;
            struct value term = rounded(product(dense->t[i * n + k], x[k]), type, exact);
            if (!keeps_zeros || problem_size_of(x[k]) != 0)
                sum = rounded((struct value){sum.re - term.re, sum.im - term.im}, type, exact);
        }
        x[i] = sum;
        if (!keeps_zeros || problem_size_of(sum) != 0)
            x[i] = rounded(quotient(sum, dense->t[i * n + i], type), type, exact);
    }
}
