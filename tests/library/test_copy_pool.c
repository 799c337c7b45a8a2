/* The copy pool: shapes, types, leading dimensions and numbers of threads, with guards around the target;
 * blocks of batches; the lifetime and properties of its threads; a child of fork(). */
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

#include "lib/host/copy_pool.h"
#include "tests/library/tasks.h"

#define MAX_THREADS 16
/* A sanitizer looks at the copies, and elements are slow to check there. */
#if defined(__SANITIZE_ADDRESS__)
#    define LEAST_THREADS 5
#    define REPEATS       50
#else
#    define LEAST_THREADS 1
#    define REPEATS       200
#endif

struct shape {
    int64_t rows, columns, source_pad, target_pad;
};

/* An operation on a block: a copy of elements of a type, or a write-back of one type into another. */
struct operation {
    bool copy;
    enum lava_type source, target;
    struct lava_scalar beta;
};

/* The value of an element of any type, exact. */
struct value {
    double real, imaginary;
};

/* The format of a half type: fraction bits and exponent bias. */
static const struct {
    int fraction, bias;
} formats[LAVA_TYPE_COUNT] = {[LAVA_TYPE_FP16] = {10, 15}, [LAVA_TYPE_BF16] = {7, 127}};

static double values[LAVA_TYPE_COUNT][65536]; /* of all half patterns */
static double powers[48];                     /* of two, from 2^-60 */

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
    for (int i = 0; i < 48; i++)
        powers[i] = ldexp(1, i - 60);
    for (uint32_t bits = 0; bits < 65536; bits++) {
        values[LAVA_TYPE_FP16][bits] = half_value(LAVA_TYPE_FP16, (uint16_t)bits);
        values[LAVA_TYPE_BF16][bits] = half_value(LAVA_TYPE_BF16, (uint16_t)bits);
    }
    return 0;
}

/* The nearest number of the type, ties to even. */
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

static struct value get(enum lava_type type, const void *matrix, int64_t index) {
    const float *single = matrix;
    const double *wide = matrix;
    switch (type) {
    case LAVA_TYPE_FP32:
        return (struct value){.real = (double)single[index]};
    case LAVA_TYPE_FP64:
        return (struct value){.real = wide[index]};
    case LAVA_TYPE_CFP32:
        return (struct value){(double)single[2 * index], (double)single[2 * index + 1]};
    case LAVA_TYPE_CFP64:
        return (struct value){wide[2 * index], wide[2 * index + 1]};
    default:
        return (struct value){.real = values[type][((const uint16_t *)matrix)[index]]};
    }
}

static bool same_number(double x, double y) {
    return x == y || (isnan(x) && isnan(y));
}

static bool same(struct value x, struct value y) {
    return same_number(x.real, y.real) && same_number(x.imaginary, y.imaginary);
}

static float single_of(uint32_t seed) {
    return (float)(int32_t)seed * (float)powers[(seed >> 8) % 48];
}

static double double_of(uint32_t seed) {
    return (double)(int64_t)(seed * UINT64_C(0x9e3779b97f4a7c15)) * 0x1p-32 * powers[(seed >> 8) % 48];
}

/* For half types, any bits. For fp32, numbers in, near and beyond the range of half types. For fp64, more
 * digits than an fp32 has. */
static void put(enum lava_type type, void *matrix, int64_t index, int64_t row, int64_t column) {
    uint32_t seed = (uint32_t)(row * 7919 + column * 104729) * 2654435761u, other = seed * 2246822519u + 1;
    float *single = matrix;
    double *wide = matrix;
    switch (type) {
    case LAVA_TYPE_FP32:
        single[index] = single_of(seed);
        return;
    case LAVA_TYPE_FP64:
        wide[index] = double_of(seed);
        return;
    case LAVA_TYPE_CFP32:
        single[2 * index] = single_of(seed);
        single[2 * index + 1] = single_of(other);
        return;
    case LAVA_TYPE_CFP64:
        wide[2 * index] = double_of(seed);
        wide[2 * index + 1] = double_of(other);
        return;
    default:
        ((uint16_t *)matrix)[index] = (uint16_t)(seed >> 16);
    }
}

static bool reads_target(const struct operation *operation) {
    return !operation->copy && (operation->beta.real != 0 || operation->beta.imaginary != 0);
}

/* source + beta before, each operation rounded to the type of the sums. */
static struct value sum_fp32(struct value source, struct lava_scalar beta, struct value before) {
    float b = (float)beta.real, b_imaginary = (float)beta.imaginary;
    float c = (float)before.real, c_imaginary = (float)before.imaginary;
    float real = b * c, imaginary = b * c_imaginary;
    if (b_imaginary != 0) {
        real -= b_imaginary * c_imaginary;
        imaginary += b_imaginary * c;
    }
    return (struct value){(float)source.real + real, (float)source.imaginary + imaginary};
}

static struct value sum_fp64(struct value source, struct lava_scalar beta, struct value before) {
    double real = beta.real * before.real, imaginary = beta.real * before.imaginary;
    if (beta.imaginary != 0) {
        real -= beta.imaginary * before.imaginary;
        imaginary += beta.imaginary * before.real;
    }
    return (struct value){source.real + real, source.imaginary + imaginary};
}

static struct value expected(const struct operation *operation, struct value source, struct value before) {
    enum lava_type type = operation->target;
    bool wide = type == LAVA_TYPE_FP64 || type == LAVA_TYPE_CFP64;
    struct value value = source;
    if (reads_target(operation))
        value = wide ? sum_fp64(source, operation->beta, before) : sum_fp32(source, operation->beta, before);
    if (lava_type_is_half(type) && operation->source != type)
        value.real = rounded(type, (float)value.real);
    return value;
}

static void *allocate(enum lava_type type, int64_t elements) {
    void *memory = malloc((size_t)elements * lava_type_bytes(type));
    assert_non_null(memory);
    return memory;
}

static void fill(enum lava_type type, void *matrix, int64_t ld, int64_t columns, int64_t salt) {
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < ld; i++)
            put(type, matrix, i + j * ld, i + salt, j - salt);
    put(type, matrix, ld * columns, salt, salt);
}

static void compare(const struct shape *shape, const struct operation *operation, const void *source,
                    const void *before, const void *target) {
    int64_t source_ld = shape->rows + shape->source_pad, target_ld = shape->rows + shape->target_pad;
    for (int64_t j = 0; j < shape->columns; j++)
        for (int64_t i = 0; i < target_ld; i++) {
            struct value wanted = get(operation->target, before, i + j * target_ld);
            struct value got = get(operation->target, target, i + j * target_ld);
            if (i < shape->rows)
                wanted = expected(operation, get(operation->source, source, i + j * source_ld), wanted);
            if (!same(got, wanted))
                fail_msg(
                    "%ld x %ld + %ld, %s to %s, beta %g, %g: (%ld, %ld) is %.17g, %.17g, not %.17g, %.17g",
                    (long)shape->rows, (long)shape->columns, (long)shape->target_pad,
                    lava_type_name(operation->source), lava_type_name(operation->target),
                    operation->beta.real, operation->beta.imaginary, (long)i, (long)j, got.real,
                    got.imaginary, wanted.real, wanted.imaginary);
        }
    assert_true(same(get(operation->target, target, target_ld * shape->columns),
                     get(operation->target, before, target_ld * shape->columns)));
}

/* If beta is 0, C is NaN and must not be read. Memory between and after the columns must not change. */
static void check(struct lava_copy_pool *pool, const struct shape *shape, const struct operation *operation) {
    enum lava_type source_type = operation->source, target_type = operation->target;
    int64_t source_ld = shape->rows + shape->source_pad, target_ld = shape->rows + shape->target_pad;
    int64_t target_elements = target_ld * shape->columns + 1;
    size_t bytes = lava_type_bytes(target_type);
    void *source = allocate(source_type, source_ld * shape->columns + 1);
    void *target = allocate(target_type, target_elements), *before = allocate(target_type, target_elements);
    fill(source_type, source, source_ld, shape->columns, 0);
    fill(target_type, target, target_ld, shape->columns, 12345);
    size_t column_bytes = (size_t)shape->rows * bytes, pitch = (size_t)target_ld * bytes;
    for (int64_t j = 0; j < shape->columns && !reads_target(operation); j++)
        memset((char *)target + (size_t)j * pitch, 0xff, column_bytes); /* NaN of any type */
    memcpy(before, target, (size_t)target_elements * bytes);
    const struct lava_copy copy = {source, source_ld, target, target_ld, shape->rows, shape->columns};
    const struct lava_write_back how = {
        .source_type = source_type, .target_type = target_type, .beta = operation->beta};
    if (operation->copy)
        lava_copy_pool_finish(pool, lava_copy_pool_copy(pool, &copy, lava_type_bytes(source_type)));
    else
        lava_copy_pool_finish(pool, lava_copy_pool_write_back(pool, &copy, &how));
    compare(shape, operation, source, before, target);
    free(source);
    free(target);
    free(before);
}

static const struct operation copy_fp32 = {true, LAVA_TYPE_FP32, LAVA_TYPE_FP32, {0, 0}};
static const struct operation add_fp32 = {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, {1, 0}};
static const struct operation scale_fp32 = {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, {0.5, 0}};

/* All types with a few threads, the narrower ones also with one thread, and fp32 with any number. */
static bool is_tried(enum lava_type type, unsigned threads) {
    return threads == 3 || type == LAVA_TYPE_FP32 || (threads == 1 && lava_type_bytes(type) < 8);
}

static void every_shape(void **state) {
    static const struct shape shapes[] = {
        {1, 1, 0, 0},       {0, 5, 3, 3},      {5, 0, 0, 0},        {3, 100000, 0, 0}, {3, 100000, 1, 2},
        {100003, 1, 0, 0},  {300007, 1, 5, 9}, {300007, 2, 0, 3},   {1, 300007, 0, 0}, {1, 300007, 3, 0},
        {513, 511, 0, 0},   {513, 511, 7, 0},  {513, 511, 0, 7},    {4096, 16, 0, 0},  {65536, 1, 0, 0},
        {65537, 3, 64, 64}, {17, 17001, 0, 0}, {1000, 1001, 24, 8},
    };
    static const struct operation operations[] = {
        {true, LAVA_TYPE_FP32, LAVA_TYPE_FP32, {0, 0}},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, {0, 0}},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, {1, 0}},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, {0.5, 0}},
        {true, LAVA_TYPE_FP16, LAVA_TYPE_FP16, {0, 0}},
        {false, LAVA_TYPE_FP16, LAVA_TYPE_FP16, {0, 0}},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_FP16, {0, 0}},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_FP16, {1, 0}},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_FP16, {-1.5, 0}},
        {false, LAVA_TYPE_BF16, LAVA_TYPE_BF16, {0, 0}},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_BF16, {0, 0}},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_BF16, {0.3f, 0}},
        {true, LAVA_TYPE_FP64, LAVA_TYPE_FP64, {0, 0}},
        {false, LAVA_TYPE_FP64, LAVA_TYPE_FP64, {0, 0}},
        {false, LAVA_TYPE_FP64, LAVA_TYPE_FP64, {1, 0}},
        {false, LAVA_TYPE_FP64, LAVA_TYPE_FP64, {-0.7, 0}},
        {true, LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, {0, 0}},
        {false, LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, {0, 0}},
        {false, LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, {1, 0}},
        {false, LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, {-0.7f, 0}},
        {false, LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, {0, 0.3f}},
        {false, LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, {0.3f, -1.1f}},
        {true, LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, {0, 0}},
        {false, LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, {0, 0}},
        {false, LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, {1, 0}},
        {false, LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, {-0.7, 0}},
        {false, LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, {0, 0.3}},
        {false, LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, {0.3, -1.1}},
    };
#if defined(__SANITIZE_ADDRESS__)
    static const unsigned threads[] = {3}; /* elements are slow to check there */
#else
    static const unsigned threads[] = {0, 1, 2, 3, 8};
#endif
    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        struct lava_copy_pool *pool = lava_copy_pool_create(threads[t]);
        assert_non_null(pool);
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
                if (is_tried(operations[i].target, threads[t]))
                    check(pool, &shapes[s], &operations[i]);
        lava_copy_pool_destroy(pool);
    }
}

/* Blocks of a batch are either a stride apart that leaves one element between them, or at any address. */
static void check_each(struct lava_copy_pool *pool, const struct shape *shape, int64_t count,
                       const struct operation *operation, bool anywhere) {
    int64_t source_ld = shape->rows + shape->source_pad, target_ld = shape->rows + shape->target_pad;
    int64_t source_stride = source_ld * shape->columns + 1, target_stride = target_ld * shape->columns + 1;
    size_t source_pitch = (size_t)source_stride * lava_type_bytes(operation->source);
    size_t target_pitch = (size_t)target_stride * lava_type_bytes(operation->target);
    char *source = allocate(operation->source, source_stride * count + 1);
    char *target = allocate(operation->target, target_stride * count + 1);
    char *before = allocate(operation->target, target_stride * count + 1);
    const void **sources = malloc(((size_t)count + 1) * sizeof *sources);
    void **targets = malloc(((size_t)count + 1) * sizeof *targets);
    assert_true(sources && targets);
    fill(operation->source, source, source_stride, count, 0);
    fill(operation->target, target, target_stride, count, 12345);
    memcpy(before, target, (size_t)count * target_pitch);
    for (int64_t i = 0; i < count; i++) { /* in reverse order */
        sources[i] = source + (size_t)(count - 1 - i) * source_pitch;
        targets[i] = target + (size_t)(count - 1 - i) * target_pitch;
    }
    struct lava_copies copies = {{source, source_ld, target, target_ld, shape->rows, shape->columns},
                                 .count = count,
                                 .source_stride = source_stride,
                                 .target_stride = target_stride};
    if (anywhere)
        copies = (struct lava_copies){{NULL, source_ld, NULL, target_ld, shape->rows, shape->columns},
                                      .count = count,
                                      .sources = sources,
                                      .targets = targets};
    const struct lava_write_back how = {
        .source_type = operation->source, .target_type = operation->target, .beta = operation->beta};
    if (operation->copy)
        lava_copy_pool_finish(pool,
                              lava_copy_pool_copy_each(pool, &copies, lava_type_bytes(operation->source)));
    else
        lava_copy_pool_finish(pool, lava_copy_pool_write_back_each(pool, &copies, &how));
    for (size_t i = 0; i < (size_t)count; i++)
        compare(shape, operation, source + i * source_pitch, before + i * target_pitch,
                target + i * target_pitch);
    free(source);
    free(target);
    free(before);
    free(sources);
    free(targets);
}

static void every_block_of_a_batch(void **state) {
    static const struct {
        struct shape shape;
        int64_t count;
    } batches[] = {{{1, 1, 0, 0}, 100000}, {{3, 5, 1, 2}, 10007}, {{64, 64, 0, 0}, 100},
                   {{300, 200, 4, 0}, 7},  {{5, 7, 0, 3}, 1},     {{5, 7, 0, 0}, 0},
                   {{0, 7, 2, 2}, 10},     {{513, 511, 0, 7}, 2}};
    static const struct operation operations[] = {
        {true, LAVA_TYPE_FP32, LAVA_TYPE_FP32, {0, 0}},
        {true, LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, {0, 0}},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_FP32, {-0.5, 0}},
        {false, LAVA_TYPE_FP32, LAVA_TYPE_BF16, {0, 0}},
        {false, LAVA_TYPE_FP64, LAVA_TYPE_FP64, {0.7, 0}},
        {false, LAVA_TYPE_CFP32, LAVA_TYPE_CFP32, {0, 0.3f}},
    };
    (void)state;
    for (unsigned threads = LEAST_THREADS; threads <= 5; threads += 2) {
        struct lava_copy_pool *pool = lava_copy_pool_create(threads);
        assert_non_null(pool);
        for (size_t b = 0; b < sizeof batches / sizeof batches[0]; b++)
            for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
                for (int anywhere = 0; anywhere < 2; anywhere++)
                    check_each(pool, &batches[b].shape, batches[b].count, &operations[i], anywhere);
        lava_copy_pool_destroy(pool);
    }
}

static void write_back(struct lava_copy_pool *pool, const struct lava_copy *copy, enum lava_type source_type,
                       enum lava_type target_type, struct lava_scalar beta) {
    const struct lava_write_back how = {.source_type = source_type, .target_type = target_type, .beta = beta};
    lava_copy_pool_finish(pool, lava_copy_pool_write_back(pool, copy, &how));
}

static void minus_zero_does_not_read(void **state) {
    float source[2] = {1, 2}, target[2] = {NAN, NAN};
    double wide_source[4] = {1, 2, 3, 4}, wide[4] = {NAN, NAN, NAN, NAN};
    uint16_t half[2] = {0x7fff, 0x7fff};
    const struct lava_copy copy = {source, 2, target, 2, 2, 1}, narrow = {source, 2, half, 2, 2, 1},
                           doubles = {wide_source, 2, wide, 2, 2, 1};
    struct lava_copy_pool *pool = lava_copy_pool_create(1);
    (void)state;
    write_back(pool, &copy, LAVA_TYPE_FP32, LAVA_TYPE_FP32, (struct lava_scalar){-0.0, -0.0});
    assert_true(target[0] == 1 && target[1] == 2);
    write_back(pool, &narrow, LAVA_TYPE_FP32, LAVA_TYPE_FP16, (struct lava_scalar){-0.0, -0.0});
    assert_true(half[0] == 0x3c00 && half[1] == 0x4000);
    write_back(pool, &doubles, LAVA_TYPE_FP64, LAVA_TYPE_FP64, (struct lava_scalar){-0.0, -0.0});
    assert_true(wide[0] == 1 && wide[1] == 2 && isnan(wide[2]));
    wide[0] = wide[1] = NAN;
    write_back(pool, &doubles, LAVA_TYPE_CFP64, LAVA_TYPE_CFP64, (struct lava_scalar){-0.0, -0.0});
    assert_true(wide[0] == 1 && wide[1] == 2 && wide[2] == 3 && wide[3] == 4);
    lava_copy_pool_destroy(pool);
}

static void repeated_jobs(void **state) {
    static const struct shape shape = {257, 300, 3, 5};
    struct lava_copy_pool *pool = lava_copy_pool_create(4);
    (void)state;
    for (int i = 0; i < REPEATS; i++)
        check(pool, &shape, i & 1 ? &scale_fp32 : &copy_fp32);
    lava_copy_pool_destroy(pool);
}

/* Counts the pool's threads. Fails if one does not block every signal that can be blocked. */
static int count_copy_threads(void) {
    static const int signals[] = {SIGALRM, SIGINT, SIGTERM, SIGUSR1};
    struct task tasks[MAX_THREADS];
    int count = tasks_find("lava-copy", tasks, MAX_THREADS);
    for (int i = 0; i < count && i < MAX_THREADS; i++)
        for (size_t j = 0; j < sizeof signals / sizeof signals[0]; j++)
            assert_true(tasks[i].blocked >> (signals[j] - 1) & 1);
    return count;
}

/* A thread stays listed for a moment after it was joined. */
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
    assert_false(sigismember(&before, SIGUSR1)); /* otherwise an earlier test's pool changed the mask */
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
    tasks_prepare_fork("lava-copy");
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
        cmocka_unit_test(every_block_of_a_batch),
        cmocka_unit_test(minus_zero_does_not_read),
        cmocka_unit_test(repeated_jobs),
        cmocka_unit_test(threads_exist_only_when_needed),
        cmocka_unit_test(child_of_fork_copies_alone),
    };
    return cmocka_run_group_tests(tests, make_values, NULL);
}
