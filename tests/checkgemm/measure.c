/* Creates products to time, checks samples of them, and measures their time on the device. Called by
 * check_bench.c and by perf/tune. */
#include "tests/checkgemm/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/host/convert.h"
#include "tests/checkgemm/matrix.h"

#define MAX_ROUNDS 1000
#define SAMPLES    64 /* elements of C compared with a dot product in long double */
/* Period of the random elements of a matrix. Repetition saves time and does not affect timing. A prime. */
#define PERIOD 1048573
/* Smallest fp32 element. fp16's planes represent 2^-14 and more. */
#define LEAST_ELEMENT 0x1p-10f
/* Maximum length of one submission, roughly. */
#define REPEATED_SECONDS 0.1

static void *allocate(size_t bytes) {
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return memory;
}

/* Returns this many random numbers, parts of elements of the type. */
static void *random_parts(enum lava_type type, size_t parts, uint64_t *state) {
    unsigned char *memory = allocate(parts * lava_type_bytes(type));
    for (size_t i = 0; i < parts; i++) {
        double value = type == LAVA_TYPE_FP64 ? random_uniform64(state) : (double)random_uniform(state);
        float single = (float)value;
        if (type == LAVA_TYPE_FP64) {
            ((double *)(void *)memory)[i] = value;
        } else if (type == LAVA_TYPE_FP32) {
            ((float *)(void *)memory)[i] = copysignf(fmaxf(fabsf(single), LEAST_ELEMENT), single);
        } else {
            lava_convert_from_fp32(type, &single, (uint16_t *)(void *)memory + i, 1);
        }
    }
    return memory;
}

static void *random_matrix(enum lava_type type, int64_t elements, uint64_t *state) {
    size_t element_bytes = lava_type_bytes(type), made = (size_t)(elements < PERIOD ? elements : PERIOD);
    size_t bytes = (size_t)elements * element_bytes, period = made * element_bytes;
    enum lava_type real = lava_type_real(type);
    unsigned char *matrix = allocate(bytes),
                  *first = random_parts(real, period / lava_type_bytes(real), state);
    memcpy(matrix, first, period);
    free(first);
    for (size_t at = period; at < bytes; at += period)
        memcpy(matrix + at, matrix, bytes - at < period ? bytes - at : period);
    return matrix;
}

struct lava_operation measure_operation(enum lava_type type, enum lava_type type_c, int64_t m, int64_t n,
                                        int64_t k, uint64_t seed) {
    uint64_t state = seed;
    size_t bytes = (size_t)(m * n) * lava_type_bytes(type_c);
    return (struct lava_operation){.type = type,
                                   .c.type = type_c,
                                   .m = m,
                                   .n = n,
                                   .k = k,
                                   .a.ld = m,
                                   .b.ld = k,
                                   .c.ld = m,
                                   .alpha.real = 1,
                                   .a.first = random_matrix(type, m * k, &state),
                                   .b.first = random_matrix(type, k * n, &state),
                                   .c.first = memset(allocate(bytes), 0xff, bytes)};
}

void measure_free(struct lava_operation *operation) {
    free((void *)(uintptr_t)operation->a.first);
    free((void *)(uintptr_t)operation->b.first);
    free(operation->c.first);
}

/* Part of an element. */
static double element(enum lava_type type, const void *matrix, int64_t index, int part) {
    float value;
    switch (type) {
    case LAVA_TYPE_FP64:
        return ((const double *)matrix)[index];
    case LAVA_TYPE_CFP64:
        return ((const double *)matrix)[2 * index + part];
    case LAVA_TYPE_FP32:
        return (double)((const float *)matrix)[index];
    case LAVA_TYPE_CFP32:
        return (double)((const float *)matrix)[2 * index + part];
    default:
        lava_convert_to_fp32(type, (const uint16_t *)matrix + index, &value, 1);
        return (double)value;
    }
}

/* Error bounds as in check_judge.c: for sums in fp32 or fp64, plus the error of planes; and for sums that
 * stay in a matrix unit, which may truncate. */
static double terms_of(const struct lava_operation *operation, const struct lava_scheme_row *scheme) {
    double k = (lava_type_is_complex(operation->type) ? 2.0 : 1.0) * (double)operation->k;
    bool stays = lava_type_is_half(operation->type) || (scheme->planes > 0 && scheme->span_k == 0);
    return (stays ? 2.0 * k : 4.0 * sqrt(k + 2.0)) + scheme->units;
}

/* A part of A B, and of the sum of absolute values. */
static long double sum_part(const struct lava_operation *operation, int64_t i, int64_t j, int part,
                            double *size) {
    long double sum = 0;
    *size = 0;
    for (int64_t l = 0; l < operation->k; l++) {
        double a[2] = {0}, b[2] = {0};
        for (int p = 0; p <= lava_type_is_complex(operation->type); p++) {
            a[p] = element(operation->type, operation->a.first, i + l * operation->a.ld, p);
            b[p] = element(operation->type, operation->b.first, l + j * operation->b.ld, p);
        }
        /* real: a0 b0 - a1 b1; imaginary: a0 b1 + a1 b0 */
        long double other = (long double)a[1] * b[1 - part];
        sum += (long double)a[0] * b[part] + (part ? other : -other);
        *size += fabs(a[0] * b[part]) + fabs(a[1] * b[1 - part]);
    }
    return sum;
}

bool measure_samples_right(const struct lava_operation *operation, enum lava_scheme scheme, uint64_t seed) {
    static const double roundings[LAVA_TYPE_COUNT] = {[LAVA_TYPE_FP16] = 0x1p-11, [LAVA_TYPE_BF16] = 0x1p-8};
    bool wide = lava_type_real(operation->type) == LAVA_TYPE_FP64;
    double unit = wide ? 0x1p-53 : 0x1p-24, step = wide ? 0x1p-54 : 0x1p-25;
    double terms = terms_of(operation, lava_scheme(scheme));
    for (int sample = 0; sample < SAMPLES; sample++) {
        int64_t i = (int64_t)(random_next(&seed) % (uint64_t)operation->m);
        int64_t j = (int64_t)(random_next(&seed) % (uint64_t)operation->n);
        for (int part = 0; part <= lava_type_is_complex(operation->type); part++) {
            double size;
            long double sum = sum_part(operation, i, j, part, &size);
            double got = element(operation->c.type, operation->c.first, i + j * operation->c.ld, part);
            double error = (double)fabsl((long double)got - sum);
            double rounding = roundings[operation->c.type] * (double)fabsl(sum);
            if (!(error <= terms * unit * size + 1.01 * rounding + step))
                return false;
        }
    }
    return true;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

/* Enough repetitions that the arithmetic, not the transfer, keeps the device busy. */
static uint32_t repetitions(const struct lava_timing *timing, double seconds) {
    if (timing->multiply_ns == 0)
        return 1;
    double repeat = fmin(REPEATED_SECONDS, seconds) * 1e9 / (double)timing->multiply_ns;
    return repeat < 1 ? 1 : repeat > 2000 ? 2000 : (uint32_t)repeat;
}

struct measured measure_device(struct lava_engine *engine, const struct lava_operation *operation,
                               const struct lava_plan *plan, double warm_seconds, double seconds) {
    static double multiply_ms[MAX_ROUNDS], pack_ms[MAX_ROUNDS], finish_ms[MAX_ROUNDS];
    struct lava_timing timing = {.repeat = 1};
    struct lava_progress progress;
    struct measured measured = {0};
    uint64_t start = lava_clock_now_ns();
    int rounds = 0;
    bool warm = false;
    while (rounds < MAX_ROUNDS) {
        if (lava_runner_run(engine, operation, plan, &progress, &timing) != LAVA_OK)
            return measured;
        double elapsed = (double)(lava_clock_now_ns() - start) * 1e-9;
        if (!warm) {
            timing.repeat = repetitions(&timing, seconds);
            warm = elapsed >= warm_seconds;
            if (warm)
                start = lava_clock_now_ns();
            continue;
        }
        multiply_ms[rounds] = (double)timing.multiply_ns * 1e-6;
        finish_ms[rounds] = (double)timing.epilogue_ns * 1e-6;
        pack_ms[rounds++] = (double)timing.pack_ns * 1e-6;
        if (rounds >= 3 && elapsed > seconds)
            break;
    }
    measured.multiply_median_ms = measure_median(multiply_ms, rounds);
    measured.multiply_ms = multiply_ms[0];
    measured.finish_ms = measure_median(finish_ms, rounds);
    measured.pack_ms = measure_median(pack_ms, rounds);
    measured.rounds = rounds;
    return measured;
}
