/* Makes the entry point that a CPU BLAS lacks of the one that it has. */
#ifndef LAVA_CPU_COMPOSE_H
#define LAVA_CPU_COMPOSE_H

#include "lib/cpu/cpu_blas.h"

/* Where one of the two pointers is NULL, sets it to a function over the other. One library per process: a
 * second call redirects what the first one made. Not for several threads at once. */
void lava_compose_missing(struct lava_cpu_blas *blas);

#endif
