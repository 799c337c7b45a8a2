/* Random numbers, kinds of data, exact results. Called by accuracy.c. */
#include "study_problem.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.141592653589793
/* From this K on the matrix has fewer rows, so that no product takes longer than one of 16384. */
#define LARGE_K    4096
#define LARGE_ROWS 8

static const char *const names[DATA_COUNT] = {
    "uniform",     "normal",    "positive",  "across rows", "within 2^+-20", "within 2^+-8", "graded",
    "cancelling",  "Kahan",     "tiny C",    "subnormal A", "zero rows",     "one huge",     "alpha, beta",
    "relu",        "lognormal", "one value", "sparse 1/64", "permutation",   "opposed 2^20", "opposed, low",
    "cancel 2^-4", "waves",     "mantissa",  "orthogonal",  "at the least",  "at the most",  "fp16's range"};

static uint64_t random_state;

/* splitmix64 */
static uint64_t random_bits(void) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double random_unit(void) {
    return ((double)(random_bits() >> 11) + 0.5) * 0x1p-53;
}

static double random_between(double low, double high) {
    return low + (high - low) * random_unit();
}

static double random_normal(void) {
    double radius = sqrt(-2 * log(random_unit()));
    return radius * cos(2 * PI * random_unit());
}

static double random_sign(void) {
    return random_bits() & 1 ? 1 : -1;
}

/* Part of random_element: data that depend on the element's position. */
static double placed_element(enum data data, int side, int line, int64_t l, int64_t k) {
    switch (data) {
    case DATA_KAHAN: /* sin 1.2 = 0.932, cos 1.2 = 0.362 */
        return l < line ? 0 : pow(0.9320390859672263, line) * (l == line ? 1 : -0.3623577544766736);
    case DATA_PERMUTATION:
        return side == 0 ? l == (line * 7 + 3) % k : random_normal();
    case DATA_OPPOSED: /* A's small elements meet B's large ones: no single row or column shows it */
        return ldexp(1 + random_unit(), (l & 1) == side ? 0 : -20);
    case DATA_OPPOSED_LOW: /* the same, but large elements meet zeros: only small times large counts */
        return l % 3 == 2 ? 0 : l % 3 == side ? 1 + random_unit() : ldexp(1 + random_unit(), -26);
    case DATA_WAVES: /* oscillating rows times smooth columns, as in transforms and filters */
        return side == 0 ? cos(2 * PI * (0.05 + 0.0125 * line) * (double)l + line)
                         : 1 + 0.3 * cos(2 * PI * (double)l / (double)k + line);
    case DATA_ORTHOGONAL: /* rows and columns of one cosine transform: sums cancel except on the diagonal */
        return cos(PI * ((double)l + 0.5) * (line + 1) / (double)k);
    default: /* DATA_CONSTANT */
        return 1 + 0x1p-11 + (side ? 0x1.1p-12 : 0x1.2p-12);
    }
}

/* log2 of k, rounded up. */
static int binades(int64_t k) {
    int count = 0;
    for (int64_t power = 1; power < k; power *= 2)
        count++;
    return count;
}

/* The element of A (side 0) or B (side 1) in its row or column `line` at depth l of k. */
static double random_element(enum data data, int side, int line, int64_t l, int64_t k) {
    double x = random_between(-1, 1);
    switch (data) {
    case DATA_NORMAL:
        return random_normal();
    case DATA_POSITIVE:
        return fabs(x);
    case DATA_WITHIN_20:
        return random_sign() * exp2(random_between(-20, 20));
    case DATA_WITHIN_8:
        return random_sign() * exp2(random_between(-8, 8));
    case DATA_GRADED:
        return ldexp(x, -(int)fmin((double)(line + l), 60));
    case DATA_TINY_RESULT:
        return ldexp(x, -70);
    case DATA_TINY_INPUT:
        return side == 0 ? ldexp(x, -130) : ldexp(x, 60);
    case DATA_ONE_HUGE:
        return side == 0 && l == line % k ? 3e9 * (1 + random_unit()) : x;
    case DATA_RELU:
        return side == 0 ? fmax(x, 0) : random_normal();
    case DATA_LOGNORMAL:
        return exp(random_normal());
    case DATA_SPARSE:
        return random_unit() < 1.0 / 64 ? x : 0;
    /* 1 + 2^-11 - 3 2^-23: every element has the largest loss, all in the same direction */
    case DATA_MANTISSA:
        return ldexp(0x1.001ffap0, (int)(random_bits() & 3));
    case DATA_LEAST: /* the lower limits of bf16 planes: exponents of -102, and sums of two of -96 */
        return random_sign() * ldexp(1 + random_unit(), side == 0 ? -102 : 6);
    case DATA_MOST: /* sums as close to the end of fp32's range as planes allow */
        return ldexp(1 + random_unit(), side == 0 ? 62 : 62 - binades(k));
    case DATA_FP16_RANGE: /* exponents of -14 to 14, the full range of fp16 planes */
        return random_sign() * ldexp(1 + random_unit(), (int)(random_bits() % 29) - 14);
    case DATA_KAHAN:
    case DATA_PERMUTATION:
    case DATA_OPPOSED:
    case DATA_OPPOSED_LOW:
    case DATA_WAVES:
    case DATA_ORTHOGONAL:
    case DATA_CONSTANT:
        return placed_element(data, side, line, l, k);
    default:
        return x;
    }
}

const char *problem_data_name(enum data data) {
    return names[data];
}

float *problem_floats(int64_t count) {
    float *floats = calloc((size_t)count, sizeof *floats);
    if (!floats) {
        fprintf(stderr, "accuracy: out of memory\n");
        exit(2);
    }
    return floats;
}

void problem_init(struct problem *p, int64_t largest) {
    *p = (struct problem){.a = problem_floats(largest * ROWS),
                          .b = problem_floats(largest * COLUMNS),
                          .line = calloc((size_t)largest, sizeof(double))};
    if (!p->line) {
        fprintf(stderr, "accuracy: out of memory\n");
        exit(2);
    }
}

void problem_finish(struct problem *p) {
    free(p->a);
    free(p->b);
    free(p->line);
}

void problem_draw_line(enum data data, int side, int line, int64_t k, double *elements) {
    bool cancels = data == DATA_CANCELLING || data == DATA_CANCELLING_SOME;
    int apart = data == DATA_CANCELLING ? -12 : -4; /* binades by which a pair does not cancel */
    double line_scale = data == DATA_ACROSS ? exp2(random_between(-40, 40)) : 1, previous = 0;
    for (int64_t l = 0; l < k; l++) {
        double x = random_element(data, side, line, l, k) * line_scale;
        if (cancels && (l & 1))
            x = side == 0 ? -previous * (1 + ldexp(random_unit(), apart)) : previous;
        if (data == DATA_ZERO_ROWS && line % 3 == 1)
            x = 0;
        previous = x;
        elements[l] = x;
    }
}

void problem_fill_line(struct problem *p, int side, int line) {
    problem_draw_line(p->data, side, line, p->k, p->line);
    for (int64_t l = 0; l < p->k; l++)
        if (side == 0)
            p->a[line * p->k + l] = (float)p->line[l];
        else
            p->b[l * COLUMNS + line] = (float)p->line[l];
}

/* fp64 sums of exact products. Their error is 2^-29 of a criterion's unit, times at most K. */
static void fill_exact_row(struct problem *p, int i) {
    double sum[COLUMNS] = {0}, size[COLUMNS] = {0};
    for (int64_t l = 0; l < p->k; l++)
        for (int j = 0; j < COLUMNS; j++) {
            double product = (double)p->a[i * p->k + l] * (double)p->b[l * COLUMNS + j];
            sum[j] += product;
            size[j] += fabs(product);
        }
    for (int j = 0; j < COLUMNS; j++) {
        double c0 = random_between(-1, 1);
        p->c0[i][j] = (float)c0;
        double old = (double)p->beta * (double)p->c0[i][j];
        p->exact[i][j] = (double)p->alpha * sum[j] + old;
        p->scale[i][j] = fabs((double)p->alpha) * size[j] + fabs(old);
    }
}

void problem_seed(enum data data, int64_t k, uint64_t seed) {
    random_state = (uint64_t)(k * 1000 + (int64_t)data) * 12345 + seed * 0x5851f42d4c957f2du;
}

void problem_fill(struct problem *p, enum data data, int64_t k, uint64_t seed) {
    problem_seed(data, k, seed);
    p->data = data;
    p->rows = k > LARGE_K ? LARGE_ROWS : ROWS;
    p->k = k;
    p->alpha = data == DATA_SCALARS ? -1.7f : 1;
    p->beta = data == DATA_SCALARS ? 0.6f : 0;
    for (int i = 0; i < p->rows; i++)
        problem_fill_line(p, 0, i);
    for (int j = 0; j < COLUMNS; j++)
        problem_fill_line(p, 1, j);
    for (int i = 0; i < p->rows; i++)
        fill_exact_row(p, i);
}
