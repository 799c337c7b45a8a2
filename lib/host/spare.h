/* Leaves processors to the preparation of a device, while the CPU BLAS computes a call. OpenBLAS gives each
 * of its threads a part of a call and waits for all of them, so a call takes up to three times as long where
 * one thread shares its processor. With fewer threads nothing is shared. Called by lib/offload/offload.c; the
 * threads of lib/engine/builder.c ask for processors, and keep to what they get. */
#ifndef LAVA_HOST_SPARE_H
#define LAVA_HOST_SPARE_H

#include "lib/base/routines.h"
#include "lib/host/openblas.h"

/* How to undo it. Zero: nothing was changed. */
struct lava_spare {
    struct lava_openblas openblas;
    int before; /* threads */
    int left;   /* processors: so many threads fewer */
};

/* Says that so many more threads would like a processor each; negative: fewer. Any thread. */
void lava_spare_ask(int threads);
/* Returns how many such threads may work now: as many as the call in flight leaves processors; a quarter of
 * the processors, or one, while the program's calls follow each other; all of them where it makes none. */
int lava_spare_room(void);

/* Lowers the number of threads of the library that has the routine, until lava_spare_return: by one, or by as
 * many as were asked for, a quarter of the processors at most. Changes nothing where the library is not
 * OpenBLAS with threads of its own, where it has fewer threads than there are processors, on fewer than four
 * processors, or while another thread's call has changed it. Any thread. */
void lava_spare_take(enum lava_routine routine, struct lava_spare *spare);
/* Sets the number that was there before, unless somebody else has set another one meanwhile. */
void lava_spare_return(const struct lava_spare *spare);

/* The parts of these that know no routine and no call, for tests. room: of so many processors while calls
 * follow each other. lower returns whether it has changed anything. One thread at a time. */
int lava_spare_share(int processors);
bool lava_spare_lower(const struct lava_openblas *openblas, int processors, struct lava_spare *spare);
void lava_spare_restore(const struct lava_spare *spare);

#endif
