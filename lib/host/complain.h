/* The reference BLAS's reaction to invalid arguments, for routines that the CPU BLAS does not have. Calls
 * xerbla_ if the program or one of its libraries defines it, otherwise writes one line to stderr. All
 * functions return to the caller, unless the program's own xerbla_ stops it, as netlib's does. Any thread.
 *
 * cblas_xerbla is never called: netlib's, which OpenBLAS exports too, ends the program, and oneMKL's has
 * other parameters. OpenBLAS's own cblas_sgemm calls xerbla_. */
#ifndef LAVA_HOST_COMPLAIN_H
#define LAVA_HOST_COMPLAIN_H

#include "dispatch/problem.h"

/* Reports argument number `argument` of the routine, under the given name. */
void lava_complain(const char *routine, int argument);

/* Returns the number of ?gemm's first invalid argument, or 0. numbers is as below. */
int lava_complain_find_fortran(char transa, char transb, const struct lava_problem *numbers);
int lava_complain_find_cblas(int layout, int transa, int transb, const struct lava_problem *numbers);

/* Finds the first invalid argument and reports it. numbers holds sizes and leading dimensions as the caller
 * gave them, so that the reported number matches the caller's. Fortran counts from transa = 1, and the name
 * is reported as the reference does ("sgemm_" is "SGEMM ", "zgemm3m" is "ZGEMM3M"). CBLAS counts from layout
 * = 1. */
void lava_complain_fortran(const char *routine, char transa, char transb, const struct lava_problem *numbers);
void lava_complain_cblas(const char *routine, int layout, int transa, int transb,
                         const struct lava_problem *numbers);

#endif
