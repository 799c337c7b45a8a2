/* Products to be computed by every scheme: data of 28 kinds, and the expected results in fp64. */
#ifndef LAVA_PERF_ACCURACY_STUDY_PROBLEM_H
#define LAVA_PERF_ACCURACY_STUDY_PROBLEM_H

#include <stdint.h>

#define ROWS    32
#define COLUMNS 32

enum data {
    DATA_UNIFORM,
    DATA_NORMAL,
    DATA_POSITIVE,
    DATA_ACROSS,
    DATA_WITHIN_20,
    DATA_WITHIN_8,
    DATA_GRADED,
    DATA_CANCELLING,
    DATA_KAHAN,
    DATA_TINY_RESULT,
    DATA_TINY_INPUT,
    DATA_ZERO_ROWS,
    DATA_ONE_HUGE,
    DATA_SCALARS,
    DATA_RELU,
    DATA_LOGNORMAL,
    DATA_CONSTANT,
    DATA_SPARSE,
    DATA_PERMUTATION,
    DATA_OPPOSED,
    DATA_OPPOSED_LOW,
    DATA_CANCELLING_SOME,
    DATA_WAVES,
    DATA_MANTISSA,
    DATA_ORTHOGONAL,
    DATA_LEAST,
    DATA_MOST,
    DATA_FP16_RANGE,
    DATA_COUNT
};

struct problem {
    enum data data;
    int rows; /* ROWS, or fewer if K is large; there are always COLUMNS columns */
    int64_t k;
    float alpha, beta;
    float *a, *b; /* a: by rows; b: for each depth its columns */
    double *line; /* the line that was drawn last */
    float c0[ROWS][COLUMNS];
    double exact[ROWS][COLUMNS];
    double scale[ROWS][COLUMNS]; /* G = |alpha| |A||B| + |beta| |C0| */
};

const char *problem_data_name(enum data data);

/* Allocates for K up to `largest`. Exits if out of memory. */
void problem_init(struct problem *p, int64_t largest);
void problem_finish(struct problem *p);
float *problem_floats(int64_t count);

/* Deterministic for data, k and seed; not thread-safe. */
void problem_fill(struct problem *p, enum data data, int64_t k, uint64_t seed);
/* The same numbers in fp64, without a problem: seeds the generator, then draws a row of A (side 0) or a column of
 * B (side 1). */
void problem_seed(enum data data, int64_t k, uint64_t seed);
void problem_draw_line(enum data data, int side, int line, int64_t k, double *elements);
/* Fills one more row of A (side 0) or column of B (side 1), of p->data and p->k. */
void problem_fill_line(struct problem *p, int side, int line);

#endif
