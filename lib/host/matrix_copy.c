/* Passes over matrices in host memory. Called by lib/lapack. Invariant: a cell is some whole columns, and no
 * two cells write the same memory. */
#include "lib/host/matrix_copy.h"

#include <string.h>

#include "dispatch/arithmetic.h"

/* Less than this the caller finishes before a sleeping thread would wake up. */
#define ALONE_BYTES (256 * 1024)
/* Cells of a pass, at most: enough that threads finish together even if columns of a triangle differ. */
#define CELLS_MAX 256
/* Rows of the target that are turned at a time, because columns of the source may share a few places of a
 * cache, and the least columns of a cell, because each of the source's columns is in another page. One thread
 * turned 1.5 to 2.6 GB/s with these at order 4096, with rows of a cache line and 16 columns 0.9 to 3.2, fp32
 * least; it copied 6 (two busy cores, 2026-11-25). */
#define TURN_ROWS    8
#define TURN_COLUMNS 64

static int64_t columns_each(enum lava_type type, int64_t rows, int64_t columns) {
    double bytes = (double)rows * (double)columns * (double)lava_type_bytes(type);
    return bytes < ALONE_BYTES ? lava_maximum(columns, 1) : lava_maximum((columns - 1) / CELLS_MAX + 1, 1);
}

static int64_t cells_of(int64_t columns, int64_t each) {
    return (columns + each - 1) / each;
}

struct copy_pass {
    const struct lava_matrix_copy *copy;
    int64_t each; /* columns of a cell */
};

static void copy_cell(void *context, int64_t cell) {
    const struct copy_pass *pass = context;
    const struct lava_matrix_copy *copy = pass->copy;
    const struct lava_region_block block = {.region = copy->region, .rows = copy->rows};
    int64_t stop = lava_minimum((cell + 1) * pass->each, copy->columns);
    for (int64_t j = cell * pass->each; j < stop; j++) {
        int64_t first, end = lava_region_rows(&block, j, &first), from = copy->order ? copy->order[j] : j;
        memcpy(lava_operation_element(copy->target, copy->type, first, j, copy->target_ld),
               lava_operation_element(copy->source, copy->type, first, from, copy->source_ld),
               (size_t)(end - first) * lava_type_bytes(copy->type));
    }
}

/* Runs it for cells of at least n columns. */
static void run_columns(struct lava_copy_pool *pool, const struct lava_matrix_copy *copy, int64_t least,
                        lava_thread_pool_cell *function, const char *name) {
    struct copy_pass pass = {
        .copy = copy, .each = lava_maximum(columns_each(copy->type, copy->rows, copy->columns), least)};
    const struct lava_thread_work work = {
        .function = function, .context = &pass, .cells = cells_of(copy->columns, pass.each), .name = name};
    lava_copy_pool_run(pool, &work);
}

void lava_matrix_copy(struct lava_copy_pool *pool, const struct lava_matrix_copy *copy) {
    run_columns(pool, copy, 1, copy_cell, "copy matrix");
}

/* Rows [row, end) of columns [column, stop) of the target. */
struct tile {
    int64_t row, end, column, stop;
};

struct cfp32 {
    float real, imaginary;
};
struct cfp64 {
    double real, imaginary;
};
#define SAME(z)      (z)
#define CONJUGATE(z) ((z).imaginary = -(z).imaginary, (z))
#define TURN(name, element, adjoint)                                                                         \
    static void turn_##name(const struct lava_matrix_copy *copy, const struct tile *tile) {                  \
        const element *restrict source = copy->source;                                                       \
        element *restrict target = copy->target;                                                             \
        for (int64_t j = tile->column; j < tile->stop; j++)                                                  \
            for (int64_t i = tile->row; i < tile->end; i++) {                                                \
                element z = source[i * copy->source_ld + j];                                                 \
                target[j * copy->target_ld + i] = adjoint(z);                                                \
            }                                                                                                \
    }
TURN(fp32, float, SAME)
TURN(fp64, double, SAME)
TURN(cfp32, struct cfp32, CONJUGATE)
TURN(cfp64, struct cfp64, CONJUGATE)

static void turn_tile(const struct lava_matrix_copy *copy, const struct tile *tile) {
    switch (copy->type) {
    case LAVA_TYPE_FP32:
        turn_fp32(copy, tile);
        return;
    case LAVA_TYPE_FP64:
        turn_fp64(copy, tile);
        return;
    case LAVA_TYPE_CFP32:
        turn_cfp32(copy, tile);
        return;
    default:
        turn_cfp64(copy, tile);
    }
}

static void turn_cell(void *context, int64_t cell) {
    const struct copy_pass *pass = context;
    const struct lava_matrix_copy *copy = pass->copy;
    int64_t column = cell * pass->each, stop = lava_minimum(column + pass->each, copy->columns);
    for (int64_t row = 0; row < copy->rows; row += TURN_ROWS) {
        const struct tile tile = {row, lava_minimum(row + TURN_ROWS, copy->rows), column, stop};
        turn_tile(copy, &tile);
    }
}

void lava_matrix_copy_turn(struct lava_copy_pool *pool, const struct lava_matrix_copy *copy) {
    run_columns(pool, copy, TURN_COLUMNS, turn_cell, "turn matrix");
}

struct largest_pass {
    enum lava_type type;
    const void *first;
    int64_t rows, columns, ld, each;
    int64_t largest[CELLS_MAX]; /* of each cell, as bits */
};

/* Without the sign, numbers are in the order of their bits, and NaN comes after infinity. */
static int64_t largest_fp32(const char *elements, int64_t count, int64_t largest) {
    int32_t most = (int32_t)largest;
    for (int64_t i = 0; i < count; i++) {
        int32_t bits;
        memcpy(&bits, elements + i * (int64_t)sizeof bits, sizeof bits);
        bits &= INT32_MAX;
        most = bits > most ? bits : most;
    }
    return most;
}

static int64_t largest_fp64(const char *elements, int64_t count, int64_t largest) {
    for (int64_t i = 0; i < count; i++) {
        int64_t bits;
        memcpy(&bits, elements + i * (int64_t)sizeof bits, sizeof bits);
        bits &= INT64_MAX;
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

static bool is_fp32(const struct largest_pass *pass) {
    return lava_type_real(pass->type) == LAVA_TYPE_FP32;
}

static void largest_cell(void *context, int64_t cell) {
    struct largest_pass *pass = context;
    int64_t stop = lava_minimum((cell + 1) * pass->each, pass->columns), largest = 0,
            count = pass->rows * (lava_type_is_complex(pass->type) ? 2 : 1);
    for (int64_t j = cell * pass->each; j < stop; j++) {
        const char *column = lava_operation_element(pass->first, pass->type, 0, j, pass->ld);
        largest = is_fp32(pass) ? largest_fp32(column, count, largest) : largest_fp64(column, count, largest);
    }
    pass->largest[cell] = largest;
}

double lava_matrix_copy_largest(struct lava_copy_pool *pool, enum lava_type type, const void *first,
                                int64_t rows, int64_t columns, int64_t ld) {
    struct largest_pass pass = {.type = type,
                                .first = first,
                                .rows = rows,
                                .columns = columns,
                                .ld = ld,
                                .each = columns_each(type, rows, columns)};
    int64_t cells = cells_of(columns, pass.each), largest = 0;
    const struct lava_thread_work work = {
        .function = largest_cell, .context = &pass, .cells = cells, .name = "find largest"};
    lava_copy_pool_run(pool, &work);
    for (int64_t i = 0; i < cells; i++)
        largest = lava_maximum(largest, pass.largest[i]);
    int32_t narrow = (int32_t)largest;
    float single;
    double value;
    memcpy(&single, &narrow, sizeof single);
    memcpy(&value, &largest, sizeof value);
    return is_fp32(&pass) ? (double)single : value;
}
