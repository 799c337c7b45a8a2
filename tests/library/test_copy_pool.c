/* The copy pool: shapes, types, leading dimensions and numbers of threads, with guards around the target;
 * when its threads exist and what they look like; a child of fork(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cpu/copy_pool.h"
#include "tests/library/tasks.h"

#define MAX_THREADS 16

struct shape {
    int64_t rows, columns, source_pad, target_pad;
};

/* What is done with a block: a copy of elements of a type, or a merge of one type into another. */
struct operation {
    bool copy;
    enum lava_type source, target;
    float beta;
};

/* The layout of a half: bits of the fraction, and of the exponent by its bias. */
static const struct {
    int fraction, bias;
} formats[LAVA_TYPE_COUNT] = {[LAVA_TYPE_FP16] = {10, 15}, [LAVA_TYPE_BF16] = {7, 127}};

static double values[LAVA_TYPE_COUNT][65536]; /* of all halves */

static double half_value(enum lava_type type, uint16_t bits) {
    int fraction_bits = formats[type].fraction, bias = formats[type].bias;
    int fraction = bits & ((1 << fraction_bits) - 1), exponent = (bits & 0x7fff) >> fraction_bits;
    double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 2 * bias + 1)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

static int make_values(void **state) {
    (void)state;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        values[LAVA_TYPE_FP16][bits] = half_value(LAVA_TYPE_FP16, (uint16_t)bits);
        values[LAVA_TYPE_BF16][bits] = half_value(LAVA_TYPE_BF16, (uint16_t)bits);
    }
    return 0;
}

/* The nearest number of the type; of two the even one. */
static double rounded(enum lava_type type, float value) {
    int fraction_bits = formats[type].fraction, bias = formats[type].bias, exponent;
    if (type == LAVA_TYPE_FP32 || value == 0 || !isfinite(value))
        return (double)value;
    frexp((double)value, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    double unit = ldexp(1, exponent - fraction_bits);
    double result = nearbyint((double)value / unit) * unit;
    return fabs(result) >= ldexp(1, bias + 1) ? copysign(INFINITY, result) : result;
}

static double get(enum lava_type type, const void *matrix, int64_t index) {
    return type == LAVA_TYPE_FP32 ? (double)((const float *)matrix)[index]
                                  : values[type][((const uint16_t *)matrix)[index]];
}

static bool same(double x, double y) {
    return x == y || (isnan(x) && isnan(y));
}

/* Any bits at all in a half; in an fp32 numbers that halves can hold, all around them, and some beyond. */
static void put(enum lava_type type, void *matrix, int64_t index, int64_t row, int64_t column) {
    uint32_t seed = (uint32_t)(row * 7919 + column * 104729) * 2654435761u;
    if (type == LAVA_TYPE_FP32)
        ((float *)matrix)[index] = ldexpf((float)(int32_t)seed, (int)(seed >> 8) % 48 - 60);
    else
        ((uint16_t *)matrix)[index] = (uint16_t)(seed >> 16);
}

static void put_nan(enum lava_type type, void *matrix, int64_t index) {
    if (type == LAVA_TYPE_FP32)
        ((float *)matrix)[index] = NAN;
    else
        ((uint16_t *)matrix)[index] = 0x7fff;
}

static double expected(const struct operation *operation, int64_t row, int64_t column) {
    uint32_t source_bits, target_bits;
    put(operation->source, &source_bits, 0, row, column);
    put(operation->target, &target_bits, 0, column, row);
    double source = get(operation->source, &source_bits, 0);
    if (operation->copy || operation->beta == 0)
        return operation->source == operation->target ? source : rounded(operation->target, (float)source);
    float sum = (float)source + operation->beta * (float)get(operation->target, &target_bits, 0);
    return rounded(operation->target, sum);
}

static void *allocate(enum lava_type type, int64_t elements) {
    void *memory = malloc((size_t)elements * lava_type_bytes(type));
    assert_non_null(memory);
    return memory;
}

/* Where beta is 0, C is NaN and must not be read. What lies between the columns, of numbers made with a row
 * below 0, must not change. */
static void check(struct lava_copy_pool *pool, const struct shape *shape, const struct operation *operation) {
    enum lava_type source_type = operation->source, target_type = operation->target;
    int64_t source_ld = shape->rows + shape->source_pad, target_ld = shape->rows + shape->target_pad;
    void *source = allocate(source_type, source_ld * shape->columns + 1);
    void *target = allocate(target_type, target_ld * shape->columns + 1);
    bool reads = !operation->copy && operation->beta != 0;
    for (int64_t j = 0; j < shape->columns; j++) {
        for (int64_t i = 0; i < source_ld; i++)
            put(source_type, source, i + j * source_ld, i, j);
        for (int64_t i = 0; i < target_ld; i++)
            if (i < shape->rows && !reads)
                put_nan(target_type, target, i + j * target_ld);
            else
                put(target_type, target, i + j * target_ld, j, i);
    }
    put(target_type, target, target_ld * shape->columns, 1, 1);
    const struct lava_copy copy = {source, source_ld, target, target_ld, shape->rows, shape->columns};
    if (operation->copy)
        lava_copy_pool_copy(pool, &copy, lava_type_bytes(source_type));
    else
        lava_copy_pool_merge(pool, &copy, source_type, target_type, operation->beta);
    for (int64_t j = 0; j < shape->columns; j++)
        for (int64_t i = 0; i < target_ld; i++) {
            uint32_t before;
            put(target_type, &before, 0, j, i);
            double wanted = i < shape->rows ? expected(operation, i, j) : get(target_type, &before, 0);
            double got = get(target_type, target, i + j * target_ld);
            if (!same(got, wanted))
                fail_msg("%ld x %ld + %ld, %s to %s, beta %g: (%ld, %ld) is %.9g, not %.9g",
                         (long)shape->rows, (long)shape->columns, (long)shape->target_pad,
                         lava_type_name(source_type), lava_type_name(target_type), (double)operation->beta,
                         (long)i, (long)j, got, wanted);
        }
    uint32_t last;
    put(target_type, &last, 0, 1, 1);
    assert_true(same(get(target_type, target, target_ld * shape->columns), get(target_type, &last, 0)));
    free(source);
    free(target);
}

static const struct operation copy_fp32 = {true, LAVA_TYPE_FP32, LAVA_TYPE_FP32, 0};
static const struct operation add_fp32 = {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, 1};
static const struct operation scale_fp32 = {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, 0.5f};

static void every_shape(void **state) {
    static const struct shape shapes[] = {
        {1, 1, 0, 0},       {0, 5, 3, 3},      {5, 0, 0, 0},        {3, 100000, 0, 0}, {3, 100000, 1, 2},
        {100003, 1, 0, 0},  {300007, 1, 5, 9}, {300007, 2, 0, 3},   {1, 300007, 0, 0}, {1, 300007, 3, 0},
        {513, 511, 0, 0},   {513, 511, 7, 0},  {513, 511, 0, 7},    {4096, 16, 0, 0},  {65536, 1, 0, 0},
        {65537, 3, 64, 64}, {17, 17001, 0, 0}, {1000, 1001, 24, 8},
    };
    static const struct operation operations[] = {
        {true, LAVA_TYPE_FP32, LAVA_TYPE_FP32, 0},      {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, 0},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, 1},     {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, 0.5f},
        {true, LAVA_TYPE_FP16, LAVA_TYPE_FP16, 0},      {false, LAVA_TYPE_FP16, LAVA_TYPE_FP16, 0},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_FP16, 0},     {false, LAVA_TYPE_FP32, LAVA_TYPE_FP16, 1},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_FP16, -1.5f}, {false, LAVA_TYPE_BF16, LAVA_TYPE_BF16, 0},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_BF16, 0},     {false, LAVA_TYPE_FP32, LAVA_TYPE_BF16, 0.3f},
    };
    static const unsigned threads[] = {0, 1, 2, 3, 8};
    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct lava_copy_pool *pool = lava_copy_pool_create(threads[t]);
        assert_non_null(pool);
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
                if (threads[t] & 1 || operations[i].target == LAVA_TYPE_FP32)
                    check(pool, &shapes[s], &operations[i]);
        lava_copy_pool_destroy(pool);
    }
}

static void minus_zero_does_not_read(void **state) {
    float source[2] = {1, 2}, target[2] = {NAN, NAN};
    uint16_t half[2] = {0x7fff, 0x7fff};
    const struct lava_copy copy = {source, 2, target, 2, 2, 1}, narrow = {source, 2, half, 2, 2, 1};
    struct lava_copy_pool *pool = lava_copy_pool_create(1);
    (void)state;
    lava_copy_pool_merge(pool, &copy, LAVA_TYPE_FP32, LAVA_TYPE_FP32, -0.0f);
    assert_true(target[0] == 1 && target[1] == 2);
    lava_copy_pool_merge(pool, &narrow, LAVA_TYPE_FP32, LAVA_TYPE_FP16, -0.0f);
    assert_true(half[0] == 0x3c00 && half[1] == 0x4000);
    lava_copy_pool_destroy(pool);
}

static void repeated_jobs(void **state) {
    static const struct shape shape = {257, 300, 3, 5};
    struct lava_copy_pool *pool = lava_copy_pool_create(4);
    (void)state;
    for (int i = 0; i < 500; i++)
        check(pool, &shape, i & 1 ? &scale_fp32 : &copy_fp32);
    lava_copy_pool_destroy(pool);
}

/* Counts the pool's threads; fails where one does not block every signal that can be blocked. */
static int count_copy_threads(void) {
    static const int signals[] = {SIGALRM, SIGINT, SIGTERM, SIGUSR1};
    struct task tasks[MAX_THREADS];
    int count = tasks_find("lavablas-copy", tasks, MAX_THREADS);
    for (int i = 0; i < count && i < MAX_THREADS; i++)
        for (size_t j = 0; j < sizeof signals / sizeof signals[0]; j++)
            assert_true(tasks[i].blocked >> (signals[j] - 1) & 1);
    return count;
}

/* A thread is listed a moment longer than it can be joined. */
static void wait_for_threads(int expected) {
    for (int i = 0; i < 5000 && count_copy_threads() != expected; i++)
        usleep(1000);
    assert_int_equal(count_copy_threads(), expected);
}

static void threads_exist_only_when_needed(void **state) {
    static const struct shape small = {100, 100, 0, 0}, large = {1000, 1000, 1, 1};
    sigset_t before, after;
    (void)state;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_false(sigismember(&before, SIGUSR1)); /* or an earlier test's pool has left it so */
    struct lava_copy_pool *pool = lava_copy_pool_create(3);
    assert_int_equal(count_copy_threads(), 0);
    check(pool, &small, &copy_fp32);
    assert_int_equal(count_copy_threads(), 0);
    check(pool, &large, &copy_fp32);
    wait_for_threads(2);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < 65; i++)
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
    lava_copy_pool_destroy(pool);
    wait_for_threads(0);
    lava_copy_pool_destroy(NULL);
}

static void child_of_fork_copies_alone(void **state) {
    static const struct shape large = {1000, 1000, 1, 1};
    struct lava_copy_pool *pool = lava_copy_pool_create(3);
    (void)state;
    check(pool, &large, &copy_fp32);
    tasks_prepare_fork("lavablas-copy");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(10);
        check(pool, &large, &scale_fp32);
        lava_copy_pool_destroy(pool);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check(pool, &large, &add_fp32);
    lava_copy_pool_destroy(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape),
        cmocka_unit_test(minus_zero_does_not_read),
        cmocka_unit_test(repeated_jobs),
        cmocka_unit_test(threads_exist_only_when_needed),
        cmocka_unit_test(child_of_fork_copies_alone),
    };
    return cmocka_run_group_tests(tests, make_values, NULL);
}
