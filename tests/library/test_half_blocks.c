/* Half-precision products by sgemm, compared with a sum in double precision: split into many blocks, with
 * several threads, with too little memory, in children of fork(). The sgemm is the built-in loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/abi/validate.h"
#include "lib/host/cpu_blas.h"
#include "lib/host/half.h"
#include "lib/host/reference_blas.h"
#include "tests/library/half_product.h"
#include "tests/library/tasks.h"

#define MAX_THREADS 16

/* A sanitizer has every fifth of many small products, with all types and operations among them. */
#if defined(__SANITIZE_ADDRESS__)
#    define EACH 5
#else
#    define EACH 1
#endif

/* ThreadSanitizer keeps a thread of its own once there was another thread. */
#ifdef __SANITIZE_THREAD__
#    define THREADS_OF_SANITIZER 1
#else
#    define THREADS_OF_SANITIZER 0
#endif

/* No library: the built-in loop. */
static struct lava_cpu_blas blas;

/* Replaces sgemm from here on; NULL: the built-in loop. */
typedef void fortran_sgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                           const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                           const float *beta, float *c, const int *ldc, size_t transa_length,
                           size_t transb_length);
static void use_sgemm(fortran_sgemm *sgemm) {
    blas.gemm[LAVA_TYPE_FP32].function = (lava_function *)sgemm;
}

static void loop_sgemm(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                       const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                       const float *beta, float *c, const int *ldc) {
    const struct lava_operation numbers = {.type = LAVA_TYPE_FP32,
                                           .m = *m,
                                           .n = *n,
                                           .k = *k,
                                           .a.ld = *lda,
                                           .b.ld = *ldb,
                                           .c.ld = *ldc,
                                           .alpha.real = (double)*alpha,
                                           .beta.real = (double)*beta,
                                           .a.first = a,
                                           .b.first = b,
                                           .c.first = c};
    struct lava_operation operation;
    const struct lava_validate_list list = {LAVA_ROUTINE_sgemm_, 0, *transa, *transb, &numbers};
    assert_true(lava_validate_translate(&list, &operation));
    lava_reference_run(&operation);
}

/* Replaces the allocator of the library's memory, so that tests can let it run out. */
static size_t largest_allocation = SIZE_MAX;
static int refused;
void *aligned_alloc(size_t alignment, size_t size) {
    void *memory = NULL;
    if (size > largest_allocation) {
        refused++;
        return NULL;
    }
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}

static const enum lava_type types[][2] = {{LAVA_TYPE_FP16, LAVA_TYPE_FP32},
                                          {LAVA_TYPE_FP16, LAVA_TYPE_FP16},
                                          {LAVA_TYPE_BF16, LAVA_TYPE_FP32},
                                          {LAVA_TYPE_BF16, LAVA_TYPE_BF16}};

static void run_one(const struct lava_operation *shape, const struct lava_half_limits *limits) {
    struct half_product product;
    half_product_create(&product, shape);
    errno = 77;
    if (limits)
        lava_half_run_limited(&blas.gemm[LAVA_TYPE_FP32], &product.operation, limits);
    else
        lava_cpu_blas_run(&blas, &product.operation);
    assert_int_equal(errno, 77);
    half_product_check(&product);
    half_product_destroy(&product);
}

static void many_blocks(void **state) {
    static const int64_t sizes[][3] = {{1, 1, 1},   {5, 7, 3},   {40, 33, 70}, {64, 1, 50}, {1, 50, 64},
                                       {3, 3, 200}, {33, 40, 1}, {6, 5, 0},    {0, 4, 4},   {4, 0, 4}};
    static const double factors[][2] = {{1, 0}, {1, 1}, {-1.5, 0.5}, {0, 2}, {0, 0}, {0, 1}};
    static const int64_t workspaces[] = {1, 500, 4000, 1 << 20};
    (void)state;
    for (unsigned i = 0; i < 4 * 4 * 10 * 6; i += EACH) {
        const int64_t *size = sizes[i / 16 % 10];
        struct lava_operation shape = {.type = types[i % 4][0],
                                       .c.type = types[i % 4][1],
                                       .a.op = i / 4 % 2 ? LAVA_OP_T : LAVA_OP_N,
                                       .b.op = i / 8 % 2 ? LAVA_OP_T : LAVA_OP_N,
                                       .m = size[0],
                                       .n = size[1],
                                       .k = size[2],
                                       .alpha.real = factors[i / 160][0],
                                       .beta.real = factors[i / 160][1]};
        for (int w = 0; w < 4; w++)
            for (int64_t largest_ld = 10; largest_ld <= INT_MAX; largest_ld += INT_MAX - 10) {
                const struct lava_half_limits limits = {workspaces[w], largest_ld, 1000, 1 + i % 3};
                run_one(&shape, &limits);
            }
    }
}

static const struct lava_operation large = {.type = LAVA_TYPE_FP16,
                                            .c.type = LAVA_TYPE_FP16,
                                            .b.op = LAVA_OP_T,
                                            .m = 500,
                                            .n = 20,
                                            .k = 1000,
                                            .alpha.real = 0.5,
                                            .beta.real = -1};
static const struct lava_half_limits several = {(int64_t)31 << 18, INT_MAX, 100000, 4};

static void whole_blocks_by_several_threads(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct lava_operation shape = large;
        shape.type = types[i][0];
        shape.c.type = types[i][1];
        shape.a.op = i % 2 ? LAVA_OP_T : LAVA_OP_N;
        run_one(&shape, &several);
    }
    run_one(&large, NULL);
}

static void too_little_memory(void **state) {
    static const size_t limits[] = {1 << 20, 1 << 16, 0};
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        refused = 0;
        largest_allocation = limits[i];
        run_one(&large, &several);
        largest_allocation = SIZE_MAX;
        assert_true(refused > 0);
    }
}

/* A thread may still be listed for a moment after it was joined. */
static void wait_until_alone(void) {
    for (int i = 0; i < 1000 && tasks_find(NULL, NULL, 0) > 1 + THREADS_OF_SANITIZER; i++)
        usleep(1000);
    assert_int_equal(tasks_find(NULL, NULL, 0), 1 + THREADS_OF_SANITIZER);
}

/* Observations while sgemm runs in a large product. */
static int seen_threads, seen_unblocked, seen_children;

static void sgemm_that_looks(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                             const float *alpha, const float *a, const int *lda, const float *b,
                             const int *ldb, const float *beta, float *c, const int *ldc,
                             size_t transa_length, size_t transb_length) {
    struct task tasks[MAX_THREADS];
    int count = tasks_await_names("lava-half", 1 + THREADS_OF_SANITIZER, tasks, MAX_THREADS);
    for (int i = 0; i < count && i < MAX_THREADS; i++)
        seen_unblocked += !(tasks[i].blocked >> (SIGUSR1 - 1) & tasks[i].blocked >> (SIGALRM - 1) & 1);
    seen_threads += count;
    (void)transa_length;
    (void)transb_length;
    loop_sgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

static void threads_are_there_for_a_product_only(void **state) {
    (void)state;
    wait_until_alone();
    seen_threads = seen_unblocked = 0;
    use_sgemm(sgemm_that_looks);
    struct lava_operation small = large;
    small.m = small.k = 200;
    run_one(&small, &several);
    assert_int_equal(seen_threads, 0);
    run_one(&large, &several);
    use_sgemm(NULL);
    assert_true(seen_threads > 0);
    assert_int_equal(seen_unblocked, 0);
    wait_until_alone();
}

/* The child of a fork() during a product multiplies too. The fork comes from the product's thread or another
 * one. */
static void sgemm_that_forks(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                             const float *alpha, const float *a, const int *lda, const float *b,
                             const int *ldb, const float *beta, float *c, const int *ldc,
                             size_t transa_length, size_t transb_length) {
    int status;
    use_sgemm(NULL);
    tasks_prepare_fork("lava-half");
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        run_one(&large, &several);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    seen_children++;
    (void)transa_length;
    (void)transb_length;
    loop_sgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

static void children_of_fork(void **state) {
    (void)state;
    if (THREADS_OF_SANITIZER)
        skip(); /* it ends children that create threads */
    seen_children = 0;
    use_sgemm(sgemm_that_forks);
    run_one(&large, &several);
    assert_int_equal(seen_children, 1);
    run_one(&large, &several);
}

static void *multiply_often(void *argument) {
    (void)argument;
    for (int i = 0; i < 5; i++)
        run_one(&large, &several);
    return NULL;
}

static void callers_at_once(void **state) {
    pthread_t threads[3];
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, multiply_often, NULL), 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

/* C0 is added before the only rounding: neither the sum nor the product needs to fit fp16 by itself. */
static void one_rounding(void **state) {
    uint16_t a[2], b[2], c[1];
    const float products[] = {60000, 16}, terms[] = {-60000};
    struct lava_operation operation = {.type = LAVA_TYPE_FP16,
                                       .c.type = LAVA_TYPE_FP16,
                                       .m = 1,
                                       .n = 1,
                                       .k = 1,
                                       .a.ld = 1,
                                       .b.ld = 1,
                                       .c.ld = 1,
                                       .alpha.real = 1,
                                       .beta.real = 1,
                                       .a.first = a,
                                       .b.first = b,
                                       .c.first = c};
    (void)state;
    lava_convert_from_fp32(LAVA_TYPE_FP16, products, a, 2);
    lava_convert_from_fp32(LAVA_TYPE_FP16, (const float[]){1.5f}, b, 1);
    lava_convert_from_fp32(LAVA_TYPE_FP16, terms, c, 1);
    lava_cpu_blas_run(&blas, &operation); /* 90000 - 60000 */
    assert_int_equal(c[0], 0x7753);
    operation.beta.real = 0;
    lava_cpu_blas_run(&blas, &operation);
    assert_int_equal(c[0], 0x7c00); /* 90000 */
    c[0] = 0x7e01;                  /* NaN */
    operation.beta.real = 1;
    lava_cpu_blas_run(&blas, &operation);
    assert_int_equal(c[0], 0x7e01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_blocks),       cmocka_unit_test(whole_blocks_by_several_threads),
        cmocka_unit_test(too_little_memory), cmocka_unit_test(threads_are_there_for_a_product_only),
        cmocka_unit_test(children_of_fork),  cmocka_unit_test(callers_at_once),
        cmocka_unit_test(one_rounding),
    };
    half_product_seed((uint64_t)time(NULL));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
