/* Errors and criteria. Called by accuracy.c. */
#include "judge.h"

#include <math.h>

#define UNIT 0x1p-24

double judge_element(const struct problem *p, int i, int j, float c) {
    double error = fabs((double)c - p->exact[i][j]) - 0x1p-150;
    if (isnan(error))
        return INFINITY;
    if (error <= 0)
        return 0;
    return p->scale[i][j] > 0 ? error / (p->scale[i][j] * UNIT) : INFINITY;
}

double judge_largest(const struct problem *p, float c[ROWS][COLUMNS]) {
    double largest = 0;
    for (int i = 0; i < p->rows; i++)
        for (int j = 0; j < COLUMNS; j++)
            largest = fmax(largest, judge_element(p, i, j, c[i][j]));
    return largest;
}

static double ratio(double error, double other) {
    return error == 0 ? 0 : error / other;
}

struct verdict judge(int64_t k, const struct errors *errors) {
    struct verdict verdict = {ratio(errors->scheme, errors->cpu), ratio(errors->scheme, errors->sequential),
                              CRITERION_NONE};
    if (errors->scheme > (double)k + 3)
        verdict.missed = CRITERION_GAMMA;
    else if (errors->scheme > 4 * sqrt((double)k + 2))
        verdict.missed = CRITERION_ROOT;
    else if (verdict.cpu_ratio > 2)
        verdict.missed = CRITERION_RATIO;
    return verdict;
}

bool judge_fails(int64_t k, char missed) {
    return missed != CRITERION_NONE && (missed != CRITERION_RATIO || k >= JUDGE_LEAST_K);
}
