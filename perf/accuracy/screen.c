/* The tests before and after. Called by accuracy.c. */
#include "screen.h"

#include <math.h>

#define WINDOW_BINADES 6

int64_t screen_weak(const float *x, int64_t count, int64_t stride) {
    int shift = planes_shift(0, x, count, stride);
    int64_t weak = 0, zeros = 0;
    for (int64_t l = 0; l < count; l++) {
        int exponent = planes_exponent(x[l * stride]);
        zeros += exponent == ZERO_EXPONENT;
        weak += exponent == ZERO_EXPONENT || exponent + shift < -WINDOW_BINADES;
    }
    return zeros == count ? 0 : weak;
}

bool screen_pair(int64_t weak_a, int64_t weak_b, int64_t k) {
    return k >= SCREEN_LEAST_K && 4 * (weak_a + weak_b) <= 3 * k;
}

static double square(double x) {
    return x * x;
}

bool screen_result(const struct problem *p, const struct planes *planes, float c[ROWS][COLUMNS]) {
    double rows = 0, columns = 0, have = 0, k = (double)p->k;
    for (int64_t l = 0; l < p->k; l++) {
        for (int i = 0; i < p->rows; i++)
            rows += square(ldexp((double)p->a[i * p->k + l], planes->a_shift[i]));
        for (int j = 0; j < COLUMNS; j++)
            columns += square(ldexp((double)p->b[l * COLUMNS + j], planes->b_shift[j]));
    }
    for (int i = 0; i < p->rows; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double product = ((double)c[i][j] - (double)p->beta * (double)p->c0[i][j]) / (double)p->alpha;
            have += square(ldexp(product, planes->a_shift[i] + planes->b_shift[j]));
        }
    return have >= rows * columns * fmax(4 / square(k), 1 / (64 * k));
}
