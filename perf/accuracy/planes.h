/* fp32 matrices as sums of planes of fp16 or bf16 numbers, and their product as a matrix unit computes it,
 * emulated bit by bit on the CPU. Not thread-safe if two calls share an object. */
#ifndef PERF_ACCURACY_PLANES_H
#define PERF_ACCURACY_PLANES_H

#include "scheme.h"
#include "study_problem.h"

#define ZERO_EXPONENT (-999)

/* Planes are stored as fp32, which represents them exactly. Each element also has the power of two that the
 * matrix unit uses as its exponent: for a subnormal number that of the smallest normal one, for zero 0. */
struct planes {
    float *a[MAX_PLANES], *a_power[MAX_PLANES], *b[MAX_PLANES], *b_power[MAX_PLANES];
    int a_shift[ROWS], b_shift[COLUMNS]; /* the row or the column is multiplied by 2^shift before splitting */
};

/* Sums leave the unit every `chunk` of K and are added to an fp32 sum. That sum is added to another every
 * `span` of K. 0: only at the end. Multiples of 16, the depth of an instruction. With shifted planes, the
 * lower ones leave the unit after each instruction. */
struct summation {
    int64_t chunk, span;
};

struct method {
    const struct scheme *scheme;
    const struct unit *unit;
    struct summation sums;
};

/* Allocates for K up to `largest`. */
void planes_init(struct planes *planes, int64_t largest);
void planes_finish(struct planes *planes);

/* floor(log2 |x|) of a finite x, or ZERO_EXPONENT for 0. */
int planes_exponent(float x);
/* The shift that makes the exponent of the largest of x[0], x[stride] ... equal to `top`; 0 for zeros. */
int planes_shift(int top, const float *x, int64_t count, int64_t stride);

void planes_split(const struct scheme *s, const struct problem *p, struct planes *planes);
/* The planes must have been split by the method's scheme. */
void planes_multiply(const struct method *method, const struct problem *p, const struct planes *planes,
                     float c[ROWS][COLUMNS]);

#endif
