/* Complaints about arguments of the families that the CPU BLAS has no routine of (lib/host/complain.h says
 * who hears them). Any thread. */
#ifndef LAVA_ABI_REFUSE_H
#define LAVA_ABI_REFUSE_H

#include "lib/base/routines.h"

/* Tells the argument's number, as the routine's own list counts, under the name of the standard: a program
 * that compares it knows no others ("SGEMMT", "cblas_sgemm_batch"). */
void lava_refuse(enum lava_routine routine, int argument);

/* Of a product with these sizes and leading dimensions the first wrong one of ?gemm's arguments in Fortran's
 * count (transa is 1, m 3, lda 8, ldc 13); LAVA_REFUSE_LAYOUT; or 0: none. transa and transb are characters
 * or enumerators, as the routine has them. */
#define LAVA_REFUSE_LAYOUT (-1)
int lava_refuse_find(enum lava_routine routine, int layout, int transa, int transb,
                     const struct lava_problem *numbers);

#endif
