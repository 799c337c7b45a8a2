/* Matrices whose numbers are such that every step is exact, so the results have the same bits wherever they
 * were computed. For the tests of what goes from host memory to host
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

#endif
