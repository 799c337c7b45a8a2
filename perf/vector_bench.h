/* Shared by vector_rates and vector_break_even: numbers to multiply, and times of calls. */
#ifndef PERF_VECTOR_BENCH_H
#define PERF_VECTOR_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/types.h"

/* Returns new elements of the type whose numbers are between -1 and 1. The caller frees them. */
void *vector_bench_new_numbers(enum lava_type type, int64_t elements, unsigned seed);

/* Reads orders with commas between them, `most` at most, and returns how many. Ends the program, with a line
 * on stderr, if one is not an order. */
int vector_bench_read_orders(const char *program, const char *text, int64_t *orders, int most);

/* Compares two doubles, for qsort. */
int vector_bench_compare(const void *a, const void *b);
/* Sorts the values. */
double vector_bench_median(double *values, int count);

/* A call, and what comes before each one and is not timed. The call returns false if it fails. */
struct vector_bench_timed {
    void (*reset)(void *context);
    bool (*call)(void *context);
    void *context;
};
/* Calls for this time, and once at least. Returns the median, us; infinity: a call failed. */
double vector_bench_time(const struct vector_bench_timed *timed, double seconds, double *least_us);

#endif
