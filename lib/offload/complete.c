/* Computes the rest of C by the CPU's routines. Called by offload.c and crew.c. Invariant: what is written is
 * not written again. */
#include "lib/offload/complete.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/ways.h"
#include "lib/product/left_tiles.h"

/* Computes those elements of the block that are in C's region. */
static void run_part(const struct lava_operation *operation, int64_t row, int64_t rows, int64_t column,
                     int64_t columns) {
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    int64_t end = row + rows, last = column + columns;
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    if (operation->c.region == LAVA_REGION_ALL || rows <= 0 || columns <= 0) {
        lava_cpu_blas_run_block(blas, operation, row, rows, column, columns);
        return;
    }
    /* The part of the diagonal in the block, and what is beside and below it, or above. */
    int64_t first = lava_maximum(row, column), after = lava_minimum(end, last), size = after - first;
    lava_cpu_blas_run_block(blas, operation, first, size, first, size);
    if (is_lower) {
        lava_cpu_blas_run_block(blas, operation, first, end - first, column,
                                lava_minimum(first, last) - column);
        lava_cpu_blas_run_block(blas, operation, after, end - after, first, size);
    } else {
        lava_cpu_blas_run_block(blas, operation, row, lava_minimum(first, end) - row, first, last - first);
        lava_cpu_blas_run_block(blas, operation, first, size, after, last - after);
    }
}

/* Columns from the last one on are finished; a result in place has no part of a column. */
static void complete_descending(const struct lava_operation *operation,
                                const struct lava_progress *progress) {
    int64_t below = progress->row + progress->rows;
    run_part(operation, progress->row, progress->rows, 0, operation->n - progress->column);
    run_part(operation, below, operation->m - below, 0, operation->n);
}

/* The last rows are finished; those above them depend on them. */
static void complete_climbing(const struct lava_operation *operation, const struct lava_progress *progress) {
    int64_t above = operation->m - progress->row - progress->rows;
    run_part(operation, above, progress->rows, progress->column, operation->n - progress->column);
    run_part(operation, 0, above, 0, operation->n);
}

/* The strip's rest, then what is below it. An upper triangle lacks all columns from progress->column on. */
static void complete_strips(const struct lava_operation *operation, const struct lava_progress *progress) {
    bool is_upper = operation->c.region == LAVA_REGION_UPPER;
    int64_t row = is_upper ? 0 : progress->row, rows = is_upper ? operation->m : progress->rows;
    int64_t column = progress->column, below = row + rows;
    if (progress->partial > 0) {
        run_part(operation, row + progress->partial, rows - progress->partial, column, 1);
        column++;
    }
    run_part(operation, row, rows, column, operation->n - column);
    run_part(operation, below, operation->m - below, 0, operation->n);
}

static void complete_product(const struct lava_operation *operation, const struct lava_progress *progress) {
    if (lava_operation_descends(operation))
        complete_descending(operation, progress);
    else if (lava_operation_climbs(operation))
        complete_climbing(operation, progress);
    else
        complete_strips(operation, progress);
}

/* The products from `first` on. */
static void complete_series(const struct lava_operation *batch, int64_t first) {
    for (int64_t i = first; i < batch->series->count; i++) {
        const struct lava_operation product = lava_operation_of_series(batch, batch->series, i);
        lava_cpu_blas_run(lava_cpu_blas_get(), &product);
    }
}

int64_t lava_complete_on_cpu(const struct lava_operation *operation, const struct lava_progress *progress) {
    const struct lava_cpu_done done = {progress->column, progress->sides, progress->by_columns};
    lava_cpu_finish *finish = lava_ways_of(operation)->finish;
    if (finish)
        return finish(lava_cpu_blas_get(), operation, done);
    if (operation->series)
        complete_series(operation, progress->products);
    else
        complete_product(operation, progress);
    return 0;
}

/* The first rows in some columns: those before the written part are not in C's region. */
struct written {
    int64_t rows, column, columns;
};

/* Adds the products of columns of tiles that are alike, at a panel of K: one for each run of tiles that are
 * left. */
static void add_runs(const struct lava_operation *part, const struct lava_left_tiles *tiles,
                     const uint8_t *is_left, const struct written *written) {
    for (int64_t i = 0, end; i < tiles->tiles_m; i = end) {
        for (end = i + 1; end < tiles->tiles_m && is_left[end] == is_left[i]; end++)
            ;
        int64_t row = i * tiles->of_c.tile_m, below = lava_minimum(end * tiles->of_c.tile_m, written->rows);
        if (is_left[i])
            run_part(part, row, below - row, written->column, written->columns);
    }
}

/* Adds a panel's products to the columns. Neighbouring columns of tiles are often alike, as with a NaN in a
 * row. */
static void add_panel(const struct lava_operation *part, const struct lava_left_tiles *tiles, int64_t panel,
                      const struct written *written) {
    const uint8_t *is_left = tiles->is_left + panel * tiles->tiles_n * tiles->tiles_m;
    int64_t last = written->column + written->columns;
    for (int64_t j = written->column / tiles->of_c.tile_n, end; j * tiles->of_c.tile_n < last; j = end) {
        const uint8_t *column = is_left + j * tiles->tiles_m;
        for (end = j + 1; end * tiles->of_c.tile_n < last; end++)
            if (memcmp(is_left + end * tiles->tiles_m, column, (size_t)tiles->tiles_m) != 0)
                break;
        struct written alike = {.rows = written->rows,
                                .column = lava_maximum(j * tiles->of_c.tile_n, written->column)};
        alike.columns = lava_minimum(end * tiles->of_c.tile_n, last) - alike.column;
        add_runs(part, tiles, column, &alike);
    }
}

void lava_complete_left_tiles(const struct lava_operation *operation, struct lava_progress *progress) {
    struct lava_left_tiles *tiles = progress->left;
    const struct written parts[] = {
        {operation->m, 0, progress->column},
        {progress->row + progress->partial, progress->column, progress->partial > 0}};
    for (int64_t p = 0; tiles && p < tiles->panels; p++) {
        int64_t first = p * tiles->panel, k = lava_minimum(tiles->panel, operation->k - first);
        struct lava_operation part = lava_operation_depth(operation, first, k);
        part.beta = (struct lava_scalar){.real = 1}; /* it is done */
        for (int i = 0; i < 2; i++)
            if (parts[i].columns > 0)
                add_panel(&part, tiles, p, &parts[i]);
    }
    free(tiles);
    progress->left = NULL;
}
