/* Structured operands, two products and solves by the CPU's ?gemm (lib/host/cpu_structured.h): every option
 * and type, whole and in blocks, with the CPU BLAS and with the built-in loop. What must not be read is NaN,
 * what must not be written is compared, and results are compared with their definition, element by element.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/cpu_blas.h"
#include "tests/library/naive_structured.h"
#include "tests/library/poison.h"

enum what { SYMMETRIC, TWICE, PRODUCT_IN_PLACE, SOLVE };

/* An operation, its matrices, and the block of C that is computed. */
struct structured {
    struct lava_operation operation;
    int64_t row, rows, column, columns;
    struct naive_matrix a, b, c; /* op(A) and op(B); C before */
    void *matrices[3];
};

static struct naive_number random_number(enum lava_type type, long double scale) {
    struct naive_number number = {scale * (poison_random(2001) - 1000) / 1000, 0};
    if (lava_type_is_complex(type))
        number.imaginary = scale * (poison_random(2001) - 1000) / 1000;
    return number;
}

static size_t bytes_of(const struct naive_matrix *x, int64_t columns) {
    return (size_t)(x->ld * columns) * lava_type_bytes(x->type);
}

static void poison_imaginary(enum lava_type type, void *matrix, int64_t at) {
    const size_t bytes = lava_type_bytes(type);
    memset((char *)matrix + (size_t)at * bytes + bytes / 2, POISON, bytes / 2);
}

/* Returns a matrix of rows x columns in memory that is NaN wherever it must not be read. Elements beside the
 * diagonal of a triangular one are small, so that solutions do not grow with its size. */
static void *new_operand(const struct naive_matrix *x, int64_t rows, int64_t columns) {
    void *matrix = poison_new(bytes_of(x, columns));
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            bool on_diagonal = x->structure != 'G' && i == j;
            struct naive_number value =
                random_number(x->type, x->structure == 'T' && i != j ? 2.0L / (long double)rows : 1);
            if (naive_is_outside(x, i, j) || (on_diagonal && x->has_unit_diagonal))
                continue;
            if (x->structure == 'T' && on_diagonal)
                value.real += value.real < 0 ? -1 : 1;
            naive_write(x->type, matrix, i + j * x->ld, value);
            if (x->structure == 'H' && on_diagonal)
                poison_imaginary(x->type, matrix, i + j * x->ld);
        }
    return matrix;
}

static struct naive_matrix matrix_of(enum lava_type type, const struct lava_operand *x) {
    static const char structures[] = {[LAVA_STRUCTURE_GENERAL] = 'G',
                                      [LAVA_STRUCTURE_SYMMETRIC] = 'S',
                                      [LAVA_STRUCTURE_HERMITIAN] = 'H',
                                      [LAVA_STRUCTURE_TRIANGULAR] = 'T'};
    return (struct naive_matrix){.type = type,
                                 .first = x->first,
                                 .ld = x->ld,
                                 .op = x->op == LAVA_OP_N ? 'N'
                                       : x->conjugate     ? 'C'
                                                          : 'T',
                                 .structure = structures[x->structure],
                                 .uplo = x->stored == LAVA_REGION_LOWER ? 'L' : 'U',
                                 .has_unit_diagonal = x->unit_diagonal};
}

static struct lava_scalar random_scalar(enum lava_type type) {
    static const double reals[] = {0, 1, -1, 0.75, -1.5};
    return (struct lava_scalar){reals[poison_random(5)],
                                lava_type_is_complex(type) ? poison_random(3) - 1 : 0};
}

static void choose_structure(enum what what, struct lava_operand *x, bool is_complex) {
    bool is_hermitian = is_complex && poison_random(2);
    x->stored = poison_random(2) ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
    if (what == SYMMETRIC) {
        x->structure = is_hermitian ? LAVA_STRUCTURE_HERMITIAN : LAVA_STRUCTURE_SYMMETRIC;
        return;
    }
    x->structure = LAVA_STRUCTURE_TRIANGULAR;
    x->op = (enum lava_op)poison_random(2);
    x->conjugate = x->op == LAVA_OP_T && is_hermitian;
    x->unit_diagonal = poison_random(2);
}

static void choose_twice(struct lava_operation *operation, int most) {
    bool is_hermitian = lava_type_is_complex(operation->type) && poison_random(2), is_n = poison_random(2);
    operation->n = operation->m;
    operation->k = poison_random(most);
    operation->twice = true;
    operation->c.region = poison_random(2) ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
    operation->c.real_diagonal = is_hermitian;
    operation->a.op = is_n ? LAVA_OP_N : LAVA_OP_T;
    operation->b.op = is_n ? LAVA_OP_T : LAVA_OP_N;
    operation->a.conjugate = is_hermitian && !is_n;
    operation->b.conjugate = is_hermitian && is_n;
    if (is_hermitian)
        operation->beta.imaginary = 0;
}

static struct lava_operation random_operation(enum what what, int most) {
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    enum lava_type type = types[poison_random(4)];
    struct lava_operation x = {.type = type,
                               .c.type = type,
                               .m = 1 + poison_random(most),
                               .n = 1 + poison_random(most),
                               .alpha = random_scalar(type)};
    bool is_left = poison_random(2);
    if (what == SYMMETRIC || what == TWICE)
        x.beta = random_scalar(type);
    if (what == TWICE)
        choose_twice(&x, most);
    else
        choose_structure(what, is_left ? &x.a : &x.b, lava_type_is_complex(type));
    if (what != TWICE)
        x.k = is_left ? x.m : x.n;
    x.in_place = what == PRODUCT_IN_PLACE;
    x.kind = what == SOLVE ? LAVA_OPERATION_SOLVE : LAVA_OPERATION_PRODUCT;
    x.a.ld = lava_operation_rows_a(&x) + 1 + poison_random(4);
    x.b.ld = lava_operation_rows_b(&x) + 1 + poison_random(4);
    x.c.ld = x.m + 1 + poison_random(4);
    return x;
}

static bool in_region(const struct lava_operation *operation, int64_t i, int64_t j) {
    return operation->c.region == LAVA_REGION_ALL ||
           (operation->c.region == LAVA_REGION_LOWER ? i >= j : i <= j);
}

static bool in_block(const struct structured *x, int64_t i, int64_t j) {
    return i >= x->row && i < x->row + x->rows && j >= x->column && j < x->column + x->columns &&
           in_region(&x->operation, i, j);
}

/* A part of 0 ... size - 1, often all of it. */
static void random_part(int64_t size, int64_t *first, int64_t *count) {
    *first = poison_random(2) ? 0 : poison_random((int)size);
    *count = poison_random(2) ? size - *first : 1 + poison_random((int)(size - *first));
}

/* A block of a triangle lies on the diagonal, or inside without touching it. */
static void choose_block(struct structured *x) {
    const struct lava_operation *operation = &x->operation;
    random_part(operation->m, &x->row, &x->rows);
    random_part(operation->n, &x->column, &x->columns);
    if (operation->c.region == LAVA_REGION_ALL)
        return;
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    int64_t last = x->row + x->rows - 1;
    if (is_lower ? x->row < x->column + x->columns : last >= x->column) {
        x->column = x->row;
        x->columns = x->rows;
    }
}

/* Returns whether the block's elements depend on element (i, j) of C, itself not in the block. */
static bool depends_on(const struct structured *x, int64_t i, int64_t j) {
    bool is_left = x->a.structure == 'T';
    if (is_left ? (j < x->column || j >= x->column + x->columns) : (i < x->row || i >= x->row + x->rows))
        return false;
    int64_t first = is_left ? x->row : x->column, count = is_left ? x->rows : x->columns;
    for (int64_t at = first; at < first + count; at++)
        if (!(is_left ? naive_is_zero(&x->a, at, i) : naive_is_zero(&x->b, j, at)))
            return true;
    return false;
}

/* C is NaN if the operation must not read it. */
static void *new_c(const struct structured *x) {
    const struct lava_operation *operation = &x->operation;
    bool by_itself = operation->in_place || operation->kind == LAVA_OPERATION_SOLVE;
    bool is_read = by_itself ? !lava_operation_is_trivial(operation)
                             : operation->beta.real != 0 || operation->beta.imaginary != 0;
    void *c = poison_new(bytes_of(&x->c, operation->n));
    for (int64_t j = 0; j < operation->n; j++)
        for (int64_t i = 0; i < operation->m; i++) {
            if (!is_read || !(in_block(x, i, j) || (by_itself && depends_on(x, i, j))))
                continue;
            naive_write(operation->type, c, i + j * operation->c.ld, random_number(operation->type, 1));
            if (operation->c.real_diagonal && i == j)
                poison_imaginary(operation->type, c, i + j * operation->c.ld);
        }
    return c;
}

static void make(struct structured *x) {
    struct lava_operation *operation = &x->operation;
    bool by_itself = operation->in_place || operation->kind == LAVA_OPERATION_SOLVE;
    x->a = matrix_of(operation->type, &operation->a);
    x->b = matrix_of(operation->type, &operation->b);
    x->c = (struct naive_matrix){.type = operation->type, .ld = operation->c.ld, .op = 'N', .structure = 'G'};
    operation->c.first = new_c(x);
    x->matrices[0] =
        new_operand(&x->a, lava_operation_rows_a(operation), lava_operation_columns_a(operation));
    x->matrices[1] =
        new_operand(&x->b, lava_operation_rows_b(operation), lava_operation_columns_b(operation));
    x->matrices[2] = poison_new(bytes_of(&x->c, operation->n));
    memcpy(x->matrices[2], operation->c.first, bytes_of(&x->c, operation->n));
    x->a.first = operation->a.first = x->matrices[0];
    x->b.first = operation->b.first = x->matrices[1];
    x->c.first = x->matrices[2];
    if (by_itself) {
        struct lava_operand *general =
            operation->a.structure == LAVA_STRUCTURE_GENERAL ? &operation->a : &operation->b;
        struct naive_matrix *before = operation->a.structure == LAVA_STRUCTURE_GENERAL ? &x->a : &x->b;
        general->first = operation->c.first;
        general->ld = operation->c.ld;
        *before = x->c;
    }
}

static void release(struct structured *x) {
    free(x->operation.c.first);
    for (int i = 0; i < 3; i++)
        free(x->matrices[i]);
}

static struct naive_number number_of(struct lava_scalar scalar) {
    return (struct naive_number){scalar.real, scalar.imaginary};
}

/* The same matrix with the other op: that of X' for an X that is general. */
static struct naive_matrix turned(const struct naive_matrix *x, bool conjugates) {
    struct naive_matrix other = *x;
    other.op = x->op != 'N' ? 'N' : conjugates ? 'C' : 'T';
    return other;
}

static struct naive_sum expected_at(const struct structured *x, int64_t i, int64_t j) {
    const struct lava_operation *operation = &x->operation;
    const struct naive_number alpha = number_of(operation->alpha);
    struct naive_sum sum = naive_product_at(&x->a, &x->b, alpha, operation->k, i, j);
    bool is_real = operation->c.real_diagonal && i == j;
    if (operation->twice) {
        bool conjugates = operation->c.real_diagonal;
        const struct naive_matrix a = turned(&x->b, conjugates), b = turned(&x->a, conjugates);
        const struct naive_number other = {alpha.real, conjugates ? -alpha.imaginary : alpha.imaginary};
        const struct naive_sum second = naive_product_at(&a, &b, other, operation->k, i, j);
        sum.value.real += second.value.real;
        sum.value.imaginary += second.value.imaginary;
        sum.size += second.size;
    }
    naive_add_before(&sum, number_of(operation->beta), &x->c, i, j, is_real);
    if (is_real)
        sum.value.imaginary = 0;
    return sum;
}

/* op(A) X less alpha B, or X op(B), by the solution in C. */
static struct naive_sum residual_at(const struct structured *x, int64_t i, int64_t j) {
    const struct naive_number one = {1, 0};
    struct naive_matrix solution = x->c;
    solution.first = x->operation.c.first;
    bool is_left = x->a.structure == 'T';
    struct naive_sum sum =
        naive_product_at(is_left ? &x->a : &solution, is_left ? &solution : &x->b, one, x->operation.k, i, j);
    const struct naive_number right = naive_times(number_of(x->operation.alpha), naive_stored(&x->c, i, j));
    sum.value.real -= right.real;
    sum.value.imaginary -= right.imaginary;
    return sum;
}

/* The error of (i, j), and what it may be. */
static long double error_at(const struct structured *x, int64_t i, int64_t j, long double *bound) {
    const struct lava_operation *operation = &x->operation;
    long double unit = naive_unit(operation->type);
    long double terms = (lava_type_is_complex(operation->type) ? 2.0L : 1.0L) * (long double)operation->k;
    struct naive_number got = naive_read(operation->type, operation->c.first, i + j * operation->c.ld);
    if (operation->kind == LAVA_OPERATION_SOLVE && !lava_operation_is_trivial(operation)) {
        const struct naive_sum residual = residual_at(x, i, j);
        *bound = 4 * (terms + 2) * unit * residual.size;
        return naive_size(residual.value);
    }
    const struct naive_sum expected = expected_at(x, i, j);
    *bound = 4 * sqrtl((operation->twice ? 2 * terms : terms) + 2) * unit * expected.size;
    got.real -= expected.value.real;
    got.imaginary -= expected.value.imaginary;
    return naive_size(got);
}

static void check_element(const struct structured *x, int64_t i, int64_t j) {
    const struct lava_operation *operation = &x->operation;
    const size_t bytes = lava_type_bytes(operation->type);
    const size_t at = (size_t)(i + j * operation->c.ld) * bytes;
    if (i >= operation->m || !in_block(x, i, j)) {
        assert_memory_equal((const char *)operation->c.first + at, (const char *)x->c.first + at, bytes);
        return;
    }
    long double bound, error = error_at(x, i, j, &bound);
    if (!(error <= bound)) /* NaN is wrong */
        fail_msg(
            "%s %c%c%c by %c%c%c, m %d n %d k %d, block %d + %d, %d + %d: (%d, %d) is off by %Lg, not %Lg",
            lava_type_name(operation->type), x->a.structure, x->a.uplo, x->a.op, x->b.structure, x->b.uplo,
            x->b.op, (int)operation->m, (int)operation->n, (int)operation->k, (int)x->row, (int)x->rows,
            (int)x->column, (int)x->columns, (int)i, (int)j, error, bound);
}

static void check(enum what what, int most, const struct lava_cpu_blas *blas, bool is_block) {
    struct structured x = {.operation = random_operation(what, most)};
    x.rows = x.operation.m;
    x.columns = x.operation.n;
    if (is_block)
        choose_block(&x);
    make(&x);
    if (is_block)
        lava_cpu_blas_run_block(blas, &x.operation, x.row, x.rows, x.column, x.columns);
    else
        lava_cpu_blas_run(blas, &x.operation);
    for (int64_t j = 0; j < x.operation.n; j++)
        for (int64_t i = 0; i < x.operation.c.ld; i++)
            check_element(&x, i, j);
    release(&x);
}

/* Sizes on both sides of those that are cut: 16 and 64. */
static void test_all(void **state) {
    static const struct lava_cpu_blas loop;
    static const int most[] = {20, 40, 150};
    enum what what = *(const enum what *)*state;
    for (int i = 0; i < 600; i++) {
        int size = most[i % 20 == 0 ? 2 : i % 2];
        check(what, size, i % 4 < 2 ? lava_cpu_blas_get() : &loop, i % 3 > 0);
    }
}

/* What a device has finished is not computed again: the rest comes in blocks, in the order that the operation
 * needs, and makes the whole. */
static void test_in_order(void **state) {
    enum what what = *(const enum what *)*state;
    for (int i = 0; i < 100; i++) {
        struct structured x = {.operation = random_operation(what, 100)};
        x.rows = x.operation.m;
        x.columns = x.operation.n;
        make(&x);
        bool is_left = x.a.structure == 'T';
        const struct naive_matrix *triangle = is_left ? &x.a : &x.b;
        int64_t size = x.operation.k, cut = poison_random((int)size + 1);
        bool is_lower = (triangle->uplo == 'L') == (triangle->op == 'N');
        bool later_first = (is_left == is_lower) == (what == PRODUCT_IN_PLACE);
        for (int part = 0; part < 2; part++) {
            bool is_later = (part == 0) == later_first;
            int64_t first = is_later ? cut : 0, count = is_later ? size - cut : cut;
            lava_cpu_blas_run_block(lava_cpu_blas_get(), &x.operation, is_left ? first : 0,
                                    is_left ? count : x.operation.m, is_left ? 0 : first,
                                    is_left ? x.operation.n : count);
        }
        for (int64_t j = 0; j < x.operation.n; j++)
            for (int64_t at = 0; at < x.operation.c.ld; at++)
                check_element(&x, at, j);
        release(&x);
    }
}

#define TEST(name, test, value)                                                                              \
    {                                                                                                        \
        name, test, NULL, NULL, &(enum what) {                                                               \
            value                                                                                            \
        }                                                                                                    \
    }

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST("symmetric", test_all, SYMMETRIC),
        TEST("two products", test_all, TWICE),
        TEST("product in place", test_all, PRODUCT_IN_PLACE),
        TEST("solve", test_all, SOLVE),
        TEST("product in place, by parts", test_in_order, PRODUCT_IN_PLACE),
        TEST("solve, by parts", test_in_order, SOLVE),
    };
    poison_begin(20261123);
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
