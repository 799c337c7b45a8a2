/* QR factorizations and their errors, measured in long double (products with Q of single precision in
 * double), with H = I - tau v v^H from the results:
 *
 *     ||A - Q R|| <= (12 + 4 sqrt(k)) u ||A||     column by column, k: the reflections that reach it
 *     || |tau|^2 ||v||^2 - 2 re(tau) | <= 16 u    so that H is unitary
 *
 * The bounds are not those of theory, which grow with m k. Of hundreds of random matrices OpenBLAS 0.3.21's
 * worst had 0.9 of a first bound with 8 instead of 12, and 0.58 of the second (2026-11-23). For the tests of
 * lib/lapack/device_qr.h and lib/host/cpu_qr.h; aborts the test if something fails. */
#ifndef LAVA_TESTS_ROBUSTNESS_REFLECTIONS_H
#define LAVA_TESTS_ROBUSTNESS_REFLECTIONS_H

#include "tests/robustness/problem.h"

/* A matrix, and what becomes of it. tau is a column between NaN. */
struct qr {
    enum lava_type type;
    int64_t rows, columns, order;
    struct matrix a, now, tau;
};

/* A is random, what becomes of it full of NaN. */
struct qr qr_new(enum lava_type type, int64_t rows, int64_t columns);
void qr_free(struct qr *qr);

/* Checks R's diagonal, which is real, every reflection, and every column. */
void reflections_check(const struct qr *qr);
/* Checks each column of op(Q) Y against X, what a product left: ||X - op(Q) Y|| <= (12 + 4 sqrt(k)) u ||X||.
 * Y is overwritten. If Q was on the right, Y's columns are X's rows before, conjugated. */
void reflections_check_product(const struct qr *qr, const struct matrix *got, struct value *y, bool adjoint,
                               bool on_right);
/* Checks what is left of each column b of B, by the factors: X in the first rows, and Q^H b below them. If
 * solves is false, all of it is Q^H b. The first rows of R X may be off by 4 (n + 2) u |R| |X|, the bound of
 * substitution, and all together by (12 + 4 sqrt(k)) u ||b||. */
void reflections_check_least_squares(const struct qr *qr, const struct matrix *b, const struct matrix *got,
                                     bool solves);
/* Checks each X with A^H X = b, of which b's first rows are given, by the factors. With Y the first rows of
 * Q^H X, what is below them is (12 + 4 sqrt(k)) u ||X|| at most, and b - R^H Y that times ||R||, beside 4 (n
 * + 2) u |R^H| |Y|, the bound of substitution: so X is the smallest one. */
void reflections_check_least_norm(const struct qr *qr, const struct matrix *b, const struct matrix *got);
/* Prints the largest errors since the last call, as parts of what is allowed. */
void reflections_tell(enum lava_type type);

/* Returns a random number from 0 to most - 1. */
int64_t reflections_below(int64_t most);
/* Fills a matrix with random numbers. */
void reflections_fill(struct matrix *matrix);
/* Returns n zeros. The caller frees them. */
struct value *reflections_values(int64_t count);

#endif
