/* Matrices whose numbers are such that every step is exact, so the results have the same bits wherever they
 * were computed, and faults at every step of a run. For the tests of what goes from host memory to host
 * memory; after <cmocka.h>. */
#ifndef LAVA_TESTS_ROBUSTNESS_EXACT_H
#define LAVA_TESTS_ROBUSTNESS_EXACT_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/policy.h"
#include "dispatch/solve.h"
#include "lib/engine/engine.h"
#include "lib/host/numbers.h"
#include "lib/product/runner.h"
#include "tests/library/poison.h"

/* They take several transfers. */
#define EXACT_ORDER (LAVA_SOLVE_TRAPEZOID + 70)
#define EXACT_LD    (EXACT_ORDER + 5)

/* A matrix as it is, as it is to be, and room for either. The bytes that it does not have are part of NaN. */
struct exact_matrix {
    enum lava_type type;
    int64_t columns;
    void *before, *after, *now;
};

/* Returns the bytes of n columns. */
static inline size_t exact_bytes(enum lava_type type, int64_t columns) {
    return (size_t)(EXACT_LD * columns) * lava_type_bytes(type);
}

static inline struct exact_matrix exact_new(enum lava_type type, int64_t columns) {
    size_t bytes = exact_bytes(type, columns);
    return (struct exact_matrix){type, columns, poison_new(bytes), poison_new(bytes), poison_new(bytes)};
}

static inline void exact_free(struct exact_matrix *matrix) {
    free(matrix->before);
    free(matrix->after);
    free(matrix->now);
}

static inline void exact_write(enum lava_type type, void *matrix, int64_t i, int64_t j, double number) {
    lava_number_write(type, lava_operation_element(matrix, type, i, j, EXACT_LD),
                      (struct lava_number){.real = number});
}

/* Elements of a lower factor, with few that are not zero, and the diagonal given. */
static inline double *exact_new_factor(int64_t rows, int64_t columns, double diagonal, double step) {
    if (rows < 1 || columns < 1) /* else the compiler warns of what would be allocated */
        abort();
    double *factor = calloc((size_t)(rows * columns), sizeof *factor);
    assert_non_null(factor);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = j; i < rows; i++)
            factor[i + j * rows] = i == j ? diagonal : poison_random(4) ? 0 : (poison_random(3) - 1) * step;
    return factor;
}

/* The first columns as they are to be, the others as they are. */
static inline void exact_set(struct exact_matrix *matrix, int64_t columns) {
    if (matrix->columns > 0)
        memcpy(matrix->now, matrix->before, exact_bytes(matrix->type, matrix->columns));
    if (columns > 0)
        memcpy(matrix->now, matrix->after, exact_bytes(matrix->type, columns));
}

/* The bits are equal, except that a zero may be negative. */
static inline void exact_check(const struct exact_matrix *matrix) {
    enum lava_type type = matrix->type;
    for (int64_t at = 0; at < EXACT_LD * matrix->columns; at++) {
        const void *now = lava_operation_element(matrix->now, type, at, 0, EXACT_LD);
        const void *expected = lava_operation_element(matrix->after, type, at, 0, EXACT_LD);
        const struct lava_number number = lava_number_read(type, now);
        if (memcmp(now, expected, lava_type_bytes(type)) != 0)
            assert_true(number.real == lava_number_read(type, expected).real &&
                        number.imaginary == lava_number_read(type, expected).imaginary);
    }
}

/* The columns from `column` on are as they were. */
static inline void exact_check_untouched(const struct exact_matrix *matrix, int64_t column) {
    size_t done = exact_bytes(matrix->type, column), bytes = exact_bytes(matrix->type, matrix->columns);
    if (bytes > done)
        assert_memory_equal((char *)matrix->now + done, (char *)matrix->before + done, bytes - done);
}

static inline struct lava_plan exact_plan(const struct lava_engine *engine,
                                          const struct lava_operation *operation,
                                          const struct lava_overrides *overrides) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1, 1, 1, 1}};
    struct lava_plan plan;
    lava_policy_choose(operation, &engine->capabilities, &figures, LAVA_MODE_GPU, overrides, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    return plan;
}

#ifdef LAVA_FAULT_INJECTION
#    include "tests/robustness/fault_sweep.h"

/* What faults are let into, and what is looked at afterwards. */
struct exact_run {
    struct lava_engine **engine;
    int (*open_engine)(void **state);
    void *problem;
    int64_t columns;
    enum lava_status (*run)(void *problem, struct lava_progress *progress);
    /* came: the fault did, and after it that much was written */
    void (*check_after)(void *problem, bool came, const struct lava_progress *progress);
};

/* How many passages there are, and after how many faults a part of C was written, and right-hand sides. */
struct exact_counts {
    long passages, partly, solved;
};

/* Lets the passages of a point fail, one after the other. */
static inline struct exact_counts exact_fail_at(const struct exact_run *run, enum lava_fault_point point,
                                                const char *name) {
    struct lava_progress progress;
    struct lava_engine *engine = *run->engine;
    struct exact_counts counts = {0};
    set_fault(NULL, 0);
    lava_engine_release(engine);
    assert_int_equal(run->run(run->problem, &progress), LAVA_OK);
    counts.passages = lava_fault_passages(point);
    assert_true(counts.passages > 0);
    int turn = poison_random((int)counts.passages);
    for (long passage = 1; passage <= counts.passages; passage++) {
        if (fault_is_left_out(point, passage, counts.passages, turn))
            continue;
        lava_engine_release(engine);
        set_fault(name, passage);
        bool came = fault_came(engine, point, passage, run->run(run->problem, &progress));
        set_fault(NULL, 0);
        assert_int_equal(lava_arena_taken_bytes(&engine->arena), 0);
        counts.partly += came && progress.column > 0 && progress.column < run->columns;
        counts.solved += came && progress.sides > 0;
        run->check_after(run->problem, came, &progress);
    }
    return counts;
}

/* A lost device is not used again, and opening one takes time: only the first passage fails, and some others
 * at random. */
static inline void exact_lose_device(const struct exact_run *run, enum lava_fault_point point,
                                     const char *name) {
    struct lava_progress progress;
    set_fault(NULL, 0);
    assert_int_equal(run->run(run->problem, &progress), LAVA_OK);
    long passages = lava_fault_passages(point);
    assert_true(passages > 0);
    for (long passage = 1; passage <= passages; passage += 1 + poison_random((int)passages)) {
        set_fault(name, passage);
        enum lava_status status = run->run(run->problem, &progress);
        bool came = fault_lost_device(run->engine, point, passage, status, run->open_engine);
        run->check_after(run->problem, came, &progress);
    }
}
#endif

#endif
