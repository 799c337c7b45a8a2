/* Products that the CPU begins while a device is being prepared: for every number of pieces, the pieces and
 * what is left make the product, in all of C and in either triangle, and nothing else is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/host/cpu_blas.h"
#include "lib/offload/meanwhile.h"
#include "tests/library/poison.h"

#define K_MAX 3
/* With this time a piece is as small as may be. */
#define LONG_S 1e3

static int looks, ready_after;

static enum lava_meanwhile_device come_later(enum lava_type type) {
    (void)type;
    return looks++ < ready_after ? LAVA_MEANWHILE_AWAITED : LAVA_MEANWHILE_READY;
}

static enum lava_meanwhile_device never_come(enum lava_type type) {
    (void)type;
    return looks++ < ready_after ? LAVA_MEANWHILE_AWAITED : LAVA_MEANWHILE_NONE;
}

static void *new_matrix(enum lava_type type, int64_t ld, int64_t columns) {
    void *matrix = poison_new((size_t)(ld * columns) * lava_type_bytes(type));
    poison_fill(type, matrix, ld, columns, ld);
    return matrix;
}

/* Elements outside of the region stay NaN; all of C is NaN where beta is 0. */
static void *new_c(const struct lava_operation *operation) {
    size_t bytes = lava_type_bytes(operation->type);
    void *c = poison_new((size_t)(operation->c.ld * operation->n) * bytes);
    for (int64_t j = 0; j < operation->n && operation->beta.real != 0; j++) {
        int64_t first = operation->c.region == LAVA_REGION_LOWER ? j : 0;
        int64_t end = operation->c.region == LAVA_REGION_UPPER ? j + 1 : operation->m;
        poison_fill(operation->type, (char *)c + (size_t)(first + j * operation->c.ld) * bytes, end - first,
                    1, end - first);
    }
    return c;
}

static struct lava_operation random_operation(enum lava_region region) {
    static const enum lava_type types[] = {LAVA_TYPE_FP32, LAVA_TYPE_FP64, LAVA_TYPE_CFP32, LAVA_TYPE_CFP64};
    struct lava_operation operation = {.type = types[poison_random(4)],
                                       .c.region = region,
                                       .a.op = (enum lava_op)poison_random(2),
                                       .b.op = (enum lava_op)poison_random(2),
                                       .m = 1100 + poison_random(1100),
                                       .n = 1100 + poison_random(1100),
                                       .k = 1 + poison_random(K_MAX),
                                       .alpha.real = 1 + poison_random(3),
                                       .beta.real = poison_random(3) - 1};
    operation.c.type = operation.type;
    if (region != LAVA_REGION_ALL) {
        operation.n = operation.m;
        operation.b_is_a = poison_random(2);
    }
    if (operation.b_is_a)
        operation.b.op = operation.a.op == LAVA_OP_N ? LAVA_OP_T : LAVA_OP_N;
    operation.a.ld = (operation.a.op == LAVA_OP_N ? operation.m : operation.k) + poison_random(3);
    operation.b.ld = (operation.b.op == LAVA_OP_N ? operation.k : operation.n) + poison_random(3);
    operation.c.ld = operation.m + poison_random(3);
    operation.a.first =
        new_matrix(operation.type, operation.a.ld, operation.a.op == LAVA_OP_N ? operation.k : operation.m);
    if (operation.b_is_a)
        operation.b = operation.a, operation.b.op = 1 - operation.a.op;
    else
        operation.b.first = new_matrix(operation.type, operation.b.ld,
                                       operation.b.op == LAVA_OP_N ? operation.n : operation.k);
    return operation;
}

/* Returns how often it was looked for the device. */
static int compute(struct lava_operation operation, enum lava_meanwhile_device (*look)(enum lava_type type)) {
    bool is_left;
    looks = 0;
    assert_true(lava_meanwhile_suits(&operation, LONG_S));
    is_left = lava_meanwhile_run(&operation, LONG_S, look);
    assert_int_equal(is_left, operation.m > 0 && operation.n > 0);
    if (is_left) {
        assert_ptr_equal(look, come_later);
        lava_cpu_blas_run(lava_cpu_blas_get(), &operation);
    }
    return looks;
}

/* A sum that cancels may be 0 or -0. */
static void clear_signs_of_zeros(enum lava_type type, void *c, size_t bytes) {
    bool is_single = lava_type_real(type) == LAVA_TYPE_FP32;
    for (size_t i = 0; is_single && i < bytes / sizeof(float); i++)
        if (((float *)c)[i] == 0)
            ((float *)c)[i] = 0;
    for (size_t i = 0; !is_single && i < bytes / sizeof(double); i++)
        if (((double *)c)[i] == 0)
            ((double *)c)[i] = 0;
}

static int test_operation(struct lava_operation operation) {
    size_t bytes = (size_t)(operation.c.ld * operation.n) * lava_type_bytes(operation.type);
    void *before = new_c(&operation), *expected = malloc(bytes), *c = malloc(bytes);
    int pieces = 0;
    assert_non_null(expected);
    assert_non_null(c);
    operation.c.first = memcpy(expected, before, bytes);
    lava_cpu_blas_run(lava_cpu_blas_get(), &operation);
    clear_signs_of_zeros(operation.type, expected, bytes);
    operation.c.first = c;
    for (ready_after = 0; ready_after < 5; ready_after++) {
        memcpy(c, before, bytes);
        int count = compute(operation, come_later);
        pieces = count > pieces ? count : pieces;
        clear_signs_of_zeros(operation.type, c, bytes);
        assert_memory_equal(c, expected, bytes);
        memcpy(c, before, bytes);
        count = compute(operation, never_come);
        assert_true(count <= ready_after + 1); /* the rest is one piece */
        clear_signs_of_zeros(operation.type, c, bytes);
        assert_memory_equal(c, expected, bytes);
    }
    free(before);
    free(expected);
    free(c);
    return pieces;
}

static void test_region(void **state) {
    enum lava_region region = *(const enum lava_region *)*state;
    int most = 0;
    for (int i = 0; i < 3; i++) {
        const struct lava_operation operation = random_operation(region);
        int pieces = test_operation(operation);
        most = pieces > most ? pieces : most;
        free((void *)(uintptr_t)operation.a.first);
        if (!operation.b_is_a)
            free((void *)(uintptr_t)operation.b.first);
    }
    assert_true(most > 3); /* three pieces, and the last look found that there is a device, or nothing left */
}

/* A piece takes about the time it should, if it is not too narrow then. */
static void test_pieces(void **state) {
    enum { SIDE = 1 << 20 };
    struct lava_operation operation = {.type = LAVA_TYPE_FP32, .m = SIDE, .n = 1, .k = 1};
    (void)state;
    operation.a = (struct lava_operand){.first = new_matrix(LAVA_TYPE_FP32, SIDE, 1), .ld = SIDE};
    operation.b = (struct lava_operand){.first = new_matrix(LAVA_TYPE_FP32, 1, 1), .ld = 1};
    operation.c.first = poison_new(SIDE * sizeof(float));
    operation.c.ld = SIDE;
    const struct lava_operation whole = operation;
    ready_after = 3;
    looks = 0;
    assert_true(lava_meanwhile_run(&operation, 0.4, come_later)); /* a tenth of the whole each time */
    assert_in_range(operation.m, SIDE / 100 * 69, SIDE / 100 * 71);
    free((void *)(uintptr_t)whole.a.first);
    free((void *)(uintptr_t)whole.b.first);
    free(whole.c.first);
}

static void test_suits(void **state) {
    const struct lava_series series = {.count = 2};
    struct lava_operation operation = {.type = LAVA_TYPE_FP32, .m = 1024, .n = 1024, .k = 1};
    (void)state;
    operation.a.ld = operation.c.ld = 1024;
    operation.b.ld = 1;
    operation.a.first = malloc(4096);
    operation.b.first = malloc(4096);
    operation.c.first = malloc(4 << 20);
    assert_true(lava_meanwhile_suits(&operation, 1));
    assert_false(lava_meanwhile_suits(&operation, 0.05));
    operation.series = &series;
    assert_false(lava_meanwhile_suits(&operation, 1));
    operation.series = NULL;
    operation.b.structure = LAVA_STRUCTURE_SYMMETRIC; /* no block of it is an operation of its own */
    assert_false(lava_meanwhile_suits(&operation, 1));
    operation.b.structure = LAVA_STRUCTURE_GENERAL;
    operation.kind = LAVA_OPERATION_SOLVE;
    assert_false(lava_meanwhile_suits(&operation, 1));
    operation.kind = LAVA_OPERATION_PRODUCT;
    operation.twice = true;
    assert_false(lava_meanwhile_suits(&operation, 1));
    operation.twice = false;
    assert_true(lava_meanwhile_suits(&operation, 1));
    const void *apart = operation.b.first;
    operation.b.first = operation.c.first; /* C would be read after it is written */
    assert_false(lava_meanwhile_suits(&operation, 1));
    operation.b.first = apart;
    operation.m = operation.n = 300; /* as narrow as a piece */
    assert_false(lava_meanwhile_suits(&operation, 1));
    free((void *)(uintptr_t)operation.a.first);
    free((void *)(uintptr_t)apart);
    free(operation.c.first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        POISON_REGION_TESTS(test_region),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_suits),
    };
    poison_begin((unsigned)time(NULL));
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    lava_cpu_blas_get();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
