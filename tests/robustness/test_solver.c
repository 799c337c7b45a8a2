/* Solves with triangular matrices from host memory to host memory: every side, triangle, transposition,
 * diagonal and type, in one chunk and in several, so that matrices on the device are used again, and by
 * bands. A and C are blocks of larger matrices, with NaN in whatever must not be used: around them, in A's
 * other triangle, and on a unit diagonal. The error is measured by the residual, in long double:
 *
 *     |op(A) X - alpha B| <= 4 (n + 2) u |op(A)| |X|        element by element
 *
 * Then what the CPU computes after a failure, for every state in which a solve may end.
 *
 *   test_solver [queues]      queues: with memory of the device's own, and a timeline for each direction */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dispatch/arithmetic.h"
#include "dispatch/solve.h"
#include "lib/lapack/families.h"
#include "lib/offload/complete.h"
#include "lib/offload/offload.h"
#include "tests/robustness/device_test.h"
#include "tests/robustness/ill.h"
#include "tests/robustness/problem.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct lava_engine *engine;
static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
static const struct lava_figures figures;

static bool separates_queues;
static bool stays;    /* the triangle has a copy on the device, */
static uint64_t copy; /* this one, or is to get it */

static int open_engine(void **state) {
    (void)state;
    problem_seed = device_test_seed();
    return device_test_open_with(separates_queues, separates_queues, &engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

static int random_below(int end) {
    return (int)((unsigned)rand_r(&problem_seed) % (unsigned)end);
}

/* Returns the problem as an operation. C is x. */
static struct lava_operation operation_of(const struct problem *problem) {
    const struct lava_device_solve *solve = &problem->solve;
    const struct lava_operand general = {.first = matrix_element(&problem->x, 0, 0), .ld = problem->x.ld};
    const struct lava_operand triangle = {.first = matrix_element(&problem->a, 0, 0),
                                          .ld = problem->a.ld,
                                          .op = solve->op,
                                          .conjugate = solve->conjugate,
                                          .structure = LAVA_STRUCTURE_TRIANGULAR,
                                          .stored = solve->stored,
                                          .unit_diagonal = solve->unit_diagonal,
                                          .is_resident = stays,
                                          .is_stored = stays && copy == 0,
                                          .copy = copy};
    return (struct lava_operation){
        .kind = LAVA_OPERATION_SOLVE,
        .type = problem->a.type,
        .m = problem->x.rows,
        .n = problem->x.columns,
        .k = problem->order,
        .a = solve->a_on_right ? general : triangle,
        .b = solve->a_on_right ? triangle : general,
        .c = {.first = matrix_element(&problem->x, 0, 0), .ld = problem->x.ld, .type = problem->a.type},
        .alpha = solve->alpha};
}

/* Solves by a plan with these overrides, and checks the result. Returns the plan. */
static struct lava_plan solve_and_check(struct problem *problem, const struct lava_overrides *overrides) {
    struct lava_plan plan;
    struct lava_progress progress;
    memcpy(problem->x.all, problem->b.all, problem->b.bytes);
    const struct lava_operation operation = operation_of(problem);
    lava_policy_choose(&operation, &engine->capabilities, &figures, LAVA_MODE_GPU, overrides, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_int_equal(lava_solver_run(engine, &operation, &plan, &progress), LAVA_OK);
    assert_int_equal(lava_arena_taken_bytes(&engine->arena), 0);
    assert_true(matrix_frame_is_untouched(&problem->x));
    long double error = problem_error(problem, &problem->x), most = 4.0L * (problem->order + 2);
    if (!(error <= most))
        fail_msg("%s, chunks of %lld, bands of %lld: the error is %Lg u, not %Lg", problem_text(problem),
                 (long long)plan.chunks.sides, (long long)plan.chunks.band, error, most);
    return plan;
}

static struct lava_scalar some_alpha(enum lava_type type) {
    const struct lava_scalar some[] = {{1, 0},
                                       {-1, 0},
                                       {(float)problem_uniform(-3, 3), 0},
                                       {(float)problem_uniform(-2, 2), (float)problem_uniform(-2, 2)}};
    return some[random_below(lava_type_is_complex(type) ? 4 : 3)];
}

static struct lava_device_solve way_of(enum lava_type type, int way) {
    return (struct lava_device_solve){.a_on_right = way & 1,
                                      .stored = way & 2 ? LAVA_REGION_UPPER : LAVA_REGION_LOWER,
                                      .op = way & 4 ? LAVA_OP_T : LAVA_OP_N,
                                      .unit_diagonal = way & 8,
                                      .conjugate = way & 16,
                                      .alpha = some_alpha(type)};
}

static int ways_of(enum lava_type type) {
    return lava_type_is_complex(type) ? 32 : 16;
}

/* As planned, which is one chunk at these sizes, in up to nine, and by up to three bands. */
static void every_way(void **state) {
    static const int64_t orders[] = {1, 17, 127, 128, 129, 200, 257}, sides[] = {1, 5, 33, 70};
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        for (int way = 0; way < ways_of(types[t]); way++)
            for (int i = 0; i < 3; i++) {
                const struct lava_device_solve solve = way_of(types[t], way);
                struct problem problem =
                    problem_new(&solve, types[t], orders[random_below((int)COUNT(orders))],
                                sides[random_below((int)COUNT(sides))]);
                const struct lava_overrides ways[] = {
                    {0}, {.sides_each = 8 + random_below(40)}, {.band = LAVA_SOLVE_ORDER}};
                solve_and_check(&problem, &ways[problem.order > LAVA_SOLVE_ORDER ? i : i % 2]);
                problem_free(&problem);
            }
}

/* Several trapezoids of A, and chunks that take every matrix several times. */
static void several_chunks(void **state) {
    (void)state;
    for (int way = 0; way < 8; way++) {
        enum lava_type type = types[random_below((int)COUNT(types))];
        const struct lava_device_solve solve = way_of(type, way);
        struct problem problem = problem_new(&solve, type, 515 + random_below(100), 60 + random_below(40));
        const struct lava_overrides overrides = {.sides_each = 7 + random_below(6)};
        struct lava_plan plan = solve_and_check(&problem, &overrides);
        assert_int_equal(plan.chunks.held, LAVA_SOLVE_HELD);
        problem_free(&problem);
    }
}

/* Up to six bands, the last of which is narrower, and trapezoids of every width. */
static void several_bands(void **state) {
    (void)state;
    for (int way = 0; way < 16; way++) {
        enum lava_type type = types[random_below((int)COUNT(types))];
        const struct lava_device_solve solve = way_of(type, way % 8);
        struct problem problem = problem_new(&solve, type, 515 + random_below(200), 1 + random_below(100));
        const struct lava_overrides overrides = {.band = LAVA_SOLVE_ORDER * (1 + way / 8)};
        struct lava_plan plan = solve_and_check(&problem, &overrides);
        assert_int_equal(plan.chunks.band, overrides.band);
        problem_free(&problem);
    }
}

/* By bands and in chunks, with a triangle that stays on the device: the bits are those without. */
static void triangle_stays(void **state) {
    struct lava_residents *residents = lava_residents_create(LAVA_RESIDENT_AUTO, UINT64_C(1) << 30);
    (void)state;
    if (lava_page_watch_open())
        skip();
    engine->device->shared->residents = residents;
    for (int way = 0; way < 16; way++) {
        const struct lava_device_solve solve = way_of(types[way % 4], way % 8);
        struct problem problem = problem_new(&solve, types[way % 4], 515 + random_below(100), 70);
        const struct lava_overrides overrides = {.band = way < 8 ? 2 * LAVA_SOLVE_ORDER : 0,
                                                 .sides_each = way < 8 ? 0 : 64};
        char *bits = malloc(problem.x.bytes);
        solve_and_check(&problem, &overrides);
        memcpy(bits, problem.x.all, problem.x.bytes);
        for (int call = 0; call < 3; call++) {
            const struct lava_operation operation = operation_of(&problem);
            const struct lava_host_matrix matrix = lava_residents_matrix(&operation, solve.a_on_right);
            lava_residents_look(residents, &matrix, &copy);
            stays = true;
            solve_and_check(&problem, &overrides);
            assert_memory_equal(bits, problem.x.all, problem.x.bytes);
            stays = false;
        }
        assert_int_not_equal(copy, 0);
        copy = 0;
        free(bits);
        problem_free(&problem);
    }
    assert_int_equal(lava_residents_sums(residents).used, 2 * 16); /* the first one of three stores */
    engine->device->shared->residents = NULL;
    lava_residents_destroy(residents, engine->device);
}

/* By two bands, with the measure of test_device_solve.c. */
static void ill_conditioned(void **state) {
    int compared = 0;
    (void)state;
    for (int way = 0; way < 20; way++) {
        enum lava_type type = types[random_below((int)COUNT(types))];
        enum ill_kind kind = (enum ill_kind)(way % ILL_COUNT);
        struct lava_device_solve solve = way_of(type, random_below(8));
        solve.alpha = (struct lava_scalar){1, 0};
        struct problem problem = problem_new(&solve, type, LAVA_SOLVE_ORDER + 52, 6);
        const struct lava_overrides overrides = {.band = LAVA_SOLVE_ORDER};
        ill_fill(&problem, kind);
        bool is_comparable = ill_is_comparable(&problem);
        if (!is_comparable || !ill_overflows(&problem)) {
            const struct lava_plan plan = solve_and_check(&problem, &overrides);
            assert_int_equal(plan.chunks.band, LAVA_SOLVE_ORDER);
            compared += is_comparable && ill_compare(&problem, kind) >= 0;
        }
        problem_free(&problem);
    }
    printf("%d ill-conditioned ones compared\n", compared);
}

/* If memory is short the chunks are smaller, down to a plan's least, and C is larger than the memory. */
static void little_memory(void **state) {
    (void)state;
    for (int way = 0; way < 8; way++) {
        enum lava_type type = types[way % 2];
        const struct lava_device_solve solve = way_of(type, way);
        struct problem problem = problem_new(&solve, type, 150, 1000);
        struct lava_overrides overrides = {.memory_bytes = UINT64_C(1) << 19};
        if (way % 2)
            overrides.memory_bytes = problem.b.bytes / 2;
        assert_true(overrides.memory_bytes < problem.b.bytes);
        struct lava_plan plan = solve_and_check(&problem, &overrides);
        assert_true(plan.blocking.total_bytes <= overrides.memory_bytes);
        assert_true(plan.chunks.sides * 4 <= problem.sides);
        problem_free(&problem);
    }
}

/* Runs the plan with so much of its memory. */
static enum lava_status run_with(struct problem *problem, const struct lava_plan *plan, double share) {
    struct lava_capabilities *device = &engine->device->capabilities;
    uint64_t memory_bytes = device->memory_bytes;
    struct lava_progress progress;
    const struct lava_operation operation = operation_of(problem);
    memcpy(problem->x.all, problem->b.all, problem->b.bytes);
    lava_engine_release(engine);
    assert_int_equal(lava_arena_wake(&engine->arena, engine->device), LAVA_OK);
    device->memory_bytes =
        engine->device->shared->device_bytes + (uint64_t)((double)plan->blocking.total_bytes * share);
    enum lava_status status = lava_solver_run(engine, &operation, plan, &progress);
    device->memory_bytes = memory_bytes;
    assert_int_equal(lava_arena_taken_bytes(&engine->arena), 0);
    assert_false(engine->device->shared->failed);
    if (status) {
        assert_int_equal(status, LAVA_ERROR_DEVICE_MEMORY);
        assert_int_equal(progress.column, 0);
        assert_int_equal(progress.row, 0);
        assert_memory_equal(problem->x.all, problem->b.all, problem->b.bytes);
    }
    return status;
}

/* Nothing is written, and nothing is kept, if the device has less memory than it said. */
static void no_memory(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        const struct lava_device_solve solve = way_of(LAVA_TYPE_FP64, way % 2);
        const struct lava_overrides overrides = {.band = way < 2 ? 0 : LAVA_SOLVE_ORDER};
        struct problem problem = problem_new(&solve, LAVA_TYPE_FP64, 300, 200);
        const struct lava_plan plan = solve_and_check(&problem, &overrides);
        int failed = 0;
        for (int i = 0; i < 16; i++)
            failed += run_with(&problem, &plan, i / 16.0) != LAVA_OK;
        assert_true(failed >= 8);
        assert_int_equal(run_with(&problem, &plan, 1), LAVA_OK);
        solve_and_check(&problem, &overrides);
        problem_free(&problem);
    }
}

/* Makes what is finished solved, and the rest unsolved. */
static void set_finished(struct problem *problem, const struct matrix *solved,
                         const struct lava_progress *progress) {
    const struct lava_operation operation = operation_of(problem);
    bool descends = lava_operation_descends(&operation), climbs = lava_operation_climbs(&operation);
    memcpy(problem->x.all, problem->b.all, problem->b.bytes);
    for (int64_t j = 0; j < solved->columns; j++)
        for (int64_t i = 0; i < solved->rows; i++) {
            int64_t row = climbs ? solved->rows - 1 - i : i;
            bool in_column = descends ? j >= solved->columns - progress->column : j < progress->column;
            bool in_chunk = row >= progress->row && row < progress->row + progress->rows;
            if (row < progress->row || (in_chunk && in_column)) {
                const struct value value = matrix_get(solved, i, j);
                matrix_set(&problem->x, i, j, (double)value.re, (double)value.im);
            }
        }
}

/* The CPU goes on from every state that the solver may leave: by chunks of rows of C or by bands, or, if
 * rows are all, by chunks of columns. Returns their number. */
static int complete_everywhere(struct problem *problem, int64_t rows) {
    const struct lava_overrides overrides = {.sides_each = 3};
    solve_and_check(problem, &overrides);
    struct matrix solved = matrix_copy(&problem->x);
    const struct lava_operation operation = operation_of(problem);
    int states = 0;
    for (int64_t row = 0; row < operation.m; row += rows)
        for (int64_t column = 0; column <= operation.n; column++, states++) {
            const struct lava_progress progress = {
                .row = row, .rows = lava_minimum(rows, operation.m - row), .column = column};
            set_finished(problem, &solved, &progress);
            lava_complete_on_cpu(&operation, &progress);
            long double error = problem_error(problem, &problem->x), most = 8.0L * (problem->order + 2);
            if (!(error <= most) || !matrix_frame_is_untouched(&problem->x))
                fail_msg("%s, completed from row %lld + %lld, column %lld: the error is %Lg u",
                         problem_text(problem), (long long)row, (long long)progress.rows, (long long)column,
                         error);
        }
    free(solved.all);
    return states;
}

static void completed_on_the_cpu(void **state) {
    int states = 0;
    (void)state;
    for (size_t t = problem_first_type(); t < COUNT(types); t += 2)
        for (int way = 0; way < ways_of(types[t]); way++) {
            const struct lava_device_solve solve = way_of(types[t], way);
            if (solve.conjugate && solve.op == LAVA_OP_N) /* not of BLAS */
                continue;
            struct problem problem =
                problem_new(&solve, types[t], 3 + random_below(38), 2 + random_below(12));
            states += complete_everywhere(&problem, 1 + random_below(5));
            states += complete_everywhere(&problem, operation_of(&problem).m);
            problem_free(&problem);
        }
    printf("%d states completed\n", states);
    assert_true(states > 500);
}

int main(int argument_count, char **arguments) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_way),
                                       cmocka_unit_test(several_chunks),
                                       cmocka_unit_test(several_bands),
                                       cmocka_unit_test(triangle_stays),
                                       cmocka_unit_test(little_memory),
                                       cmocka_unit_test(no_memory),
                                       cmocka_unit_test(completed_on_the_cpu),
                                       cmocka_unit_test(ill_conditioned)};
    separates_queues = argument_count > 1 && !strcmp(arguments[1], "queues");
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
