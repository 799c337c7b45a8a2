/* Factors by halves:
 *
 *     +-.                     first half, by itself
 *     |  `-.
 *     +----+-.                beside: the rectangle <- the X with X L' = it (U: with U' X = it)
 *     |    |  `-.             second half <- itself less the rectangle times its transpose, then by itself
 *     +----+-----+
 *
 * Called by lib/abi if there is no other ?potrf, and by lib/offload for what a device has begun. */
#include "lib/host/cpu_cholesky.h"

#include <math.h>

#include "lib/host/cpu_help.h"
/* A block of this order or less is factored by a loop. */
#define SMALL 32

static bool is_lower(const struct lava_operation *operation) {
    return operation->c.region == LAVA_REGION_LOWER;
}

/* Element (row, column) of L, or of U' with its imaginary part as it is stored. */
static void *stored_at(const struct lava_operation *operation, int64_t row, int64_t column) {
    return is_lower(operation) ? lava_cpu_parts_at(operation, row, column)
                               : lava_cpu_parts_at(operation, column, row);
}

static struct lava_number read_number(const struct lava_operation *operation, int64_t row, int64_t column) {
    return lava_number_read(operation->type, stored_at(operation, row, column));
}

static void write_number(const struct lava_operation *operation, int64_t row, int64_t column,
                         struct lava_number number) {
    lava_number_write(operation->type, stored_at(operation, row, column), number);
}

/* Element (i, j) of the block, less the row before j of i times that of j, conjugated. */
static struct lava_number rest_of(const struct lava_operation *operation, int64_t first, int64_t i,
                                  int64_t j) {
    struct lava_number rest = read_number(operation, i, j);
    for (int64_t l = first; l < j; l++) {
        const struct lava_number x = read_number(operation, i, l), y = read_number(operation, j, l);
        rest.real -= x.real * y.real + x.imaginary * y.imaginary;
        rest.imaginary -= x.imaginary * y.real - x.real * y.imaginary;
    }
    return rest;
}

/* The sums of a column are formed in double precision. Returns as lava_cpu_cholesky_run. */
static int64_t factor_small(const struct lava_operation *operation, struct lava_cpu_range range) {
    int64_t end = range.first + range.size;
    for (int64_t j = range.first; j < end; j++) {
        double square = rest_of(operation, range.first, j, j).real;
        if (!(square > 0)) /* also true for a NaN */
            return j + 1;
        write_number(operation, j, j, (struct lava_number){.real = sqrt(square)});
        double root = read_number(operation, j, j).real;
        for (int64_t i = j + 1; i < end; i++) {
            struct lava_number rest = rest_of(operation, range.first, i, j);
            rest.real /= root;
            rest.imaginary /= root;
            write_number(operation, i, j, rest);
        }
    }
    return 0;
}

/* The rectangle beside `done` <- the X with X L' = it, or with U' X = it. */
static void solve_beside(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                         struct lava_cpu_range done, struct lava_cpu_range rest) {
    bool lower = is_lower(operation);
    const struct lava_cpu_application solve = {.rows = lower ? rest : done,
                                               .columns = lower ? done : rest,
                                               .triangle = done,
                                               .stored = operation->c.region,
                                               .on_right = lower,
                                               .transposed = true,
                                               .solves = true,
                                               .alpha = 1};
    lava_cpu_parts_apply(blas, operation, &solve);
}

/* The rest <- itself less the rectangle times its conjugate transpose. */
static void subtract(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                     struct lava_cpu_range done, struct lava_cpu_range rest) {
    const struct lava_cpu_square square = {rest, done, !is_lower(operation), -1};
    lava_cpu_parts_add_square(blas, operation, &square);
}

static int64_t factor(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                      struct lava_cpu_range range) {
    struct lava_operation square = lava_operation_without_sides(operation);
    int64_t info;
    square.m = square.n = square.k = range.size;
    square.c.first = lava_cpu_parts_at(operation, range.first, range.first);
    if (lava_cpu_help_takes(blas, &square, &info))
        return info > 0 ? range.first + info : 0;
    if (range.size <= SMALL)
        return factor_small(operation, range);
    int64_t half = (range.size / 2 + SMALL - 1) / SMALL * SMALL;
    const struct lava_cpu_range done = {range.first, half}, rest = {range.first + half, range.size - half};
    int64_t minor = factor(blas, operation, done);
    if (minor)
        return minor;
    solve_beside(blas, operation, done, rest);
    subtract(blas, operation, done, rest);
    return factor(blas, operation, rest);
}

int64_t lava_cpu_cholesky_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                              struct lava_cpu_done there) {
    const struct lava_cpu_range done = {0, there.columns},
                                rest = {there.columns, operation->n - there.columns};
    if (rest.size == 0)
        return 0;
    if (done.size > 0) {
        if (!is_lower(operation)) /* the columns of U end above the rest; those of L reach beside it */
            solve_beside(blas, operation, done, rest);
        subtract(blas, operation, done, rest);
    }
    return factor(blas, operation, rest);
}
