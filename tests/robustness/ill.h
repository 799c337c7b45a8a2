/* Ill-conditioned triangles, and the CPU BLAS's error with them, which is the measure of the device's. For
 * the tests of solves. Aborts the test if out of memory. */
#ifndef LAVA_TESTS_ROBUSTNESS_ILL_H
#define LAVA_TESTS_ROBUSTNESS_ILL_H

#include <stdbool.h>

#include "tests/robustness/problem.h"

/* Kahan's matrix: row i is s^i times 1 on the diagonal and -c beside it. Graded ones: rows, or columns, each
 * smaller than the one before. Nearly singular: a few elements of the diagonal are about u. Random: the
 * solution grows from row to row, as with any random triangle. */
enum ill_kind { ILL_KAHAN, ILL_GRADED_ROWS, ILL_GRADED_COLUMNS, ILL_NEARLY_SINGULAR, ILL_RANDOM, ILL_COUNT };

/* Makes the problem's triangle such a one. */
void ill_fill(struct problem *problem, enum ill_kind kind);
/* Returns whether the CPU BLAS can be compared with: it has the type's ?trsm, with 32-bit integers, and its
 * diagonal is stored and the transposition one of BLAS. */
bool ill_is_comparable(const struct problem *problem);
/* Returns whether the CPU's solution is not finite: some random matrices of 32 bits have one that overflows.
 */
bool ill_overflows(const struct problem *problem);
/* Fails unless the error of the problem's x is at most 4 times the CPU BLAS's. Returns their quotient, or a
 * negative number if the CPU's is infinite. */
long double ill_compare(const struct problem *problem, enum ill_kind kind);

#endif
