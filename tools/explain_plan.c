/* What `lavablas explain --plan` prints: what the device does for a call, in its order. Called by explain.c.
 */
#include <inttypes.h>
#include <stdio.h>

#include "dispatch/arithmetic.h"
#include "dispatch/bands.h"
#include "dispatch/divide.h"
#include "dispatch/eigen.h"
#include "dispatch/inverse_plan.h"
#include "dispatch/program.h"
#include "dispatch/qr.h"
#include "dispatch/singular.h"
#include "dispatch/solve.h"
#include "shaders/interface.h"
#include "tools/explain.h"

static void show_task(const struct lava_task *task) {
    const struct lava_block *block = task->block;
    switch (task->kind) {
    case LAVA_TASK_PACK_A:
        printf("  pack A        rows %" PRId64 " to %" PRId64 ", K %" PRId64 " to %" PRId64 "%s\n", task->row,
               task->row + task->rows, task->first_k, task->first_k + task->k,
               task->serves_both ? ", and the same as B's columns" : "");
        return;
    case LAVA_TASK_PACK_B:
        printf("  pack B        columns %" PRId64 " to %" PRId64 ", K %" PRId64 " to %" PRId64 "\n",
               task->column, task->column + task->columns, task->first_k, task->first_k + task->k);
        return;
    case LAVA_TASK_WAIT:
        printf("  write back    until %u downloads are unfinished\n", task->unfinished);
        return;
    case LAVA_TASK_MULTIPLY:
        printf("  multiply      rows %" PRId64 " to %" PRId64 ", columns %" PRId64 " to %" PRId64 "\n",
               task->row, task->row + task->rows, block->column, block->column + block->columns);
        return;
    default:
        printf("  %s rows %" PRId64 " to %" PRId64 ", columns %" PRId64 " to %" PRId64 "\n",
               task->kind == LAVA_TASK_EPILOGUE ? "epilogue     " : "download     ", block->row,
               block->row + block->rows, block->column, block->column + block->columns);
    }
}

/* Prints the program. For a complex product it is that of the real product of its parts. For a product
 * computed at once, the same tasks are one submission. */
static void show_program(const struct lava_operation *operation, const struct lava_plan *plan) {
    const struct lava_operation parts = lava_operation_of_parts(operation);
    struct lava_program program;
    struct lava_task task;
    lava_program_begin(&program, &parts, plan->kernel, &plan->blocking);
    while (lava_program_next(&program, &task))
        show_task(&task);
}

/* Between two chunks nothing waits but for the memory of an earlier one. */
static void show_chunks(const char *what, int64_t sides, int64_t each) {
    for (int64_t side = 0; side < sides; side += each)
        printf("  solve         %s %" PRId64 " to %" PRId64 "\n", what, side,
               lava_minimum(side + each, sides));
}

/* While a band is solved for, later ones are uploaded and earlier ones downloaded. */
static void show_bands(const struct lava_operation *operation, int64_t width) {
    const struct lava_bands bands = lava_bands_of(operation, width);
    const char *what = bands.on_right ? "columns" : "rows";
    for (int64_t i = 0; i < lava_bands_count(&bands); i++) {
        const struct lava_band band = lava_band_at(&bands, i);
        printf("  band          %s %" PRId64 " to %" PRId64 ", after %" PRId64 " that are known\n", what,
               band.first, band.first + band.count, band.known);
    }
}

static void show_solve(const struct lava_operation *operation, const struct lava_plan *plan) {
    const struct lava_solve_sizes sizes = lava_solve_sizes(operation);
    if (plan->chunks.band > 0) {
        show_bands(operation, plan->chunks.band);
        return;
    }
    printf("  upload        the triangle of %" PRId64 " rows\n", sizes.order);
    show_chunks(sizes.on_right ? "rows" : "columns", sizes.sides, plan->chunks.sides);
}

/* Returns what it is. */
static const char *show_upload(const struct lava_operation *operation) {
    const char *what = operation->c.region == LAVA_REGION_ALL ? "the matrix" : "the triangle";
    printf("  upload        %s of %" PRId64 " rows\n", what, operation->m);
    return what;
}

static void show_inverse(const struct lava_operation *operation) {
    const struct lava_inverse_parts *parts = &lava_operation_row(operation)->inverse;
    const char *what = show_upload(operation);
    if (parts->inverts)
        printf("  invert        by halves, down to %d rows\n", LAVA_SOLVE_ORDER);
    if (parts->solves)
        printf("  solve         by halves, down to %d columns\n", LAVA_SOLVE_ORDER);
    else if (parts->squares)
        printf("  multiply      by halves, down to %d rows\n", LAVA_INVERSE_SQUARE);
    printf("  download      %s, in blocks of %d columns\n", what, LAVA_SOLVE_TRAPEZOID);
}

static void show_tridiagonal(const struct lava_operation *operation) {
    const char *what = show_upload(operation);
    printf("  reduce        by panels of %d columns\n", LAVA_TRIDIAGONAL_PANEL);
    printf("  download      %s, in blocks of %d columns\n", what, LAVA_SOLVE_TRAPEZOID);
}

static void show_divide(const struct lava_operation *operation) {
    const struct lava_kind *kind = lava_operation_row(operation);
    if (kind->times_c)
        show_upload(operation);
    if (!kind->has_vectors) {
        printf("  bisect        in %d rounds\n", lava_divide_rounds(operation->type));
        return;
    }
    printf("  divide        down to small matrices, and multiply\n");
    if (kind->times_c)
        printf("  multiply      the matrix by the eigenvectors\n");
    printf("  download      %s\n", kind->times_c ? "the matrix" : "the eigenvectors");
}

static void show_eigen(const struct lava_operation *operation) {
    bool has_second = lava_operation_row(operation)->has_second,
         divides = operation->second.problem == LAVA_PROBLEM_AX_BX;
    show_upload(operation);
    if (has_second) {
        printf("  upload        the other triangle\n");
        printf("  factor        it, by halves, down to %d columns\n", LAVA_SOLVE_ORDER);
        printf("  %s      from both sides, by halves\n", divides ? "solve   " : "multiply");
        printf("  download      the factor\n");
    }
    printf("  reduce        by panels of %d columns\n", LAVA_TRIDIAGONAL_PANEL);
    if (!lava_operation_row(operation)->has_vectors) {
        printf("  bisect        in %d rounds\n", lava_divide_rounds(operation->type));
        return;
    }
    printf("  divide        down to small matrices, and multiply\n");
    printf("  multiply      by blocks of %d reflections\n", LAVA_QR_BLOCK);
    if (has_second)
        printf("  %s      the eigenvectors, by halves\n",
               operation->second.problem == LAVA_PROBLEM_BAX ? "multiply" : "solve   ");
    printf("  download      the eigenvectors\n");
}

static void show_pivoted_qr(const struct lava_operation *operation) {
    const char *what = show_upload(operation);
    printf("  factor        by blocks of %d columns\n", LAVA_PIVOTED_BLOCK);
    printf("  download      %s, in blocks of %d columns\n", what, LAVA_SOLVE_TRAPEZOID);
}

static void show_bidiagonal(const struct lava_operation *operation) {
    const char *what = show_upload(operation);
    bool is_wide = operation->m < operation->n;
    if (is_wide)
        printf("  turn          the matrix, on the device\n");
    printf("  reduce        by panels of %d columns\n", LAVA_BIDIAGONAL_PANEL);
    if (is_wide)
        printf("  turn          the matrix back\n");
    printf("  download      %s, in blocks of %d columns\n", what, LAVA_SOLVE_TRAPEZOID);
}

static void show_singular(const struct lava_operation *operation) {
    const struct lava_singular_shape shape = lava_singular_shape_of(operation);
    show_upload(operation);
    if (shape.is_wide)
        printf("  turn          the matrix, on the device\n");
    if (lava_singular_may_use_gram(operation))
        printf("  factor        by Cholesky's factor of A^H A, or by blocks of %d reflections\n",
               LAVA_QR_BLOCK);
    else if (shape.by_qr)
        printf("  factor        by blocks of %d reflections\n", LAVA_QR_BLOCK);
    printf("  iterate       to the polar factor of %" PRId64 " x %" PRId64 "\n", shape.rows, shape.shorter);
    printf("  reduce        by panels of %d columns\n", LAVA_TRIDIAGONAL_PANEL);
    if (!lava_operation_row(operation)->has_vectors) {
        printf("  bisect        in %d rounds\n", lava_divide_rounds(operation->type));
        return;
    }
    printf("  divide        down to small matrices, and multiply\n");
    if (operation->sides.count > 0)
        printf("  solve         %" PRId64 " right-hand sides\n", operation->sides.count);
    if (shape.left_columns > 0 || shape.has_right)
        printf("  download      the singular vectors\n");
}

/* The matrix stays in host memory. */
static void show_block_columns(const struct lava_operation *operation, const struct lava_plan *plan) {
    int64_t width = plan->columns.width;
    for (int64_t from = 0; from < operation->n && !operation->sides.factored; from += width)
        printf("  block column  %" PRId64 " to %" PRId64 ", by slices of %" PRId64 " of those before\n", from,
               lava_minimum(from + width, operation->n), plan->columns.slice);
    if (operation->sides.count > 0)
        show_chunks("right-hand sides", operation->sides.count, plan->chunks.sides);
}

static void show_factorization(const struct lava_operation *operation, const struct lava_plan *plan) {
    bool is_lu = lava_operation_row(operation)->pivots;
    const char *what = show_upload(operation);
    if (!operation->sides.factored) {
        printf("  factor        by halves, down to %d %s\n", is_lu ? LAVA_LU_PANEL : LAVA_CHOLESKY_ORDER,
               is_lu ? "columns" : "rows");
        printf("  download      %s, in blocks of %d columns\n", what, LAVA_SOLVE_TRAPEZOID);
    }
    if (operation->sides.count > 0)
        show_chunks("right-hand sides", operation->sides.count, plan->chunks.sides);
}

static void show_qr(const struct lava_operation *operation) {
    const char *sides = operation->sides.count > 0 ? " and the right-hand sides" : "";
    const struct lava_operation tall = lava_qr_tall(operation);
    bool is_turned = lava_qr_is_turned(operation);
    if (is_turned)
        printf("  turn          the matrix, in host memory\n");
    printf("  upload        the matrix of %" PRId64 " rows%s\n", tall.m, sides);
    printf("  compute       by blocks of %d reflections\n", LAVA_QR_BLOCK);
    if (operation->sides.count > 0)
        printf("  solve         by halves, down to %d rows\n", LAVA_SOLVE_ORDER);
    printf("  download      the matrix%s, in blocks of %d columns\n", sides, LAVA_SOLVE_TRAPEZOID);
    if (is_turned)
        printf("  turn          the matrix back\n");
}

void explain_plan(const struct lava_operation *operation, const struct lava_plan *plan) {
    const struct lava_kind *kind = lava_operation_row(operation);
    bool has_columns = plan->columns.width > 0, solves = plan->chunks.sides > 0;
    if (!plan->kernel && solves) /* without products */
        show_solve(operation, plan);
    else if (!plan->kernel)
        return;
    else if (has_columns)
        show_block_columns(operation, plan);
    else if (kind->has_factors)
        show_factorization(operation, plan);
    else if (kind->inverse.inverts || kind->inverse.squares)
        show_inverse(operation);
    else if (kind->is_singular)
        show_singular(operation);
    else if (kind->of_tridiagonal)
        show_divide(operation);
    else if (kind->has_values)
        show_eigen(operation);
    else if (kind->reduces)
        show_tridiagonal(operation);
    else if (kind->is_bidiagonal)
        show_bidiagonal(operation);
    else if (kind->orders_columns)
        show_pivoted_qr(operation);
    else if (kind->is_lapack)
        show_qr(operation);
    else if (solves)
        show_solve(operation, plan);
    else
        show_program(operation, plan);
}
