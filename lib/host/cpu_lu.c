/* Factors by halves of the columns, as LAPACK's ?getrf2:
 *
 *     +---+---+         left half, by itself
 *     |   | U |         its swaps; U <- X, where L X = U
 *     | L +---+
 *     |   |   |         the rest <- itself less L times U, then by itself, and its swaps on the left
 *     +---+---+
 *
 * Called by lib/abi if there is no other ?getrf, by lib/offload for what a device has begun, and by
 * lib/blas/by_products.c, which has help. */
#include "lib/host/cpu_lu.h"

#include <math.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/base/calm.h"
#include "lib/host/cpu_help.h"
#include "lib/host/processor.h"

/* Blocks of at most this many columns are factored by a loop. */
#define SMALL 16
/* Columns whose rows a thread swaps at a time. */
#define SWAP_COLUMNS 32
/* Fewer bytes are swapped sooner than threads are created. */
#define SHARED_BYTES (8 << 20)

struct lu {
    const struct lava_cpu_blas *blas;
    const struct lava_operation *operation;
    bool is_swapped; /* the pivots are known, and rows are where they belong */
};

/* Swaps elements of one column. The size is a constant where this is inlined, so that they are swapped in
 * registers. */
static inline void swap_in_column(const struct lava_swaps *swaps, char *column, size_t bytes) {
    char row[16], other[16];
    for (int64_t at = 0; at < swaps->end - swaps->first; at++) {
        int64_t i = swaps->backwards ? swaps->end - 1 - at : swaps->first + at;
        char *x = column + (size_t)i * bytes, *y = column + (size_t)swaps->pivots[i] * bytes;
        memcpy(row, x, bytes);
        memcpy(other, y, bytes);
        memcpy(x, other, bytes);
        memcpy(y, row, bytes);
    }
}

void lava_cpu_lu_swap_rows(const struct lava_swaps *swaps) {
    for (int64_t j = 0; j < swaps->columns; j++) {
        char *column = lava_operation_element(swaps->matrix, swaps->type, 0, j, swaps->ld);
        switch (lava_type_bytes(swaps->type)) {
        case 4:
            swap_in_column(swaps, column, 4);
            break;
        case 8:
            swap_in_column(swaps, column, 8);
            break;
        default:
            swap_in_column(swaps, column, 16);
        }
    }
}

static void swap_cell(void *context, int64_t cell) {
    struct lava_swaps swaps = *(const struct lava_swaps *)context;
    int64_t column = cell * SWAP_COLUMNS;
    swaps.matrix = lava_operation_element(swaps.matrix, swaps.type, 0, column, swaps.ld);
    swaps.columns = lava_minimum(SWAP_COLUMNS, swaps.columns - column);
    lava_cpu_lu_swap_rows(&swaps);
}

struct lava_thread_work lava_cpu_lu_swap_work(const struct lava_swaps *swaps) {
    uint64_t rows = (uint64_t)(swaps->end - swaps->first), columns = (uint64_t)swaps->columns;
    return (struct lava_thread_work){.function = swap_cell,
                                     .context = (void *)(uintptr_t)swaps,
                                     .cells = (swaps->columns + SWAP_COLUMNS - 1) / SWAP_COLUMNS,
                                     .name = "swap rows",
                                     .bytes = rows * columns * 2 * lava_type_bytes(swaps->type)};
}

/* Threads exist for this work alone, and signals wait meanwhile: a handler that jumped out of the
 * factorization would leave them with a part of the stack that is gone. */
static void run_shared(const struct lava_thread_work *work) {
    static _Atomic pid_t owner; /* the process that has such threads, 0: none */
    struct lava_thread_pool pool = {
        .name = "lava-swap", .threads = (unsigned)lava_processor_share(), .exclusive = &owner};
    const struct lava_calm calm = lava_calm_down();
    lava_thread_pool_run(&pool, work);
    lava_thread_pool_end(&pool);
    lava_calm_end(&calm);
}

/* Swaps the rows of other columns. */
static void swap_rows(const struct lu *lu, struct lava_cpu_range rows, struct lava_cpu_range columns) {
    const struct lava_swaps swaps = {.type = lu->operation->type,
                                     .matrix = lava_cpu_parts_at(lu->operation, 0, columns.first),
                                     .ld = lu->operation->c.ld,
                                     .columns = columns.size,
                                     .pivots = lu->operation->pivots,
                                     .first = rows.first,
                                     .end = rows.first + rows.size};
    if (lu->is_swapped)
        return;
    const struct lava_thread_work work = lava_cpu_lu_swap_work(&swaps);
    if (lu->blas->help && work.bytes >= SHARED_BYTES)
        run_shared(&work);
    else
        lava_cpu_lu_swap_rows(&swaps);
}

/* The first of the largest elements of a column from row j on, by |re| + |im|; a NaN only if it is the first.
 */
static int64_t find_pivot(const struct lu *lu, int64_t j) {
    int64_t found = j;
    double largest = -1;
    for (int64_t i = j; i < lu->operation->m; i++) {
        const struct lava_number number = lava_cpu_parts_read(lu->operation, i, j);
        double size = fabs(number.real) + fabs(number.imaginary);
        if (i > j ? size > largest : true) {
            found = i;
            largest = size;
        }
    }
    return found;
}

/* Column j of L, and what that takes from the columns after it. A zero pivot changes nothing. */
static void eliminate(const struct lu *lu, int64_t j, int64_t end) {
    const struct lava_number pivot = lava_cpu_parts_read(lu->operation, j, j);
    if (pivot.real == 0 && pivot.imaginary == 0)
        return;
    for (int64_t i = j + 1; i < lu->operation->m; i++)
        lava_cpu_parts_write(lu->operation, i, j,
                             lava_number_divided(lava_cpu_parts_read(lu->operation, i, j), pivot));
    for (int64_t column = j + 1; column < end; column++) {
        const struct lava_number u = lava_cpu_parts_read(lu->operation, j, column);
        for (int64_t i = j + 1; i < lu->operation->m; i++) {
            const struct lava_number l = lava_cpu_parts_read(lu->operation, i, j);
            struct lava_number rest = lava_cpu_parts_read(lu->operation, i, column);
            rest.real -= l.real * u.real - l.imaginary * u.imaginary;
            rest.imaginary -= l.real * u.imaginary + l.imaginary * u.real;
            lava_cpu_parts_write(lu->operation, i, column, rest);
        }
    }
}

/* Columns within the first m. */
static void factor_small(const struct lu *lu, struct lava_cpu_range columns) {
    int64_t end = columns.first + columns.size;
    for (int64_t j = columns.first; j < end; j++) {
        if (!lu->is_swapped)
            lu->operation->pivots[j] = find_pivot(lu, j);
        swap_rows(lu, (struct lava_cpu_range){j, 1}, columns);
        eliminate(lu, j, end);
    }
}

/* The rows of U beside the factored columns <- the X with L X = them. */
static void solve_beside(const struct lu *lu, struct lava_cpu_range done, struct lava_cpu_range rest) {
    const struct lava_cpu_application solve = {.rows = done,
                                               .columns = rest,
                                               .triangle = done,
                                               .stored = LAVA_REGION_LOWER,
                                               .unit_diagonal = true,
                                               .solves = true,
                                               .alpha = 1};
    lava_cpu_parts_apply(lu->blas, lu->operation, &solve);
}

/* The rows below, right of the factored columns <- themselves less L times U. */
static void subtract(const struct lu *lu, struct lava_cpu_range done, struct lava_cpu_range rest) {
    const struct lava_operation *operation = lu->operation;
    int64_t below = done.first + done.size;
    const struct lava_operation product = {
        .type = operation->type,
        .m = operation->m - below,
        .n = rest.size,
        .k = done.size,
        .a = {.first = lava_cpu_parts_at(lu->operation, below, done.first), .ld = operation->c.ld},
        .b = {.first = lava_cpu_parts_at(lu->operation, done.first, rest.first), .ld = operation->c.ld},
        .c = {.first = lava_cpu_parts_at(lu->operation, below, rest.first),
              .ld = operation->c.ld,
              .type = operation->type},
        .alpha.real = -1,
        .beta.real = 1};
    if (product.m > 0)
        lava_cpu_blas_run(lu->blas, &product);
}

/* Returns whether the CPU BLAS has help that has factored the columns. */
static bool is_helped(const struct lu *lu, struct lava_cpu_range columns) {
    struct lava_operation panel = lava_operation_without_sides(lu->operation);
    int64_t info;
    panel.m -= columns.first;
    panel.n = panel.k = columns.size;
    panel.c.first = lava_cpu_parts_at(lu->operation, columns.first, columns.first);
    panel.pivots += columns.first;
    if (lu->is_swapped || !lava_cpu_help_takes(lu->blas, &panel, &info))
        return false;
    for (int64_t j = 0; j < columns.size; j++)
        panel.pivots[j] += columns.first;
    return true;
}

static void factor(const struct lu *lu, struct lava_cpu_range columns) {
    if (is_helped(lu, columns))
        return;
    if (columns.size <= SMALL) {
        factor_small(lu, columns);
        return;
    }
    int64_t half = (columns.size / 2 + SMALL - 1) / SMALL * SMALL;
    const struct lava_cpu_range left = {columns.first, half},
                                right = {columns.first + half, columns.size - half};
    factor(lu, left);
    swap_rows(lu, left, right);
    solve_beside(lu, left, right);
    subtract(lu, left, right);
    factor(lu, right);
    swap_rows(lu, right, left);
}

int64_t lava_cpu_lu_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                        struct lava_cpu_done there) {
    int64_t least = lava_minimum(operation->m, operation->n), known = lava_minimum(there.columns, least);
    struct lu lu = {.blas = blas, .operation = operation};
    const struct lava_cpu_range done = {0, known}, wide = {least, operation->n - least};
    const struct lava_cpu_range rest = {there.columns, operation->n - there.columns};
    const struct lava_cpu_range swapped = {0, there.by_columns ? known : least};
    if (there.columns > 0 && rest.size > 0) {
        swap_rows(&lu, swapped, rest);
        solve_beside(&lu, done, rest);
        subtract(&lu, done, rest);
    }
    lu.is_swapped = there.columns > 0 && !there.by_columns;
    factor(&lu, (struct lava_cpu_range){known, least - known});
    if (known < least) {
        const struct lava_cpu_range new = {known, least - known};
        swap_rows(&lu, new, done);
        if (wide.size > 0) { /* columns after the last pivot */
            swap_rows(&lu, new, wide);
            solve_beside(&lu, new, wide);
        }
    }
    return lava_cpu_parts_find_zero(operation);
}
