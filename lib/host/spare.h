/* Leaves one processor to the preparation of a device, while the CPU BLAS computes a call. OpenBLAS gives
 * each of its threads a part of a call and waits for all of them, so a call takes up to three times as long
 * where one thread shares its processor. With one thread fewer nothing is shared. Called by
 * lib/offload/offload.c. */
#ifndef LAVA_HOST_SPARE_H
#define LAVA_HOST_SPARE_H

#include "lib/base/routines.h"
#include "lib/host/openblas.h"

/* How to undo it. Zero: nothing was changed. */
struct lava_spare {
    struct lava_openblas openblas;
    int before; /* threads */
};

/* Lowers the number of threads of the library that has the routine, until lava_spare_return. Changes nothing
 * where the library is not OpenBLAS with threads of its own, where it has fewer threads than there are
 * processors, on fewer than four processors, or while another thread's call has changed it. Any thread. */
void lava_spare_take(enum lava_routine routine, struct lava_spare *spare);
/* Sets the number that was there before, unless somebody else has set another one meanwhile. */
void lava_spare_return(const struct lava_spare *spare);

/* The parts of these that know no routine, for tests: lower returns whether it has changed anything. One
 * thread at a time. */
bool lava_spare_lower(const struct lava_openblas *openblas, int processors, struct lava_spare *spare);
void lava_spare_restore(const struct lava_spare *spare);

#endif
