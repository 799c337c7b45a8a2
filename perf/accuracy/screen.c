/* Tests of the data. Called by accuracy.c, study.c and study_device.c. */
#include "screen.h"

#include <math.h>
#include <string.h>

#define WINDOW_BINADES 6

struct exponents screen_exponents(const float *x, int64_t count, int64_t stride) {
    struct exponents found = {255, 0};
    for (int64_t l = 0; l < count; l++) {
        uint32_t bits, exponent;
        memcpy(&bits, &x[l * stride], sizeof bits);
        exponent = bits >> 23 & 255;
        if (bits << 1 == 0)
            continue;
        found.least = exponent < found.least ? exponent : found.least;
        found.most = exponent > found.most ? exponent : found.most;
    }
    return found;
}

bool screen_holds(const struct scheme *scheme, int64_t k, struct exponents a, struct exponents b) {
    const struct lava_scheme_row *row = lava_scheme(scheme->row);
    const struct lava_screen_limits limits = lava_scheme_limits(row, k);
    return !row->screened || (a.least >= limits.least && b.least >= limits.least && a.most <= limits.most &&
                              b.most <= limits.most && a.least + b.least >= limits.least_sum &&
                              a.most + b.most <= limits.most_sum);
}

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

bool screen_planes_pair(int64_t weak_a, int64_t weak_b, int64_t k) {
    return k >= SCREEN_LEAST_K && 4 * (weak_a + weak_b) <= 3 * k;
}

static double square(double x) {
    return x * x;
}

bool screen_planes_result(const struct problem *p, const struct planes *planes, float c[ROWS][COLUMNS]) {
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
