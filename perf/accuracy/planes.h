/* fp32 matrices as sums of planes of fp16 or bf16 numbers, and their product as a matrix unit computes it:
 * bit by bit, on the CPU. Not thread-safe where two calls share an object. */
#ifndef PERF_ACCURACY_PLANES_H
#define PERF_ACCURACY_PLANES_H

#include "problem.h"
#include "scheme.h"

#define ZERO_EXPONENT (-999)

/* Planes are kept as fp32, which holds them exactly; beside each element the power of two that the matrix
 * unit takes for its exponent (of a subnormal number: that of the smallest normal one), 0 for zero. */
struct planes {
    float *a[MAX_PLANES], *a_power[MAX_PLANES], *b[MAX_PLANES], *b_power[MAX_PLANES];
    int a_shift[ROWS], b_shift[COLUMNS]; /* what is split is 2^shift times the row or the column */
};

/* Sums leave the unit every `chunk` of K, are added to an fp32 sum, and that to another every `span` of K; 0:
 * at the end only. Multiples of 16, the depth of an instruction. Where planes are shifted the lower ones
 * leave it after each. */
struct summation {
    int64_t chunk, span;
};

struct method {
    const struct scheme *scheme;
    const struct unit *unit;
    struct summation sums;
};

/* For up to `largest` of K. */
void planes_init(struct planes *planes, int64_t largest);
void planes_finish(struct planes *planes);

/* floor(log2 |x|) of a finite x, ZERO_EXPONENT of 0. */
int planes_exponent(float x);
/* By how much x[0], x[stride] ... have to be shifted for the exponent of the largest to be `top`; 0 for
 * zeros. */
int planes_shift(int top, const float *x, int64_t count, int64_t stride);

void planes_split(const struct scheme *s, const struct problem *p, struct planes *planes);
/* planes: split by the method's scheme. */
void planes_multiply(const struct method *method, const struct problem *p, const struct planes *planes,
                     float c[ROWS][COLUMNS]);

#endif
