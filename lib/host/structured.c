/* Products with a symmetric or Hermitian operand, and two products at once. Called by cpu_blas.c. Triangular
 * operands are in triangular.c.
 *
 * A symmetric matrix is cut into halves. ?gemm reads the rectangle between them as it is stored for one half
 * of C, and transposed for the other. Squares of 64 on the diagonal are completed in a scratch matrix.
 *
 *     +-.                     half 1 of C gets half 1 by half 1 of B, and the transposed rectangle by half 2;
 *     |  `-.    1             half 2 of C gets the rectangle by half 1 of B, and half 2 by half 2
 *     +----+-.
 *     |    |  `-.    2
 *     +----+-----+
 *
 * From the right it is the same with columns. */
#include "lib/host/structured.h"

#include "lib/host/triangular.h"

#define SQUARE 64

bool lava_structured_suits(const struct lava_operation *operation) {
    return operation->twice || operation->kind == LAVA_OPERATION_SOLVE ||
           lava_operation_structured(operation);
}

/* The block of C, and scratch for a square on the diagonal. */
struct symmetric {
    const struct lava_cpu_blas *blas;
    lava_structured_product *run;
    const struct lava_operation *operation;
    const struct lava_operand *operand; /* the symmetric one */
    bool is_left;
    int64_t row, rows, column, columns;
    void *square;
};

/* Copies an element, conjugated or with no imaginary part. */
static void copy_element(enum lava_type type, const void *from, void *to, int sign) {
    if (lava_type_real(type) == LAVA_TYPE_FP32) {
        const float *source = from;
        float *target = to;
        target[0] = source[0];
        if (lava_type_is_complex(type))
            target[1] = sign == 0 ? 0.0F : sign < 0 ? -source[1] : source[1];
    } else {
        const double *source = from;
        double *target = to;
        target[0] = source[0];
        if (lava_type_is_complex(type))
            target[1] = sign == 0 ? 0.0 : sign < 0 ? -source[1] : source[1];
    }
}

/* Completes the square of this size that begins at (at, at). */
static void complete_square(const struct symmetric *x, int64_t at, int64_t size) {
    const struct lava_operand *operand = x->operand;
    enum lava_type type = x->operation->type;
    bool is_lower = operand->stored == LAVA_REGION_LOWER;
    bool is_hermitian = operand->structure == LAVA_STRUCTURE_HERMITIAN;
    for (int64_t j = 0; j < size; j++)
        for (int64_t i = j; i < size; i++) {
            /* (i, j) is in the lower triangle */
            int64_t row = at + (is_lower ? i : j), column = at + (is_lower ? j : i);
            const void *stored = lava_operation_element(operand->first, type, row, column, operand->ld);
            int turned = is_hermitian ? -1 : 1, other = i == j && is_hermitian ? 0 : turned;
            copy_element(type, stored, lava_operation_element(x->square, type, row - at, column - at, SQUARE),
                         i == j && is_hermitian ? 0 : 1);
            copy_element(type, stored, lava_operation_element(x->square, type, column - at, row - at, SQUARE),
                         other);
        }
}

/* Adds the product of `terms` columns (rows from the right) of the symmetric matrix, given as an operand, to
 * the rows (columns) of C from `at`. beta belongs to the first of a sum's terms. */
static void add_terms(const struct symmetric *x, const struct lava_operand *given, int64_t at, int64_t size,
                      int64_t first_term, int64_t terms, struct lava_scalar beta) {
    const struct lava_operation *operation = x->operation;
    const struct lava_operand *general = x->is_left ? &operation->b : &operation->a;
    int64_t row = x->is_left ? at : x->row, column = x->is_left ? x->column : at;
    struct lava_operand other = {.ld = general->ld};
    struct lava_operation product = *operation;
    if (terms <= 0)
        return;
    other.first = lava_operation_element(general->first, operation->type, x->is_left ? first_term : x->row,
                                         x->is_left ? x->column : first_term, general->ld);
    product.m = x->is_left ? size : x->rows;
    product.n = x->is_left ? x->columns : size;
    product.k = terms;
    product.a = x->is_left ? *given : other;
    product.b = x->is_left ? other : *given;
    product.c.first =
        lava_operation_element(operation->c.first, operation->type, row, column, operation->c.ld);
    product.beta = beta;
    x->run(x->blas, &product, 0, product.m, 0, product.n);
}

static const struct lava_scalar one = {.real = 1};

/* Adds terms of a rectangle beside the diagonal, which is stored, or stored transposed. */
static void add_beside(const struct symmetric *x, int64_t at, int64_t size, int64_t first_term,
                       int64_t terms) {
    const struct lava_operand *operand = x->operand;
    int64_t row = x->is_left ? at : first_term, column = x->is_left ? first_term : at;
    bool is_stored = (row > column) == (operand->stored == LAVA_REGION_LOWER);
    const struct lava_operand given = {
        .first = lava_operation_element(operand->first, x->operation->type, is_stored ? row : column,
                                        is_stored ? column : row, operand->ld),
        .ld = operand->ld,
        .op = is_stored ? LAVA_OP_N : LAVA_OP_T,
        .conjugate = !is_stored && operand->structure == LAVA_STRUCTURE_HERMITIAN};
    add_terms(x, &given, at, size, first_term, terms, one);
}

/* Computes the rows (columns) of C from `at`, but only the terms of the square on the diagonal. */
static void run_square(const struct symmetric *x, int64_t at, int64_t size) {
    const struct lava_operand completed = {.first = x->square, .ld = SQUARE};
    if (size <= SQUARE) {
        complete_square(x, at, size);
        add_terms(x, &completed, at, size, at, size, x->operation->beta);
        return;
    }
    int64_t half = (size / 2 + SQUARE - 1) / SQUARE * SQUARE;
    run_square(x, at, half);
    run_square(x, at + half, size - half);
    add_beside(x, at, half, at + half, size - half);
    add_beside(x, at + half, size - half, at, half);
}

static void run_symmetric(struct symmetric *x) {
    /* sized for the largest elements; on the stack, so that nothing can fail here */
    _Alignas(64) char square[SQUARE * SQUARE * 16];
    int64_t first = x->is_left ? x->row : x->column, size = x->is_left ? x->rows : x->columns;
    x->square = square;
    run_square(x, first, size);
    add_beside(x, first, size, 0, first);
    add_beside(x, first, size, first + size, x->operation->k - first - size);
}

/* beta C: of a solve, 0. */
static void scale(const struct lava_cpu_blas *blas, lava_structured_product *run,
                  const struct lava_operation *operation, int64_t row, int64_t rows, int64_t column,
                  int64_t columns) {
    struct lava_operation product = *operation;
    product.kind = LAVA_OPERATION_PRODUCT;
    product.in_place = false;
    product.a = product.b = (struct lava_operand){.first = operation->c.first, .ld = operation->c.ld};
    product.alpha = (struct lava_scalar){.real = 0};
    product.k = 0;
    run(blas, &product, row, rows, column, columns);
}

/* The second product is added to the result of the first. */
static void run_twice(const struct lava_cpu_blas *blas, lava_structured_product *run,
                      const struct lava_operation *operation, int64_t row, int64_t rows, int64_t column,
                      int64_t columns) {
    struct lava_operation first;
    const struct lava_operation second = lava_operation_transposed(operation, &first);
    run(blas, &first, row, rows, column, columns);
    if (!lava_operation_is_trivial(operation))
        run(blas, &second, row, rows, column, columns);
}

void lava_structured_run(const struct lava_cpu_blas *blas, lava_structured_product *run_product,
                         const struct lava_operation *operation, int64_t row, int64_t rows, int64_t column,
                         int64_t columns) {
    const struct lava_operand *operand = lava_operation_structured(operation);
    struct symmetric x = {.blas = blas,
                          .run = run_product,
                          .operation = operation,
                          .operand = operand,
                          .is_left = operand == &operation->a,
                          .row = row,
                          .rows = rows,
                          .column = column,
                          .columns = columns};
    if (rows <= 0 || columns <= 0)
        return;
    if (operation->twice)
        run_twice(blas, run_product, operation, row, rows, column, columns);
    else if (lava_operation_is_trivial(operation))
        scale(blas, run_product, operation, row, rows, column, columns);
    else if (operand->structure == LAVA_STRUCTURE_TRIANGULAR)
        lava_triangular_run(blas, run_product, operation, row, rows, column, columns);
    else
        run_symmetric(&x);
}
