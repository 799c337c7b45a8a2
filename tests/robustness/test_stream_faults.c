/* Faults while a batch or a stream is under way. After a failed batch exactly the products that it reports
 * are written. A stream that failed stays failed until it is closed, and the next one works. Elements are
 * small integers, so every result is exact. Built with -Dfault_injection=true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "dispatch/batches.h"
#include "lib/lapack/device_cholesky.h"
#include "lib/lapack/device_lu.h"
#include "lib/lapack/device_solve.h"
#include "lib/lapack/families.h"
#include "lib/offload/complete.h"
#include "lib/offload/offload.h"
#include "lib/product/runner.h"
#include "lib/vk/gpu.h"
#include "lib/vk/queue.h"
#include "tests/robustness/fault_sweep.h"

#define COUNT 60
#define SIZE  33 /* of each matrix */
#define AREA  (SIZE * SIZE)
#define ORDER 150 /* of a triangular matrix and of one to factor: two blocks and a product */
#define SIDES 3
/* Little enough for several blocks. */
#define MEMORY_BYTES    (2u << 20)
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* After these the device goes on. */
static const enum lava_fault_point points[] = {LAVA_FAULT_ALLOCATE, LAVA_FAULT_UPLOAD, LAVA_FAULT_SUBMIT,
                                               LAVA_FAULT_DOWNLOAD};
static const char *const names[] = {"allocate", "upload", "submit", "download"};

static struct lava_engine *engine;
static float a[COUNT * AREA], b[COUNT * AREA], before[COUNT * AREA], c[COUNT * AREA], expected[COUNT * AREA];
static float triangle[ORDER * ORDER], sides[ORDER * SIDES], solved[ORDER * SIDES];
static float positive[ORDER * ORDER]; /* the triangle times itself transposed */

/* Only the triangle's first column, and its diagonal of ones, are not zero. So what is solved for remains a
 * small integer. */
static void fill_triangle(unsigned *seed) {
    for (int i = 0; i < ORDER; i++) {
        triangle[i] = (float)(rand_r(seed) % 5 - 2);
        triangle[i * ORDER + i] = 1;
    }
    for (int i = 0; i < ORDER * SIDES; i++) {
        sides[i] = (float)(rand_r(seed) % 5 - 2);
        bool is_first = i % ORDER == 0;
        solved[i] = is_first ? sides[i] : sides[i] - triangle[i % ORDER] * sides[i / ORDER * ORDER];
    }
    for (int k = 0; k < ORDER; k++)
        for (int i = 0; i < ORDER; i++) {
            bool is_first = i == 0 || k == 0;
            positive[k * ORDER + i] = triangle[i] * triangle[k] + (i == k && !is_first ? 1 : 0);
        }
}

static int open_engine(void **state) {
    const char *why;
    struct lava_device *device;
    unsigned seed = (unsigned)time(NULL);
    (void)state;
    printf("seed: %u\n", seed);
    setenv("LAVABLAS_DEVICE", "cpu", 0);
    if (lava_gpu_open(lava_config_get(), &device, &why)) {
        fprintf(stderr, "no device: %s\n", why);
        return -1;
    }
    device->capabilities.unified_memory = false; /* uploads are copies, too */
    for (int i = 0; i < COUNT * AREA; i++) {
        a[i] = (float)(rand_r(&seed) % 5 - 2);
        b[i] = (float)(rand_r(&seed) % 5 - 2);
        before[i] = (float)(rand_r(&seed) % 5 - 2);
    }
    fill_triangle(&seed);
    return lava_engine_create(device, 2, &engine) ? -1 : 0;
}

static int close_engine(void **state) {
    (void)state;
    lava_engine_destroy(engine);
    return 0;
}

/* Products of a and b, or the lower triangles of a by its own transpose. */
static void expect(bool is_update) {
    memcpy(expected, before, sizeof expected);
    for (int p = 0; p < COUNT; p++)
        for (int j = 0; j < SIZE; j++)
            for (int i = is_update ? j : 0; i < SIZE; i++)
                for (int k = 0; k < SIZE; k++)
                    expected[p * AREA + j * SIZE + i] +=
                        a[p * AREA + k * SIZE + i] *
                        (is_update ? a[p * AREA + k * SIZE + j] : b[p * AREA + j * SIZE + k]);
}

static enum lava_status run_batch(bool is_update, struct lava_progress *progress) {
    const struct lava_series series = {.count = COUNT, .stride_a = AREA, .stride_b = AREA, .stride_c = AREA};
    struct lava_operation operation = {.type = LAVA_TYPE_FP32,
                                       .m = SIZE,
                                       .n = SIZE,
                                       .k = SIZE,
                                       .a = {.first = a, .ld = SIZE},
                                       .b = {.first = b, .ld = SIZE},
                                       .c = {.first = c, .ld = SIZE},
                                       .alpha.real = 1,
                                       .beta.real = 1,
                                       .series = &series};
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1}};
    struct lava_plan plan;
    if (is_update) {
        operation.b = (struct lava_operand){.first = a, .ld = SIZE, .op = LAVA_OP_T};
        operation.b_is_a = true;
        operation.c.region = LAVA_REGION_LOWER;
    }
    memcpy(c, before, sizeof c);
    lava_batches_choose(&operation, &engine->capabilities, &figures, LAVA_MODE_GPU, MEMORY_BYTES, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_true(plan.blocking.blocks_n >= 4);
    return lava_runner_run(engine, &operation, &plan, progress, NULL);
}

static void sweep_batches(bool is_update) {
    struct lava_progress progress;
    expect(is_update);
    for (size_t p = 0; p < COUNT_OF(points); p++) {
        long failed = 0, partly = 0;
        lava_engine_release(engine); /* so that memory is allocated again */
        set_fault(NULL, 0);
        assert_int_equal(run_batch(is_update, &progress), LAVA_OK);
        assert_int_equal(progress.products, COUNT);
        assert_memory_equal(c, expected, sizeof c);
        long passages = lava_fault_passages(points[p]);
        for (long passage = 1; passage <= passages; passage++) {
            lava_engine_release(engine);
            set_fault(names[p], passage);
            bool came = fault_came(engine, points[p], passage, run_batch(is_update, &progress));
            assert_in_range(progress.products, came ? 0 : COUNT, came ? COUNT - 1 : COUNT);
            size_t written = (size_t)progress.products * AREA;
            assert_memory_equal(c, expected, written * sizeof *c);
            assert_memory_equal(c + written, before + written, sizeof c - written * sizeof *c);
            failed += came;
            partly += came && progress.products > 0;
        }
        printf("%s: %ld of %ld passages failed, %ld with products written\n", names[p], failed, passages,
               partly);
        assert_true(failed > 0 && (points[p] != LAVA_FAULT_DOWNLOAD || partly > 0));
    }
    set_fault(NULL, 0);
    assert_int_equal(run_batch(is_update, &progress), LAVA_OK);
    assert_memory_equal(c, expected, sizeof c);
}

static void batches(void **state) {
    (void)state;
    sweep_batches(false);
}

static void batches_of_updates(void **state) {
    (void)state;
    sweep_batches(true);
}

/* c <- before + a b of the first product, on the device. Once a call has failed, so do all after it. */
static enum lava_status run_stream(void) {
    struct lava_device_matrix x[3];
    const float *const hosts[] = {a, b, before};
    struct lava_stream stream;
    enum lava_status status = LAVA_OK, next;
    for (int i = 0; i < 3; i++) {
        enum lava_status created = lava_device_matrix_create(engine, LAVA_TYPE_FP32, SIZE, SIZE, &x[i]);
        status = status ? status : created;
    }
    lava_stream_open(&stream, engine, false);
    if (!status) {
        const struct lava_device_product product = {
            .a = x[0], .b = x[1], .c = x[2], .alpha.real = 1, .beta.real = 1};
        for (int i = 0; i < 3; i++) {
            next = lava_device_matrix_upload(&stream, &x[i], hosts[i], SIZE);
            assert_true(!status || next == status);
            status = next;
        }
        next = lava_device_product(&stream, &product);
        assert_true(!status || next == status);
        bool refused = !status && next == LAVA_ERROR_DEVICE_MEMORY; /* the stream goes on */
        status = next;
        next = lava_device_matrix_download(&stream, &x[2], LAVA_REGION_ALL, c, SIZE);
        assert_true(!status || refused || next == status);
        status = status ? status : next;
    }
    status = lava_stream_close(&stream, status);
    for (int i = 0; i < 3; i++)
        lava_device_matrix_free(engine, &x[i]);
    return status;
}

/* c <- the solution with the triangle. Once a call has failed, so do all after it. */
static enum lava_status run_solve(void) {
    struct lava_device_matrix x[2];
    struct lava_stream stream;
    enum lava_status status = lava_device_matrix_create(engine, LAVA_TYPE_FP32, ORDER, ORDER, &x[0]), next;
    next = lava_device_matrix_create(engine, LAVA_TYPE_FP32, ORDER, SIDES, &x[1]);
    status = status ? status : next;
    lava_stream_open(&stream, engine, false);
    if (!status) {
        const struct lava_device_solve solve = {
            .a = x[0], .b = x[1], .stored = LAVA_REGION_LOWER, .unit_diagonal = true, .alpha.real = 1};
        status = lava_device_matrix_upload(&stream, &x[0], triangle, ORDER);
        next = lava_device_matrix_upload(&stream, &x[1], sides, ORDER);
        assert_true(!status || next == status);
        status = next;
        next = lava_device_solve(&stream, &solve);
        assert_true(!status || next == status);
        status = next;
        next = lava_device_matrix_download(&stream, &x[1], LAVA_REGION_ALL, c, ORDER);
        assert_true(!status || next == status);
        status = next;
    }
    status = lava_stream_close(&stream, status);
    for (int i = 0; i < 2; i++)
        lava_device_matrix_free(engine, &x[i]);
    return status;
}

/* c <- the lower factor of the positive definite matrix, which is the triangle, below zeros. Once a call has
 * failed, so do all after it. */
static enum lava_status run_cholesky(void) {
    struct lava_device_cholesky cholesky = {.stored = LAVA_REGION_LOWER};
    struct lava_stream stream;
    uint32_t minor = 0;
    enum lava_status status = lava_device_matrix_create(engine, LAVA_TYPE_FP32, ORDER, ORDER, &cholesky.a),
                     next;
    next = lava_device_matrix_create(engine, LAVA_TYPE_FP32, 1, 1, &cholesky.status);
    status = status ? status : next;
    lava_stream_open(&stream, engine, false);
    if (!status) {
        status = lava_device_matrix_upload(&stream, &cholesky.a, positive, ORDER);
        next = lava_device_matrix_upload(&stream, &cholesky.status, &minor, 1);
        assert_true(!status || next == status);
        status = next;
        next = lava_device_cholesky(&stream, &cholesky);
        assert_true(!status || next == status);
        status = next;
        memset(c, 0, sizeof triangle);
        next = lava_device_matrix_download(&stream, &cholesky.a, LAVA_REGION_LOWER, c, ORDER);
        assert_true(!status || next == status);
        status = next;
    }
    status = lava_stream_close(&stream, status);
    lava_device_matrix_free(engine, &cholesky.a);
    lava_device_matrix_free(engine, &cholesky.status);
    return status;
}

/* Lets `run` fail at each passage of each point. `result` is what it leaves in c otherwise. */
static void fail_everywhere(enum lava_status (*run)(void), const float *result, size_t bytes) {
    for (size_t p = 0; p < COUNT_OF(points); p++) {
        lava_engine_release(engine);
        set_fault(NULL, 0);
        assert_int_equal(run(), LAVA_OK);
        assert_memory_equal(c, result, bytes);
        long passages = lava_fault_passages(points[p]);
        assert_true(passages > 0);
        for (long passage = 1; passage <= passages; passage++) {
            lava_engine_release(engine);
            set_fault(names[p], passage);
            fault_came(engine, points[p], passage, run());
            assert_int_equal(lava_arena_taken_bytes(&engine->arena), 0);
            set_fault(NULL, 0);
            memset(c, 0, bytes);
            assert_int_equal(run(), LAVA_OK);
            assert_memory_equal(c, result, bytes);
        }
        printf("%s: %ld passages\n", names[p], passages);
    }
}

static void streams(void **state) {
    (void)state;
    fail_everywhere(run_stream, expected, AREA * sizeof *c);
}

static void solves(void **state) {
    (void)state;
    fail_everywhere(run_solve, solved, sizeof solved);
}

/* c <- L and U of the matrix that a begins with. Once a call has failed, so do all after it. */
static enum lava_status run_lu(void) {
    const int64_t words = lava_device_lu_work_words(LAVA_TYPE_FP32, ORDER);
    const int64_t sizes[][2] = {{ORDER, ORDER}, {ORDER, 1}, {words, 1}};
    struct lava_device_matrix x[3];
    struct lava_stream stream;
    enum lava_status status = LAVA_OK, next;
    for (int i = 0; i < 3; i++) {
        next = lava_device_matrix_create(engine, LAVA_TYPE_FP32, sizes[i][0], sizes[i][1], &x[i]);
        status = status ? status : next;
    }
    lava_stream_open(&stream, engine, false);
    if (!status) {
        const struct lava_device_lu lu = {.a = x[0], .pivots = x[1], .work = x[2]};
        status = lava_device_matrix_upload(&stream, &x[0], a, ORDER);
        next = lava_device_lu(&stream, &lu);
        assert_true(!status || next == status);
        status = next;
        next = lava_device_matrix_download(&stream, &x[0], LAVA_REGION_ALL, c, ORDER);
        assert_true(!status || next == status);
        status = next;
    }
    status = lava_stream_close(&stream, status);
    for (int i = 0; i < 3; i++)
        lava_device_matrix_free(engine, &x[i]);
    return status;
}

/* What LU leaves is tested by test_device_lu.c. */
static void factorizations(void **state) {
    static float factored[ORDER * ORDER];
    (void)state;
    fail_everywhere(run_cholesky, triangle, sizeof triangle);
    assert_int_equal(run_lu(), LAVA_OK);
    memcpy(factored, c, sizeof factored);
    fail_everywhere(run_lu, factored, sizeof factored);
}

/* From host memory: L X = B, X L = B, X L' = B and L' X = B, the triangle's only full column being the first
 * one. A failure may leave a part of X; the CPU goes on from there. */
#define CHUNKED 40
static float chunked[ORDER * CHUNKED], chunked_solved[ORDER * CHUNKED], chunked_c[ORDER * CHUNKED];

static struct lava_operation chunked_operation(int way) {
    bool on_right = way == 1 || way == 2;
    const struct lava_operand lower = {.first = triangle,
                                       .ld = ORDER,
                                       .op = way >= 2 ? LAVA_OP_T : LAVA_OP_N,
                                       .structure = LAVA_STRUCTURE_TRIANGULAR,
                                       .stored = LAVA_REGION_LOWER,
                                       .unit_diagonal = true};
    const struct lava_operand sides_of = {.first = chunked_c, .ld = on_right ? CHUNKED : ORDER};
    return (struct lava_operation){.kind = LAVA_OPERATION_SOLVE,
                                   .type = LAVA_TYPE_FP32,
                                   .m = on_right ? CHUNKED : ORDER,
                                   .n = on_right ? ORDER : CHUNKED,
                                   .k = ORDER,
                                   .a = on_right ? sides_of : lower,
                                   .b = on_right ? lower : sides_of,
                                   .c = {.first = chunked_c, .ld = on_right ? CHUNKED : ORDER},
                                   .alpha.real = 1};
}

/* X l = B, or l' X = B, for l the triangle's first column: X's first column, or row, is B's less the others'.
 * Otherwise each is B's less a multiple of the first. */
static void fill_chunked(int way, unsigned *seed) {
    for (int i = 0; i < ORDER * CHUNKED; i++)
        chunked[i] = chunked_solved[i] = (float)(rand_r(seed) % 5 - 2);
    bool on_right = way == 1 || way == 2, first_is_last = way == 1 || way == 3;
    int64_t step = on_right ? CHUNKED : 1, other = on_right ? 1 : ORDER;
    for (int64_t s = 0; s < CHUNKED; s++)
        for (int64_t i = 1; i < ORDER; i++) {
            if (first_is_last)
                chunked_solved[s * other] -= triangle[i] * chunked[i * step + s * other];
            else
                chunked_solved[i * step + s * other] -= triangle[i] * chunked[s * other];
        }
}

/* In ten chunks, or by as many bands as the order has blocks. */
static bool by_bands;

static enum lava_status run_chunked(const struct lava_operation *operation, struct lava_progress *progress) {
    static const struct lava_figures figures = {.cpu.flops_per_s = {1, 1, 1}};
    const struct lava_overrides chunks = {.sides_each = CHUNKED / 10}, bands = {.band = LAVA_SOLVE_ORDER},
                                overrides = by_bands ? bands : chunks;
    struct lava_plan plan;
    memcpy(chunked_c, chunked, sizeof chunked);
    lava_policy_choose(operation, &engine->capabilities, &figures, LAVA_MODE_GPU, &overrides, &plan);
    assert_int_equal(plan.place, LAVA_PLACE_GPU);
    assert_int_equal(plan.chunks.band > 0, by_bands);
    return lava_solver_run(engine, operation, &plan, progress);
}

/* Returns how many failures left a part of the result. */
static long fail_chunked(const struct lava_operation *operation, size_t p) {
    struct lava_progress progress;
    long partly = 0;
    lava_engine_release(engine);
    set_fault(NULL, 0);
    assert_int_equal(run_chunked(operation, &progress), LAVA_OK);
    assert_memory_equal(chunked_c, chunked_solved, sizeof chunked_c);
    long passages = lava_fault_passages(points[p]);
    assert_true(passages > 0);
    for (long passage = 1; passage <= passages; passage++) {
        lava_engine_release(engine);
        set_fault(names[p], passage);
        bool came = fault_came(engine, points[p], passage, run_chunked(operation, &progress));
        set_fault(NULL, 0);
        assert_int_equal(lava_arena_taken_bytes(&engine->arena), 0);
        bool untouched = progress.row == 0 && progress.column == 0;
        partly += came && !untouched;
        if (untouched)
            assert_memory_equal(chunked_c, chunked, sizeof chunked);
        if (came)
            lava_complete_on_cpu(operation, &progress);
        assert_memory_equal(chunked_c, chunked_solved, sizeof chunked_c);
    }
    printf("%s: %ld passages, %ld with a part written\n", names[p], passages, partly);
    return partly;
}

static void chunked_solves(void **state) {
    unsigned seed = (unsigned)time(NULL);
    (void)state;
    for (int way = 0; way < 8; way++) {
        const struct lava_operation operation = chunked_operation(way % 4);
        by_bands = way >= 4;
        fill_chunked(way % 4, &seed);
        for (size_t p = 0; p < COUNT_OF(points); p++) {
            long partly = fail_chunked(&operation, p);
            bool comes_before =
                points[p] == LAVA_FAULT_ALLOCATE || (by_bands && points[p] != LAVA_FAULT_DOWNLOAD);
            assert_true(comes_before ? partly == 0 : partly > 0);
        }
    }
}

/* Before a command buffer is recorded again its last submission must have ended. Nobody has waited for one
 * here, so the first buffer's second use does. */
static void command_buffers(void **state) {
    struct lava_device *device = engine->device;
    struct lava_commands commands;
    struct lava_point point;
    (void)state;
    set_fault(NULL, 0);
    assert_int_equal(lava_queue_drain(device, lava_device_timeout_ns(device)), LAVA_OK);
    for (int i = 0; i < LAVA_QUEUE_COMMAND_BUFFERS; i++) {
        assert_int_equal(lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands), LAVA_OK);
        assert_int_equal(lava_queue_submit(device, &commands, NULL, 0, &point), LAVA_OK);
    }
    set_fault("wait", 1);
    assert_int_not_equal(lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands), LAVA_OK);
    assert_int_equal(lava_fault_passages(LAVA_FAULT_WAIT), 1);
    set_fault(NULL, 0);
    device->shared->failed = false;
    assert_int_equal(lava_queue_drain(device, lava_device_timeout_ns(device)), LAVA_OK);
    assert_int_equal(run_stream(), LAVA_OK);
    assert_memory_equal(c, expected, AREA * sizeof *c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(batches_of_updates),
                                       cmocka_unit_test(batches),
                                       cmocka_unit_test(streams),
                                       cmocka_unit_test(solves),
                                       cmocka_unit_test(factorizations),
                                       cmocka_unit_test(chunked_solves),
                                       cmocka_unit_test(command_buffers)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
