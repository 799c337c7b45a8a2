/* Factorizations from host memory to host memory, of matrices that take several transfers, solves with the
 * factors, and what the CPU makes of them after a failure. All numbers are such that every step is exact, so
 * the results have the same bits wherever they were computed.
 *
 *     test_factorizer [blocks] [queues|faults|system-faults]
 *         blocks: by block columns, as when the matrix does not fit the device
 *         queues: with a timeline for each direction
 *         faults, system-faults: with every step failing once, of factorizations alone or with solves; needs
 *             -Dfault_injection=true */
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

#include "lib/host/cpu_lu.h"
#include "lib/lapack/families.h"
#include "lib/offload/complete.h"
#include "lib/offload/offload.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/exact.h"
#include "tests/robustness/lapack_sweep.h"

#define ORDER EXACT_ORDER
#define LD    EXACT_LD

static struct lava_engine *engine;
static bool has_faults, separates_queues;
/* A block of columns has n; 0: the whole matrix is on the device. */
static int64_t columns_each;

/* A matrix with its factors, and right-hand sides with what they become. */
struct problem {
    struct lava_operation operation;
    struct exact_matrix a, b;
    int64_t info;
    int64_t pivots[ORDER], expected_pivots[ORDER];
};

/* lavapipe with two threads runs two workgroups at the same time. */
static int open_engine(void **state) {
    (void)state;
    setenv("LP_NUM_THREADS", "2", 1);
    return device_test_open_with(true, separates_queues, &engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

static void write_at(const struct problem *problem, void *matrix, int64_t i, int64_t j, double number) {
    exact_write(problem->operation.type, matrix, i, j, number);
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
    problem->a = exact_new(type, n);
    problem->operation.c.first = problem->a.now;
    return problem;
}

static void free_problem(struct problem *problem) {
    exact_free(&problem->a);
    exact_free(&problem->b);
    free(problem);
}

/* L L' for a lower L with a diagonal of 2. */
static struct problem *new_cholesky(enum lava_type type, enum lava_region region) {
    struct problem *problem = new_problem(LAVA_OPERATION_CHOLESKY, type, region, ORDER, ORDER);
    double *factor = exact_new_factor(ORDER, ORDER, 2, 1);
    bool is_lower = region == LAVA_REGION_LOWER;
    problem->operation.c.real_diagonal = lava_type_is_complex(type);
    for (int64_t j = 0; j < ORDER; j++)
        for (int64_t i = j; i < ORDER; i++) {
            double sum = 0;
            for (int64_t l = 0; l <= j; l++)
                sum += factor[i + l * ORDER] * factor[j + l * ORDER];
            write_at(problem, problem->a.before, is_lower ? i : j, is_lower ? j : i, sum);
            write_at(problem, problem->a.after, is_lower ? i : j, is_lower ? j : i, factor[i + j * ORDER]);
        }
    free(factor);
    return problem;
}

/* P' L U for an L of halves, so that a pivot is the only largest one, with the rows in random order. info is
 * which element of U's diagonal is zero, from 1; then L's column below is. 0: none. */
static struct problem *new_lu(enum lava_type type, int64_t m, int64_t n, int64_t info) {
    struct problem *problem = new_problem(LAVA_OPERATION_LU, type, LAVA_REGION_ALL, m, n);
    int64_t least = problem->operation.k, at[ORDER];
    double *lower = exact_new_factor(m, least, 1, 0.5), *upper = exact_new_factor(n, least, 4, 1);
    problem->info = info;
    for (int64_t i = info - 1; i >= 0 && i < m; i++)
        lower[i + (info - 1) * m] = i == info - 1 ? 1 : 0;
    if (info)
        upper[(info - 1) * (n + 1)] = 0;
    for (int64_t i = 0; i < m; i++)
        at[i] = i;
    for (int64_t i = least - 1; i >= 0; i--) { /* undoes the swaps, from the last one */
        int64_t pivot = i + 1 == info ? i : i + poison_random((int)(m - i)), row = at[i];
        problem->expected_pivots[i] = pivot;
        at[i] = at[pivot];
        at[pivot] = row;
    }
    for (int64_t row = 0; row < m; row++)
        for (int64_t j = 0, i = at[row]; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < least && l <= i && l <= j; l++)
                sum += lower[i + l * m] * upper[j + l * n];
            write_at(problem, problem->a.before, row, j, sum);
            write_at(problem, problem->a.after, i, j, i > j ? lower[i + j * m] : upper[j + i * n]);
        }
    free(lower);
    free(upper);
    return problem;
}

/* Element (i, j) of op(A). A is real. */
static double element_of_op(const struct problem *problem, int64_t i, int64_t j) {
    const struct lava_result *c = &problem->operation.c;
    bool is_stored = c->region == LAVA_REGION_LOWER ? i >= j : i <= j;
    bool is_turned = c->region == LAVA_REGION_ALL ? problem->operation.sides.op == LAVA_OP_T : !is_stored;
    const void *element = lava_operation_element(problem->a.before, problem->operation.type,
                                                 is_turned ? j : i, is_turned ? i : j, LD);
    return lava_number_read(problem->operation.type, element).real;
}

/* X is of small integers, and B is op(A) X. */
static void fill_sides(struct problem *problem) {
    int64_t n = problem->operation.n;
    enum lava_type type = problem->operation.type;
    double *a = malloc((size_t)(n * n) * sizeof *a);
    assert_non_null(a);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            a[i + j * n] = element_of_op(problem, j, i); /* rows beside each other */
    poison_fill(type, problem->b.after, n, problem->b.columns, LD);
    struct lava_number *x = malloc((size_t)n * sizeof *x);
    assert_non_null(x);
    for (int64_t side = 0; side < problem->b.columns; side++) {
        for (int64_t l = 0; l < n; l++)
            x[l] = lava_number_read(type, lava_operation_element(problem->b.after, type, l, side, LD));
        for (int64_t i = 0; i < n; i++) {
            struct lava_number sum = {0, 0};
            for (int64_t l = 0; l < n; l++) {
                sum.real += a[l + i * n] * x[l].real;
                sum.imaginary += a[l + i * n] * x[l].imaginary;
            }
            lava_number_write(type, lava_operation_element(problem->b.before, type, i, side, LD), sum);
        }
    }
    free(x);
    free(a);
}

/* If there is no X, B stays. factored: the factors are given. */
static struct problem *with_sides(struct problem *problem, int64_t sides, enum lava_op op, bool factored) {
    problem->b = exact_new(problem->operation.type, sides);
    problem->operation.sides = (struct lava_right_sides){
        .first = problem->b.now,
        .ld = LD,
        .count = sides,
        .op = op,
        .conjugate = op == LAVA_OP_T && lava_type_is_complex(problem->operation.type),
        .factored = factored};
    fill_sides(problem);
    if (problem->info)
        memcpy(problem->b.after, problem->b.before, exact_bytes(problem->b.type, sides));
    if (factored)
        memcpy(problem->a.before, problem->a.after, exact_bytes(problem->a.type, problem->a.columns));
    return problem;
}

static void reset(struct problem *problem) {
    exact_set(&problem->a, 0);
    exact_set(&problem->b, 0);
    if (problem->operation.sides.factored)
        memcpy(problem->pivots, problem->expected_pivots, sizeof problem->pivots);
}

static struct lava_plan plan_of(const struct problem *problem, const struct lava_overrides *overrides) {
    return exact_plan(engine, &problem->operation, overrides);
}

/* Chunks of n right-hand sides; 0: as planned. */
static int64_t chunk_sides;

static enum lava_status run_plan(struct problem *problem, const struct lava_plan *plan,
                                 struct lava_progress *progress) {
    reset(problem);
    if (plan->columns.width > 0)
        return lava_block_factorizer_run(engine, &problem->operation, plan, progress);
    return lava_factorizer_run(engine, &problem->operation, plan, progress);
}

static enum lava_status run(void *tested, struct lava_progress *progress) {
    struct problem *problem = tested;
    const struct lava_overrides overrides = {.sides_each = chunk_sides, .columns_each = columns_each};
    const struct lava_plan plan = plan_of(problem, &overrides);
    assert_int_equal(plan.columns.width, columns_each);
    return run_plan(problem, &plan, progress);
}

static void check_result(const struct problem *problem) {
    exact_check(&problem->a);
    exact_check(&problem->b);
    if (problem->operation.kind == LAVA_OPERATION_LU)
        assert_memory_equal(problem->pivots, problem->expected_pivots,
                            (size_t)problem->operation.k * sizeof *problem->pivots);
}

/* What was not written is as before. If something was, the CPU goes on. */
static void check_after(void *tested, bool came, bool is_new, const struct lava_progress *progress) {
    struct problem *problem = tested;
    bool is_factored = problem->operation.sides.factored;
    (void)is_new;
    if (came) {
        assert_true(progress->sides == 0 || progress->column == problem->a.columns);
        exact_check_untouched(&problem->a, is_factored ? 0 : progress->column);
        exact_check_untouched(&problem->b, progress->sides);
    }
    if (came && (progress->sides > 0 || (progress->column > 0 && !is_factored)))
        assert_int_equal(lava_complete_on_cpu(&problem->operation, progress), problem->info);
    else if (came)
        return;
    check_result(problem);
}

static void judge(const void *tested, const struct lapack_counts *counts) {
    const struct problem *problem = tested;
    assert_true(counts->partly > 0 || problem->operation.sides.factored);
    assert_true(counts->solved > 0 || problem->b.columns == 0 || problem->info);
}

static void fail_everywhere(struct problem *problem) {
    const struct lapack_sweep sweep = {&engine, open_engine, problem, problem->a.columns,
                                       run,     check_after, judge};
    lapack_sweep_run(&sweep);
}

/* The first columns as they were before the pivots after them were known. */
static void forget_pivots(struct problem *problem, int64_t columns) {
    const struct lava_swaps swaps = {.type = problem->operation.type,
                                     .matrix = problem->a.now,
                                     .ld = LD,
                                     .columns = columns,
                                     .pivots = problem->expected_pivots,
                                     .first = columns,
                                     .end = problem->operation.k,
                                     .backwards = true};
    if (problem->operation.kind != LAVA_OPERATION_LU || columns >= swaps.end)
        return;
    lava_cpu_lu_swap_rows(&swaps);
    memset(problem->pivots + columns, -1, (size_t)(swaps.end - columns) * sizeof *problem->pivots);
}

/* The CPU's own way from a number of columns and right-hand sides that a device may have written. */
static void complete_from(struct problem *problem, int64_t columns, int64_t sides) {
    const struct lava_progress progress = {
        .rows = problem->operation.m, .column = columns, .sides = sides, .by_columns = columns_each > 0};
    reset(problem);
    exact_set(&problem->a, columns);
    exact_set(&problem->b, sides);
    memcpy(problem->pivots, problem->expected_pivots, sizeof problem->pivots);
    if (columns_each > 0 && !problem->operation.sides.factored)
        forget_pivots(problem, columns);
    assert_int_equal(lava_complete_on_cpu(&problem->operation, &progress), problem->info);
    check_result(problem);
}

static void check(struct problem *problem) {
    struct lava_progress progress;
    int64_t n = problem->a.columns, sides = problem->b.columns;
    if (has_faults) {
        fail_everywhere(problem);
    } else {
        assert_int_equal(run(problem, &progress), LAVA_OK);
        assert_int_equal(progress.column, n);
        assert_int_equal(progress.sides, problem->info ? 0 : sides);
        check_result(problem);
        complete_from(problem, 1 + poison_random((int)n - 1), 0);
        complete_from(problem, n, 0);
        if (sides > 0 && !problem->info)
            complete_from(problem, n, 1 + poison_random((int)sides));
    }
    free_problem(problem);
}

/* With faults one of two cases is checked, the other one in other runs, and the other way round for LU. */
static int chosen;

static bool is_chosen(int which) {
    return !has_faults || chosen == which;
}

static void cholesky(void **state) {
    (void)state;
    if (is_chosen(0))
        check(new_cholesky(LAVA_TYPE_FP32, LAVA_REGION_LOWER));
    if (is_chosen(1))
        check(new_cholesky(LAVA_TYPE_FP64, LAVA_REGION_UPPER));
    if (!has_faults) {
        check(new_cholesky(LAVA_TYPE_CFP64, LAVA_REGION_LOWER));
        check(new_cholesky(LAVA_TYPE_CFP32, LAVA_REGION_UPPER));
    }
}

static void lu(void **state) {
    (void)state;
    if (is_chosen(1))
        check(new_lu(LAVA_TYPE_FP32, ORDER, ORDER, 0));
    if (is_chosen(0))
        check(new_lu(LAVA_TYPE_FP64, 90, ORDER, 0));
    if (!has_faults) {
        check(new_lu(LAVA_TYPE_CFP32, ORDER, 100, 70));
        check(new_lu(LAVA_TYPE_CFP64, 300, ORDER, 0));
    }
}

/* One right-hand side; several in one chunk, and in more chunks than have a matrix on the device. Every
 * second one is checked, the others in other runs. */
static const struct { int64_t sides, each; } chunkings[] = {{1, 0}, {90, 0}, {150, 64}, {270, 64}};
#define CHUNKINGS (int)(sizeof chunkings / sizeof chunkings[0])

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

static void cholesky_systems(void **state) {
    (void)state;
    for (int i = poison_random(2); i < CHUNKINGS && !has_faults; i += 2)
        for (int factored = 0; factored < 2; factored++) {
            enum lava_region region = (i + factored) % 2 ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
            chunk_sides = chunkings[i].each;
            check(with_sides(new_cholesky(types[(i + factored) % 4], region), chunkings[i].sides, LAVA_OP_N,
                             factored));
        }
    chunk_sides = 64;
    if (has_faults && is_chosen(0))
        check(with_sides(new_cholesky(LAVA_TYPE_FP64, LAVA_REGION_LOWER), 200, LAVA_OP_N, false));
    if (has_faults && is_chosen(1))
        check(with_sides(new_cholesky(LAVA_TYPE_FP32, LAVA_REGION_UPPER), 200, LAVA_OP_N, true));
    chunk_sides = 0;
}

static void lu_systems(void **state) {
    (void)state;
    for (int i = poison_random(2); i < 3 * CHUNKINGS && !has_faults; i += 2) {
        bool factored = i % 3;
        chunk_sides = chunkings[i % 4].each;
        check(with_sides(new_lu(types[(i + i / 4) % 4], ORDER, ORDER, 0), chunkings[i % 4].sides,
                         i % 3 == 2 ? LAVA_OP_T : LAVA_OP_N, factored));
    }
    chunk_sides = 64;
    if (has_faults && is_chosen(1))
        check(with_sides(new_lu(LAVA_TYPE_FP32, ORDER, ORDER, 0), 200, LAVA_OP_N, false));
    if (has_faults && is_chosen(0))
        check(with_sides(new_lu(LAVA_TYPE_FP32, ORDER, ORDER, 0), 200, LAVA_OP_T, true));
    check(with_sides(new_lu(LAVA_TYPE_FP32, ORDER, ORDER, 1 + poison_random(ORDER)), 150, LAVA_OP_N, false));
    chunk_sides = 0;
}

/* If the device has less than it said, nothing is written. */
static void run_without_room(struct problem *problem, const struct lava_plan *plan) {
    struct lava_capabilities *device = &engine->device->capabilities;
    uint64_t memory_bytes = device->memory_bytes;
    struct lava_progress progress;
    for (int share = 0; share < 4; share++) {
        lava_engine_release(engine);
        assert_int_equal(lava_arena_wake(&engine->arena, engine->device), LAVA_OK);
        device->memory_bytes =
            engine->device->shared->device_bytes + plan->blocking.total_bytes * (uint64_t)share / 4;
        assert_int_equal(run_plan(problem, plan, &progress), LAVA_ERROR_DEVICE_MEMORY);
        exact_check_untouched(&problem->a, 0);
        exact_check_untouched(&problem->b, 0);
        assert_int_equal(lava_arena_taken_bytes(&engine->arena), 0);
    }
    device->memory_bytes = memory_bytes;
}

/* If memory is short, B goes by more chunks, and then A by block columns, which become narrower. */
static void little_memory(void **state) {
    struct problem *problem = with_sides(new_lu(LAVA_TYPE_FP64, ORDER, ORDER, 0), 400, LAVA_OP_N, false);
    const struct lava_overrides none = {0};
    struct lava_overrides overrides = {.memory_bytes = plan_of(problem, &none).blocking.total_bytes};
    struct lava_progress progress;
    int64_t narrowest = 128, width = ORDER;
    (void)state;
    struct lava_plan plan = plan_of(problem, &overrides);
    while (plan.columns.width != narrowest) {
        overrides.memory_bytes -= overrides.memory_bytes / 16;
        plan = plan_of(problem, &overrides);
        assert_true(plan.blocking.total_bytes <= overrides.memory_bytes);
        assert_true(plan.columns.width == 0 ? width == ORDER : plan.columns.width <= width);
        assert_true(plan.columns.width > 0 || plan.chunks.sides * 8 > 400);
        width = plan.columns.width > 0 ? plan.columns.width : width;
        assert_int_equal(run_plan(problem, &plan, &progress), LAVA_OK);
        check_result(problem);
        if (overrides.memory_bytes % 4 == 0)
            run_without_room(problem, &plan);
    }
    run_without_room(problem, &plan);
    free_problem(problem);
}

/* A matrix that is not positive definite remains as it is, but for block columns before, as do its right-hand
 * sides, and the status says why. */
static void not_definite(void **state) {
    struct problem *problem =
        with_sides(new_cholesky(LAVA_TYPE_FP64, LAVA_REGION_LOWER), 90, LAVA_OP_N, false);
    int64_t before = columns_each > 0 ? (ORDER - 4) / columns_each * columns_each : 0;
    struct lava_progress progress;
    (void)state;
    write_at(problem, problem->a.before, ORDER - 4, ORDER - 4, -1);
    assert_int_equal(run(problem, &progress), LAVA_ERROR_NOT_DEFINITE);
    assert_int_equal(progress.column, before);
    assert_int_equal(progress.sides, 0);
    exact_check_untouched(&problem->a, before);
    exact_check_untouched(&problem->b, 0);
    if (before > 0)
        assert_int_equal(lava_complete_on_cpu(&problem->operation, &progress), ORDER - 3);
    exact_check_untouched(&problem->b, 0);
    free_problem(problem);
}

/* Workgroups that wait for others in vain give up. The matrix remains as it is, and the next one has panels
 * of another form. */
static void stalled(void **state) {
    struct problem *problems[] = {new_lu(LAVA_TYPE_FP64, ORDER, 100, 0),
                                  with_sides(new_lu(LAVA_TYPE_FP64, ORDER, ORDER, 0), 90, LAVA_OP_N, false)};
    const struct lava_panel_choice choice = engine->panels;
    uint32_t groups = engine->capabilities.resident_groups, polls = engine->capabilities.resident_polls;
    struct lava_progress progress;
    (void)state;
    for (int i = 0; i < 2; i++) {
        engine->device->shared->stalled = false;
        engine->capabilities.resident_groups = LAVA_PANEL_GROUPS;
        engine->capabilities.resident_polls = device_test_polls_in_vain(engine, 100);
        engine->panels = (struct lava_panel_choice){1 + LAVA_PANEL_GRID, LAVA_PANEL_LEAST_INVOCATIONS};
        assert_int_equal(run(problems[i], &progress), LAVA_ERROR_STALLED);
        assert_int_equal(progress.column, 0);
        assert_int_equal(progress.sides, 0);
        exact_check_untouched(&problems[i]->a, 0);
        if (problems[i]->b.columns > 0)
            exact_check_untouched(&problems[i]->b, 0);
        assert_false(engine->device->shared->failed);
        assert_int_equal(run(problems[i], &progress), LAVA_OK);
        check_result(problems[i]);
        free_problem(problems[i]);
    }
    engine->capabilities.resident_groups = groups;
    engine->capabilities.resident_polls = polls;
    engine->panels = choice;
}

int main(int count, char **arguments) {
    const struct CMUnitTest factorizations[] = {cmocka_unit_test(cholesky), cmocka_unit_test(lu),
                                                cmocka_unit_test(stalled)},
                            systems[] = {cmocka_unit_test(cholesky_systems), cmocka_unit_test(lu_systems),
                                         cmocka_unit_test(little_memory), cmocka_unit_test(not_definite)};
    bool is_by_blocks = count > 1 && !strcmp(arguments[1], "blocks");
    const char *mode = count > 1 + is_by_blocks ? arguments[1 + is_by_blocks] : "";
    bool of_systems = !strcmp(mode, "system-faults");
    int failed = 0;
    has_faults = of_systems || !strcmp(mode, "faults");
    if (is_by_blocks)
        columns_each = has_faults ? 256 : 128;
    separates_queues = !strcmp(mode, "queues");
    poison_begin((unsigned)time(NULL));
    chosen = poison_random(2);
    if (!of_systems)
        failed = cmocka_run_group_tests(factorizations, open_engine, close_engine);
    if (of_systems || !has_faults)
        failed += cmocka_run_group_tests(systems, open_engine, close_engine);
    return failed;
}
