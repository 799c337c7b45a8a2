/* Leaves processors to the preparation of a device, while the CPU BLAS computes a call. OpenBLAS gives each
 * of its threads a part of a call and waits for all of them, so a call takes up to three times as long if
 * one thread shares its processor. With fewer threads nothing is shared. Called by lib/offload/offload.c; the
 * threads of lib/engine/builder.c ask for processors, and keep to what they get. */
#ifndef LAVA_HOST_SPARE_H
#define LAVA_HOST_SPARE_H

#include "lib/base/routines.h"
#include "lib/host/openblas.h"

/* A call in flight, and how to undo what was changed. Zero: no call. */
struct lava_spare {
    bool is_counted;
    struct lava_openblas openblas;
    int before; /* threads; 0: nothing was changed */
    int left;   /* processors, and threads fewer */
};

/* Says that n more threads would like a processor each; negative: fewer. Any thread. */
void lava_spare_ask(int threads);
/* Returns how many such threads may work now: as many as the call in flight leaves processors; a quarter of
 * the processors, or one, during other calls and while calls follow each other; all of them if there are
 * none. */
int lava_spare_room(void);

/* Begins a call that the CPU BLAS computes. Sets the number of threads of the library that has the routine
 * lower, until lava_spare_return: by one, or by as many as were asked for, a quarter of the
 * processors at most. Changes nothing if the library is not OpenBLAS with threads of its own, if it has
 * fewer threads than there are processors, on fewer than four processors, or while another thread's call has
 * changed it. Any thread. */
void lava_spare_take(enum lava_routine routine, struct lava_spare *spare);
/* Ends the call. Sets the number that was there before, unless somebody else has set another one meanwhile.
 */
void lava_spare_return(const struct lava_spare *spare);

/* Returns the library's number of threads, as it is if no call has lowered it. Any thread. */
int lava_spare_threads(const struct lava_openblas *openblas);

/* The parts of these that know no routine and no call, for tests. share: of n processors, what is left
 * to a preparation at most. lower returns whether it has changed anything. One thread at a time. */
int lava_spare_share(int processors);
bool lava_spare_lower(const struct lava_openblas *openblas, int processors, struct lava_spare *spare);
void lava_spare_restore(const struct lava_spare *spare);

#endif
