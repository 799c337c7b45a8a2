/* Complains about invalid arguments as the reference BLAS does, for calls that no routine of the CPU BLAS
 * checks.
 *
 * xerbla_ is called if the program or one of its libraries has one; else one line goes to stderr. Both
 * return to the caller (netlib's own xerbla_ would stop the program). cblas_xerbla is never called: netlib's,
 * which OpenBLAS exports too, ends the program, and oneMKL's has other parameters; OpenBLAS's own cblas_sgemm
 * calls xerbla_. Any thread may call these functions. */
#ifndef LAVA_ABI_XERBLA_H
#define LAVA_ABI_XERBLA_H

#include "lib/base/routines.h"

/* Complains about an argument, by its number in the routine's own list. The routine has the name of the
 * standard, because a program that compares it knows no others: "SGEMM ", "SGEMMT", "cblas_sgemm_batch". */
void lava_xerbla(enum lava_routine routine, int argument);

/* The same for an argument by its number in Fortran's list of the routine, or LAVA_VALIDATE_LAYOUT. */
void lava_xerbla_counted(enum lava_routine routine, int wrong);

#endif
