/* Finds one eigenvalue after another: steps of QL with Wilkinson's shift make the element of e beside it
 * zero. Called by lib/lapack/divide_leaves.c. */
#include "lib/host/cpu_ql.h"

#include <tgmath.h>

/* As LAPACK allows it, on the average. */
#define STEPS_EACH 30

struct problem {
    int64_t order, rows, ld;
    lava_cpu_wide *d, *e, *q;
};

/* Columns `at` and at + 1 of Q. */
static void rotate(const struct problem *p, int64_t at, lava_cpu_wide cosine, lava_cpu_wide sine) {
    lava_cpu_wide *left = p->q + at * p->ld, *right = left + p->ld;
    for (int64_t i = 0; i < p->rows; i++) {
        lava_cpu_wide kept = right[i];
        right[i] = sine * left[i] + cosine * kept;
        left[i] = cosine * left[i] - sine * kept;
    }
}

/* Returns where the block that begins with `from` ends: the next element of e is negligible, and becomes 0.
 */
static int64_t end_of_block(const struct problem *p, int64_t from) {
    int64_t end = from;
    while (end < p->order - 1) {
        lava_cpu_wide size = fabs(p->d[end]) + fabs(p->d[end + 1]);
        if (fabs(p->e[end]) <= LAVA_CPU_WIDE_UNIT * size + DBL_MIN)
            break;
        end++;
    }
    if (end < p->order - 1)
        p->e[end] = 0;
    return end;
}

static void step(const struct problem *p, int64_t from, int64_t end) {
    lava_cpu_wide *d = p->d, *e = p->e;
    lava_cpu_wide half = (d[from + 1] - d[from]) / (2 * e[from]), root = hypot(half, 1);
    lava_cpu_wide g = d[end] - d[from] + e[from] / (half + copysign(root, half)), sine = 1, cosine = 1,
                  loss = 0;
    for (int64_t i = end - 1; i >= from; i--) {
        lava_cpu_wide f = sine * e[i], b = cosine * e[i];
        root = hypot(f, g);
        if (i + 1 < end)
            e[i + 1] = root;
        if (root == 0) { /* the block falls apart here */
            d[i + 1] -= loss;
            return;
        }
        sine = f / root;
        cosine = g / root;
        g = d[i + 1] - loss;
        root = (d[i] - g) * sine + 2 * cosine * b;
        loss = sine * root;
        d[i + 1] = g + loss;
        g = cosine * root - b;
        rotate(p, i, cosine, sine);
    }
    d[from] -= loss;
    e[from] = g;
}

/* Returns what is taken from the diagonal and added to the values: a number that all elements are close to,
 * if there is one. The steps round to units of what is left. Differences from it are exact (P. H. Sterbenz,
 * "Floating-point computation", 1974). */
static lava_cpu_wide shift_of(int64_t order, const lava_cpu_wide *d) {
    lava_cpu_wide low = d[0], high = d[0];
    for (int64_t i = 1; i < order; i++) {
        low = fmin(low, d[i]);
        high = fmax(high, d[i]);
    }
    lava_cpu_wide middle = low / 2 + high / 2;
    return fabs(middle) >= 2 * (high - low) ? middle : 0;
}

int64_t lava_cpu_ql(int64_t order, lava_cpu_wide *d, lava_cpu_wide *e, lava_cpu_wide *q, int64_t rows,
                    int64_t ld) {
    const struct problem p = {.order = order, .rows = rows, .ld = ld, .d = d, .e = e, .q = q};
    int64_t steps = STEPS_EACH * order;
    lava_cpu_wide shift = shift_of(order, d);
    for (int64_t i = 0; i < order; i++)
        d[i] -= shift;
    for (int64_t from = 0; from < order; from++)
        for (int64_t end; (end = end_of_block(&p, from)) > from; steps--) {
            if (steps == 0) {
                int64_t left = 0;
                for (int64_t i = 0; i < order - 1; i++)
                    left += e[i] != 0;
                return left;
            }
            step(&p, from, end);
        }
    for (int64_t i = 0; i < order; i++)
        d[i] += shift;
    return 0;
}
