/* Products with a symmetric or Hermitian operand, and two products at once; products with a triangular one,
 * in place, and solves with one. Called by cpu_blas.c.
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
 * From the right it is the same with columns.
 *
 * A triangular matrix is cut into halves, too: two smaller ones, and a product of general matrices between
 * them, which has half of all the work. ?gemm computes it in place, because it reads one half of C and writes
 * the other.
 *
 *     +-.                C is cut into rows (A is triangular) or columns (B is). Result i depends on those
 *     |  `-.    low      before it, or on those after it. A product begins with the half that depends on the
 *     +----+-.           other, which still has its old value. A solve begins with the half that does not.
 *     |    |  `-. high
 *     +----+-----+
 *
 * Small triangles are computed in C, in triangular_loop.h, without their zeros: 0 x NaN is NaN. */
#include "lib/host/cpu_structured.h"

#include "dispatch/arithmetic.h"
#include "lib/host/cpu_help.h"

#define SQUARE 64

bool lava_cpu_structured_suits(const struct lava_operation *operation) {
    return operation->twice || lava_operation_structured(operation);
}

/* The block of C, and scratch for a square on the diagonal. */
struct symmetric {
    const struct lava_cpu_blas *blas;
    lava_cpu_structured_product *run;
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

/* Computes rows (columns) of C and the terms of the same range, if the CPU BLAS has help for a matrix of that
 * order, which is structured as all of it. */
static bool is_helped(const struct lava_cpu_blas *blas, const struct lava_operation *operation, bool is_left,
                      int64_t at, int64_t size, int64_t other, int64_t others, struct lava_scalar alpha) {
    struct lava_operation part = *operation;
    struct lava_operand *structured = is_left ? &part.a : &part.b, *general = is_left ? &part.b : &part.a;
    int64_t row = is_left ? at : other, column = is_left ? other : at, info;
    structured->first = lava_operation_element(structured->first, part.type, at, at, structured->ld);
    general->first = lava_operation_element(general->first, part.type, row, column, general->ld);
    part.c.first = lava_operation_element(part.c.first, part.type, row, column, part.c.ld);
    part.m = is_left ? size : others;
    part.n = is_left ? others : size;
    part.k = size;
    part.alpha = alpha;
    return lava_cpu_help_takes(blas, &part, &info);
}

/* Computes the rows (columns) of C from `at`, but only the terms of the square on the diagonal. */
static void run_square(const struct symmetric *x, int64_t at, int64_t size) {
    const struct lava_operand completed = {.first = x->square, .ld = SQUARE};
    if (is_helped(x->blas, x->operation, x->is_left, at, size, x->is_left ? x->column : x->row,
                  x->is_left ? x->columns : x->rows, x->operation->alpha))
        return;
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

/* Rows of the triangles that are not halved: 8 and 32 were slower or as fast. With n x n matrices, n = 500,
 * 1000 and 2000, one thread, dtrsm takes 0.5 to 0.8 of the time of OpenBLAS's own, dtrmm 1.1 to 1.7 (OpenBLAS
 * 0.3.21, 2026-11-23). */
#define SMALL 16
/* This many columns (rows) of C are loaded at a time. */
#define OTHERS 64

/* A small triangle on the diagonal, and what it is applied to. Distances are in elements. */
struct small {
    const void *triangle; /* its element that is in row and column 0 of the coefficients */
    void *c;
    int64_t triangle_row, triangle_column; /* from a coefficient to that below it, and to that beside it */
    int64_t c_step, c_other;               /* from a result to the next one, and to the next column (row) */
    int size;
    int64_t others;
    bool conjugate, has_unit_diagonal, solves;
    struct lava_scalar alpha;
};

#define LOOP "lib/host/triangular_loop.h"
#include "lib/host/each_type.h"

typedef void run_function(const struct small *small);

static run_function *const runs[LAVA_TYPE_COUNT] = OF_EACH_TYPE(run);

struct triangular {
    const struct lava_cpu_blas *blas;
    lava_cpu_structured_product *run;
    const struct lava_operation *operation;
    const struct lava_operand *operand; /* the triangular one */
    bool is_left;
    bool is_forward;       /* a result depends on those before it */
    int64_t other, others; /* columns of C, or rows from the right */
};

/* Rows of C, or columns from the right. */
struct range {
    int64_t first, size;
};

/* The element of C in `at` and the first of the other columns (rows). */
static void *result_at(const struct triangular *x, int64_t at) {
    const struct lava_result *c = &x->operation->c;
    return lava_operation_element(c->first, x->operation->type, x->is_left ? at : x->other,
                                  x->is_left ? x->other : at, c->ld);
}

/* The stored element of op(the triangular matrix) in this row and column. */
static void *coefficient_at(const struct triangular *x, int64_t row, int64_t column) {
    const struct lava_operand *operand = x->operand;
    bool is_n = operand->op == LAVA_OP_N;
    return lava_operation_element(operand->first, x->operation->type, is_n ? row : column,
                                  is_n ? column : row, operand->ld);
}

/* target <- alpha times the product of its coefficients by source, + beta target */
static void multiply(const struct triangular *x, struct range target, struct range source,
                     struct lava_scalar alpha, struct lava_scalar beta) {
    struct lava_operation product = {.type = x->operation->type,
                                     .m = x->is_left ? target.size : x->others,
                                     .n = x->is_left ? x->others : target.size,
                                     .k = source.size,
                                     .c = x->operation->c,
                                     .alpha = alpha,
                                     .beta = beta};
    struct lava_operand coefficients = {.first = coefficient_at(x, x->is_left ? target.first : source.first,
                                                                x->is_left ? source.first : target.first),
                                        .ld = x->operand->ld,
                                        .op = x->operand->op,
                                        .conjugate = x->operand->conjugate};
    struct lava_operand general = {.first = result_at(x, source.first), .ld = x->operation->c.ld};
    product.a = x->is_left ? coefficients : general;
    product.b = x->is_left ? general : coefficients;
    product.c.first = result_at(x, target.first);
    if (target.size > 0 && source.size > 0)
        x->run(x->blas, &product, 0, product.m, 0, product.n);
}

/* Results that depend on later ones are taken in reverse order, so the loops know only one order. */
static void run_small(const struct triangular *x, struct range range, struct lava_scalar alpha) {
    const struct lava_operation *operation = x->operation;
    int64_t first = x->is_forward ? range.first : range.first + range.size - 1;
    int64_t direction = x->is_forward ? 1 : -1;
    bool is_row = x->is_left == (x->operand->op == LAVA_OP_N); /* a result's coefficients are a stored row */
    const struct small small = {.triangle = coefficient_at(x, first, first),
                                .c = result_at(x, first),
                                .triangle_row = direction * (is_row ? 1 : x->operand->ld),
                                .triangle_column = direction * (is_row ? x->operand->ld : 1),
                                .c_step = direction * (x->is_left ? 1 : operation->c.ld),
                                .c_other = x->is_left ? operation->c.ld : 1,
                                .size = (int)range.size,
                                .others = x->others,
                                .conjugate = x->operand->conjugate,
                                .has_unit_diagonal = x->operand->unit_diagonal,
                                .solves = lava_operation_row(operation)->solves,
                                .alpha = alpha};
    runs[operation->type](&small);
}

static const struct lava_scalar minus_one = {.real = -1};

static void run_range(const struct triangular *x, struct range range, struct lava_scalar alpha) {
    if (is_helped(x->blas, x->operation, x->is_left, range.first, range.size, x->other, x->others, alpha))
        return;
    if (range.size <= SMALL) {
        run_small(x, range, alpha);
        return;
    }
    int64_t half = (range.size / 2 + SMALL - 1) / SMALL * SMALL;
    const struct range low = {range.first, half}, high = {range.first + half, range.size - half};
    const struct range source = x->is_forward ? low : high, target = x->is_forward ? high : low;
    if (lava_operation_row(x->operation)->solves) {
        run_range(x, source, alpha);
        multiply(x, target, source, minus_one, alpha);
        run_range(x, target, one);
    } else {
        run_range(x, target, alpha);
        multiply(x, target, source, alpha, one);
        run_range(x, source, alpha);
    }
}

/* Computes a block of C, as lava_cpu_structured_run does. alpha is not 0. */
static void run_triangular(const struct lava_cpu_blas *blas, lava_cpu_structured_product *run_product,
                           const struct lava_operation *operation, int64_t row, int64_t rows, int64_t column,
                           int64_t columns) {
    const struct lava_operand *operand = lava_operation_structured(operation);
    bool is_left = operand == &operation->a;
    const struct triangular x = {.blas = blas,
                                 .run = run_product,
                                 .operation = operation,
                                 .operand = operand,
                                 .is_left = is_left,
                                 .is_forward = is_left == lava_operand_is_lower(operand),
                                 .other = is_left ? column : row,
                                 .others = is_left ? columns : rows};
    const struct range block = {is_left ? row : column, is_left ? rows : columns};
    int64_t end = block.first + block.size;
    const struct range outside =
        x.is_forward ? (struct range){0, block.first} : (struct range){end, operation->k - end};
    if (lava_operation_row(operation)->solves && outside.size > 0) {
        multiply(&x, block, outside, minus_one, operation->alpha);
        run_range(&x, block, one);
    } else {
        run_range(&x, block, operation->alpha);
        if (!lava_operation_row(operation)->solves)
            multiply(&x, block, outside, operation->alpha, one);
    }
}

/* beta C: of a solve, 0. */
static void scale(const struct lava_cpu_blas *blas, lava_cpu_structured_product *run,
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
static void run_twice(const struct lava_cpu_blas *blas, lava_cpu_structured_product *run,
                      const struct lava_operation *operation, int64_t row, int64_t rows, int64_t column,
                      int64_t columns) {
    struct lava_operation first;
    const struct lava_operation second = lava_operation_transposed(operation, &first);
    run(blas, &first, row, rows, column, columns);
    if (!lava_operation_is_trivial(operation))
        run(blas, &second, row, rows, column, columns);
}

void lava_cpu_structured_run(const struct lava_cpu_blas *blas, lava_cpu_structured_product *run_product,
                             const struct lava_operation *operation, int64_t row, int64_t rows,
                             int64_t column, int64_t columns) {
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
        run_triangular(blas, run_product, operation, row, rows, column, columns);
    else
        run_symmetric(&x);
}
