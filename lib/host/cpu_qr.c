/* Factors, forms Q and multiplies with it by blocks of columns:
 *
 *     +---+-------+     a block by itself, reflection by reflection
 *     | R |       |     V <- its reflectors, with the ones and zeros that are not stored
 *     | V | rest  |     T with H1 H2 ... = I - V T V^H; the rest <- itself less V T^H V^H times it
 *     |   |       |
 *     +---+-------+
 *
 * Without memory for V, T and the product, one block is all. Called by lib/abi if there is no other
 * routine, and by lib/offload for what a device has begun. */
#include "lib/host/cpu_qr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/qr.h"
#include "lib/host/numbers.h"

#define BLOCK 32

/* The reflections, as ?geqrf leaves them; if `adjoint` is set, as ?gelqf does, in A's rows. */
struct reflections {
    const struct lava_cpu_blas *blas;
    enum lava_type type;
    void *a, *tau;
    int64_t rows, ld; /* rows of op(A) */
    bool adjoint;
    void *scratch; /* V, T, V^H V, and two products of BLOCK by `others`; NULL: there is no memory */
    int64_t others;
};

/* Part of a matrix; if `adjoint` is set, op(C) is its adjoint. */
struct part {
    void *first;
    int64_t ld, rows, columns; /* of op(C) */
    bool adjoint;
};

static void *at(const struct reflections *q, int64_t row, int64_t column) {
    return lava_operation_element(q->a, q->type, q->adjoint ? column : row, q->adjoint ? row : column, q->ld);
}

static struct lava_number conjugate(struct lava_number z) {
    return (struct lava_number){z.real, -z.imaginary};
}

static struct lava_number get(const struct reflections *q, int64_t row, int64_t column) {
    const struct lava_number z = lava_number_read(q->type, at(q, row, column));
    return q->adjoint ? conjugate(z) : z;
}

static void put(const struct reflections *q, int64_t row, int64_t column, struct lava_number z) {
    lava_number_write(q->type, at(q, row, column), q->adjoint ? conjugate(z) : z);
}

static void *tau_at(const struct reflections *q, int64_t e) {
    return lava_operation_element(q->tau, q->type, e, 0, 1);
}

static void *part_at(const struct reflections *q, const struct part *c, int64_t row, int64_t column) {
    return c->adjoint ? lava_operation_element(c->first, q->type, column, row, c->ld)
                      : lava_operation_element(c->first, q->type, row, column, c->ld);
}

static struct lava_number part_get(const struct reflections *q, const struct part *c, int64_t row,
                                   int64_t column) {
    const struct lava_number z = lava_number_read(q->type, part_at(q, c, row, column));
    return c->adjoint ? conjugate(z) : z;
}

/* op(C) <- H op(C), or H^H op(C), for reflection e. Row 0 of op(C) is that of the reflection's one. */
static void reflect(const struct reflections *q, int64_t e, bool adjoint, const struct part *c) {
    struct lava_number tau = lava_number_read(q->type, tau_at(q, e));
    if (tau.real == 0 && tau.imaginary == 0)
        return;
    tau = adjoint ? conjugate(tau) : tau;
    for (int64_t j = 0; j < c->columns; j++) {
        struct lava_number sum = part_get(q, c, 0, j);
        for (int64_t i = 1; i < c->rows; i++) {
            const struct lava_number term =
                lava_number_times(conjugate(get(q, e + i, e)), part_get(q, c, i, j));
            sum.real += term.real;
            sum.imaginary += term.imaginary;
        }
        sum = lava_number_times(tau, sum);
        for (int64_t i = 0; i < c->rows; i++) {
            struct lava_number z = part_get(q, c, i, j), v = {1, 0};
            const struct lava_number term = lava_number_times(sum, i > 0 ? get(q, e + i, e) : v);
            z.real -= term.real;
            z.imaginary -= term.imaginary;
            lava_number_write(q->type, part_at(q, c, i, j), c->adjoint ? conjugate(z) : z);
        }
    }
}

/* Rows from `row` on of columns [column, end) of op(A). */
static struct part columns_of(const struct reflections *q, int64_t row, int64_t column, int64_t end) {
    return (struct part){.first = at(q, row, column),
                         .ld = q->ld,
                         .rows = q->rows - row,
                         .columns = end - column,
                         .adjoint = q->adjoint};
}

/* What is found of column e: 2^-exponent makes its numbers less than 1, the square is that of its norm then.
 */
struct size {
    int exponent;
    double square;
    bool is_zero; /* below the diagonal */
};

static struct lava_number scaled(struct lava_number z, int exponent) {
    return (struct lava_number){ldexp(z.real, -exponent), ldexp(z.imaginary, -exponent)};
}

static struct size measure(const struct reflections *q, int64_t e) {
    struct size size = {.is_zero = true};
    long double square = 0; /* a sum of doubles that is not off by more than they are */
    double largest = 0;
    for (int64_t i = e; i < q->rows; i++) {
        const struct lava_number x = get(q, i, e);
        largest = fmax(largest, fmax(fabs(x.real), fabs(x.imaginary)));
        size.is_zero = size.is_zero && (i == e || (x.real == 0 && x.imaginary == 0));
    }
    if (isfinite(largest))
        frexp(largest, &size.exponent);
    for (int64_t i = e; i < q->rows; i++) {
        const struct lava_number x = scaled(get(q, i, e), size.exponent);
        square += x.real * x.real + x.imaginary * x.imaginary;
    }
    size.square = (double)square;
    return size;
}

/* Finds reflection e, and leaves beta and v in its column (?larfg). */
static void find_reflection(const struct reflections *q, int64_t e) {
    const struct lava_number alpha = get(q, e, e), none = {0, 0};
    const struct size size = measure(q, e);
    lava_number_write(q->type, tau_at(q, e), none);
    if (size.is_zero && alpha.imaginary == 0)
        return;
    const struct lava_number near = scaled(alpha, size.exponent);
    double beta = -copysign(sqrt(size.square), alpha.real);
    const struct lava_number tau = {(beta - near.real) / beta, -near.imaginary / beta};
    const struct lava_number by = {near.real - beta, -near.imaginary}; /* conjugated */
    double square = by.real * by.real + by.imaginary * by.imaginary;
    for (int64_t i = e + 1; i < q->rows; i++) {
        const struct lava_number v = lava_number_times(scaled(get(q, i, e), size.exponent), by);
        lava_number_write(q->type, at(q, i, e), (struct lava_number){v.real / square, v.imaginary / square});
    }
    lava_number_write(q->type, tau_at(q, e), tau);
    lava_number_write(q->type, at(q, e, e), (struct lava_number){ldexp(beta, size.exponent), 0});
}

/* Finds reflections [from, end of the block), and applies them to columns up to `end`. */
static void factor_small(const struct reflections *q, int64_t from, int64_t count, int64_t end) {
    for (int64_t e = from; e < from + count; e++) {
        find_reflection(q, e);
        const struct part rest = columns_of(q, e, e + 1, end);
        reflect(q, e, true, &rest);
    }
}

/* Parts of the scratch: V, T, V^H V, and the two products. */
static void *scratch_at(const struct reflections *q, int which) {
    const int64_t elements[] = {0, q->rows * BLOCK, BLOCK * BLOCK, BLOCK * BLOCK, q->others * BLOCK};
    int64_t before = 0;
    for (int i = 0; i <= which; i++)
        before += elements[i];
    return lava_operation_element(q->scratch, q->type, before, 0, 1);
}

static size_t scratch_bytes(const struct reflections *q) {
    return (size_t)((q->rows + 2 * BLOCK + 2 * q->others) * BLOCK) * lava_type_bytes(q->type);
}

struct factor {
    const void *first;
    int64_t ld;
    bool adjoint;
};

/* C <- C - A B, or A B if it is new. */
static void multiply(const struct reflections *q, const struct part *c, int64_t k, struct factor a,
                     struct factor b, bool is_new) {
    bool is_complex = lava_type_is_complex(q->type);
    const struct lava_operation product = {.type = q->type,
                                           .m = c->rows,
                                           .n = c->columns,
                                           .k = k,
                                           .a = {.first = a.first,
                                                 .ld = a.ld,
                                                 .op = a.adjoint ? LAVA_OP_T : LAVA_OP_N,
                                                 .conjugate = a.adjoint && is_complex},
                                           .b = {.first = b.first,
                                                 .ld = b.ld,
                                                 .op = b.adjoint ? LAVA_OP_T : LAVA_OP_N,
                                                 .conjugate = b.adjoint && is_complex},
                                           .c = {.first = c->first, .ld = c->ld, .type = q->type},
                                           .alpha.real = is_new ? 1 : -1,
                                           .beta.real = is_new ? 0 : 1};
    lava_cpu_blas_run(q->blas, &product);
}

/* V and T of reflections [from, from + count). */
static void prepare(const struct reflections *q, int64_t from, int64_t count) {
    int64_t rows = q->rows - from;
    void *v = scratch_at(q, 0), *t = scratch_at(q, 1), *gram = scratch_at(q, 2);
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < rows; i++) {
            const struct lava_number one = {i == j, 0};
            lava_number_write(q->type, lava_operation_element(v, q->type, i, j, rows),
                              i > j ? get(q, from + i, from + j) : one);
        }
    const struct part square = {.first = gram, .ld = BLOCK, .rows = count, .columns = count};
    multiply(q, &square, rows, (struct factor){v, rows, true}, (struct factor){v, rows, false}, true);
    for (int64_t e = 0; e < count; e++) {
        const struct lava_number tau = lava_number_read(q->type, tau_at(q, from + e));
        for (int64_t i = 0; i < count; i++) {
            struct lava_number sum = {0, 0};
            for (int64_t l = i; l < e; l++) {
                const struct lava_number term = lava_number_times(
                    lava_number_read(q->type, lava_operation_element(t, q->type, i, l, BLOCK)),
                    lava_number_read(q->type, lava_operation_element(gram, q->type, l, e, BLOCK)));
                sum.real -= term.real;
                sum.imaginary -= term.imaginary;
            }
            const struct lava_number none = {0, 0};
            lava_number_write(q->type, lava_operation_element(t, q->type, i, e, BLOCK),
                              i == e  ? tau
                              : i < e ? lava_number_times(tau, sum)
                                      : none);
        }
    }
}

/* C <- H C, or H^H C, for the block that is prepared; C's adjoint if that is asked for. */
static void apply_block(const struct reflections *q, int64_t count, bool adjoint, const struct part *c) {
    const struct factor v = {scratch_at(q, 0), c->rows, false}, v_adjoint = {v.first, v.ld, true};
    const struct factor t = {scratch_at(q, 1), BLOCK, adjoint != c->adjoint}, all = {c->first, c->ld, false};
    struct part w = {.first = scratch_at(q, 3), .rows = count, .columns = c->columns, .ld = BLOCK};
    struct part whole = *c;
    if (c->adjoint) {
        w = (struct part){.first = w.first, .rows = c->columns, .columns = count, .ld = c->columns};
        whole.rows = c->columns;
        whole.columns = c->rows;
    }
    struct part other = w;
    other.first = scratch_at(q, 4);
    const struct factor first = {w.first, w.ld, false}, second = {other.first, other.ld, false};
    if (c->adjoint) {
        multiply(q, &w, c->rows, all, v, true);
        multiply(q, &other, count, first, t, true);
        multiply(q, &whole, count, second, v_adjoint, false);
    } else {
        multiply(q, &w, c->rows, v_adjoint, all, true);
        multiply(q, &other, count, t, first, true);
        multiply(q, &whole, count, v, second, false);
    }
}

/* op(C) <- op(H1 H2 ...) op(C), for reflections [from, from + count), from this row of op(C) on. */
static void apply(const struct reflections *q, int64_t from, int64_t count, bool adjoint,
                  const struct part *c) {
    int64_t step = q->scratch ? BLOCK : 1, blocks = (count + step - 1) / step;
    for (int64_t i = 0; i < blocks; i++) {
        int64_t done = (adjoint ? i : blocks - 1 - i) * step;
        struct part part = *c;
        part.first = part_at(q, c, done, 0);
        part.rows -= done;
        if (q->scratch) {
            prepare(q, from + done, lava_minimum(step, count - done));
            apply_block(q, lava_minimum(step, count - done), adjoint, &part);
        } else {
            reflect(q, from + done, adjoint, &part);
        }
    }
}

/* Returns the reflections; a product with Q has them in its other operand. */
static struct reflections begin(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                                int64_t others) {
    const struct lava_qr_parts *parts = &lava_operation_row(operation)->qr;
    bool is_product = parts->multiplies, is_left = is_product && !parts->on_right,
         by_rows = lava_qr_is_by_rows(operation);
    const struct lava_operand *operand = is_left ? &operation->a : &operation->b;
    struct reflections q = {.blas = blas,
                            .type = operation->type,
                            .a = is_product ? (void *)(uintptr_t)operand->first : operation->c.first,
                            .tau = operation->tau,
                            .rows = is_product ? (is_left ? operation->m : operation->n)
                                    : by_rows  ? operation->n
                                               : operation->m,
                            .ld = is_product ? operand->ld : operation->c.ld,
                            .adjoint = by_rows,
                            .others = others};
    q.scratch = malloc(scratch_bytes(&q));
    return q;
}

int64_t lava_cpu_qr_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                        struct lava_cpu_done done) {
    int64_t end = operation->n, k = lava_minimum(operation->m, end), known = lava_minimum(done.columns, k);
    struct reflections q = begin(blas, operation, end);
    const struct part rest = columns_of(&q, 0, done.columns, end);
    if (rest.columns > 0)
        apply(&q, 0, known, true, &rest);
    int64_t step = q.scratch ? BLOCK : k;
    for (int64_t from = known; from < k; from += step) {
        int64_t count = lava_minimum(step, k - from), after = q.scratch ? from + count : end;
        const struct part right = columns_of(&q, from, after, end);
        factor_small(&q, from, count, after);
        if (right.columns > 0)
            apply(&q, from, count, true, &right);
    }
    free(q.scratch);
    return 0;
}

/* Columns [from, end) of Q, of reflections [from, from + count), from row `from` on (?org2r). */
static void form_small(const struct reflections *q, int64_t from, int64_t count, int64_t end) {
    for (int64_t e = from + count - 1; e >= from; e--) {
        const struct lava_number tau = lava_number_read(q->type, tau_at(q, e));
        const struct part rest = columns_of(q, e, e + 1, end);
        reflect(q, e, false, &rest);
        for (int64_t i = 0; i < q->rows; i++) {
            const struct lava_number v = i > e ? get(q, i, e) : (struct lava_number){i == e, 0};
            struct lava_number z = lava_number_times(tau, v);
            z.real = (i == e) - z.real;
            z.imaginary = -z.imaginary;
            put(q, i, e, z);
        }
    }
}

/* Moves the reflections to C's columns, or rows, which begin a row or a column further. */
static void move_reflections(const struct lava_operation *operation) {
    for (int64_t j = operation->n - 1; j >= 0; j--)
        memmove(lava_cpu_parts_at(operation, 0, j),
                lava_operation_element(operation->a.first, operation->type, 0, j, operation->a.ld),
                (size_t)operation->m * lava_type_bytes(operation->type));
}

/* All columns of a Q in rows, or from another place, are there, or none. */
int64_t lava_cpu_qr_form_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                             struct lava_cpu_done done) {
    bool by_rows = lava_qr_is_by_rows(operation);
    int64_t columns = (by_rows ? operation->m : operation->n) - (by_rows ? 0 : done.columns),
            k = lava_minimum(operation->k, columns);
    if (lava_qr_is_turned(operation) && done.columns == operation->n)
        return 0;
    if (operation->a.first)
        move_reflections(operation);
    struct reflections q = begin(blas, operation, columns);
    for (int64_t j = k; j < columns; j++)
        for (int64_t i = 0; i < q.rows; i++)
            put(&q, i, j, (struct lava_number){i == j, 0});
    int64_t step = q.scratch ? BLOCK : lava_maximum(k, 1);
    for (int64_t from = (k - 1) / step * step; from >= 0 && k > 0; from -= step) {
        int64_t count = lava_minimum(step, k - from), after = q.scratch ? from + count : columns;
        const struct part right = columns_of(&q, from, after, columns);
        if (right.columns > 0)
            apply(&q, from, count, false, &right);
        form_small(&q, from, count, after);
    }
    free(q.scratch);
    return 0;
}

/* C op(Q) is the adjoint of op(Q)^H C^H. */
int64_t lava_cpu_qr_multiply_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                                 struct lava_cpu_done done) {
    int64_t columns = done.columns;
    bool is_left = !lava_operation_row(operation)->qr.on_right;
    const struct lava_result *c = &operation->c;
    const struct part part = {.first = lava_operation_element(c->first, operation->type, 0, columns, c->ld),
                              .ld = c->ld,
                              .rows = is_left ? operation->m : operation->n,
                              .columns = is_left ? operation->n - columns : operation->m,
                              .adjoint = !is_left};
    if (columns == operation->n)
        return 0;
    struct reflections q = begin(blas, operation, part.columns);
    apply(&q, 0, operation->k, operation->adjoint == is_left, &part);
    free(q.scratch);
    return 0;
}

/* Columns i and j <- each other's. */
static void swap_columns(const struct reflections *q, int64_t i, int64_t j) {
    for (int64_t row = 0; row < q->rows && i != j; row++) {
        const struct lava_number kept = get(q, row, i);
        lava_number_write(q->type, at(q, row, i), get(q, row, j));
        lava_number_write(q->type, at(q, row, j), kept);
    }
}

/* The column, from e on, whose rest has the largest norm; the first of equals. */
static int64_t find_pivot(const struct reflections *q, int64_t e, int64_t end) {
    int64_t pivot = e;
    double largest = 0;
    for (int64_t j = e; j < end; j++) {
        double norm = 0;
        for (int64_t i = e; i < q->rows; i++) {
            const struct lava_number x = get(q, i, j);
            norm = hypot(norm, hypot(x.real, x.imaginary));
        }
        if (norm > largest) {
            largest = norm;
            pivot = j;
        }
    }
    return pivot;
}

/* By single reflections: the norms are computed anew for each, so no memory is needed. */
int64_t lava_cpu_qr_pivoted_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                                struct lava_cpu_done done) {
    int64_t *order = operation->pivots, end = operation->n, fixed = 0;
    const struct reflections q = {.blas = blas,
                                  .type = operation->type,
                                  .a = operation->c.first,
                                  .tau = operation->tau,
                                  .rows = operation->m,
                                  .ld = operation->c.ld};
    if (done.columns == end)
        return 0;
    for (int64_t j = 0; j < end; j++)
        swap_columns(&q, j, lava_cpu_qr_place(order, j, &fixed));
    for (int64_t e = 0; e < operation->k; e++) {
        int64_t pivot = e < fixed ? e : find_pivot(&q, e, end), kept = order[e];
        swap_columns(&q, e, pivot);
        order[e] = order[pivot];
        order[pivot] = kept;
        find_reflection(&q, e);
        const struct part rest = columns_of(&q, e, e + 1, end);
        reflect(&q, e, true, &rest);
    }
    return 0;
}
