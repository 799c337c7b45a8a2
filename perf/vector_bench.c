/* What the programs that time products with vectors have in common. */
#include "vector_bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"

#define PERIOD     1000003 /* numbers in which a matrix repeats */
#define MOST_CALLS 4000

/* Numbers between -1 and 1. */
static void fill(enum lava_type type, void *matrix, int64_t numbers, unsigned seed) {
    size_t bytes = lava_type_bytes(lava_type_real(type));
    int64_t made = numbers < PERIOD ? numbers : PERIOD;
    for (int64_t i = 0; i < made; i++) {
        double value = 2.0 * rand_r(&seed) / RAND_MAX - 1;
        if (bytes == sizeof(double))
            ((double *)matrix)[i] = value;
        else
            ((float *)matrix)[i] = (float)value;
    }
    for (int64_t i = PERIOD; i < numbers; i += PERIOD) {
        int64_t rest = numbers - i < PERIOD ? numbers - i : PERIOD;
        memcpy((char *)matrix + (size_t)i * bytes, matrix, (size_t)rest * bytes);
    }
}

void *vector_bench_new_numbers(enum lava_type type, int64_t elements, unsigned seed) {
    void *numbers = malloc((size_t)elements * lava_type_bytes(type));
    if (!numbers) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    fill(type, numbers, elements * (lava_type_is_complex(type) ? 2 : 1), seed);
    return numbers;
}

int vector_bench_read_orders(const char *program, const char *text, int64_t *orders, int most) {
    int count = 0;
    char *end;
    for (; *text && count < most; text = *end ? end + 1 : end) {
        orders[count] = strtoll(text, &end, 10);
        if (orders[count] < 1 || (*end && *end != ',')) {
            fprintf(stderr, "%s: not an order: %s\n", program, text);
            exit(2);
        }
        count++;
    }
    return count;
}

int vector_bench_compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double vector_bench_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, vector_bench_compare);
    return values[count / 2];
}

double vector_bench_time(const struct vector_bench_timed *timed, double seconds, double *least_us) {
    static double us[MOST_CALLS];
    int count = 0;
    uint64_t start_ns = lava_clock_now_ns();
    *least_us = INFINITY;
    do {
        timed->reset(timed->context);
        uint64_t before_ns = lava_clock_now_ns();
        if (!timed->call(timed->context))
            return INFINITY;
        us[count] = 1e-3 * (double)(lava_clock_now_ns() - before_ns);
        *least_us = fmin(*least_us, us[count]);
    } while (++count < MOST_CALLS && 1e-9 * (double)(lava_clock_now_ns() - start_ns) < seconds);
    return vector_bench_median(us, count);
}
