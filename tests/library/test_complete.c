/* What the CPU computes after a product failed on the device: for every point of failure, in all of C and in
 * either triangle by strips, exactly the elements that were not written yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/engine/runner.h"
#include "lib/offload/offload.h"
#include "tests/library/poison.h"

/* Written elements hold this: no product of these tests has it. */
static const struct naive_number written = {123456, 0};

/* C in blocks of so many rows, or in strips of so many rows or columns. */
struct completed {
    struct lava_problem problem;
    int64_t block;
    void *before; /* C, column-major */
};

static size_t bytes_of_c(const struct lava_problem *problem) {
    return (size_t)(problem->ldc * problem->n) * lava_type_bytes(problem->type);
}

static bool in_region(const struct lava_problem *problem, int64_t i, int64_t j) {
    return problem->region == LAVA_REGION_ALL || (problem->region == LAVA_REGION_LOWER ? i >= j : i <= j);
}

/* Blocks are written one after the other, each column by column. */
static bool is_written(const struct lava_problem *problem, const struct lava_progress *progress, int64_t i,
                       int64_t j) {
    int64_t end = progress->row + progress->rows;
    bool in_strip = problem->region == LAVA_REGION_UPPER || (i >= progress->row && i < end);
    if (!in_strip)
        return i < progress->row;
    return j < progress->column || (j == progress->column && i < progress->row + progress->partial);
}

static void clear_imaginary(const struct lava_problem *problem, int64_t i, int64_t j,
                            struct naive_number *number) {
    if (problem->real_diagonal && i == j)
        number->imaginary = 0;
}

static void check_element(const struct completed *completed, const struct lava_progress *progress, int64_t i,
                          int64_t j) {
    const struct lava_problem *problem = &completed->problem;
    const size_t bytes = lava_type_bytes(problem->type);
    const size_t at = (size_t)(i + j * problem->ldc) * bytes;
    if (i >= problem->m || !in_region(problem, i, j)) {
        assert_memory_equal((const char *)problem->c + at, (const char *)completed->before + at, bytes);
        return;
    }
    char op_b = problem->op_b == LAVA_OP_N ? 'N' : problem->conjugate_b ? 'C' : 'T';
    char op_a = problem->op_a == LAVA_OP_N ? 'N' : problem->conjugate_a ? 'C' : 'T';
    const struct naive_product product = {.type = problem->type,
                                          .transa = op_a,
                                          .transb = op_b,
                                          .k = problem->k,
                                          .lda = problem->lda,
                                          .ldb = problem->ldb,
                                          .ldc = problem->ldc,
                                          .alpha = {problem->alpha, problem->alpha_imaginary},
                                          .beta = {problem->beta, problem->beta_imaginary},
                                          .a = problem->a,
                                          .b = problem->b,
                                          .c = completed->before};
    bool done = is_written(problem, progress, i, j);
    struct naive_number expected = done ? written : naive_element(&product, i, j);
    struct naive_number got = naive_read(problem->type, problem->c, i + j * problem->ldc);
    clear_imaginary(problem, i, j, &expected);
    if (got.real != expected.real || got.imaginary != expected.imaginary)
        fail_msg(
            "%s, region %d, n %d: failed in rows %d + %d, column %d, row %d; (%d, %d) is %Lg %Lg, not %Lg "
            "%Lg",
            lava_type_name(problem->type), (int)problem->region, (int)problem->n, (int)progress->row,
            (int)progress->rows, (int)progress->column, (int)progress->partial, (int)i, (int)j, got.real,
            got.imaginary, expected.real, expected.imaginary);
}

/* Imaginary parts of a real diagonal are NaN where nothing was written: nobody may read them. */
static void poison_diagonal(const struct lava_problem *problem) {
    const size_t bytes = lava_type_bytes(problem->type);
    for (int64_t j = 0; j < problem->n && problem->real_diagonal; j++)
        memset((char *)problem->c + (size_t)(j + j * problem->ldc) * bytes + bytes / 2, POISON, bytes / 2);
}

static void fail_at(const struct completed *completed, const struct lava_progress *progress) {
    const struct lava_problem *problem = &completed->problem;
    memcpy(problem->c, completed->before, bytes_of_c(problem));
    poison_diagonal(problem);
    for (int64_t j = 0; j < problem->n; j++)
        for (int64_t i = 0; i < problem->m; i++)
            if (in_region(problem, i, j) && is_written(problem, progress, i, j))
                naive_write(problem->type, problem->c, i + j * problem->ldc, written);
    lava_offload_complete(problem, progress);
    for (int64_t j = 0; j < problem->n; j++)
        for (int64_t i = 0; i < problem->ldc; i++)
            check_element(completed, progress, i, j);
}

/* After whole columns, and within each. */
static int fail_in_block(const struct completed *completed, struct lava_progress progress, int64_t first,
                         int64_t end) {
    int failures = 0;
    for (progress.column = first; progress.column <= end; progress.column++)
        for (progress.partial = 0; progress.partial < (progress.column < end ? progress.rows : 1);
             progress.partial++, failures++)
            fail_at(completed, &progress);
    return failures;
}

static int fail_everywhere(const struct completed *completed) {
    const struct lava_problem *problem = &completed->problem;
    bool is_upper = problem->region == LAVA_REGION_UPPER, is_lower = problem->region == LAVA_REGION_LOWER;
    int failures = 0;
    for (int64_t first = 0; first < problem->m; first += completed->block) {
        int64_t end = first + completed->block < problem->m ? first + completed->block : problem->m;
        struct lava_progress progress = {.row = is_upper ? 0 : first};
        progress.rows = end - progress.row;
        failures +=
            fail_in_block(completed, progress, is_upper ? first : 0, is_upper || is_lower ? end : problem->n);
    }
    return failures;
}

static struct lava_problem random_problem(enum lava_region region) {
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    struct lava_problem problem = {.type = types[poison_random(4)],
                                   .region = region,
                                   .op_a = (enum lava_op)poison_random(2),
                                   .op_b = (enum lava_op)poison_random(2),
                                   .m = 1 + poison_random(14),
                                   .n = 1 + poison_random(14),
                                   .k = 1 + poison_random(4),
                                   .alpha = 1 + poison_random(3),
                                   .beta = poison_random(3) - 1};
    bool is_complex = lava_type_is_complex(problem.type);
    problem.type_c = problem.type;
    if (region != LAVA_REGION_ALL) {
        problem.n = problem.m;
        problem.b_is_a = poison_random(2);
    }
    if (problem.b_is_a)
        problem.op_b = problem.op_a == LAVA_OP_N ? LAVA_OP_T : LAVA_OP_N;
    problem.real_diagonal = is_complex && problem.b_is_a && poison_random(2);
    problem.conjugate_a = problem.real_diagonal && problem.op_a == LAVA_OP_T;
    problem.conjugate_b = problem.real_diagonal && problem.op_b == LAVA_OP_T;
    if (is_complex && !problem.real_diagonal)
        problem.beta_imaginary = poison_random(2);
    problem.lda = (problem.op_a == LAVA_OP_N ? problem.m : problem.k) + poison_random(3);
    problem.ldb = problem.b_is_a ? problem.lda : (problem.op_b == LAVA_OP_N ? problem.k : problem.n);
    problem.ldc = problem.m + poison_random(3);
    return problem;
}

/* C is NaN outside the region. With beta = 0 it is NaN everywhere. */
static void fill(struct completed *completed) {
    struct lava_problem *problem = &completed->problem;
    const size_t bytes = lava_type_bytes(problem->type);
    void *a = poison_new((size_t)(problem->lda * 20) * bytes),
         *b = poison_new((size_t)(problem->ldb * 20) * bytes);
    poison_fill(problem->type, a, problem->lda, 20, problem->lda);
    poison_fill(problem->type, b, problem->ldb, 20, problem->ldb);
    problem->a = a;
    problem->b = problem->b_is_a ? a : b;
    if (problem->b_is_a)
        free(b);
    problem->c = poison_new(bytes_of_c(problem));
    completed->before = poison_new(bytes_of_c(problem));
    bool is_read = problem->beta != 0 || problem->beta_imaginary != 0;
    for (int64_t j = 0; j < problem->n && is_read; j++)
        for (int64_t i = 0; i < problem->m; i++)
            if (in_region(problem, i, j)) {
                struct naive_number value = {poison_random(7) - 3, poison_random(5) - 2};
                clear_imaginary(problem, i, j, &value);
                naive_write(problem->type, completed->before, i + j * problem->ldc, value);
            }
}

static void test_region(enum lava_region region) {
    int failures = 0;
    for (int i = 0; i < 120; i++) {
        struct completed completed = {.problem = random_problem(region)};
        completed.block = 1 + poison_random((int)completed.problem.m);
        fill(&completed);
        failures += fail_everywhere(&completed);
        free((void *)(uintptr_t)completed.problem.a);
        if (!completed.problem.b_is_a)
            free((void *)(uintptr_t)completed.problem.b);
        free(completed.problem.c);
        free(completed.before);
    }
    print_message("%d failures\n", failures);
    assert_true(failures > 3000);
}

static void test_all(void **state) {
    (void)state;
    test_region(LAVA_REGION_ALL);
}

static void test_lower(void **state) {
    (void)state;
    test_region(LAVA_REGION_LOWER);
}

static void test_upper(void **state) {
    (void)state;
    test_region(LAVA_REGION_UPPER);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_lower),
        cmocka_unit_test(test_upper),
    };
    const char *given = getenv("LAVA_TEST_SEED");
    poison_seed = given ? (unsigned)strtoul(given, NULL, 0) : 20261122;
    printf("LAVA_TEST_SEED=%u\n", poison_seed);
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    lava_offload_open(); /* finds the CPU BLAS */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
