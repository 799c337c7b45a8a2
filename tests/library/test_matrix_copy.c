/* Passes over matrices by the threads of a copy pool: copies with a region and an order of columns, adjoints,
 * and the largest absolute value, of matrices below and above the size at which threads share them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dispatch/arithmetic.h"
#include "lib/host/matrix_copy.h"
#include "tests/library/poison.h"

static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};

/* With NaN between the columns. */
struct matrix {
    enum lava_type type;
    int64_t rows, columns, ld;
    void *first;
};

static struct matrix new_matrix(enum lava_type type, int64_t rows, int64_t columns) {
    int64_t ld = rows + 1 + poison_random(3);
    struct matrix matrix = {type, rows, columns, ld,
                            poison_new((size_t)(ld * columns) * lava_type_bytes(type))};
    poison_fill(type, matrix.first, rows, columns, ld);
    return matrix;
}

static void *at(const struct matrix *matrix, int64_t i, int64_t j) {
    return lava_operation_element(matrix->first, matrix->type, i, j, matrix->ld);
}

/* All of the target, from as much of the source. */
static struct lava_matrix_copy copy_of(const struct matrix *source, const struct matrix *target) {
    return (struct lava_matrix_copy){.type = target->type,
                                     .source = source->first,
                                     .source_ld = source->ld,
                                     .target = target->first,
                                     .target_ld = target->ld,
                                     .rows = target->rows,
                                     .columns = target->columns};
}

/* What is not copied stays, between the columns, too. */
static void check_copy(struct lava_copy_pool *pool, enum lava_type type, enum lava_region region,
                       int64_t rows, int64_t columns, bool has_order) {
    struct matrix source = new_matrix(type, rows, columns), target = new_matrix(type, rows, columns);
    size_t bytes = lava_type_bytes(type), all = (size_t)(target.ld * columns) * bytes;
    char *before = malloc(all);
    int64_t *order = malloc((size_t)columns * sizeof *order);
    assert_non_null(before);
    assert_non_null(order);
    memcpy(before, target.first, all);
    for (int64_t j = 0; j < columns; j++)
        order[j] = j;
    for (int64_t j = columns - 1; j > 0 && has_order; j--) {
        int64_t other = poison_random((int)j + 1), held = order[j];
        order[j] = order[other];
        order[other] = held;
    }
    struct lava_matrix_copy copy = copy_of(&source, &target);
    copy.region = region;
    copy.order = has_order ? order : NULL;
    lava_matrix_copy(pool, &copy);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < target.ld; i++) {
            bool is_copied =
                i < rows && (region == LAVA_REGION_ALL || (region == LAVA_REGION_LOWER ? i >= j : i <= j));
            const void *expected =
                is_copied ? at(&source, i, order[j]) : before + (size_t)(i + j * target.ld) * bytes;
            assert_memory_equal(at(&target, i, j), expected, bytes);
        }
    free(source.first);
    free(target.first);
    free(before);
    free(order);
}

static void copies(void **state) {
    struct lava_copy_pool *pools[] = {lava_copy_pool_create(1), lava_copy_pool_create(3)};
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        enum lava_type type = types[i % 4];
        struct lava_copy_pool *pool = pools[i / 4];
        check_copy(pool, type, LAVA_REGION_ALL, 7, 1, true);
        check_copy(pool, type, LAVA_REGION_ALL, 300, 333, false);
        check_copy(pool, type, LAVA_REGION_ALL, 300, 300 + poison_random(99), true);
        check_copy(pool, type, LAVA_REGION_LOWER, 310, 310, false);
        check_copy(pool, type, LAVA_REGION_UPPER, 310, 310, true);
    }
    lava_copy_pool_destroy(pools[0]);
    lava_copy_pool_destroy(pools[1]);
}

/* Every element is another number, and its imaginary part, too. */
static void check_turn(struct lava_copy_pool *pool, enum lava_type type, int64_t rows, int64_t columns) {
    struct matrix source = new_matrix(type, columns, rows), target = new_matrix(type, rows, columns);
    size_t bytes = lava_type_bytes(type), all = (size_t)(target.ld * columns) * bytes;
    char *before = malloc(all);
    assert_non_null(before);
    memcpy(before, target.first, all);
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = 0; i < columns; i++)
            naive_write(type, source.first, i + j * source.ld,
                        (struct naive_number){(double)(j * columns + i), (double)(i * rows + j) + 0.5});
    const struct lava_matrix_copy copy = copy_of(&source, &target);
    lava_matrix_copy_turn(pool, &copy);
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < target.ld; i++) {
            const struct naive_number z = naive_read(type, target.first, i + j * target.ld);
            bool is_complex = lava_type_is_complex(type);
            if (i >= rows)
                assert_memory_equal(at(&target, i, j), before + (size_t)(i + j * target.ld) * bytes, bytes);
            else
                assert_true(z.real == (double)(i * columns + j) &&
                            z.imaginary == (is_complex ? -(double)(j * rows + i) - 0.5 : 0));
        }
    free(source.first);
    free(target.first);
    free(before);
}

static void turns(void **state) {
    struct lava_copy_pool *pools[] = {lava_copy_pool_create(1), lava_copy_pool_create(3)};
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        check_turn(pools[i / 4], types[i % 4], 1, 1);
        check_turn(pools[i / 4], types[i % 4], 3, 70);
        check_turn(pools[i / 4], types[i % 4], 70, 3);
        check_turn(pools[i / 4], types[i % 4], 16, 32);
        check_turn(pools[i / 4], types[i % 4], 300 + poison_random(99), 300 + poison_random(99));
        check_turn(pools[i / 4], types[i % 4], 20, 5000 + poison_random(99));
    }
    lava_copy_pool_destroy(pools[0]);
    lava_copy_pool_destroy(pools[1]);
}

/* The largest part is put anywhere, as the real or as the imaginary one, with any sign. */
static void check_largest(struct lava_copy_pool *pool, enum lava_type type, int64_t rows, int64_t columns) {
    static const double values[] = {100, 1e30, 0x1p-140, INFINITY, NAN};
    struct matrix matrix = new_matrix(type, rows, columns);
    for (size_t v = 0; v < 5; v++) {
        int64_t i = poison_random((int)rows), j = poison_random((int)columns);
        double value = poison_random(2) ? values[v] : -values[v];
        bool is_imaginary = lava_type_is_complex(type) && poison_random(2);
        if (values[v] < 1) { /* it is the largest of none but zeros */
            for (int64_t column = 0; column < columns; column++)
                memset(at(&matrix, 0, column), 0, (size_t)rows * lava_type_bytes(type));
        }
        naive_write(type, matrix.first, i + j * matrix.ld,
                    (struct naive_number){is_imaginary ? 0 : value, is_imaginary ? value : 0});
        double largest = lava_matrix_copy_largest(pool, type, matrix.first, rows, columns, matrix.ld);
        double expected = lava_type_real(type) == LAVA_TYPE_FP32 ? (double)(float)values[v] : values[v];
        assert_true(isnan(expected) ? isnan(largest) : largest == expected);
        if (v < 3)
            naive_write(type, matrix.first, i + j * matrix.ld, (struct naive_number){0, 0});
    }
    assert_true(lava_matrix_copy_largest(pool, type, matrix.first, rows, 0, matrix.ld) == 0);
    free(matrix.first);
}

static void largest(void **state) {
    struct lava_copy_pool *pools[] = {lava_copy_pool_create(1), lava_copy_pool_create(3)};
    (void)state;
    for (size_t i = 0; i < 8; i++) {
        check_largest(pools[i / 4], types[i % 4], 5, 3);
        check_largest(pools[i / 4], types[i % 4], 1, 1);
        check_largest(pools[i / 4], types[i % 4], 300, 400 + poison_random(300));
        check_largest(pools[i / 4], types[i % 4], 100000, 2);
    }
    lava_copy_pool_destroy(pools[0]);
    lava_copy_pool_destroy(pools[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies), cmocka_unit_test(turns),
                                       cmocka_unit_test(largest)};
    poison_begin((unsigned)time(NULL));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
