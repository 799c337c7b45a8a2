/* What the CPU computes after a product failed on the device: for every point of failure, in all of C and in
 * either triangle by strips, also of symmetric operands and of two products, exactly the elements that were
 * not written yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/offload/complete.h"
#include "lib/offload/offload.h"
#include "lib/product/runner.h"
#include "tests/library/poison.h"

/* Written elements hold this: no product of these tests has it. */
static const struct naive_number written = {123456, 0};

/* C in blocks of n rows, or in strips of n rows or columns. */
struct completed {
    struct lava_operation operation;
    int64_t block;
    void *before; /* C, column-major */
};

static size_t bytes_of_c(const struct lava_operation *operation) {
    return (size_t)(operation->c.ld * operation->n) * lava_type_bytes(operation->type);
}

static bool in_region(const struct lava_operation *operation, int64_t i, int64_t j) {
    return operation->c.region == LAVA_REGION_ALL ||
           (operation->c.region == LAVA_REGION_LOWER ? i >= j : i <= j);
}

/* Blocks are written one after the other, each column by column. */
static bool is_written(const struct lava_operation *operation, const struct lava_progress *progress,
                       int64_t i, int64_t j) {
    int64_t end = progress->row + progress->rows;
    bool in_strip = operation->c.region == LAVA_REGION_UPPER || (i >= progress->row && i < end);
    if (!in_strip)
        return i < progress->row;
    return j < progress->column || (j == progress->column && i < progress->row + progress->partial);
}

/* The product of an element; of two products, their sum. */
static struct naive_number expected_at(const struct completed *completed, int64_t i, int64_t j) {
    const struct lava_operation *operation = &completed->operation;
    const struct naive_number alpha = {operation->alpha.real, operation->alpha.imaginary};
    bool conjugates = operation->c.real_diagonal;
    char op_b = operation->b.op == LAVA_OP_N ? 'N' : operation->b.conjugate ? 'C' : 'T';
    char op_a = operation->a.op == LAVA_OP_N ? 'N' : operation->a.conjugate ? 'C' : 'T';
    struct naive_product product = {.type = operation->type,
                                    .transa = op_a,
                                    .transb = op_b,
                                    .k = operation->k,
                                    .lda = operation->a.ld,
                                    .ldb = operation->b.ld,
                                    .ldc = operation->c.ld,
                                    .alpha = alpha,
                                    .beta = {operation->beta.real, operation->beta.imaginary},
                                    .a = operation->a.first,
                                    .b = operation->b.first,
                                    .c = completed->before};
    struct naive_number sum = naive_element(&product, i, j);
    if (operation->twice) {
        /* element (i, j) of the transposed product is element (j, i) of the product */
        product.beta = (struct naive_number){0, 0};
        const struct naive_number other = naive_element(&product, j, i);
        sum.real += other.real;
        sum.imaginary += conjugates ? -other.imaginary : other.imaginary;
    }
    return sum;
}

static void clear_imaginary(const struct lava_operation *operation, int64_t i, int64_t j,
                            struct naive_number *number) {
    if (operation->c.real_diagonal && i == j)
        number->imaginary = 0;
}

static void check_element(const struct completed *completed, const struct lava_progress *progress, int64_t i,
                          int64_t j) {
    const struct lava_operation *operation = &completed->operation;
    const size_t bytes = lava_type_bytes(operation->type);
    const size_t at = (size_t)(i + j * operation->c.ld) * bytes;
    if (i >= operation->m || !in_region(operation, i, j)) {
        assert_memory_equal((const char *)operation->c.first + at, (const char *)completed->before + at,
                            bytes);
        return;
    }
    bool done = is_written(operation, progress, i, j);
    struct naive_number expected = done ? written : expected_at(completed, i, j);
    struct naive_number got = naive_read(operation->type, operation->c.first, i + j * operation->c.ld);
    clear_imaginary(operation, i, j, &expected);
    if (got.real != expected.real || got.imaginary != expected.imaginary)
        fail_msg(
            "%s, region %d, n %d: failed in rows %d + %d, column %d, row %d; (%d, %d) is %Lg %Lg, not %Lg "
            "%Lg",
            lava_type_name(operation->type), (int)operation->c.region, (int)operation->n, (int)progress->row,
            (int)progress->rows, (int)progress->column, (int)progress->partial, (int)i, (int)j, got.real,
            got.imaginary, expected.real, expected.imaginary);
}

/* Imaginary parts of a real diagonal are NaN if nothing was written: nobody may read them. */
static void poison_diagonal(const struct lava_operation *operation) {
    const size_t bytes = lava_type_bytes(operation->type);
    for (int64_t j = 0; j < operation->n && operation->c.real_diagonal; j++)
        memset((char *)operation->c.first + (size_t)(j + j * operation->c.ld) * bytes + bytes / 2, POISON,
               bytes / 2);
}

static void fail_at(const struct completed *completed, const struct lava_progress *progress) {
    const struct lava_operation *operation = &completed->operation;
    memcpy(operation->c.first, completed->before, bytes_of_c(operation));
    poison_diagonal(operation);
    for (int64_t j = 0; j < operation->n; j++)
        for (int64_t i = 0; i < operation->m; i++)
            if (in_region(operation, i, j) && is_written(operation, progress, i, j))
                naive_write(operation->type, operation->c.first, i + j * operation->c.ld, written);
    lava_complete_on_cpu(operation, progress);
    for (int64_t j = 0; j < operation->n; j++)
        for (int64_t i = 0; i < operation->c.ld; i++)
            check_element(completed, progress, i, j);
}

/* After whole columns, and within each. */
static int fail_in_block(const struct completed *completed, struct lava_progress progress, int64_t first,
                         int64_t end) {
    int failures = 0;
    for (progress.column = first; progress.column <= end; progress.column++)
        for (progress.partial = 0; progress.partial < (progress.column < end ? progress.rows : 1);
             progress.partial++, failures++)
            fail_at(completed, &progress);
    return failures;
}

static int fail_everywhere(const struct completed *completed) {
    const struct lava_operation *operation = &completed->operation;
    bool is_upper = operation->c.region == LAVA_REGION_UPPER,
         is_lower = operation->c.region == LAVA_REGION_LOWER;
    int failures = 0;
    for (int64_t first = 0; first < operation->m; first += completed->block) {
        int64_t end = first + completed->block < operation->m ? first + completed->block : operation->m;
        struct lava_progress progress = {.row = is_upper ? 0 : first};
        progress.rows = end - progress.row;
        failures += fail_in_block(completed, progress, is_upper ? first : 0,
                                  is_upper || is_lower ? end : operation->n);
    }
    return failures;
}

/* One of A and B becomes symmetric or Hermitian. */
static void make_symmetric(struct lava_operation *operation) {
    bool is_left = poison_random(2), is_hermitian = lava_type_is_complex(operation->type) && poison_random(2);
    struct lava_operand *operand = is_left ? &operation->a : &operation->b;
    operation->a.op = operation->b.op = LAVA_OP_N;
    operation->k = is_left ? operation->m : operation->n;
    operand->structure = is_hermitian ? LAVA_STRUCTURE_HERMITIAN : LAVA_STRUCTURE_SYMMETRIC;
    operand->stored = poison_random(2) ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
}

/* Makes both triangles say the same, so that the matrix can be read as a general one. test_structured.c shows
 * which triangle is read. */
static void mirror(enum lava_type type, const struct lava_operand *operand, int64_t size) {
    void *matrix = (void *)(uintptr_t)operand->first;
    bool is_hermitian = operand->structure == LAVA_STRUCTURE_HERMITIAN;
    for (int64_t j = 0; j < size; j++)
        for (int64_t i = j; i < size; i++) {
            struct naive_number value = naive_read(type, matrix, i + j * operand->ld);
            if (is_hermitian && i == j)
                value.imaginary = 0;
            naive_write(type, matrix, i + j * operand->ld, value);
            if (is_hermitian)
                value.imaginary = -value.imaginary;
            naive_write(type, matrix, j + i * operand->ld, value);
        }
}

static struct lava_operation random_operation(enum lava_region region) {
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    struct lava_operation operation = {.type = types[poison_random(4)],
                                       .c.region = region,
                                       .a.op = (enum lava_op)poison_random(2),
                                       .b.op = (enum lava_op)poison_random(2),
                                       .m = 1 + poison_random(14),
                                       .n = 1 + poison_random(14),
                                       .k = 1 + poison_random(4),
                                       .alpha.real = 1 + poison_random(3),
                                       .beta.real = poison_random(3) - 1};
    bool is_complex = lava_type_is_complex(operation.type);
    operation.c.type = operation.type;
    if (region != LAVA_REGION_ALL) {
        operation.n = operation.m;
        operation.b_is_a = poison_random(2);
        operation.twice = !operation.b_is_a && poison_random(2);
    } else if (poison_random(2)) {
        make_symmetric(&operation);
    }
    if (operation.b_is_a || operation.twice)
        operation.b.op = operation.a.op == LAVA_OP_N ? LAVA_OP_T : LAVA_OP_N;
    operation.c.real_diagonal = is_complex && (operation.b_is_a || operation.twice) && poison_random(2);
    operation.a.conjugate = operation.c.real_diagonal && operation.a.op == LAVA_OP_T;
    operation.b.conjugate = operation.c.real_diagonal && operation.b.op == LAVA_OP_T;
    if (is_complex && !operation.c.real_diagonal)
        operation.beta.imaginary = poison_random(2);
    operation.a.ld = (operation.a.op == LAVA_OP_N ? operation.m : operation.k) + poison_random(3);
    operation.b.ld =
        operation.b_is_a ? operation.a.ld : (operation.b.op == LAVA_OP_N ? operation.k : operation.n);
    operation.c.ld = operation.m + poison_random(3);
    return operation;
}

/* C is NaN outside the region. With beta = 0 it is NaN everywhere. */
static void fill(struct completed *completed) {
    struct lava_operation *operation = &completed->operation;
    const size_t bytes = lava_type_bytes(operation->type);
    void *a = poison_new((size_t)(operation->a.ld * 20) * bytes),
         *b = poison_new((size_t)(operation->b.ld * 20) * bytes);
    poison_fill(operation->type, a, operation->a.ld, 20, operation->a.ld);
    poison_fill(operation->type, b, operation->b.ld, 20, operation->b.ld);
    operation->a.first = a;
    operation->b.first = operation->b_is_a ? a : b;
    if (lava_operation_structured(operation))
        mirror(operation->type, lava_operation_structured(operation), operation->k);
    if (operation->b_is_a)
        free(b);
    operation->c.first = poison_new(bytes_of_c(operation));
    completed->before = poison_new(bytes_of_c(operation));
    bool is_read = operation->beta.real != 0 || operation->beta.imaginary != 0;
    for (int64_t j = 0; j < operation->n && is_read; j++)
        for (int64_t i = 0; i < operation->m; i++)
            if (in_region(operation, i, j)) {
                struct naive_number value = {poison_random(7) - 3, poison_random(5) - 2};
                clear_imaginary(operation, i, j, &value);
                naive_write(operation->type, completed->before, i + j * operation->c.ld, value);
            }
}

static void test_region(void **state) {
    enum lava_region region = *(const enum lava_region *)*state;
    int failures = 0;
    for (int i = 0; i < 120; i++) {
        struct completed completed = {.operation = random_operation(region)};
        completed.block = 1 + poison_random((int)completed.operation.m);
        fill(&completed);
        failures += fail_everywhere(&completed);
        free((void *)(uintptr_t)completed.operation.a.first);
        if (!completed.operation.b_is_a)
            free((void *)(uintptr_t)completed.operation.b.first);
        free(completed.operation.c.first);
        free(completed.before);
    }
    print_message("%d failures\n", failures);
    assert_true(failures > 3000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        POISON_REGION_TESTS(test_region),
    };
    poison_begin(20261122);
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    lava_offload_open(); /* finds the CPU BLAS */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
