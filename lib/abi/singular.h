/* What the routines for singular values have in common: ?gesdd and ?gesvd, and least squares by them, ?gelsd
 * and ?gelss. Their argument lists stand in gesdd.c and gelsd.c. */
#ifndef LAVA_ABI_SINGULAR_H
#define LAVA_ABI_SINGULAR_H

#include "lib/abi/lapack.h"
#include "lib/abi/singular_sizes.h"
#include "lib/abi/workspace.h"

/* As lib/abi/entry.h says. A query of lava_singular_compute's is answered. */
bool lava_singular_begin(const struct lava_singular_arguments *arguments, struct lava_call *call);
void lava_singular_compute(const struct lava_singular_arguments *arguments);

#endif
