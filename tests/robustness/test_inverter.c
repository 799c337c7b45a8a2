/* Inverses from host memory to host memory, of matrices that take several transfers, and what the CPU makes
 * of them after a failure.
 *
 *     test_inverter [queues|faults]
 *         queues: with a timeline for each direction
 *         faults: with every step failing once; needs -Dfault_injection=true */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/lapack/families.h"
#include "lib/offload/complete.h"
#include "lib/offload/offload.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/exact.h"
#include "tests/robustness/lapack_sweep.h"

#define ORDER EXACT_ORDER

static struct lava_engine *engine;
static bool has_faults, separates_queues;
/* Columns of the workspace with which the CPU goes on. */
#define WORK_COLUMNS 50

/* A matrix, and its inverse. */
struct problem {
    struct lava_operation operation;
    struct exact_matrix a;
    int64_t pivots[ORDER];
    void *work;
};

static int open_engine(void **state) {
    (void)state;
    return device_test_open_with(true, separates_queues, &engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

static struct problem *new_problem(enum lava_operation_kind kind, enum lava_type type,
                                   enum lava_region region) {
    struct problem *problem = calloc(1, sizeof *problem);
    assert_non_null(problem);
    problem->operation = (struct lava_operation){.kind = kind,
                                                 .type = type,
                                                 .m = ORDER,
                                                 .n = ORDER,
                                                 .k = ORDER,
                                                 .c = {.ld = EXACT_LD, .type = type, .region = region},
                                                 .alpha.real = 1,
                                                 .pivots = problem->pivots};
    problem->a = exact_new(type, ORDER);
    problem->operation.c.first = problem->a.now;
    problem->operation.work = problem->work = calloc(ORDER * WORK_COLUMNS, lava_type_bytes(type));
    problem->operation.work_columns = WORK_COLUMNS;
    assert_non_null(problem->work);
    return problem;
}

/* Elements of a lower triangle below its diagonal whose product with itself is zero: rows that have any are
 * no columns that have some. So the inverse of 1 + N is 1 - N. */
static double *new_nilpotent(void) {
    double *elements = exact_new_factor(ORDER, ORDER, 0, 1);
    bool is_row[ORDER];
    for (int64_t i = 0; i < ORDER; i++)
        is_row[i] = poison_random(2);
    for (int64_t at = 0; at < (int64_t)ORDER * ORDER; at++)
        if (!is_row[at % ORDER] || is_row[at / ORDER])
            elements[at] = 0;
    return elements;
}

/* Element (i, j) of the lower triangle of 2 (1 + N), or of its inverse. */
static double triangle_at(const double *nilpotent, bool inverse, int64_t i, int64_t j) {
    double one = i == j ? 1 : 0, beside = nilpotent[i + j * ORDER];
    return inverse ? (one - beside) / 2 : 2 * (one + beside);
}

/* The same of its transpose times itself, i >= j. */
static double square_at(const double *nilpotent, bool inverse, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t l = i; l < ORDER; l++)
        if (l == i || nilpotent[l + i * ORDER] != 0)
            sum += triangle_at(nilpotent, inverse, l, i) * triangle_at(nilpotent, inverse, l, j);
    return sum;
}

/* The lower triangle 2 (1 + N), or the upper one that is its transpose. */
static struct problem *new_triangle(enum lava_operation_kind kind, enum lava_type type,
                                    enum lava_region region) {
    struct problem *problem = new_problem(kind, type, region);
    bool is_lower = region == LAVA_REGION_LOWER;
    double *nilpotent = new_nilpotent();
    problem->operation.c.real_diagonal = lava_type_is_complex(type) && kind != LAVA_OPERATION_INVERT_TRIANGLE;
    for (int64_t j = 0; j < ORDER; j++)
        for (int64_t i = j; i < ORDER; i++) {
            int64_t row = is_lower ? i : j, column = is_lower ? j : i;
            exact_write(type, problem->a.before, row, column, triangle_at(nilpotent, false, i, j));
            exact_write(type, problem->a.after, row, column,
                        kind == LAVA_OPERATION_INVERT_TRIANGLE
                            ? triangle_at(nilpotent, true, i, j)
                            : square_at(nilpotent, kind == LAVA_OPERATION_INVERT_CHOLESKY, i, j));
        }
    free(nilpotent);
    return problem;
}

/* L = 1 + M, U = 2 (1 + N)', and P. The inverse of L U is (1 - N)' / 2 (1 - M), with its columns swapped. */
static struct problem *new_inverse_by_lu(enum lava_type type) {
    struct problem *problem = new_problem(LAVA_OPERATION_INVERT_LU, type, LAVA_REGION_ALL);
    double *lower = new_nilpotent(), *upper = new_nilpotent();
    int64_t order[ORDER];
    for (int64_t i = 0; i < ORDER; i++)
        problem->pivots[i] = i + poison_random((int)(ORDER - i));
    for (int64_t j = 0; j < ORDER; j++) /* where the columns are after the swaps, from the last one */
        order[j] = j;
    for (int64_t i = ORDER - 1; i >= 0; i--) {
        int64_t column = order[i];
        order[i] = order[problem->pivots[i]];
        order[problem->pivots[i]] = column;
    }
    for (int64_t j = 0; j < ORDER; j++)
        for (int64_t i = 0; i < ORDER; i++) {
            int64_t from = order[j];
            double sum = i <= from ? triangle_at(upper, true, from, i) : 0;
            for (int64_t l = i > from + 1 ? i : from + 1; l < ORDER; l++)
                if (lower[l + from * ORDER] != 0)
                    sum -= triangle_at(upper, true, l, i) * lower[l + from * ORDER];
            exact_write(type, problem->a.after, i, j, sum);
            exact_write(type, problem->a.before, i, j,
                        i > j ? lower[i + j * ORDER] : triangle_at(upper, false, j, i));
        }
    free(lower);
    free(upper);
    return problem;
}

static bool is_by_factor(const struct problem *problem) {
    return problem->operation.kind == LAVA_OPERATION_INVERT_CHOLESKY ||
           problem->operation.kind == LAVA_OPERATION_INVERT_LU;
}

static enum lava_status run(void *tested, struct lava_progress *progress) {
    struct problem *problem = tested;
    const struct lava_overrides overrides = {0};
    const struct lava_plan plan = exact_plan(engine, &problem->operation, &overrides);
    exact_set(&problem->a, 0);
    return lava_inverter_run(engine, &problem->operation, &plan, progress);
}

/* What was not written is as before. If something was, the CPU goes on. */
static void check_after(void *tested, bool came, bool is_new, const struct lava_progress *progress) {
    struct problem *problem = tested;
    (void)is_new;
    if (came)
        exact_check_untouched(&problem->a, progress->column);
    if (came && progress->column == 0)
        return;
    if (came)
        assert_int_equal(lava_complete_on_cpu(&problem->operation, progress), 0);
    exact_check(&problem->a);
}

static void judge(const void *problem, const struct lapack_counts *counts) {
    assert_true((counts->partly > 0) != is_by_factor(problem));
}

static void fail_everywhere(struct problem *problem) {
    const struct lapack_sweep sweep = {&engine, open_engine, problem, ORDER, run, check_after, judge};
    lapack_sweep_run(&sweep);
}

/* The CPU's own way from a number of columns that a device may have written. */
static void complete_from(struct problem *problem, int64_t columns) {
    const struct lava_progress progress = {.rows = ORDER, .column = columns};
    exact_set(&problem->a, columns);
    assert_int_equal(lava_complete_on_cpu(&problem->operation, &progress), 0);
    exact_check(&problem->a);
}

static void check(struct problem *problem) {
    struct lava_progress progress;
    if (has_faults) {
        fail_everywhere(problem);
    } else {
        assert_int_equal(run(problem, &progress), LAVA_OK);
        assert_int_equal(progress.column, ORDER);
        exact_check(&problem->a);
        if (!is_by_factor(problem)) {
            complete_from(problem, 1 + poison_random(ORDER - 1));
            complete_from(problem, ORDER);
        }
    }
    exact_free(&problem->a);
    free(problem->work);
    free(problem);
}

static void triangles(void **state) {
    (void)state;
    check(new_triangle(LAVA_OPERATION_INVERT_TRIANGLE, LAVA_TYPE_FP32, LAVA_REGION_LOWER));
    check(new_triangle(LAVA_OPERATION_INVERT_TRIANGLE, LAVA_TYPE_FP64, LAVA_REGION_UPPER));
    check(new_triangle(LAVA_OPERATION_SQUARE_TRIANGLE, LAVA_TYPE_FP64, LAVA_REGION_UPPER));
    check(new_triangle(LAVA_OPERATION_INVERT_CHOLESKY, LAVA_TYPE_FP64, LAVA_REGION_LOWER));
    if (!has_faults) {
        check(new_triangle(LAVA_OPERATION_INVERT_TRIANGLE, LAVA_TYPE_CFP64, LAVA_REGION_UPPER));
        check(new_triangle(LAVA_OPERATION_SQUARE_TRIANGLE, LAVA_TYPE_CFP32, LAVA_REGION_LOWER));
        check(new_triangle(LAVA_OPERATION_INVERT_CHOLESKY, LAVA_TYPE_CFP32, LAVA_REGION_UPPER));
    }
}

static void by_lu(void **state) {
    (void)state;
    check(new_inverse_by_lu(LAVA_TYPE_FP32));
    if (!has_faults)
        check(new_inverse_by_lu(LAVA_TYPE_CFP64));
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(triangles), cmocka_unit_test(by_lu)};
    for (int i = 1; i < count; i++) {
        has_faults = has_faults || !strcmp(arguments[i], "faults");
        separates_queues = separates_queues || !strcmp(arguments[i], "queues");
    }
    poison_begin((unsigned)time(NULL));
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
