/* What the reference BLAS does about invalid arguments, for products under names that the CPU has not.
 * xerbla_ is called, where the program or one of its libraries has one, else one line goes to stderr. All of
 * them return to the caller (netlib's own xerbla_ would stop the program). Any thread.
 *
 * cblas_xerbla is never called: netlib's, which OpenBLAS exports too, ends the program, and oneMKL's has
 * other parameters; OpenBLAS's own cblas_sgemm calls xerbla_. */
#ifndef LAVA_HOST_COMPLAIN_H
#define LAVA_HOST_COMPLAIN_H

#include "dispatch/problem.h"

/* Argument number `argument` of the routine, as it is to be named. */
void lava_complain(const char *routine, int argument);

/* The number of ?gemm's first invalid argument, 0: there is none; numbers as below. */
int lava_complain_find_fortran(char transa, char transb, const struct lava_problem *numbers);
int lava_complain_find_cblas(int layout, int transa, int transb, const struct lava_problem *numbers);

/* Finds the first invalid argument and complains about it; numbers holds sizes and leading dimensions as the
 * caller gave them, so that the number told is the caller's own. Fortran counts from transa = 1, and the name
 * is told as the reference does ("sgemm_" is "SGEMM ", "zgemm3m" is "ZGEMM3M"); CBLAS counts from layout = 1.
 */
void lava_complain_fortran(const char *routine, char transa, char transb, const struct lava_problem *numbers);
void lava_complain_cblas(const char *routine, int layout, int transa, int transb,
                         const struct lava_problem *numbers);

#endif
