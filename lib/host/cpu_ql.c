/* Finds an eigenvalue after the other: steps of QL with Wilkinson's shift make the element of e beside it
 * zero. Called by lib/lapack/divide_leaves.c and lib/abi. */
#include "lib/host/cpu_ql.h"

#include <float.h>
#include <math.h>

/* As LAPACK allows it, on the average. */
#define STEPS_EACH 30

struct problem {
    int64_t order, rows, ld;
    double *d, *e, *q;
};

/* Columns `at` and at + 1 of Q. */
static void rotate(const struct problem *p, int64_t at, double cosine, double sine) {
    double *left = p->q + at * p->ld, *right = left + p->ld;
    for (int64_t i = 0; i < p->rows; i++) {
        double kept = right[i];
        right[i] = sine * left[i] + cosine * kept;
        left[i] = cosine * left[i] - sine * kept;
    }
}

/* Returns where the block that begins with `from` ends: the next element of e is negligible, and becomes 0.
 */
static int64_t end_of_block(const struct problem *p, int64_t from) {
    int64_t end = from;
    while (end < p->order - 1) {
        double size = fabs(p->d[end]) + fabs(p->d[end + 1]);
        if (fabs(p->e[end]) <= DBL_EPSILON / 2 * size + DBL_MIN)
            break;
        end++;
    }
    if (end < p->order - 1)
        p->e[end] = 0;
    return end;
}

static void step(const struct problem *p, int64_t from, int64_t end) {
    double *d = p->d, *e = p->e;
    double half = (d[from + 1] - d[from]) / (2 * e[from]), root = hypot(half, 1);
    double g = d[end] - d[from] + e[from] / (half + copysign(root, half)), sine = 1, cosine = 1, loss = 0;
    for (int64_t i = end - 1; i >= from; i--) {
        double f = sine * e[i], b = cosine * e[i];
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

int64_t lava_cpu_ql(int64_t order, double *d, double *e, double *q, int64_t rows, int64_t ld) {
    const struct problem p = {.order = order, .rows = rows, .ld = ld, .d = d, .e = e, .q = q};
    int64_t steps = STEPS_EACH * order;
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
    return 0;
}
