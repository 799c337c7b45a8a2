/* Matrices on the device: chains of products in one stream, blocks of one matrix, memory that is kept and
 * given back, and calls that are refused. Elements are small integers, so every result is exact.
 * (engine_products.c tests every type, transposition and region.) */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "lib/lapack/device_matrix.h"
#include "tests/robustness/device_test.h"

#define SIZE 200 /* several tiles of the small rows */

static struct lava_engine *engine;
static unsigned seed;

static int open_engine(void **state) {
    (void)state;
    seed = device_test_seed();
    return device_test_open(false, &engine);
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

static void fill(double *matrix, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        matrix[i] = rand_r(&seed) % 5 - 2;
}

/* c <- alpha a op(b) + beta c, all SIZE x SIZE. */
static void multiply(double alpha, const double *a, const double *b, enum lava_op op_b, double beta,
                     double *c) {
    for (int j = 0; j < SIZE; j++)
        for (int i = 0; i < SIZE; i++) {
            double sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += a[k * SIZE + i] * b[op_b == LAVA_OP_N ? j * SIZE + k : k * SIZE + j];
            c[j * SIZE + i] = alpha * sum + beta * c[j * SIZE + i];
        }
}

static void assert_same(const double *got, const double *expected, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (got[i] != expected[i])
            fail_msg("element %lld is %g, not %g", (long long)i, got[i], expected[i]);
}

static double matrices[4][SIZE * SIZE], expected[SIZE * SIZE], twice[SIZE * SIZE];

/* c <- a b; a <- c b^T - a; b <- a c + 2 b: each reads what the one before has written, and writes over what
 * it has read. */
static void chain(void **state) {
    struct lava_device_matrix x[3];
    struct lava_stream stream;
    double *a = matrices[0], *b = matrices[1], *c = matrices[2], *got = matrices[3];
    (void)state;
    for (int i = 0; i < 2; i++)
        fill(matrices[i], SIZE * SIZE);
    lava_stream_open(&stream, engine, false);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, SIZE, SIZE, &x[i]), LAVA_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(lava_device_matrix_upload(&stream, &x[i], matrices[i], SIZE), LAVA_OK);
    const struct lava_device_product products[] = {
        {.a = x[0], .b = x[1], .c = x[2], .alpha.real = 1},
        {.a = x[2], .b = x[1], .c = x[0], .op_b = LAVA_OP_T, .alpha.real = 1, .beta.real = -1},
        {.a = x[0], .b = x[2], .c = x[1], .alpha.real = 1, .beta.real = 2}};
    for (int i = 0; i < 3; i++)
        assert_int_equal(lava_device_product(&stream, &products[i]), LAVA_OK);
    assert_int_equal(lava_device_matrix_download(&stream, &x[1], LAVA_REGION_ALL, got, SIZE), LAVA_OK);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    multiply(1, a, b, LAVA_OP_N, 0, c);
    multiply(1, c, b, LAVA_OP_T, -1, a);
    multiply(1, a, c, LAVA_OP_N, 2, b);
    assert_same(got, b, SIZE * SIZE);
    for (int i = 0; i < 3; i++)
        lava_device_matrix_free(engine, &x[i]);
}

/* The trailing block of a matrix less the product of a column of blocks and a row of blocks, step by step, as
 * a blocked LU does; everything in one matrix, and a block is uploaded in the middle. */
static void blocks(void **state) {
    const int64_t nb = 64;
    struct lava_device_matrix x;
    struct lava_stream stream;
    double *host = matrices[0], *got = matrices[1], *late = matrices[2];
    (void)state;
    fill(host, SIZE * SIZE);
    fill(late, SIZE);
    lava_stream_open(&stream, engine, false);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, SIZE, SIZE, &x), LAVA_OK);
    assert_int_equal(lava_device_matrix_upload(&stream, &x, host, SIZE), LAVA_OK);
    for (int64_t j = 0; j + nb < SIZE; j += nb) {
        int64_t end = j + nb, rest = SIZE - end;
        const struct lava_device_product product = {.a = lava_device_matrix_block(&x, end, rest, j, nb),
                                                    .b = lava_device_matrix_block(&x, j, nb, end, rest),
                                                    .c = lava_device_matrix_block(&x, end, rest, end, rest),
                                                    .alpha.real = -1,
                                                    .beta.real = 1};
        const struct lava_device_matrix column = lava_device_matrix_block(&x, 0, SIZE, end, 1);
        assert_int_equal(lava_device_product(&stream, &product), LAVA_OK);
        assert_int_equal(lava_device_matrix_upload(&stream, &column, late, SIZE), LAVA_OK);
        for (int64_t q = end; q < SIZE; q++)
            for (int64_t p = end; p < SIZE; p++)
                for (int64_t k = j; k < end; k++)
                    host[q * SIZE + p] -= host[k * SIZE + p] * host[q * SIZE + k];
        for (int64_t p = 0; p < SIZE; p++)
            host[end * SIZE + p] = late[p];
    }
    assert_int_equal(lava_device_matrix_download(&stream, &x, LAVA_REGION_ALL, got, SIZE), LAVA_OK);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    assert_same(got, host, SIZE * SIZE);
    lava_device_matrix_free(engine, &x);
}

/* More products than lists of tiles, of growing size, so that lists and buffers are replaced on the way. */
static void many_shapes(void **state) {
    struct lava_device_matrix a, b, c;
    struct lava_stream stream;
    (void)state;
    fill(matrices[0], SIZE * SIZE);
    fill(matrices[1], SIZE * SIZE);
    for (int i = 0; i < SIZE * SIZE; i++)
        expected[i] = 0;
    lava_engine_release(engine);
    lava_stream_open(&stream, engine, false);
    struct lava_device_matrix *all[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, SIZE, SIZE, all[i]), LAVA_OK);
        assert_int_equal(lava_device_matrix_upload(&stream, all[i], i < 2 ? matrices[i] : expected, SIZE),
                         LAVA_OK);
    }
    for (int64_t size = 2; size <= SIZE; size += 6) {
        const struct lava_device_product product = {.a = lava_device_matrix_block(&a, 0, size, 0, size),
                                                    .b = lava_device_matrix_block(&b, 0, size, 0, SIZE),
                                                    .c = lava_device_matrix_block(&c, 0, size, 0, SIZE),
                                                    .alpha.real = 1,
                                                    .beta.real = 1};
        assert_int_equal(lava_device_product(&stream, &product), LAVA_OK);
        for (int64_t j = 0; j < SIZE; j++)
            for (int64_t i = 0; i < size; i++)
                for (int64_t k = 0; k < size; k++)
                    expected[j * SIZE + i] += matrices[0][k * SIZE + i] * matrices[1][j * SIZE + k];
    }
    assert_int_equal(lava_device_matrix_download(&stream, &c, LAVA_REGION_ALL, twice, SIZE), LAVA_OK);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    assert_same(twice, expected, SIZE * SIZE);
    for (int i = 0; i < 3; i++)
        lava_device_matrix_free(engine, all[i]);
}

/* With alpha = 0, or without columns of op(A), C is scaled, and NaN in A and B does not matter. An empty C is
 * fine. */
static void nothing_to_multiply(void **state) {
    struct lava_device_matrix a, c;
    struct lava_stream stream;
    double *host = matrices[0], *nan = matrices[1], *got = matrices[2];
    (void)state;
    fill(host, SIZE * SIZE);
    for (int i = 0; i < SIZE * SIZE; i++)
        nan[i] = 0.0 / 0.0;
    lava_stream_open(&stream, engine, false);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, SIZE, SIZE, &a), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, SIZE, SIZE, &c), LAVA_OK);
    assert_int_equal(lava_device_matrix_upload(&stream, &a, nan, SIZE), LAVA_OK);
    assert_int_equal(lava_device_matrix_upload(&stream, &c, host, SIZE), LAVA_OK);
    const struct lava_device_matrix empty = lava_device_matrix_block(&a, 0, SIZE, 0, 0);
    const struct lava_device_product products[] = {
        {.a = a, .b = a, .c = c, .beta.real = 3},
        {.a = empty, .b = empty, .c = c, .op_b = LAVA_OP_T, .alpha.real = INFINITY, .beta.real = 2},
        {.a = a, .b = empty, .c = lava_device_matrix_block(&c, 0, SIZE, 0, 0), .alpha.real = 1}};
    for (int i = 0; i < 3; i++)
        assert_int_equal(lava_device_product(&stream, &products[i]), LAVA_OK);
    assert_int_equal(lava_device_matrix_upload(&stream, &empty, nan, SIZE), LAVA_OK);
    assert_int_equal(lava_device_matrix_download(&stream, &empty, LAVA_REGION_ALL, got, SIZE), LAVA_OK);
    assert_int_equal(lava_device_matrix_download(&stream, &c, LAVA_REGION_ALL, got, SIZE), LAVA_OK);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    for (int i = 0; i < SIZE * SIZE; i++)
        host[i] *= 6;
    assert_same(got, host, SIZE * SIZE);
    lava_device_matrix_free(engine, &a);
    lava_device_matrix_free(engine, &c);
}

static void refused(void **state) {
    struct lava_device_matrix a, b, c, of_fp32;
    struct lava_stream stream;
    (void)state;
    struct lava_device_matrix *all[] = {&a, &b, &c, &of_fp32};
    for (int i = 0; i < 4; i++)
        assert_int_equal(
            lava_device_matrix_create(engine, i < 3 ? LAVA_TYPE_FP64 : LAVA_TYPE_FP32, 64, 64, all[i]),
            LAVA_OK);
    lava_stream_open(&stream, engine, false);
    const struct lava_device_matrix narrow = lava_device_matrix_block(&b, 0, 64, 0, 63);
    struct lava_device_matrix odd = lava_device_matrix_block(&b, 0, 32, 0, 64);
    odd.offset += 8; /* a row that is not at a word */
    struct lava_device_matrix odd_c = lava_device_matrix_block(&c, 0, 32, 0, 64);
    odd_c.offset += 8;
    const struct lava_device_product products[] = {
        {.a = a, .b = narrow, .c = c},  /* N differs */
        {.a = narrow, .b = b, .c = c},  /* K differs */
        {.a = a, .b = b, .c = narrow},  /* both */
        {.a = a, .b = of_fp32, .c = c}, /* types */
        {.a = a, .b = b, .c = of_fp32}, /* C's type */
        {.a = a, .b = b, .c = a},       /* overlap */
        {.a = odd, .b = odd, .c = lava_device_matrix_block(&c, 0, 32, 0, 32), .op_b = LAVA_OP_T},
        {.a = lava_device_matrix_block(&a, 0, 32, 0, 64), .b = b, .c = odd_c},
        {.a = a, .b = narrow, .c = lava_device_matrix_block(&c, 0, 64, 0, 63), .region = LAVA_REGION_LOWER}};
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        struct lava_device_product product = products[i];
        product.alpha.real = 1;
        assert_int_equal(lava_device_product(&stream, &product), LAVA_ERROR_UNAVAILABLE);
    }
    assert_false(stream.recording);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    for (int i = 0; i < 4; i++)
        lava_device_matrix_free(engine, all[i]);
}

/* A returned buffer serves the next matrix; released memory is gone; what does not fit is refused and freed.
 */
static void memory(void **state) {
    struct lava_device_matrix first, second, too_large, many[LAVA_ARENA_RANGES];
    (void)state;
    lava_engine_release(engine);
    uint64_t before = engine->device->shared->device_bytes;
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP32, 1000, 50, &first), LAVA_OK);
    uint64_t with_one = engine->device->shared->device_bytes;
    assert_true(with_one > before);
    assert_true(lava_arena_taken_bytes(&engine->arena) >= 4 * 1000 * 50);
    lava_device_matrix_free(engine, &first);
    assert_int_equal(lava_arena_taken_bytes(&engine->arena), 0);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP64, 500, 45, &second), LAVA_OK);
    assert_int_equal(engine->device->shared->device_bytes, with_one);
    lava_device_matrix_free(engine, &second);

    assert_int_not_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP32, 0, 1, &too_large), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_CFP64, 1 << 30, 1 << 30, &too_large),
                     LAVA_ERROR_DEVICE_MEMORY);
    lava_device_matrix_free(engine, &too_large);
    for (int i = 0; i < LAVA_ARENA_RANGES; i++)
        assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP32, 8, 8, &many[i]), LAVA_OK);
    assert_int_equal(lava_device_matrix_create(engine, LAVA_TYPE_FP32, 8, 8, &too_large),
                     LAVA_ERROR_DEVICE_MEMORY);
    for (int i = 0; i < LAVA_ARENA_RANGES; i++)
        lava_device_matrix_free(engine, &many[i]);
    lava_engine_release(engine);
    assert_int_equal(engine->device->shared->device_bytes, before);
}

/* Allocations together take up to the device's limit and not a byte more, and no one of them more than the
 * largest buffer; what is refused is not counted. */
static void limits(void **state) {
    struct lava_device *device = engine->device;
    const struct lava_capabilities whole = device->capabilities;
    struct lava_buffer first, second;
    const uint64_t bytes = 1 << 16;
    (void)state;
    lava_engine_release(engine);
    uint64_t before = device->shared->device_bytes;
    device->capabilities.memory_bytes = before + 2 * bytes;
    assert_int_equal(lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes, &first), LAVA_OK);
    assert_int_equal(lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes + 4, &second),
                     LAVA_ERROR_DEVICE_MEMORY);
    assert_int_equal(device->shared->device_bytes, before + bytes);
    assert_int_equal(lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes, &second), LAVA_OK);
    assert_int_equal(device->shared->device_bytes, before + 2 * bytes);
    lava_memory_free(device, &second);
    device->capabilities.memory_bytes = before + bytes - 4; /* others took memory meanwhile */
    assert_int_equal(lava_memory_allocate(device, LAVA_MEMORY_DEVICE, 4, &second), LAVA_ERROR_DEVICE_MEMORY);
    device->capabilities = whole;
    device->capabilities.max_buffer_bytes = bytes - 4;
    assert_int_equal(lava_memory_allocate(device, LAVA_MEMORY_DEVICE, bytes, &second),
                     LAVA_ERROR_DEVICE_MEMORY);
    device->capabilities = whole;
    lava_memory_free(device, &first);
    assert_int_equal(device->shared->device_bytes, before);
}

/* Runs last: the device counts as failed afterwards. The wait takes the second chance of queue.c, 2 s. */
static void waits_in_vain(void **state) {
    struct lava_device *device = engine->device;
    struct lava_queue *queue = device->queues[LAVA_ROLE_COMPUTE];
    const struct lava_point never = {queue, queue->submitted + 1};
    (void)state;
    assert_int_equal(lava_queue_drain(device, lava_device_timeout_ns(device)), LAVA_OK);
    assert_false(lava_queue_reached(device, never));
    assert_int_not_equal(lava_queue_wait(device, never, 1000), LAVA_OK);
    assert_true(queue->reached < never.value);
    assert_false(lava_queue_reached(device, never));
}

#define DEPTH 1100
#define WIDTH 64

/* Ones, then numbers of which each is a quarter of the spacing above 1. */
static void write_long(enum lava_type type, void *memory, int64_t count, int64_t ones) {
    double small = lava_type_facts(type)->unit / 2;
    for (int64_t e = 0; e < count; e++) {
        double value = e < ones ? 1 : small;
        if (type == LAVA_TYPE_FP64)
            ((double *)memory)[e] = value;
        else
            ((float *)memory)[e] = (float)value;
    }
}

/* 1 and DEPTH - 1 numbers that are too small to change it: added one by one they are lost, but those after
 * the first chain are summed apart from it. */
static void check_long_sums(const struct lava_kernel *kernel, int64_t chain) {
    enum lava_type type = kernel->type;
    const struct lava_overrides overrides = {.kernel = kernel, .split_k = 1};
    size_t bytes = lava_type_bytes(type);
    void *host[3] = {calloc(WIDTH * DEPTH, bytes), calloc(WIDTH * DEPTH, bytes),
                     calloc(WIDTH * WIDTH, bytes)};
    struct lava_device_matrix x[3];
    struct lava_stream stream;
    const int64_t rows[] = {WIDTH, DEPTH, WIDTH}, columns[] = {DEPTH, WIDTH, WIDTH};
    write_long(type, host[0], WIDTH * DEPTH, WIDTH);
    write_long(type, host[1], WIDTH * DEPTH, WIDTH * DEPTH);
    lava_stream_open(&stream, engine, false);
    for (int i = 0; i < 3; i++)
        assert_int_equal(lava_device_matrix_create(engine, type, rows[i], columns[i], &x[i]), LAVA_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(lava_device_matrix_upload(&stream, &x[i], host[i], rows[i]), LAVA_OK);
    const struct lava_device_product product = {.a = x[0],
                                                .b = x[1],
                                                .c = x[2],
                                                .alpha.real = 1,
                                                .chain = chain,
                                                .precision = LAVA_PRECISION_IEEE,
                                                .overrides = &overrides};
    assert_int_equal(lava_device_product(&stream, &product), LAVA_OK);
    assert_int_equal(lava_device_matrix_download(&stream, &x[2], LAVA_REGION_ALL, host[2], WIDTH), LAVA_OK);
    assert_int_equal(lava_stream_close(&stream, LAVA_OK), LAVA_OK);
    double sum = 1 + (double)(chain > 0 ? DEPTH - chain : 0) * lava_type_facts(type)->unit / 2;
    for (int64_t e = 0; e < WIDTH * WIDTH; e++) {
        double got = type == LAVA_TYPE_FP64 ? ((double *)host[2])[e] : (double)((float *)host[2])[e];
        if (got != sum)
            fail_msg("%s, chain %d: element %lld is 1 + %g u, not 1 + %g u", kernel->name, (int)chain,
                     (long long)e, (got - 1) / lava_type_facts(type)->unit,
                     (sum - 1) / lava_type_facts(type)->unit);
    }
    for (int i = 0; i < 3; i++) {
        lava_device_matrix_free(engine, &x[i]);
        free(host[i]);
    }
}

/* Every row of fp32 and fp64 arithmetic that the device can run. */
static void long_sums(void **state) {
    size_t count;
    const struct lava_kernel *table = lava_kernels_table(&count);
    int checked = 0;
    (void)state;
    for (size_t i = 0; i < count; i++)
        if (lava_kernel_is_simt(&table[i]) && lava_kernel_fits(&table[i], &engine->capabilities, NULL)) {
            for (int64_t chain = 0; chain <= 256; chain += 128)
                check_long_sums(&table[i], chain);
            checked++;
        }
    assert_true(checked >= 2); /* at least one of each type */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chain),       cmocka_unit_test(blocks),
                                       cmocka_unit_test(many_shapes), cmocka_unit_test(nothing_to_multiply),
                                       cmocka_unit_test(refused),     cmocka_unit_test(memory),
                                       cmocka_unit_test(limits),      cmocka_unit_test(waits_in_vain),
                                       cmocka_unit_test(long_sums)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
