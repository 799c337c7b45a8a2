/* The error of a product relative to the exact one, and the criteria it misses. Errors are in units of u G: u
 * = 2^-24, G = |alpha| |A||B| + |beta| |C0|, element by element. Pure functions. */
#ifndef PERF_ACCURACY_JUDGE_H
#define PERF_ACCURACY_JUDGE_H

#include <stdbool.h>

#include "study_problem.h"

/* From this K on a listed scheme must meet the third criterion too. */
#define JUDGE_LEAST_K 128

/* The criteria, worst first: (K + 3) u G on any data; 4 sqrt(K + 2) u G, the bound of the library's fp32
 * kernels; twice the largest error of the CPU BLAS on the same data. */
enum { CRITERION_GAMMA = 'g', CRITERION_ROOT = 's', CRITERION_RATIO = 'r', CRITERION_NONE = '.' };

struct errors {
    double scheme, cpu, sequential; /* largest errors of a scheme, the CPU BLAS and sequential fp32 */
};

struct verdict {
    double cpu_ratio, sequential_ratio; /* the scheme's error relative to theirs */
    char missed;                        /* the worst criterion missed */
};

/* Infinite if c is NaN. Half the smallest subnormal number is tolerated. */
double judge_element(const struct problem *p, int i, int j, float c);
double judge_largest(const struct problem *p, float c[ROWS][COLUMNS]);
struct verdict judge(int64_t k, const struct errors *errors);
/* Returns whether a listed scheme must not miss this criterion at that K. */
bool judge_fails(int64_t k, char missed);

#endif
