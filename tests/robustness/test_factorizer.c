/* Factorizations and inverses from host memory to host memory, of matrices that take several transfers, and
 * what the CPU makes of them after a failure. All numbers are such that every step is exact, so the results
 * have the same bits wherever they were computed.
 *
 *     test_factorizer [faults]      faults: the same with every step failing once; needs
 * -Dfault_injection=true */
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

#include "dispatch/solve.h"
#include "lib/engine/factorizer.h"
#include "lib/host/numbers.h"
#include "lib/offload/offload.h"
#include "tests/library/poison.h"
#include "tests/robustness/device_test.h"

#define ORDER (LAVA_SOLVE_TRAPEZOID + 70)
#define LD    (ORDER + 5)

static struct lava_engine *engine;
static bool has_faults;

/* A matrix, what its factors are, and room for either. The bytes that the matrix does not have are part of
 * NaN. */
struct problem {
    struct lava_operation operation;
    void *before, *factors, *now;
    int64_t pivots[ORDER], expected_pivots[ORDER];
};

static size_t bytes_of(const struct problem *problem) {
    return (size_t)(LD * problem->operation.n) * lava_type_bytes(problem->operation.type);
}

static int open_engine(void **state) {
    (void)state;
    return device_test_open(true, &engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

/* Elements of a lower factor, with few that are not zero, and the diagonal given. */
static double *new_factor(int64_t rows, int64_t columns, double diagonal, double step) {
    double *factor = calloc((size_t)(rows * columns), sizeof *factor);
    assert_non_null(factor);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = j; i < rows; i++)
            factor[i + j * rows] = i == j ? diagonal : poison_random(4) ? 0 : (poison_random(3) - 1) * step;
    return factor;
}

static void write_at(const struct problem *problem, void *matrix, int64_t i, int64_t j, double number) {
    enum lava_type type = problem->operation.type;
    lava_number_write(type, lava_operation_element(matrix, type, i, j, LD),
                      (struct lava_number){.real = number});
}

static struct problem *new_problem(enum lava_operation_kind kind, enum lava_type type,
                                   enum lava_region region, int64_t m, int64_t n) {
    struct problem *problem = calloc(1, sizeof *problem);
    assert_non_null(problem);
    problem->operation = (struct lava_operation){.kind = kind,
                                                 .type = type,
                                                 .m = m,
                                                 .n = n,
                                                 .k = m < n ? m : n,
                                                 .c = {.ld = LD, .type = type, .region = region},
                                                 .alpha.real = 1,
                                                 .pivots = problem->pivots};
    problem->before = poison_new(bytes_of(problem));
    problem->factors = poison_new(bytes_of(problem));
    problem->now = poison_new(bytes_of(problem));
    problem->operation.c.first = problem->now;
    return problem;
}

static void free_problem(struct problem *problem) {
    free(problem->before);
    free(problem->factors);
    free(problem->now);
    free(problem);
}

/* L L' for a lower L with a diagonal of 2. */
static struct problem *new_cholesky(enum lava_type type, enum lava_region region) {
    struct problem *problem = new_problem(LAVA_OPERATION_CHOLESKY, type, region, ORDER, ORDER);
    double *factor = new_factor(ORDER, ORDER, 2, 1);
    bool is_lower = region == LAVA_REGION_LOWER;
    problem->operation.c.real_diagonal = lava_type_is_complex(type);
    for (int64_t j = 0; j < ORDER; j++)
        for (int64_t i = j; i < ORDER; i++) {
            double sum = 0;
            for (int64_t l = 0; l <= j; l++)
                sum += factor[i + l * ORDER] * factor[j + l * ORDER];
            write_at(problem, problem->before, is_lower ? i : j, is_lower ? j : i, sum);
            write_at(problem, problem->factors, is_lower ? i : j, is_lower ? j : i, factor[i + j * ORDER]);
        }
    free(factor);
    return problem;
}

/* P' L U for an L of halves, so that a pivot is the only largest one, with the rows in random order. */
static struct problem *new_lu(enum lava_type type, int64_t m, int64_t n) {
    struct problem *problem = new_problem(LAVA_OPERATION_LU, type, LAVA_REGION_ALL, m, n);
    int64_t least = problem->operation.k, at[ORDER];
    double *lower = new_factor(m, least, 1, 0.5), *upper = new_factor(n, least, 4, 1);
    for (int64_t i = 0; i < m; i++)
        at[i] = i;
    for (int64_t i = least - 1; i >= 0; i--) { /* undoes the swaps, from the last one */
        int64_t pivot = i + poison_random((int)(m - i)), row = at[i];
        problem->expected_pivots[i] = pivot;
        at[i] = at[pivot];
        at[pivot] = row;
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double sum = 0;
            for (int64_t l = 0; l < least && l <= i && l <= j; l++)
                sum += lower[i + l * m] * upper[j + l * n];
            int64_t row = 0;
            while (at[row] != i)
                row++;
            write_at(problem, problem->before, row, j, sum);
            write_at(problem, problem->factors, i, j, i > j ? lower[i + j * m] : upper[j + i * n]);
        }
    free(lower);
    free(upper);
    return problem;
}

/* Elements of a lower triangle below its diagonal whose product with itself is zero: rows that have any are
 * no columns that have some. So the inverse of 1 + N is 1 - N. */
static double *new_nilpotent(void) {
    double *elements = new_factor(ORDER, ORDER, 0, 1);
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
    struct problem *problem = new_problem(kind, type, region, ORDER, ORDER);
    bool is_lower = region == LAVA_REGION_LOWER;
    double *nilpotent = new_nilpotent();
    problem->operation.c.real_diagonal = lava_type_is_complex(type) && kind != LAVA_OPERATION_INVERT_TRIANGLE;
    for (int64_t j = 0; j < ORDER; j++)
        for (int64_t i = j; i < ORDER; i++) {
            int64_t row = is_lower ? i : j, column = is_lower ? j : i;
            write_at(problem, problem->before, row, column, triangle_at(nilpotent, false, i, j));
            write_at(problem, problem->factors, row, column,
                     kind == LAVA_OPERATION_INVERT_TRIANGLE
                         ? triangle_at(nilpotent, true, i, j)
                         : square_at(nilpotent, kind == LAVA_OPERATION_INVERT_CHOLESKY, i, j));
        }
    free(nilpotent);
    return problem;
}

/* L = 1 + M, U = 2 (1 + N)', and P. The inverse of L U is (1 - N)' / 2 (1 - M), with its columns swapped. */
static struct problem *new_inverse_by_lu(enum lava_type type) {
    struct problem *problem = new_problem(LAVA_OPERATION_INVERT_LU, type, LAVA_REGION_ALL, ORDER, ORDER);
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
            write_at(problem, problem->factors, i, j, sum);
            write_at(problem, problem->before, i, j,
                     i > j ? lower[i + j * ORDER] : triangle_at(upper, false, j, i));
        }
    free(lower);
    free(upper);
    return problem;
}

/* Where some columns are written, the CPU can go on. */
static bool goes_on(const struct problem *problem) {
    return problem->operation.kind != LAVA_OPERATION_INVERT_CHOLESKY &&
           problem->operation.kind != LAVA_OPERATION_INVERT_LU;
}

static enum lava_status run(struct problem *problem, struct lava_progress *progress) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1, 1, 1}};
    struct lava_plan plan;
    memcpy(problem->now, problem->before, bytes_of(problem));
    lava_policy_choose(&problem->operation, &engine->capabilities, &figures, LAVA_MODE_GPU, NULL, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    return lava_factorizer_run(engine, &problem->operation, &plan, progress);
}

/* The bits are equal, except that a zero may be negative. */
static void check_factors(const struct problem *problem) {
    enum lava_type type = problem->operation.type;
    for (int64_t at = 0; at < LD * problem->operation.n; at++) {
        const void *now = lava_operation_element(problem->now, type, at, 0, LD);
        const void *expected = lava_operation_element(problem->factors, type, at, 0, LD);
        const struct lava_number number = lava_number_read(type, now);
        if (number.real != 0 && number.imaginary == 0)
            assert_memory_equal(now, expected, lava_type_bytes(lava_type_real(type)));
        else if (memcmp(now, expected, lava_type_bytes(type)) != 0)
            assert_true(number.real == lava_number_read(type, expected).real &&
                        number.imaginary == lava_number_read(type, expected).imaginary);
    }
    if (problem->operation.kind == LAVA_OPERATION_LU)
        assert_memory_equal(problem->pivots, problem->expected_pivots,
                            (size_t)problem->operation.k * sizeof *problem->pivots);
}

#ifdef LAVA_FAULT_INJECTION
#    include "tests/robustness/fault_sweep.h"

/* Lets each passage of a point fail, and lets the CPU go on from there. */
static void fail_at(struct problem *problem, enum lava_fault_point point, const char *name) {
    struct lava_progress progress;
    long partly = 0;
    set_fault(NULL, 0);
    lava_engine_release(engine);
    assert_int_equal(run(problem, &progress), LAVA_OK);
    long passages = lava_fault_passages(point);
    assert_true(passages > 0);
    for (long passage = 1; passage <= passages; passage++) {
        lava_engine_release(engine);
        set_fault(name, passage);
        bool came = fault_came(engine, point, passage, run(problem, &progress));
        set_fault(NULL, 0);
        assert_int_equal(lava_arena_taken_bytes(&engine->arena), 0);
        if (came && progress.column == 0)
            assert_memory_equal(problem->now, problem->before, bytes_of(problem));
        else if (came)
            assert_int_equal(lava_offload_complete(&problem->operation, &progress), 0);
        partly += came && progress.column > 0;
        if (!came || progress.column > 0)
            check_factors(problem);
    }
    printf("%s: %ld passages, %ld with columns written\n", name, passages, partly);
    assert_true(point != LAVA_FAULT_DOWNLOAD || (partly > 0) == goes_on(problem));
}

static void fail_everywhere(struct problem *problem) {
    fail_at(problem, LAVA_FAULT_ALLOCATE, "allocate");
    fail_at(problem, LAVA_FAULT_UPLOAD, "upload");
    fail_at(problem, LAVA_FAULT_SUBMIT, "submit");
    fail_at(problem, LAVA_FAULT_DOWNLOAD, "download");
}
#else
static void fail_everywhere(struct problem *problem) {
    (void)problem;
    skip();
}
#endif

/* The CPU's own way from every number of columns that a device may have written. */
static void complete_from(struct problem *problem, int64_t columns) {
    const struct lava_progress progress = {.rows = problem->operation.m, .column = columns};
    size_t bytes = (size_t)(LD * columns) * lava_type_bytes(problem->operation.type);
    memcpy(problem->now, problem->before, bytes_of(problem));
    memcpy(problem->now, problem->factors, bytes);
    if (problem->operation.kind == LAVA_OPERATION_LU)
        memcpy(problem->pivots, problem->expected_pivots, sizeof problem->pivots);
    assert_int_equal(lava_offload_complete(&problem->operation, &progress), 0);
    check_factors(problem);
}

static void check(struct problem *problem) {
    struct lava_progress progress;
    if (has_faults) {
        fail_everywhere(problem);
    } else {
        assert_int_equal(run(problem, &progress), LAVA_OK);
        assert_int_equal(progress.column, problem->operation.n);
        check_factors(problem);
        if (goes_on(problem)) {
            complete_from(problem, 1 + poison_random((int)problem->operation.n - 1));
            complete_from(problem, problem->operation.n);
        }
    }
    free_problem(problem);
}

static void cholesky(void **state) {
    (void)state;
    check(new_cholesky(LAVA_TYPE_FP32, LAVA_REGION_LOWER));
    check(new_cholesky(LAVA_TYPE_FP64, LAVA_REGION_UPPER));
    if (!has_faults) {
        check(new_cholesky(LAVA_TYPE_CFP64, LAVA_REGION_LOWER));
        check(new_cholesky(LAVA_TYPE_CFP32, LAVA_REGION_UPPER));
    }
}

static void lu(void **state) {
    (void)state;
    check(new_lu(LAVA_TYPE_FP32, ORDER, ORDER));
    check(new_lu(LAVA_TYPE_FP64, 90, ORDER));
    if (!has_faults) {
        check(new_lu(LAVA_TYPE_CFP32, ORDER, 100));
        check(new_lu(LAVA_TYPE_CFP64, 300, ORDER));
    }
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

/* A matrix that is not positive definite remains as it is, and the status says why. */
static void not_definite(void **state) {
    struct problem *problem = new_cholesky(LAVA_TYPE_FP64, LAVA_REGION_LOWER);
    struct lava_progress progress;
    (void)state;
    write_at(problem, problem->before, ORDER - 3, ORDER - 3, -1);
    assert_int_equal(run(problem, &progress), LAVA_ERROR_NOT_DEFINITE);
    assert_int_equal(progress.column, 0);
    assert_memory_equal(problem->now, problem->before, bytes_of(problem));
    free_problem(problem);
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cholesky), cmocka_unit_test(lu),
                                       cmocka_unit_test(triangles), cmocka_unit_test(by_lu),
                                       cmocka_unit_test(not_definite)};
    has_faults = count > 1 && !strcmp(arguments[1], "faults");
    poison_begin((unsigned)time(NULL));
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
