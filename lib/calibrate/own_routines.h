/* Measures the CPU BLAS's own routines, and those of the LAPACK that programs reach, for square matrices: one
 * of each family (dispatch/cpu_families.h). */
#ifndef LAVA_CALIBRATE_OWN_ROUTINES_H
#define LAVA_CALIBRATE_OWN_ROUTINES_H

#include "dispatch/cpu_families.h"
#include "lib/calibrate/microbenchmark.h"

/* Measures cpu.family_ns[family][type][order], of positions. SKIPPED also if no library in the process has
 * the routine under one of Fortran's names, or the family has none in the type. One after the other with the
 * same order and type need the matrices to be made only once. */
enum lava_microbenchmark_outcome lava_own_routines_measure(struct lava_microbenchmark *benchmark,
                                                           enum lava_cpu_family family, int type, int order);

/* Looks for all of them, so that measuring asks the loader for nothing more. */
void lava_own_routines_find(const struct lava_cpu_blas *blas);

#endif
